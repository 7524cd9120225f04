"""The table of all claims: each figure beside its band, and whether it lies in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from twin.claims import KINDS
from twin.reproduction.results import STATES as STATE_WORDS
from twin.reproduction.results import ClaimResult, State
from twin.reproduction.stored import Measured
from twin.verdicts import Verdict

from ..numbers import Number, numbers
from ..tables import Cell, Column, Row, table
from ..texts.claims import CLAIMS, COLUMNS, COUNTS, STATES
from . import words

KEY = "claims-table"


def counts(stored: Measured) -> None:
    """How many claims are in, out, refused; predicted and fitted."""
    claims = stored.claims
    found = {state: sum(one.state == state for one in claims) for state in STATE_WORDS}
    found["predicted"] = sum(one.kind == "predict" for one in claims)
    found["fitted"] = sum(one.kind == "fit" for one in claims)
    source = CLAIMS["stored"].format(version=stored.version, seeds=words.seeds(stored.seeds))
    numbers(
        "claims-counts",
        [
            Number(
                name, label, str(found[name]), f"of {len(claims)} claims", about, "simulated",
                source, trend="worse" if name == "out" and found["out"] else "",
            )
            for name, (label, about) in COUNTS.items()
        ],
    )  # fmt: skip


def board(
    stored: Measured, chosen: str, fresh: ClaimResult | None, pressed: Callable[[], None]
) -> None:
    """All claims; the chosen one with its figures of now, if it was computed anew."""
    rows = []
    for one in stored.claims:
        newer = fresh if fresh is not None and fresh.claim == one.claim else None
        rows += _rows(newer or one, one.claim == chosen, newer is not None)
    columns = [
        Column(
            name, about, align="right" if key == "ours" else "left", whole=key in ("ours", "band")
        )
        for key, (name, about) in COLUMNS.items()
    ]
    table(
        KEY, CLAIMS["table"], columns, rows, file="claims", stacked=True, leads="claim-detail",
        pressed=pressed,
    )  # fmt: skip


def _rows(one: ClaimResult, chosen: bool, fresh: bool) -> list[Row]:
    judged = [figure for figure in one.figures if figure.inside is not None] or one.figures
    note = CLAIMS["now"].format(seeds=words.seeds(one.seeds)) if fresh else ""
    return [
        Row(
            one.claim if i == 0 else f"{one.claim}.{i + 1}", _cells(one, figure, i == 0, note),
            press=one.claim, chosen=chosen, part=i > 0,
        )
        for i, figure in enumerate(judged)
    ]  # fmt: skip


def _cells(one: ClaimResult, figure: Verdict, first: bool, note: str) -> list[Cell]:
    label = words.label(figure, one.about)
    ours = words.value(figure)
    told = [figure.about, words.with_unit(f"{ours} {words.spread(figure)}", figure.unit)]
    basis = note or words.seeds(one.seeds)
    state = state_of(one, figure)
    return [
        Cell(one.claim if first else "", one.claim, press=one.claim if first else ""),
        Cell(one.about if first else label, figure.about, note=label if first else ""),
        Cell(words.public(one) if first else "", one.public),
        Cell(
            ours, figure.value, figure.unit, " · ".join(filter(None, [words.spread(figure), note])),
            [*told, basis],
        ),
        Cell("", "", bar=words.bar(figure), lines=[*told, words.band(figure)]),
        Cell(words.band(figure)),
        Cell("", one.kind, kind=one.kind, lines=_kind(one)) if first else Cell("", one.kind),
        Cell(
            STATES[state], trend=words.trend(None if state == "refused" else figure.inside),
            lines=[STATE_WORDS[state]],
        ),
    ]  # fmt: skip


def _kind(one: ClaimResult) -> Sequence[str]:
    fitted = [", ".join(one.fitted_by)] if one.fitted_by else []
    return [KINDS[one.kind], *fitted]


def state_of(one: ClaimResult, figure: Verdict) -> State:
    """Whether one figure lies in its band."""
    if figure.inside is None:
        return "given" if one.state == "given" else "unknown"
    if not figure.inside:
        return "out"
    return "refused" if one.kind == "refuse" else "in"
