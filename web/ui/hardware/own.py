"""One's own chip: four numbers, a model, and at once what it does with it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..address import link
from ..controls import choice, drag_slider, select, undo_and_reset
from ..heads import section
from ..numbers import DASH, Kind, Number, number, numbers, seconds
from ..state import PageState
from ..tables import Cell, Column, Row, table
from ..texts.hardware import BASES, FIELDS, FIGURES, HARDWARE, NOTES, POOLS, TABLE
from . import serving
from .serving import Load, Served

DEFAULTS = {
    "chip": "nvidia-h20-96g", "model": "deepseek-v3", "basis": "measured", "chips": 8,
    "prompt": 8000, "batch": 32, "context": 16000, "pool": "main_decode",
}  # fmt: skip
EVERY = "hardware-every"
MOST = {"peak_tflops": 1e6, "memory_gb": 1e5, "memory_tbytes_per_s": 1e4,
        "interconnect_gbytes_per_s": 1e6}  # fmt: skip

Fit = dict[str, Any] | None


def state() -> PageState:
    """The controls; the four figures are those of the chip unless they were changed."""
    page = PageState("hardware", DEFAULTS, lambda name: 0.0 if name in FIELDS else None)
    values = serving.parts("chips")[_chip(page)].values
    for name in FIELDS:
        value = values.get(name)
        page.defaults[name] = None if value is None else float(value)
    return page


def _chip(page: PageState) -> str:
    return page["chip"] if page["chip"] in serving.parts("chips") else str(DEFAULTS["chip"])


def own(page: PageState, fit: Fit) -> None:
    """The figures, and below them the form beside the same model on every chip."""
    top = st.container()
    left, right = st.columns([1, 1.25])
    with left, st.container(border=True):
        section(HARDWARE["own"], HARDWARE["own_about"])
        _form(page)
    load = Load(page["chips"], page["prompt"], page["batch"], page["context"])
    figures = {name: page[name] for name in FIELDS}
    _told(page, figures, load, fit, top, right)


def _form(page: PageState) -> None:
    def start() -> None:
        found = st.session_state[page.key("chip")]
        page.put_all({"chip": found, **dict.fromkeys(FIELDS)})

    known = list(serving.parts("chips"))
    now = _chip(page)
    first, second = st.columns(2)
    with first:
        st.selectbox(
            HARDWARE["from"], known, index=known.index(now), key=page.key("chip"), on_change=start,
            help=HARDWARE["from_about"],
        )  # fmt: skip
    with second:
        select(page, "model", HARDWARE["model"], list(serving.parts("models")))
    for pair in (list(FIELDS)[:2], list(FIELDS)[2:]):
        for place, name in zip(st.columns(2), pair, strict=True):
            with place:
                _field(page, name)
    drag_slider(page, "chips", HARDWARE["chips"], 1, 64, "chips", step=1, log=True,
                about=HARDWARE["chips_about"])  # fmt: skip
    drag_slider(page, "prompt", HARDWARE["prompt"], 100, 128_000, "tokens", step=1, log=True,
                about=HARDWARE["prompt_about"])  # fmt: skip
    drag_slider(page, "batch", HARDWARE["batch"], 1, 512, "requests", step=1, log=True,
                about=HARDWARE["batch_about"])  # fmt: skip
    drag_slider(page, "context", HARDWARE["context"], 500, 256_000, "tokens", step=1, log=True,
                about=HARDWARE["context_about"])  # fmt: skip
    choice(page, "basis", HARDWARE["basis"], BASES, about=HARDWARE["basis_about"])
    undo_and_reset(page)


def _field(page: PageState, name: str) -> None:
    """One of the four figures, to be typed; empty where the catalogue has none."""
    label, unit, about = FIELDS[name]
    key = f"{page.key(name)} {_chip(page)}"
    source = serving.parts("chips")[_chip(page)].sources.get(name, "")

    def put() -> None:
        page.put(name, st.session_state[key])

    now = page[name]
    st.number_input(
        f"{label} ({unit})", min_value=0.001, max_value=MOST[name], key=key, on_change=put,
        value=now if now and 0.001 <= now <= MOST[name] else None, help=f"{about} {source}",
        placeholder=HARDWARE["needed"], step=None, format="%g",
    )  # fmt: skip


def _told(
    page: PageState, figures: dict[str, Any], load: Load, fit: Fit, top: Any, right: Any
) -> None:  # fmt: skip
    chip, model = serving.parts("chips")[_chip(page)], serving.parts("models").get(page["model"])
    absent = [n for n in FIELDS if not figures[n] and n != "interconnect_gbytes_per_s"]
    for name in absent:
        why = chip.lacks.get(name, HARDWARE["needed"])
        top.warning(HARDWARE["lacks"].format(name=chip.name, what=FIELDS[name][0], why=why))
    for name, why in ({} if model is None else model.lacks).items():
        top.warning(HARDWARE["model_lacks"].format(name=page["model"], what=name, why=why))
    if absent or model is None or model.lacks:
        return
    ends = None
    if page["basis"] == "measured" and fit is not None:
        if serving.can_be_fitted(model.name):
            ends = serving.ends(fit["default"])
        else:
            top.caption(HARDWARE["no_fit"].format(name=model.name))
    several = [serving.served(figures, model.name, load, e) for e in ends or (None,)]
    reached = ends[0] if ends else None
    with top:
        _numbers(several, model.values, load, figures)
    with right:
        _link(page, figures, load, reached)
        _every(page, several[0], load, reached)


def _numbers(several: list[Served], model, load: Load, figures) -> None:  # noqa: ANN001
    now, *span = several
    memory = figures["memory_gb"] * load.chips
    weights = 100 * model["weights_gb"] / memory
    if now.slots == 0:
        told = {"weights": f"{model['weights_gb']:,g}", "memory": f"{memory:,g}"}
        st.warning(HARDWARE["does_not_fit"].format(**told))
    kv_mb = (model["kv_bytes_per_token"] * load.context_tokens) / 1e6 + model["fixed_state_mb"]
    per_token = NOTES["per_token"].format(value=f"{model['kv_bytes_per_token']:,.10g}")
    per_chip = "" if now.rate is None else NOTES["per_chip"].format(
        value=number(now.rate / load.chips, 3))  # fmt: skip
    over = NOTES["over"] if now.slots < load.batch else ""
    kind: Kind = "computed"
    rows = {
        "prefill": (*seconds(now.prefill_s), _range([one.prefill_s for one in span])),
        "step": (*seconds(now.step_s), _range([one.step_s for one in span])),
        "rate": (number(now.rate), "tokens/s", per_chip),
        "slots": (f"{now.slots:,}", "requests", over),
        "kv": (number(kv_mb), "MB", per_token),
        "weights": (f"{model['weights_gb']:,.4g}", "GB", NOTES["share"].format(
            value=number(weights, 3))),
    }  # fmt: skip
    source = HARDWARE["basis_about"]
    numbers(
        "hardware-own",
        [
            Number(n, FIGURES[n][0], row[0], row[1], FIGURES[n][1], kind, source, row[2])
            for n, row in rows.items()
        ],
    )


def _range(span: list[float | None]) -> str:
    if len(span) != 2 or None in span:
        return ""
    slow, fast = (" ".join(seconds(one)) for one in span)
    return NOTES["range"].format(low=fast, high=slow)


def _link(page: PageState, figures, load: Load, reached) -> None:  # noqa: ANN001
    pool = page["pool"]
    there = serving.settings(figures, page["model"], load.chips, reached)
    values: dict[str, Any] = {f"d4.{pool}.chip.{name}": value for name, value in there.items()}
    left, right = st.columns([1, 1.4], vertical_alignment="bottom")
    with left:
        choice(page, "pool", HARDWARE["role"], POOLS, bare=True)
    with right:
        st.link_button(
            HARDWARE["compare"], link("compare", {"d4": "pdd_43a_32b", **values}),
            help=HARDWARE["compare_about"], icon=":material/compare_arrows:",
        )  # fmt: skip


def _every(page: PageState, mine: Served, load: Load, reached) -> None:  # noqa: ANN001
    section(TABLE["title"], TABLE["about"])

    def pressed() -> None:
        found = st.session_state[EVERY]["pressed"]
        page.put_all({"chip": found, **dict.fromkeys(FIELDS)})
        page.kept["round"] += 1

    columns = [
        Column(name, about, unit, align="left" if key == "chip" else "right")
        for key, (name, unit, about) in TABLE["columns"].items()
    ]
    rows = [Row("yours", _cells(TABLE["yours"], mine), chosen=True)]
    for name, part in serving.parts("chips").items():
        if not part.lacks and name not in ("A", "B"):
            figures = {field: part.values.get(field) for field in FIELDS}
            told = serving.served(figures, page["model"], load, reached)
            rows.append(Row(name, _cells(name, told), press=name))
    with st.container(height=420):
        table(EVERY, TABLE["title"], columns, rows, file="chips-with-a-model", pressed=pressed)


def _cells(name: str, told: Served) -> list[Cell]:
    about = [words[2] for words in TABLE["columns"].values()]
    step = None if told.step_s is None else 1e3 * told.step_s
    if told.step_s is None:
        about[1:] = [about[1], *[TABLE["does_not_fit"]] * 3]
    return [
        Cell(name, lines=[about[0]]),
        Cell(number(told.prefill_s), told.prefill_s, lines=[about[1]]),
        Cell(number(step), step, lines=[about[2]]),
        Cell(number(told.rate), told.rate, lines=[about[3]]),
        Cell(f"{told.slots:,}" if told.slots else DASH, told.slots, lines=[about[4]]),
    ]
