/* Tensors and batches. A tensor is plain geometry over one counted buffer; a batch is samples of
 * one dtype, rank and layout, each with a shape of its own.
 * Thread use: published tensors and batches are immutable and may be read from any thread. */
#ifndef HR_TENSOR_H
#define HR_TENSOR_H

#include <headrace/dtype.h>
#include <headrace/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HR_MAX_NDIM = 8 };

typedef enum hr_device_type { HR_CPU = 0, HR_GPU = 1 } hr_device_type;

/* Where a sample came from, and whether it is a stand-in for a broken one. Counted. */
typedef struct hr_meta {
    int64_t refs;
    const char *source; /* file, archive member or record; "" when unknown */
    const char *failure; /* NULL for a sound sample, else the reason in words */
} hr_meta;

/* Copies both texts; NULL when memory is out. */
HR_API hr_meta *hr_meta_create(const char *source, const char *failure);
HR_API hr_meta *hr_meta_ref(hr_meta *meta); /* NULL is allowed */
HR_API void hr_meta_unref(hr_meta **meta);

typedef struct hr_tensor {
    hr_dtype dtype;
    int32_t ndim;
    void *data;
    hr_buf *buf;   /* keeps `data` alive; NULL for borrowed data */
    hr_meta *meta; /* NULL when nothing is known */
    int64_t shape[HR_MAX_NDIM];
    int64_t stride[HR_MAX_NDIM]; /* in bytes */
    char layout[HR_MAX_NDIM + 1]; /* one letter an axis, or "" */
    int8_t device_type;
    int16_t device_id;
} hr_tensor;

/* Sets dtype, shape and row-major strides; data, buf, meta and layout become empty.
 * HR_VALUE: rank over HR_MAX_NDIM, a negative extent; HR_OVERFLOW: size over SIZE_MAX. */
HR_API HR_CHECKED hr_status hr_tensor_shape(hr_tensor *t, hr_dtype dtype, int ndim,
                                            const int64_t *shape, hr_error *err);
/* A tensor with memory of its own (contents undefined). HR_NOMEM besides the above. */
HR_API HR_CHECKED hr_status hr_tensor_create(hr_tensor *t, hr_dtype dtype, int ndim,
                                             const int64_t *shape, hr_error *err);
/* Elements, and bytes when packed. */
HR_API int64_t hr_tensor_size(const hr_tensor *t);
HR_API size_t hr_tensor_nbytes(const hr_tensor *t);
/* Is the data row-major without gaps? */
HR_API int hr_tensor_is_contiguous(const hr_tensor *t);
/* `dst` becomes a second reference to the same data. */
HR_API void hr_tensor_ref(hr_tensor *dst, const hr_tensor *src);
/* Drops the references and zeroes the struct. */
HR_API void hr_tensor_clear(hr_tensor *t);
/* Copies the elements of any strided `src` to packed memory at `dst`. */
HR_API void hr_tensor_pack(void *dst, const hr_tensor *src);
/* `dst` becomes a packed copy; dtype, layout and meta are kept. HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_tensor_copy(hr_tensor *dst, const hr_tensor *src, hr_error *err);
/* Replaces the layout; HR_VALUE when it does not have one letter an axis ("" is allowed). */
HR_API HR_CHECKED hr_status hr_tensor_set_layout(hr_tensor *t, const char *layout,
                                                 hr_error *err);
/* One part of an index expression; parts meet the axes from the left. */
typedef struct hr_index {
    enum { HR_INDEX_AT, HR_INDEX_RANGE, HR_INDEX_NEW_AXIS, HR_INDEX_REST } kind;
    int64_t start, stop, step; /* AT: start is the place; RANGE: as Python's slice */
    int has_start, has_stop;   /* RANGE: else from the end that the step comes from */
} hr_index;

/* `out` becomes a second reference to a part of `in`. REST stands for the axes that no other part
 * names, and is implied at the end; AT drops its axis, from the layout as well; negative places
 * count from the end. HR_INDEX: a place outside its axis. HR_VALUE: more parts than axes, step 0. */
HR_API HR_CHECKED hr_status hr_tensor_index(hr_tensor *out, const hr_tensor *in,
                                            const hr_index *parts, int n, hr_error *err);
/* The axis that `letter` names in `layout`, or -1. */
HR_API int hr_layout_find(const char *layout, char letter);

/* Counted. `t` has `n` tensors (a batch of none keeps one as the picture of its type); those of a
 * block all lie in `t[0].buf`, one after the other. */
typedef struct hr_batch {
    int64_t refs;
    int64_t n;
    hr_dtype dtype;
    int32_t ndim;
    char layout[HR_MAX_NDIM + 1];
    int is_block; /* uniform shapes, contiguous, at equal distance in one buffer */
    hr_tensor *t;
} hr_batch;

/* A batch of `n` empty tensors, count 1, for the caller to fill before publishing. HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_batch_create(hr_batch **out, int64_t n, hr_error *err);
/* Gives packed memory to the shapes that the caller set in `b->t` (hr_tensor_shape): one buffer
 * for all; a block if they are uniform. Fills dtype, ndim, layout from the first sample.
 * HR_VALUE when the samples differ in dtype, rank or layout; HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_batch_allocate(hr_batch *b, hr_error *err);
/* Fills dtype, ndim, layout and is_block from samples that have their data. Same statuses. */
HR_API HR_CHECKED hr_status hr_batch_seal(hr_batch *b, hr_error *err);
/* Dtype, rank and layout of a batch of no samples. */
HR_API void hr_batch_set_empty(hr_batch *b, hr_dtype dtype, int ndim, const char *layout);
HR_API hr_batch *hr_batch_ref(hr_batch *b);
HR_API void hr_batch_unref(hr_batch **b);
/* A copy in one buffer of its own; layout and meta are kept. HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_batch_copy(hr_batch **out, const hr_batch *b, hr_error *err);
/* The whole batch as one tensor with a leading sample axis, sharing memory when it is a block.
 * HR_VALUE for unequal shapes, HR_NOMEM. */
HR_API HR_CHECKED hr_status hr_batch_as_tensor(hr_tensor *out, const hr_batch *b,
                                               hr_error *err);

#ifdef __cplusplus
}
#endif
#endif
