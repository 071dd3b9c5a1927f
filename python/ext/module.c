/* The module: its state, types and functions. */
#include "ext.h"

#include "capture_loop.h"
#include "graph.h"
#include "graph_router.h"
#include "index.h"
#include "invariant.h"
#include "source.h"

mod_state *state_of_module(PyObject *module) { return PyModule_GetState(module); }

mod_state *state_of(PyObject *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &hr_module_def);
    return PyModule_GetState(module);
}

PyObject *call_slow(PyObject *self, const char *name, PyObject *args, PyObject *kw)
{
    PyObject *f = PyObject_GetAttrString(state_of(self)->slow, name);
    PyObject *first = f ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first ? (args ? PySequence_Concat(first, args) : Py_NewRef(first)) : NULL;
    PyObject *out = all ? PyObject_Call(f, all, kw) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(first);
    Py_XDECREF(f);
    return out;
}

static PyObject *shut_down(PyObject *module, PyObject *unused)
{
    Py_BEGIN_ALLOW_THREADS
    hr_shutdown();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *alloc_stats(PyObject *module, PyObject *unused)
{
    hr_alloc_stats s;
    hr_alloc_get_stats(&s);
    return Py_BuildValue("{s:K,s:K,s:K,s:K,s:K}", "live_blocks", (unsigned long long)s.live_blocks,
                         "live_bytes", (unsigned long long)s.live_bytes, "total_allocs",
                         (unsigned long long)s.total_allocs, "system_allocs",
                         (unsigned long long)s.system_allocs, "cached_bytes",
                         (unsigned long long)s.cached_bytes);
}

static PyObject *alloc_fail_at(PyObject *module, PyObject *n)
{
    unsigned long long nth = PyLong_AsUnsignedLongLong(n);
    if (PyErr_Occurred()) return NULL;
    return PyLong_FromUnsignedLongLong(hr_alloc_fail_at(nth));
}

static PyObject *alloc_trim(PyObject *module, PyObject *unused)
{
    hr_alloc_trim();
    Py_RETURN_NONE;
}

static PyObject *cpu_level(PyObject *module, PyObject *unused)
{
    return PyUnicode_FromString(hr_cpu_level_name(hr_cpu_level_get()));
}

static PyObject *set_cpu_level(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    if (!text) return NULL;
    hr_error err = {0};
    for (int l = HR_CPU_BASE; l <= HR_CPU_AVX512; l++) {
        if (strcmp(text, hr_cpu_level_name((hr_cpu_level)l))) continue;
        if (hr_cpu_level_set((hr_cpu_level)l, &err) == HR_OK) Py_RETURN_NONE;
        return raise_error(state_of_module(module), &err);
    }
    return PyErr_Format(PyExc_ValueError, "CPU level %R is none of base, avx2, avx512", name);
}

static PyObject *codecs(PyObject *module, PyObject *unused)
{
    PyObject *out = PyDict_New();
    const hr_codec_desc *c;
    for (int i = 0; out && (c = hr_codec_at(i)) != NULL; i++) {
        PyObject *version = PyUnicode_FromString(c->version());
        if (!version || PyDict_SetItemString(out, c->name, version) < 0) Py_CLEAR(out);
        Py_XDECREF(version);
    }
    return out;
}

static PyObject *cpu_count(PyObject *module, PyObject *unused)
{
    return PyLong_FromLong(hr_cpu_count());
}

static PyObject *set_pixel_limit(PyObject *module, PyObject *n)
{
    if (n == Py_None) {
        (void)hr_image_pixel_limit(0);
        Py_RETURN_NONE;
    }
    Py_ssize_t pixels;
    if (whole_size("set_pixel_limit", "n", n, &pixels) < 0) return NULL;
    if (pixels < 1)
        return PyErr_Format(PyExc_ValueError, "set_pixel_limit: %zd, it must be at least 1", pixels);
    (void)hr_image_pixel_limit(pixels);
    Py_RETURN_NONE;
}

static PyObject *get_pixel_limit(PyObject *module, PyObject *unused)
{
    return PyLong_FromLongLong(hr_image_pixel_limit(-1));
}

static PyObject *version(PyObject *module, PyObject *unused)
{
    return PyUnicode_FromString(hr_version());
}

/* For unpickling: bytes, dtype, shape and layout back to a tensor that shares the bytes. */
static PyObject *tensor_from_bytes(PyObject *module, PyObject *args)
{
    mod_state *st = state_of_module(module);
    PyObject *data, *shape;
    const char *name, *layout;
    if (!PyArg_ParseTuple(args, "OsO!s:tensor_from_bytes", &data, &name, &PyTuple_Type, &shape,
                          &layout))
        return NULL;
    hr_tensor bytes = {0}, t = {0};
    int copied, n = (int)PyTuple_GET_SIZE(shape);
    int64_t extents[HR_MAX_NDIM] = {0};
    for (int d = 0; d < n && d < HR_MAX_NDIM; d++) extents[d] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, d));
    if (PyErr_Occurred() || tensor_from_object(st, data, &bytes, &copied) < 0) return NULL;
    hr_error err = {0};
    hr_dtype dtype = hr_dtype_parse(name);
    hr_status status = HR_OK;
    if (dtype == HR_DTYPE_NONE)
        status = hr_fail(&err, HR_VALUE, "a pickled tensor of unknown type %.40s", name);
    if (status == HR_OK) status = hr_tensor_shape(&t, dtype, n, extents, &err);
    if (status == HR_OK) status = hr_tensor_set_layout(&t, layout, &err);
    if (status == HR_OK && hr_tensor_nbytes(&t) != hr_tensor_nbytes(&bytes))
        status = hr_fail(&err, HR_VALUE, "a pickled tensor has %zu bytes, its shape needs %zu",
                         hr_tensor_nbytes(&bytes), hr_tensor_nbytes(&t));
    t.data = bytes.data;
    t.buf = hr_buf_ref(bytes.buf, 1);
    hr_tensor_clear(&bytes);
    if (status == HR_OK) return tensor_wrap(st, &t);
    hr_tensor_clear(&t);
    return raise_error(st, &err);
}

/* What has no NumPy type crosses as the words that it is stored in. */
static PyObject *tensor_bits(PyObject *module, PyObject *obj)
{
    static const hr_dtype words[] = {[1] = HR_U8, [2] = HR_U16, [4] = HR_U32, [8] = HR_U64};
    mod_state *st = state_of_module(module);
    if (!is_tensor(st, obj))
        return PyErr_Format(PyExc_TypeError, "tensor_bits(): %.100s is no Tensor",
                            Py_TYPE(obj)->tp_name);
    hr_tensor t;
    hr_tensor_ref(&t, tensor_of(obj));
    t.dtype = words[hr_dtype_size(t.dtype)];
    return tensor_wrap(st, &t);
}

static PyMethodDef methods[] = {
    {"captured_loop", module_captured_loop, METH_VARARGS, NULL},
    {"watch_captures", module_watch_captures, METH_O,
     "watch_captures(watcher, /)\n--\n\nCalls `watcher` with the Capture of each loop; "
     "None: no longer."},
    {"describe_capture", module_describe_capture, METH_O,
     "describe_capture(capture, /)\n--\n\nWhat a Capture recorded, as plain data for explain()."},
    {"tensor_from_bytes", tensor_from_bytes, METH_VARARGS, NULL},
    {"tensor_bits", tensor_bits, METH_O,
     "tensor_bits(tensor, /)\n--\n\nThe elements as unsigned integers of their size; shares memory."},
    {"tensor", METHOD(module_tensor), METH_VARARGS | METH_KEYWORDS,
     "tensor(data, dtype=None, device=None, layout=None, pad=False)\n--\n\n"
     "A Tensor with a copy of `data`: an array, a number, nested lists of numbers, a Tensor, or\n"
     "a Batch (which gets a leading sample axis; unequal shapes need `pad=True`, which fills\n"
     "smaller samples up with zeros). Python's ints become int32 (one that does not fit is an\n"
     "OverflowError: give `dtype`), floats float32, truth values bool."},
    {"as_tensor", METHOD(module_as_tensor), METH_VARARGS | METH_KEYWORDS,
     "as_tensor(data, dtype=None, device=None, layout=None, pad=False)\n--\n\n"
     "As tensor(), but shares memory with `data` where it can."},
    {"batch", METHOD(module_batch), METH_VARARGS | METH_KEYWORDS,
     "batch(tensors, dtype=None, device=None, layout=None)\n--\n\n"
     "A Batch with copies: a list gives one sample an item, one array is split along its first\n"
     "axis. An empty list needs `dtype`."},
    {"as_batch", METHOD(module_as_batch), METH_VARARGS | METH_KEYWORDS,
     "as_batch(tensors, dtype=None, device=None, layout=None)\n--\n\n"
     "As batch(), but shares memory where it can."},
    {"invariant", METHOD(module_invariant), METH_FASTCALL | METH_KEYWORDS,
     "invariant(value)\n--\n\n"
     "Marks `value` as one that stays the same in all steps of a captured loop: an unchecked promise.\n\n"
     "The result stands for the value in every respect but identity, exact type and checks in C;\n"
     "attributes read from it are marked as well, all other results are ordinary. A marked value is\n"
     "returned itself."},
    {"is_invariant", module_is_invariant, METH_O,
     "is_invariant(value, /)\n--\n\nWhether the value was marked by invariant()."},
    {"frame_local", module_frame_local, METH_VARARGS, NULL},
    {"plain", module_plain, METH_O,
     "plain(value, /)\n--\n\nThe value without marks, in lists and tuples as well."},
    {"dtype", module_dtype, METH_O,
     "dtype(obj, /)\n--\n\n"
     "The DType of a name ('u8', 'uint8'), a NumPy or torch dtype, or an enum value."},
    {"drop_failed", METHOD(module_drop_failed), METH_FASTCALL,
     "drop_failed(*batches)\n--\n\n"
     "Removes from all of the aligned batches the samples that failed in any of them (see\n"
     "on_error='blank'). One batch gives a batch, several a tuple."},
    {"set_num_threads", METHOD(module_set_num_threads), METH_VARARGS | METH_KEYWORDS,
     "set_num_threads(n)\n--\n\nThreads of the default pool; None goes back to the default."},
    {"get_num_threads", module_get_num_threads, METH_NOARGS,
     "get_num_threads()\n--\n\nThreads of the default pool: as set, else HEADRACE_NUM_THREADS,\n"
     "else OMP_NUM_THREADS, else the CPUs that the process may use."},
    {"set_pixel_limit", set_pixel_limit, METH_O,
     "set_pixel_limit(n, /)\n--\n\n"
     "Pictures of more pixels than this are refused before memory is taken; None goes back to the\n"
     "default, 2**28."},
    {"get_pixel_limit", get_pixel_limit, METH_NOARGS,
     "get_pixel_limit()\n--\n\nThe largest number of pixels that a picture may have."},
    {"add_operator", module_add_operator, METH_O,
     "add_operator(capsule, /)\n--\n\n"
     "Adds an operator of another package to `ops`; see headrace/plugin.h."},
    {"get_default_rng", module_get_default_rng, METH_NOARGS,
     "get_default_rng()\n--\n\nThis thread's default generator."},
    {"set_seed", METHOD(module_set_seed), METH_VARARGS | METH_KEYWORDS,
     "set_seed(seed)\n--\n\nSeeds this thread's default generator."},
    {"shut_down", shut_down, METH_NOARGS, "shut_down()\n--\n\nJoins all threads."},
    {"alloc_stats", alloc_stats, METH_NOARGS, "alloc_stats()\n--\n\nCounters of memory."},
    {"alloc_fail_at", alloc_fail_at, METH_O,
     "alloc_fail_at(nth, /)\n--\n\nFor tests: lets the nth allocation from now fail."},
    {"alloc_trim", alloc_trim, METH_NOARGS, "alloc_trim()\n--\n\nGives kept memory back."},
    {"cpu_level", cpu_level, METH_NOARGS, "cpu_level()\n--\n\n'base', 'avx2' or 'avx512'."},
    {"set_cpu_level", set_cpu_level, METH_O, "set_cpu_level(name, /)\n--\n\nFor tests."},
    {"cpu_count", cpu_count, METH_NOARGS, "cpu_count()\n--\n\nCPUs that the process may use."},
    {"codecs", codecs, METH_NOARGS, "codecs()\n--\n\nFormats and the libraries behind them."},
    {"version", version, METH_NOARGS, "version()\n--\n\nThe library's version."},
    {0},
};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out)
{
    *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *out ? PyModule_AddType(module, *out) : -1;
}

static int intern(PyObject **out, const char *text)
{
    *out = PyUnicode_InternFromString(text);
    return *out ? 0 : -1;
}

static int add_names(mod_state *st)
{
    return intern(&st->str_batch_size, "batch_size") || intern(&st->str_device, "device") ||
           intern(&st->str_rng, "rng") || intern(&st->str_cpu, "cpu") ||
           intern(&st->str_rng_key, "headrace.default_rng") ||
           intern(&st->str_array_interface, "__array_interface__") ||
           intern(&st->str_dlpack, "__dlpack__") ||
           intern(&st->str_dlpack_device, "__dlpack_device__") ||
           intern(&st->str_array, "__array__");
}

/* The Python side of the extension: imported by it, imports nothing of it at the top. */
static int add_python_side(mod_state *st)
{
    st->slow = PyImport_ImportModule("headrace._slow");
    PyObject *types = st->slow ? PyImport_ImportModule("headrace.types") : NULL;
    if (!types) return -1;
    st->image_type_enum = PyObject_GetAttrString(types, "DALIImageType");
    st->interp_enum = PyObject_GetAttrString(types, "DALIInterpType");
    st->data_type_enum = PyObject_GetAttrString(types, "DALIDataType");
    Py_DECREF(types);
    return st->image_type_enum && st->interp_enum && st->data_type_enum ? 0 : -1;
}

static int exec_module(PyObject *module)
{
    mod_state *st = state_of_module(module);
    if (add_names(st) || add_python_side(st) || add_errors(module, st) < 0) return -1;
    if (add_type(module, &dtype_spec, &st->dtype_type) < 0 ||
        add_type(module, &tensor_spec, &st->tensor_type) < 0 ||
        add_type(module, &batch_spec, &st->batch_type) < 0 ||
        add_type(module, &tensor_list_spec, &st->tensor_list_type) < 0 ||
        add_type(module, &slicer_spec, &st->slicer_type) < 0 ||
        add_type(module, &source_spec, &st->source_type) < 0 ||
        add_type(module, &capture_spec, &st->capture_type) < 0 ||
        add_type(module, &captured_loop_spec, &st->captured_loop_type) < 0 ||
        add_type(module, &rng_spec, &st->rng_type) < 0 ||
        add_type(module, &pool_spec, &st->pool_type) < 0 ||
        add_type(module, &context_spec, &st->context_type) < 0 ||
        add_type(module, &op_spec, &st->op_type) < 0)
        return -1;
    st->as_tensor = PyObject_GetAttrString(module, "as_tensor");
    st->as_batch = PyObject_GetAttrString(module, "as_batch");
    if (!st->as_tensor || !st->as_batch) return -1;
    PyObject *kind = PyObject_GetAttrString(st->slow, "Kind");
    int bad = !kind || PyObject_SetAttrString((PyObject *)st->dtype_type, "Kind", kind) < 0;
    Py_XDECREF(kind);
    if (bad || add_dtypes(module, st) < 0 || add_ops(module, st) < 0) return -1;
    if (graph_state_init(module, st) < 0 || graph_add_callables(module) < 0) return -1;
    return add_readers(module, st) || add_inspection(module) || add_plugin_table(module) ? -1 : 0;
}

#define FOR_EACH_OBJECT(X)                                                             \
    X(tensor_type) X(batch_type) X(dtype_type) X(op_type) X(rng_type) X(context_type)  \
    X(pool_type) X(tensor_list_type) X(slicer_type) X(source_type) X(capture_type)     \
    X(captured_loop_type) X(as_tensor) X(as_batch) X(reader_type) X(loop_type)         \
    X(data_error) X(dtypes)                                                            \
    X(slow) X(image_type_enum) X(interp_enum) X(data_type_enum) X(str_batch_size)      \
    X(str_device) X(str_rng) X(str_cpu) X(str_rng_key) X(str_array_interface)          \
    X(str_dlpack) X(str_dlpack_device) X(str_array) X(default_pool) X(capture_watcher)

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    mod_state *st = state_of_module(module);
#define VISIT(field) Py_VISIT((PyObject *)st->field);
    FOR_EACH_OBJECT(VISIT)
    for (int i = 0; i < N_SIGNS; i++) Py_VISIT(st->signs[i]);
#undef VISIT
    int stop = graph_state_traverse(st, visit, arg);
    return stop ? stop : invariant_traverse_types(st, visit, arg);
}

static int clear(PyObject *module)
{
    mod_state *st = state_of_module(module);
    invariant_clear_types(st);
    graph_state_clear(st);
#define CLEAR(field) Py_CLEAR(st->field);
    FOR_EACH_OBJECT(CLEAR)
    for (int i = 0; i < N_SIGNS; i++) Py_CLEAR(st->signs[i]);
#undef CLEAR
    return 0;
}

static void free_module(void *module) { clear(module); }

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, exec_module},
#ifdef Py_mod_multiple_interpreters
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
    {0, NULL},
};

struct PyModuleDef hr_module_def = {
    PyModuleDef_HEAD_INIT,
    .m_name = "headrace._core",
    .m_doc = "The extension module of Headrace; use the package `headrace`.",
    .m_size = sizeof(mod_state),
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&hr_module_def); }
