/* Argument kinds in words, and defaults as descriptors write them. */
#ifndef HR_CORE_ARGS_TEXT_H
#define HR_CORE_ARGS_TEXT_H

#include <headrace/op.h>

/* "a number", "a list of integers", … */
const char *hr__arg_kind_words(const hr_arg_desc *arg);
const char *hr__value_kind_words(const hr_value *value);
/* "INTERP_NN", … */
const char *hr__interp_name(hr_interp interp);
size_t hr__arg_field_size(hr_arg_kind kind);
/* Reads arg->initial; lists are taken from `arena`. HR_BUG for text that the kind does not have. */
hr_status hr__arg_text_parse(const hr_arg_desc *arg, hr_arena *arena, hr_value *out,
                             hr_error *err);

#endif
