"""Imports go down the floors only; each contract is broken once to see that it bites."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from .tree import PRODUCT, ROOT

FLOORS = "The floors"
INSIDE_TWIN = "Inside twin"
INSIDE_WEB = "Inside web"

PLAN = (
    "twin/__main__", "twin/cli/tables", "twin/plan", "twin/sweep", "twin/compare", "twin/calibrate",
    "twin/running",
    "twin/search", "twin/engine/clock", "twin/engine/simulation", "twin/economics", "twin/policy",
    "twin/reference", "twin/physics/line", "twin/workload/sessions", "twin/scenario_file",
    "twin/settings", "twin/parts", "twin/scenario", "twin/result", "twin/telemetry/signals",
    "twin/plain_yaml", "twin/equipment", "twin/traffic", "twin/frozen", "twin/errors",
    "twin/units", "twin/version", "db/store", "web/__main__", "web/settings", "web/client",
    "web/emulator", "web/api/app", "web/ui/app", "web/ui/views/start", "web/ingest/scrape",
)  # fmt: skip
"""The house as planned, without a word in it."""


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """What the linter says of the packages in that folder."""
    return subprocess.run(
        [Path(sysconfig.get_path("scripts")) / "lint-imports", "--no-cache"],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def house(tmp_path):
    """The planned house with the project's own contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for name in PLAN:
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        for folder in file.relative_to(tmp_path).parents[:-1]:
            (tmp_path / folder / "__init__.py").touch()
    return tmp_path


def write(house: Path, name: str, line: str) -> None:
    (house / f"{name}.py").write_text(line + "\n")


def broken(said: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in said.stdout.splitlines() if line.endswith(" BROKEN")]


def test_the_project_keeps_its_contracts():
    said = lint(ROOT)
    assert said.returncode == 0, said.stdout
    assert all((ROOT / room / "__init__.py").exists() for room in PRODUCT)


def test_the_planned_house_keeps_them(house):
    for name, line in (
        ("twin/__main__", "from .plan import x; from . import compare"),
        ("twin/plan", "from .sweep import x; from .search import x"),
        ("twin/search", "from .engine.simulation import x"),
        ("twin/engine/simulation", "from .clock import x; from ..policy import x"),
        ("twin/engine/clock", "import simpy"),
        ("twin/policy", "from .physics.line import x; from .result import x"),
        ("twin/physics/line", "from ..workload.sessions import x"),
        ("twin/scenario_file", "from .scenario import x; import yaml"),
        ("twin/scenario", "from .errors import x"),
        ("db/store", "import sqlalchemy, pysqlite3; from twin.scenario import x"),
        ("web/__main__", "from .api.app import x; from .ui.app import x"),
        ("web/api/app", "from ..settings import x; from db.store import x; import fastapi"),
        ("web/ui/app", "from ..client import x; from twin.scenario import x; import streamlit"),
    ):
        write(house, name, line)
    said = lint(house)
    assert said.returncode == 0, said.stdout + said.stderr


@pytest.mark.parametrize(
    ("name", "line", "contract"),
    [
        ("twin/result", "from db.store import x", FLOORS),
        ("db/store", "import web.settings", FLOORS),
        ("twin/stray", "", INSIDE_TWIN),
        ("twin/engine/clock", "from ..search import x", INSIDE_TWIN),
        ("twin/policy", "from .economics import x", INSIDE_TWIN),
        ("twin/physics/line", "from ..policy import x", INSIDE_TWIN),
        ("twin/workload/sessions", "from ..scenario_file import x", INSIDE_TWIN),
        ("twin/result", "from .scenario import x", INSIDE_TWIN),
        ("twin/units", "from .errors import x", INSIDE_TWIN),
        ("twin/compare", "from .sweep import x", INSIDE_TWIN),
        ("web/stray", "", INSIDE_WEB),
        ("web/api/app", "from ..ui.app import x", INSIDE_WEB),
        ("web/ui/app", "from ..api import app", INSIDE_WEB),
        ("web/ingest/scrape", "from ..api.app import x", INSIDE_WEB),
        ("web/settings", "from .client import x", INSIDE_WEB),
        ("twin/policy", "from simpy import Environment", "Only the engine knows SimPy"),
        ("web/api/app", "import simpy.core", "Only the engine knows SimPy"),
        ("web/api/app", "from sqlalchemy import select", "Only db knows SQL"),
        ("twin/result", "import sqlite3", "Only db knows SQL"),
        ("web/ui/views/start", "import db.store", "The pages never reach the database"),
        ("web/api/app", "from twin.cli.tables import x", "Pages and API ask the twin"),
        ("twin/plan", "import fastapi", "The twin has no sockets or widgets"),
        ("twin/engine/simulation", "import streamlit", "The twin has no sockets or widgets"),
        ("twin/telemetry/signals", "from urllib.request import x", "The twin has no sockets"),
    ],
)
def test_what_breaks_a_contract_is_seen(house, name, line, contract):
    write(house, name, line)
    said = lint(house)
    assert said.returncode == 1, said.stdout + said.stderr
    assert [one for one in broken(said) if one.startswith(contract)], said.stdout
    assert len(broken(said)) == 1, said.stdout


def test_a_detour_of_the_pages_to_the_database_is_seen(house):
    write(house, "web/ui/app", "from ..client import x")
    write(house, "web/client", "from db.store import x")
    assert [one for one in broken(lint(house)) if one.startswith("The pages never reach")]
