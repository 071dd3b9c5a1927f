"""Random calls, both sides:  python -m parity.roam [--peer PYTHON] [--seed N] [--count N] [OP...]

The tables of cases_*.py hold what somebody thought of. This makes calls that nobody thought of: random
shapes, dtypes, layouts and arguments, right ones and ones that contradict each other, and prints each
call whose answer is not the peer's. A find becomes a row of a table. Run from the folder `tests`.
"""
