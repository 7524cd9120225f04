"""The page of the frontend: what users see, as Dynamo 1.6 prints it."""

from __future__ import annotations

from twin.engine.pipeline import Pipeline

from .counting import Counting
from .families import FRONTEND, Family
from .gauges import streamed
from .writing import PageWriter, rust_number

CONTENT_TYPE = "text/plain; version=0.0.4"

STREAM = {"endpoint": "chat_completions", "request_type": "stream"}
ANSWERED = {**STREAM, "error_type": "", "status": "success"}
MORE_LABELS = {"requests_started": STREAM, "requests": ANSWERED}


def user_page(counting: Counting) -> str:
    """The page of the frontend."""
    p = counting.sim.pipeline
    _show_tokens(counting)
    page = PageWriter("", {"model": p.scenario.model.name}, rust_number)
    gauges = _gauges(p)
    for family in FRONTEND:
        shown = f"dynamo_frontend_{family.name}"
        if family.kind == "gauge":
            page.gauge(family, {"": gauges[family.name]}, shown)
        elif family.kind == "histogram":
            page.histogram(family, counting.frontend, shown)
        else:
            _counter(page, counting, family, shown)
    return page.text()


def _counter(page: PageWriter, counting: Counting, family: Family, shown: str) -> None:
    common = page.labels
    page.labels = {**common, **MORE_LABELS.get(family.name, {})}
    value = counting.shown_tokens if family.name == "output_tokens" else None
    page.counter(family, counting.frontend, shown, value=value)
    page.labels = common


def _show_tokens(counting: Counting) -> None:
    """Output of finished requests, and what has been streamed of the others."""
    now_out = streamed(counting.sim.pipeline)
    tokens = counting.frontend.get("output_tokens") + now_out - counting.streamed_before
    counting.shown_tokens = max(counting.shown_tokens, tokens)


def _gauges(p: Pipeline) -> dict[str, float]:
    now = p.clock.now
    waiting = sum(1 for j in p.live.values() if not 0 <= j.first <= now)
    inside = float(len(p.live))
    return {
        "active_requests": inside, "inflight_requests": inside, "queued_requests": float(waiting)
    }  # fmt: skip
