"""The command line's entry: `python -m twin` and `pdd-twin`; from any end to an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line (the process's own by default); returns the exit code.

    Codes as `--help` tells them. Imports come late, so that Ctrl-C is heard from the start.
    """
    try:
        from .cli.dispatch import carry_out

        return carry_out(arguments)
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("\nstopped; no result was written", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
