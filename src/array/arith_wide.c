/* One element at a time: mixing uint64 with a signed type is rare. */
#include "array/arith_wide.h"

#include "kernels/arith.h"

__extension__ typedef __int128 wide;

int hr__arith_is_wide(int op)
{
    return op == HR_BINARY_FLOORDIV || op == HR_BINARY_MOD || op == HR_BINARY_SHR ||
           op == HR_BINARY_MIN || op == HR_BINARY_MAX ||
           (op >= HR_BINARY_EQ && op <= HR_BINARY_GE);
}

static wide floor_divide(wide a, wide b)
{
    wide q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static wide shift_right(wide a, wide b)
{
    return b < 0 || b > 63 ? (a < 0 ? -1 : 0) : a >> (int)b;
}

static wide nearest(wide a) { return a > INT64_MAX ? INT64_MAX : a; }

static wide compute(int op, wide a, wide b)
{
    switch (op) {
    case HR_BINARY_FLOORDIV: return floor_divide(a, b);
    case HR_BINARY_MOD: return a - floor_divide(a, b) * b;
    case HR_BINARY_SHR: return shift_right(a, b);
    case HR_BINARY_MIN: return nearest(a < b ? a : b);
    case HR_BINARY_MAX: return nearest(a > b ? a : b);
    case HR_BINARY_EQ: return a == b;
    case HR_BINARY_NE: return a != b;
    case HR_BINARY_LT: return a < b;
    case HR_BINARY_LE: return a <= b;
    case HR_BINARY_GT: return a > b;
    default: return a >= b;
    }
}

int hr__arith_wide(int op, void *dst, const void *a, const void *b, int a_natural, int64_t n)
{
    int is_compare = op >= HR_BINARY_EQ && op <= HR_BINARY_GE;
    for (int64_t i = 0; i < n; i++) {
        wide p = a_natural ? (wide)((const uint64_t *)a)[i] : ((const int64_t *)a)[i];
        wide q = a_natural ? ((const int64_t *)b)[i] : (wide)((const uint64_t *)b)[i];
        if (q == 0 && (op == HR_BINARY_FLOORDIV || op == HR_BINARY_MOD)) return HR_ARITH_ZERO;
        wide r = compute(op, p, q);
        if (is_compare) ((uint8_t *)dst)[i] = (uint8_t)r;
        else ((int64_t *)dst)[i] = (int64_t)(uint64_t)r;
    }
    return HR_ARITH_FINE;
}
