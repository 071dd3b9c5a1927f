/* Result types of arithmetic. */
#include "array/promote.h"

#include "array/arith_wide.h"
#include "kernels/arith.h"

static int is_float(hr_dtype t) { return hr_dtype_get_info(t)->kind == HR_KIND_FLOAT; }
static int is_bool(hr_dtype t) { return t == HR_BOOL; }
static int is_unsigned(hr_dtype t) { return hr_dtype_get_info(t)->kind == HR_KIND_UNSIGNED; }

static hr_dtype common_float(hr_dtype a, hr_dtype b)
{
    if (!is_float(a)) return b;
    if (!is_float(b) || a == b) return a;
    if (a == HR_F64 || b == HR_F64) return HR_F64;
    return HR_F32; /* also for float16 with bfloat16: neither holds the other */
}

static hr_dtype common_integer(hr_dtype a, hr_dtype b)
{
    int wa = hr_dtype_get_info(a)->bytes, wb = hr_dtype_get_info(b)->bytes;
    if (is_unsigned(a) == is_unsigned(b)) return wa >= wb ? a : b;
    int natural = is_unsigned(a) ? wa : wb, whole = is_unsigned(a) ? wb : wa;
    int bytes = whole > natural ? whole : natural * 2;
    return bytes == 2 ? HR_I16 : bytes == 4 ? HR_I32 : HR_I64;
}

static hr_dtype common_type(hr_dtype a, hr_dtype b)
{
    if (is_bool(a)) return b;
    if (is_bool(b)) return a;
    return is_float(a) || is_float(b) ? common_float(a, b) : common_integer(a, b);
}

static hr_dtype compute_type(hr_dtype t) { return t == HR_F16 || t == HR_BF16 ? HR_F32 : t; }

static hr_status fail_types(hr_dtype a, hr_dtype b, hr_error *err)
{
    return hr_fail(err, HR_TYPE, "does not take operands of types %s and %s",
                   hr_dtype_get_info(a)->numpy_name, hr_dtype_get_info(b)->numpy_name);
}

hr_status hr__promote_binary(int op, hr_dtype a, hr_dtype b, hr__promotion *out, hr_error *err)
{
    int bits = op >= HR_BINARY_AND && op <= HR_BINARY_SHR;
    int compare = op >= HR_BINARY_EQ && op <= HR_BINARY_GE;
    int real = op == HR_BINARY_DIV || op == HR_BINARY_FPOW || op == HR_BINARY_ATAN2;
    int both_bool = is_bool(a) && is_bool(b);
    int logical = op == HR_BINARY_AND || op == HR_BINARY_OR || op == HR_BINARY_XOR;
    int chooses = op == HR_BINARY_MUL || op == HR_BINARY_MIN || op == HR_BINARY_MAX;
    if (both_bool && !compare && !logical && !chooses)
        return fail_types(a, b, err);
    if (bits && (is_float(a) || is_float(b))) return fail_types(a, b, err);
    hr_dtype common = common_type(a, b);
    if (real && !is_float(common)) common = HR_F32;
    *out = (hr__promotion){.compute = compute_type(common),
                           .result = compare ? HR_BOOL : common};
    out->is_wide = !is_float(common) && (a == HR_U64) != (b == HR_U64) &&
                   !is_unsigned(a == HR_U64 ? b : a) && !is_bool(a) &&
                   !is_bool(b) && hr__arith_is_wide(op);
    return HR_OK;
}

hr_status hr__promote_unary(int op, hr_dtype a, hr__promotion *out, hr_error *err)
{
    int keeps = op == HR_UNARY_NEG || op == HR_UNARY_ABS || op == HR_UNARY_INVERT;
    if ((op == HR_UNARY_INVERT && is_float(a)) || (is_bool(a) && op == HR_UNARY_NEG))
        return hr_fail(err, HR_TYPE, "does not take an operand of type %s",
                       hr_dtype_get_info(a)->numpy_name);
    hr_dtype result = keeps || is_float(a) ? a : HR_F32;
    *out = (hr__promotion){.compute = compute_type(result), .result = result};
    return HR_OK;
}
