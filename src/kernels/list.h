/* The kernel list: X(name, return type, (parameters)). Add a line, and the function HR_K(name) in
 * a file of this room named in meson.build. */
#ifndef HR_KERNELS_LIST_H
#define HR_KERNELS_LIST_H

#define HR_KERNEL_MAP(X)                                                               \
    /* convert.c: n elements, see hr_dtype_convert */                                  \
    X(convert, void,                                                                   \
      (hr_dtype to, void *restrict dst, hr_dtype from, const void *restrict src, size_t n)) \
    /* flip.c: n pixels of `size` bytes in reverse order */                            \
    X(reverse, void, (uint8_t * restrict dst, const uint8_t *restrict src, int64_t n,  \
                      int64_t size))

#endif
