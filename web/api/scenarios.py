"""Scenarios over HTTP: list, show, check, save, delete."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter

from db import scenarios
from db.tables import SavedScenario
from twin.errors import Problem, ScenarioError
from twin.scenario import Scenario
from twin.scenario_file import dumps, from_data, loads

from . import library
from .answers import moment
from .asked import ScenarioSaved, ScenarioText
from .bodies import StrictRoute
from .errors import ApiError, not_found
from .house import TheHouse

router = APIRouter(prefix="/scenarios", tags=["scenarios"], route_class=StrictRoute)

Frozen = dict[str, Any]


@router.get("")
async def present(house: TheHouse) -> list[Frozen]:
    """All scenarios: those that come with the twin, then the saved ones."""
    saved = await house.memory.read(scenarios.present)
    return [
        *(_listed(scenario) for scenario in library.shipped().values()),
        *(_listed_row(row) for row in saved),
    ]


@router.post("/check")
async def check(asked: ScenarioText) -> Frozen:
    """Every problem of a text, each with its line; none when it is a scenario."""
    try:
        await asyncio.to_thread(loads, asked.yaml)
    except ScenarioError as error:
        return {"problems": [_told(problem) for problem in error.problems]}
    return {"problems": []}


@router.post("", status_code=201)
async def save(asked: ScenarioSaved, house: TheHouse) -> Frozen:
    """Save a scenario as a new version of its name; a shipped one is never overwritten."""
    scenario = await _meant(asked)
    if scenario.name in library.shipped():
        message = f"{scenario.name} comes with the twin and stays as it is: take another name"
        raise ApiError("conflict", message)
    row = await house.memory.keep(
        scenarios.save, scenario.name, scenario.digest(), scenario.model_dump(mode="json"),
        house.now(),
    )  # fmt: skip
    return {**_listed_row(row), "version": row.version}


async def _meant(asked: ScenarioSaved) -> Scenario:
    if (asked.yaml is None) == (asked.scenario is None):
        raise ScenarioError(
            Problem("yaml", "", "give either yaml, a text, or scenario, with all its values")
        )
    scenario = (
        await asyncio.to_thread(loads, asked.yaml)
        if asked.yaml is not None
        else from_data(asked.scenario or {})
    )
    if asked.name is None:
        return scenario
    return from_data({**scenario.model_dump(mode="json"), "name": asked.name})


@router.get("/{name}")
async def one(name: str, house: TheHouse, version: int | None = None) -> Frozen:
    """A scenario with all its values, as text, and what of it is assumed."""
    scenario = await library.named(house.memory, name, version)
    versions = await house.memory.read(scenarios.versions, name)
    return {
        "scenario": scenario.model_dump(mode="json"),
        "yaml": dumps(scenario),
        "digest": scenario.digest(),
        "assumed": library.assumed(scenario),
        "sources": scenario.sources,
        "versions": [{"version": number, "saved_at": moment(at)} for number, at in versions],
    }


@router.delete("/{name}", status_code=204)
async def delete(name: str, house: TheHouse) -> None:
    """Take a saved scenario off the list."""
    if name in library.shipped():
        raise ApiError("conflict", f"{name} comes with the twin and stays")
    if not await house.memory.keep(scenarios.delete, name, house.now()):
        raise not_found("scenario", name)


def _listed(scenario: Scenario) -> Frozen:
    return {
        "name": scenario.name, "title": scenario.title, "story": scenario.story,
        "digest": scenario.digest(), "shipped": True, "saved_at": None,
    }  # fmt: skip


def _listed_row(row: SavedScenario) -> Frozen:
    content = row.content
    return {
        "name": row.name, "title": content.get("title", ""), "story": content.get("story", ""),
        "digest": row.digest, "shipped": False, "saved_at": moment(row.saved_at),
    }  # fmt: skip


def _told(problem: Problem) -> Frozen:
    return {"place": problem.place, "found": problem.found, "remedy": problem.remedy}
