"""The case of "Prefill-as-a-Service" (arXiv 2604.15039): its published figures beside the twin's.

Three deployments serve log-normal prompts without prefix hits. What is published of the chip H20 is
only the rates of the deployments, so its profiles are fitted to two of them; these rates are no
prediction. Everything else follows from the published profiles of H200 and must come out.

Two load bases, for the source states none. The throughput is that of a saturated deployment: the
published rates are those at which the busiest pool is full (naive: 4 over the mean prefill time).
The TTFT is that of a nearly empty one: the published P90 of 3.51 s is the prefill time of the
prompt at P90 with no queue before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil, exp, log
from statistics import NormalDist, fmean
from typing import Literal

from pydantic import BaseModel, ConfigDict

from .averages import sd_of
from .claims import Band
from .engine.run import run
from .parallel import carried_out
from .physics.profile import kv_curve, prefill_curve, value
from .profiles import PrefillPoint
from .result import Result
from .scenario import Scenario, Workload
from .scenario_file import load, shipped_folder, with_settings

SELECTIVE, HOMOGENEOUS, NAIVE = "prfaas_selective", "prfaas_homogeneous", "prfaas_naive"
DEPLOYMENTS = (SELECTIVE, HOMOGENEOUS, NAIVE)

RATE_RPS = {SELECTIVE: 3.24, HOMOGENEOUS: 2.11, NAIVE: 2.45}
TTFT_MEAN_S = {SELECTIVE: 2.22, HOMOGENEOUS: 4.44, NAIVE: 1.74}
TTFT_P90_S = {SELECTIVE: 3.51, HOMOGENEOUS: 9.73, NAIVE: 3.51}
EGRESS_GBPS = {SELECTIVE: 13.0}
"""As published; of the other two deployments no egress is."""

SATURATED = {
    "workload.arrivals": "sessions", "workload.clients": 150, "workload.think_s": 0.0,
    "workload.first_arrivals_within_s": 0.0, "run.requests": None, "run.duration_s": 5000.0,
    "slo.total_s": 200.0,
}  # fmt: skip
"""So many clients that ask again at once that the busiest pool never runs dry.

The run ends by time: if each client had a number of requests to make, those with short prompts
would be done first, and the rest would not be the published mix. The last 200 s, longer than any
request takes, are not measured, so that none of the measured ones is unfinished.
"""

NEARLY_EMPTY = {"workload.rate_rps": 0.05}
"""A request every 20 s: one in ten finds another one in its pool, and hardly any has to wait."""

TOLERANCE = 0.10
"""Band around a public figure, as a share of it.

Linear interpolation of a profile that bends upwards makes prefill up to 5 % too long at the mean;
line, RDMA and the first step, all unpublished, are up to 0.1 s of 2 s.
"""

EGRESS_TOLERANCE = 0.15
"""The same for the egress: it takes over the error of the rate, is published with two digits (4 %),
and ours counts payload without the headers of packets (about 5 %)."""

PIECES = 20_000
"""Quantiles by which means over the prompt lengths are taken."""

Kind = Literal["fit", "predict"]


Job = tuple[str, str, int]
"""A deployment, a load basis, a seed."""


class Figure(BaseModel):
    """One figure of one deployment: the public one, ours over seeds, the band, what to know.

    `public`, the band and `inside` are None where nothing is published.
    """

    model_config = ConfigDict(frozen=True)

    deployment: str
    figure: str
    unit: str
    kind: Kind
    public: float | None
    value: float | None
    sd: float | None
    values: list[float | None]
    low: float | None
    high: float | None
    inside: bool | None
    note: str


class Fit(BaseModel):
    """What is fitted of 8 x H20: prefill points, and the batch that decodes 40 tokens/s each."""

    model_config = ConfigDict(frozen=True)

    prefill: list[PrefillPoint]
    slots: int


def figures(
    seeds: Sequence[int] = (0, 1, 2), workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Figure]:  # fmt: skip
    """Throughput, TTFT and egress of the three deployments beside the published ones."""
    jobs: list[Job] = [
        (name, basis, seed) for name in DEPLOYMENTS for basis in BASES for seed in seeds
    ]
    said: dict[Job, Result] = {}
    for job, result in carried_out(_carried_out, jobs, workers):
        said[job] = result
        if progress is not None:
            progress(len(said), len(jobs))
    return [
        _figure(name, about, [read(said[name, basis, seed]) for seed in seeds])
        for name in DEPLOYMENTS
        for about, (basis, _, _, read) in FIGURES.items()
        if about != "egress" or deployment(name).line is not None
    ]


def deployment(name: str) -> Scenario:
    """One of the three shipped scenarios."""
    return load(shipped_folder() / f"{name}.yaml")


def _carried_out(job: Job) -> tuple[Job, Result]:
    name, basis, seed = job
    return job, run(with_settings(deployment(name), BASES[basis]), seed, series=False)


BASES = {"saturated": SATURATED, "nearly empty": NEARLY_EMPTY}

FIGURES: dict[str, tuple[str, str, dict[str, float], Callable[[Result], float | None]]] = {
    "throughput": ("saturated", "requests/s", RATE_RPS, lambda r: r.throughput_rps),
    "TTFT mean": ("nearly empty", "s", TTFT_MEAN_S, lambda r: r.ttft_s.mean),
    "TTFT P90": ("nearly empty", "s", TTFT_P90_S, lambda r: r.ttft_s.p90),
    "egress": ("saturated", "Gbps", EGRESS_GBPS, lambda r: r.line_gbps),
}
"""Load basis, unit, public figures and how ours is read, by what it is."""

FITTED = frozenset({(SELECTIVE, "throughput"), (HOMOGENEOUS, "throughput")})
"""What the profiles of H20 are fitted to."""


NOTES = {
    (SELECTIVE, "throughput"): "prefill in B was fitted to it; prefill in A binds, and was not",
    (HOMOGENEOUS, "TTFT mean"): "the fitted mean prefill time and what follows it",
    (SELECTIVE, "egress"): "payload; the published figure has two digits",
}
"""What must be known of a figure beside its kind."""


def kind_of(name: str, about: str) -> Kind:
    """Whether a figure is one that was fitted to, or one that must come out."""
    return "fit" if (name, about) in FITTED else "predict"


def _figure(name: str, about: str, values: list[float | None]) -> Figure:
    _, unit, published, _ = FIGURES[about]
    public = published.get(name)
    known = [v for v in values if v is not None]
    mean = fmean(known) if known and len(known) == len(values) else None
    band = None if public is None else around(public, about, unit)
    return Figure(
        deployment=name, figure=about, unit=unit, kind=kind_of(name, about), public=public,
        value=mean, sd=sd_of(values), values=values,
        low=None if band is None else band.low, high=None if band is None else band.high,
        inside=None if band is None or mean is None else band.holds(mean),
        note=NOTES.get((name, about), ""),
    )  # fmt: skip


def around(public: float, about: str, unit: str) -> Band:
    """The band around a published figure."""
    share = EGRESS_TOLERANCE if about == "egress" else TOLERANCE
    return Band(public * (1 - share), public * (1 + share), unit, digits=2)


# The fit of what is not published.


def fitted(scenario: Scenario) -> Fit:
    """The profiles of 8 x H20 by the published rates; `scenario` is the selective deployment.

    Prefill is a + k times the published profile of 8 x H200. The two rates set a and k: nine
    instances keep the homogeneous rate over all prompts, three keep their part of the selective
    rate over the short ones. Three decode instances keep the homogeneous rate at 40 tokens/s, whose
    requests hold a slot for all of their output.
    """
    assert scenario.prefill.profile is not None and scenario.prefill_b is not None
    points = scenario.prefill.profile.prefill
    profile = prefill_curve(points)
    threshold = scenario.policy.selective_threshold_tokens
    assert profile is not None and threshold is not None
    lengths = prompt_lengths(scenario.workload)
    short = [n for n in lengths if n <= threshold]
    over_all = 9 / RATE_RPS[HOMOGENEOUS]
    over_short = scenario.prefill_b.instances / (
        RATE_RPS[SELECTIVE] * len(short) / len(lengths)
    )  # fmt: skip
    mean_all, mean_short = (fmean(value(profile, n) for n in some) for some in (lengths, short))
    k = (over_all - over_short) / (mean_all - mean_short)
    a = over_all - k * mean_all
    hold_s = scenario.workload.output_tokens_mean / 40.0
    return Fit(
        prefill=[PrefillPoint(tokens=p.tokens, seconds=a + k * p.seconds) for p in points],
        slots=ceil(RATE_RPS[HOMOGENEOUS] * hold_s / 3),
    )


def prompt_lengths(workload: Workload, pieces: int = PIECES) -> list[float]:
    """Prompt lengths at the middles of `pieces` equal shares of the cut log-normal."""
    sigma = workload.prompt_sigma
    normal = NormalDist(log(workload.prompt_tokens_mean) - sigma**2 / 2, sigma)
    low = 0.0 if workload.prompt_tokens_min is None else normal.cdf(log(workload.prompt_tokens_min))
    high = (
        1.0 if workload.prompt_tokens_max is None else normal.cdf(log(workload.prompt_tokens_max))
    )
    step = (high - low) / pieces
    return [exp(normal.inv_cdf(low + step * (i + 0.5))) for i in range(pieces)]


def balance_rps(scenario: Scenario) -> dict[str, float]:
    """Requests/s at which each resource of the selective deployment would be full, by its setting.

    It needs no run: what the engine's saturated throughput is checked against.
    """
    policy, model = scenario.policy, scenario.model
    lengths = prompt_lengths(scenario.workload)
    threshold = policy.selective_threshold_tokens if policy.selective_prefill else 0.0
    limit = float("inf") if threshold is None else threshold
    remote = [n for n in lengths if n > limit]
    beside = [n for n in lengths if n <= limit]
    found = {}
    for name, served in (("prefill", remote), ("prefill_b", beside)):
        pool = scenario.pools().get(name)
        profile = None if pool is None or pool.profile is None else pool.profile.prefill
        times = prefill_curve(profile or ())
        if pool is not None and times is not None and served:
            found[name] = pool.instances * len(lengths) / sum(map(partial(value, times), served))
    sizes = kv_curve(model.kv_profile)
    if scenario.line is not None and scenario.line.bandwidth_gbps and sizes and remote:
        asked = sum(map(partial(value, sizes), remote)) / len(lengths)
        line = scenario.line.bandwidth_gbps * 1e9 / 8 * scenario.line.goodput_share
        found["line"] = line / asked
    return found
