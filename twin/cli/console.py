"""Where a command speaks: results to standard output, all else to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

import pydantic_core

from ..errors import Problem, ScenarioError, TraceError, TurnError, TwinError
from .progress import Progress


class InputError(TwinError):
    """A command line asks for what cannot be; nothing was run."""


BAD_INPUT = (InputError, ScenarioError, TraceError, TurnError)
"""Errors of what was asked; any other is of the run."""


class OutputError(TwinError):
    """Results cannot be written where they should go."""


class ReaderGone(Exception):
    """Whoever read the results has gone away, as `head` does; no more is to be said."""


class Console:
    """The two streams of a command; `quiet` leaves out progress and notes, not errors."""

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.out = out if out is not None else sys.stdout
        self.err = err if err is not None else sys.stderr
        self.quiet = quiet
        self.clock = clock
        for stream in (self.out, self.err):
            if hasattr(stream, "reconfigure"):  # a terminal that lacks a sign gets a question mark
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]

    def put(self, text: str) -> None:
        """Write results; ReaderGone or OutputError when nobody takes them."""
        if self.out is None:
            raise OutputError(Problem("standard output", "closed", "leave it open, or use --out"))
        try:
            self.out.write(text if text.endswith("\n") else f"{text}\n")
            self.out.flush()
        except BrokenPipeError:
            _silence(self.out)
            raise ReaderGone from None
        except OSError as error:
            _silence(self.out)
            reason = (error.strerror or "an error").lower()
            remedy = f"cannot be written: {reason}; make room, or send it elsewhere"
            raise OutputError(Problem("standard output", "", remedy)) from None

    def note(self, text: str) -> None:
        """Tell something beside the results."""
        if not self.quiet:
            self.error(text)

    def error(self, text: str) -> None:
        """Tell what went wrong; a broken standard error is no further trouble."""
        if self.err is not None:  # print would turn to standard output
            with contextlib.suppress(OSError, ValueError):
                print(text, file=self.err, flush=True)

    def progress(self, title: str) -> Progress:
        """A bar, or a line now and then, for long work."""
        return Progress(title, None if self.quiet else self.err, self.clock)


def json_text(data: Any) -> str:
    """Results as JSON for programs, ASCII only; what is not finite is null."""
    written = pydantic_core.to_json(data, indent=2, inf_nan_mode="null", ensure_ascii=True)
    return written.decode()


def _silence(stream: TextIO) -> None:
    """Let the interpreter's last flush of a dead stream go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
