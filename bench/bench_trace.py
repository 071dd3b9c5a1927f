"""What the first step of a captured loop costs: 1, 10 and 100 captured calls with constants to prove, in
scripts of 100 and of 10,000 lines that were never seen before; milliseconds from the loop's creation until
the second step is there.

    python bench/bench_trace.py [--rounds 7]
"""

import argparse
import importlib.util
import os
import tempfile

from rivals import dynamic, main

CALLS = (1, 10, 100)
LINES = (200, 10000)
FILLER = "def other_{0}(a, b):\n    c = a + b\n    if c:\n        return [a, b, c]\n\n\n"


def _script(calls: int, lines: int) -> str:
    """A module whose `body(module, x)` has that many calls, in the middle of other functions."""
    body = ["def body(module, x):", "    shape = (4,)"]
    body += [f"    y{i} = module.pad(x, fill_value={i % 7} + 1, axes=(0,), shape=shape)"
             for i in range(calls)]
    body += [f"    return y{calls - 1}", "", ""]
    around = max(0, (lines - len(body)) // 12)
    return ("".join(FILLER.format(i) for i in range(around)) + "\n".join(body) + "\n"
            + "".join(FILLER.format(i) for i in range(around, 2 * around)))


def _imported(folder: str, text: str, name: str):
    path = os.path.join(folder, name + ".py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.body


@dynamic
def _dynamic(module, args) -> dict:
    import numpy as np

    folder = tempfile.mkdtemp()
    batches = [module.as_batch([np.full((3,), k, np.int32)] * 2) for k in range(4)]

    def case(calls: int, lines: int):
        text = _script(calls, lines)
        fresh = [_imported(folder, text, f"traced_{calls}_{lines}_{i}") for i in range(args.rounds)]

        def run() -> int:
            body = fresh.pop()
            loop = iter(module.ExternalSource(batches).captured(batch_size=2))
            y = body(module, next(loop))
            next(loop)
            if y._capture_ref is None:
                raise SystemExit("these calls are not captured")
            loop.close()
            return 1
        return run
    return {f"{calls} in {lines} lines": case(calls, lines) for calls in CALLS for lines in LINES}


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__), "ms", 1e3)
