/* random.choice: elements or rows of a pool, with equal or given chances. */
#include <math.h>
#include <string.h>

#include "random/random.h"

typedef struct choice_args {
    hr_floats p;
    hr_ints shape;
} choice_args;

static const hr_arg_desc choice_desc[] = {
    HR_ARG(choice_args, p, FLOATS, .flags = HR_PER_SAMPLE,
           .doc = "Chances of the pool's elements, one for each, adding up to 1 (within 1e-4). "
                  "Equal if not given."),
    HR_ARG(choice_args, shape, INTS, .flags = HR_PER_SAMPLE,
           .doc = "Shape of the draw; one element or row if there is no shape-like input "
                  "either."),
};

enum { POOL, SHAPE_LIKE };

/* What is drawn from: n elements, and their cumulative chances unless all are equal. */
typedef struct pool {
    uint64_t n;
    const double *cdf;
} pool;

static hr_status count_elements(const hr_tensor *t, uint64_t *n, hr_error *err)
{
    int64_t count = 0;
    if (t->ndim > 0) count = t->shape[0];
    else if (t->dtype == HR_U64) memcpy(n, t->data, sizeof *n);
    else hr_dtype_convert(HR_I64, &count, t->dtype, t->data, 1);
    if (t->ndim > 0 || t->dtype != HR_U64) *n = (uint64_t)count;
    if (count < 0 || *n == 0)
        return hr_fail(err, HR_VALUE, "`a` has %lld elements to choose from, it needs at least 1",
                       (long long)count);
    return HR_OK;
}

static hr_status check_chances(hr_floats p, uint64_t n, hr_error *err)
{
    double sum = 0;
    if ((uint64_t)p.n != n)
        return hr_fail(err, HR_VALUE, "`p` has %lld chances for %llu elements", (long long)p.n,
                       (unsigned long long)n);
    for (int64_t i = 0; i < p.n; i++) {
        if (!(p.v[i] >= 0 && p.v[i] <= 1))
            return hr_fail(err, HR_VALUE, "`p` has %g at place %lld, it must be within 0..1",
                           (double)p.v[i], (long long)i);
        sum += p.v[i];
    }
    if (!(fabs(sum - 1) < 1e-4))
        return hr_fail(err, HR_VALUE, "`p` adds up to %g, it must add up to 1", sum);
    return HR_OK;
}

static hr_status pool_init(pool *pl, const hr_sample *s, hr_error *err)
{
    hr_floats p = ((const choice_args *)s->args)->p;
    HR_TRY(count_elements(s->in[POOL], &pl->n, err));
    pl->cdf = NULL;
    if (p.n < 0) return HR_OK;
    HR_TRY(check_chances(p, pl->n, err));
    double *cdf = hr_arena_take(s->arena, (size_t)p.n * sizeof *cdf);
    if (!cdf) return hr_fail(err, HR_NOMEM, "no memory for %lld chances", (long long)p.n);
    hr__discrete_init(cdf, p.v, p.n);
    pl->cdf = cdf;
    return HR_OK;
}

static uint64_t draw(const pool *pl, hr_words *words)
{
    if (pl->cdf) return (uint64_t)hr__discrete_draw(pl->cdf, (int64_t)pl->n, words);
    return hr__below(words, pl->n);
}

/* A count below the pool's number, in the number's type, which holds it. */
static void store_index(char *dst, uint64_t index, size_t size)
{
    uint8_t narrow = (uint8_t)index;
    uint16_t half = (uint16_t)index;
    uint32_t word = (uint32_t)index;
    switch (size) {
    case 1: memcpy(dst, &narrow, size); break;
    case 2: memcpy(dst, &half, size); break;
    case 4: memcpy(dst, &word, size); break;
    default: memcpy(dst, &index, sizeof index); break;
    }
}

static hr_status choice_infer(const hr_sample *s, hr_error *err)
{
    const choice_args *a = s->args;
    const hr_tensor *in = s->in[POOL];
    hr_tensor *out = &s->out[0];
    const char *layout = s->call->in[POOL].layout;
    if (in->ndim == 0 && !(HR_DTYPES_INT & HR_DTYPES(in->dtype)))
        return hr_fail(err, HR_TYPE, "`a` as a number of elements must be an integer, not %s",
                       hr_dtype_get_info(in->dtype)->numpy_name);
    HR_TRY(hr__random_infer(s, in->dtype, a->shape, SHAPE_LIKE, in, err));
    /* Drawn along one axis, the draw has the pool's axes; without one, those of a row. */
    if (layout[0] && out->ndim == in->ndim) return hr_tensor_set_layout(out, layout, err);
    if (layout[0] && out->ndim + 1 == in->ndim)
        return hr_tensor_set_layout(out, layout + 1, err);
    return HR_OK;
}

/* Bytes of one drawn item. */
static size_t item_bytes(const hr_tensor *in)
{
    size_t bytes = hr_dtype_size(in->dtype);
    for (int k = 1; k < in->ndim; k++) bytes *= (size_t)in->shape[k];
    return bytes;
}

static hr_status choice_run(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[POOL];
    char *dst = s->out[0].data;
    pool pl = {0};
    HR_TRY(pool_init(&pl, s, err));
    size_t bytes = item_bytes(in);
    if (bytes == 0) return HR_OK;
    size_t n = hr_tensor_nbytes(&s->out[0]) / bytes;
    hr_words in_turn = hr__words_of(s->rng);
    for (size_t j = 0; j < n; j++, dst += bytes) {
        /* Rows are drawn one after the other, elements each from a state of its own. */
        hr_words own = hr__words_of(hr_rng_of_element(&s->rng, j));
        uint64_t index = draw(&pl, in->ndim > 1 ? &in_turn : &own);
        if (in->ndim == 0) store_index(dst, index, bytes);
        else memcpy(dst, (const char *)in->data + index * bytes, bytes);
    }
    return HR_OK;
}

static const hr_in_desc choice_ins[] = {
    {.name = "a", .doc = "The pool: an integer n for 0..n-1, or a list of elements or rows."},
    {.name = "shape_like", .flags = HR_IN_OPTIONAL, .doc = "Gives the draw its shape."},
};

const hr_op_desc hr_op_random_choice = {
    .name = "random.choice",
    .doc = "Chooses elements of a pool, or numbers below an integer, with replacement.",
    .example = "10, shape=[3]",
    .flags = HR_OP_RANDOM,
    .ins = choice_ins, .n_ins = 2, .n_out = 1, .outs = "the chosen elements, of the pool's type",
    .args = choice_desc, .n_args = sizeof choice_desc / sizeof *choice_desc,
    .args_size = sizeof(choice_args),
    .infer = choice_infer, .run = choice_run,
};
