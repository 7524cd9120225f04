"""Values of controls: into the address and out of it, undone, reset, and while one drags."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st_

from web.ui import state as state_module
from web.ui.address import in_words, like_setting, link, read_value
from web.ui.state import PageState

DEFAULTS = {"bandwidth": 10.0, "clients": 170, "drc": True, "mode": "auto", "shares": [0.5, 0.5]}


class Params:
    """The query of Streamlit, as far as it is used."""

    def __init__(self, **values):
        self.values = dict(values)

    def to_dict(self):
        return dict(self.values)

    def from_dict(self, values):
        self.values = dict(values)


@pytest.fixture
def session(monkeypatch):
    fake = SimpleNamespace(session_state={}, query_params=Params(), now=100.0)
    monkeypatch.setattr(state_module, "st", fake)
    monkeypatch.setattr(state_module.time, "monotonic", lambda: fake.now)
    return fake


def test_only_what_differs_stands_in_the_address(session):
    state = PageState("a", DEFAULTS)
    state.put_all({"bandwidth": 25.0, "clients": 170, "drc": False})
    assert session.query_params.values == {"bandwidth": "25", "drc": "off"}
    assert (state["bandwidth"], state["clients"], state["drc"]) == (25.0, 170, False)


def test_an_address_is_read_with_the_kinds_of_the_defaults(session):
    session.query_params = Params(
        bandwidth="7.5", clients="12", drc="off", mode="one_shot", shares="0.25-0.75",
        embed="true", other="1",
    )  # fmt: skip
    state = PageState("a", DEFAULTS)
    assert state.changed == {
        "bandwidth": 7.5, "clients": 12, "drc": False, "mode": "one_shot", "shares": [0.25, 0.75],
    }  # fmt: skip
    assert state.unknown == ["other"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("bandwidth", "wide"), ("bandwidth", "nan"), ("drc", "yes"), ("shares", "0.5-x")],
)
def test_what_cannot_be_read_is_told_and_leaves_the_default(session, name, text):
    session.query_params = Params(**{name: text})
    state = PageState("a", DEFAULTS)
    assert state.unknown == [name]
    assert state[name] == DEFAULTS[name]


def test_a_page_that_was_left_gets_its_address_back(session):
    PageState("a", DEFAULTS).put("clients", 60)
    session.query_params = Params()  # as when one comes back by the menu
    assert PageState("a", DEFAULTS)["clients"] == 60
    assert session.query_params.values == {"clients": "60"}


def test_going_back_brings_the_values_of_then(session):
    PageState("a", DEFAULTS).put("clients", 60)
    session.now += 60
    PageState("a", DEFAULTS).put("clients", 80)
    session.now += 60
    session.query_params = Params(clients="60")
    assert PageState("a", DEFAULTS)["clients"] == 60


def test_an_echo_of_what_was_just_written_changes_nothing(session):
    PageState("a", DEFAULTS).put("clients", 60)
    PageState("a", DEFAULTS).put("clients", 80)
    session.query_params = Params(clients="60")  # the browser is one step behind
    assert PageState("a", DEFAULTS)["clients"] == 80


def test_a_gesture_is_undone_as_one_and_a_reset_too(session):
    state = PageState("a", DEFAULTS)
    for value in (11.0, 12.0, 13.0):
        state.put("bandwidth", value, gesture=1)
    state.put("bandwidth", 20.0, gesture=2)
    key = state.key("bandwidth")
    state.undo()
    assert state["bandwidth"] == 13.0
    assert state.key("bandwidth") != key  # so that the control takes the value
    state.reset()
    assert state.changed == {}
    state.undo()
    assert state["bandwidth"] == 13.0
    state.undo()
    assert state["bandwidth"] == 10.0
    assert not state.can_undo


def test_while_one_drags_the_address_rests(session):
    state = PageState("a", DEFAULTS)
    state.hold(True)
    state.put("bandwidth", 20.0, gesture=1)
    assert session.query_params.values == {}
    assert PageState("a", DEFAULTS)["bandwidth"] == 20.0
    PageState("a", DEFAULTS).hold(False)
    assert session.query_params.values == {"bandwidth": "20"}


def test_names_that_are_not_known_beforehand(session):
    session.query_params = Params(**{"d3.line.bandwidth_gbps": "25", "d3.line.bandwith": "1"})
    state = PageState("a", DEFAULTS, lambda name: like_setting(name.partition(".")[2]))
    assert state.changed == {"d3.line.bandwidth_gbps": 25.0}
    assert state.unknown == ["d3.line.bandwith"]


@given(st_.one_of(st_.booleans(), st_.integers(0, 10**7), st_.floats(1e-3, 1e6)))
def test_values_survive_the_address(value):
    assert read_value(in_words(value), value) == pytest.approx(value, rel=1e-7)


def test_a_link_to_a_page():
    assert link("compare", {}) == "/compare"
    assert link("compare", {"d3": "a b", "drc": False}) == "/compare?d3=a+b&drc=off"
