"""Efficiencies fitted to all measurements, by chip and model, and how well they predict.

One pooled default is fitted to everything. Each group (model, chip) is then fitted to its own
measurements with the default as prior. For the test, a whole group is left out: the default is
fitted anew without it, and its siblings, groups of the same chip or the same model, are fitted
with that default as prior; a group without siblings is predicted from the default itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..physics.aggregated import Efficiencies, FullSpeed, seconds
from . import fitting
from .catalogue import chips, models, shelf
from .fitting import Fitted, Vector
from .measurements import Measurement, points, rows
from .work import Task, full_speed

Group = tuple[str, str]
"""Model and chip."""


@dataclass(frozen=True)
class Errors:
    """Relative errors |modelled / measured - 1| of some measurements."""

    count: int
    median: float | None
    mean: float | None
    p90: float | None

    @classmethod
    def of(cls, modelled: Vector, measured: Vector) -> Errors:
        """Their number, median, mean and 90th percentile; None of nothing."""
        if len(measured) == 0:
            return cls(0, None, None, None)
        errors = np.abs(modelled / measured - 1)
        quantiles = np.quantile(errors, [0.5, 0.9])
        return cls(len(errors), float(quantiles[0]), float(errors.mean()), float(quantiles[1]))


@dataclass(frozen=True)
class GroupFit:
    """One chip with one model: its efficiencies, which of them its data determine, and errors.

    `rows` counts rows of aggregated serving, `points` published values. Errors are of both
    together; `ttft_ratio` is the median of the measured TTFT over the time of a prompt alone.
    """

    model: str
    chip: str
    rows: int
    points: int
    siblings: int
    efficiencies: Efficiencies
    determined: tuple[bool, ...]
    in_sample: Errors
    left_out: Errors
    ttft_ratio: float | None


@dataclass(frozen=True)
class PointFit:
    """One published value beside the model; None where it cannot be predicted."""

    measured: Measurement
    in_sample: float | None
    left_out: float | None


@dataclass(frozen=True)
class HardwareFit:
    """The pooled default with its uncertainty, all groups, all points, and the errors of the rows.

    `low` and `high` hold two thirds of what groups would have where their data determine it.
    `pooled_only`: errors of the rows with the one default for all groups.
    """

    pooled: Efficiencies
    pooled_determined: tuple[bool, ...]
    low: Efficiencies
    high: Efficiencies
    groups: tuple[GroupFit, ...]
    points: tuple[PointFit, ...]
    pooled_only: Errors
    in_sample: Errors
    left_out: Errors

    def of(self, model: str, chip: str) -> Efficiencies:
        """The efficiencies of a group, or the pooled default where nothing was measured."""
        known = {(group.model, group.chip): group.efficiencies for group in self.groups}
        return known.get((model, chip), self.pooled)


@dataclass(frozen=True)
class _Data:
    """The measurements that take part in the fit, as arrays; groups by number."""

    tasks: tuple[Task, ...]

    @cached_property
    def full(self) -> FullSpeed:
        return full_speed(self.tasks)

    @cached_property
    def measured_s(self) -> Vector:
        return np.array([task.measured.seconds for task in self.tasks])

    @cached_property
    def names(self) -> list[Group]:
        return list(dict.fromkeys(task.measured.group for task in self.tasks))

    @cached_property
    def group(self) -> Vector:
        number = {name: i for i, name in enumerate(self.names)}
        return np.array([number[task.measured.group] for task in self.tasks])

    def fit(self, chosen: Vector, prior: Vector, sd: float) -> Fitted:
        """Efficiencies of the chosen measurements, large groups held back."""
        which = np.unique(self.group[chosen], return_inverse=True)[1]
        full = fitting.part_of(self.full, chosen)
        weights = fitting.balanced(which)
        return fitting.fit(full, self.measured_s[chosen], weights, prior, sd)

    def predicted(self, chosen: Vector, reached: Efficiencies) -> Vector:
        """Modelled times of the chosen measurements, in s."""
        return np.asarray(seconds(fitting.part_of(self.full, chosen), reached))


def tasks(measured: Sequence[Measurement]) -> list[Task]:
    """The measurements that can be predicted, each with its chip and model from the shelf."""
    parts = shelf()
    known_chips = chips(list(parts.parts("chips").values()))
    known_models = models(list(parts.parts("models").values()))
    return [Task(m, known_chips[m.chip], known_models[m.model]) for m in measured if not m.why_not]


def calibrate_hardware(
    measured_rows: Sequence[Measurement] | None = None,
    measured_points: Sequence[Measurement] | None = None,
) -> HardwareFit:
    """Fit everything (the measurements that come with the twin); pure but for reading them."""
    of_rows = rows() if measured_rows is None else list(measured_rows)
    of_points = points() if measured_points is None else list(measured_points)
    used = [m for m in of_points if not m.in_rows]
    data = _Data(tuple(tasks([*of_rows, *used])))
    everything = np.ones(len(data.tasks), bool)
    prior = fitting.to_vector(fitting.PRIOR)
    pooled = data.fit(everything, prior, fitting.PRIOR_SD)
    own = [data.fit(data.group == i, pooled.vector, fitting.GROUP_SD) for i in _numbers(data)]
    others = [_left_out(data, i, prior) for i in _numbers(data)]
    return _assembled(data, of_points, pooled, own, others)


def _numbers(data: _Data) -> range:
    return range(len(data.names))


def siblings(names: Sequence[Group], name: Group) -> list[int]:
    """Numbers of the other groups of the same chip or the same model."""
    return [
        i
        for i, other in enumerate(names)
        if other != name and (other[0] == name[0] or other[1] == name[1])
    ]


def _left_out(data: _Data, number: int, prior: Vector) -> Efficiencies:
    """What all other groups say of one group."""
    default = data.fit(data.group != number, prior, fitting.PRIOR_SD)
    near = siblings(data.names, data.names[number])
    if not near:
        return default.efficiencies
    chosen = np.isin(data.group, near)
    return data.fit(chosen, default.vector, fitting.GROUP_SD).efficiencies


def _assembled(
    data: _Data,
    of_points: Sequence[Measurement],
    pooled: Fitted,
    own: Sequence[Fitted],
    others: Sequence[Efficiencies],
) -> HardwareFit:
    inside, outside = (np.empty(len(data.tasks)) for _ in range(2))
    for i in _numbers(data):
        chosen = data.group == i
        inside[chosen] = data.predicted(chosen, own[i].efficiencies)
        outside[chosen] = data.predicted(chosen, others[i])
    is_row = np.array([not task.measured.point for task in data.tasks])
    everything = np.ones(len(data.tasks), bool)
    by_default = data.predicted(everything, pooled.efficiencies)
    low, high = _spread(pooled, own)
    measured = data.measured_s
    return HardwareFit(
        pooled=pooled.efficiencies,
        pooled_determined=fitting.determined(pooled, fitting.PRIOR_SD),
        low=low,
        high=high,
        groups=tuple(_group(data, i, own[i], inside, outside) for i in _numbers(data)),
        points=tuple(_points(data, of_points, own, others)),
        pooled_only=Errors.of(by_default[is_row], measured[is_row]),
        in_sample=Errors.of(inside[is_row], measured[is_row]),
        left_out=Errors.of(outside[is_row], measured[is_row]),
    )


def _spread(pooled: Fitted, own: Sequence[Fitted]) -> tuple[Efficiencies, Efficiencies]:
    """One sd between groups on each side of the default, from the groups that determine it.

    Where fewer than three groups determine a parameter, the spread that was assumed for a group.
    """
    sd = np.full(len(pooled.vector), fitting.GROUP_SD)
    known = np.array([fitting.determined(fit, fitting.GROUP_SD) for fit in own])
    apart = np.array([fit.vector - pooled.vector for fit in own])
    for k in range(len(sd)):
        if known[:, k].sum() >= 3:
            sd[k] = np.sqrt(np.mean(apart[known[:, k], k] ** 2))
    low, high = pooled.vector - sd, pooled.vector + sd
    return fitting.from_vector(low), fitting.from_vector(high)


def _group(data: _Data, number: int, own: Fitted, inside: Vector, outside: Vector) -> GroupFit:
    chosen = data.group == number
    of_points = sum(1 for i in np.flatnonzero(chosen) if data.tasks[i].measured.point)
    measured = data.measured_s[chosen]
    return GroupFit(
        model=data.names[number][0],
        chip=data.names[number][1],
        rows=int(chosen.sum()) - of_points,
        points=of_points,
        siblings=len(siblings(data.names, data.names[number])),
        efficiencies=own.efficiencies,
        determined=fitting.determined(own, fitting.GROUP_SD),
        in_sample=Errors.of(inside[chosen], measured),
        left_out=Errors.of(outside[chosen], measured),
        ttft_ratio=_ttft_ratio([data.tasks[i] for i in np.flatnonzero(chosen)], own.efficiencies),
    )


def _ttft_ratio(of_group: Sequence[Task], reached: Efficiencies) -> float | None:
    """Measured TTFT over the prefill of one prompt on an idle group of chips, the median."""
    told = [task for task in of_group if task.measured.ttft_s is not None]
    if not told:
        return None
    alone = [replace(t, measured=replace(t.measured, kind="first token")) for t in told]
    ttft = np.array([task.measured.ttft_s for task in told], float)
    return float(np.median(ttft / seconds(full_speed(alone), reached)))


def _points(
    data: _Data,
    of_points: Sequence[Measurement],
    own: Sequence[Fitted],
    others: Sequence[Efficiencies],
) -> list[PointFit]:
    found = []
    for measured in of_points:
        if measured.why_not:
            found.append(PointFit(measured, None, None))
            continue
        number = data.names.index(measured.group)
        full = full_speed(tasks([measured]))
        inside = float(seconds(full, own[number].efficiencies)[0])
        outside = float(seconds(full, others[number])[0])
        found.append(PointFit(measured, measured.as_shown(inside), measured.as_shown(outside)))
    return found
