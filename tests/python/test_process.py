"""The process: import, fork, Ctrl-C, exit."""
import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from scripts import output, run

WORK = """
import array, os, sys
import headrace as hr
big = hr.as_tensor(array.array("f", [1.5]) * 300000)
def work(n=6):
    b = hr.cast(big, dtype="u8", batch_size=n)
    assert b.batch_size == n and bytes(b.select(n - 1))[:3] == bytes([2, 2, 2])
hr.set_num_threads(3)
"""


def program(code):
    return WORK + textwrap.dedent(code)


# ---- import -------------------------------------------------------------------------------------


def test_import_loads_neither_numpy_nor_torch_and_starts_no_thread():
    code = """
        import os, sys
        before = set(sys.modules)
        import headrace
        heavy = {"numpy", "torch", "PIL", "asyncio", "multiprocessing", "typing_extensions"}
        print(sorted(heavy & set(sys.modules)), len(os.listdir("/proc/self/task")))
    """
    assert output(code, flags=("-S",), env={"PYTHONPATH": os.pathsep.join(sys.path)}) == "[] 1"


def test_import_leaves_no_file_open():
    code = """
        import os
        before = set(os.listdir("/proc/self/fd"))
        import headrace
        print(sorted(set(os.listdir("/proc/self/fd")) - before))
    """
    assert output(code) == "[]"


def test_import_prints_nothing_and_warns_of_nothing():
    done = run("import headrace", flags=("-W", "error", "-X", "dev"))
    assert done.stdout == done.stderr == ""


def test_import_is_light():
    """Far above what it takes, far below what a heavy dependency would: 30 MB, and a second."""
    code = """
        import json, resource, time
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        import headrace
        took = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps([took, (after - before) / 1024]))
    """
    took, megabytes = min(json.loads(output(code)) for _ in range(3))
    assert megabytes < 30 and took < 1


BLOCKED = """
    import sys
    class Block:
        def find_spec(self, name, path=None, target=None):
            if name.partition(".")[0] in ("numpy", "torch", "ml_dtypes", "PIL"):
                raise ImportError(name + " is blocked")
    sys.meta_path.insert(0, Block())
"""


def test_without_numpy():
    code = BLOCKED + """
    import copy, pickle
    import headrace as hr
    t = hr.tensor([[1, 2], [3, 4]], layout="HW")
    assert "[1 2]" in repr(t) and "[3 4]" in repr(t)
    assert "1.5" in repr(hr.tensor([1.5], dtype=hr.bfloat16))
    b = hr.batch([[1.5], [2.5, 3.0]])
    assert "num_samples=2" in repr(b)
    assert hr.flip(hr.tensor([[[1], [2]]], dtype="u8")).tolist() == [[[2], [1]]]
    assert hr.as_tensor(bytearray(b"ab")).tolist() == [97, 98]
    assert hr.random.uniform(shape=[2], batch_size=3, rng=hr.random.RNG(1)).batch_size == 3
    for x in (t, hr.tensor([1.5], dtype=hr.bfloat16)):
        assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
        assert copy.deepcopy(x).tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(b)).shape == b.shape
    assert memoryview(t).tolist() == t.tolist()
    try:
        t.__array__()
    except ImportError as e:
        assert "numpy" in str(e)
    else:
        raise SystemExit("no error")
    for bad in (["a"], [object()], [[1], ["b"]]):
        try:
            hr.tensor(bad)
        except TypeError:
            continue
        raise SystemExit("no error")
    assert "numpy" not in sys.modules
    print(hr.flip.__doc__.split()[0], hr.cast.__name__)
    """
    assert output(code) == "Mirrors cast"


# ---- fork -----------------------------------------------------------------------------------------


def test_fork_after_use_20_times():
    code = """
        work()
        for i in range(20):
            pid = os.fork()
            if pid == 0:
                try:
                    work()
                except BaseException:
                    os._exit(7)
                os._exit(0)
            work()
            assert os.waitpid(pid, 0)[1] == 0
        print("fine")
    """
    assert output(program(code), timeout=120) == "fine"


def test_fork_in_the_middle_of_work():
    code = """
        import threading
        stop = threading.Event()
        def busy():
            while not stop.is_set():
                work()
        ts = [threading.Thread(target=busy) for _ in range(2)]
        for t in ts: t.start()
        for i in range(15):
            pid = os.fork()
            if pid == 0:
                try:
                    work(); work()
                except BaseException:
                    os._exit(7)
                os._exit(0)
            assert os.waitpid(pid, 0)[1] == 0, i
        stop.set()
        for t in ts: t.join()
        print("fine")
    """
    assert output(program(code), timeout=120) == "fine"


def test_a_forked_process_ends_as_usual():
    code = """
        work()
        pid = os.fork()
        work()
        if pid == 0:
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        print("fine")
    """
    assert output(program(code)) == "fine"


def test_forked_generators_agree_with_their_parent():
    code = """
        rng = hr.random.RNG(3)
        r, w = os.pipe()
        pid = os.fork()
        got = bytes(hr.random.uniform(shape=[4], rng=rng))
        if pid == 0:
            os.write(w, got)
            os._exit(0)
        os.waitpid(pid, 0)
        assert os.read(r, 100) == got
        print("fine")
    """
    assert output(program(code)) == "fine"


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method, tmp_path):
    path = tmp_path / "main.py"
    path.write_text(program("""
        import multiprocessing
        def job(i):
            work()
            return hr.flip(hr.tensor([[[i], [1]]]))
        if __name__ == "__main__":
            work()
            with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
                print([t.tolist() for t in pool.map(job, range(3))])
    """))
    done = subprocess.run([sys.executable, str(path), method], capture_output=True, text=True,
                          timeout=120)
    assert done.stdout.strip() == str([[[[1], [i]]] for i in range(3)]), done.stderr


# ---- Ctrl-C -------------------------------------------------------------------------------------------


def interrupt(code, delay=0.4):
    """Starts a program, waits for its line, sends Ctrl-C; seconds until its end, and the process."""
    p = subprocess.Popen([sys.executable, "-c", program(code)], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True)
    assert p.stdout.readline().strip() == "ready"
    time.sleep(delay)
    start = time.monotonic()
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    return time.monotonic() - start, p.returncode, out, err


LONG = """
    import random, time
    one = hr.as_tensor(array.array("f", [1.5]) * 30000)
    def forever(n=20000000):
        return hr.random.beta(one, alpha=0.7, beta=0.9, batch_size=n // 10000)
"""


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_ends_a_long_call(threads):
    code = LONG + f"""
    hr.set_num_threads({threads})
    print("ready", flush=True)
    start = time.monotonic()
    try:
        forever(60000000)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        work()
        print("works again")
    """
    took, code, out, err = interrupt(code)
    assert (code, out.split("\n")[:2]) == (0, ["interrupted", "works again"]), err
    assert took < 5  # the whole call takes some twenty seconds


def test_ctrl_c_that_nobody_catches():
    took, code, out, err = interrupt(LONG + """
    print("ready", flush=True)
    forever(60000000)
    """)
    assert code in (130, -signal.SIGINT) and "KeyboardInterrupt" in err
    assert took < 5


def test_a_signal_handlers_exception_comes_out():
    took, code, out, err = interrupt(LONG + """
    import signal
    def handle(number, frame):
        raise ValueError("from the handler")
    signal.signal(signal.SIGINT, handle)
    print("ready", flush=True)
    try:
        forever(60000000)
    except ValueError as e:
        print(e)
    """)
    assert code == 0 and out.strip() == "from the handler", err


def test_signals_that_raise_nothing_change_nothing():
    code = """
        import signal
        hits = []
        signal.signal(signal.SIGALRM, lambda *a: hits.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        x = hr.as_tensor(array.array("f", [1.5]) * 300000)
        got = [bytes(hr.random.beta(x, batch_size=4, rng=hr.random.RNG(2)).select(3))
               for _ in range(5)]
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert len(set(got)) == 1
        print("fine", len(hits) > 0)
    """
    assert output(program(code)) == "fine True"


# ---- exit -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end, code", [
    ("sys.exit(3)", 3), ("raise SystemExit", 0), ("raise KeyError('x')", 1), ("pass", 0),
    ("import atexit; atexit.register(work)", 0), ("kept = hr.cast(big, dtype='u8', batch_size=9)", 0),
    ("class A:\n    def __del__(self): work()\na = A()", 0),
    ("c = hr.EvalContext(num_threads=2); c.__enter__(); work(); sys.exit(3)", 3)])
def test_exit_after_work(end, code):
    done = run(program("work()\n" + end), check=False)
    assert done.returncode == code
    if code != 1:
        assert done.stderr == "" and done.stdout == ""


@pytest.mark.parametrize("end", ["sys.exit(3)", "raise KeyError", "pass"])
def test_exit_while_threads_work(end):
    """Daemon threads are in the middle of calls when the interpreter ends."""
    code = """
        import threading, time
        def busy():
            while True:
                work()
        for _ in range(3):
            threading.Thread(target=busy, daemon=True).start()
        time.sleep(0.3)
    """
    for _ in range(4):
        done = run(program(code) + end, check=False, timeout=30)
        assert done.returncode == {"sys.exit(3)": 3, "raise KeyError": 1, "pass": 0}[end]
        assert "Fatal" not in done.stderr and "Segmentation" not in done.stderr


def test_idle_exit_is_quick():
    """The threads of the pool do not hold the end up."""
    code = """
        import time
        work()
        time.sleep(0.05)
        print(time.time(), flush=True)
    """
    took = []
    for _ in range(3):
        end = float(output(program(code)))
        took.append(time.time() - end)
    assert min(took) < 1


def test_a_module_that_is_loaded_twice():
    code = """
        work()
        for name in [n for n in sys.modules if n.startswith("headrace")]:
            del sys.modules[name]
        import headrace as again
        assert again is not hr
        assert again.flip(again.tensor([[[1], [2]]])).tolist() == [[[2], [1]]]
        work()
        print("fine")
    """
    assert output(program(code)) == "fine"


def test_sub_interpreters_are_refused_or_work():
    code = """
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            print("fine"); sys.exit()
        i = interpreters.create()
        try:
            interpreters.run_string(i, "import headrace as hr; hr.flip(hr.tensor([[[1]]]))")
        except Exception as e:
            assert "Import" in str(e) or "interpreter" in str(e), e
        interpreters.destroy(i)
        work()
        print("fine")
    """
    assert output(program(code)) == "fine"
