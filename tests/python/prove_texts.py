"""Functions made from text, for the prover's tests."""
import linecache
import textwrap

from prove_bodies import op

import headrace as hr
from headrace.capture import reasons


def load(text, filename, **names):
    space = {"op": op, "hr": hr, "__name__": "made", **names}
    exec(compile(textwrap.dedent(text), filename, "exec"), space)
    return space


def put_cell(name, text):
    """As notebooks and newer shells do: the text of a cell, known only to linecache."""
    text = textwrap.dedent(text)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def only_code(proof):
    """The reason that all arguments share."""
    assert {type(a) for a in proof.arguments} == {reasons.Reason}, proof
    code, = {a.code for a in proof.arguments}
    return code
