"""The comparison that the claims are judged by, made once for all of them."""

from __future__ import annotations

import pytest

from twin.claims import CROSS_DC, PDD, SAME_DC
from twin.compare import Comparison, compare
from twin.scenario_file import load, shipped_folder

SEEDS = range(6)


@pytest.fixture(scope="session")
def published() -> Comparison:
    """Six seeds of the deployments as shipped, with their capacities: about a CPU minute."""
    folder = shipped_folder()
    scenarios = [load(folder / f"{name}.yaml") for name in (SAME_DC, CROSS_DC, PDD)]
    return compare(scenarios, SEEDS, workers=2)
