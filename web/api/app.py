"""The API as one application: its routes, its errors, its health."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI

from db.opening import sqlite_version
from twin.settings import settings as all_settings
from twin.version import VERSION

from . import errors, live, runs, scenarios, study_routes, traces, twins
from .answers import Answer
from .bodies import StrictRoute
from .house import House, TheHouse

about = APIRouter(tags=["about"], route_class=StrictRoute)


@about.get("/health")
async def health(house: TheHouse) -> dict[str, Any]:
    """Whether it works, for how long, and with what."""
    running = [one for one in house.twins.twins.values() if not one.asleep]
    return {
        "status": "ok",
        "version": VERSION,
        "sqlite_version": sqlite_version(),
        "twins": len(running),
        "uptime_s": round(house.now() - house.began_at, 3),
    }


@about.get("/settings")
async def settings() -> list[dict[str, Any]]:
    """Every setting of a scenario: what it takes, its bounds and its sentence."""
    names = (
        "path", "kind", "doc", "unit", "default", "low", "high", "low_open", "high_open",
        "choices", "live", "nullable",
    )  # fmt: skip
    return [{name: _plain(getattr(one, name)) for name in names} for one in all_settings()]


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def make_api(house: House, with_lifespan: bool = False) -> FastAPI:
    """The API over a house; it opens the house itself only when nobody else does."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with house.opened():
            yield

    app = FastAPI(
        title="PDD twin",
        version=VERSION,
        description="Scenarios, traces, runs, studies and twins of a two-datacenter deployment.",
        lifespan=lifespan if with_lifespan else None,
        docs_url="/docs",
        redoc_url=None,
        default_response_class=Answer,
    )
    app.state.house = house
    errors.install(app)
    studies = study_routes.make_router()
    routers = (scenarios.router, traces.router, runs.router, studies, twins.router, live.router)
    for router in (about, *routers):
        app.include_router(router)
    return app
