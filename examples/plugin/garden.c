/* A Python package with an operator for Headrace: hr.garden.invert. See pyproject.toml and setup.py
 * beside this file:  pip install .  and then  headrace.garden.invert(pictures). */
#include <Python.h>

#include <headrace/plugin.h>

typedef struct invert_args {
    int64_t top;
} invert_args;

static const hr_arg_desc invert_desc[] = {
    HR_ARG(invert_args, top, INT, .flags = HR_PER_SAMPLE, .initial = "255", .min = 0,
           .max = 255, .doc = "What black becomes."),
};

static const hr_in_desc invert_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES(HR_U8), .doc = "Pictures."},
};

static hr_status invert_infer(const hr_sample *s, hr_error *err)
{
    HR_TRY(hr_tensor_shape(&s->out[0], HR_U8, s->in[0]->ndim, s->in[0]->shape, err));
    return hr_tensor_set_layout(&s->out[0], s->call->in[0].layout, err);
}

static hr_status invert_run(const hr_sample *s, hr_error *err)
{
    const invert_args *a = s->args;
    const uint8_t *src = s->in[0]->data;
    uint8_t *dst = s->out[0].data;
    for (int64_t i = 0, n = hr_tensor_size(s->in[0]); i < n; i++) {
        if (src[i] > a->top)
            return hr_fail(err, HR_VALUE, "a value is %d, over `top`, %d", src[i], (int)a->top);
        dst[i] = (uint8_t)(a->top - src[i]);
    }
    return HR_OK;
}

static const hr_op_desc invert = {
    .name = "garden.invert", .doc = "Makes the negative of pictures: `top` - value.",
    .example = "top=255",
    .ins = invert_ins, .n_ins = 1, .n_out = 1, .outs = "the negative, in the input's layout",
    .args = invert_desc, .n_args = 1, .args_size = sizeof(invert_args),
    .infer = invert_infer, .run = invert_run,
};

/* What the entry point names. */
static PyObject *operators(PyObject *module, PyObject *unused)
{
    PyObject *one = hr_plugin_operator(&invert);
    return one ? Py_BuildValue("[N]", one) : NULL;
}

static PyMethodDef methods[] = {
    {"operators", operators, METH_NOARGS, "The operators of this package, for Headrace."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "headrace_garden", .m_size = 0, .m_methods = methods,
};

PyMODINIT_FUNC PyInit_headrace_garden(void);
PyMODINIT_FUNC PyInit_headrace_garden(void)
{
    return hr_plugin_import() < 0 ? NULL : PyModule_Create(&definition);
}
