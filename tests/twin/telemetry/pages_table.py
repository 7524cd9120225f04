"""Every quantity against every public page: `python -m tests.twin.telemetry.pages_table`.

A page is one scrape, so its counters are read as if they had begun at zero a minute before.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from tests.twin.telemetry.recorded import METRICS
from twin.telemetry.exposition import read_page
from twin.telemetry.quantities import QUANTITIES
from twin.telemetry.series import Page, Series, family_of
from twin.telemetry.signals import MEAN, Moment, Reading, Targets, reading
from twin.telemetry.vocabulary import unmapped

MINUTE_MS = 60_000
MOMENT = Moment(MINUTE_MS, MINUTE_MS, MINUTE_MS)
CUMULATIVE = ("counter", "histogram", "summary")

SECTION_2 = (
    "request_rate", "ttft", "itl", "e2e", "running", "waiting", "prompt_rate", "output_rate",
    "prefix_hit", "drc_hit", "kv_rate", "kv_transfer_time", "transfers_waiting",
    "kv_bytes_per_token", "kv_use", "spec_acceptance", "nic_rate", "gpu_busy",
)  # fmt: skip
"""What can be asked of any engine; the other quantities come after."""


def page_of(path: Path) -> Page:
    """A page from a file, its last line ended."""
    body = path.read_bytes()
    return read_page(body if body.endswith(b"\n") else body + b"\n")


def minute(page: Page) -> Targets:
    """Two samples of each series, a minute apart."""
    found = []
    for one, value, _ in page.samples:
        family = family_of(one.name, page.families)
        counts = family is not None and family.kind in CUMULATIVE
        first = 0.0 if counts else value
        found.append(Series(one, np.array([0, MINUTE_MS]), np.array([first, value])))
    return Targets(found, page.families)


def word(found: Reading) -> str:
    """How a cell of the table is written."""
    if found.value is not None:
        return f"{found.value:.4g}"
    if found.state == "censored":
        return f">{found.low:g}"
    return "not offered" if found.reason.startswith("not offered") else found.state


def table(q: float | str = MEAN) -> dict[str, dict[str, str]]:
    """Cells by page and quantity: a value, or its state, or that no name of it is there."""
    names = dict.fromkeys((*SECTION_2, *QUANTITIES))
    found = {}
    for path in sorted(METRICS.glob("*.txt")):
        targets = minute(page_of(path))
        found[path.stem] = {name: word(reading("any", name, targets, MOMENT, q)) for name in names}
    return found


def main(arguments: list[str]) -> None:
    """Print the table, a quantity a row; below it how many families of each page no one reads."""
    cells = table(float(arguments[0]) if arguments else MEAN)
    for number, name in enumerate(cells, start=1):
        print(f"{number:>3} {name}")
    print(f"{'':30}" + "".join(f"{number:>12}" for number in range(1, len(cells) + 1)))
    for name in next(iter(cells.values())):
        unit = QUANTITIES[name].unit
        row = "".join(f"{row[name]:>12}" for row in cells.values())
        print(f"{name + (f' ({unit})' if unit else ''):30}{row}")
    pages = [page_of(path) for path in sorted(METRICS.glob("*.txt"))]
    listed = [len(unmapped((one.name for one, _, _ in p.samples), p.families)) for p in pages]
    print(f"{'unmapped families':30}" + "".join(f"{count:>12}" for count in listed))


if __name__ == "__main__":
    main(sys.argv[1:])
