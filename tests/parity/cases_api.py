"""Cases of what is not an operator: tensors, batches, dtypes, devices, generators, contexts,
enumerations. Each is an expression over m (the package), types (its enumerations) and np."""
from parity.case import code

OP = "api"
U8 = "np.arange(12, dtype=np.uint8).reshape(2, 2, 3)"
B = "m.batch([%s, np.arange(3, dtype=np.uint8).reshape(1, 1, 3)], layout='HWC')" % U8
X = "m.tensor(%s, layout='HWC')" % U8
STATE = "Philox_0000000000000001_0000000000000002:0000000000000003_0"
DTYPE_NAMES = ("int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16 "
               "bool DataType ImageType InterpType").split()
ENUMS = ("UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FLOAT16 FLOAT FLOAT64 BOOL STRING "
         "IMAGE_TYPE DATA_TYPE INTERP_TYPE NO_TYPE RGB BGR GRAY YCbCr ANY_DATA INTERP_NN "
         "INTERP_LINEAR INTERP_CUBIC INTERP_LANCZOS3 INTERP_TRIANGULAR INTERP_GAUSSIAN").split()

MAKERS = {
    "int": "3", "float": "3.5", "bool": "True", "list": "[1, 2, 3]", "list-float": "[1.5, 2, 3]",
    "list-int-first": "[1, 2.5]", "list-bool": "[True, False]", "list-empty": "[]",
    "list-nested": "[[1, 2], [3, 4]]", "tuple": "(1, 2)", "np-float32": "np.float32(1.5)",
    "np-bool": "np.bool_(True)", "np-int64": "np.int64(5)", "np-0d": "np.array(7, np.int16)",
    "np-zero": "np.zeros((2, 0, 3))", "np-half": "np.ones((2, 3), np.float16)",
    "list-and-array": "[[1, 2], np.int16([3, 4])]", "list-and-scalar": "[1, np.uint8(2)]",
    "np-fortran": "np.asfortranarray(np.arange(6).reshape(2, 3))",
    "np-reversed": "np.arange(6)[::-1]", "np-stepped": "np.arange(12).reshape(3, 4)[:, ::2]",
    "np-big-endian": "np.array([1, 2], dtype='>i4')", "np-readonly": "np.broadcast_to(1, (2, 3))",
    "negative": "[-1]", "large": "2**31 - 1", "range": "range(3)", "bytearray": "bytearray(b'ab')",
    "memoryview": "memoryview(b'abc')",
}
BAD = {"ragged": "[[1, 2], [3]]", "too-large": "2**40", "too-large-list": "[2**40]", "text": "'a'",
       "bytes": "b'abc'", "none": "None", "dict": "{}", "np-text": "np.array(['a'])",
       "complex64": "np.zeros((2, 3), np.complex64)", "object": "object()",
       "np-object": "np.array([None])", "np-datetime": "np.array(['2020'], 'M8[D]')",
       "np-time": "np.datetime64('2020')", "np-interval": "np.timedelta64(5, 's')"}

CASES = []
for f in ("tensor", "as_tensor"):
    CASES += [code("%s-%s" % (f, k), "m.%s(%s)" % (f, v)) for k, v in MAKERS.items()]
    CASES += [code("wrong/%s-%s" % (f, k), "m.%s(%s)" % (f, v), fails=True)
              for k, v in BAD.items()]
for f in ("batch", "as_batch"):
    CASES += [code("%s-of-%s" % (f, k), "m.%s([%s, %s])" % (f, v, v)) for k, v in MAKERS.items()]
    CASES += [code("wrong/%s-of-%s" % (f, k), "m.%s([%s])" % (f, v), fails=True)
              for k, v in BAD.items()]
    CASES += [code("%s-%s" % (f, k), "m.%s(%s)" % (f, v)) for k, v in {
        "array": "np.arange(6).reshape(3, 2)", "tuple": "(1, 2)", "generator":
        "(i for i in range(3))", "set": "{4}", "tensors": "[m.tensor(1), m.tensor(2)]",
        "tensor": "m.tensor([[1, 2], [3, 4]])", "empty": "[], dtype=m.uint8",
        "first-decides": "[1, 2.5]", "first-decides-float": "[2.5, 1]",
        "mixed-arrays": "[np.zeros(2), np.zeros(2, np.float32)]",
        "dtype": "[np.zeros(2), np.zeros(2, np.float32)], dtype=m.float32",
        "dtype-int": "[1.7, -2.7], dtype=m.int32", "layout": "[np.zeros((2, 3))], layout='HW'",
        "layout-first": "[m.tensor(np.zeros((2, 2)), layout='HW'), np.zeros((2, 2))]",
        "batch": B, "batch-layout": B + ", layout='CHW'", "batch-dtype": B + ", dtype=m.float32",
        "device": "[1], device='cpu'"}.items()]
    CASES += [code("wrong/%s-%s" % (f, k), "m.%s(%s)" % (f, v), fails=True) for k, v in {
        "int": "5", "np-scalar": "np.float32(4)", "empty": "[]", "none": "None",
        "ranks": "[np.zeros(2), np.zeros((2, 2))]", "device": "[1], device='tpu'",
        "layout": "[np.zeros(2)], layout='HW'", "gpu": "[1], device='gpu'"}.items()]
CASES += [code("tensor-" + k, "m.tensor(%s)" % v) for k, v in {
    "dtype": "[1, 2], dtype=m.int16", "dtype-short": "[1, 2], dtype='f32'",
    "dtype-np": "[1, 2], dtype=np.float64", "dtype-np-instance": "[1], dtype=np.dtype('u2')",
    "dtype-enum": "[1], dtype=types.FLOAT", "dtype-truncates": "2.7, dtype=m.int32",
    "dtype-half": "[1.0, 2.0], dtype=m.float16", "dtype-bool": "[0, 3], dtype=m.bool",
    "dtype-array": "np.array([1.7, -300.2]), dtype=m.uint8", "layout": "np.zeros((2, 3)), layout='HW'",
    "layout-repeat": "np.zeros((2, 3)), layout='HH'", "layout-empty": "np.zeros(2), layout=''",
    "layout-new": X + ", layout='CHW'", "tensor": X, "tensor-dtype": X + ", dtype=m.float32",
    "batch": "m.batch([1, 2, 3])", "batch-2d": "m.batch(np.arange(6).reshape(3, 2))",
    "batch-layout": "m.batch(np.zeros((2, 2, 3)), layout='HW')", "batch-pad": B + ", pad=True",
    "pad-of-tensor": X + ", pad=True", "device": "[1], device='cpu'",
    "device-object": "[1], device=m.Device('cpu')", "torch": "__import__('torch').ones(2)",
}.items() if k != "torch"]
CASES += [code("wrong/tensor-" + k, "m.tensor(%s)" % v, fails=True) for k, v in {
    "layout": "np.zeros((2, 3)), layout='HWC'", "layout-number": "np.zeros(2), layout=5",
    "dtype": "[1], dtype='nonsense'", "dtype-number": "[1], dtype=7", "range": "300, dtype=m.uint8",
    "range-negative": "-1, dtype=m.uint8", "batch-unequal": B, "device": "[1], device='tpu'",
    "device-cpu-1": "[1], device='cpu:1'", "gpu": "[1], device='gpu'", "cuda": "[1], device='cuda'",
    "bfloat16": "[1.5], dtype=m.bfloat16", "unknown": "[1], foo=1", "enum": "types.UINT8",
}.items()]
CASES += [code("x-" + k, X + v) for k, v in {
    "shape": ".shape", "ndim": ".ndim", "dtype": ".dtype", "layout": ".layout",
    "device": ".device", "size": ".size", "nbytes": ".nbytes", "itemsize": ".itemsize",
    "cpu": ".cpu()", "to-device": ".to_device('cpu')", "copy":
    ".to_device('cpu', force_copy=True)", "evaluate": ".evaluate()", "array": ".__array__()",
    "array-dtype": ".__array__(np.float32)", "dlpack-device":
    ".__dlpack_device__()[1]", "index": "[0]", "index-last": "[-1]", "index-two": "[1, 0]",
    "index-all": "[1, 0, 2]", "index-slice": "[0:1]", "index-step": "[::-1, :, 0]",
    "index-ellipsis": "[..., 0]", "index-ellipsis-middle": "[0, ..., 1]", "index-empty": "[1:1]",
    "index-negative-step": "[:, ::-1, ::2]", "index-beyond": "[0:100]", "index-tensor":
    "[m.tensor(1)]", "index-np": "[np.int64(1)]", "index-negative-range": "[-2:-1]",
}.items()]
CASES += [code("wrong/x-" + k, X + v, fails=True) for k, v in {
    "item": ".item()", "gpu": ".gpu()", "to-gpu": ".to_device('gpu')", "to-tpu":
    ".to_device('tpu')", "cuda-array": ".__cuda_array_interface__", "index": "[5]", "index-low":
    "[-3]", "index-many": "[0, 0, 0, 0]", "index-text": "['a']", "attribute": ".foo",
}.items()]
CASES += [code("item-" + str(v).lower(), "m.tensor(%s).item()" % v)
          for v in ("5", "5.5", "True", "[5]", "[[2.5]]")]
CASES += [code("b-" + k, B + v) for k, v in {
    "shape": ".shape", "ndim": ".ndim", "dtype": ".dtype", "layout": ".layout",
    "device": ".device", "size": ".batch_size", "cpu": ".cpu()", "evaluate": ".evaluate()",
    "to-device": ".to_device('cpu')", "select": ".select(0)", "select-last": ".select(-1)",
    "select-np": ".select(np.int64(1))", "select-all": ".select(...)", "select-slice":
    ".select(slice(0, 1))", "select-list": ".select([1, 0])", "select-twice": ".select([1, 1])",
    "select-empty": ".select([])", "select-step": ".select(slice(None, None, -1))", "tensors-0":
    ".tensors[0]", "tensors-last": ".tensors[-1]", "tensors-list": ".tensors[[1, 0]].tolist()",
    "tensors-slice": ".tensors[0:1].tolist()", "tensors-as-batch":
    ".tensors[[1, 0]].as_batch()", "tensors-len": ".tensors.__len__()", "slice": ".slice[0]",
    "slice-two": ".slice[0, 0:1]", "slice-ellipsis": ".slice[..., 1]", "slice-batch":
    ".slice[m.batch([0, 0])]", "slice-batch-bounds": ".slice[:, 0:m.batch([2, 1])]",
    "iterate": ".__iter__().__next__()",
}.items()]
CASES += [code("wrong/b-" + k, B + v, fails=True) for k, v in {
    "index": "[0]", "select": ".select(7)", "select-text": ".select('a')", "select-float":
    ".select(1.0)", "select-none": ".select(None)", "select-list": ".select([5])", "tensors":
    ".tensors[5]", "tensors-text": ".tensors['a']", "array": ".__array__()", "slice": ".slice[5]",
    "gpu": ".gpu()", "attribute": ".foo", "torch-unequal": ".torch()", "torch-no-copy":
    ".torch(copy=False, pad=True)",
}.items()]
CASES += [
    code("broadcast", "m.Batch.broadcast(5, 3)"),
    code("broadcast-tensor", "m.Batch.broadcast(%s, 2)" % X),
    code("broadcast-dtype", "m.Batch.broadcast([1, 2], 2, dtype=m.float32)"),
    code("broadcast-zero", "m.Batch.broadcast(5, 0)"),
    code("wrong/broadcast-batch", "m.Batch.broadcast(%s, 2)" % B, fails=True),
    code("wrong/broadcast-negative", "m.Batch.broadcast(5, -1)", fails=True),
    code("as-batch-same", "(lambda b: m.as_batch(b) is b)(%s)" % B),
    code("batch-other", "(lambda b: m.batch(b) is b)(%s)" % B),
    code("tensor-is-copy", "(lambda a: (m.tensor(a), a.fill(9))[0])(np.arange(3))"),
    code("as-tensor-shares", "(lambda a: (lambda t: (a.fill(9), t)[1])(m.as_tensor(a)))"
         "(np.arange(3))"),
    code("as-batch-shares", "(lambda a: (lambda t: (a.fill(9), t)[1])(m.as_batch([a])))"
         "(np.arange(3))"),
    code("torch", "str(%s.torch().dtype)" % X),
    code("torch-values", "%s.torch().numpy()" % X),
    code("torch-batch", "m.batch([[1, 2], [3, 4]]).torch().numpy()"),
    code("torch-pad", "%s.torch(pad=True).numpy()" % B),
    code("from-torch", "m.tensor(__import__('torch').arange(6).reshape(2, 3))"),
    code("from-torch-half", "m.tensor(__import__('torch').ones(2).half())"),
    code("from-torch-bool", "m.tensor(__import__('torch').tensor([True, False]))"),
    code("np-from-dlpack", "np.from_dlpack(%s)" % X),
    code("repr-tensor", "repr(%s)" % X), code("repr-scalar", "repr(m.tensor(3.5))"),
    code("repr-bool", "repr(m.tensor([True]))"), code("repr-batch", "repr(%s)" % B),
    code("repr-batch-scalars", "repr(m.batch([1, 2, 3]))"),
    code("repr-empty", "repr(m.tensor([]))"), code("repr-zero", "repr(m.tensor(np.zeros((2, 0))))"),
    code("repr-large", "repr(m.tensor(np.arange(2000)))"),
    code("repr-large-rows", "repr(m.tensor(np.arange(2000).reshape(40, 50)))"),
    code("repr-1000", "repr(m.tensor(np.arange(1000)))"),
    code("repr-batch-large", "repr(m.batch([np.arange(2000)] * 2))"),
    code("repr-batch-16", "repr(m.batch(list(range(16))))"),
    code("repr-batch-17", "repr(m.batch(list(range(17))))"),
    code("repr-batch-17-rows", "repr(m.batch([[1, 2]] * 17))"),
    code("repr-float", "repr(m.tensor(np.arange(12, dtype=np.float32).reshape(3, 4) / 7))"),
    code("repr-batch-empty", "repr(m.batch([], dtype=m.uint8))"),
    code("str-tensor", "str(%s)" % X), code("hash-tensor", "hash(%s) is not None" % X, fails=True),
]
CASES += [code("dtype-%s-%s" % (n, k), v % n) for n in DTYPE_NAMES for k, v in {
    "repr": "repr(m.%s)", "text": "str(m.%s)", "kind": "m.%s.kind", "sizes":
    "(m.%s.bits, m.{0}.bytes)".replace("{0}", n), "exponent": "m.%s.exponent_bits",
    "significand": "m.%s.significand_bits", "name": "m.%s.name", "id": "m.%s.type_id"}.items()]
CASES += [code("dtype-parse-" + n, "m.dtype('%s')" % n)
          for n in "u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64 bool DataType".split()]
CASES += [code("dtype-of-" + k, "m.dtype(%s)" % v) for k, v in {
    "np": "np.uint8", "np-instance": "np.dtype('i2')", "python-float": "float", "python-bool":
    "bool", "enum": "types.UINT8", "itself": "m.int8", "uint8": "'uint8'", "bf16": "'bf16'",
    "torch": "__import__('torch').float16"}.items()]
CASES += [code("wrong/dtype-of-" + k, "m.dtype(%s)" % v, fails=True) for k, v in {
    "int": "int", "number": "5", "none": "None", "empty": "''", "u7": "'u7'", "f24": "'f24'",
    "double": "'double'", "np-text": "np.dtype('U3')"}.items()]
CASES += [
    code("dtype-same", "m.dtype('u8') is m.uint8"), code("dtype-equal", "m.dtype('u8') == m.uint8"),
    code("dtype-unequal", "m.int8 != m.uint8"),
    code("dtype-hash", "hash(m.dtype('u8')) == hash(m.uint8)"),
    code("dtype-from-id", "m.DType.from_type_id(types.FLOAT)"),
    code("dtype-from-number", "m.DType.from_type_id(5)"),
    code("dtype-from-fw", "m.DType.from_fw_type(np.dtype('float32'))"),
    code("dtype-parse", "m.DType.parse('i16')"),
    code("dtype-kinds", "[(k.name, k.value) for k in m.DType.Kind]"),
    code("wrong/dtype-parse", "m.DType.parse('x')", fails=True),
    code("type-id", "m.type_id(m.uint8)"), code("type-id-enum", "m.type_id(types.UINT8)"),
    code("wrong/type-id", "m.type_id('q')", fails=True),
]
CASES += [code("enum-" + n, "types." + n) for n in ENUMS]
CASES += [code("enum-repr", "repr(types.UINT8)"), code("enum-text", "str(types.INTERP_NN)"),
          code("enum-int", "int(types.FLOAT)"), code("enum-equal", "types.FLOAT == types.FLOAT"),
          code("enum-classes", "[types.DALIDataType.UINT8, types.DALIImageType.GRAY, "
               "types.DALIInterpType.INTERP_CUBIC]")]
CASES += [code("device-" + k, v) for k, v in {
    "cpu": "m.Device('cpu')", "text": "str(m.Device('cpu'))", "repr": "repr(m.Device('cpu'))",
    "type": "m.Device('cpu').device_type", "id": "m.Device('cpu').device_id", "constant":
    "m.Device.CPU", "equal": "m.Device('cpu') == m.Device.CPU", "hash":
    "hash(m.Device('cpu')) == hash(m.Device.CPU)", "current": "m.Device.current()", "default-id":
    "m.Device.default_device_id('cpu')", "of-dlpack": "m.Device.from_dlpack(np.zeros(3))",
    "type-of-dlpack": "m.Device.type_from_dlpack(1)", "type-of-dlpack-gpu":
    "m.Device.type_from_dlpack(2)", "make": "m.device('cpu')", "make-none": "m.device(None)",
    "make-device": "m.device(m.Device('cpu'))", "make-torch":
    "m.device(__import__('torch').device('cpu'))", "context":
    "(lambda d: (d.__enter__(), m.Device.current(), d.__exit__(None, None, None))[1])"
    "(m.Device('cpu'))"}.items()]
CASES += [code("wrong/device-" + k, v, fails=True) for k, v in {
    "gpu": "m.Device('gpu')", "gpu-0": "m.Device('gpu:0')", "cuda": "m.Device('cuda')", "gpu-id":
    "m.Device('gpu', 1)", "cpu-0": "m.Device('cpu:0')", "cpu-id": "m.Device('cpu', 0)", "tpu":
    "m.Device('tpu')", "upper": "m.Device('CPU')", "empty": "m.Device('')", "none":
    "m.Device(None)", "twice": "m.Device('gpu:1', 2)", "id-text": "m.Device('gpu:x')", "number":
    "m.device(5)", "dlpack": "m.Device.type_from_dlpack(77)", "from-dlpack":
    "m.Device.from_dlpack(5)", "default-id": "m.Device.default_device_id('x')",
    "make-gpu": "m.device('gpu')"}.items()]
CASES += [code("rng-seed-%s" % s, "(lambda r: ([r() for _ in range(9)], r))"
               "(m.random.RNG(seed=%s))" % s)
          for s in ("0", "1234", "2**32", "2**64 - 1", "2**64", "-1", "True")]
CASES += [code("rng-advance-%d" % n, "(lambda r: (r.advance(%d), r, r()))(m.random.RNG(seed=7))" % n)
          for n in (0, 1, 2, 3, 4, 5, 7, 2**20, 2**34 + 3, 2**62 + 1)]
CASES += [code("by-name-" + k, v) for k, v in {
    "advance": "(lambda r: (r.advance(n=3), r, r()))(m.random.RNG(seed=7))", "set-state":
    "(lambda r: (r.set_state(value='%s'), r))(m.random.RNG(seed=5))" % STATE, "set-seed":
    "(m.random.set_seed(seed=5), m.random.get_default_rng())[1]", "cached":
    "m.EvalContext(num_threads=2).cached_results(invocation=5)", "threads":
    "(m.set_num_threads(n=2), m.get_num_threads(), m.set_num_threads(n=None))[1]", "select":
    B + ".select(sample_range=0)", "parse": "m.DType.parse(name='u8')", "type-id":
    "m.DType.from_type_id(type_id=m.type_id(m.int8))", "fw-type":
    "m.DType.from_fw_type(numpy_type=np.dtype('f4'))", "threads-numpy":
    "(m.ThreadPool(np.int64(2)).num_threads, m.EvalContext(num_threads=np.array(2)).num_threads)",
    }.items()]
CASES += [code("source-" + k, "m.ExternalSource([%s])(%s)" % (item, args)) for k, (item, args) in {
    "tuple-of-arrays": ("(%s, %s)" % (U8, U8), ""), "tuple-of-one": ("(%s,)" % U8, ""), "tuple-of-tensors":
    ("(m.tensor(%s),) * 3" % U8, ""), "tuple-repeated": ("(%s,) * 2" % U8, "batch_size=3"), "list-of-arrays":
    ("[%s] * 2" % U8, ""), "list-repeated": ("[%s] * 2" % U8, "batch_size=2"), "tensor":
    ("m.tensor(%s)" % U8, ""), "number": ("5", "batch_size=2"), "nested": ("[(1, 2), (3, 4)]", ""),
    "array-repeated": ("%s" % U8, "batch_size=0")}.items()]
CASES += [code("rng-" + k, v) for k, v in {
    "repr": "repr(m.random.RNG(seed=5))", "state": "str(m.random.RNG(seed=5).state)", "state-repr":
    "repr(m.random.RNG(seed=5).state)", "positional": "m.random.RNG(5)", "from-state":
    "m.random.RNG(state='%s')" % STATE, "from-state-object":
    "m.random.RNG(state=m.random.RNG(seed=5).state)", "lower":
    "m.random.RNG(state='%s')" % STATE.replace("0001", "00ab"), "clone":
    "(lambda r: (r(), r.clone(), r.clone()(), r()))(m.random.RNG(seed=5))", "get-state":
    "str(m.random.RNG(seed=5).get_state())", "set-state":
    "(lambda r: (r.set_state('%s'), r))(m.random.RNG(seed=5))" % STATE, "set-seed":
    "(lambda r: (r(), setattr(r, 'seed', 9), r))(m.random.RNG(seed=5))", "set-state-attribute":
    "(lambda r: (setattr(r, 'state', '%s'), r))(m.random.RNG(seed=5))" % STATE, "default":
    "(m.random.set_seed(5), m.random.get_default_rng())[1]", "default-same":
    "m.random.get_default_rng() is m.random.get_default_rng()", "default-used":
    "(m.random.set_seed(3), m.random.uniform(shape=[3]), m.random.get_default_rng())[1:]"}.items()]
CASES += [code("wrong/rng-" + k, v, fails=True) for k, v in {
    "seed-read": "m.random.RNG(seed=5).seed", "seed-float": "m.random.RNG(seed=1.5)", "seed-text":
    "m.random.RNG(seed='a')", "both": "m.random.RNG(seed=1, state='%s')" % STATE, "length":
    "m.random.RNG(state='abc')", "prefix": "m.random.RNG(state='%s')" % STATE.lower(), "phase":
    "m.random.RNG(state='%s4')" % STATE[:-1], "digit":
    "m.random.RNG(state='%s')" % STATE.replace("0001", "000g"), "separator":
    "m.random.RNG(state='%s')" % STATE.replace(":", "_"), "state-number":
    "m.random.RNG(seed=1).set_state(5)", "advance-negative": "m.random.RNG(seed=1).advance(-1)",
    "advance-float": "m.random.RNG(seed=1).advance(1.5)", "default-seed":
    "m.random.set_seed('a')", "default-seed-none": "m.random.set_seed(None)"}.items()]
CASES += [code("context-" + k, v) for k, v in {
    "current-same": "m.EvalContext.current() is m.EvalContext.current()", "default":
    "m.EvalContext.default() is m.EvalContext.current()", "threads":
    "m.EvalContext(num_threads=2).num_threads", "device-id":
    "m.EvalContext(num_threads=2).device_id", "stream": "m.EvalContext(num_threads=2).cuda_stream",
    "pool": "m.EvalContext(thread_pool=m.ThreadPool(2)).num_threads", "evaluate-all":
    "m.EvalContext(num_threads=2).evaluate_all()", "cached":
    "m.EvalContext(num_threads=2).cached_results(5)", "enter":
    "(lambda c: (c.__enter__() is c, m.EvalContext.current() is c, "
    "c.__exit__(None, None, None)))(m.EvalContext(num_threads=2))[:2]", "after":
    "(lambda c: (c.__enter__(), c.__exit__(None, None, None), m.EvalContext.current() is c))"
    "(m.EvalContext(num_threads=2))[2]", "operator":
    "(lambda c: (c.__enter__(), m.flip(%s), c.__exit__(None, None, None)))"
    "(m.EvalContext(num_threads=2))[1]" % X, "pool-threads": "m.ThreadPool(2).num_threads",
    "pool-device": "m.ThreadPool(2).device_id", "mode": "m.EvalMode.current()", "modes":
    "[(e.name, e.value) for e in m.EvalMode]", "mode-default": "m.EvalMode.default", "mode-enter":
    "(lambda e: (e.__enter__(), m.EvalMode.current(), e.__exit__(None, None, None)))"
    "(m.EvalMode.sync_cpu)[1]", "threads-set":
    "(m.set_num_threads(2), m.get_num_threads(), m.set_num_threads(None))[1]", "threads-true":
    "(m.set_num_threads(True), m.get_num_threads(), m.set_num_threads(None))[1]"}.items()]
CASES += [code("wrong/context-" + k, v, fails=True) for k, v in {
    "threads-negative": "m.EvalContext(num_threads=-1)", "threads-text":
    "m.EvalContext(num_threads='a')", "both":
    "m.EvalContext(num_threads=2, thread_pool=m.ThreadPool(2))", "positional": "m.EvalContext(2)",
    "pool": "m.EvalContext(thread_pool=5)", "gpu": "m.EvalContext(device_id=0)", "set-text":
    "m.set_num_threads('a')", "set-float": "m.set_num_threads(1.5)", "set-zero":
    "m.set_num_threads(0)", "set-negative": "m.set_num_threads(-3)", "set-many":
    "m.set_num_threads(100000)", "stream": "m.stream()"}.items()]
CASES += [code("streams", "(m.get_current_stream(), m.get_default_stream(), m.stream(stream=None))"),
          code("names", "[hasattr(m, n) for n in ('imread', 'readers', 'decoders', 'noise', "
               "'random', 'Stream', 'ThreadPool', 'EvalMode')]"),
          code("function-name", "(m.flip.__name__, m.random.uniform.__name__)")]

# Measured: the peer refuses these.
PEER_REFUSES = set("""
tensor-np-fortran tensor-np-reversed tensor-np-stepped as_tensor-np-fortran
as_tensor-np-reversed as_tensor-np-stepped batch-of-np-fortran batch-of-np-reversed
batch-of-np-stepped as_batch-of-np-fortran as_batch-of-np-reversed as_batch-of-np-stepped
dtype-of-uint8 dtype-of-bf16
""".split())
