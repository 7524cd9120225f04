"""How each claim is computed: the tasks of a seed, and the figures that follow from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ..averages import mean_of
from ..claims import CROSS_DC, PDD, PUBLISHED_EDGES, SAME_DC
from ..economics import cost_units, cost_units_high
from ..physics.kv import kv_bytes
from ..result import Result
from ..traffic import HIT_EDGES
from ..units import GIGA, bytes_per_s_to_gbps
from ..verdicts import MEASURES, Evidence, Measured
from .bathtub import CACHED_HIGH, CACHED_LOW, CHUNKS, PROMPT_TOKENS, bathtub, dips_kept, least_move
from .cases import (
    ALIGNED,
    ALLOWED,
    BY_IDS,
    BY_KV,
    CATCH_UP,
    EXCLUDED,
    FILTERED,
    FLOOD,
    ONE_SHOT,
    SWING,
    scenario_of,
)
from .tasks import Found, Kind

Figures = dict[str, Measured]
"""By the label of the band."""


@dataclass(frozen=True)
class Recipe:
    """The work of each seed as (kind, case), the cases without any work, and the measure.

    `load` replaces the sentence on the load where the cases' own would say something else.
    """

    measure: Callable[[Found], Figures]
    work: tuple[tuple[Kind, str], ...] = ()
    looked_at: tuple[str, ...] = ()
    load: str | None = None

    @property
    def cases(self) -> tuple[str, ...]:
        """All cases behind the claim, each once."""
        return tuple(dict.fromkeys([*(case for _, case in self.work), *self.looked_at]))

    @property
    def has_sla(self) -> bool:
        """Whether whole runs are behind it, or the SLA itself."""
        whole: set[Kind] = {"run", "capacity", "settled"}
        return self.measure is _sla or any(kind in whole for kind, _ in self.work)


def _one(value: float | None) -> Measured:
    """A figure without any random number in it."""
    return Measured(value, [value])


def _mean(values: Sequence[float | None], scale: float = 1.0) -> Measured:
    scaled = [None if v is None else scale * v for v in values]
    return Measured(mean_of(scaled), scaled)


def _largest(values: Sequence[float]) -> Measured:
    return Measured(max(values), list(values))


def _median(values: Sequence[float | None]) -> Measured:
    known = [v for v in values if v is not None]
    return Measured(median(known) if len(known) == len(values) else None, list(values))


def _ratio(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else part / whole


def _change(these: Sequence[Any], those: Sequence[Any], scale: float) -> Measured:
    pairs = zip(these, those, strict=True)
    return _mean([None if a is None or b is None else a - b for a, b in pairs], scale)


# --- C01 to C10, C12, C13: as a comparison judges them

COSTS = (SAME_DC, PDD)


def _evidence(found: Found, work: Sequence[tuple[Kind, str]]) -> Evidence:
    scenarios = {name: scenario_of(name) for name in COSTS}
    return Evidence(
        {case: found.of("run", case) for kind, case in work if kind == "run"},
        {
            case: [one.capacity.rps for one in found.of("capacity", case)]
            for kind, case in work
            if kind == "capacity"
        },
        {name: (cost_units(s), cost_units_high(s)) for name, s in scenarios.items()},
    )


def _compared(claim_id: str, *work: tuple[Kind, str]) -> Recipe:
    labels = [label for known, label in MEASURES if known == claim_id]

    def measure(found: Found) -> Figures:
        evidence = _evidence(found, work)
        return {label: MEASURES[claim_id, label](evidence) for label in labels}

    looked_at = () if work else COSTS
    searched = any(kind == "capacity" for kind, _ in work)
    own = "as many clients as just keep the SLA, 20,000 requests" if searched else None
    return Recipe(measure, work, looked_at, own if work else "")


# --- C11, C22, C23: arithmetic

LINE_TEST_REQUESTS, LINE_TEST_TOKENS = 80, 65_536
LINE_TEST_BYTES_PER_TOKEN = 4390
LINE_TEST_S = 1.02
HANDOFF_KV_KB, HANDOFF_IDS_KB, HANDOFF_IDS_MS = 4649.0, 1.5, 305.0
BCR_GAIN = 0.375
"""Published figures that the claims C11, C22 and C23 are made of."""


def _line_test(_: Found) -> Figures:
    tokens = LINE_TEST_REQUESTS * LINE_TEST_TOKENS
    nbytes = kv_bytes(tokens, LINE_TEST_BYTES_PER_TOKEN, 0.0)
    return {
        "KV": _one(nbytes / GIGA),
        "sent in 1 s": _one(bytes_per_s_to_gbps(nbytes)),
        "sent in 1.02 s": _one(bytes_per_s_to_gbps(nbytes / LINE_TEST_S)),
    }


def _payloads(_: Found) -> Figures:
    return {
        "4649 KB over 1.5 KB": _one(HANDOFF_KV_KB / HANDOFF_IDS_KB),
        "4649 KB over 305 ms, which is no ratio of payloads": _one(HANDOFF_KV_KB / HANDOFF_IDS_MS),
    }


def _token_cost(_: Found) -> Figures:
    return {"cost per token when BCR is +37.5 %": _one(100 * (1 / (1 + BCR_GAIN) - 1))}


# --- C14 to C17: handoffs, and hit rates as drawn


def _by_kv(found: Found) -> Figures:
    times = found.of("by_kv", BY_KV)
    return {
        "mean": _mean([t.mean for t in times], 1e3),
        "largest": _largest([1e3 * t.max for t in times]),
    }


def _by_ids(found: Found) -> Figures:
    times = found.of("by_ids", BY_IDS)
    return {
        "mean": _mean([t.mean for t in times], 1e3),
        "deviation": _mean([t.sd for t in times], 1e3),
        "largest": _largest([1e3 * t.max for t in times]),
    }


def _stalls(found: Found) -> Figures:
    def p99(case: str) -> list[float | None]:
        runs: list[Result] = found.of("run", case)
        return [run.handoff_gap_s.p99 for run in runs]

    one_shot, catch_up = p99(ONE_SHOT), p99(CATCH_UP)
    ratios = [_ratio(b, a) for a, b in zip(one_shot, catch_up, strict=True)]
    whole = _ratio(mean_of(catch_up), mean_of(one_shot))
    return {
        "stall P99, catch-up over one-shot": Measured(whole, ratios),
        "stall P99, one-shot": _mean(one_shot),
        "stall P99, catch-up": _mean(catch_up),
        "stall P99, auto": _mean(p99(PDD)),
    }


def _hit_rates(found: Found) -> Figures:
    drawn = found.of("drawn", PDD)
    as_published = sum(a == b for a, b in zip(HIT_EDGES, PUBLISHED_EDGES, strict=True))
    return {
        "mean": _mean([d.mean for d in drawn], 100),
        "requests above 95 %": _mean([d.above_95 for d in drawn], 100),
        "edges of the buckets as published": _one(as_published),
    }


# --- C18, C19: collapse, swing, flood


def _collapse(found: Found) -> Figures:
    allowed, excluded = found.of("settled", ALLOWED), found.of("settled", EXCLUDED)
    aligned, swing = found.of("settled", ALIGNED), found.of("settled", SWING)

    def within(settled: Sequence[Any]) -> list[float | None]:
        return [one.sla_ok_share for one in settled]

    return {
        "within SLA lost by allowing it": _change(within(excluded), within(allowed), 100),
        "local share with P hit - MD hit, correlation": _mean([one.together for one in allowed]),
        "within SLA lost with caches held aligned": _change(within(excluded), within(aligned), 100),
        "with a load gate, RLD batch with flows, correlation": _median(
            [one.batch_with_flows for one in swing]
        ),
        "the same without P-RLD": _median([one.batch_with_flows for one in excluded]),
        "finished locally in the end": _mean([one.local for one in allowed], 100),
        "the same with caches held aligned": _mean([one.local for one in aligned], 100),
    }


def _flood(found: Found) -> Figures:
    def within(case: str) -> Measured:
        return _mean([run.sla_ok_share for run in found.of("run", case)], 100)

    return {"within SLA without": within(FLOOD), "within SLA with it": within(FILTERED)}


# --- C20, C21, C24


def _bathtub(_: Found) -> Figures:
    tub = bathtub(scenario_of(SAME_DC))
    hits = [dip.hit for dip in tub.low.dips]
    places = dict(zip(("first dip", "second dip", "third dip"), [*hits, None, None, None]))  # noqa: B905
    return {
        "dips of prominence >= 1 %": _one(len(hits)),
        **{label: _one(hit) for label, hit in places.items()},
        "R(.97) / R(0)": _one(tub.low.ratio()),
        "dips kept at a cached price of .25": _one(dips_kept(tub)),
        "R(.97) / R(0) at a cached price of .25": _one(tub.high.ratio()),
        "a dip's least move when all tails are merged": _one(least_move(tub)),
    }


def _cached_price(_: Found) -> Figures:
    return {
        "lower price in C20": _one(100 * CACHED_LOW),
        "upper price in C20": _one(100 * CACHED_HIGH),
    }


def _sla(_: Found) -> Figures:
    return {"total of the SLA": _one(scenario_of(PDD).slo.total_s)}


RECIPES: dict[str, Recipe] = {
    "C01": _compared("C01", ("run", SAME_DC)),
    "C02": _compared("C02", ("run", CROSS_DC)),
    "C03": _compared("C03", ("run", CROSS_DC)),
    "C04": _compared("C04", ("run", CROSS_DC)),
    "C05": _compared("C05", ("run", PDD), ("run", CROSS_DC)),
    "C06": _compared("C06", ("capacity", PDD), ("capacity", SAME_DC)),
    "C07": _compared("C07"),
    "C08": _compared("C08", ("capacity", PDD), ("capacity", SAME_DC)),
    "C09": _compared("C09", ("run", PDD)),
    "C10": _compared("C10", ("run", PDD)),
    "C11": Recipe(_line_test, load="80 requests at once"),
    "C12": _compared("C12", ("run", PDD)),
    "C13": _compared("C13", ("run", PDD)),
    "C14": Recipe(_by_kv, (("by_kv", BY_KV),)),
    "C15": Recipe(_by_ids, (("by_ids", BY_IDS),)),
    "C16": Recipe(_stalls, (("run", ONE_SHOT), ("run", CATCH_UP), ("run", PDD))),
    "C17": Recipe(_hit_rates, (("drawn", PDD),)),
    "C18": Recipe(
        _collapse,
        (("settled", ALLOWED), ("settled", EXCLUDED), ("settled", ALIGNED), ("settled", SWING)),
    ),
    "C19": Recipe(_flood, (("run", FLOOD), ("run", FILTERED))),
    "C20": Recipe(
        _bathtub, looked_at=(SAME_DC,),
        load=f"one prefill instance, prompts of {PROMPT_TOKENS:,} tokens in chunks of "
        f"{CHUNKS.longest_tokens:,}",
    ),
    "C21": Recipe(_cached_price),
    "C22": Recipe(_payloads),
    "C23": Recipe(_token_cost),
    "C24": Recipe(_sla, looked_at=(PDD,), load=""),
}  # fmt: skip
"""One for each of `CLAIMS`."""
