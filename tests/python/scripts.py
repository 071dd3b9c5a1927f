"""Runs small programs in processes of their own."""
import os
import subprocess
import sys
import textwrap


def run(code, timeout=60, check=True, env=None, flags=()):
    """The finished process; with `check`, it must end with 0."""
    full = {k: v for k, v in os.environ.items()
            if k not in ("HEADRACE_NUM_THREADS", "OMP_NUM_THREADS", "HEADRACE_CPU")}
    full.update(env or {})
    done = subprocess.run([sys.executable, *flags, "-c", textwrap.dedent(code)], env=full,
                          capture_output=True, text=True, timeout=timeout)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def output(code, **options):
    return run(code, **options).stdout.strip()
