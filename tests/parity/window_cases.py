"""Pictures and options of the decoders that decode a window."""
from parity.case import case, pictures

JPEG = {"format": "JPEG", "size": [37, 42], "save": {"quality": 90, "subsampling": 2}}
FULL = {"format": "JPEG", "size": [44, 40], "save": {"quality": 95, "subsampling": 0}}
PNG = {"format": "PNG", "size": [29, 31]}
HINTS = {"affine": False, "device_memory_padding": 1 << 20, "device_memory_padding_jpeg2k": 1,
         "host_memory_padding": 1 << 20, "host_memory_padding_jpeg2k": 1, "hw_decoder_load": 0.1,
         "hybrid_huffman_threshold": 10, "memory_stats": False, "preallocate_height_hint": 100,
         "preallocate_width_hint": 100, "split_stages": True, "use_chunk_allocator": True,
         "jpeg_fancy_upsampling": True}


def jpeg(name, *inputs, **args):
    return case(name, *inputs, rule="jpeg", **args)


def kind(spec, **more):
    return dict(spec, **more)


B = pictures(JPEG, kind(FULL, seed=2))
P = pictures(PNG, kind(PNG, mode="L"))
