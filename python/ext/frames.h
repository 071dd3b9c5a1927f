#ifndef HR_EXT_FRAMES_H
#define HR_EXT_FRAMES_H

#include "compat.h"

#include <headrace/error.h>

/* Ends the text with the line of the user's call: "(called at train.py:12)". */
void add_caller_line(hr_error *err);

#endif
