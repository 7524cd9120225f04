"""The published claims on PDD and the bands in which the twin must reproduce them, as data.

Public figures are those of an interview with the system's lead of August 2026. What they leave open
is set by a few fitted parameters, the same ones for all claims; every other figure must come out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

Kind = Literal["fit", "predict", "arith", "shape", "input", "refuse"]

KINDS: dict[Kind, str] = {
    "fit": "a parameter is set by it",
    "predict": "must come out, no parameter of its own",
    "arith": "follows exactly",
    "shape": "a behaviour, tested by sign and order",
    "input": "given to the model",
    "refuse": "does not follow from the rest",
}

PUBLISHED_EDGES = (0.0, 0.90, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0)
"""Edges of the buckets of hit rates in the interview (C17)."""

SAME_DC, CROSS_DC, PDD = "same_dc_88a", "cross_dc_plain", "pdd_43a_32b"
"""The shipped scenarios that the claims speak of."""


@dataclass(frozen=True)
class Band:
    """Where one figure of a claim must lie; an open end is None. `label` tells bands apart.

    `unit` is s, ms, %, x (a ratio) and the like, and `digits` how many decimals are told of it; a
    change is told with its sign. A band holds for the mean over six seeds. With both ends open a
    figure is told and not judged.
    """

    low: float | None
    high: float | None
    unit: str
    label: str = ""
    digits: int = 1
    signed: bool = False

    @property
    def judges(self) -> bool:
        """Whether there is an end that a figure could leave."""
        return self.low is not None or self.high is not None

    def holds(self, value: float) -> bool:
        """Whether a value lies in the band."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


@dataclass(frozen=True)
class Claim:
    """One claim: what was said, how the twin treats it, and the bands of what a run shows of it.

    `fitted_by` names the parameter that a fitted claim sets (keys of `FITTED`, or others).
    """

    id: str
    about: str
    public: str
    kind: Kind
    bands: tuple[Band, ...] = ()
    fitted_by: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Fitted:
    """A parameter that no source gives and a claim sets; `path` may stand for each chip's pools.

    A path that begins with `chip A.` is that setting of every pool made of chip A.
    """

    name: str
    path: str


FITTED: dict[str, Fitted] = {
    fitted.name: fitted
    for fitted in (
        Fitted("load", "workload.clients"),
        Fitted("per-flow cap", "line.per_flow_cap_gbps"),
        Fitted("decode efficiency of A", "chip A.decode_bandwidth_share"),
        Fitted("decode efficiency of B", "chip B.decode_bandwidth_share"),
        Fitted("decode attention", "model.decode_attention_gflop_per_token"),
    )
}
"""The fitted parameters behind the claims C01 to C13."""

_change = partial(Band, unit="%", signed=True)
"""A band of a change in percent."""

_told = partial(Band, None, None)
"""A figure that is told beside those that are judged."""


def _exactly(value: float, unit: str, label: str = "", digits: int = 1, **more: bool) -> Band:
    """A figure to its last told decimal."""
    half = 0.5 * 10**-digits
    low, high = round(value - half, digits + 1), round(value + half, digits + 1)
    return Band(low, high, unit, label, digits, **more)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "C01", "same-DC, 88 A: TTFT P50", "4.2 s", "fit",
        (Band(3.2, 5.0, "s", digits=2),), ("load",),
    ),
    Claim(
        "C02", "cross-DC, unoptimised: TTFT P50", "6.7 s", "fit",
        (Band(5.7, 7.7, "s", digits=2),), ("per-flow cap",),
    ),
    Claim("C03", "cross-DC: TTFT P90", "18.3 s", "predict", (Band(15, 21, "s"),)),
    Claim("C04", "cross-DC: TTFT P99", "29.7 s", "predict", (Band(24, 36, "s"),)),
    Claim(
        "C05", "PDD against cross-DC: TTFT", "-51.5 %", "predict",
        (_change(-60, -35, label="P50 at equal clients"),), note="the public basis is not told",
    ),
    Claim(
        "C06", "PDD against same-DC: capacity", "+27.8 %", "fit",
        (_change(20, 36),),
        ("decode efficiency of A", "decode efficiency of B", "decode attention"),
        note="throughput at P(total <= 30 s) = .90",
    ),
    Claim(
        "C07", "PDD against same-DC: cost", "-7.1 to -3.5 %", "arith",
        (_change(-7.15, -7.05, label="B at 1.2 A"), _change(-3.55, -3.45, label="B at 1.3 A")),
        note="with the line at .35 A",
    ),
    Claim(
        "C08", "PDD against same-DC: BCR", "up to +37.5 %", "arith",
        (_change(29, 46, label="B at 1.2 A"), _change(24, 41, label="B at 1.3 A")),
        note="of C06 and C07",
    ),
    Claim(
        "C09", "PDD: output tokens made by RLD", "6.2 %", "predict",
        (Band(4.5, 8, "%"),), note="on a line of 10 Gbps",
    ),
    Claim(
        "C10", "PDD: DRC's cut of line traffic", "up to 10x", "predict",
        (Band(9, 11, "x"),), note="sum of L b over bytes sent",
    ),
    Claim(
        "C11", "80 x 64K requests, 4.39 KB/token", "23 GB, > 180 Gbps", "arith",
        (
            _exactly(23.0, "GB", "KV"), _exactly(184.1, "Gbps", "sent in 1 s"),
            _exactly(180.5, "Gbps", "sent in 1.02 s"),
        ),
        note="64K = 65,536 and K = 1000",
    ),
    Claim(
        "C12", "PDD: high-hit KV arrives within", "about 1 s", "predict",
        (Band(None, 1.0, "s", "P90", digits=2),),
    ),
    Claim(
        "C13", "PDD: transfers of relayed requests", "1 to 20 s", "predict",
        (Band(1, 4, "s", "P50", digits=2), Band(None, 25, "s", "P99")),
    ),
    Claim(
        "C14", "100-token handoff by KV", "mean 185, max 512.6 ms", "fit",
        (Band(170, 200, "ms", "mean"), Band(None, 540, "ms", "largest")),
        ("RTT",), note="the maximum needs a retransmission (assumed); + 24.5 ms for a copy",
    ),
    Claim(
        "C15", "100-token handoff by ids", "mean 305, sd 4.8, max 321.4 ms", "fit",
        (
            Band(290, 320, "ms", "mean"), Band(None, 8, "ms", "deviation"),
            Band(None, 340, "ms", "largest"),
        ),
        ("ids per MD step",), note="at an MD batch of 10; the deviation is that of the phase",
    ),
    Claim(
        "C16", "one-shot above 64 tokens hiccups, catch-up does not", "in words", "shape",
        (
            Band(None, 0.1, "x", "stall P99, catch-up over one-shot", digits=3),
            _told("s", "stall P99, one-shot", digits=2),
            _told("s", "stall P99, catch-up", digits=3),
            _told("s", "stall P99, auto", digits=3),
        ),
        note="over all handoffs",
    ),
    Claim(
        "C17", "hit rates", "mean 90 %, 70 to 80 % of requests above 95 %", "input",
        (
            Band(89, 91, "%", "mean"), Band(73, 77, "%", "requests above 95 %"),
            _exactly(8, "", "edges of the buckets as published", digits=0),
        ),
        note="of the requests drawn; both figures are of these, the edges are exact",
    ),
    Claim(
        "C18", "P-RLD: MD's hit lags, RLD is overloaded, collapse", "in words", "shape",
        (
            Band(20, None, "points", "within SLA lost by allowing it"),
            Band(0.7, None, "", "local share with P hit - MD hit, correlation", digits=2),
            Band(None, 3, "points", "within SLA lost with caches held aligned"),
            Band(None, -0.2, "", "with a load gate, RLD batch with flows, correlation",
                 digits=2, signed=True),
            Band(0, None, "", "the same without P-RLD", digits=2, signed=True),
            _told("%", "finished locally in the end"),
            _told("%", "the same with caches held aligned"),
        ),
        note="laws L16 and L17",
    ),
    Claim(
        "C19", "singular filter at 3.5 % of requests", "in words", "shape",
        (Band(None, 30, "%", "within SLA without"), Band(80, None, "%", "within SLA with it")),
    ),
    Claim(
        "C20", "revenue against hit rate is a bathtub", "dips near 20, 40, 70 %", "shape",
        (
            _exactly(3, "", "dips of prominence >= 1 %", digits=0),
            Band(0.15, 0.25, "", "first dip", digits=3),
            Band(0.42, 0.52, "", "second dip", digits=3),
            Band(0.68, 0.78, "", "third dip", digits=3),
            _told("x", "R(.97) / R(0)", digits=2),
            _exactly(3, "", "dips kept at a cached price of .25", digits=0),
            Band(2.2, 2.5, "x", "R(.97) / R(0) at a cached price of .25", digits=2),
            Band(0.02, None, "", "a dip's least move when all tails are merged", digits=3),
        ),
        note="chunked prefill with the parameters of the bathtub, all assumed",
    ),
    Claim(
        "C21", "cached input is billed at", "10 to 25 %", "input",
        (_told("%", "lower price in C20", digits=0), _told("%", "upper price in C20", digits=0)),
    ),
    Claim(
        "C22", "payloads differ about", "15.2x", "refuse",
        (
            _exactly(3099, "x", "4649 KB over 1.5 KB", digits=0),
            _exactly(15.24, "KB/ms", "4649 KB over 305 ms, which is no ratio of payloads",
                     digits=2),
        ),
        note="the published figure divides kilobytes by milliseconds",
    ),
    Claim(
        "C23", "single-token cost down", "-37.5 %", "refuse",
        (_exactly(-27.3, "%", "cost per token when BCR is +37.5 %", signed=True),),
        note="1 / 1.375 - 1",
    ),
    Claim(
        "C24", "total time of a high-quality service", "within 30 s", "input",
        (_exactly(30, "s", "total of the SLA", digits=0),),
        note="that 90 % of requests must keep it is assumed",
    ),
)  # fmt: skip


def claim(claim_id: str) -> Claim:
    """The claim of that number, such as C01; KeyError when there is none."""
    return {known.id: known for known in CLAIMS}[claim_id]
