"""The words of the command line, what each takes, and the help that tells it."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, TypeAlias

from ..parallel import cores
from ..version import VERSION

COMMANDS = (
    "run", "compare", "capacity", "claims", "prefill-service", "trace", "scenario",
    "calibrate-hardware",
)  # fmt: skip

SEEDS_OF_CLAIMS = 6
"""The bands of the claims are for so many."""

SEEDS_OF_PREFILL_SERVICE = 3

MOST_SEEDS = 10_000
MOST_SEED = 2**53
"""Seeds stay whole numbers in every reader of JSON."""

ABOUT = """\
A digital twin of a two-datacenter LLM deployment: runs it, compares it, finds its capacity.
Results go to standard output, all else to standard error; --json is for programs. A scenario is a
file, or the name of a shipped one such as pdd_43a_32b."""

EXIT_CODES = """\
exit codes:
  0    done
  1    the run failed, its results could not be written, or a claim has left its band
  2    the words or the input are wrong; nothing was run
  130  stopped by Ctrl-C
  141  whoever read the results went away before their end"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence under its usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(2, f"error: {message}\n")


_Words: TypeAlias = "argparse._SubParsersAction[_Parser]"


def parser() -> _Parser:
    """The parser of the whole command line; `command` names the command in what it returns."""
    top = _Parser(
        prog=_program(),
        description=ABOUT,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"pdd-twin {VERSION}")
    words = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _run(words)
    _compare(words)
    _capacity(words)
    _claims(words)
    _prefill_service(words)
    _trace(words)
    _scenario(words)
    _calibrate_hardware(words)
    return top


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line; exits with 2 when it is wrong, with 0 after help."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    top = parser()
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        top.error(f"{words[0]!r} is no command; {_meant(words[0])}")
    args, unknown = top.parse_known_args(words)
    if unknown:
        args.parser.error(_unknown(args.parser, unknown[0]))
    return args


def _program() -> str:
    name = Path(sys.argv[0]).name
    return "python -m twin" if name == "__main__.py" else "pdd-twin"


def _meant(word: str) -> str:
    near = difflib.get_close_matches(word, COMMANDS, n=1)
    return f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"


def _unknown(command: _Parser, word: str) -> str:
    if not word.startswith("-"):
        return f"{word!r} is one word too many"
    option = word.partition("=")[0]
    known = re.findall(r"--[a-z-]+", command.format_usage())
    near = difflib.get_close_matches(option, known, n=1)
    hint = f"did you mean {near[0]}?" if near else "see --help"
    return f"{option} is no option here; {hint}"


def _command(words: _Words, name: str, about: str) -> _Parser:
    command = words.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}.",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(parser=command)
    return command


def _run(words: _Words) -> None:
    run = _command(words, "run", "run a scenario and tell what it showed")
    run.add_argument("scenario", metavar="SCENARIO", help="a file, or a shipped name")
    _load(run)
    _trace_option(run)
    run.add_argument(
        "--series", action="store_true", help="also the course over time (CSV with --out FILE.csv)"
    )
    _output(run)


def _compare(words: _Words) -> None:
    compare = _command(
        words, "compare", "compare deployments on the same requests; the first is the baseline"
    )
    compare.add_argument("scenarios", metavar="SCENARIO", nargs="+", help="files, or shipped names")
    _load(compare)
    _trace_option(compare)
    compare.add_argument(
        "--no-capacity", action="store_true", help="only runs at equal load: no capacity, no BCR"
    )
    compare.add_argument(
        "--sensitivity",
        action="store_true",
        help="change each fitted parameter by 10 %% and tell which claims leave their band",
    )
    _output(compare)


def _capacity(words: _Words) -> None:
    capacity = _command(
        words, "capacity", "find the load at which the required share is just within the SLA"
    )
    capacity.add_argument("scenario", metavar="SCENARIO", help="a file, or a shipped name")
    _load(capacity)
    _output(capacity)


def _claims(words: _Words) -> None:
    claims = _command(words, "claims", "compute the published claims, and tell which hold")
    claims.add_argument(
        "claims", metavar="CLAIM", nargs="*", help="such as C01; all of them unless told"
    )
    _seeds(claims, several=SEEDS_OF_CLAIMS)
    _workers(claims)
    claims.add_argument(
        "--store", action="store_true",
        help="also keep the figures of all claims for the pages that show them",
    )  # fmt: skip
    _output(claims)


def _prefill_service(words: _Words) -> None:
    about = "compute the published figures of Prefill-as-a-Service, and tell which hold"
    service = _command(words, "prefill-service", about)
    _seeds(service, several=SEEDS_OF_PREFILL_SERVICE)
    _workers(service)
    service.add_argument(
        "--store", action="store_true", help="also keep them for the pages that show them"
    )
    _output(service)


def _trace(words: _Words) -> None:
    trace = _command(words, "trace", "tell what a trace holds and which hit rates it allows")
    trace.add_argument("file", metavar="FILE", help="Mooncake JSONL, Azure CSV or Weka; also .gz")
    _output(trace)


def _scenario(words: _Words) -> None:
    scenario = _command(words, "scenario", "look after scenario files")
    actions = scenario.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = _command(actions, "check", "tell everything that is wrong in files, each with its line")
    check.add_argument("files", metavar="FILE", nargs="+", help="files, or shipped names")
    check.add_argument("--json", action="store_true", help="results as JSON")
    check.set_defaults(quiet=False)


def _calibrate_hardware(words: _Words) -> None:
    about = "fit the efficiencies of chips to public measurements, and tell how far off they are"
    _output(_command(words, "calibrate-hardware", about))


def _load(command: argparse.ArgumentParser) -> None:
    """What says which requests are served, and by how many processes."""
    command.add_argument(
        "--set", metavar="PATH=VALUE", action="append", default=[],
        help="change a setting, such as line.bandwidth_gbps=25; may be repeated",
    )  # fmt: skip
    _seeds(command)
    _workers(command)


def _seeds(command: argparse.ArgumentParser, several: int = 1) -> None:
    command.add_argument(
        "--seed", type=_whole("--seed", 0, MOST_SEED), default=0, metavar="N",
        help="the first seed of random numbers (0)",
    )  # fmt: skip
    command.add_argument(
        "--seeds", type=_whole("--seeds", 1, MOST_SEEDS), default=several, metavar="N",
        help=f"how many seeds, one after the other; quantiles of each, then their mean ({several})",
    )  # fmt: skip


def _workers(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--workers", type=_whole("--workers", 1, 512), default=cores(), metavar="N",
        help="processes to share the work (all cores); they change no result",
    )  # fmt: skip


def _trace_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--trace", metavar="FILE", help="serve the requests of a recorded trace instead"
    )


def _output(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="results as JSON")
    command.add_argument("--out", metavar="FILE", help="also write results to a .json or .csv file")
    command.add_argument("--quiet", action="store_true", help="no progress and no notes")


class _whole:  # noqa: N801 - argparse calls it like a type
    """A whole number within bounds; argparse shows the sentence when it is none."""

    def __init__(self, name: str, low: int, high: int) -> None:
        self.name, self.low, self.high = name, low, high

    def __call__(self, word: str) -> int:
        try:
            value = int(word)
        except ValueError:
            value = self.low - 1
        if not self.low <= value <= self.high:
            limits = f"a whole number from {self.low} to {self.high:,}"
            raise argparse.ArgumentTypeError(f"{word!r} will not do: give {limits}")
        return value
