"""Every argument of the peer's operators has a case, and is an argument of ours with the same
meaning left out. The peer's signatures and schema defaults are recorded (peer_arguments.json)."""
import json
import os
import subprocess
import sys

import pytest

from parity import drive

with open(os.path.join(drive.DATA, "peer_arguments.json"), encoding="utf-8") as f:
    PEER = json.load(f)

# Pure hints: for each, one case shows that no value changes (case key "like").
HINTS = set("""affine cache_batch_copy cache_debug cache_size cache_threshold cache_type
device_memory_padding device_memory_padding_jpeg2k host_memory_padding host_memory_padding_jpeg2k
hw_decoder_load hybrid_huffman_threshold jpeg_fancy_upsampling memory_stats preallocate_height_hint
preallocate_width_hint split_stages use_chunk_allocator minibatch_size temp_buffer_hint
dont_use_mmap use_o_direct initial_fill lazy_init prefetch_queue_depth read_ahead skip_cached_images
tensor_init_bytes name enable_checkpointing cache_header_information register_buffers""".split())

# What we add to the peer's arguments, and why.
ADDITIONS = {
    "decoders.image": {"on_error"},
    "decoders.image_crop": {"on_error"},
    "decoders.image_random_crop": {"on_error"},
    "decoders.image_slice": {"on_error"},
    "readers.File": {"on_error", "last_batch", "batch_size", "verify", "recursive"},
    "readers.Numpy": {"on_error", "last_batch", "batch_size", "recursive"},
    "readers.TFRecord": {"on_error", "last_batch", "batch_size", "verify"},
    "readers.Webdataset": {"on_error", "last_batch", "batch_size", "verify"},
}
# Where the peer does not do what its schema says: measured by leaving the argument out.
EFFECTIVE = {("noise.shot", "factor"): 12.0,
             ("readers.Webdataset", "missing_component_behavior"): "empty"}
# Required at the peer, not with us.
OPTIONAL = {("readers.TFRecord", "index_path")}
# Of the peer's Python signatures, but of no use to a caller.
PRIVATE = {"_backend"}
# Functions and methods that take the same arguments by name.
SAME_FUNCTIONS = """tensor as_tensor batch as_batch random.RNG EvalContext ThreadPool
Device Tensor.to_device Tensor.torch Batch.to_device Batch.torch readers.File.next_epoch
readers.File.get_metadata set_num_threads""".split()

ROWS = [(op, p) for op, table in sorted(PEER["operators"].items()) for p in table["parameters"]
        if p["name"] not in PRIVATE]
IDS = ["%s-%s" % (op, p["name"]) for op, p in ROWS]
TABLES = drive.tables()


def uses(case, name):
    if name == "rng":
        return "seed" in case
    return case["args"].get(name) is not None


def working(op):
    return [c for c in TABLES[op] if not c.get("fails")]


@pytest.mark.parametrize("op,parameter", ROWS, ids=IDS)
def test_argument_has_a_case(op, parameter):
    name = parameter["name"]
    if parameter["kind"] != "KEYWORD_ONLY" and not op.startswith("readers."):
        assert any(c["inputs"] for c in working(op))
        return
    found = [c for c in TABLES[op] if uses(c, name)]
    if op.startswith("readers.") and name == "num_inputs":
        assert found
        return
    assert [c for c in found if not c.get("fails")], "no parity case for %s(%s=)" % (op, name)
    if name in HINTS:
        assert [c for c in found if "like" in c], "no case shows that %s changes nothing" % name


@pytest.mark.parametrize("op,parameter", ROWS, ids=IDS)
def test_per_sample_argument_has_a_case_with_a_batch(op, parameter):
    name = parameter["name"]
    row = PEER["operators"][op]["schema"].get(name)
    if not row or not row["per_sample"] or op.startswith("readers."):
        return  # a reader is made before there is a batch
    given = [c["args"].get(name) for c in working(op)]
    assert [v for v in given if isinstance(v, dict) and v["kind"] == "batch"], (
        "no case gives %s(%s=) one value a sample" % (op, name))


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    target = tmp_path_factory.mktemp("signatures") / "ours.json"
    subprocess.run([sys.executable, os.path.join(drive.HERE, "signatures.py"), "headrace",
                    str(target)], check=True)
    return json.loads(target.read_text())


def same(a, b):
    if isinstance(a, list) or isinstance(b, list):
        a, b = a if isinstance(a, list) else [a], b if isinstance(b, list) else [b]
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and \
            abs(a - b) <= 1e-6 * max(abs(a), abs(b))
    return a == b


@pytest.mark.parametrize("op,parameter", ROWS, ids=IDS)
def test_argument_is_ours_with_the_same_default(mine, op, parameter):
    assert op in mine["operators"], "no operator %s" % op
    ours = {p["name"]: p for p in mine["operators"][op]["parameters"]}
    name = parameter["name"]
    assert name in ours, "%s lacks the argument %s" % (op, name)
    got = ours[name]
    assert got["kind"] == parameter["kind"]
    assert ("default" in got) == ("default" in parameter or (op, name) in OPTIONAL), (
        "required on one side only")
    if "default" not in got or got["default"] is None:
        return
    schema = PEER["operators"][op]["schema"].get(name, {})
    expected = EFFECTIVE.get((op, name), schema.get("default", parameter.get("default")))
    assert same(got["default"], expected), "default %r, the peer's %r" % (got["default"], expected)


@pytest.mark.parametrize("op", sorted(PEER["operators"]))
def test_our_other_arguments_are_listed(mine, op):
    theirs = {p["name"] for p in PEER["operators"][op]["parameters"]}
    ours = {p["name"] for p in mine["operators"][op]["parameters"]}
    assert ours - theirs == ADDITIONS.get(op, set())


@pytest.mark.parametrize("op", sorted(PEER["operators"]))
def test_positional_arguments_come_in_the_same_order(mine, op):
    def positional(table):
        return [(p["name"], p["kind"]) for p in table["operators"][op]["parameters"]
                if p["kind"] != "KEYWORD_ONLY"]

    assert positional(mine) == positional(PEER)


@pytest.mark.parametrize("name", SAME_FUNCTIONS)
def test_function_takes_the_peer_s_arguments(mine, name):
    got = mine["functions"][name]
    assert not isinstance(got, str), got
    ours = {p["name"]: p.get("default", "required") for p in got}
    for p in PEER["functions"][name]:
        if p["name"] == "self":
            continue
        assert p["name"] in ours
        if name == "ThreadPool" and p["name"] == "device_id":
            continue  # the peer's default is a code for "the current device"
        assert ours[p["name"]] == p.get("default", "required")
