/* Headrace: everything. */
#ifndef HR_HEADRACE_H
#define HR_HEADRACE_H

#include <headrace/codec.h>
#include <headrace/context.h>
#include <headrace/dtype.h>
#include <headrace/error.h>
#include <headrace/files.h>
#include <headrace/graphs.h>
#include <headrace/memory.h>
#include <headrace/op.h>
#include <headrace/reader.h>
#include <headrace/rng.h>
#include <headrace/tensor.h>

#endif
