/* decoders.numpy: the bytes of an .npy file to the array. */
#include "io/npy.h"
#include "io/packed.h"
#include "kernels/kernels.h"

typedef struct numpy_args {
    hr_dtype dtype;
} numpy_args;

static const hr_arg_desc numpy_desc[] = {
    HR_ARG(numpy_args, dtype, DTYPE,
           .doc = "Type of the output, converted as by cast; the file's when not given."),
};

static hr_status open_npy(const hr_sample *s, hr__npy *npy, const uint8_t **data, hr_error *err)
{
    size_t size;
    HR_TRY(hr__packed_bytes(s->in[0], s->arena, data, &size, err));
    HR_TRY(hr__npy_header(*data, size, npy, err));
    return hr__npy_check_size(npy, size, err);
}

static hr_status numpy_infer(const hr_sample *s, hr_error *err)
{
    const numpy_args *a = s->args;
    hr__npy npy;
    const uint8_t *data;
    HR_TRY(open_npy(s, &npy, &data, err));
    hr_dtype dtype = a->dtype == HR_DTYPE_NONE ? npy.dtype : a->dtype;
    return hr_tensor_shape(&s->out[0], dtype, npy.ndim, npy.shape, err);
}

static int is_same_shape(const hr_tensor *t, const hr__npy *npy)
{
    int same = t->ndim == npy->ndim;
    for (int k = 0; same && k < t->ndim; k++) same = t->shape[k] == npy->shape[k];
    return same;
}

static hr_status numpy_run(const hr_sample *s, hr_error *err)
{
    hr_tensor *out = &s->out[0];
    hr__npy npy;
    const uint8_t *data;
    HR_TRY(open_npy(s, &npy, &data, err));
    int converts = ((const numpy_args *)s->args)->dtype != HR_DTYPE_NONE;
    if (!is_same_shape(out, &npy) || (!converts && npy.dtype != out->dtype))
        return hr_fail(err, HR_DATA, "the bytes changed while they were decoded");
    const uint8_t *elements = data + npy.offset;
    if (npy.dtype == out->dtype) {
        hr__npy_read(out->data, &npy, elements);
        return HR_OK;
    }
    void *read = hr_arena_take(s->arena, npy.size);
    if (!read) return hr_fail(err, HR_NOMEM, "no memory for %zu bytes", npy.size);
    hr__npy_read(read, &npy, elements);
    s->kernels->convert(out->dtype, out->data, npy.dtype, read, (size_t)hr_tensor_size(out));
    return HR_OK;
}

static const hr_in_desc numpy_ins[] = {
    {.name = "data", .flags = HR_IN_ENCODED, .dtypes = HR_DTYPES(HR_U8), .min_ndim = 1,
     .max_ndim = 1, .doc = "The bytes of an .npy file."},
};

const hr_op_desc hr_op_decoders_numpy = {
    .name = "decoders.numpy",
    .doc = "Decodes .npy files of versions 1 to 3: integers, reals (16 bits and more) and bool of "
           "either byte order, row- or column-major, with any number of axes up to eight, none "
           "among them. Objects, structures, complex numbers, text and dates are refused by name; "
           "nothing is unpickled. Bytes after the last element are ignored, as by NumPy.",
    .ins = numpy_ins, .n_ins = 1, .n_out = 1, .outs = "the array, row-major",
    .args = numpy_desc, .n_args = 1, .args_size = sizeof(numpy_args),
    .infer = numpy_infer, .run = numpy_run,
};
