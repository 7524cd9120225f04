"""Traces over HTTP: upload, list, show, delete; each is read whole before it is kept."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from db import traces
from db.tables import SavedTrace
from twin.workload.trace_text import shown_name

from . import one_job
from .answers import moment
from .asked import Named
from .bodies import StrictRoute, at_most, refuse_if_told_larger
from .errors import ApiError, not_found
from .house import House, TheHouse
from .trace_files import SAMPLE

router = APIRouter(prefix="/traces", tags=["traces"], route_class=StrictRoute)

MOST_TRACES = 100
MOST_WAITING = 4
"""Uploads that are taken at the same time; they are read one after the other."""

READ_LIMIT_S = 120.0
CHUNK_BYTES = 2**20
FORM_BYTES = 2**16
"""What a form adds to the file in it."""

ID_LENGTH = 16

Frozen = dict[str, Any]


@router.post("", status_code=201)
async def upload(
    request: Request,
    house: TheHouse,
    name: Annotated[str | None, Query(max_length=200)] = None,
    x_trace_name: Annotated[str | None, Header(max_length=200)] = None,
) -> Frozen:
    """Take a trace, as the raw body or as the field `file` of a form, and read it whole."""
    most = house.upload_bytes + FORM_BYTES
    refuse_if_told_larger(request, most, _too_large(house))
    request = Request(request.scope, at_most(request.receive, most, _too_large(house)))
    desk: asyncio.Semaphore = house.reading
    if len(await house.memory.read(traces.present)) >= MOST_TRACES:
        raise ApiError("conflict", f"{MOST_TRACES} traces are kept already: delete one first")
    if house.uploads >= MOST_WAITING:
        raise ApiError("busy", "other traces are being read; try again in a moment")
    house.uploads += 1
    try:
        async with _incoming(house) as file:
            given = await _take(request, house, file)
            called = shown_name(file, name or x_trace_name or given or "trace")
            async with desk:
                return await _read_and_keep(house, file, called)
    finally:
        house.uploads -= 1


def _too_large(house: House) -> ApiError:
    most = f"{house.settings.upload_mib:g} MiB"
    return ApiError(
        "too_large",
        f"the trace is larger than {most}: compress it with gzip or cut it into parts "
        "(PDD_TWIN_UPLOAD_MIB sets the limit)",
    )


@asynccontextmanager
async def _incoming(house: House) -> AsyncIterator[Path]:
    """A file that is gone afterwards unless it was moved."""
    house.trace_files.folder.mkdir(parents=True, exist_ok=True)
    file = house.trace_files.folder / f"incoming-{secrets.token_hex(8)}"
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


async def _take(request: Request, house: House, file: Path) -> str | None:
    """Write what comes to the file, as it comes; the name it has in a form."""
    try:
        if request.headers.get("content-type", "").startswith("multipart/form-data"):
            return await _take_form(request, house, file)
        await _write(house, file, request.stream())
    except ClientDisconnect:
        raise ApiError("bad_request", "the upload broke off; nothing of it was kept") from None
    return None


async def _take_form(request: Request, house: House, file: Path) -> str | None:
    async with request.form(max_files=1, max_fields=8) as form:
        sent = form.get("file")
        if not isinstance(sent, UploadFile):
            raise ApiError("bad_request", "the form has no file in its field file")
        await _write(house, file, _chunks(sent))
        return sent.filename


async def _chunks(sent: UploadFile) -> AsyncIterator[bytes]:
    while chunk := await sent.read(CHUNK_BYTES):
        yield chunk


async def _write(house: House, file: Path, chunks: AsyncIterator[bytes]) -> None:
    taken = 0
    with file.open("wb") as out:
        async for chunk in chunks:
            taken += len(chunk)
            if taken > house.upload_bytes:
                raise _too_large(house)
            out.write(chunk)


async def _read_and_keep(house: House, file: Path, name: str) -> Frozen:
    said = await one_job.carry_out(
        house.crew, "trace", {"path": str(file), "name": name}, READ_LIMIT_S
    )
    row = SavedTrace(
        id=said["digest"][:ID_LENGTH], name=said["name"], format=said["format"],
        digest=said["digest"], profile=said["profile"], notes=said["notes"],
        size_bytes=file.stat().st_size, saved_at=house.now(),
    )  # fmt: skip
    place = house.trace_files.path(row.id)
    known = place.exists()
    file.replace(place)
    try:
        return listed(await house.memory.keep(traces.add, row))
    except BaseException:
        if not known:
            place.unlink(missing_ok=True)
        raise


@router.get("")
async def present(house: TheHouse) -> list[Frozen]:
    """All traces, the newest first; the one that comes with the twin is the last."""
    rows = await house.memory.read(traces.present)
    return [*(listed(row) for row in rows), listed(await sample(house))]


@router.get("/{trace_id}")
async def one(trace_id: Named, house: TheHouse) -> Frozen:
    """One trace."""
    return listed(await find(house, trace_id))


@router.delete("/{trace_id}", status_code=204)
async def delete(trace_id: Named, house: TheHouse) -> None:
    """Delete a trace."""
    if trace_id == SAMPLE:
        raise ApiError("conflict", f"{SAMPLE} comes with the twin and stays")
    if not await house.memory.keep(traces.delete, trace_id):
        raise not_found("trace", trace_id)
    house.trace_files.path(trace_id).unlink(missing_ok=True)


async def find(house: House, trace_id: str) -> SavedTrace:
    """One trace; ApiError when there is none."""
    if trace_id == SAMPLE:
        return await sample(house)
    row = await house.memory.read(traces.find, trace_id)
    if row is None:
        raise not_found("trace", trace_id)
    return row


async def sample(house: House) -> SavedTrace:
    """The trace that comes with the twin; it is read when it is first asked for."""
    async with house.reading:
        if house.sample is None:
            asked = {"path": str(house.trace_files.path(SAMPLE)), "name": SAMPLE}
            said = await one_job.carry_out(house.crew, "trace", asked, READ_LIMIT_S)
            size = house.trace_files.path(SAMPLE).stat().st_size
            house.sample = SavedTrace(id=SAMPLE, size_bytes=size, saved_at=0.0, **said)
    return house.sample


def listed(row: SavedTrace) -> Frozen:
    """A trace as it is shown."""
    return {
        "id": row.id, "name": row.name, "format": row.format, "digest": row.digest,
        "profile": row.profile, "notes": row.notes, "size_bytes": row.size_bytes,
        "shipped": row.id == SAMPLE,
        "saved_at": None if row.id == SAMPLE else moment(row.saved_at),
    }  # fmt: skip
