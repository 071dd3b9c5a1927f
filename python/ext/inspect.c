/* Looks at files for the command line and tests: what a picture's header says, what an archive
 * holds, whether a file is damaged. */
#include <headrace/codec.h>
#include <headrace/files.h>

#include "ext.h"

static PyObject *image_info(PyObject *module, PyObject *object)
{
    Py_buffer view;
    const hr_codec_desc *codec;
    hr_image_info info;
    hr_error err = {0};
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return NULL;
    hr_status status = hr_codec_find(view.buf, (size_t)view.len, &codec, &err);
    if (status == HR_OK) status = codec->header(view.buf, (size_t)view.len, &info, &err);
    PyBuffer_Release(&view);
    if (status != HR_OK) return raise_error(state_of_module(module), &err);
    return Py_BuildValue("{s:s,s:L,s:L,s:i,s:s,s:i,s:i}", "format", info.format, "width",
                         (long long)info.width, "height", (long long)info.height, "channels",
                         info.channels, "dtype", hr_dtype_get_info(info.dtype)->numpy_name,
                         "orientation", info.orientation, "frames",
                         info.frames > 0 ? info.frames : 1);
}

/* ---- archives -------------------------------------------------------------------- */

/* Adds a part to its sample's list; a new sample begins a new list. */
static int add_part(PyObject *samples, const hr_archive_part *p)
{
    if (p->sample >= PyList_GET_SIZE(samples)) {
        PyObject *sample = PyList_New(0);
        int bad = !sample || PyList_Append(samples, sample) < 0;
        Py_XDECREF(sample);
        if (bad) return -1;
    }
    PyObject *ext = PyUnicode_DecodeFSDefault(p->ext);
    PyObject *name = PyUnicode_DecodeFSDefault(p->name);
    PyObject *one = ext && name ? Py_BuildValue("(OLLO)", ext, (long long)p->offset,
                                                (long long)p->size, name)
                                : NULL;
    int bad = !one || PyList_Append(PyList_GET_ITEM(samples, p->sample), one) < 0;
    Py_XDECREF(ext);
    Py_XDECREF(name);
    Py_XDECREF(one);
    return bad ? -1 : 0;
}

static int take_part(void *user, const hr_archive_part *part)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    int bad = add_part(user, part);
    PyGILState_Release(gil);
    return bad;
}

static PyObject *webdataset_index(PyObject *module, PyObject *path)
{
    PyObject *bytes, *samples = PyList_New(0);
    if (!samples || !PyUnicode_FSConverter(path, &bytes)) {
        Py_XDECREF(samples);
        return NULL;
    }
    hr_error err = {0};
    hr_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hr_archive_walk(PyBytes_AS_STRING(bytes), take_part, samples, &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(bytes);
    if (status == HR_OK) return samples;
    Py_DECREF(samples);
    return PyErr_Occurred() ? NULL : raise_error(state_of_module(module), &err);
}

/* ---- damage ---------------------------------------------------------------------- */

static int take_finding(void *user, const char *where, const char *reason)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *one = Py_BuildValue("(NN)", PyUnicode_DecodeFSDefault(where),
                                  PyUnicode_DecodeFSDefault(reason));
    int bad = !one || PyList_Append(user, one) < 0;
    Py_XDECREF(one);
    bad = bad || PyErr_CheckSignals() < 0;
    PyGILState_Release(gil);
    return bad;
}

static PyObject *check_file(PyObject *module, PyObject *path)
{
    PyObject *bytes, *findings = PyList_New(0);
    if (!findings || !PyUnicode_FSConverter(path, &bytes)) {
        Py_XDECREF(findings);
        return NULL;
    }
    hr_file_check check = {.found = take_finding, .user = findings};
    hr_error err = {0};
    hr_status status;
    Py_BEGIN_ALLOW_THREADS
    status = hr_file_check_run(&check, PyBytes_AS_STRING(bytes), &err);
    Py_END_ALLOW_THREADS
    Py_DECREF(bytes);
    if (status == HR_OK && !PyErr_Occurred())
        return Py_BuildValue("(sLN)", check.kind, (long long)check.parts, findings);
    if (!PyErr_Occurred()) raise_error(state_of_module(module), &err);
    Py_DECREF(findings);
    return NULL;
}

static PyMethodDef functions[] = {
    {"image_info", image_info, METH_O,
     "image_info(data, /)\n--\n\nFormat, size, channels, dtype, orientation and number of frames\n"
     "that a picture file's header says."},
    {"webdataset_index", webdataset_index, METH_O,
     "webdataset_index(path, /)\n--\n\nThe samples of a tar archive: lists of (extension, offset,\n"
     "size, name)."},
    {"check_file", check_file, METH_O,
     "check_file(path, /)\n--\n\nKind, number of parts and findings, pairs of place and reason."},
    {0},
};

int add_inspection(PyObject *module) { return PyModule_AddFunctions(module, functions); }
