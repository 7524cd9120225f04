"""How far long work is: a bar on a terminal, elsewhere a plain line now and then."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

REDRAWN_EVERY_S = 0.1
LINE_EVERY_S = 10.0
BAR = 30


class Progress:
    """A context; call it with the share done, 0 to 1, or with jobs done and jobs in all.

    `stream` is None to stay silent. `clock` gives seconds of the wall clock.
    """

    def __init__(self, title: str, stream: TextIO | None, clock: Callable[[], float]) -> None:
        self.title = title
        self.stream = stream
        self.clock = clock
        self.began = self.told = clock()
        self.width = 0
        self.terminal = _is_terminal(stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.terminal and self.width:
            self._write("\r" + " " * self.width + "\r")

    def __call__(self, done: float, total: float = 1.0) -> None:
        now = self.clock()
        if now - self.told < (REDRAWN_EVERY_S if self.terminal else LINE_EVERY_S):
            return
        self.told = now
        share = min(max(done / total, 0.0), 1.0) if total else 1.0
        words = f"{self.title}: {100 * share:.0f} %{_times(share, now - self.began)}"
        if not self.terminal:
            self._write(f"{words}\n")
            return
        filled = round(BAR * share)
        line = f"[{'#' * filled}{'.' * (BAR - filled)}] {words}"
        self._write("\r" + line.ljust(self.width))
        self.width = len(line)

    def _write(self, text: str) -> None:
        if self.stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self.stream.write(text)
                self.stream.flush()


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except (ValueError, AttributeError):
        return False


def _times(share: float, spent_s: float) -> str:
    if share <= 0:
        return f", {spent_s:.0f} s so far"
    return f", {spent_s:.0f} s so far, {spent_s * (1 - share) / share:.0f} s to go"
