"""The loop gain: a gauge from 0 to its limit, and what it is made of."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from twin.loop_gain import Gain
from twin.scenario import Scenario
from twin.scenario_file import source_of

from ..charts import chart, faded, palette
from ..numbers import Number, number, numbers, percent
from ..texts.oscillation import GAIN

Said = dict[str, Any]


def gauge(measured: float | None, formula: Gain, key: str) -> None:
    """Where the deployment stands between 0 and 1; above 1 - e nothing can stand."""
    colours, figure = palette(), go.Figure()
    limit = formula.limit
    bands = ((0, 0.5, "md"), (0.5, 0.8, "amber"), (0.8, limit, "red"))
    for low, high, role in bands:
        if high > low:
            figure.add_shape(
                type="rect", x0=low, x1=min(high, limit), y0=0, y1=1, line={"width": 0},
                fillcolor=faded(colours[role], 0.28), layer="below",
            )  # fmt: skip
    figure.add_shape(
        type="rect", x0=limit, x1=1, y0=0, y1=1, line={"width": 0}, layer="below",
        fillcolor=faded(colours["faint"], 0.45),
    )  # fmt: skip
    _hand(figure, formula.gain, GAIN["by_formula"], colours["soft"], -0.32, "triangle-up")
    _hand(figure, measured, GAIN["measured"], colours["ink"], 1.32, "triangle-down")
    figure.add_annotation(
        x=limit, y=0.5, text=GAIN["limit"].format(limit=limit), showarrow=False, xanchor="right",
        xshift=-4, font={"size": 12, "color": colours["ink"]},
    )  # fmt: skip
    figure.update_xaxes(range=[-0.03, 1.03], tickvals=[0, 0.25, 0.5, 0.75, 1], showgrid=False)
    figure.update_yaxes(range=[-0.75, 1.75], visible=False)
    told = GAIN["alt"].format(
        gain=number(measured), formula=number(formula.gain), limit=number(limit)
    )
    chart(figure, key, told, height=128, name="loop-gain")


def _hand(
    figure: go.Figure, value: float | None, words: str, colour: str, y: float, sign: str
) -> None:
    if value is None:
        return
    above = y > 0.5
    figure.add_scatter(
        x=[value], y=[y - 0.12 if above else y + 0.12], mode="markers", hoverinfo="skip",
        marker={"color": colour, "size": 13, "symbol": sign}, showlegend=False,
    )  # fmt: skip
    figure.add_annotation(
        x=value, y=y, text=words.format(gain=number(value, 3)), showarrow=False,
        xanchor="right" if value > 0.5 else "left", xshift=-10 if value > 0.5 else 10,
        font={"size": 12.5, "color": colour},
    )  # fmt: skip


def by_formula(formula: Gain) -> Number:
    """The gain by the formulas, which follows a drag."""
    return Number(
        "gain_formula", GAIN["formula"], number(formula.gain), "", GAIN["formula_about"], "computed"
    )


def parts(said: Said, scenario: Scenario, basis: str) -> None:
    """G, p_st, p_al, e and the share of stale turns as figures."""
    gain, found = said["gain"], source_of(scenario, "workload.turns_per_session")
    expected = " ".join(percent(gain["stale_expected"]))
    about_e = GAIN["e_about"].format(turns=scenario.workload.turns_per_session)
    e = Number(
        "ends", GAIN["e"], number(gain["ends"]), "", about_e, "computed",
        GAIN["e_source"].format(source=found),
    )  # fmt: skip
    figures = [
        Number("gain", GAIN["g"], number(gain["gain"]), "", GAIN["g_about"], "simulated", basis,
               note="" if gain["gain"] is not None else GAIN["few"], role="accent"),
        _share("p_st", gain["local_stale"], gain["stale"], basis),
        _share("p_al", gain["local_aligned"], gain["aligned"], basis),
        e,
        Number("stale", GAIN["stale"], *percent(gain["stale_share"]), GAIN["stale_about"],
               "simulated", basis, note=GAIN["stale_note"].format(expected=expected)),
    ]  # fmt: skip
    numbers("oscillation-gain", figures)


def _share(name: str, value: float | None, count: int, basis: str) -> Number:
    about = GAIN[f"{name}_about"].format(count=f"{count:,}")
    return Number(
        name, GAIN[name], number(value), "", about, "simulated", basis,
        note="" if value is not None else GAIN["few"],
    )  # fmt: skip
