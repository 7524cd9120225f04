"""A warmed state, made once, from which every test starts a cluster of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.deployments import shipped
from tests.web.emulator.pages import FakeClock
from web.emulator.cluster import Cluster
from web.emulator.warming import warmed


@pytest.fixture(scope="session")
def warm_state() -> bytes:
    """The published deployment after ten simulated minutes."""
    return warmed(shipped("pdd_43a_32b"), 1, 600.0)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def start(warm_state: bytes, clock: FakeClock) -> Callable[..., Cluster]:
    """Starts a cluster of the published deployment on `clock`."""

    def make(**more: float | bool) -> Cluster:
        return Cluster(shipped("pdd_43a_32b"), 1, clock, checkpoint=warm_state, **more)  # type: ignore[arg-type]

    return make
