"""The live area of a page: a component that reads the twin's WebSocket by itself.

A rerun of the page costs it nothing: it has one key, its data never change, and it keeps its
state in the browser. Its modules are served under `/assets` as they are, without a build.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Literal

from streamlit.components.v2 import component

from twin.parts import Shelf
from twin.scenario_file import shipped_folder
from twin.version import VERSION

from ..texts import TEXTS

ASSETS = Path(__file__).parents[1] / "assets"
"""The folder that is served under `ASSETS_URL`, together with `plotly.min.js`."""

ASSETS_URL, API_URL = "/assets", "/api"

# The script has no address of its own to resolve others against, so it takes the page's.
LOADER = """
export default async function ({ data, parentElement, setTriggerValue }) {
  const at = (name) => new URL(`${data.assets}/${name}`, window.location.origin).href;
  const { mount } = await import(at("mount.js"));
  return mount({ data, at, parent: parentElement, trigger: setTriggerValue });
}
"""


def live(page: Literal["start", "lab"]) -> Any:
    """Mount the live area of a page; `.go` of what it returns holds the way a card leads to."""
    return _component()(key=f"live_{page}", data=_data(page), on_go_change=lambda: None)


@cache
def _component() -> Any:
    return component("pdd_twin_live", js=LOADER, isolate_styles=False)


@cache
def _data(page: str) -> dict[str, Any]:
    return {
        "page": page,
        "assets": ASSETS_URL,
        "api": API_URL,
        "version": VERSION,
        "texts": TEXTS,
        "files": _files(),
        "hit_rates": _hit_rates(),
    }


def _files() -> list[str]:
    """Its modules and styles, so that the browser fetches them at once, not one after another."""
    every = (path.relative_to(ASSETS).as_posix() for path in ASSETS.rglob("*.*s"))
    return sorted(name for name in every if not name.startswith("widgets"))


def _hit_rates() -> list[dict[str, Any]]:
    """The hit-rate parts that scenarios can name, to drag from."""
    parts = Shelf(shipped_folder() / "parts").parts("hit_rates")
    return [
        {"name": part.name, "about": part.about, "shares": part.values["hit_shares"]}
        for part in parts.values()
    ]
