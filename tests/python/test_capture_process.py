"""Captured loops and the process: fork, exit, Ctrl-C."""
import json
import signal
import subprocess
import sys
import textwrap
import time

import pytest

# Each step's pipeline work takes a while, so that there is always some in the middle.
LOOP = """
import os, sys, threading, signal, time
import headrace as hr

hr.set_num_threads(2)
big = hr.as_batch([hr.full(float(k), shape=[400, 400, 3]) for k in range(3)], layout="HWC")

class Pull:
    calls = 0
    def __call__(self):
        self.calls += 1
        return big

pull = Pull()
source = hr.ExternalSource(pull)

def body(x):
    y = hr.resize(x, size=[700, 600])
    z = hr.resize(y, size=[300, 800])
    return hr.resize(z, size=[50, 50])

def steps(n=10 ** 9, loop=None):
    done = 0
    for x in loop or source.captured(batch_size=3):
        yield body(x)
        done += 1
        if done == n:
            return
"""


@pytest.fixture
def script(tmp_path):
    """A program as a file, whose constants can be read."""
    def write(code):
        path = tmp_path / "program.py"
        path.write_text(LOOP + textwrap.dedent(code))
        return [sys.executable, "-u", str(path)]
    return write


def run(command, timeout=60):
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout)


def output(command):
    done = run(command)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# ---- exit ----------------------------------------------------------------------------------------

ENDS = {
    "the end of the program": ("", 0),
    "sys.exit": ("sys.exit(3)", 3),
    "os._exit": ("os._exit(4)", 4),
    "an exception": ("raise KeyError('mine')", 1),
    "SystemExit in the body": ("for y in running: sys.exit(5)", 5),
    "an exception in the body": ("for y in running: raise KeyError('mine')", 1),
    "a loop in a ring": ("ring = [running]; ring.append(ring); del running", 0),
    "a loop in a module's own place": ("hr.kept = running; del running", 0),
    "atexit": ("import atexit; atexit.register(lambda: next(running).evaluate())", 0),
    "a daemon thread": ("running.close(); threading.Thread(target=lambda: list(steps()), daemon=True).start(); "
                        "time.sleep(0.3)", 0),
    "a thread in the middle": ("running.close(); t = threading.Thread(target=lambda: list(steps(5))); t.start()", 0),
}


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("how", ENDS)
def test_the_process_ends_at_once_with_its_own_status(script, how, n):
    code, status = ENDS[how]
    done = run(script(f"""
        running = steps()
        for _ in range({n}):
            kept = next(running)
        {code}
    """))
    assert done.returncode == status, done.stderr
    assert "Fatal" not in done.stderr and "unraisable" not in done.stderr
    assert ("KeyError" in done.stderr) == ("exception" in how)


def test_a_loop_that_was_never_begun(script):
    assert output(script("loop = source.captured(batch_size=3); print(pull.calls)")) == "0"


# ---- fork ----------------------------------------------------------------------------------------


def test_fork_in_the_middle_of_a_loop(script):
    """The child may use everything eagerly and end; the parent's loop goes on."""
    assert output(script("""
        got = []
        for k, y in enumerate(steps(6)):
            if k in (0, 1, 3):
                pid = os.fork()
                if pid == 0:
                    assert body(big).shape == [(50, 50, 3)] * 3
                    os._exit(7)
                got.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            got.append(y.evaluate().batch_size)
        print(got)
    """)) == "[7, 3, 7, 3, 3, 7, 3, 3, 3]"


@pytest.mark.parametrize("way", ["running.close()", "del running", "pass", "os._exit(0)", "sys.exit(0)"])
def test_fork_in_the_middle_and_the_child_leaves_the_loop(script, way):
    assert output(script(f"""
        running = steps()
        for _ in range(3):
            y = next(running)
        pid = os.fork()
        if pid == 0:
            {way}
            sys.exit(0)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        for _ in range(3):
            next(running).evaluate()
        print(status)
    """)) == "0"


def test_fork_in_the_middle_and_the_child_goes_on_or_begins_anew(script):
    assert output(script("""
        loop = source.captured(batch_size=3)
        running = steps(loop=loop)
        for _ in range(3):
            y = next(running)
        pid = os.fork()
        if pid == 0:
            try:
                for _ in range(3):
                    y = next(running)
                    y.evaluate()
            except RuntimeError as error:
                assert "fork" in str(error), error
                loop.close()
                calls = pull.calls
                for y in steps(4):
                    assert y.evaluate().batch_size == 3
                os._exit(6)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), next(running).evaluate().batch_size)
    """)) == "6 3"


def test_fork_in_the_middle_of_a_loop_over_a_reader(script, tmp_path):
    import numpy as np

    for k in range(8):
        np.save(tmp_path / f"{k}.npy", np.full((3,), k, np.int32))
    assert output(script(f"""
        reader = hr.readers.Numpy(file_root={str(tmp_path)!r})
        def numbers(loop):
            for (x,) in loop:
                hr.cat(x, x)
                yield int(list(x.select(0))[0])
        loop = reader.next_epoch(batch_size=1, capture=True)
        running = numbers(loop)
        got = [next(running) for _ in range(3)]
        pid = os.fork()
        if pid == 0:
            running.close()
            loop.close()
            rest = list(numbers(reader.next_epoch(batch_size=1, capture=True)))
            os._exit(rest[0])
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        print(got, status, list(running))
    """)) == "[0, 1, 2] 3 [3, 4, 5, 6, 7]"


# ---- Ctrl-C --------------------------------------------------------------------------------------


def interrupted(command, after=0.6):
    """Runs the program, interrupts it when it has begun; what it prints, and how long it went on."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, err
    return json.loads(out)


BODIES = {
    "in an endless loop": "y.evaluate()",
    "while it computes": "sum(range(300000))",
    "while it sleeps": "time.sleep(0.1)",
    "without a look": "pass",
}


@pytest.mark.parametrize("where", BODIES)
def test_an_interrupt_comes_soon_and_loses_nothing(script, where):
    assert interrupted(script(f"""
        import json
        seen, at = [], []
        signal.signal(signal.SIGINT, lambda *a: (at.append(time.monotonic()), signal.default_int_handler(*a)))
        try:
            for y in steps():
                seen.append(1)
                if len(seen) == 2:
                    print("ready")
                {BODIES[where]}
        except KeyboardInterrupt:
            soon = time.monotonic() - at[0] < 5
        before = pull.calls
        for y in steps(3):  # the source and its capture are as before
            y.evaluate()
        print(json.dumps([soon, before - len(seen) <= 3]))
    """)) == [True, True]


def test_an_interrupt_in_the_source_loses_none_of_its_items(script):
    """The source raises KeyboardInterrupt itself while steps are pulled ahead."""
    assert output(script("""
        import json
        numbered = iter(range(100))
        raised = []
        def items():
            k = next(numbered)
            if k == 5 and not raised:
                raised.append(k)
                raise KeyboardInterrupt
            return hr.as_batch([hr.full(k, shape=[2])] * 3)
        own = hr.ExternalSource(items)
        got = []
        def walk(n):
            for x in own.captured(batch_size=3):
                hr.cat(x, x)
                got.append(int(list(x.select(0))[0]))
                if len(got) == n:
                    break
        try:
            walk(50)
        except KeyboardInterrupt:
            pass
        seen = len(got)
        walk(20)
        print(json.dumps([seen < 5, got == [k for k in range(21) if k != 5]]))
    """)) == "[true, true]"


def test_an_interrupt_while_a_long_step_is_awaited(script):
    assert interrupted(script("""
        import json
        loop = source.captured(batch_size=3)
        seen = 0
        try:
            for x in loop:
                y = hr.resize(x, size=[2000, 2000])
                y = hr.resize(y, size=[1500, 2500])
                hr.resize(y, size=[50, 50]).evaluate()
                seen += 1
                if seen == 2:
                    print("ready")
        except KeyboardInterrupt:
            pass
        print(json.dumps([threading.active_count(), seen > 1]))
    """)) == [1, True]
