"""Starts the emulator: `python -m web.emulator scenarios/pdd_43a_32b.yaml`."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twin.errors import Problem, RunError, TwinError
from twin.scenario import Scenario
from twin.scenario_file import load, parse_setting, with_settings

from .cluster import Cluster
from .control import Control, handler
from .scraping import fixed_port, scrape_config, sources
from .serving import HOST, Serving, listen, stop
from .targets import targets_of
from .warming import WARM_S, kept, warmed

PORT = 9400
CANNOT_START = 2
"""Exit code when something a person can mend keeps the emulator from starting."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="python -m web.emulator",
        description="Serve the metrics pages of a deployment that is not there (docs/emulator.md).",
    )
    made.add_argument("scenario", type=Path, help="scenario file of the deployment")
    made.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="SETTING=VALUE",
        help="change a setting, hidden from whoever has the file; may be repeated",
    )
    made.add_argument(
        "--port",
        type=int,
        default=PORT,
        help=f"port of the control endpoint, the pages lie above it ({PORT})",
    )
    made.add_argument("--seed", type=int, default=0, help="seed of the requests (0)")
    made.add_argument(
        "--pace",
        type=float,
        default=1.0,
        help="simulated seconds in each second (1); above it pages run faster",
    )
    made.add_argument(
        "--warm-s",
        type=float,
        default=WARM_S,
        help=f"simulated seconds before the first page ({WARM_S:.0f})",
    )
    made.add_argument(
        "--checkpoint",
        type=Path,
        help="file of the warmed state: read when it is there, else written",
    )
    made.add_argument(
        "--no-frontend",
        action="store_true",
        help="no page of what users see, as where only engines are scraped",
    )
    made.add_argument("--every-s", type=float, default=5.0, help="scrape interval to print (5)")
    made.add_argument(
        "--print-scrape-config",
        action="store_true",
        help="print a configuration for Prometheus and end",
    )
    made.add_argument(
        "--print-sources", action="store_true", help="print a sources file for the ingester and end"
    )
    return made  # fmt: skip


def scenario_of(path: Path, words: Sequence[str]) -> Scenario:
    """The scenario of a file with the settings that were changed; TwinError when it is wrong."""
    changes: dict[str, Any] = dict(parse_setting(word) for word in words)
    scenario = load(path)
    return with_settings(scenario, changes) if changes else scenario


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C or SIGTERM; the exit code."""
    asked = parser().parse_args(arguments)
    try:
        _check(asked)
        scenario = scenario_of(asked.scenario, asked.set)
        if asked.print_scrape_config or asked.print_sources:
            return _print(scenario, asked)
        return _serve(scenario, asked)
    except TwinError as error:
        print(error, file=sys.stderr)
        return CANNOT_START
    except KeyboardInterrupt:
        return 0


def _check(asked: argparse.Namespace) -> None:
    wrong = [
        Problem(f"--{name}", str(value), remedy)
        for name, value, fine, remedy in (
            ("port", asked.port, 1 <= asked.port <= 65_000, "must be from 1 to 65000"),
            ("pace", asked.pace, 0.01 <= asked.pace <= 600, "must be from 0.01 to 600"),
            ("warm-s", asked.warm_s, 0 <= asked.warm_s <= 1e6, "must be from 0 to 1e6"),
            ("every-s", asked.every_s, 0.1 <= asked.every_s <= 3600, "must be from 0.1 to 3600"),
        )
        if not fine
    ]
    if wrong:
        raise RunError(wrong)


def _print(scenario: Scenario, asked: argparse.Namespace) -> int:
    write = scrape_config if asked.print_scrape_config else sources
    targets = targets_of(scenario, not asked.no_frontend)
    sys.stdout.write(write(targets, fixed_port(asked.port), asked.every_s))
    return 0


def _serve(scenario: Scenario, asked: argparse.Namespace) -> int:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    seed, warm_s, path = asked.seed, asked.warm_s, asked.checkpoint
    packed = warmed(scenario, seed, warm_s) if path is None else kept(path, scenario, seed, warm_s)
    cluster = Cluster(
        scenario, seed, time.time, pace=asked.pace, frontend=not asked.no_frontend,
        checkpoint=packed,
    )  # fmt: skip
    with Serving(cluster, fixed_port(asked.port)) as serving:
        control = listen(asked.port, handler(Control(cluster, serving.lock)))
        print(_ready(scenario, asked, len(serving.servers)), flush=True)
        stopped.wait()
        stop(control)
    return 0


def _ready(scenario: Scenario, asked: argparse.Namespace, pages: int) -> str:
    pace = "" if asked.pace == 1 else f", at {asked.pace:g} times the pace"
    return (
        f"{scenario.name} is there with {pages} pages{pace}; control on "
        f"http://{HOST}:{asked.port}/targets; Ctrl-C stops it."
    )


if __name__ == "__main__":
    sys.exit(main())
