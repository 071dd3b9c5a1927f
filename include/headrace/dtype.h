/* Element types. The numbers are those of the peer's enumeration, so that they may be mixed
 * (bfloat16 has none there). */
#ifndef HR_DTYPE_H
#define HR_DTYPE_H

#include <headrace/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* id, symbol, short name, NumPy's name, kind, bits, exponent bits, significand bits (as the
 * short name's type stores them, without the hidden one) */
#define HR_DTYPE_MAP(X)                                                                \
    X(0, U8, "u8", "uint8", UNSIGNED, 8, 0, 8)                                         \
    X(1, U16, "u16", "uint16", UNSIGNED, 16, 0, 16)                                    \
    X(2, U32, "u32", "uint32", UNSIGNED, 32, 0, 32)                                    \
    X(3, U64, "u64", "uint64", UNSIGNED, 64, 0, 64)                                    \
    X(4, I8, "i8", "int8", SIGNED, 8, 0, 7)                                            \
    X(5, I16, "i16", "int16", SIGNED, 16, 0, 15)                                       \
    X(6, I32, "i32", "int32", SIGNED, 32, 0, 31)                                       \
    X(7, I64, "i64", "int64", SIGNED, 64, 0, 63)                                       \
    X(8, F16, "f16", "float16", FLOAT, 16, 5, 10)                                      \
    X(9, F32, "f32", "float32", FLOAT, 32, 8, 23)                                      \
    X(10, F64, "f64", "float64", FLOAT, 64, 11, 52)                                    \
    X(11, BOOL, "bool", "bool", BOOL, 8, 0, 1)                                         \
    X(21, DATA_TYPE, "DataType", "int32", ENUM, 32, 0, 32)                             \
    X(20, IMAGE_TYPE, "ImageType", "int32", ENUM, 32, 0, 32)                           \
    X(22, INTERP_TYPE, "InterpType", "int32", ENUM, 32, 0, 32)                         \
    X(32, BF16, "bfloat16", "bfloat16", FLOAT, 16, 8, 7)

typedef enum hr_dtype {
    HR_DTYPE_NONE = -1,
#define HR_DTYPE_ENUM(id, sym, name, np, kind, bits, e, s) HR_##sym = id,
    HR_DTYPE_MAP(HR_DTYPE_ENUM)
#undef HR_DTYPE_ENUM
} hr_dtype;

typedef enum hr_dtype_kind {
    HR_KIND_UNSIGNED,
    HR_KIND_SIGNED,
    HR_KIND_FLOAT,
    HR_KIND_BOOL,
    HR_KIND_ENUM,
} hr_dtype_kind;

typedef struct hr_dtype_info {
    hr_dtype id;
    const char *name;       /* "u8" */
    const char *numpy_name; /* "uint8" */
    hr_dtype_kind kind;
    int bits, bytes, exponent_bits, significand_bits;
} hr_dtype_info;

/* NULL for a number that is no dtype. */
HR_API const hr_dtype_info *hr_dtype_get_info(hr_dtype dtype);
/* The i-th dtype of the table, in order; NULL past the end. */
HR_API const hr_dtype_info *hr_dtype_at(int i);
/* From "u8" or "uint8"; HR_DTYPE_NONE when there is none of that name. */
HR_API hr_dtype hr_dtype_parse(const char *name);
/* Bytes of an element; 0 for HR_DTYPE_NONE. */
HR_API size_t hr_dtype_size(hr_dtype dtype);

/* Sets of dtypes, as descriptors name them. */
#define HR_DTYPES(d) (UINT64_C(1) << (d))
#define HR_DTYPES_INT                                                                  \
    (HR_DTYPES(HR_U8) | HR_DTYPES(HR_U16) | HR_DTYPES(HR_U32) | HR_DTYPES(HR_U64) |    \
     HR_DTYPES(HR_I8) | HR_DTYPES(HR_I16) | HR_DTYPES(HR_I32) | HR_DTYPES(HR_I64))
#define HR_DTYPES_FLOAT (HR_DTYPES(HR_F16) | HR_DTYPES(HR_F32) | HR_DTYPES(HR_F64))
#define HR_DTYPES_NUMBER (HR_DTYPES_INT | HR_DTYPES_FLOAT)
#define HR_DTYPES_ENUM                                                                 \
    (HR_DTYPES(HR_DATA_TYPE) | HR_DTYPES(HR_IMAGE_TYPE) | HR_DTYPES(HR_INTERP_TYPE))
/* All but the enumerations. */
#define HR_DTYPES_VALUE (HR_DTYPES_NUMBER | HR_DTYPES(HR_BOOL) | HR_DTYPES(HR_BF16))
#define HR_DTYPES_ALL (HR_DTYPES_VALUE | HR_DTYPES_ENUM)

/* Converts `n` contiguous elements: real to integer rounds halves away from zero and clamps to
 * the type's range (NaN gives 0); integer to integer clamps; a real is true unless it rounds to
 * zero. float16 comes from float32, halves away from zero (as the peer's), bfloat16 from float32,
 * halves to even. Every pair is supported.
 * `src` and `dst` may be the same only for equal sizes. */
HR_API void hr_dtype_convert(hr_dtype to, void *dst, hr_dtype from, const void *src, size_t n);

#ifdef __cplusplus
}
#endif
#endif
