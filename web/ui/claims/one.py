"""One claim: what it stands on, its figures stored and of now, and the button that computes it."""

from __future__ import annotations

import streamlit as st

from twin.claims import KINDS
from twin.reproduction.results import STATES, ClaimResult, Deployment
from twin.verdicts import Verdict

from ..controls import number_field, undo_and_reset
from ..heads import section
from ..state import PageState
from ..studies import Answer, study
from ..tables import Cell, Column, Row, table
from ..texts.claims import ONE
from . import words

DIGITS_OF_DIGEST = 12


def asked(page: PageState, one: ClaimResult) -> ClaimResult | None:
    """The claim's title, and the way to compute it anew; what that found, if it was done."""
    section(ONE["ask"].format(claim=one.claim, about=one.about))
    left, right = st.columns([1, 1.6], vertical_alignment="bottom")
    with left:
        number_field(page, "seeds", ONE["seeds"], 1, 6, 1, about=ONE["seeds_about"])
    with right:
        undo_and_reset(page)
    answer = study(
        "claim", {"claim": one.claim, "seeds": page["seeds"]},
        offer=ONE["offer"].format(claim=one.claim), held=page.held,
    )  # fmt: skip
    st.caption(ONE["took"].format(seconds=f"{one.cpu_s:.0f}") if one.cpu_s else ONE["at_once"])
    return _fresh(answer, one)


def _fresh(answer: Answer, one: ClaimResult) -> ClaimResult | None:
    """The claim of now; None where the answer is older or speaks of another one."""
    if answer.result is None or answer.stale or answer.result["claim"] != one.claim:
        return None
    return ClaimResult.model_validate(answer.result)


def explained(one: ClaimResult, fresh: ClaimResult | None) -> None:
    """Figures, then all that they stand on."""
    _figures(one, fresh)
    with st.container(gap="xxsmall"):
        for sentence in sentences(one):
            st.text(sentence)
    if one.deployments:
        _deployments(one)


def sentences(one: ClaimResult) -> list[str]:
    """What a claim stands on; for a refused one the arithmetic."""
    told = [ONE["verdict"].format(name=one.state.capitalize(), words=STATES[one.state])]
    if one.kind == "refuse":
        told = [ONE["refuse"].format(public=words.public(one))]
        told += [
            ONE["refuse_figure"].format(
                label=words.label(figure, one.about),
                value=words.with_unit(words.value(figure), figure.unit),
            )
            for figure in one.figures
        ]
    told.append(ONE["kind"].format(kind=one.kind.capitalize(), words=KINDS[one.kind]))
    if one.fitted_by:
        told.append(ONE["fitted_by"].format(names=", ".join(one.fitted_by)))
    for name in ("note", "load", "sla"):
        if getattr(one, name):
            told.append(ONE[name].format(**{name: getattr(one, name)}))
    return [*told, ONE["seeds_of"].format(seeds=words.seeds(one.seeds))]


def _figures(one: ClaimResult, fresh: ClaimResult | None) -> None:
    columns = [
        Column(ONE["figure"], ONE["figure_about"], align="left"),
        Column(ONE["before"], ONE["before_about"], whole=True),
        *([Column(ONE["after"], ONE["after_about"], whole=True)] if fresh is not None else []),
    ]
    newer = [None] * len(one.figures) if fresh is None else list(fresh.figures)
    rows = [
        _row(one, i, figure, now)
        for i, (figure, now) in enumerate(zip(one.figures, newer, strict=True))
    ]
    table("claim-figures", ONE["figures"].format(claim=one.claim), columns, rows, file=one.claim)


def _row(one: ClaimResult, i: int, figure: Verdict, now: Verdict | None) -> Row:
    label = words.label(figure, one.about) or one.about
    cells = [
        Cell(label, lines=[figure.about, words.band(figure)]),
        _value(figure, ONE["before_about"]),
        *([] if now is None else [_value(now, ONE["after_about"])]),
    ]
    return Row(f"figure-{i + 1}", cells)


def _value(figure: Verdict, basis: str) -> Cell:
    each = ", ".join(words.plain(v, figure.digits, figure.signed) for v in figure.values)
    told = [ONE["each"].format(values=words.with_unit(each, figure.unit))] if figure.sd else []
    return Cell(
        words.value(figure), figure.value, figure.unit, words.spread(figure),
        [figure.about, words.band(figure), basis, *told], trend=words.trend(figure.inside),
    )  # fmt: skip


def _deployments(one: ClaimResult) -> None:
    columns = [
        Column(ONE["deployments"], ONE["deployment_about"], align="left"),
        Column(ONE["changes"], ONE["changes_about"], align="left"),
    ]
    rows = [
        Row(d.case, [Cell(d.case, lines=[d.digest], note=d.digest[:DIGITS_OF_DIGEST]), _changes(d)])
        for d in one.deployments
    ]
    table("claim-deployments", ONE["deployments"], columns, rows)


def _changes(one: Deployment) -> Cell:
    told = [f"{path} = {words.shown(value)}" for path, value in one.changes.items()]
    if one.case != one.shipped:
        told.insert(0, one.shipped)
    if one.traffic:
        told.append(ONE["traffic"].format(traffic=one.traffic))
    return Cell("; ".join(told) or ONE["as_shipped"])
