"""What a million tokens must cost so that each deployment earns what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from twin.cost_table import Hardware, PriceRange, cost_table
from twin.token_price import Billing, TokenPrices, Traffic, token_prices

from ..controls import drag_slider
from ..numbers import number
from ..state import PageState
from ..studies import basis_of, study
from ..tables import Cell, Column, Row, table
from ..texts.economics import TOKENS
from .cost import gain_ratio, gain_source, interval
from .prices import BEFORE, both, deployment, hour_of_a, price_of_a, stored_gain

SEEDS = 2
REQUESTS = 20_000
Said = dict[str, Any]


def billing(page: PageState) -> None:
    """The price of an hour of chip A, and how prices of tokens hang together."""
    hour = hour_of_a(page)
    places = st.columns(5)
    if hour is not None:
        page.defaults["a_hour"] = round((hour.low + hour.high) / 2, 3)
        with places[0]:
            source = f"assumed: chip A is {price_of_a(page)[0]}, {hour.words()}"
            drag_slider(
                page, "a_hour", TOKENS["hour"], 0.2, 20, "USD", log=True, role="p",
                about=TOKENS["hour_about"], source=source,
            )  # fmt: skip
    with places[1]:
        drag_slider(
            page, "cached", TOKENS["cached"], 0, 1, "× input", step=0.01, role="accent",
            about=TOKENS["cached_about"], source=TOKENS["cached_source"],
        )  # fmt: skip
    with places[2]:
        drag_slider(
            page, "output", TOKENS["output"], 0, 10, "× input", step=0.1,
            about=TOKENS["output_about"], source="assumed",
        )  # fmt: skip
    with places[3]:
        drag_slider(
            page, "margin", TOKENS["margin"], 0, 100, "%", step=1, about=TOKENS["margin_about"],
            source="assumed",
        )  # fmt: skip
    with places[4]:
        drag_slider(
            page, "hit", TOKENS["hit"], 0, 0.99, "", step=0.01, role="accent",
            about=TOKENS["hit_about"], source=TOKENS["hit_source"],
        )  # fmt: skip


def tokens(page: PageState, prices: Mapping[str, PriceRange], line: PriceRange) -> None:
    """The table of token prices, once the baseline's capacity is known."""
    if hour_of_a(page) is None:
        st.info(TOKENS["refused"])
        return
    asked = {"deployment": {"scenario": BEFORE}, "seeds": SEEDS, "requests": REQUESTS}
    answer = study("capacity", asked, held=page.held)
    if answer.result is not None:
        with answer.area():
            _table(page, answer.result, prices, line)


def _table(page: PageState, said: Said, prices: Mapping[str, PriceRange], line: PriceRange) -> None:
    if said["capacity_rps"] is None:
        st.info(said["why"])
        return
    workload = deployment(BEFORE).workload
    prompt, output = workload.prompt_tokens_mean, workload.output_tokens_mean
    per = TOKENS["per_million"].format(prompt=int(prompt), output=int(output))
    rows, blended = [], []
    for hardware, rps, basis in zip(
        both(), (said["capacity_rps"], said["capacity_rps"] * gain_ratio(page)),
        (basis_of(said), gain_source(page)), strict=True,
    ):  # fmt: skip
        costs = _costs(page, hardware, prices, line)
        found = [_prices(page, cost, rps, prompt, output) for cost in costs]
        blended.append([one.blended for one in found])
        rows.append(_row(hardware.name, costs, rps, found, f"{basis}. {_sla()}", per))
    table("economics-tokens", TOKENS["title"], _columns(per), rows, file="token-prices")
    st.caption(f"{per} {_sla()}")
    st.text(_change(blended))


def _sla() -> str:
    return TOKENS["sla"].format(sla=stored_gain().sla)


def _costs(
    page: PageState, hardware: Hardware, prices: Mapping[str, PriceRange], line: PriceRange
) -> tuple[float, float]:
    found = cost_table(hardware, prices, line)
    return found.low * page["a_hour"], found.high * page["a_hour"]


def _prices(
    page: PageState, cost: float, rps: float, prompt: float, output: float
) -> TokenPrices:  # fmt: skip
    return token_prices(
        cost, Traffic(rps, prompt, page["hit"], output), Billing(page["cached"], page["output"]),
        page["margin"] / 100,
    )  # fmt: skip


def _row(
    name: str, costs: tuple[float, float], rps: float, found: list[TokenPrices], basis: str,
    per: str,
) -> Row:  # fmt: skip
    low, high = found
    told = [
        (low.uncached_input, high.uncached_input), (low.cached_input, high.cached_input),
        (low.output, high.output), (low.blended, high.blended),
    ]  # fmt: skip
    return Row(
        name,
        [
            Cell(name), Cell(interval(*costs, 4), costs[0], lines=[TOKENS["cost_about"]]),
            Cell(number(rps), rps, lines=[TOKENS["rps_about"], basis]),
            *(Cell(interval(*pair, 4), pair[0], lines=[per, basis]) for pair in told),
            Cell(
                interval(low.cost_per_request * 100, high.cost_per_request * 100),
                low.cost_per_request * 100, lines=[TOKENS["request_about"], basis],
            ),
        ],
    )  # fmt: skip


def _columns(per: str) -> list[Column]:
    unit = "USD/M"
    return [
        Column(TOKENS["deployment"], align="left"),
        Column(TOKENS["cost"], TOKENS["cost_about"], "USD/h"),
        Column(TOKENS["rps"], TOKENS["rps_about"], "requests/s"),
        Column(TOKENS["uncached"], per, unit), Column(TOKENS["cached_price"], per, unit),
        Column(TOKENS["output_price"], per, unit),
        Column(TOKENS["blended"], TOKENS["blended_about"], unit),
        Column(TOKENS["request"], TOKENS["request_about"], "US cent"),
    ]  # fmt: skip


def _change(blended: list[list[float]]) -> str:
    """By how much a token gets cheaper, at the upper and at the lower price of B."""
    (base_low, base_high), (low, high) = blended
    ends = (1 - high / base_high) * 100, (1 - low / base_low) * 100
    first, last = both()
    key = "change" if ends[0] > 0 else "change_more" if ends[1] > 0 else "change_worse"
    told = [f"{abs(end):.1f}" for end in ends]
    return TOKENS[key].format(name=last.name, first=first.name, low=told[0], high=told[1])
