"""What the browser tests ask of the lab: counters, controls, drags."""

from __future__ import annotations

import re
from typing import Any

SEEN = "window.pddTwin"


def seen(page: Any, name: str) -> Any:
    """A counter of the page, such as `lastFrameEntry`."""
    return page.evaluate(f"{SEEN}.{name}")


def wait_entry(page: Any, entry: int) -> None:
    """Until a frame that knows this entry of the log has been painted."""
    page.wait_for_function(f"{SEEN}.lastFrameEntry >= {entry}")


def wait_forecast(page: Any, entry: int) -> None:
    """Until a forecast that knows this entry of the log has been drawn."""
    page.wait_for_function(f"{SEEN}.lastForecastEntry >= {entry}")


def slider(page: Any, name: str | re.Pattern[str]) -> Any:
    """A control by its spoken name."""
    return page.get_by_role("slider", name=name, exact=isinstance(name, str))


def value(control: Any) -> float:
    """What a control says it stands at."""
    return float(control.get_attribute("aria-valuenow"))


def center(page: Any, selector: str, part: Any = 0.5) -> tuple[float, float]:
    """The middle of an element, or a point at a part of its width."""
    box = page.locator(selector).first.bounding_box()
    return box["x"] + box["width"] * part, box["y"] + box["height"] / 2


def drag(page: Any, start: tuple[float, float], dx: float, dy: float, steps: int = 12) -> None:
    """Press and move, and leave the button down."""
    page.mouse.move(*start)
    page.mouse.down()
    for i in range(1, steps + 1):
        page.mouse.move(start[0] + dx * i / steps, start[1] + dy * i / steps)


def touch_drag(
    page: Any, start: tuple[float, float], dx: float, dy: float, steps: int = 12
) -> None:
    """Drag with one finger."""
    touch = page.context.new_cdp_session(page)

    def send(kind: str, x: float, y: float) -> None:
        points = [] if kind == "touchEnd" else [{"x": x, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", *start)
    for i in range(1, steps + 1):
        send("touchMove", start[0] + dx * i / steps, start[1] + dy * i / steps)
    send("touchEnd", 0, 0)


def bars(page: Any) -> list[float]:
    """The seven shares in percent, as the bars say them."""
    handles = page.locator(".hbar-handle")
    return [value(handles.nth(i)) for i in range(handles.count())]


def clock_s(page: Any, pane: str = ".clock") -> int:
    """Simulated time that the page shows, in s."""
    hours, minutes, seconds = page.locator(pane).inner_text().split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(seconds)
