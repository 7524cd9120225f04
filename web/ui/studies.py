"""Studies on a page: asked for at once, followed, and never in the way of what is there already.

`study(...)` draws one line that says how it stands, with progress and a way to cancel. The page
goes on with what it gives: the result, or the one before, which is then drawn greyed.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from ..client import ClientError
from . import service
from .components.widgets import answering, widget
from .texts.studies import STUDY

Said = dict[str, Any]
Status = Literal["offered", "running", "done", "failed", "stopped", "locked", "held"]

MOST_KEPT = 100


class _Kept:
    """What all sessions of this process know: results, and how many wait for which run."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.results: OrderedDict[str, Said] = OrderedDict()
        self.waiting: dict[str, int] = {}

    def result(self, identity: str) -> Said | None:
        with self.lock:
            found = self.results.get(identity)
            if found is not None:
                self.results.move_to_end(identity)
            return found

    def keep(self, identity: str, result: Said) -> None:
        with self.lock:
            self.results[identity] = result
            while len(self.results) > MOST_KEPT:
                self.results.popitem(last=False)

    def wait(self, run: str, by: int) -> int:
        """One session more or less waits for a run; how many do now."""
        with self.lock:
            count = self.waiting.pop(run, 0) + by
            if count > 0:
                self.waiting[run] = count
            return count


@st.cache_resource(show_spinner=False)
def _kept() -> _Kept:
    return _Kept()


@dataclass
class _Slot:
    """What one session knows of one study of a page."""

    identity: str = ""
    run: str | None = None
    wanted: bool = False
    status: Status = "offered"
    error: Said | None = None
    shown: str = ""
    """Identity of the newest result that was shown."""


@dataclass(frozen=True)
class Answer:
    """What a page draws: no `result` before there is any, one of earlier arguments if `stale`."""

    slot: str
    name: str
    """A short name of the result, other for each."""
    status: Status
    result: Said | None
    stale: bool

    @contextmanager
    def area(self) -> Iterator[None]:
        """Where the result is drawn; greyed while it is that of earlier arguments."""
        key = f"answer-{self.slot}"
        grey = f".st-key-{key} {{ opacity: 0.42; filter: grayscale(0.7); }}" if self.stale else ""
        st.html(f"<style>.st-key-{key} {{ transition: opacity 0.2s; }} {grey}</style>")
        with st.container(key=key), answering(self.slot, self.name):
            yield


def study(
    name: str, arguments: Mapping[str, Any], *, slot: str | None = None, offer: str = "",
    held: bool = False,
) -> Answer:  # fmt: skip
    """Ask for a study, draw how it stands, and give what there is of it.

    `slot` tells several studies of one page apart. With `offer`, the words of a button, it begins
    when that is pressed, or when its result is known already. While `held` (a control is being
    dragged) nothing new is asked for.
    """
    called = slot or name
    mine: _Slot = st.session_state.setdefault(f"study in {called}", _Slot())
    identity = json.dumps([name, arguments], sort_keys=True)
    if identity != mine.identity and not held:
        _leave(mine)
        mine.identity, mine.status, mine.error = identity, "offered", None
        mine.wanted = not offer
    known = _kept().result(identity)
    if known is None and not held:
        known = _brought_forward(mine, name, arguments)
    if known is not None:
        mine.status, mine.shown, mine.run = "done", identity, None
    status: Status = "held" if held and known is None else mine.status
    shown = known if known is not None else _kept().result(mine.shown)
    _draw(called, mine, status, shown, offer)
    shown_name = _short(mine.shown if known is None else identity)
    return Answer(called, shown_name, status, shown, stale=known is None and shown is not None)


def _short(identity: str) -> str:
    return hashlib.sha256(identity.encode()).hexdigest()[:12]


def _brought_forward(mine: _Slot, name: str, arguments: Mapping[str, Any]) -> Said | None:
    """Ask, or see how far it is; the result when it is there."""
    if not mine.wanted or mine.error is not None:
        return None
    try:
        if mine.run is None:
            mine.run = service.client().ask_study(name, arguments)
            _kept().wait(mine.run, +1)
        return _looked_at(mine)
    except ClientError as error:
        mine.status = "locked" if error.code == "unauthorized" else "failed"
        mine.error = {"message": error.message, "problems": error.problems}
        _leave(mine)
    return None


def _looked_at(mine: _Slot) -> Said | None:
    assert mine.run is not None
    run = service.client().run(mine.run)
    status = run["status"]
    if status == "done":
        _kept().keep(mine.identity, run["result"])
        _kept().wait(mine.run, -1)
        return run["result"]
    if status == "cancelled":  # by another visitor, or by this one
        mine.status, mine.wanted = "stopped", False
        _leave(mine)
    elif status == "failed":
        mine.status, mine.error = "failed", run["error"]
        _leave(mine)
    else:
        mine.status = "running"
    return None


def _leave(mine: _Slot) -> None:
    """Wait no longer for a run; when nobody does, it is cancelled."""
    run, mine.run = mine.run, None
    if run is not None and _kept().wait(run, -1) <= 0:
        _cancel(run)


def _cancel(run: str) -> None:
    try:
        service.client().cancel_run(run)
    except ClientError:
        return  # it has ended by itself


def _draw(called: str, mine: _Slot, status: Status, shown: Said | None, offer: str) -> None:
    def start() -> None:
        mine.wanted, mine.error = True, None

    def cancel() -> None:
        if mine.run is not None:
            _cancel(mine.run)

    error = mine.error or {}
    buttons = {
        "running": STUDY["cancel"], "offered": offer, "failed": STUDY["again"],
        "stopped": STUDY["again"],
    }  # fmt: skip
    words = error.get("message") or _words(status, shown)
    problems = error.get("problems", [])
    answer = hashlib.sha256(mine.identity.encode()).hexdigest()[:12]
    data = {
        "slot": called, "answer": answer if status == "done" else None,
        "status": status, "run": mine.run, "words": words, "queued": STUDY["queued"],
        "button": buttons.get(status, ""),
        "problems": [_sentence(one) for one in problems] if len(problems) > 1 else [],
    }  # fmt: skip
    widget(
        "study", f"study-{called}", data, ("done", "start", "cancel"), start=start, cancel=cancel
    )
    if status == "locked":
        _ask_token(called, start)


def _words(status: Status, shown: Said | None) -> str:
    if status == "done" and shown is not None:
        return basis_of(shown)
    if status == "offered" and shown is not None:
        return STUDY["outdated"]
    return STUDY[status]


def basis_of(result: Said) -> str:
    """On what a result rests: seeds and requests where it was simulated."""
    seeds, requests = result.get("seeds"), result.get("requests")
    if not seeds:
        return STUDY["computed"]
    told = f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]}–{seeds[-1]}"
    words = STUDY["simulated_one" if len(seeds) == 1 else "simulated"].format(seeds=told)
    return words if not requests else f"{words} · {STUDY['requests'].format(count=f'{requests:,}')}"


def _sentence(problem: Said) -> str:
    found = f" is {problem['found']}" if problem["found"] else ""
    return f"{problem['place']}{found}: {problem['remedy']}"


def _ask_token(called: str, start: Any) -> None:
    def take() -> None:
        st.session_state[service.TOKEN] = st.session_state[f"token for {called}"] or None
        start()

    st.text_input(STUDY["token"], type="password", key=f"token for {called}", on_change=take)
