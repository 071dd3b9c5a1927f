/* Looks at files for the command line and tests: what a picture's header says. */
#include <headrace/codec.h>

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

static PyMethodDef functions[] = {
    {"image_info", image_info, METH_O,
     "image_info(data, /)\n--\n\nFormat, size, channels, dtype, orientation and number of frames\n"
     "that a picture file's header says."},
    {0},
};

int add_inspection(PyObject *module) { return PyModule_AddFunctions(module, functions); }
