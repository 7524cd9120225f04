"""Steady, swinging or collapsing: the verdict of a run, in a word, in a sentence, in figures."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..numbers import DASH, Number, number, numbers, percent
from ..texts.oscillation import STATES, VERDICT

Said = dict[str, Any]


def word(said: Said) -> None:
    """The verdict as a coloured word with its sign."""
    name, colour, sign = STATES[said["state"]]
    st.badge(name, color=colour, icon=sign)  # type: ignore[arg-type]


def verdict(said: Said, other: Said, total_s: float, basis: str) -> None:
    """The verdict, and the figures that it rests on; `other` is the side it is compared with."""
    word(said)
    st.text(said["words"])
    numbers("oscillation-verdict", figures(said, other, total_s, basis))


def figures(said: Said, other: Said, total_s: float, basis: str) -> list[Number]:
    """Share within the SLA, falls, correlation, lag and share finished locally."""
    swing, drift = said["swing"], said["drift"]
    source = VERDICT["source"].format(basis=basis)
    better = (said["sla_ok_share"] or 0) >= (other["sla_ok_share"] or 0) - 0.005
    against = VERDICT["against"].format(with_it=" ".join(percent(other["sla_ok_share"])))
    fell = VERDICT["falls_note"].format(
        upper=f"{swing['upper']:.0f}", low=f"{swing['upper'] / 4:.0f}"
    )
    return [
        Number("sla", VERDICT["sla"], *percent(said["sla_ok_share"]),
               VERDICT["sla_about"].format(total=total_s), "simulated", source, note=against,
               trend="" if better else "worse"),
        Number("falls", VERDICT["falls"], f"{swing['falls']}", "", VERDICT["falls_about"],
               "simulated", source, note=fell, role="rld"),
        Number("correlation", VERDICT["correlation"], number(swing["correlation"]), "",
               VERDICT["correlation_about"], "simulated", source, role="line"),
        Number("lag", VERDICT["lag"], *points(drift["lag_late"]), VERDICT["lag_about"],
               "simulated", source, role="md",
               note=VERDICT["lag_note"].format(early=" ".join(points(drift["lag_early"])))),
        Number("local", VERDICT["local"], *percent(drift["local_late"]), VERDICT["local_about"],
               "simulated", source, role="rld",
               note=VERDICT["lag_note"].format(early=" ".join(percent(drift["local_early"])))),
    ]  # fmt: skip


def points(lag: float | None) -> tuple[str, str]:
    """A lag of hit rates in points."""
    return (DASH, "") if lag is None else (f"{100 * lag:.0f}", VERDICT["points"])
