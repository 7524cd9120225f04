"""How long a drag takes to be seen, in a real browser: `python -m tests.browser.latency`.

One visitor drags a bar, the bandwidth and the chip mix while others watch. Told are milliseconds
from the input event to the paint of the first frame under the new setting, and to the redrawn
forecast, and frames a second of every page. The others watch as programs that read every frame, for
visitors bring machines of their own; `--pages` draws them too. A busy machine is no failure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from websockets.asyncio.client import connect

from tests.services import CHROMIUM_FLAGS, SERVICES

from .service import running_service

DRAGS = {
    "bar": (".hbar-handle >> nth=0", (0.5, 0.7), (0, -25)),
    "bandwidth": ("[aria-label=Bandwidth] .slider-thumb", (0.5, 0.5), (-14, 0)),
    "chips": (".of-md .chip-track", (0.38, 0.5), (60, 0)),
}
MOVES = 60
STEP_MS = 33
READY = "window.pddTwin?.frames > 10 && document.querySelectorAll('.chart[data-drawn]').length > 2"


def quantile(values: list[float], share: float) -> float | None:
    """A quantile as one of the values, in ms; None of none."""
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))]) if ordered else None


def dragged(page: Any, selector: str, grip: tuple[float, float], by: tuple[float, float]) -> None:
    """Drag to and fro: the first turn, which forks, is left out of the figures."""
    box = page.locator(selector).first.bounding_box()
    x, y = box["x"] + box["width"] * grip[0], box["y"] + box["height"] * grip[1]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by[0] * 0.3, y + by[1] * 0.3)
    page.wait_for_function("window.pddTwin.lastForecastEntry >= 1")
    page.evaluate("window.pddTwin.latencies = {frame_ms: [], forecast_ms: []}")
    for there in [*range(MOVES), *reversed(range(MOVES))]:
        part = 0.3 + 0.7 * there / MOVES
        page.mouse.move(x + by[0] * part, y + by[1] * part)
        page.wait_for_timeout(STEP_MS)
    page.mouse.up()
    page.wait_for_timeout(1500)


async def read_frames(live: str, viewers: int) -> None:
    """Watch a twin so many times, until the process ends."""

    async def one() -> None:
        async with connect(live, max_size=None) as socket:
            async for _ in socket:
                pass

    await asyncio.gather(*(one() for _ in range(viewers)))


def watched(live: str, viewers: int) -> None:
    """What the watching process does."""
    asyncio.run(read_frames(live, viewers))


@contextmanager
def others(address: str, viewers: int) -> Iterator[None]:
    """So many who watch the same twin."""
    live = address.replace("http", "ws", 1) + "/api/twins/default/live"
    process = multiprocessing.get_context("spawn").Process(
        target=watched, args=(live, viewers), daemon=True
    )
    process.start()
    try:
        yield
    finally:
        process.terminate()
        process.join()


def measure(browser: Any, address: str, viewers: int, drawn: bool) -> dict[str, Any]:
    """Figures of each drag, with so many watching; `drawn`: as pages of the same browser."""
    with others(address, 0 if drawn else viewers - 1):
        return drags(browser, address, viewers - 1 if drawn else 0)


def drags(browser: Any, address: str, beside: int) -> dict[str, Any]:
    """Figures of each drag, with so many other pages open."""
    watching = [browser.new_context(viewport={"width": 1440, "height": 900}) for _ in range(beside)]
    pages = [context.new_page() for context in watching]
    for page in pages:
        page.goto(f"{address}/twin-lab")
    for page in pages:
        page.wait_for_function(READY, timeout=120_000)
    found = {}
    for name, (selector, grip, by) in DRAGS.items():
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.goto(f"{address}/twin-lab")
        page.wait_for_function(READY, timeout=120_000)
        page.wait_for_timeout(4000)
        fps = [one.evaluate("window.pddTwin.fps") for one in [page, *pages]]
        dragged(page, selector, grip, by)
        times = page.evaluate("window.pddTwin.latencies")
        found[name] = {
            f"{kind}_{label}": quantile(times[kind], share)
            for kind in ("frame_ms", "forecast_ms")
            for label, share in (("p50", 0.5), ("p95", 0.95))
        } | {
            "turns": len(times["frame_ms"]),
            "fps_least": min(fps),
            "fps": round(sum(fps) / len(fps)),
        }
        context.close()
    for context in watching:
        context.close()
    return found


def main() -> None:
    """Measure with one viewer and with ten, and print both as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--viewers", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--pages", action="store_true", help="the other viewers are pages too")
    asked = parser.parse_args()
    program = SERVICES["chromium"].find()
    assert program is not None, SERVICES["chromium"].missing()
    with (
        tempfile.TemporaryDirectory() as folder,
        running_service(Path(folder)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=str(program), args=list(CHROMIUM_FLAGS)
        )
        for viewers in asked.viewers:
            found = measure(browser, address, viewers, asked.pages)
            print(json.dumps({"viewers": viewers, **found}), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
