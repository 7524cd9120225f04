"""What the service should have computed, computed here without a service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twin.running import Entry, RunningTwin
from twin.scenario import Scenario
from web.client import Client


def undisturbed(client: Client, twin: str, until: float) -> RunningTwin:
    """The twin made anew from its scenario and its log, and run to `until` without a break."""
    return replayed(*made_of(client, twin), client.twin(twin)["seed"], client.log(twin), until)


def made_of(client: Client, twin: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Scenario and baseline of a twin before any turn; it must not have been turned yet."""
    with client.live(twin) as viewer:
        hello = viewer.until("hello")
    assert hello["log"] == []
    return hello["scenario"], hello["baseline"]


def replayed(
    scenario: dict[str, Any],
    baseline: dict[str, Any] | None,
    seed: int,
    log: Sequence[dict[str, Any]],
    until: float,
) -> RunningTwin:
    """A twin with a log replayed, at `until`."""
    other = None if baseline is None else Scenario.model_validate(baseline)
    twin = RunningTwin(Scenario.model_validate(scenario), other, seed)
    for entry in log:
        twin.advance(entry["at_s"])
        twin.do(Entry.model_validate(entry))
    twin.advance(until)
    return twin
