"""One shape for every error, over HTTP and WebSocket: a code, a sentence, and every problem."""

from __future__ import annotations

import errno
import logging
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from db.store import NoSpace, StoreError
from twin.errors import Problem, ScenarioError, TraceError, TurnError, TwinError, shown

from .answers import Answer

LOG = logging.getLogger("pdd_twin")

STATUS = {
    "bad_request": 422,
    "turn_refused": 422,
    "scenario_invalid": 422,
    "trace_invalid": 422,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "not_allowed": 405,
    "conflict": 409,
    "too_large": 413,
    "busy": 429,
    "internal": 500,
    "no_space": 507,
}
"""HTTP status of each code."""

CODES = {400: "bad_request", **{status: code for code, status in reversed(STATUS.items())}}
"""Code of a status that a library chose."""

INTERNAL = "something went wrong here; nothing that was saved is lost"


NO_SPACE = (errno.ENOSPC, errno.EDQUOT)


class ApiError(Exception):
    """An answer that is an error; `status` overrides the one of the code."""

    def __init__(
        self,
        code: str,
        message: str,
        problems: Sequence[Problem] = (),
        status: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.problems = tuple(problems)
        self.status = status or STATUS[code]
        self.headers = headers

    def body(self) -> dict[str, Any]:
        """The error as it is sent."""
        problems = [{"place": p.place, "found": p.found, "remedy": p.remedy} for p in self.problems]
        return {"error": {"code": self.code, "message": self.message, "problems": problems}}


def not_found(what: str, name: str) -> ApiError:
    """The error for something that is not there."""
    return ApiError("not_found", f"there is no {what} {shown(name)}")


def no_space() -> ApiError:
    """The error for what cannot be kept because the disk is full."""
    remedy = (
        "free space there (PDD_TWIN_DATA names it) and try again; nothing that was saved is lost"
    )
    return of_problems("no_space", [Problem("the data folder", "full", remedy)])


def of_problems(code: str, problems: Sequence[Problem]) -> ApiError:
    """The error for problems that a person can mend; its message is one sentence."""
    if not problems:
        return ApiError(code, "this cannot be done")
    first = problems[0].sentence()
    message = first if len(problems) == 1 else f"{len(problems)} problems; the first: {first}"
    return ApiError(code, message, problems)


def explained(error: BaseException, code: str | None = None) -> ApiError:
    """Any error as an answer; what nobody foresaw is logged and told without its insides."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, NoSpace) or (isinstance(error, OSError) and error.errno in NO_SPACE):
        LOG.error("%s", error)
        return no_space()
    if isinstance(error, StoreError):
        LOG.error("%s", error)
        return ApiError("internal", INTERNAL)
    if isinstance(error, TwinError):
        known = {TurnError: "turn_refused", ScenarioError: "scenario_invalid",
                 TraceError: "trace_invalid"}  # fmt: skip
        return of_problems(code or known.get(type(error), "bad_request"), error.problems)
    LOG.error("unforeseen", exc_info=error)
    return ApiError("internal", INTERNAL)


def _asked_wrongly(error: RequestValidationError) -> ApiError:
    problems = []
    for found in error.errors():
        loc = [str(step) for step in found["loc"] if step != "body"]
        place = ".".join(loc) or "the request"
        given = found.get("input")
        missing = found["type"] == "missing"
        seen = "absent" if missing else shown(given)
        problems.append(Problem(place, seen, _remedy(found)))
    return of_problems("bad_request", problems)


def _remedy(found: Any) -> str:
    if found["type"] == "missing":
        return "give it"
    if found["type"] == "extra_forbidden":
        return "this is not known here"
    text = str(found["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return text[:1].lower() + text[1:]


def answer(error: ApiError) -> Response:
    """An error as an HTTP answer."""
    return Answer(error.body(), status_code=error.status, headers=error.headers)


def install(app: FastAPI) -> None:
    """Have every error of `app` answered in this shape."""

    async def on_api_error(_: Request, error: Exception) -> Response:
        return answer(explained(error))

    async def on_invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(_asked_wrongly(error))

    async def on_http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        code = CODES.get(error.status_code, "bad_request")
        headers = dict(error.headers) if error.headers else None
        return answer(ApiError(code, str(error.detail), status=error.status_code, headers=headers))

    app.add_exception_handler(ApiError, on_api_error)
    app.add_exception_handler(TwinError, on_api_error)
    app.add_exception_handler(OSError, on_api_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_api_error)
