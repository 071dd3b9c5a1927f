"""The command line: headrace info, explain, inspect, check, index, demo."""

from __future__ import annotations

import argparse
import os
import sys

from . import _core


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headrace", description="Feeds models on CPU machines.")
    parser.add_argument("--version", action="version", version=_core.version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    info = commands.add_parser("info", help="build, codecs and their versions, CPU level, threads")
    info.add_argument("--json", action="store_true", help="as JSON")
    demo = commands.add_parser(
        "demo", help="the main job on real photos: read, decode, random crop, flip, normalize")
    demo.add_argument("folder", nargs="?", help="photos (JPEG, PNG); default: those that "
                      "scikit-image and scikit-learn ship")
    demo.add_argument("--out", default="demo-out", help="folder for the page (default: demo-out)")
    demo.add_argument("--batch-size", type=int, help="default: a third of the photos, at most 16")
    demo.add_argument("--epochs", type=int, default=8)
    demo.add_argument("--seed", type=int, default=7)
    demo.add_argument("--json", action="store_true", help="the table as JSON")
    check = commands.add_parser(
        "check", help="looks for damage in pictures, arrays, tar archives and record files")
    check.add_argument("files", nargs="+", metavar="FILE", help="a file, or a folder: all below it")
    check.add_argument("--json", action="store_true", help="every file, as JSON")
    index = commands.add_parser("index", help="writes the index of a WebDataset tar archive")
    index.add_argument("archive")
    index.add_argument("index", nargs="?", help="default: the archive's name with .idx")
    index.add_argument("--json", action="store_true", help="tells what was written, as JSON")
    explain = commands.add_parser(
        "explain", help="runs a script and tells which calls of its captured loops are captured, and why "
                        "the others are not")
    explain.add_argument("--static", action="store_true",
                         help="only reads it: which arguments can be proven constant")
    explain.add_argument("--json", action="store_true",
                         help="as JSON; what the script prints goes to stderr")
    explain.add_argument("script")
    explain.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT",
                         help="the script's own")
    inspect = commands.add_parser(
        "inspect", help="runs a script and prints the execution graphs of a model that it calls")
    inspect.add_argument("--json", action="store_true",
                         help="as JSON; what the script prints goes to stderr")
    inspect.add_argument("--free", action="append", default=[], metavar="ARGUMENT",
                         help="an argument whose values make no graphs; repeatable")
    inspect.add_argument("target", metavar="SCRIPT:NAME",
                         help="the script, and the name that it gives the model, such as train.py:model")
    inspect.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT",
                         help="the script's own")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Exit codes: 0 fine, 1 a finding or failure, 2 wrong usage."""
    args = _parser().parse_args(argv)
    if args.command == "inspect":
        from .graphs._inspect_command import inspect_script

        return inspect_script(args)
    if args.command == "explain":
        from ._explain_command import explain_script

        return explain_script(args)
    if args.command == "demo":
        from ._demo import run_demo

        return run_demo(args)
    try:
        code = _look(args)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough: `headrace check … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    return code


def _look(args: argparse.Namespace) -> int:
    """What only looks at files and at the build."""
    if args.command == "check":
        from ._files import check as check_files

        return check_files(args.files, args.json)
    if args.command == "index":
        from ._files import index as write_index

        return write_index(args.archive, args.index, args.json)
    from ._info import print_info

    return print_info(args.json)


if __name__ == "__main__":
    sys.exit(main())
