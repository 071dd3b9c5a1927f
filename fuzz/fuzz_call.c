/* Operator calls made of bytes: an operator, inputs and arguments that its descriptor makes likely,
 * with extremes among them. Whatever comes: an error has words and leaves no outputs; a result has
 * the batch's size, and the same bits from two threads as from one. */
#include <headrace/headrace.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_IN = 4, MAX_ARGS = 64, MAX_BATCH = 4, MAX_OUT = 8, ROOM = 1 << 16 };

typedef struct source {
    const uint8_t *data;
    size_t size, at;
} source;

static uint32_t draw(source *s, uint32_t n)
{
    if (n < 2 || s->at >= s->size) return 0;
    uint32_t v = s->data[s->at++];
    if (n > 256 && s->at < s->size) v = v << 8 | s->data[s->at++];
    return v % n;
}

/* ---- memory: a call that asks for much gets none, as on a small machine -------------- */

static void *alloc_little(size_t size, size_t align, void *user)
{
    (void)user;
    void *p = NULL;
    return size > (8 << 20) || posix_memalign(&p, align, size) ? NULL : p;
}

static void free_little(void *ptr, size_t size, void *user)
{
    (void)size, (void)user;
    free(ptr);
}

/* Values of one call, kept until it is done. */
static uint64_t memory[ROOM / 8];
static size_t memory_used;

static void *keep(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    if (size > ROOM - memory_used) return NULL;
    memory_used += size;
    return (char *)memory + memory_used - size;
}

/* ---- inputs -------------------------------------------------------------------------- */

/* One of the descriptor's layouts; or none, or a wrong one. */
static void draw_layout(source *s, const hr_in_desc *d, char layout[HR_MAX_NDIM + 1])
{
    static const char *const odd[] = {"", "", "HWC", "XY", "C", "HH", "DHWC", "CWH"};
    int n = 0;
    memset(layout, 0, HR_MAX_NDIM + 1);
    for (const char *p = d->layouts; p && *p; p++) n += p == d->layouts || p[-1] == ' ';
    int pick = (int)draw(s, (uint32_t)n + 3);
    if (pick >= n) {
        strcpy(layout, odd[draw(s, 8)]);
        return;
    }
    const char *p = d->layouts;
    while (pick--) p = strchr(p, ' ') + 1;
    size_t len = strcspn(p, " ");
    if (len <= HR_MAX_NDIM) memcpy(layout, p, len);
}

static void draw_stride(source *s, hr_tensor *t)
{
    if (!t->ndim || draw(s, 4)) return;
    int axis = (int)draw(s, (uint32_t)t->ndim);
    if (draw(s, 2)) {
        t->stride[axis] = 0;
    } else if (t->shape[axis] > 0) {
        t->data = (char *)t->data + t->stride[axis] * (t->shape[axis] - 1);
        t->stride[axis] = -t->stride[axis];
    }
}

static int draw_tensor(source *s, const hr_in_desc *d, hr_tensor *t, const hr_tensor *like)
{
    static const int64_t extents[] = {1, 2, 3, 3, 4, 5, 8, 17, 0, 33};
    int64_t shape[HR_MAX_NDIM];
    char layout[HR_MAX_NDIM + 1];
    hr_dtype dtype = like ? like->dtype : hr_dtype_at((int)draw(s, 16))->id;
    if (like) memcpy(layout, like->layout, sizeof layout);
    else draw_layout(s, d, layout);
    int ndim = like ? like->ndim : layout[0] ? (int)strlen(layout) : (int)draw(s, 6);
    if (d->flags & HR_IN_ENCODED && !like && draw(s, 8)) {
        dtype = HR_U8;
        ndim = 1;
        layout[0] = '\0';
    }
    for (int a = 0; a < ndim; a++) shape[a] = extents[draw(s, 10)];
    if (hr_tensor_shape(t, dtype, ndim, shape, NULL) != HR_OK) return 0;
    memcpy(t->layout, layout, sizeof layout);
    size_t bytes = hr_tensor_nbytes(t);
    uint8_t *data = keep(bytes + 1);
    if (!data) return 0;
    for (size_t i = 0; i < bytes; i++)
        data[i] = dtype == HR_BOOL ? i % 3 == 0
                                   : (uint8_t)(i * 31 + s->data[(s->at + i) % s->size]);
    t->data = data;
    draw_stride(s, t);
    return 1;
}

static int draw_input(source *s, const hr_in_desc *d, int64_t n, hr_input *in)
{
    *in = (hr_input){.n = 1};
    if (d->flags & HR_IN_OPTIONAL && draw(s, 2)) return 1;
    in->is_batch = draw(s, 4) != 0;
    if (in->is_batch) in->n = draw(s, 16) ? n : (int64_t)draw(s, MAX_BATCH);
    hr_tensor *t = keep(sizeof *t * (size_t)(in->n + 1));
    if (!t) return 0;
    in->t = t;
    for (int64_t i = 0; i < in->n + (in->n == 0); i++)
        if (!draw_tensor(s, d, &t[i], i ? t : NULL)) return 0;
    return 1;
}

/* ---- arguments ----------------------------------------------------------------------- */

static int64_t draw_int(source *s)
{
    static const int64_t odd[] = {0, 1, 2, 3, 4, 5, 7, 10, 64, 255, -1, -2, -7, 1000, 4096, 65536,
                                  INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 3};
    return odd[draw(s, 21)];
}

static double draw_float(source *s)
{
    static const double odd[] = {0, 1, 0.5, 2, 0.25, 3, 0.1, -1, -0.5, 10, 100, 0.999999, 1e-30,
                                 -0.0, 1e6, 1e30, -1e30, FLT_MAX, 1e300, NAN, INFINITY, -INFINITY};
    return odd[draw(s, 22)];
}

static const char *draw_text(source *s, const hr_arg_desc *a)
{
    static const char *const odd[] = {"", "HWC", "CHW", "abc", "x", "default", "round", "stretch"};
    int n = 0;
    for (const char *p = a->choices; p && *p; p++) n += p == a->choices || p[-1] == '|';
    int pick = (int)draw(s, (uint32_t)n + 2);
    if (pick >= n) return odd[draw(s, 8)];
    const char *p = a->choices;
    while (pick--) p = strchr(p, '|') + 1;
    size_t len = strcspn(p, "|");
    char *copy = keep(len + 1);
    if (!copy) return "";
    memcpy(copy, p, len);
    copy[len] = '\0';
    return copy;
}

static void draw_list(source *s, const hr_arg_desc *a, hr_value *v)
{
    v->n = (int64_t)draw(s, 6);
    if (v->n == 5) v->n = a->min_n;
    if (v->n > 16) v->n = 16;
    uint64_t *items = keep(8 * (size_t)(v->n + 1));
    if (!items) {
        v->kind = HR_VALUE_NONE;
        return;
    }
    v->kind = a->kind == HR_ARG_INTS     ? HR_VALUE_INTS
              : a->kind == HR_ARG_FLOATS ? HR_VALUE_FLOATS
                                         : HR_VALUE_STRS;
    for (int64_t i = 0; i < v->n; i++) {
        if (a->kind == HR_ARG_INTS) ((int64_t *)items)[i] = draw_int(s);
        else if (a->kind == HR_ARG_FLOATS) ((double *)items)[i] = draw_float(s);
        else ((const char **)items)[i] = draw_text(s, a);
    }
    v->u.ints = (const int64_t *)items;
}

static void draw_value(source *s, const hr_arg_desc *a, hr_value *v)
{
    static const hr_value_kind kinds[] = {
        [HR_ARG_BOOL] = HR_VALUE_BOOL,   [HR_ARG_INT] = HR_VALUE_INT,
        [HR_ARG_FLOAT] = HR_VALUE_FLOAT, [HR_ARG_STR] = HR_VALUE_STR,
        [HR_ARG_CHOICE] = HR_VALUE_STR,  [HR_ARG_LAYOUT] = HR_VALUE_STR,
        [HR_ARG_DTYPE] = HR_VALUE_DTYPE, [HR_ARG_IMAGE_TYPE] = HR_VALUE_IMAGE_TYPE,
        [HR_ARG_INTERP] = HR_VALUE_INTERP,
    };
    if (a->kind >= HR_ARG_INTS) {
        draw_list(s, a, v);
        return;
    }
    v->kind = kinds[a->kind];
    if (draw(s, 32) == 31) v->kind = HR_VALUE_INT;
    if (v->kind == HR_VALUE_FLOAT) v->u.f = draw_float(s);
    else if (v->kind == HR_VALUE_STR) v->u.s = draw_text(s, a);
    else if (v->kind == HR_VALUE_DTYPE) v->u.i = hr_dtype_at((int)draw(s, 16))->id;
    else v->u.i = draw(s, 4) ? (int64_t)draw(s, 7) : draw_int(s);
}

/* As a tensor for all samples, or one for each. */
static void draw_tensor_value(source *s, int64_t n, hr_value *v)
{
    static const hr_in_desc any = {.name = "argument"};
    int is_batch = draw(s, 2) != 0;
    hr_tensor *t = keep(sizeof *t * (size_t)(n + 1));
    if (!t) return;
    for (int64_t i = 0; i < (is_batch ? n : 1); i++)
        if (!draw_tensor(s, &any, &t[i], i ? t : NULL)) return;
    *v = (hr_value){.kind = is_batch ? HR_VALUE_BATCH : HR_VALUE_TENSOR, .n = is_batch ? n : 1};
    v->u.t = t;
}

/* ---- the call ------------------------------------------------------------------------ */

typedef struct plan {
    const hr_op_desc *op;
    hr_input in[MAX_IN];
    int n_in;
    hr_value values[MAX_ARGS];
    int64_t batch_size;
    uint64_t seed;
} plan;

static int draw_plan(source *s, plan *p)
{
    int n_ops = 0;
    while (hr_op_at(n_ops)) n_ops++;
    p->op = hr_op_at((int)draw(s, (uint32_t)n_ops));
    int64_t n = 1 + (int64_t)draw(s, MAX_BATCH);
    int last = p->op->n_ins - 1;
    p->n_in = p->op->n_ins;
    if (last >= 0 && p->op->ins[last].flags & HR_IN_VARIADIC) p->n_in += (int)draw(s, 2);
    if (p->n_in > MAX_IN) p->n_in = MAX_IN;
    for (int i = 0; i < p->n_in; i++)
        if (!draw_input(s, &p->op->ins[i < last ? i : last], n, &p->in[i])) return 0;
    for (int i = 0; i < p->op->n_args && i < MAX_ARGS; i++) {
        const hr_arg_desc *a = &p->op->args[i];
        if (!(a->flags & HR_REQUIRED) && draw(s, 3)) continue;
        if (draw(s, 8) == 7) draw_tensor_value(s, n, &p->values[i]);
        else draw_value(s, a, &p->values[i]);
    }
    p->batch_size = draw(s, 3) ? 0 : n;
    p->seed = draw(s, 3);
    return 1;
}

static hr_status run(const plan *p, hr_pool *pool, hr_batch **outs, hr_error *err)
{
    hr_rng rng = hr_rng_seed(p->seed);
    hr_call_options options = {.pool = pool, .batch_size = p->batch_size, .rng = &rng};
    return hr_op_call_indexed(p->op, p->in, p->n_in, p->values, &options, outs, err);
}

static void fail(const plan *p, const char *what)
{
    fprintf(stderr, "%s: %s\n", p->op->name, what);
    abort();
}

static void compare(const plan *p, const hr_batch *a, const hr_batch *b)
{
    if (a->n != b->n || a->dtype != b->dtype || a->ndim != b->ndim) fail(p, "another batch");
    for (int64_t i = 0; i < a->n; i++) {
        const hr_tensor *x = &a->t[i], *y = &b->t[i];
        if (memcmp(x->shape, y->shape, sizeof x->shape)) fail(p, "another shape");
        if (!hr_tensor_is_contiguous(x) || !hr_tensor_is_contiguous(y)) fail(p, "is not packed");
        if (hr_tensor_nbytes(x) && memcmp(x->data, y->data, hr_tensor_nbytes(x)))
            fail(p, "other bits from two threads");
    }
}

static int adds_output(const hr_op_desc *op)
{
    for (int i = 0; i < op->n_args; i++)
        if (op->args[i].flags & HR_ADDS_OUTPUT) return 1;
    return 0;
}

static void check(const plan *p, hr_pool *pool)
{
    hr_batch *one[MAX_OUT] = {NULL}, *two[MAX_OUT] = {NULL};
    hr_error err = {0}, again = {0};
    hr_status status = run(p, NULL, one, &err), second = run(p, pool, two, &again);
    if (status != second && status != HR_NOMEM && second != HR_NOMEM) fail(p, "another status");
    for (int o = 0; o < p->op->n_out; o++) {
        int optional = o > 0 && o == p->op->n_out - 1 && adds_output(p->op);
        if ((status == HR_OK) != (one[o] != NULL) && !(optional && status == HR_OK))
            fail(p, "outputs and status do not agree");
        if (one[o] && two[o]) compare(p, one[o], two[o]);
        hr_batch_unref(&one[o]);
        hr_batch_unref(&two[o]);
    }
    if (status != HR_OK && (err.status != status || !err.message[0])) fail(p, "no words");
    if (status == HR_BUG) fail(p, err.message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hr_pool *pool;
    static const hr_allocator little = {alloc_little, free_little, NULL};
    if (!pool && (hr_set_allocator(&little, NULL) != HR_OK ||
                  hr_pool_create(&pool, 2, NULL) != HR_OK))
        abort();
    source s = {data, size, 0};
    plan p = {0};
    memory_used = 0;
    if (size && draw_plan(&s, &p)) check(&p, pool);
    return 0;
}
