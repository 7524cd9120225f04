"""Controls of a page, bound to its state: what is dragged acts at once, what is typed on Enter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from .components.widgets import widget
from .numbers import Role
from .state import PageState
from .texts.studies import CONTROLS


def drag_slider(
    state: PageState, name: str, label: str, low: float, high: float, unit: str, *,
    about: str = "", source: str = "", log: bool = False, step: float | None = None,
    role: Role = "accent", disabled: bool = False, refused: str = "",
) -> float:  # fmt: skip
    """A slider that acts while it is dragged, ten times a second; its value.

    Put it into a fragment together with what it changes. `source` is shown with `about`;
    "assumed" puts its mark on the slider. While it is held `state.held` is true, and studies wait.
    """
    key = state.key(name)
    said = (st.session_state.get(key) or {}).get("said")
    known = state.kept.setdefault("heard", {})
    if said and said["seq"] > known.get(key, 0):
        known[key] = said["seq"]
        state.hold(
            said["held"] or state.held
        )  # so that what is on its way leaves the address alone
        state.put(name, said["value"], (key, said["gesture"]))
        state.hold(said["held"])
    data = {
        "label": label, "value": state[name], "low": low, "high": high, "unit": unit, "log": log,
        "step": step, "help": about, "source": source, "role": role, "disabled": disabled,
        "refused": refused, "seq": known.get(key, 0),
        "mark": "≈" if source.startswith("assumed") else "",
    }  # fmt: skip
    widget("slider", key, {k: v for k, v in data.items() if v is not None}, ("said",))
    return state[name]


def _put(state: PageState, name: str, key: str) -> Callable[[], None]:
    def put() -> None:
        value = st.session_state[key]
        state.put(name, state.defaults.get(name) if value is None else value)

    return put


def number_field(
    state: PageState, name: str, label: str, low: float, high: float, step: float, *,
    about: str = "", unit: str = "",
) -> Any:  # fmt: skip
    """A number to be typed; whole when all its bounds are."""
    key = state.key(name)
    st.number_input(
        f"{label} ({unit})" if unit else label, min_value=low, max_value=high, step=step,
        value=min(max(state[name], low), high), key=key, help=about or None,
        on_change=_put(state, name, key),
    )  # fmt: skip
    return state[name]


def choice(
    state: PageState, name: str, label: str, options: Mapping[str, str], *, about: str = "",
    bare: bool = False,
) -> str:  # fmt: skip
    """One of a few, all to be seen; `options` are words by value, `bare` hides the label."""
    key = state.key(name)
    st.segmented_control(
        label, list(options), default=state[name], format_func=lambda one: options[one], key=key,
        help=about or None, on_change=_put(state, name, key), required=True,
        label_visibility="collapsed" if bare else "visible",
    )  # fmt: skip
    return state[name]


def select(
    state: PageState, name: str, label: str, options: Sequence[str], *,
    words: Callable[[str], str] = str, about: str = "",
) -> str:  # fmt: skip
    """One of many."""
    key = state.key(name)
    now = state[name]
    st.selectbox(
        label, options, index=options.index(now) if now in options else None, format_func=words,
        key=key, help=about or None, on_change=_put(state, name, key),
    )  # fmt: skip
    return state[name]


def switch(state: PageState, name: str, label: str, *, about: str = "") -> bool:
    """On or off."""
    key = state.key(name)
    st.toggle(
        label, value=state[name], key=key, help=about or None, on_change=_put(state, name, key)
    )
    return state[name]


def preset_buttons(
    state: PageState, words: Mapping[str, str], about: Mapping[str, str], now: str | None,
    values: Callable[[str], Mapping[str, Any]],
) -> None:  # fmt: skip
    """A button for each preset; that of `now` stands out. For a horizontal container."""
    for name, label in words.items():
        st.button(
            label, key=f"preset {name}", help=about[name], on_click=state.turn,
            args=(values(name),), type="primary" if name == now else "secondary",
        )  # fmt: skip


def undo_and_reset(state: PageState) -> None:
    """The two ways back, and a sentence on what of the link could not be read."""
    with st.container(horizontal=True, gap="small"):
        st.button(
            CONTROLS["undo"], key=f"undo {state.page}", on_click=state.undo, icon=":material/undo:",
            disabled=not state.can_undo, type="tertiary",
        )  # fmt: skip
        st.button(
            CONTROLS["reset"], key=f"reset {state.page}", on_click=state.reset, type="tertiary",
            disabled=not state.changed, help=CONTROLS["reset_help"], icon=":material/restart_alt:",
        )  # fmt: skip
    if state.unknown:
        st.warning(CONTROLS["unknown"].format(names=", ".join(state.unknown)))
