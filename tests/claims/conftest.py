"""All claims computed once, for every test of them: about a CPU minute."""

from __future__ import annotations

import pytest

from twin.claims import CROSS_DC, PDD, SAME_DC
from twin.reproduction.compute import SEEDS, compute_all
from twin.reproduction.results import ClaimResult
from twin.reproduction.tasks import Cache, Found
from twin.result import Result

Published = dict[str, list[Result]]


@pytest.fixture(scope="session")
def cache() -> Cache:
    """What the claims were computed from."""
    return Cache()


@pytest.fixture(scope="session")
def computed(cache: Cache) -> dict[str, ClaimResult]:
    """Each claim by its number, over six seeds."""
    return {one.claim: one for one in compute_all(workers=2, cache=cache)}


@pytest.fixture(scope="session")
def published(computed: dict[str, ClaimResult], cache: Cache) -> Published:
    """The runs of the deployments as shipped, one for each seed."""
    found = Found(cache, SEEDS)
    return {name: found.of("run", name) for name in (SAME_DC, CROSS_DC, PDD)}
