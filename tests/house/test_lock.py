"""The locks: every dependency exact and with hashes, one version each, and no address."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement

from .tree import ROOT

LOCKS = ("requirements-build.lock", "requirements.lock", "requirements-dev.lock")


def pins(lock: str) -> dict[str, str]:
    """Version by name of everything a lock holds; each must be exact and carry hashes."""
    found = {}
    for entry in re.split(r"\n(?=\S)", (ROOT / lock).read_text("utf-8")):
        if entry.startswith("#"):
            continue
        match = re.match(r"([a-z0-9-]+)==([^ ]+)(?: ;[^\\]+)? \\\n    --hash=sha256:\w{64}", entry)
        assert match, f"not exact, or without hashes: {entry.splitlines()[0]}"
        assert match[1] not in found, f"{match[1]} stands twice"
        found[match[1]] = match[2]
    return found


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def wanted(*groups: str) -> list[Requirement]:
    """The requirements pyproject.toml states: the project's own, and those of these groups."""
    stated = project()
    lines = list(stated["project"]["dependencies"])
    for group in groups:
        lines += [line for line in stated["dependency-groups"][group] if isinstance(line, str)]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_holds_an_address(lock):
    text = (ROOT / lock).read_text("utf-8")
    assert not re.search(r"://|index-url|find-links|trusted-host| @ ", text)


@pytest.mark.parametrize(
    ("lock", "groups"), [("requirements.lock", ()), ("requirements-dev.lock", ("build", "dev"))]
)
def test_the_lock_holds_what_the_project_asks_for(lock, groups):
    held = pins(lock)
    for requirement in wanted(*groups):
        name = requirement.name.lower()
        assert name in held, f"{name} is not in {lock}: make lock"
        assert requirement.specifier.contains(held[name]), f"{name} {held[name]}: make lock"


def test_the_locks_agree():
    build, run, work = (pins(lock) for lock in LOCKS)
    assert build.keys() == {"setuptools", "uv"}
    assert build.items() <= work.items()
    assert run.items() <= work.items()


def test_numerics_are_the_same_on_every_python():
    assert re.match(r"2\.4\.", pins("requirements.lock")["numpy"])
    assert len(re.findall(r"^numpy==", (ROOT / "requirements.lock").read_text(), re.M)) == 1
    assert project()["project"]["requires-python"] == ">=3.11,<3.14"
