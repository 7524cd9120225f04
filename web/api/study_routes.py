"""Studies over HTTP: which there are, and ask for one; from then on it is a run like others."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from fastapi import APIRouter

from twin.errors import Problem, ScenarioError, shown
from twin.version import VERSION

from . import library
from .asked import Named
from .bodies import StrictRoute
from .errors import ApiError
from .house import House, TheHouse
from .memory import Memory
from .study import Arguments, Deployment, Study
from .study_shelf import shelf

Frozen = dict[str, Any]


def make_router() -> APIRouter:
    """One route for each study, so that each has its own description."""
    router = APIRouter(prefix="/studies", tags=["studies"], route_class=StrictRoute)
    router.add_api_route("", present, methods=["GET"])
    for study in shelf().values():
        router.add_api_route(
            f"/{study.name}", _asking(study), methods=["POST"], status_code=202,
            name=f"study_{study.name}", summary=study.doc,
        )  # fmt: skip
    router.add_api_route("/{name}", unknown, methods=["POST"], include_in_schema=False)
    return router


async def present() -> list[Frozen]:
    """All studies: name, sentence, and the schema of the arguments."""
    return [
        {"name": study.name, "doc": study.doc, "arguments": study.arguments.model_json_schema()}
        for study in shelf().values()
    ]


async def unknown(name: Named) -> None:
    """What is answered when there is no such study."""
    known = ", ".join(shelf())
    raise ApiError("not_found", f"there is no study {shown(name)}; there are {known}")


def _asking(study: Study[Any]) -> Callable[..., Awaitable[Frozen]]:
    async def ask_study(asked: Arguments, house: TheHouse) -> Frozen:
        return {"id": await ask(house, study, asked)}

    ask_study.__annotations__["asked"] = study.arguments  # FastAPI reads the body by it
    ask_study.__doc__ = study.doc
    return ask_study


async def ask(house: House, study: Study[Any], asked: Arguments) -> str:
    """The id of the run that carries out the study; the same one again is not computed twice."""
    settled = await _settled(house.memory, asked)
    if study.check is not None:
        study.check(settled)
    arguments = settled.model_dump(mode="json")
    told = orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS).decode()
    words = [study.name, str(study.revision), VERSION, told]
    identity = hashlib.sha256("\n".join(words).encode()).hexdigest()
    job = {"study": study.name, "arguments": arguments}
    quick = not study.long(settled)
    return await house.jobs.ask("study", study.name, identity, job, quick)


async def _settled(memory: Memory, value: Any, place: str = "") -> Any:
    """The same with every deployment in it given by all its values, names looked up."""
    if isinstance(value, Deployment):
        return await _with_all_values(memory, value, place)
    if isinstance(value, Arguments):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        found = {k: await _settled(memory, v, _inside(place, k)) for k, v in fields.items()}
        return value.model_copy(update=found)
    if isinstance(value, list):
        return [await _settled(memory, v, _inside(place, str(i))) for i, v in enumerate(value)]
    return value


def _inside(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


async def _with_all_values(memory: Memory, asked: Deployment, place: str) -> Deployment:
    try:
        scenario = await library.asked_for(memory, asked.scenario)
        whole = asked.model_copy(update={"scenario": scenario.model_dump(mode="json")}).read()
        library.check_length(whole)
    except ScenarioError as error:
        problems = [Problem(_inside(place, p.place), p.found, p.remedy) for p in error.problems]
        raise ScenarioError(problems) from None
    return asked.model_copy(update={"scenario": whole.model_dump(mode="json"), "set": {}})
