"""Settings of the service: read from the environment, documented, refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.house.tree import ROOT
from web.settings import (
    PREFIX,
    Settings,
    SettingsError,
    default_data,
    is_loopback,
    page,
    read,
)

SECRET = "a long enough secret"


def problems(**environment):
    with pytest.raises(SettingsError) as refused:
        read({f"{PREFIX}{name}": value for name, value in environment.items()})
    return [problem.sentence() for problem in refused.value.problems]


def test_without_an_environment_it_is_safe():
    settings = read({})
    assert settings.host == "127.0.0.1" and settings.port == 8501
    assert settings.on_loopback and settings.token is None
    assert settings.database_address == f"sqlite:///{ROOT / 'var' / 'twin.sqlite3'}"
    assert "localhost" in settings.allowed_hosts


def test_beyond_loopback_a_token_is_needed():
    assert problems(HOST="0.0.0.0") == [
        "PDD_TWIN_HOST=0.0.0.0: is reached from other machines, so set PDD_TWIN_TOKEN to a "
        "secret of at least 16 characters"
    ]
    settings = read({f"{PREFIX}HOST": "0.0.0.0", f"{PREFIX}TOKEN": SECRET})
    assert settings.token is not None and settings.token.get_secret_value() == SECRET
    assert settings.allowed_hosts == ()


def test_a_token_is_never_shown():
    settings = read({f"{PREFIX}TOKEN": SECRET})
    assert SECRET not in repr(settings) and SECRET not in str(settings)
    assert all(SECRET not in said for said in problems(TOKEN=SECRET, PORT="x"))
    assert problems(TOKEN="short") == ["PDD_TWIN_TOKEN is too short: give at least 16 characters"]


def test_the_address_of_a_database_is_not_shown_for_it_may_hold_a_password():
    settings = read({f"{PREFIX}DATABASE": "postgresql://me:pass@host/db"})
    assert "pass@" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("PORT", "80x", "PDD_TWIN_PORT is '80x': give a whole number at least 1 at most 65,535"),
        ("PORT", "0", "PDD_TWIN_PORT is '0': give a whole number"),
        ("PORT", "70000", "PDD_TWIN_PORT is '70000'"),
        ("MOST_TWINS", "-1", "PDD_TWIN_MOST_TWINS is '-1': give a whole number at least 1"),
        ("SLEEP_AFTER_S", "nan", "PDD_TWIN_SLEEP_AFTER_S is 'nan': give a number above 0"),
        ("SLEEP_AFTER_S", "inf", "PDD_TWIN_SLEEP_AFTER_S is 'inf'"),
        ("PROT", "1", "PDD_TWIN_PROT is unknown: did you mean PDD_TWIN_PORT?"),
        ("QUITE_OTHER", "1", "PDD_TWIN_QUITE_OTHER is unknown: known are PDD_TWIN_HOST, "),
    ],
)
def test_a_wrong_variable_is_named(name, value, sentence):
    (told,) = problems(**{name: value})
    assert told.startswith(sentence)


def test_all_that_is_wrong_is_told_at_once():
    assert len(problems(PORT="x", SPARES="y", TOKN="z")) == 3


def test_an_empty_variable_is_as_none():
    assert read({f"{PREFIX}PORT": "", f"{PREFIX}TOKEN": ""}) == read({})


@pytest.mark.parametrize(
    ("host", "is_one"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("10.0.0.1", False), ("example.org", False)],
)  # fmt: skip
def test_what_is_loopback(host, is_one):
    assert is_loopback(host) is is_one


def test_names_can_be_allowed():
    settings = read({f"{PREFIX}HOSTS": "Twin.example.org, other"})
    assert settings.allowed_hosts[-2:] == ("twin.example.org", "other")


def test_address_to_open():
    assert Settings(host="0.0.0.0", data=Path("x")).address == "http://127.0.0.1:8501"
    assert Settings(host="::1", port=1, data=Path("x")).address == "http://[::1]:1"


def test_data_of_an_installed_twin_lie_where_the_system_wants_them(monkeypatch, tmp_path):
    monkeypatch.setattr("web.settings.__file__", str(tmp_path / "web" / "settings.py"))
    assert default_data({"XDG_DATA_HOME": "/data"}).parts[-1] == "pdd-twin"


def test_every_setting_is_documented():
    written = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert written == page()
    for name, field in Settings.model_fields.items():
        assert f"| `{PREFIX}{name.upper()}` |" in written
        assert field.description and field.description.endswith(".")
