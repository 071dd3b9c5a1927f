/* Element-wise operations: their codes, and what the kernels answer. */
#ifndef HR_KERNELS_ARITH_H
#define HR_KERNELS_ARITH_H

/* name, operator as users write it */
#define HR_BINARY_MAP(X)                                                               \
    X(ADD, "+") X(SUB, "-") X(MUL, "*") X(DIV, "/") X(FLOORDIV, "//") X(MOD, "%")      \
    X(POW, "**") X(AND, "&") X(OR, "|") X(XOR, "^") X(SHL, "<<") X(SHR, ">>")          \
    X(EQ, "==") X(NE, "!=") X(LT, "<") X(LE, "<=") X(GT, ">") X(GE, ">=")              \
    X(MIN, "min") X(MAX, "max") X(FPOW, "fpow") X(ATAN2, "atan2")

#define HR_UNARY_MAP(X)                                                                \
    X(NEG, "-") X(INVERT, "~") X(ABS, "abs") X(SQRT, "sqrt") X(RSQRT, "rsqrt")         \
    X(CBRT, "cbrt") X(EXP, "exp") X(LOG, "log") X(LOG2, "log2") X(LOG10, "log10")      \
    X(FABS, "fabs") X(FLOOR, "floor") X(CEIL, "ceil") X(SIN, "sin") X(COS, "cos")      \
    X(TAN, "tan") X(ASIN, "asin") X(ACOS, "acos") X(ATAN, "atan") X(SINH, "sinh")      \
    X(COSH, "cosh") X(TANH, "tanh") X(ASINH, "asinh") X(ACOSH, "acosh")                \
    X(ATANH, "atanh")

typedef enum hr_binary {
#define HR_BINARY_ENUM(name, text) HR_BINARY_##name,
    HR_BINARY_MAP(HR_BINARY_ENUM)
#undef HR_BINARY_ENUM
} hr_binary;

typedef enum hr_unary {
#define HR_UNARY_ENUM(name, text) HR_UNARY_##name,
    HR_UNARY_MAP(HR_UNARY_ENUM)
#undef HR_UNARY_ENUM
} hr_unary;

/* What an element can do wrong; the rest of the run is then undefined. */
typedef enum hr_arith_fault { HR_ARITH_FINE, HR_ARITH_ZERO, HR_ARITH_NEGATIVE } hr_arith_fault;

#endif
