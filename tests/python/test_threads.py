"""The number of threads, and when they run."""
import os

import pytest

import headrace as hr
from headrace import _core
from scripts import output, run


@pytest.fixture(autouse=True)
def default_again():
    yield
    hr.set_num_threads(None)


def test_set_and_get():
    for n in (1, 3, 7):
        hr.set_num_threads(n)
        assert hr.get_num_threads() == n == hr.EvalContext.default().num_threads
    hr.set_num_threads(None)
    assert hr.get_num_threads() >= 1


def test_impossible_numbers():
    hr.set_num_threads(3)
    for bad in (0, -1, 100 * _core.cpu_count() + 1, 2**70):
        with pytest.raises(ValueError, match="threads"):
            hr.set_num_threads(bad)
    for bad in ("2", 1.5, [1], object()):
        with pytest.raises(TypeError):
            hr.set_num_threads(bad)
    with pytest.raises(TypeError):
        hr.set_num_threads()
    assert hr.get_num_threads() == 3
    hr.set_num_threads(min(4096, 100 * _core.cpu_count()))


ASK = "import headrace as hr; print(hr.get_num_threads())"


@pytest.mark.parametrize("env, want", [
    ({"HEADRACE_NUM_THREADS": "5"}, 5), ({"OMP_NUM_THREADS": "3"}, 3),
    ({"HEADRACE_NUM_THREADS": "5", "OMP_NUM_THREADS": "3"}, 5), ({"OMP_NUM_THREADS": "3,2"}, 3)])
def test_the_environment_decides(env, want):
    assert int(output(ASK, env=env)) == want


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "2x", "99999999999", "1.5"])
def test_what_the_environment_may_say_wrongly_is_told_and_not_heard(text):
    done = run(ASK, env={"HEADRACE_NUM_THREADS": text})
    assert int(done.stdout) == int(output(ASK))
    assert bool(text) == (f"HEADRACE_NUM_THREADS is {text!r}, it must be a number" in done.stderr)


@pytest.mark.parametrize("env", [{"HEADRACE_NUM_THREADS": "3,2"}, {"HEADRACE_CPU": "avx2", "HEADRACE_EXPLAIN": "0"}])
def test_an_environment_that_is_right_makes_no_noise(env):
    assert run(ASK, env=env).stderr == ""


def test_what_is_set_comes_before_the_environment():
    code = """
        import headrace as hr
        hr.set_num_threads(2)
        print(hr.get_num_threads())
        hr.set_num_threads(None)
        print(hr.get_num_threads())
    """
    assert output(code, env={"HEADRACE_NUM_THREADS": "5"}).split() == ["2", "5"]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_affinity_is_respected():
    code = """
        import os
        one = min(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {one})
        import headrace as hr
        print(hr.get_num_threads())
    """
    assert output(code) == "1"
    assert int(output(ASK)) <= len(os.sched_getaffinity(0))


COUNT = """
    import os, time
    def threads():  # one that was joined may be listed for a moment
        return min(len(os.listdir("/proc/self/task")) for _ in range(20) if not time.sleep(0.01))
    import headrace as hr, array
    big = hr.as_tensor(array.array("f", [0]) * 3000000)
    def work(n=8): return hr.cast(big, dtype="u8", batch_size=n)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no /proc here")
@pytest.mark.parametrize("code, want", [
    ("print(threads())", [1]),
    ("hr.set_num_threads(4); print(threads())", [1]),
    ("hr.set_num_threads(4); hr.cast([1], dtype='u8'); print(threads())", [1]),
    ("hr.set_num_threads(4); work(); print(threads())", [4]),
    ("hr.set_num_threads(1); work(); print(threads())", [1]),
    ("hr.set_num_threads(4); work(); hr.set_num_threads(2); print(threads()); work(); "
     "print(threads())", [1, 2]),
    ("c = hr.EvalContext(num_threads=3); c.__enter__(); work(); print(threads()); "
     "c.__exit__(None, None, None); del c; print(threads())", [3, 1]),
    ("hr.set_num_threads(3); work(); hr._core.shut_down(); print(threads()); work(); "
     "print(threads())", [1, 3])])
def test_threads_start_with_the_first_work_and_end_with_the_pool(code, want):
    got = output(COUNT.replace("\n    ", "\n") + code)
    assert [int(n) for n in got.split()] == want


def test_the_gil_is_let_go_during_long_work():
    code = """
        import array, threading, time
        import headrace as hr
        big = hr.as_tensor(array.array("f", [0]) * 4000000)
        ticks, stop = [], threading.Event()
        def tick():
            while not stop.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)
        t = threading.Thread(target=tick)
        hr.set_num_threads(1)
        t.start()
        start = time.perf_counter()
        for _ in range(5):
            hr.cast(big, dtype="f64", batch_size=4)
        end = time.perf_counter()
        stop.set(); t.join()
        inside = [x for x in ticks if start < x < end]
        print(len(inside) > 10 or end - start < 0.05)
    """
    assert output(code) == "True"


def test_the_pool_is_replaced_while_others_use_it():
    code = """
        import array, threading
        import headrace as hr
        big = hr.as_tensor(array.array("f", [0]) * 300000)
        errors = []
        def work():
            try:
                for _ in range(60):
                    hr.cast(big, dtype="u8", batch_size=8)
            except BaseException as e:
                errors.append(e)
        ts = [threading.Thread(target=work) for _ in range(3)]
        for t in ts: t.start()
        n = 1
        while any(t.is_alive() for t in ts):
            hr.set_num_threads(n % 4 + 1)
            n += 1
        for t in ts: t.join()
        print(errors, n > 1)
    """
    assert output(code) == "[] True"


@pytest.mark.parametrize("level", ["base", "avx2", "avx512"])
def test_the_environment_lowers_the_cpu_level(level):
    code = "from headrace import _core; print(_core.cpu_level())"
    order = ["base", "avx2", "avx512"]
    most = output(code)
    assert output(code, env={"HEADRACE_CPU": level}) == min(level, most, key=order.index)
    wrong = run(code, env={"HEADRACE_CPU": "nonsense"})
    assert wrong.stdout.strip() == most
    assert "HEADRACE_CPU is 'nonsense', it must be base or avx2 or avx512" in wrong.stderr
