"""Known differences between the peer and Headrace, each with its reason.

A row is (pattern of case names, kind of verdict, reason); see compare.py for the kinds. A verdict
that no row explains fails the suite; so does a row that explains nothing any more.
"""
from fnmatch import fnmatchcase

# Where the peer raises the first type, ours may raise the second (a subclass of the first is no
# difference at all).
ERROR_TYPES = {
    ("RuntimeError", "ValueError"):
        "a wrong value is a ValueError at the call; the peer finds it later, in a worker",
    ("RuntimeError", "TypeError"):
        "a wrong kind of value is a TypeError at the call; the peer finds it later, in a worker",
    ("RuntimeError", "IndexError"):
        "an index out of range is an IndexError in Python; iteration ends by it",
    ("RuntimeError", "FileNotFoundError"): "a missing file or folder, with its errno and name",
    ("RuntimeError", "IsADirectoryError"): "a folder where a file is asked for, by name",
    ("AttributeError", "TypeError"):
        "the peer trips over a missing attribute of a value of the wrong type",
    ("ValueError", "TypeError"):
        "a value of the wrong type (text for a number) is a TypeError in Python",
    ("MemoryError", "ValueError"):
        "a value that cannot be meant is named; the peer tries to allocate what it makes of it",
    ("OverflowError", "IndexError"): "a place outside is an IndexError, however far outside",
    ("KeyError", "ValueError"): "the peer looks an unknown name up in a table",
    ("KeyError", "TypeError"): "the peer looks an unknown name up in a table",
    ("ValueError", "RuntimeError"):
        "device=\"gpu\" anywhere is one RuntimeError that says this build has no GPU code",
}

_STRIDES = "views of any strides are taken in by copy; the peer refuses them"
_ENDIAN = "big-endian data is converted; the peer reads it as native and gives wrong values"
_WIDER = "we support this type or layout too"
_SIZE = "a batch size that contradicts the inputs is an error; the peer ignores it"
_WRAP = "a value outside the output's type is clamped; the peer wraps it modulo 2^bits"
_RANGE = "a value that cannot be meant is an error that names it and its bounds; the peer goes on"
_ONE = "a list of one element is the same as the number; the peer takes only the number here"
_SELECT = "we give the samples that were asked for; the peer gives the whole batch"
_LATER = "not of the foundation: a later issue"
_BYTES = "bytes are an array of uint8"
_NAMES = "all spellings of a dtype mean the same everywhere"
_FORMAT = "a format that is not built in is named in the error"
_CRASH = "the peer writes past its buffer for grey JPEG with ANY_DATA: garbage or a crash"
_HIDDEN = ("the peer's dynamic mode does not see this argument; its pipelines do, and ours follow "
           "those")
_TWICE = "a layout names each axis once"
_INFINITE = "the greatest of -inf is -inf; the peer starts at the least finite number"
_NARROW = "added up without overflow; the peer adds in the output's or the input's type"

_AS_NUMPY = "as NumPy and Python; the peer: "
_HALF = "computed in float32 and rounded; the peer refuses float16"
_TRUTH = "truth values count as numbers here, as in NumPy; the peer refuses them"
_EXACT = "uint64 beside a signed type is computed by value; the peer takes its bits as signed"
_INTEGERS = "an index is made of integers: no masks, no floats (the peer rounds and reads them)"

DIFFERENCES = [
    ("readers.*/hint-num_inputs", "ours-accepts", "an argument of the peer's signature that it refuses"),
    ("readers.Numpy/version-[23]", "ours-accepts", "versions 2 and 3 of the format are read"),
    ("readers.Numpy/big-endian-*", "ours-accepts", "big-endian files are converted"),
    ("readers.TFRecord/missing-default", "values", "a missing feature takes its default; the peer gives unwritten memory"),
    ("readers.TFRecord/checksum", "ours-refuses", "checksums are checked, unless verify=False"),
    ("readers.TFRecord/wrong/no-index", "ours-accepts", "an index is not needed"),
    ("readers.Webdataset/pax", "meta", "long names of PAX archives are understood"),
    ("readers.Webdataset/apart", "meta", "members of a sample may lie apart"),
    ("arithmetic/*float16*", "ours-accepts", _HALF),
    ("math_functions/*float16*", "ours-accepts", _HALF),
    ("arithmetic/unary-abs-bool", "ours-accepts", _TRUTH),
    ("math_functions/*-bool", "ours-accepts", _TRUTH),
    ("arithmetic/sh?-bool-bool", "ours-refuses", "truth values have no bits to shift"),
    ("arithmetic/floordiv-*float*", "values", _AS_NUMPY + "/ for floats"),
    ("arithmetic/floordiv-float", "values", _AS_NUMPY + "/ for floats"),
    ("arithmetic/floordiv-negative", "values", _AS_NUMPY + "rounds towards zero"),
    ("arithmetic/mod-*", "values", _AS_NUMPY + "the sign of the left side"),
    ("arithmetic/pow-negative", "ours-refuses", _AS_NUMPY + "0"),
    ("arithmetic/shift-*", "values", _AS_NUMPY + "counts modulo the width"),
    ("arithmetic/wide-*", "values", _EXACT),
    ("math_functions/wide-min", "values", _EXACT),
    ("math_functions/nan-min", "values", _AS_NUMPY + "NaN on the left is passed over"),
    ("arithmetic/none-eq", "ours-accepts", "nothing equals None"),
    ("arithmetic/text-eq", "ours-accepts", "no tensor equals a text"),
    ("arithmetic/np-*left", "meta", "an array and a tensor make a tensor, in either order"),
    ("slice_api/x[[]None]", "meta", "None is a new axis, as in NumPy; the peer passes it over"),
    ("slice_api/b[[]None]", "meta", "None is a new axis, as in NumPy; the peer passes it over"),
    ("slice_api/?[[]True]", "ours-refuses", _INTEGERS),
    ("slice_api/?[[]1.?]", "ours-refuses", _INTEGERS),
    ("slice_api/*float32*", "ours-refuses", _INTEGERS),
    ("slice_api/x[[]..., ...]", "ours-refuses", _AS_NUMPY + "the second `...` stands for nothing"),
    ("slice_api/wrong/empty", "ours-accepts", "of no sample, every part is empty"),
    ("slice_api/wrong/huge-slice", "ours-accepts", "bounds are cut off, as Python's, however far outside"),
    ("api/*-np-fortran", "ours-accepts", _STRIDES),
    ("api/*-np-reversed", "ours-accepts", _STRIDES),
    ("api/*-np-stepped", "ours-accepts", _STRIDES),
    ("flip/numpy-*", "ours-accepts", _STRIDES),
    ("crop/numpy-transposed", "ours-accepts", _STRIDES),
    ("api/*-np-big-endian", "values", _ENDIAN),
    ("api/wrong/*-bytes", "ours-accepts", _BYTES),
    ("api/tensor-layout-repeat", "ours-refuses", "a layout names each axis once"),
    ("api/wrong/tensor-dtype-number", "ours-accepts", _NAMES),
    ("api/wrong/tensor-enum", "ours-accepts", "an enumeration's value makes a tensor of its kind"),
    ("api/wrong/dtype-of-number", "ours-accepts", _NAMES),
    ("api/wrong/dtype-of-int", "ours-accepts", "Python's int is int64, as for NumPy"),
    ("api/dtype-of-uint8", "ours-accepts", _NAMES),
    ("api/dtype-of-bf16", "ours-accepts", _NAMES),
    ("cast/numpy-dtype", "ours-accepts", _NAMES),
    ("cast/wrong/short-name", "ours-accepts", _NAMES),
    ("api/dtype-bfloat16-id", "meta", "our bfloat16 has a number, as it can be computed with"),
    ("zeros/dtype-bfloat16", "ours-refuses",
     "we make bfloat16, which NumPy cannot show; the peer silently makes int32"),
    ("api/b-select-*", "meta", _SELECT),
    ("api/b-tensors-as-batch", "meta", _SELECT),
    ("api/context-threads-true", "meta", "True is the number 1"),
    ("api/rng-state-repr", "meta", "our generator's state is its text form, a str"),
    ("api/wrong/b-slice", "error-type", _LATER),
    ("*/wrong/batch-size-negative", "ours-refuses", _SIZE),
    ("*/wrong/batch-size-zero", "ours-refuses", _RANGE),
    ("flip/batch-size-other", "ours-refuses", _SIZE),
    ("batch_permutation/truthy-text", "ours-refuses", "text is neither True nor False"),
    ("cast/nan-to-*", "values",
     "NaN to an integer is 0 for every type; the peer gives what the processor leaves (C: undefined)"),
    ("cast/wrong/to-enum", "ours-accepts", _WIDER),
    ("zeros/wrong/dtype-enum-kind", "ours-accepts", _WIDER),
    ("cat/wrong/layouts-differ", "ours-refuses",
     "joining tensors of different layouts would mislabel axes; the peer takes the first layout"),
    ("crop/dtype-bool", "ours-accepts", _WIDER),
    ("crop/to-*", "ours-accepts", _WIDER),
    ("crop/layout-F*", "ours-accepts", _WIDER),
    ("crop/numpy-5d", "ours-accepts", _WIDER),
    ("crop/fill-channels", "values", _WRAP),
    ("*/fill-below", "values", _WRAP),
    ("crop_mirror_normalize/fill-over", "values", _WRAP),
    ("pad/fill-*", "values", _WRAP),
    ("pad/dtype-float64", "ours-accepts", _WIDER),
    ("pad/wrong/*-length", "ours-accepts", _ONE),
    ("resize/wrong/roi-length", "ours-accepts", _ONE),
    ("crop_mirror_normalize/dtype-*", "ours-accepts", _WIDER),
    ("crop_mirror_normalize/to-*", "ours-accepts", _WIDER),
    ("crop_mirror_normalize/fill-pad-channels", "ours-accepts",
     "fill values may be given for the picture's channels; those added are filled with zero"),
    ("flip/dtype-*", "ours-accepts", _WIDER),
    ("flip/wrong/layout-HW", "ours-accepts", _WIDER),
    ("flip/wrong/rank-2", "ours-accepts", _WIDER),
    ("decoders.image/*-ANY_DATA*", "ours-accepts",
     "grey with alpha, and ink, decode to the channels that are stored; the peer fails"),
    ("decoders.image/any-gray-batch", "any", _CRASH),
    ("decoders.image/jpeg-L-ANY_DATA", "any", _CRASH),
    ("decoders.image*/*-to-float16", "ours-accepts", _WIDER),
    ("decoders.image_random_crop/to-float16", "ours-accepts", _WIDER),
    ("decoders.image/bmp", "ours-refuses", _FORMAT),
    ("decoders.image/ppm", "ours-refuses", _FORMAT),
    ("decoders.image/tiff", "ours-refuses", _FORMAT),
    ("decoders.image/webp", "ours-refuses", _FORMAT),
    ("*/wrong/area-negative", "ours-refuses", _RANGE),
    ("random_crop_generator/attempts-negative", "ours-refuses", _RANGE),
    ("random_crop_generator/negative", "ours-refuses", _RANGE),
    ("random_crop_generator/ratio-zero", "ours-refuses", _RANGE),
    ("random_crop_generator/wrong/ratio-negative", "ours-refuses", _RANGE),
    ("random_resized_crop/wrong/size-zero", "ours-refuses", _RANGE),
    ("random.coin_flip/probability-*", "ours-refuses", _RANGE),
    ("random.uniform/range-outside-uint8", "ours-refuses", _RANGE),
    ("random.uniform/values-and-range", "ours-refuses",
     "range and values exclude each other; the peer ignores range"),
    ("random.uniform/values-empty", "ours-refuses",
     "nothing to draw from; the peer reads past an empty list"),
    ("noise.salt_and_pepper/*", "ours-refuses", _RANGE),
    ("noise.shot/factor-zero", "values",
     "a factor of 0 means no noise: the input is copied; the peer gives all zeros"),
    ("full/*-no-shape", "ours-refuses",
     "without a shape the output is a scalar; the peer takes the value's first element"),
    ("full/wrong/rank", "ours-refuses",
     "the value has more axes than the output; the peer drops rows"),
    ("readers.File/list-negative", "ours-accepts", "negative labels are labels"),
    ("readers.File/list-nolabel", "ours-accepts", "a list without labels numbers its files"),
    ("resize/roi-4-nn", "values",
     "a region past the right edge repeats the last column; the peer reads past the row's end"),
    ("resize/wrong/size-*", "ours-refuses", _RANGE),
    ("resize/wrong/z-on-image", "ours-refuses", _RANGE),
    ("zeros/shape-fraction", "ours-refuses", "an extent is a whole number; the peer truncates"),
    ("zeros/wrong/layout-number", "ours-refuses", "a layout is text"),
    ("brightness_contrast/dtype-*", "ours-accepts", _WIDER),
    ("brightness_contrast/to-uint8-*", "ours-accepts", _WIDER),
    ("color_space_conversion/[RBGY]*-*", "ours-accepts",
     "a model to itself is a copy; the peer refuses it"),
    ("color_space_conversion/wrong/no-pixels", "ours-accepts", "no pixels in, no pixels out"),
    ("rotate/dtype-uint16", "ours-accepts", _WIDER),
    ("rotate/to-float32-uint16", "ours-accepts", _WIDER),
    ("rotate/*int32", "values",
     "mixed in single precision on both sides; at such values its last bit is 128"),
    ("rotate/nn-volume-30-1x1x1", "values",
     "places on a pixel's edge to the last bit of single precision: 8 of 1980 go the other way"),
    ("rotate/sweep-volume-31", "values", "likewise: 1 of 891"),
    ("rotate/size-empty", "ours-accepts", "an empty `size` is its default: not given"),
    ("resize_crop_mirror/layout-[CF]*-1", "values",
     "bit 0 of `mirror` is left and right in every layout; the peer shifts it by the axes in front"),
    ("resize_crop_mirror/nn-sweep-27", "values",
     "nearest neighbour where a row or column falls on a pixel's edge to the last bit"),
    ("resize_crop_mirror/nn-sweep-31", "values",
     "nearest neighbour where a row or column falls on a pixel's edge to the last bit"),
    ("resize_crop_mirror/nn-sweep-38", "values",
     "nearest neighbour where a row or column falls on a pixel's edge to the last bit"),
    ("slice/dtype-bool", "ours-accepts", _WIDER),
    ("slice/anchor-*", "ours-accepts", _WIDER),
    ("slice/fill-over", "values", _WRAP),
    ("slice/wrong/start-length-one", "ours-accepts", _ONE),
    ("reshape/src-dims-*", "meta", _HIDDEN),
    ("reshape/src-dims-*", "ours-accepts", _HIDDEN),
    ("reshape/wrong/src-dims-out", "ours-refuses", _HIDDEN),
    ("reshape/number", "ours-accepts", _ONE),
    ("squeeze/axes*", "ours-accepts", _HIDDEN),
    ("squeeze/wrong/both", "ours-refuses", _HIDDEN),
    ("squeeze/both-per-sample", "ours-refuses", _HIDDEN),
    ("expand_dims/negative", "ours-accepts", "negative axes count from the back, as elsewhere"),
    ("expand_dims/names-same", "ours-refuses", _TWICE),
    ("stack/names-same", "ours-refuses", _TWICE),
    ("one_hot/name-same", "ours-refuses", _TWICE),
    ("copy/reversed", "ours-accepts", _STRIDES),
    ("one_hot/*float16", "ours-accepts", _WIDER),
    ("one_hot/*bool", "ours-accepts", _WIDER),
    ("one_hot/value-over", "values", _WRAP),
    ("one_hot/wide", "values", "2^32 + 1 is no class; the peer looks at the low 32 bits"),
    ("ones/shape-fraction", "ours-refuses", "an extent is a whole number; the peer truncates"),
    ("ones/dtype-bfloat16", "ours-refuses",
     "we make bfloat16, which NumPy cannot show; the peer silently makes int32"),
    ("ones/wrong/layout-number", "ours-refuses", "a layout is text"),
    ("ones/wrong/dtype-enum-kind", "ours-accepts", _WIDER),
    ("normalize/number-*", "ours-accepts",
     "a single number goes with any shape; the peer's check reads past its shape"),
    ("normalize/wrong/axes-negative", "ours-accepts",
     "negative axes count from the back, as elsewhere"),
    ("normalize/wrong/*-twice", "ours-refuses",
     "an axis given twice is an error; the peer counts its extent twice"),
    ("normalize/wrong/bool", "ours-accepts", _WIDER),
    ("normalize/wrong/from-*", "ours-accepts", _WIDER),
    ("normalize/wrong/to-*", "ours-accepts", _WIDER),
    ("reductions.*/wrong/from-*", "ours-accepts", _WIDER),
    ("reductions.*/wrong/dtype-*", "ours-accepts", _WIDER),
    ("reductions.*/wrong/mean-int", "ours-accepts", _WIDER),
    ("reductions.*/wrong/mean-length", "ours-refuses",
     "a mean of another shape is an error; the peer reads past it"),
    ("reductions.min/empty-float", "values", _INFINITE),
    ("reductions.min/infinite", "values", _INFINITE),
    ("reductions.max/empty-float", "values", _INFINITE),
    ("reductions.max/infinite", "values", _INFINITE),
    ("reductions.mean/over-uint8", "values", _NARROW),
    ("reductions.mean/dtype-int64", "values", _NARROW),
    ("reductions.*/over-int64", "values", _NARROW),
    ("reductions.rms/over-uint8", "values", _NARROW),
    ("reductions.*/*-empty", "values",
     "over no axes each element is compared with its mean; the peer gives 0"),
    ("reductions.variance/ddof-more", "values",
     "nothing is left to divide by: infinite, as for NumPy; the peer's variance is negative"),
    ("decoders.image_crop/to-float16", "ours-accepts", _WIDER),
    ("decoders.image_slice/to-float16", "ours-accepts", _WIDER),
    ("decoders.image_slice/wrong/inputs-*", "ours-accepts", _WIDER),
    ("decoders.numpy/wrong/big-endian", "ours-accepts", _ENDIAN),
    ("decoders.numpy/wrong/version-[23]", "ours-accepts", "all versions of the format are read"),
    ("decoders.numpy/wrong/fortran", "ours-accepts",
     "column-major files are read; the peer needs a GPU driver for them"),
    ("decoders.numpy/wrong/more", "ours-accepts",
     "bytes after the last element are ignored, as by NumPy"),
    ("io.file.read/wrong/zero-inside", "ours-refuses",
     "a zero byte within a path is an error; the peer cuts the path off there"),
]


def explain(name, kind, peer, ours):
    """The reason why this verdict is right, or None."""
    if kind == "error-type":
        reason = ERROR_TYPES.get((peer["error"], ours["error"]))
        if reason and _narrow(name, peer, ours):
            return reason
    for pattern, which, reason in DIFFERENCES:
        if which in (kind, "any") and fnmatchcase(name, pattern):
            return reason
    return None


def _narrow(name, peer, ours):
    """ValueError -> RuntimeError is meant for devices only."""
    if (peer["error"], ours["error"]) == ("ValueError", "RuntimeError"):
        return "GPU" in ours["message"] or "gpu" in ours["message"]
    return True


def unused(verdicts, operators):
    """Rows about these operators that explain none of the verdicts [(name, kind)]. A build may
    have more codecs than another."""
    mine = [r for r in DIFFERENCES if r[2] != _FORMAT
            and (r[0].split("/")[0] in operators or r[0].startswith("*"))]
    return [row for row in mine
            if not any(row[1] in (k, "any") and fnmatchcase(n, row[0]) for n, k in verdicts)]
