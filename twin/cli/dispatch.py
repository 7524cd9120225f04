"""From a parsed command line to its command, and from any error to a sentence and an exit code."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from ..errors import TwinError
from .arguments import parse

FAILED, WRONG, READER_GONE = 1, 2, 141


def carry_out(arguments: Sequence[str] | None) -> int:
    """Carry out the words and return the exit code; Ctrl-C passes through."""
    try:
        args = parse(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else WRONG
    return _carry_out(args)


def _carry_out(args: Namespace) -> int:
    from .console import BAD_INPUT, Console, ReaderGone

    console = Console(quiet=args.quiet)
    try:
        return _function(args.command)(args, console)
    except ReaderGone:
        return READER_GONE
    except TwinError as error:
        console.error(_sentences(error))
        return WRONG if isinstance(error, BAD_INPUT) else FAILED


def _function(command: str) -> Callable[..., int]:
    """`run` is carried out by `run_command` in the file of that name, loaded only when needed."""
    name = f"{command.replace('-', '_')}_command"
    return getattr(import_module(f".{name}", __package__), name)


def _sentences(error: TwinError) -> str:
    """Each problem on a line of its own, under the headline if there is one."""
    first, *more = error.text().splitlines()
    return "\n".join([f"error: {first}", *(f"  {line}" for line in more)])
