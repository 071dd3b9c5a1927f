"""What is made once, with the first call of a process, survives memory that runs out then."""
import os
import pathlib

from scripts import output

CODE = """
import sys
sys.path.insert(0, {folder!r})
import headrace as hr
from contract_inputs import OPS, N, bits, describe, example, places, sample, Row, dtypes
from headrace import _core

hr.set_num_threads(1)
tried = 0
for name, op in OPS.items():
    place = next(p for p in places(op))
    known = dtypes(op, place)
    dtype = next((d for d in ("float32", "int32") if d in known and place != "example"
                  or d == "int32" and d in known), known[0])
    row = Row(op, [sample(describe(op), place, dtype, i, 1) for i in range(N)],
              example(describe(op))[1])
    for nth in range(1, 200):
        _core.alloc_fail_at(nth)
        try:
            row.batch()
        except MemoryError:
            tried += 1
        except (ValueError, TypeError):  # this input is not for it
            break
        else:
            break
        finally:
            _core.alloc_fail_at(0)
    else:
        raise SystemExit(name + " never succeeds")
print(tried > 2 * len(OPS))
"""


def test_failing_allocations_in_a_fresh_process():
    folder = str(pathlib.Path(__file__).parent)
    assert output(CODE.format(folder=folder)) == "True"


def test_failing_allocations_with_a_pool_that_starts():
    code = CODE.replace("set_num_threads(1)", "set_num_threads(4)")
    assert output(code.format(folder=str(pathlib.Path(__file__).parent)),
                  env={"PYTHONMALLOC": os.environ.get("PYTHONMALLOC", "default")}) == "True"
