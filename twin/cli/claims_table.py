"""The claims as text for people, and as Markdown for the pages that show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..claims import CLAIMS, KINDS
from ..reproduction.constants import Override, overrides
from ..reproduction.results import STATES, ClaimResult
from ..reproduction.stored import Measured
from ..reproduction.tensions import TENSIONS
from ..verdicts import Verdict
from .compare_table import band, claims_table, judgement
from .compare_table import kind as kind_words
from .tables import UNKNOWN, number, spread, table

SHORT_DIGEST = 12


def claims_text(results: Sequence[ClaimResult], seeds: Sequence[int]) -> str:
    """Every figure beside its band, then what each claim stands on."""
    figures = [figure for one in results for figure in one.figures]
    rows = [["claim", "", "deployments", "seeds", "load", "SLA"]]
    for one in results:
        places = ", ".join(f"{d.case} {d.digest[:SHORT_DIGEST]}" for d in one.deployments)
        rows.append([one.claim, one.state, places or UNKNOWN, _seeds(one.seeds),
                     one.load or UNKNOWN, one.sla or UNKNOWN])  # fmt: skip
    parts = [
        claims_table(figures, len(seeds)),
        f"What they stand on:\n{table(rows, '<')}",
        _sum(results),
    ]
    return "\n\n".join(parts)


def _sum(results: Sequence[ClaimResult]) -> str:
    counts = {state: sum(one.state == state for one in results) for state in STATES}
    told = ", ".join(f"{count} {state}" for state, count in counts.items() if count)
    return f"{len(results)} claims: {told}"


def _seeds(seeds: Sequence[int]) -> str:
    if not seeds:
        return "none"
    return f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"


# --- Markdown


def readme_block(stored: Measured) -> str:
    """The table of all claims, one row each, and the tensions in short."""
    head = ("", "claim", "public", "ours, mean ± sd", "band", "kind", "")
    rows = [
        (
            one.claim, one.about, one.public, _lines(_ours(one, f) for f in _main(one)),
            _lines(band(f) for f in _main(one)), _kind(one), one.state,
        )
        for one in stored.claims
    ]  # fmt: skip
    kinds = "; ".join(f"*{name}* {words}" for name, words in KINDS.items())
    tensions = [f"- **{t.title}** ({', '.join(t.claims)}). {t.chosen}" for t in TENSIONS]
    seeds = f"Seeds {_seeds(stored.seeds)}, version {stored.version}. Kinds: {kinds}."
    return "\n".join([markdown(head, rows), seeds, "", "What does not go together:", "", *tensions])


PAGE_HEAD = """\
# The published claims

Every public figure on PDD that the twin can be held against: {count} claims of an interview of
August 2026, computed by one program with one set of physical constants. `make claims` computes them
anew and writes this page; `python -m twin claims C09` computes one. A band is for the mean over six
seeds. A figure without a band is only told. What is fitted is no prediction: the column names
the parameter that the claim has set.
"""


def claims_page(stored: Measured) -> str:
    """The whole page: figures of each claim, what they stand on, overrides, tensions."""
    blocks = [PAGE_HEAD.format(count=len(CLAIMS)), "## Figures\n", *_figures(stored.claims)]
    blocks += ["## What they stand on\n", *_basis(stored.claims)]
    blocks += ["## What differs from the reference\n", OVERRIDES_HEAD, _overrides(overrides())]
    blocks += ["## What does not go together\n"]
    blocks += [f"**{t.title}** ({', '.join(t.claims)}). {t.why} {t.chosen}\n" for t in TENSIONS]
    return "\n".join(blocks)


def _figures(results: Iterable[ClaimResult]) -> Iterable[str]:
    head = ("", "claim", "public", "ours", "sd", "band", "kind", "")
    yield markdown(
        head,
        [
            (
                f.claim, f.about, f.public, _one(f), number(f.sd, f.digits) if f.sd else UNKNOWN,
                band(f), kind_words(f), judgement(f),
            )
            for one in results
            for f in one.figures
        ],
    )  # fmt: skip
    yield "Of each seed, where the seeds differ:\n"
    rows = [
        (f.claim, f.about, ", ".join(number(v, f.digits) for v in f.values))
        for one in results
        for f in one.figures
        if f.sd
    ]
    yield markdown(("", "claim", "each seed"), rows)


def _basis(results: Iterable[ClaimResult]) -> Iterable[str]:
    head = ("", "", "deployments", "seeds", "load", "SLA", "note")
    yield markdown(
        head,
        [
            (
                one.claim, one.state,
                _lines(f"`{d.case}` {d.digest[:SHORT_DIGEST]}" for d in one.deployments),
                _seeds(one.seeds), one.load or UNKNOWN, one.sla or UNKNOWN, one.note,
            )
            for one in results
        ],
    )  # fmt: skip
    yield "\n".join(f"- {state}: {words}" for state, words in STATES.items()) + "\n"


OVERRIDES_HEAD = """\
Chips, model, line physics, RDMA and the handoff's step are the same everywhere. What else differs
from `pdd_43a_32b`, taken from the scenarios themselves:
"""


def _overrides(rows: Iterable[Override]) -> str:
    return markdown(
        ("setting", "value", "reference", "deployments", "claims", "why"),
        [
            (
                f"`{o.setting}`", _value(o.value), _value(o.reference), ", ".join(o.cases),
                _span(o.claims), o.reason,
            )
            for o in rows
        ],
    )  # fmt: skip


def _span(claims: Sequence[str]) -> str:
    """C01, C02, C03, C05 as "C01 to C03, C05"."""
    runs: list[list[str]] = []
    for claim in claims:
        if runs and int(claim[1:]) == int(runs[-1][-1][1:]) + 1:
            runs[-1].append(claim)
        else:
            runs.append([claim])
    told = [f"{r[0]} to {r[-1]}" if len(r) > 2 else ", ".join(r) for r in runs]
    return ", ".join(told)


def _value(value: object) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,g}" if isinstance(value, int | float) else f"{value}"


def _one(figure: Verdict) -> str:
    return number(figure.value, figure.digits, figure.unit, sign=figure.signed)


def _main(one: ClaimResult) -> Sequence[Verdict]:
    """The figures that are judged, or all where none is."""
    return [f for f in one.figures if f.inside is not None] or one.figures


def _ours(one: ClaimResult, figure: Verdict) -> str:
    told = spread(figure.value, figure.sd, figure.digits, figure.unit, sign=figure.signed)
    label = figure.about.removeprefix(one.about).removeprefix(", ")
    return f"{label}: {told}" if label else told


def _kind(one: ClaimResult) -> str:
    return f"{one.kind} ({', '.join(one.fitted_by)})" if one.fitted_by else one.kind


def _lines(words: Iterable[str]) -> str:
    return "<br>".join(words)


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)
