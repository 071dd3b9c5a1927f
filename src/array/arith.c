/* Arithmetic, comparison and `math`: one pair of functions for all binary operators, one for all
 * unary ones. Operands of different types are converted, block by block, to the type that the
 * promotion rules give; shapes are broadcast from the right within each sample. */
#include <string.h>

#include "array/promote.h"
#include "kernels/kernels.h"

enum { BLOCK = 1024 }; /* elements; the blocks of both operands stay in the first-level cache */

/* ---- binary operators ------------------------------------------------------------------------ */

static int is_compare(int op) { return op >= HR_BINARY_EQ && op <= HR_BINARY_GE; }

static hr_status binary_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *a = s->in[0], *b = s->in[1];
    int op = s->call->op->variant;
    hr__promotion p;
    HR_TRY(hr__promote_binary(op, a->dtype, b->dtype, &p, err));
    int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    int64_t shape[HR_MAX_NDIM];
    for (int d = 0; d < ndim; d++) { /* axis d from the right */
        int64_t x = d < a->ndim ? a->shape[a->ndim - 1 - d] : 1;
        int64_t y = d < b->ndim ? b->shape[b->ndim - 1 - d] : 1;
        if (x != y && x != 1 && y != 1)
            return hr_fail(err, HR_VALUE, "operands have extents %lld and %lld in axis %d from "
                           "the right, which do not go together", (long long)x, (long long)y,
                           d + 1);
        shape[ndim - 1 - d] = x == 1 ? y : x;
    }
    HR_TRY(hr_tensor_shape(&s->out[0], p.result, ndim, shape, err));
    const hr_tensor *named = a->ndim >= b->ndim && a->layout[0] ? a : b;
    if (named->ndim == ndim) memcpy(s->out[0].layout, named->layout, sizeof named->layout);
    return HR_OK;
}

/* An operand as packed elements of `to`, a block at a time. */
typedef struct operand {
    const char *data; /* packed */
    hr_dtype from, to;
    int is_single; /* one element for all: `block` is filled once */
    void *block;
    const hr_kernels *k;
} operand;

static hr_status open_operand(operand *o, const hr_sample *s, int which, hr_dtype to,
                              hr_error *err)
{
    const hr_tensor *t = s->in[which], *out = &s->out[0];
    *o = (operand){.data = t->data, .from = t->dtype, .to = to, .k = s->kernels};
    int64_t n = hr_tensor_size(t);
    o->is_single = n == 1;
    if (!o->is_single && n != hr_tensor_size(out)) { /* broadcast into memory */
        hr_tensor wide = *out;
        wide.dtype = t->dtype;
        wide.data = t->data;
        for (int d = 0; d < out->ndim; d++) {
            int from = d - (out->ndim - t->ndim);
            int moves = from >= 0 && t->shape[from] != 1;
            wide.stride[d] = moves ? t->stride[from] : 0;
        }
        void *copy = hr_arena_take(s->arena, hr_tensor_nbytes(&wide));
        if (!copy) return hr_fail(err, HR_NOMEM, "no memory to broadcast an operand");
        hr_tensor_pack(copy, &wide);
        o->data = copy;
    }
    if (!o->is_single && o->from == to) return HR_OK;
    o->block = hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (!o->block) return hr_fail(err, HR_NOMEM, "no memory for an operand");
    if (o->is_single) {
        size_t size = hr_dtype_size(to);
        o->k->convert(to, o->block, o->from, o->data, 1);
        int64_t most = hr_tensor_size(out) < BLOCK ? hr_tensor_size(out) : BLOCK;
        for (int64_t i = 1; i < most; i++)
            memcpy((char *)o->block + (size_t)i * size, o->block, size);
    }
    return HR_OK;
}

static const void *operand_block(const operand *o, int64_t first, int64_t n)
{
    if (o->is_single) return o->block;
    const char *src = o->data + (size_t)first * hr_dtype_size(o->from);
    if (o->from == o->to) return src;
    o->k->convert(o->to, o->block, o->from, src, (size_t)n);
    return o->block;
}

static hr_status fail_fault(int fault, hr_error *err)
{
    if (fault == HR_ARITH_ZERO) return hr_fail(err, HR_VALUE, "integer division by zero");
    return hr_fail(err, HR_VALUE, "an integer to a negative integer power");
}

/* uint64 against a signed type: no common integer type holds both, so signs are looked at. */
static void compare_wide(int op, const hr_sample *s, const operand *a, const operand *b,
                         int64_t first, int64_t n, uint8_t *dst)
{
    uint64_t x[BLOCK], y[BLOCK];
    int64_t xs[BLOCK], ys[BLOCK];
    const operand *sides[2] = {a, b};
    void *naturals[2] = {x, y}, *wholes[2] = {xs, ys};
    for (int i = 0; i < 2; i++) {
        size_t at = sides[i]->is_single ? 0 : (size_t)first;
        const char *src = sides[i]->data + at * hr_dtype_size(sides[i]->from);
        size_t count = sides[i]->is_single ? 1 : (size_t)n;
        s->kernels->convert(HR_U64, naturals[i], sides[i]->from, src, count);
        s->kernels->convert(HR_I64, wholes[i], sides[i]->from, src, count);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t p = a->is_single ? 0 : i, q = b->is_single ? 0 : i;
        int less = xs[p] < 0 ? ys[q] >= 0 || xs[p] < ys[q]
                             : ys[q] >= 0 && x[p] < y[q];
        int equal = (xs[p] < 0) == (ys[q] < 0) && (xs[p] < 0 ? xs[p] == ys[q] : x[p] == y[q]);
        const uint8_t answers[] = {equal, !equal, less, less || equal, !less && !equal, !less};
        dst[i] = answers[op - HR_BINARY_EQ];
    }
}

static hr_status binary_run(const hr_sample *s, hr_error *err)
{
    int op = s->call->op->variant;
    hr_tensor *out = &s->out[0];
    hr__promotion p;
    HR_TRY(hr__promote_binary(op, s->in[0]->dtype, s->in[1]->dtype, &p, err));
    int64_t n = hr_tensor_size(out);
    if (n == 0) return HR_OK;
    operand a, b;
    HR_TRY(open_operand(&a, s, 0, p.compute, err));
    HR_TRY(open_operand(&b, s, 1, p.compute, err));
    hr_dtype made = is_compare(op) ? HR_BOOL : p.compute;
    void *block = made == p.result ? NULL : hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (made != p.result && !block) return hr_fail(err, HR_NOMEM, "no memory for a result");
    size_t size = hr_dtype_size(p.result);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char *dst = (char *)out->data + (size_t)i * size;
        if (p.wide_compare) {
            compare_wide(op, s, &a, &b, i, m, (uint8_t *)dst);
            continue;
        }
        int fault = s->kernels->binary(op, p.compute, block ? block : dst,
                                       operand_block(&a, i, m), operand_block(&b, i, m), m);
        if (fault) return fail_fault(fault, err);
        if (block) s->kernels->convert(p.result, dst, made, block, (size_t)m);
    }
    return HR_OK;
}

static const hr_in_desc binary_ins[] = {
    {.name = "a", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL) | HR_DTYPES(HR_BF16),
     .doc = "Left operand."},
    {.name = "b", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL) | HR_DTYPES(HR_BF16),
     .doc = "Right operand; shapes are broadcast from the right."},
};

#define BINARY(symbol, name_, variant_, doc_)                                          \
    const hr_op_desc hr_op_##symbol = {                                                \
        .name = name_, .doc = doc_, .variant = HR_BINARY_##variant_,                   \
        .ins = binary_ins, .n_ins = 2, .n_out = 1, .outs = "the result, element by element",  \
        .infer = binary_infer, .run = binary_run,                                      \
    };

BINARY(arith_add, "operator +", ADD, "a + b.")
BINARY(arith_sub, "operator -", SUB, "a - b.")
BINARY(arith_mul, "operator *", MUL, "a * b.")
BINARY(arith_div, "operator /", DIV, "a / b; float32 for integers.")
BINARY(arith_floordiv, "operator //", FLOORDIV, "a // b, rounded down as in Python.")
BINARY(arith_mod, "operator %", MOD, "a % b, with the sign of b as in Python.")
BINARY(arith_pow, "operator **", POW, "a ** b.")
BINARY(arith_and, "operator &", AND, "a & b.")
BINARY(arith_or, "operator |", OR, "a | b.")
BINARY(arith_xor, "operator ^", XOR, "a ^ b.")
BINARY(arith_shl, "operator <<", SHL, "a << b.")
BINARY(arith_shr, "operator >>", SHR, "a >> b.")
BINARY(arith_eq, "operator ==", EQ, "a == b.")
BINARY(arith_ne, "operator !=", NE, "a != b.")
BINARY(arith_lt, "operator <", LT, "a < b.")
BINARY(arith_le, "operator <=", LE, "a <= b.")
BINARY(arith_gt, "operator >", GT, "a > b.")
BINARY(arith_ge, "operator >=", GE, "a >= b.")
BINARY(math_min, "math.min", MIN, "The lesser of two values; NaN where either is NaN.")
BINARY(math_max, "math.max", MAX, "The greater of two values; NaN where either is NaN.")
BINARY(math_pow, "math.pow", POW, "a to the power b, in the operands' common type.")
BINARY(math_fpow, "math.fpow", FPOW, "a to the power b, computed in floats.")
BINARY(math_atan2, "math.atan2", ATAN2, "The angle of the point (b, a), in radians.")

/* ---- unary operators --------------------------------------------------------------------------- */

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
        if (p.compute == HR_BOOL) /* ~ of a truth value */
            for (int64_t j = 0; j < m; j++) made[j] = !src[j];
        else
            s->kernels->unary(op, p.compute, made, src, m);
        if (made != dst) s->kernels->convert(p.result, dst, p.compute, made, (size_t)m);
    }
    return HR_OK;
}

static const hr_in_desc unary_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL) | HR_DTYPES(HR_BF16),
     .doc = "Values."},
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

/* ---- clamp ------------------------------------------------------------------------------------- */

static hr_status clamp_infer(const hr_sample *s, hr_error *err)
{
    hr__promotion low, both;
    HR_TRY(hr__promote_binary(HR_BINARY_MAX, s->in[0]->dtype, s->in[1]->dtype, &low, err));
    HR_TRY(hr__promote_binary(HR_BINARY_MIN, low.result, s->in[2]->dtype, &both, err));
    const hr_tensor *value = s->in[0];
    for (int i = 1; i < 3; i++) {
        const hr_tensor *t = s->in[i];
        int fits = hr_tensor_size(t) == 1 ||
                   (t->ndim == value->ndim &&
                    !memcmp(t->shape, value->shape, sizeof t->shape[0] * (size_t)t->ndim));
        if (!fits)
            return hr_fail(err, HR_VALUE, "bound `%s` has %lld elements; it needs one, or the "
                           "value's shape", i == 1 ? "lo" : "hi", (long long)hr_tensor_size(t));
    }
    HR_TRY(hr_tensor_shape(&s->out[0], both.result, value->ndim, value->shape, err));
    memcpy(s->out[0].layout, value->layout, sizeof value->layout);
    return HR_OK;
}

static hr_status clamp_run(const hr_sample *s, hr_error *err)
{
    hr_dtype result = s->out[0].dtype;
    hr_dtype compute = result == HR_F16 || result == HR_BF16 ? HR_F32 : result;
    operand v[3];
    for (int i = 0; i < 3; i++) HR_TRY(open_operand(&v[i], s, i, compute, err));
    void *low = hr_arena_take(s->arena, BLOCK * sizeof(double));
    void *made = hr_arena_take(s->arena, BLOCK * sizeof(double));
    if (!low || !made) return hr_fail(err, HR_NOMEM, "no memory for a result");
    int64_t n = hr_tensor_size(&s->out[0]);
    for (int64_t i = 0; i < n; i += BLOCK) {
        int64_t m = n - i < BLOCK ? n - i : BLOCK;
        char *dst = (char *)s->out[0].data + (size_t)i * hr_dtype_size(result);
        s->kernels->binary(HR_BINARY_MAX, compute, low, operand_block(&v[0], i, m),
                           operand_block(&v[1], i, m), m);
        s->kernels->binary(HR_BINARY_MIN, compute, made, low, operand_block(&v[2], i, m), m);
        s->kernels->convert(result, dst, compute, made, (size_t)m);
    }
    return HR_OK;
}

static const hr_in_desc clamp_ins[] = {
    {.name = "value", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BF16), .doc = "Values."},
    {.name = "lo", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BF16), .doc = "Lower bound."},
    {.name = "hi", .dtypes = HR_DTYPES_NUMBER | HR_DTYPES(HR_BF16), .doc = "Upper bound."},
};

const hr_op_desc hr_op_math_clamp = {
    .name = "math.clamp",
    .doc = "The value, or the bound that it passes, in the common type of all three.",
    .ins = clamp_ins, .n_ins = 3, .n_out = 1, .outs = "values within lo..hi",
    .infer = clamp_infer, .run = clamp_run,
};
