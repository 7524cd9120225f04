"""The parts of a page that are our own: one component, which draws what its data names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from streamlit.components.v2 import component

from .live import API_URL, ASSETS_URL

# The script has no address of its own to resolve others against, so it takes the page's.
LOADER = """
export default async function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const at = (name) => new URL(`${data.assets}/${name}`, window.location.origin).href;
  const { mount } = await import(at("widgets/mount.js"));
  return mount({ data, at, parent: parentElement, state: setStateValue, trigger: setTriggerValue });
}
"""


_within: ContextVar[dict[str, str] | None] = ContextVar("answer", default=None)


@contextmanager
def answering(slot: str, answer: str) -> Iterator[None]:
    """What is drawn within shows this answer of a study, and is marked with it in the browser."""
    before = _within.set({"slot": slot, "answer": answer})
    try:
        yield
    finally:
        _within.reset(before)


def widget(kind: str, key: str, data: dict[str, Any], said: Sequence[str] = (), **on: Any) -> Any:
    """Draw `widgets/<kind>.js` with `data`; what it tells stands under the names in `said`.

    `on` are callbacks by such a name; they run before the page does.
    """
    whole = {"widget": kind, "assets": ASSETS_URL, "api": API_URL, "within": _within.get(), **data}
    heard = {f"on_{name}_change": on.get(name, _nothing) for name in said}
    return _component()(key=key, data=whole, **heard)


def _nothing() -> None:
    """What is told is read where it is needed."""


@cache
def _component() -> Any:
    return component("pdd_twin_widget", js=LOADER, isolate_styles=False)
