"""What the series of a role say of each quantity at a moment, and in which state they say it.

Value, absent, stale, censored and failed are five different things: a missing metric is not 0, a
ratio without traffic is none, and a quantile above the last bucket is a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .merging import Found, merged
from .parts import MEAN, Asked, Part, State, Within, part_of
from .quantities import QUANTITIES
from .rates import interval_ms
from .series import Family, Gap, Series
from .targets import Moment, Targets
from .vocabulary import HOWS, LAYERS, alternatives, engines_of, fits

__all__ = [
    "MEAN", "Asked", "Course", "Moment", "Reading", "Role", "State", "Within", "course",
    "least_window_ms", "of_role", "reading", "readings",
]  # fmt: skip

QUANTILES = (0.5, 0.9, 0.99)

LEAST_SAMPLES = 4
"""So many scrape intervals make a window in which a counter can be rated, one miss included."""


@dataclass(frozen=True)
class Reading:
    """One quantity of one role at one moment.

    `value` only with state "value". A censored one has `low`, which it cannot lie below, and
    `high` where that is known; with a value they are what layouts that differ say alone. `at_ms` is
    the newest sample, `since_ms` the last one before silence. `evidence` are the requests, tokens
    or replicas behind it; `source` says what was read, `reason` why there is no value.
    """

    role: str
    quantity: str
    unit: str
    state: State
    value: float | None = None
    low: float | None = None
    high: float | None = None
    at_ms: int | None = None
    since_ms: int | None = None
    evidence: float = 0.0
    source: str = ""
    reason: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Role:
    """Which series speak for a role: all labels of `match` fit; `~` begins a regular expression.

    `dc` is its datacenter, `device` the network device that counts. `kv_bytes_per_token` is of the
    served model: without it an engine that only counts what it moved tells no hits.
    """

    name: str
    match: Mapping[str, str]
    dc: str | None = None
    device: str | None = None
    kv_bytes_per_token: float | None = None

    def targets(
        self, series: Iterable[Series], families: Mapping[str, Family] | None = None
    ) -> Targets:
        """Its targets among all series."""
        mine = of_role(series, self.match)
        return Targets(mine, families, self.device, self.kv_bytes_per_token)


def of_role(series: Iterable[Series], match: Mapping[str, str]) -> list[Series]:
    """The series whose labels fit a role."""
    return [one for one in series if fits(one.id, match)]


def least_window_ms(series: Iterable[Series]) -> int | None:
    """The shortest window that says something of these series: four of their scrape intervals."""
    usual = [found for one in series if (found := interval_ms(one.time_ms)) is not None]
    return round(LEAST_SAMPLES * max(usual)) if usual else None


def reading(
    role: str,
    quantity: str,
    series: Sequence[Series] | Targets,
    moment: Moment,
    q: Asked = MEAN,
) -> Reading:
    """What a role's series say; of a histogram the quantile `q`, its mean, or a share `Within`.

    `series` are those of the role alone: from `moment.from_ms` on, and a sample before it.
    """
    targets = series if isinstance(series, Targets) else Targets(series)
    name, unit = _called(quantity, q)
    found = _found(quantity, targets, moment, q)
    if found is not None:
        return Reading(role, name, unit, **found.told())
    return Reading(role, name, unit, "absent", reason=_not_offered(quantity, targets))


def _called(quantity: str, q: Asked) -> tuple[str, str]:
    """Name and unit of what is asked for: `ttft`, `ttft_p90`, `ttft_within_30`."""
    if isinstance(q, Within):
        return f"{quantity}_within_{q.limit:g}", ""
    name = quantity if q == MEAN else f"{quantity}_p{100 * float(q):g}"
    return name, QUANTITIES[quantity].unit


def _found(quantity: str, targets: Targets, moment: Moment, q: Asked) -> Found | None:
    """From the first layer and way that gives a value; else from the first that is there."""
    groups: dict[tuple[str, str], list[Part]] = {}
    for target in targets.all:
        best: Part | None = None
        for way in alternatives(quantity):
            part = part_of(way, target, targets, moment, q)
            best = part if best is None or (part and part.state == "value") else best
            if best is not None and best.state == "value":
                break
        if best is not None:
            groups.setdefault((best.way.layer, best.way.how), []).append(best)
    if not groups:
        return None
    told = [merged(parts, QUANTITIES[quantity], q) for parts in _in_order(groups)]
    return next((one for one in told if one.state in ("value", "censored")), told[0])


def _in_order(groups: Mapping[tuple[str, str], list[Part]]) -> list[list[Part]]:
    where = {layer: index for index, layer in enumerate(LAYERS)}
    how = {one: index for index, one in enumerate(HOWS)}
    keys = sorted(groups, key=lambda key: (where[key[0]], how[key[1]]))
    return [groups[key] for key in keys]


def _not_offered(quantity: str, targets: Targets) -> str:
    """Which names were tried: those of the engines that are there, of all when none is known."""
    if not targets.all:
        return "no series of this role"
    engines = engines_of(name for target in targets.all for name in target.names())
    ways = [way for way in alternatives(quantity) if not way.alias]
    mine = [way for way in ways if way.engine in engines] if engines else ways
    tried = list(dict.fromkeys(name for way in mine for name in way.names))
    announced = [way.names[0] for way in mine if way.names[0] in targets.families]
    if announced:
        return f"{announced[0]} is announced, but has no samples that can be read"
    if not tried:
        return f"not offered by {', '.join(engines)}"
    return f"not offered: none of {', '.join(tried)}"


def readings(
    series: Sequence[Series],
    roles: Iterable[Role],
    at_ms: int,
    window_ms: int,
    *,
    every_ms: int = 5_000,
    quantities: Sequence[str] | None = None,
    quantiles: Sequence[float] = QUANTILES,
    gaps: Sequence[Gap] = (),
    families: Mapping[str, Family] | None = None,
) -> list[Reading]:
    """Every quantity of every role at a moment: means, and the quantiles of histograms.

    `series` are the raw ones of all targets, `gaps` those of the ledger: a window that one falls
    into is marked. Quantities without a value are there too, with their state and reason.
    """
    moment = Moment(at_ms, window_ms, every_ms)
    holes = [one for one in gaps if one.from_ms < at_ms and one.to_ms > moment.from_ms]
    found: list[Reading] = []
    for role in roles:
        mine = of_role(series, role.match)
        targets = role.targets(mine, families)
        instances = {one.id.label("instance") for one in mine}
        mark = any(one.target is None or one.target in instances for one in holes)
        for name in quantities or QUANTITIES:
            asked = (MEAN, *quantiles) if QUANTITIES[name].merge == "histogram" else (MEAN,)
            for q in asked:
                one = reading(role.name, name, targets, moment, q)
                marked = mark and one.state in ("value", "censored") and "gap" not in one.marks
                found.append(replace(one, marks=(*one.marks, "gap")) if marked else one)
    return found


@dataclass(frozen=True)
class Course:
    """One quantity of a role over time, a reading for each step."""

    role: str
    quantity: str
    unit: str
    readings: tuple[Reading, ...]
    time_ms: NDArray[np.int64]

    @property
    def value(self) -> NDArray[np.float64]:
        """Values in `unit`; NaN, a gap in a line, where there is none."""
        told = [np.nan if one.value is None else one.value for one in self.readings]
        return np.array(told, np.float64)

    @property
    def states(self) -> tuple[State, ...]:
        """The state at each step."""
        return tuple(one.state for one in self.readings)


def course(
    role: Role,
    quantity: str,
    series: Sequence[Series],
    from_ms: int,
    to_ms: int,
    step_ms: int,
    *,
    window_ms: int | None = None,
    every_ms: int = 5_000,
    q: Asked = MEAN,
    families: Mapping[str, Family] | None = None,
) -> Course:
    """A quantity at from_ms + step_ms, ... up to to_ms, each over the window before it.

    The window is a step, when that holds enough samples, else the least that does.
    """
    mine = of_role(series, role.match)
    targets = role.targets(mine, families)
    window = window_ms or max(step_ms, least_window_ms(mine) or 0)
    times = np.arange(from_ms + step_ms, to_ms + 1, step_ms, dtype=np.int64)
    told = tuple(
        reading(role.name, quantity, targets, Moment(int(at), window, every_ms), q) for at in times
    )
    return Course(role.name, *_called(quantity, q), told, times)
