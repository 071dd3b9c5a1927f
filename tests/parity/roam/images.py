"""Random calls of operators on pictures."""
from parity.case import batch, case, ty
from parity.roam.dice import each, images, maybe, out_type

MODES = ("default", "stretch", "not_larger", "not_smaller")
FILTERS = ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC", "INTERP_LANCZOS3", "INTERP_TRIANGULAR")


def roam_crop(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "DHWC", "FCHW"))
    args = {}
    if d.chance(0.7):
        args["crop"] = each(d, n, lambda: [1.0 * (1 + d.below(8)) for _ in range(3 if "D" in layout else 2)])
    else:
        args["crop_h"], args["crop_w"] = 1.0 + d.below(6), 1.0 + d.below(6)
        if "D" in layout:
            args["crop_d"] = 1.0 + d.below(3)
    for name in ("crop_pos_x", "crop_pos_y", "crop_pos_z"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)), 0.4)
    maybe(d, args, "rounding", lambda: d.among("round", "truncate"))
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("error", "pad", "trim_to_shape"), 0.8)
    maybe(d, args, "fill_values", lambda: d.among(7.0, [1.0, 2.0, 3.0]))
    out_type(d, args)
    return case("x", b, **args)


def roam_crop_mirror_normalize(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "FCHW"))
    args = {}
    maybe(d, args, "crop", lambda: [1.0 + d.below(8), 1.0 + d.below(8)], 0.6)
    maybe(d, args, "mirror", lambda: each(d, n, lambda: d.below(2), "int32"), 0.5)
    many = b["shapes"][0][layout.index("C")]
    numbers = lambda low, high: d.among(d.real(low, high), [d.real(low, high) for _ in range(many)])  # noqa: E731
    maybe(d, args, "mean", lambda: numbers(0, 200), 0.6)
    maybe(d, args, "std", lambda: numbers(1, 90), 0.6)
    maybe(d, args, "scale", lambda: d.real(0.1, 3), 0.3)
    maybe(d, args, "shift", lambda: d.real(-3, 30), 0.3)
    for name in ("crop_pos_x", "crop_pos_y"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)), 0.4)
    maybe(d, args, "pad_output", lambda: d.chance(0.6), 0.3)
    maybe(d, args, "output_layout", lambda: d.among("CHW", "HWC", "FCHW", "FHWC"), 0.4)
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("error", "pad", "trim_to_shape"), 0.7)
    maybe(d, args, "fill_values", lambda: d.among([7.0], [1.0, 2.0, 3.0]), 0.2)
    out_type(d, args, ("uint8", "int8", "float32", "float16"), 0.4)
    return case("x", b, rule="float", **args)


def roam_flip(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "DHWC", "DCHW", "FCHW"))
    args = {}
    for name in ("horizontal", "vertical", "depthwise"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.below(2), "int32"), 0.5)
    return case("x", b, **args)


def resize_args(d, args, n, layout):
    spatial = 3 if "D" in layout else 2
    wanted = lambda: 1.0 + d.below(14)  # noqa: E731
    how = d.below(5)
    if how == 0:
        args["size"] = each(d, n, lambda: [d.among(0.0, wanted(), wanted(), wanted()) for _ in range(spatial)])
    elif how == 1:
        args["resize_x"] = each(d, n, wanted)
    elif how == 2:
        args["resize_x"], args["resize_y"] = each(d, n, wanted), each(d, n, wanted)
    else:
        args[d.among("resize_shorter", "resize_longer")] = each(d, n, wanted)
    maybe(d, args, "mode", lambda: d.among(*MODES), 0.3)
    maybe(d, args, "max_size", lambda: d.among(wanted(), [wanted() for _ in range(spatial)]), 0.2)
    maybe(d, args, "antialias", lambda: d.chance(0.5), 0.3)
    for name in ("interp_type", "min_filter", "mag_filter"):
        maybe(d, args, name, lambda: ty(d.among(*FILTERS)), 0.3)
    maybe(d, args, "subpixel_scale", lambda: d.chance(0.5), 0.2)
    out_type(d, args, ("uint8", "float32"), 0.3)


def roam_resize(d):
    b, n, layout = images(d, ("uint8", "int16", "uint16", "float32"), 14, ("HWC", "HWC", "CHW", "FHWC", "DHWC", "HW"))
    args = {}
    resize_args(d, args, n, layout)
    if d.chance(0.25):
        spatial = 3 if "D" in layout else 2
        maybe(d, args, "roi_relative", lambda: d.chance(0.7), 0.8)
        top = 1.0 if args.get("roi_relative") else 9.0
        args["roi_start"] = [d.real(0, top * 0.6) for _ in range(spatial)]
        args["roi_end"] = [d.real(0, top) for _ in range(spatial)]
    return case("x", b, rule="resample", **args)


def roam_resize_crop_mirror(d):
    b, n, layout = images(d, ("uint8", "float32"), 14, ("HWC", "CHW"))
    args = {}
    resize_args(d, args, n, layout)
    args["crop"] = [1.0 + d.below(8), 1.0 + d.below(8)]
    maybe(d, args, "mirror", lambda: each(d, n, lambda: d.below(2), "int32"))
    for name in ("crop_pos_x", "crop_pos_y"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)))
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("pad", "trim_to_shape"), 0.6)
    return case("x", b, rule="resample", **args)


def roam_rotate(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), 12, ("HWC", "HWC", "FHWC", "DHWC"))
    args = {"angle": each(d, n, lambda: d.real(-400, 400))}
    if "D" in layout:
        args["axis"] = [d.real(-1, 1), d.real(-1, 1), d.real(0.1, 1)]
    maybe(d, args, "fill_value", lambda: d.among(0.0, 5.0, 300.0))
    maybe(d, args, "keep_size", lambda: d.chance(0.7))
    maybe(d, args, "interp_type", lambda: ty(d.among("INTERP_NN", "INTERP_LINEAR")))
    maybe(d, args, "size", lambda: [1.0 + d.below(14) for _ in range(3 if "D" in layout else 2)], 0.2)
    out_type(d, args, ("uint8", "float32"), 0.2)
    return case("x", b, rule="resample", **args)


def roam_brightness(*names):
    def roam(d):
        b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "FHWC", "CHW"))
        args = {}
        for name in names:
            low, high = {"brightness": (0, 3), "brightness_shift": (-1, 1), "contrast": (0, 3),
                         "contrast_center": (0, 255)}[name]
            maybe(d, args, name, lambda: each(d, n, lambda: d.real(low, high)), 0.6)
        out_type(d, args, ("uint8", "int16", "int32", "float32", "int8"), 0.4)
        return case("x", b, rule="float", **args)
    return roam


def roam_color_space_conversion(d):
    spaces = ["RGB", "BGR", "GRAY", "YCbCr"]
    a, z = d.among(*spaces), d.among(*spaces)
    layout = d.among("HWC", "FHWC", "CHW")
    shape = {"C": d.among(1, 3) if d.chance(0.1) else (1 if a == "GRAY" else 3), "F": 2, "H": 1 + d.below(5),
             "W": 1 + d.below(5)}
    b = batch([shape[x] for x in layout], dtype=d.among("uint8", "uint8", "float32", "int16"), layout=layout,
              seed=d.below(99))
    args = {"image_type": ty(a), "output_type": ty(z)}
    out_type(d, args, ("uint8", "float32"), 0.3)
    return case("x", b, rule="resample", **args)


def roam_random_resized_crop(d):
    b, n, layout = images(d, ("uint8", "float32"), 20, ("HWC", "CHW", "FHWC"))
    args = {"size": d.among([5.0, 7.0], [8], [3, 3])}
    maybe(d, args, "random_area", lambda: [d.real(0.01, 0.5), d.real(0.5, 1)])
    maybe(d, args, "random_aspect_ratio", lambda: [d.real(0.1, 1), d.real(1, 4)])
    maybe(d, args, "antialias", lambda: d.chance(0.5))
    for name in ("interp_type", "min_filter", "mag_filter"):
        maybe(d, args, name, lambda: ty(d.among(*FILTERS)), 0.3)
    out_type(d, args, ("uint8", "float32"), 0.2)
    return case("x", b, seed=d.below(9999), rule="resample", **args)


ROAMS = {
    "crop": roam_crop, "crop_mirror_normalize": roam_crop_mirror_normalize, "flip": roam_flip,
    "resize": roam_resize, "resize_crop_mirror": roam_resize_crop_mirror, "rotate": roam_rotate,
    "brightness": roam_brightness("brightness", "brightness_shift"),
    "contrast": roam_brightness("contrast", "contrast_center"),
    "brightness_contrast": roam_brightness("brightness", "brightness_shift", "contrast", "contrast_center"),
    "color_space_conversion": roam_color_space_conversion, "random_resized_crop": roam_random_resized_crop,
}
