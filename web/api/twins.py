"""Running twins over HTTP: make, list, pace, turn, rewind, fork, forecast, export, delete."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from twin.compare import beside
from twin.scenario import Scenario
from twin.scenario_file import dumps

from ..plain_csv import of_columns
from . import library
from .asked import Forecast, Fork, Happening, Named, Number, Rewind, Turn, TwinChanged, TwinWanted
from .bodies import StrictRoute
from .errors import ApiError
from .house import House, TheHouse
from .live_twin import LiveTwin
from .orders import Order
from .supervisor import Wanted

router = APIRouter(prefix="/twins", tags=["running twins"], route_class=StrictRoute)

Frozen = dict[str, Any]


@router.post("", status_code=201)
async def make(asked: TwinWanted, house: TheHouse) -> Frozen:
    """Make a running twin, with a baseline on the same draws beside it."""
    scenario = await library.asked_for(house.memory, asked.scenario)
    scenario = library.with_values(scenario, asked.set)
    baseline = None
    if asked.baseline is not None:
        other = await library.asked_for(house.memory, asked.baseline)
        library.check_prices(other, scenario)
        baseline = beside(other, scenario)
    live = await house.twins.create(
        Wanted(scenario, baseline, asked.seed, asked.pace, asked.warm_s, title=asked.title or "")
    )
    return live.summary()


@router.get("")
async def present(house: TheHouse) -> list[Frozen]:
    """All running twins, the newest first."""
    found = sorted(house.twins.twins.values(), key=lambda live: -live.row.created_at)
    return [live.summary() for live in found]


@router.get("/{twin_id}")
async def one(twin_id: Named, house: TheHouse) -> Frozen:
    """One running twin."""
    return (await house.twins.find(twin_id)).summary()


@router.patch("/{twin_id}")
async def change(twin_id: Named, asked: TwinChanged, house: TheHouse) -> Frozen:
    """Pace, pause or name a twin."""
    live = await _own(house, twin_id)
    if asked.title is not None:
        live.row.title, live.row.kept = asked.title, True
        await live.keep()
    if asked.pace is not None or asked.paused is not None:
        await house.twins.wake(live)
        await live.set_pace(asked.pace, asked.paused)
    return live.summary()


@router.delete("/{twin_id}", status_code=204)
async def delete(twin_id: Named, house: TheHouse) -> None:
    """Delete a twin for good."""
    await house.twins.delete(await _own(house, twin_id))


@router.post("/{twin_id}/turns")
async def turn(twin_id: Named, asked: Turn, house: TheHouse) -> Frozen:
    """Turn a live setting; the entry of the log."""
    return await _order(house, twin_id, Order(setting=asked.setting, value=asked.value))


@router.post("/{twin_id}/happen")
async def happen(twin_id: Named, asked: Happening, house: TheHouse) -> Frozen:
    """Let a failure or a repair happen; the entry of the log."""
    order = Order(asked.what, pool=asked.pool, instance=asked.instance)
    return await _order(house, twin_id, order)


async def _order(house: House, twin_id: str, order: Order) -> Frozen:
    live = await _own(house, twin_id)
    await house.twins.wake(live)
    return (await live.order([order]))[0]


@router.post("/{twin_id}/rewind")
async def rewind(twin_id: Named, asked: Rewind, house: TheHouse) -> Frozen:
    """Go back to a moment and on from there."""
    live = await _own(house, twin_id)
    await house.twins.wake(live)
    await live.rewind(asked.to_s)
    return live.summary()


@router.post("/{twin_id}/fork", status_code=201)
async def fork(twin_id: Named, asked: Fork, house: TheHouse) -> Frozen:
    """Copy a twin as it is now, or was at a moment, with some settings turned in the copy."""
    parent = await house.twins.find(twin_id)
    orders = [Order(setting=path, value=value) for path, value in asked.set.items()]
    return (await house.twins.fork(parent, asked.at_s, orders)).summary()


@router.post("/{twin_id}/forecast")
async def forecast(twin_id: Named, asked: Forecast, house: TheHouse) -> Response:
    """What comes in the next simulated minutes."""
    live = await house.twins.awake(twin_id)
    return _raw(await live.outlook.forecast(asked.horizon_s))


@router.get("/{twin_id}/log")
async def log(twin_id: Named, house: TheHouse, after: Number = 0) -> list[Frozen]:
    """The knob log, or its entries with a number above `after`."""
    live = await house.twins.find(twin_id)
    return [entry for entry in live.log if entry["number"] > after]


@router.get("/{twin_id}/digest")
async def digest(twin_id: Named, house: TheHouse) -> Frozen:
    """What names the whole state, and the simulated time it is of."""
    return await (await house.twins.awake(twin_id)).process.ask("digest")


@router.get("/{twin_id}/frame")
async def frame(twin_id: Named, house: TheHouse) -> Response:
    """One frame of now."""
    return _raw(await (await house.twins.awake(twin_id)).process.ask("frame"))


@router.get("/{twin_id}/scenario.yaml")
async def scenario(twin_id: Named, house: TheHouse) -> Response:
    """The scenario as it is turned now, as a file."""
    live = await house.twins.awake(twin_id)
    text = dumps(Scenario.model_validate(await live.process.ask("scenario")))
    return _file(text, "application/yaml", f"{live.row.scenario_name}.yaml")


@router.get("/{twin_id}/courses.csv")
async def courses(twin_id: Named, house: TheHouse) -> Response:
    """The courses that are remembered, of the twin and of its baseline, as a table."""
    live = await house.twins.awake(twin_id)
    mine = await live.process.ask("courses", False)
    theirs = await live.process.ask("courses", True)
    columns = {"time_s": mine["time_s"], **mine["values"]}
    if theirs["time_s"] == mine["time_s"]:
        columns |= {f"baseline_{name}": course for name, course in theirs["values"].items()}
    return _file(of_columns(columns), "text/csv; charset=utf-8", f"{live.row.scenario_name}.csv")


async def _own(house: House, twin_id: str) -> LiveTwin:
    """A twin that may be changed: not the shared one."""
    live = await house.twins.find(twin_id)
    if live.row.shared:
        message = (
            "the shared twin is not changed itself: fork it (POST /api/twins/default/fork) and "
            "change the copy"
        )
        raise ApiError("conflict", message)
    return live


def _raw(text: bytes) -> Response:
    return Response(text, media_type="application/json")


def _file(text: str, media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)
