"""Adding an operator touches one file and one line: then it is everywhere.

The operator here has two outputs, a per-sample argument, state that setup makes, and randomness.
It is built into a copy of the tree's sources; nothing else in the copy is edited.
"""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ["include", "src", "python", "tools", "tests/python"]
FILES = ["meson.build", "meson.options", "pyproject.toml"]

SOURCE = r"""
/* sprinkle: adds a random whole number to every element, and says which. */
#include <string.h>

#include "core/core.h"

typedef struct sprinkle_args {
    int64_t strength;
    hr_ints steps;
} sprinkle_args;

typedef struct sprinkle_state {
    int64_t top; /* the largest of `steps` */
} sprinkle_state;

static const hr_arg_desc sprinkle_desc[] = {
    HR_ARG(sprinkle_args, strength, INT, .flags = HR_PER_SAMPLE, .initial = "3", .min = 1,
           .max = 100, .doc = "The numbers lie below it, times the largest of `steps`."),
    HR_ARG(sprinkle_args, steps, INTS, .initial = "[1, 2]", .min_n = 1, .min = 1, .max = 9,
           .doc = "Whole factors, of which the largest counts."),
};

static hr_status sprinkle_setup(hr_call *c, hr_error *err)
{
    (void)err;
    const sprinkle_args *a = (const sprinkle_args *)c->args;
    sprinkle_state *s = c->state;
    for (int64_t i = 0; i < a->steps.n; i++)
        if (a->steps.v[i] > s->top) s->top = a->steps.v[i];
    return HR_OK;
}

static hr_status sprinkle_infer(const hr_sample *s, hr_error *err)
{
    const hr_tensor *in = s->in[0];
    HR_TRY(hr_tensor_shape(&s->out[0], HR_I32, in->ndim, in->shape, err));
    memcpy(s->out[0].layout, s->call->in[0].layout, sizeof in->layout);
    return hr_tensor_shape(&s->out[1], HR_I64, 0, NULL, err);
}

static hr_status sprinkle_run(const hr_sample *s, hr_error *err)
{
    (void)err;
    const sprinkle_args *a = s->args;
    const sprinkle_state *state = s->state;
    hr_rng rng = s->rng;
    int64_t n = hr_tensor_size(s->in[0]);
    int64_t number = hr_rng_next(&rng) % (uint32_t)(a->strength * state->top);
    const uint8_t *src = s->in[0]->data;
    int32_t *dst = s->out[0].data;
    for (int64_t i = 0; i < n; i++) dst[i] = src[i] + (int32_t)number;
    memcpy(s->out[1].data, &number, sizeof number);
    return HR_OK;
}

static const hr_in_desc sprinkle_ins[] = {
    {.name = "input", .dtypes = HR_DTYPES(HR_U8), .layouts = "HWC FHWC", .doc = "Pictures."},
};

const hr_op_desc hr_op_garden_sprinkle = {
    .name = "garden.sprinkle",
    .doc = "Adds one random whole number to all elements of a sample.",
    .example = "strength=40",
    .flags = HR_OP_RANDOM,
    .ins = sprinkle_ins, .n_ins = 1, .n_out = 2, .outs = "the sum, and the number",
    .args = sprinkle_desc, .n_args = sizeof sprinkle_desc / sizeof *sprinkle_desc,
    .args_size = sizeof(sprinkle_args), .state_size = sizeof(sprinkle_state),
    .setup = sprinkle_setup, .infer = sprinkle_infer, .run = sprinkle_run,
};
"""

USE = """
import inspect
import numpy as np
import headrace as hr

op = hr.garden.sprinkle
x = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
out, number = op(x, strength=40, rng=hr.random.RNG(1))
assert (out.shape, out.dtype, out.layout) == ((2, 4, 3), hr.int32, "HWC")
assert number.dtype == hr.int64 and number.shape == ()
assert (np.asarray(out) - x == number.item()).all()

outs, numbers = op(hr.batch([x] * 5), strength=hr.batch([1, 1, 1, 100, 100]), steps=1,
                   rng=hr.random.RNG(1))
got = [t.item() for t in numbers.tensors]
assert got[:3] == [0, 0, 0] and max(got) > 0
more = op(hr.batch([x] * 50), strength=100, steps=[9, 3])[1]
assert max(t.item() for t in more.tensors) > 100

assert str(inspect.signature(op)) == (
    "(input: 'TensorLike', /, *, batch_size: 'int | None' = None, "
    "device: 'DeviceLike | None' = None, "
    "strength: 'int | Tensor | Batch | ArrayLike | None' = 3, "
    "steps: 'Sequence[int] | int | None' = [1, 2], rng: 'RNG | None' = None)")
assert op.__text_signature__.startswith("($module, input, /, *, batch_size=None")
assert op.__doc__.startswith("Adds one random whole number")
assert "times the largest of `steps`" in op.__doc__ and "per sample" in op.__doc__
assert (op.__module__, op.__name__) == ("headrace.garden", "sprinkle")
for bad, text in (({"strength": 0}, "within 1..100"), ({"strenght": 1}, "did you mean `strength`")):
    try:
        op(x, **bad)
    except (ValueError, TypeError) as e:
        assert text in str(e), e
    else:
        raise SystemExit("no error")
print("fine")
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the sources with one more file and one more line, and what it was built into."""
    if not shutil.which("ninja") and not (pathlib.Path(sys.executable).parent / "ninja").exists():
        pytest.skip("ninja is not installed")
    pytest.importorskip("mesonbuild")
    copy = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, copy / name,
                        ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.o"))
    for name in FILES:
        shutil.copy(ROOT / name, copy / name)
    (copy / "src" / "random" / "sprinkle.c").write_text(SOURCE)
    with (copy / "src" / "ops.list").open("a") as f:
        f.write("random/sprinkle garden_sprinkle\n")
    build, site = copy / "build", copy / "build" / "site"
    meson = [sys.executable, "-m", "mesonbuild.mesonmain"]
    env = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
    # Not optimised: it is built once, and used for seconds.
    run([*meson, "setup", str(build), "-Dtests=false", "-Dinstall_c=false", "-Dfuzzing=off",
         "-Dbuildtype=debug", "--default-library=static"], copy, env)
    run([*meson, "compile", "-C", str(build)], copy, env)
    run([*meson, "install", "-C", str(build), "--no-rebuild", "--quiet"], copy,
        {**env, "DESTDIR": str(build / "dest")})
    packages = next((build / "dest").rglob("headrace/__init__.py")).parent
    shutil.copytree(packages, site / "headrace")
    return copy, site


def run(command, folder, env):
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def python(tree, *command):
    copy, site = tree
    return run([sys.executable, *command], copy, {**os.environ, "PYTHONPATH": str(site)})


def test_it_can_be_called_and_describes_itself(tree):
    assert python(tree, "-c", USE).strip() == "fine"


def test_stubs_and_reference_have_it(tree):
    copy, _ = tree
    (copy / "docs" / "reference").mkdir(parents=True)
    python(tree, "tools/make_stubs.py")
    python(tree, "tools/make_reference.py")
    stub = (copy / "python" / "headrace" / "garden.pyi").read_text()
    assert stub.count("def sprinkle(") == 4 and "-> tuple[Tensor, Tensor]: ..." in stub
    assert "from headrace import garden as garden" in (
        copy / "python" / "headrace" / "__init__.pyi").read_text()
    page = (copy / "docs" / "reference" / "headrace.garden.md").read_text()
    assert "| `strength` | int | `3` | yes | 1 to 100 |" in page
    assert "hr.garden.sprinkle(input, strength=40)" in page


def test_the_contract_tests_find_and_pass_it(tree):
    out = python(tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "sprinkle", "-rA",
                 "tests/python/test_contract.py", "tests/python/test_contract_arguments.py",
                 "tests/python/test_frames.py")
    passed = [line for line in out.splitlines() if line.startswith("PASSED")]
    assert len(passed) > 40
    for part in ("threads_change_nothing", "every_cpu_level", "failing_allocation",
                 "values_per_sample", "the_seed_decides", "just_outside_the_bounds",
                 "no_python_frame"):
        assert any(part in line for line in passed), part
