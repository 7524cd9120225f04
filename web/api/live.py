"""The WebSocket of a running twin: what a viewer asks, and what is shown."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import orjson
from fastapi import APIRouter
from pydantic import ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from twin.errors import Problem, shown

from .asked import (
    MESSAGES,
    Do,
    DoAuth,
    DoForecast,
    DoFork,
    DoHappen,
    DoPace,
    DoPlain,
    DoRewind,
    DoSet,
    DoTurn,
)
from .auth import is_token, knows_token
from .errors import ApiError, explained, of_problems
from .forecasts import message as forecast_message
from .house import House
from .live_twin import LiveTwin
from .orders import Order
from .outlook import HORIZON_S
from .strict_json import parse
from .supervisor import DEFAULT
from .viewers import Gone, Viewer

router = APIRouter(prefix="/twins", tags=["running twins"])

LONGEST_MESSAGE = 65_536
NOT_FOUND = 4404
"""Close code when there is no such twin; the error came before it."""

TOO_SLOW = 4408


@router.websocket("/{twin_id}/live")
async def live(socket: WebSocket, twin_id: str) -> None:
    """Show a twin until the viewer leaves."""
    await socket.accept()
    house: House = socket.app.state.house
    talk = Talk(house, socket, knows_token(house.settings, socket.headers))
    await talk.run(twin_id)


class Talk:
    """One viewer, the twin it sees, and what it asks, one thing after the other."""

    def __init__(self, house: House, socket: WebSocket, may_write: bool) -> None:
        self.house = house
        self.socket = socket
        self.may_write = may_write
        self.viewer = Viewer()
        self.twin: LiveTwin | None = None
        self.looking_ahead: asyncio.Task[None] | None = None

    async def run(self, twin_id: str) -> None:
        """Serve the viewer until it is gone."""
        sending = asyncio.create_task(self.viewer.serve(self.socket.send_text))
        listening = asyncio.create_task(self._listen(twin_id))
        try:
            await asyncio.wait({sending, listening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, listening, self.looking_ahead):
                if task is not None:
                    task.cancel()
            ends = await asyncio.gather(sending, listening, return_exceptions=True)
            if self.twin is not None:
                await self.twin.leave(self.viewer)
            if isinstance(ends[0], Gone):
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                    await self.socket.close(TOO_SLOW)

    async def _listen(self, twin_id: str) -> None:
        try:
            await self._see(await self.house.twins.awake(twin_id))
        except Exception as error:
            await self.socket.send_text(_text({"type": "refused", "id": None, **_body(error)}))
            await self.socket.close(NOT_FOUND)
            return
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await self._hear(await self.socket.receive())

    async def _hear(self, received: Any) -> None:
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        asked, text = None, received.get("text") or ""
        try:
            asked = read(text)
            if not isinstance(asked, DoAuth | DoForecast) and not self._only_looks(asked):
                self._check_may_write()
            await self._do(asked)
        except Exception as error:
            number = asked.id if asked is not None else _number(text)
            self.viewer.tell(_text({"type": "refused", "id": number, **_body(error)}))

    def _only_looks(self, asked: Do) -> bool:
        return isinstance(asked, DoPlain) and asked.do == "reset"

    def _check_may_write(self) -> None:
        if not self.may_write:
            message = 'whoever changes something here must send {"do": "auth", "token": ...} first'
            raise ApiError("unauthorized", message)

    # --- what is asked

    async def _do(self, asked: Do) -> None:
        if isinstance(asked, DoTurn):
            await self._order(asked.id, [Order(setting=asked.setting, value=asked.value)])
        elif isinstance(asked, DoSet):
            orders = [Order(setting=path, value=value) for path, value in asked.values.items()]
            await self._order(asked.id, orders)
        elif isinstance(asked, DoHappen):
            order = Order(asked.what, pool=asked.pool, instance=asked.instance)
            await self._order(asked.id, [order])
        elif isinstance(asked, DoPace):
            await self._pace(asked.id, asked.value, None)
        elif isinstance(asked, DoPlain):
            await self._plain(asked)
        elif isinstance(asked, DoRewind):
            await self._rewind(asked)
        elif isinstance(asked, DoFork):
            await self._fork(asked)
        elif isinstance(asked, DoForecast):
            await self._forecast(asked)
        else:
            self._auth(asked)

    def _auth(self, asked: DoAuth) -> None:
        if not is_token(self.house.settings, asked.token):
            raise ApiError("unauthorized", "this is not the token")
        self.may_write = True
        self.viewer.tell(_text({"type": "authorized", "id": asked.id}))

    async def _plain(self, asked: DoPlain) -> None:
        if asked.do == "reset":
            await self._move(await self.house.twins.awake(DEFAULT), asked.id)
        else:
            await self._pace(asked.id, None, asked.do == "pause")

    async def _order(self, ask: int | None, orders: list[Order]) -> None:
        twin = await self._awake()
        if twin.row.shared:
            mine, entries, kept = await self.house.twins.fork_now(twin, None, orders, self.viewer)
            await self._move(mine, ask)
            mine.outlook.want()
            await kept
        else:
            entries = await twin.order(orders, by=self.viewer)
        said = {"type": "turned", "id": ask, "entry": entries[-1], "by": "you"}
        self.viewer.tell(_text({**said, "entries": entries}))

    async def _pace(self, ask: int | None, pace: float | None, paused: bool | None) -> None:
        twin = await self._mine(ask)
        state = await twin.set_pace(pace, paused, self.viewer)
        self.viewer.tell(_text({**state, "id": ask}))

    async def _rewind(self, asked: DoRewind) -> None:
        twin = await self._awake()
        if twin.row.shared:
            await self._move(await self.house.twins.fork(twin, asked.to_s), asked.id)
        else:
            await twin.rewind(asked.to_s, self.viewer, asked.id)

    async def _fork(self, asked: DoFork) -> None:
        orders = [Order(setting=path, value=value) for path, value in asked.set.items()]
        copy = await self.house.twins.fork(await self._awake(), asked.at_s, orders)
        self.viewer.tell(_text({"type": "forked", "id": asked.id, "twin": copy.id}))

    async def _forecast(self, asked: DoForecast) -> None:
        """Answered in its time, and nothing waits for it: what is asked meanwhile comes first."""
        if self.looking_ahead is not None and not self.looking_ahead.done():
            raise ApiError("busy", "the forecast that was asked for before is still under way")
        self.looking_ahead = asyncio.create_task(self._look_ahead(await self._awake(), asked))

    async def _look_ahead(self, twin: LiveTwin, asked: DoForecast) -> None:
        try:
            if asked.horizon_s == HORIZON_S:
                forecast = await twin.outlook.for_all(self.viewer)
            else:
                forecast = await twin.outlook.forecast(asked.horizon_s)
            self.viewer.tell(forecast_message(twin.id, forecast, asked.id))
        except Exception as error:
            self.viewer.tell(_text({"type": "refused", "id": asked.id, **_body(error)}))

    # --- which twin is seen

    async def _see(self, twin: LiveTwin) -> None:
        self.twin = twin
        await twin.join(self.viewer)

    async def _move(self, twin: LiveTwin, ask: int | None) -> None:
        """Let the viewer see another twin from now on."""
        before = self.twin
        if before is not None:
            await before.leave(self.viewer)
        was = before.id if before is not None else None
        self.viewer.tell(_text({"type": "moved", "id": ask, "twin": twin.id, "from": was}))
        await self._see(twin)

    async def _mine(self, ask: int | None) -> LiveTwin:
        """The twin that is seen, which is forked first when it is the shared one."""
        twin = await self._awake()
        if twin.row.shared:
            twin = await self.house.twins.fork(twin)
            await self._move(twin, ask)
        return twin

    async def _awake(self) -> LiveTwin:
        if self.twin is None or self.twin.id not in self.house.twins.twins:
            raise ApiError("not_found", "this twin has been deleted; reset to see another one")
        await self.house.twins.wake(self.twin)
        return self.twin


def read(text: str) -> Do:
    """A message; ApiError in one sentence when it is none."""
    if len(text) > LONGEST_MESSAGE:
        raise ApiError("too_large", f"a message has at most {LONGEST_MESSAGE} characters")
    try:
        return MESSAGES.validate_python(parse(text, "the message"))
    except ValidationError as error:
        raise of_problems("bad_request", [_wrong(found) for found in _errors(error)]) from None


def _errors(error: ValidationError) -> list[Any]:
    return error.errors(include_url=False)


def _wrong(found: Any) -> Problem:
    place = ".".join(str(step) for step in found["loc"][1:]) or "do"
    if found["type"] == "union_tag_invalid":
        given = found["input"].get("do")
        known = ", ".join(str(found["ctx"]["expected_tags"]).replace("'", "").split(", "))
        return Problem("do", shown(given), f"known are {known}")
    if found["type"] == "union_tag_not_found" or found["type"] == "missing":
        return Problem(place, "absent", "give it")
    if found["type"] == "extra_forbidden":
        return Problem(place, "unknown", "leave it out")
    seen = shown(found["input"]) if len(found["loc"]) > 1 else ""
    remedy = str(found["msg"]).removeprefix("Input ")
    return Problem(place, seen, remedy[:1].lower() + remedy[1:])


def _number(text: str) -> int | None:
    """The client's number in a message that could not be read, where it can be told."""
    try:
        number = json.loads(text)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return number if isinstance(number, int) and abs(number) < 2**53 else None


def _body(error: Exception) -> dict[str, Any]:
    return explained(error).body()


def _text(said: dict[str, Any]) -> str:
    return orjson.dumps(said).decode()
