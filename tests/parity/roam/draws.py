"""Random calls of operators that draw numbers."""
from parity.case import NUMBERS, batch, case, per_sample, tensor
from parity.roam.dice import each, images, maybe, out_type


def roam_random(op):
    def roam(d):
        args, inputs = {}, []
        if d.chance(0.7):
            args["batch_size"] = 1 + d.below(4)
        n = args.get("batch_size", 1)
        if op != "random.choice" and d.chance(0.2):
            inputs = [batch(*[[2, 3]] * n, seed=1)]
        else:
            maybe(d, args, "shape", lambda: d.among(3, [2, 2], [], [0], [5]), 0.7)
        if op == "random.uniform":
            if d.chance(0.3):
                args["values"] = [d.real(-9, 9) for _ in range(1 + d.below(4))]
            else:
                maybe(d, args, "range", lambda: [d.real(-9, 0), d.real(0, 300)], 0.6)
            out_type(d, args, NUMBERS, 0.5)
        elif op == "random.normal":
            maybe(d, args, "mean", lambda: each(d, n, lambda: d.real(-9, 200)), 0.5)
            maybe(d, args, "stddev", lambda: each(d, n, lambda: d.real(0, 50)), 0.5)
            out_type(d, args, NUMBERS, 0.5)
        elif op == "random.coin_flip":
            maybe(d, args, "probability", lambda: each(d, n, lambda: d.real(0, 1)), 0.7)
            out_type(d, args, NUMBERS + ["bool"], 0.5)
        elif op == "random.choice":
            inputs = [d.among(5, array_pool(d))]
            k = 5 if inputs == [5] else inputs[0]["shape"][0]
            maybe(d, args, "p", lambda: [1 / k] * k if d.chance(0.5) else [1.0] + [0.0] * (k - 1), 0.4)
            maybe(d, args, "replace", lambda: d.chance(0.8), 0.3)
        return case("x", *inputs, seed=d.below(10000), **args)
    return roam


def array_pool(d):
    return tensor(1 + d.below(6), dtype=d.among("int32", "float32", "uint8"), seed=d.below(9))


def roam_noise(op):
    def roam(d):
        b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC"))
        args = {}
        if op == "noise.gaussian":
            maybe(d, args, "mean", lambda: each(d, n, lambda: d.real(-9, 9)))
            maybe(d, args, "stddev", lambda: each(d, n, lambda: d.real(0, 30)), 0.7)
        elif op == "noise.salt_and_pepper":
            maybe(d, args, "prob", lambda: each(d, n, lambda: d.real(0, 1)), 0.7)
            maybe(d, args, "salt_vs_pepper", lambda: each(d, n, lambda: d.real(0, 1)))
            maybe(d, args, "per_channel", lambda: d.chance(0.5))
            maybe(d, args, "salt_val", lambda: d.among(200.0, 9.0))
            maybe(d, args, "pepper_val", lambda: d.among(3.0, 1.0))
        return case("x", b, seed=d.below(9999), rule="float", **args)
    return roam


def roam_batch_permutation(d):
    args = {"batch_size": 1 + d.below(9)}
    maybe(d, args, "allow_repetitions", lambda: d.chance(0.7))
    maybe(d, args, "no_fixed_points", lambda: d.chance(0.7))
    return case("x", seed=d.below(9999), **args)


def roam_random_crop_generator(d):
    n = d.among(1, 2, 3)
    b = per_sample(*[[1 + d.below(600), 1 + d.below(600)] for _ in range(n)], dtype="int64")
    args = {}
    maybe(d, args, "random_area", lambda: [d.real(0.01, 0.5), d.real(0.5, 1)])
    maybe(d, args, "random_aspect_ratio", lambda: [d.real(0.1, 1), d.real(1, 4)])
    maybe(d, args, "num_attempts", lambda: d.among(1, 3))
    return case("x", b, seed=d.below(9999), **args)


ROAMS = {"batch_permutation": roam_batch_permutation, "random_crop_generator": roam_random_crop_generator}
ROAMS.update({op: roam_random(op) for op in ("random.uniform", "random.normal", "random.coin_flip", "random.choice")})
ROAMS.update({op: roam_noise(op) for op in ("noise.gaussian", "noise.salt_and_pepper")})
