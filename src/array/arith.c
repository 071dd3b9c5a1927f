/* Arithmetic, comparison and `math`: one pair of functions for all binary operators, one for all
 * unary ones. Operands of different types are converted, block by block, to the type that the
 * promotion rules give; shapes are broadcast from the right within each sample. */
#include <string.h>

#include "array/arith_wide.h"
#include "array/operand.h"
#include "array/promote.h"

enum { BLOCK = HR__OPERAND_BLOCK };

/* ---- binary operators ------------------------------------------------------------------------ */

static int is_compare(int op) { return op >= HR_BINARY_EQ && op <= HR_BINARY_GE; }

static hr_status binary_infer(const hr_sample *s, hr_error *err)
{
    hr__promotion p;
    HR_TRY(hr__promote_binary(s->call->op->variant, s->in[0]->dtype, s->in[1]->dtype, &p, err));
    return hr__operand_shape(s->in, 2, p.result, &s->out[0], err);
}

static hr_status fail_fault(int fault, hr_error *err)
{
    if (fault == HR_ARITH_ZERO) return hr_fail(err, HR_VALUE, "integer division by zero");
    return hr_fail(err, HR_VALUE, "an integer to a negative integer power");
}

/* The type that an operand is read as. uint64 as int64 keeps its bits: sums and products are then
 * exact modulo 2^64. */
static hr_status open_binary(hr__operand *o, const hr_sample *s, int which,
                             const hr__promotion *p, hr_error *err)
{
    hr_tensor in = *s->in[which];
    if (p->is_wide) return hr__operand_open(o, s, &in, in.dtype == HR_U64 ? HR_U64 : HR_I64, err);
    if (in.dtype == HR_U64 && p->compute == HR_I64) in.dtype = HR_I64;
    return hr__operand_open(o, s, &in, p->compute, err);
}

static hr_status binary_run(const hr_sample *s, hr_error *err)
{
    int op = s->call->op->variant;
    hr_tensor *out = &s->out[0];
    hr__promotion p;
    HR_TRY(hr__promote_binary(op, s->in[0]->dtype, s->in[1]->dtype, &p, err));
    int64_t n = hr_tensor_size(out);
    if (n == 0) return HR_OK;
    hr__operand a, b;
    HR_TRY(open_binary(&a, s, 0, &p, err));
    HR_TRY(open_binary(&b, s, 1, &p, err));
    hr_dtype made = is_compare(op) ? HR_BOOL : p.compute;
    void *block = made == p.result ? NULL : hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (made != p.result && !block) return hr_fail(err, HR_NOMEM, "no memory for a result");
    size_t size = hr_dtype_size(p.result);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char *dst = (char *)out->data + (size_t)i * size;
        const void *x = hr__operand_block(&a, i, m), *y = hr__operand_block(&b, i, m);
        int fault = p.is_wide ? hr__arith_wide(op, dst, x, y, a.to == HR_U64, m)
                              : s->kernels->binary(op, p.compute, block ? block : dst, x, y, m);
        if (fault) return fail_fault(fault, err);
        if (block) hr__result_store(s->kernels, p.result, dst, made, block, m);
    }
    return HR_OK;
}

#define OPERANDS(first, second)                                                        \
    (const hr_in_desc[])                                                               \
    {                                                                                  \
        {.name = first, .dtypes = HR_DTYPES_VALUE, .doc = "Values."},                       \
        {.name = second, .dtypes = HR_DTYPES_VALUE,                                         \
         .doc = "Values; shapes are broadcast from the right."},                       \
    }

#define BINARY(symbol, name_, variant_, doc_)                                          \
    BINARY_OF(symbol, name_, variant_, OPERANDS("left", "right"), doc_)
#define BINARY_OF(symbol, name_, variant_, operands, doc_)                             \
    const hr_op_desc hr_op_##symbol = {                                                \
        .name = name_, .doc = doc_, .variant = HR_BINARY_##variant_,                   \
        .ins = operands, .n_ins = 2, .n_out = 1, .outs = "the result, element by element",  \
        .infer = binary_infer, .run = binary_run,                                      \
    };

BINARY(arith_add, "operator +", ADD, "left + right.")
BINARY(arith_sub, "operator -", SUB, "left - right.")
BINARY(arith_mul, "operator *", MUL, "left * right.")
BINARY(arith_div, "operator /", DIV, "left / right; float32 for integers.")
BINARY(arith_floordiv, "operator //", FLOORDIV, "left // right, rounded down as in Python.")
BINARY(arith_mod, "operator %", MOD, "left % right, with the sign of right as in Python.")
BINARY(arith_pow, "operator **", POW, "left ** right.")
BINARY(arith_and, "operator &", AND, "left & right.")
BINARY(arith_or, "operator |", OR, "left | right.")
BINARY(arith_xor, "operator ^", XOR, "left ^ right.")
BINARY(arith_shl, "operator <<", SHL, "left << right.")
BINARY(arith_shr, "operator >>", SHR, "left >> right.")
BINARY(arith_eq, "operator ==", EQ, "left == right.")
BINARY(arith_ne, "operator !=", NE, "left != right.")
BINARY(arith_lt, "operator <", LT, "left < right.")
BINARY(arith_le, "operator <=", LE, "left <= right.")
BINARY(arith_gt, "operator >", GT, "left > right.")
BINARY(arith_ge, "operator >=", GE, "left >= right.")
BINARY(math_min, "math.min", MIN, "The lesser of two values; NaN where either is NaN.")
BINARY(math_max, "math.max", MAX, "The greater of two values; NaN where either is NaN.")
BINARY_OF(math_pow, "math.pow", POW, OPERANDS("base", "exponent"),
          "The base to the power of the exponent, in their common type.")
BINARY_OF(math_fpow, "math.fpow", FPOW, OPERANDS("base", "exponent"),
          "The base to the power of the exponent, computed in floats.")
BINARY_OF(math_atan2, "math.atan2", ATAN2, OPERANDS("x", "y"),
          "The angle, in radians, of which x / y is the tangent: that of a point y to the right and "
          "x up.")

/* ---- unary operators ------------------------------------------------------------- */

static hr_status unary_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    hr__promotion p;
    HR_TRY(hr__promote_unary(s->call->op->variant, in->dtype, &p, err));
    HR_TRY(hr_tensor_shape(&s->out[0], p.result, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, in->layout, sizeof in->layout);
    return HR_OK;
}

static hr_status unary_run(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    hr_tensor *out = &s->out[0];
    int op = s->call->op->variant;
    hr__promotion p;
    HR_TRY(hr__promote_unary(op, in->dtype, &p, err));
    int64_t n = hr_tensor_size(in);
    char *from = hr_arena_take(s->arena, BLOCK * sizeof(double));
    char *to = hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (!from || !to) return hr_fail(err, HR_NOMEM, "no memory for an operand");
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const char *src = (const char *)in->data + (size_t)i * hr_dtype_size(in->dtype);
        char *dst = (char *)out->data + (size_t)i * hr_dtype_size(p.result);
        if (in->dtype != p.compute) {
            s->kernels->convert(p.compute, from, in->dtype, src, (size_t)m);
            src = from;
        }
        char *made = p.compute == p.result ? dst : to;
        if (p.compute == HR_BOOL) /* ~ or abs of a truth value */
            for (int64_t j = 0; j < m; j++) made[j] = (op == HR_UNARY_INVERT) != src[j];
        else
            s->kernels->unary(op, p.compute, made, src, m);
        if (made != dst) hr__result_store(s->kernels, p.result, dst, p.compute, made, m);
    }
    return HR_OK;
}

static const hr_in_desc unary_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_VALUE, .doc = "Values."},
};

#define UNARY(symbol, name_, variant_, doc_)                                           \
    const hr_op_desc hr_op_##symbol = {                                                \
        .name = name_, .doc = doc_, .variant = HR_UNARY_##variant_,                    \
        .ins = unary_ins, .n_ins = 1, .n_out = 1, .outs = "the result, element by element",  \
        .infer = unary_infer, .run = unary_run,                                        \
    };

UNARY(arith_neg, "operator -x", NEG, "-x.")
UNARY(arith_invert, "operator ~", INVERT, "~x: the bits of an integer, the opposite of a truth.")
UNARY(math_abs, "math.abs", ABS, "The absolute value, in the input's type.")
UNARY(math_fabs, "math.fabs", FABS, "The absolute value, as a float.")
UNARY(math_sqrt, "math.sqrt", SQRT, "The square root.")
UNARY(math_rsqrt, "math.rsqrt", RSQRT, "One over the square root.")
UNARY(math_cbrt, "math.cbrt", CBRT, "The cube root.")
UNARY(math_exp, "math.exp", EXP, "e to the power x.")
UNARY(math_log, "math.log", LOG, "The natural logarithm.")
UNARY(math_log2, "math.log2", LOG2, "The logarithm to base 2.")
UNARY(math_log10, "math.log10", LOG10, "The logarithm to base 10.")
UNARY(math_floor, "math.floor", FLOOR, "The greatest whole number not above x.")
UNARY(math_ceil, "math.ceil", CEIL, "The least whole number not below x.")
UNARY(math_sin, "math.sin", SIN, "The sine of an angle in radians.")
UNARY(math_cos, "math.cos", COS, "The cosine of an angle in radians.")
UNARY(math_tan, "math.tan", TAN, "The tangent of an angle in radians.")
UNARY(math_asin, "math.asin", ASIN, "The angle, in radians, of which x is the sine.")
UNARY(math_acos, "math.acos", ACOS, "The angle, in radians, of which x is the cosine.")
UNARY(math_atan, "math.atan", ATAN, "The angle, in radians, of which x is the tangent.")
UNARY(math_sinh, "math.sinh", SINH, "The hyperbolic sine.")
UNARY(math_cosh, "math.cosh", COSH, "The hyperbolic cosine.")
UNARY(math_tanh, "math.tanh", TANH, "The hyperbolic tangent.")
UNARY(math_asinh, "math.asinh", ASINH, "The inverse of the hyperbolic sine.")
UNARY(math_acosh, "math.acosh", ACOSH, "The inverse of the hyperbolic cosine.")
UNARY(math_atanh, "math.atanh", ATANH, "The inverse of the hyperbolic tangent.")
