"""Reading the emulator's pages in tests, in simulated time, with Prometheus's own parser."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.parser import text_string_to_metric_families

from twin.engine.observer import MD, PB, RLD, P
from web.emulator.cluster import Cluster, PageDown

UNIX_S = 1_800_000_000.0
ENGINES = (P, RLD, MD, PB)

Key = tuple[str, tuple[tuple[str, str], ...]]


class FakeClock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.now = UNIX_S

    def __call__(self) -> float:
        return self.now


def read(page: str) -> dict[Key, float]:
    """Every sample of a page by name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(page)
        for sample in family.samples
    }


def lines(page: str) -> dict[str, float]:
    """Every sample of a page by its text before the value: quicker than `read`."""
    found = (line.rpartition(" ") for line in page.splitlines() if not line.startswith("#"))
    return {series: float(value) for series, _, value in found}


def total(page: str, name: str, **labels: str) -> float:
    """Sum of the samples of a name that have these labels; KeyError when there is none."""
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    found = [
        value
        for series, value in lines(page).items()
        if series.partition("{")[0] == name and all(label in series for label in wanted)
    ]
    if not found:
        raise KeyError(name)
    return sum(found)


def of_role(cluster: Cluster, role: str, name: str, **labels: str) -> float:
    """The same over all instances of a role."""
    instances = [t.instance for t in cluster.targets() if t.role == role]
    return sum(total(cluster.page(role, i), name, **labels) for i in instances)


def readable(cluster: Cluster) -> Iterator[tuple[str, int, str]]:
    """Role, instance and page of every target that answers."""
    for role, instance, _ in cluster.targets():
        try:
            yield role, instance, cluster.page(role, instance)
        except PageDown:
            continue
