"""Every quantity against every public page: `python -m tests.twin.telemetry.pages_table`.

A page is one scrape, so its counters are read as if they had begun at zero a minute before.
"""

from __future__ import annotations

import numpy as np

from tests.twin.telemetry.recorded import METRICS
from twin.telemetry.exposition import read_page
from twin.telemetry.quantities import QUANTITIES
from twin.telemetry.series import Page, Series
from twin.telemetry.signals import Moment, Reading, reading

MINUTE_MS = 60_000
MOMENT = Moment(MINUTE_MS, MINUTE_MS)
CUMULATIVE = ("_total", "_sum", "_count", "_bucket")


def minute(page: Page) -> list[Series]:
    """Two samples of each series, a minute apart."""
    found = []
    for one, value, _ in page.samples:
        family = page.families.get(one.name)
        counts = one.name.endswith(CUMULATIVE) or (family is not None and family.kind == "counter")
        first = 0.0 if counts else value
        found.append(Series(one, np.array([0, MINUTE_MS]), np.array([first, value])))
    return found


def word(found: Reading) -> str:
    """How a cell of the table is written."""
    if found.value is not None:
        return f"{found.value:.4g}"
    if found.state == "absent" and found.reason.startswith(("none of", "no engine")):
        return "not offered"
    return found.state if found.state != "error" else "unreliable"


def main() -> None:
    """Print the table, a page a row."""
    print("page," + ",".join(QUANTITIES))
    for path in sorted(METRICS.glob("*.txt")):
        body = path.read_bytes()
        page = read_page(body if body.endswith(b"\n") else body + b"\n")
        series = minute(page)
        cells = [word(reading("any", name, series, MOMENT)) for name in QUANTITIES]
        print(",".join([path.stem, *cells]))


if __name__ == "__main__":
    main()
