"""What runs and capacities of the published deployments say of each claim, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from .averages import mean_of, sd_of
from .claims import CLAIMS, CROSS_DC, PDD, SAME_DC, Band, Claim, Kind
from .compare import Comparison
from .result import Result

Values = list[float | None]


@dataclass(frozen=True)
class Evidence:
    """Runs, and capacities in requests/s, by scenario name; one of each for each seed.

    `costs` are at the lower and the upper end of prices given as ranges, None where none is. What
    was not found out is absent: claims that need it have no verdict.
    """

    runs: Mapping[str, Sequence[Result]]
    capacities: Mapping[str, Sequence[float | None]]
    costs: Mapping[str, tuple[float, float | None]]

    @classmethod
    def of(cls, comparison: Comparison) -> Evidence:
        """What a comparison has found."""
        results = comparison.results
        found = {r.scenario: r.capacity_rps.values for r in results if r.capacity_rps is not None}
        costs = {r.scenario: (r.cost_units, r.cost_units_high) for r in results}
        return cls({r.scenario: r.runs for r in results}, found, costs)


class Verdict(BaseModel):
    """One figure of a claim: ours (mean, spread, each seed) beside the band; ends may be open.

    `value` is what is judged: the mean over seeds, for ratios that of the means. `inside` is None
    where the runs cannot say, and where both ends of the band are open.
    """

    model_config = ConfigDict(frozen=True)

    claim: str
    about: str
    public: str
    kind: Kind
    fitted_by: tuple[str, ...]
    unit: str
    digits: int
    signed: bool
    low: float | None
    high: float | None
    value: float | None
    sd: float | None
    values: list[float | None]
    inside: bool | None


@dataclass(frozen=True)
class Measured:
    """A figure as judged, and of each seed by itself."""

    value: float | None
    values: Values


def _each(runs: Sequence[Result], figure: Callable[[Result], float | None]) -> Measured:
    values = [figure(run) for run in runs]
    return Measured(mean_of(values), values)


def _change(these: Values, those: Values, scale: float = 1.0) -> Measured:
    """By how many percent `these`, scaled, lie above `those`."""

    def percent(a: float | None, b: float | None) -> float | None:
        return None if a is None or not b else 100.0 * (a / b * scale - 1.0)

    values = [percent(a, b) for a, b in zip(these, those, strict=True)]
    return Measured(percent(mean_of(these), mean_of(those)), values)


def _p50(e: Evidence, name: str) -> Values:
    return [run.ttft_s.p50 for run in e.runs[name]]


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _cost(e: Evidence, name: str, high: bool) -> float:
    low, upper = e.costs[name]
    return upper if high and upper is not None else low


def _cost_change(e: Evidence, high: bool) -> Measured:
    return _change([_cost(e, PDD, high)], [_cost(e, SAME_DC, high)])


def _bcr(e: Evidence, high: bool) -> Measured:
    scale = _cost(e, SAME_DC, high) / _cost(e, PDD, high)
    return _change(list(e.capacities[PDD]), list(e.capacities[SAME_DC]), scale)


def _drc_cut(run: Result) -> float | None:
    return run.kv_bytes / run.line_bytes if run.kv_bytes and run.line_bytes else None


MEASURES: dict[tuple[str, str], Callable[[Evidence], Measured]] = {
    ("C01", ""): lambda e: _each(e.runs[SAME_DC], lambda r: r.ttft_s.p50),
    ("C02", ""): lambda e: _each(e.runs[CROSS_DC], lambda r: r.ttft_s.p50),
    ("C03", ""): lambda e: _each(e.runs[CROSS_DC], lambda r: r.ttft_s.p90),
    ("C04", ""): lambda e: _each(e.runs[CROSS_DC], lambda r: r.ttft_s.p99),
    ("C05", "P50 at equal clients"): lambda e: _change(_p50(e, PDD), _p50(e, CROSS_DC)),
    ("C06", ""): lambda e: _change(list(e.capacities[PDD]), list(e.capacities[SAME_DC])),
    ("C07", "B at 1.2 A"): lambda e: _cost_change(e, high=False),
    ("C07", "B at 1.3 A"): lambda e: _cost_change(e, high=True),
    ("C08", "B at 1.2 A"): lambda e: _bcr(e, high=False),
    ("C08", "B at 1.3 A"): lambda e: _bcr(e, high=True),
    ("C09", ""): lambda e: _each(e.runs[PDD], lambda r: _percent(r.rld_token_share)),
    ("C10", ""): lambda e: _each(e.runs[PDD], _drc_cut),
    ("C12", "P90"): lambda e: _each(e.runs[PDD], lambda r: r.high_hit_transfer_s.p90),
    ("C13", "P50"): lambda e: _each(e.runs[PDD], lambda r: r.relayed_transfer_s.p50),
    ("C13", "P99"): lambda e: _each(e.runs[PDD], lambda r: r.relayed_transfer_s.p99),
}  # fmt: skip
"""How the bands that a comparison can judge are measured, by claim and label of the band.

A measure raises KeyError where its evidence was not gathered.
"""


def verdicts(evidence: Evidence) -> list[Verdict]:
    """What the evidence says of each claim, in order; claims without evidence are left out."""
    found = []
    for claim in CLAIMS:
        for band in claim.bands:
            measure = MEASURES.get((claim.id, band.label))
            if measure is None:
                continue
            try:
                measured = measure(evidence)
            except KeyError:
                continue
            found.append(verdict(claim, band, measured))
    return found


def _inside(band: Band, value: float | None) -> bool | None:
    return None if value is None or not band.judges else band.holds(value)


def verdict(claim: Claim, band: Band, measured: Measured) -> Verdict:
    """One measured figure of a claim beside its band."""
    about = f"{claim.about}, {band.label}" if band.label else claim.about
    value = measured.value
    return Verdict(
        claim=claim.id, about=about, public=claim.public, kind=claim.kind,
        fitted_by=claim.fitted_by, unit=band.unit, digits=band.digits, signed=band.signed,
        low=band.low, high=band.high, value=value, sd=sd_of(measured.values),
        values=measured.values, inside=_inside(band, value),
    )  # fmt: skip
