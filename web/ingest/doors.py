"""What the ingester itself answers: remote write, `/health`, `/metrics`."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from db.samples import Batch
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from .keeper import Keeper, Overloaded
from .state import SourceState, health
from .write_request import MOST_BYTES, WriteRefused, read_write_request

Now = Callable[[], int]

VERSION_1 = ("application/x-protobuf", "application/x-protobuf;proto=prometheus.writerequest")
MOST_SAID = 4


class Doors:
    """The routes, over the sources' states."""

    def __init__(
        self, states: Mapping[str, SourceState], keeper: Keeper, tokens: Mapping[str, str], now: Now
    ) -> None:
        self.states, self.keeper, self.tokens, self.now = states, keeper, tokens, now
        self.problem = ""
        self.registry = CollectorRegistry()
        self.registry.register(self)  # type: ignore[arg-type]

    def app(self) -> Starlette:
        """The application."""
        return Starlette(
            routes=[
                Route("/health", self.health),
                Route("/metrics", self.metrics),
                Route("/api/v1/write/{source}", self.write, methods=["POST"]),
            ]
        )

    async def health(self, _: Request) -> Response:
        """How all sources stand."""
        told = health(self.states, self.now(), self.problem)
        return JSONResponse(told, 503 if self.problem else 200)

    async def metrics(self, _: Request) -> Response:
        """Our own page for Prometheus."""
        return Response(generate_latest(self.registry), media_type="text/plain; version=0.0.4")

    async def write(self, request: Request) -> Response:
        """Take a push: 204 when all of it is kept, 400 when some or all was wrong.

        Never 5xx for a fault of the sender: it would send the same again and again.
        """
        name = request.path_params["source"]
        state = self.states.get(name)
        if state is None or state.kind != "remote_write":
            return _no(404, f"no remote_write source named {name}: add it to the sources file")
        token = self.tokens.get(name)
        if token and not hmac.compare_digest(
            request.headers.get("authorization", "").encode(), f"Bearer {token}".encode()
        ):
            return _no(401, f"the token of source {name} is needed")
        refused = _media(request)
        if refused is not None:
            return refused
        return await self._taken(state, await _body(request))

    async def _taken(self, state: SourceState, body: bytes | None) -> Response:
        if body is None:
            return _no(413, f"the body is larger than {MOST_BYTES:,} bytes: send less at once")
        now = self.now()
        try:
            said = read_write_request(body, now)
        except WriteRefused as error:
            state.become("failing", now, str(error))
            return _no(400, str(error))
        batch = Batch(state.name, said.series, None, (), said.families, now)
        rejected = Counter(dict(said.rejected))
        try:
            taken = await self.keeper.keep(batch, rejected)
        except Overloaded:
            return _no(429, "the store is busy: send it again in a second", {"Retry-After": "1"})
        rejected += Counter(dict(taken.rejected))
        newest = [int(one.time_ms[-1]) for one in said.series]
        state.newest_ms = max([state.newest_ms or 0, *newest]) or None
        state.become("ok", now)
        if rejected:
            told = ", ".join(
                f"{n} samples {why}" for why, n in sorted(rejected.items())[:MOST_SAID]
            )
            return _no(400, f"kept {taken.stored}; rejected for good: {told}")
        return Response(status_code=204)

    def collect(self) -> Iterator[Metric]:
        """Our own metrics: received = stored + duplicate + rejected + dropped, lag, targets."""
        received = CounterMetricFamily(
            "pdd_ingest_samples_received", "Samples that arrived.", labels=["source"]
        )
        ended = CounterMetricFamily(
            "pdd_ingest_samples", "Samples by what became of them.", labels=["source", "fate"]
        )
        for source, counts in sorted(self.keeper.counts.items()):
            received.add_metric([source], counts.received)
            ended.add_metric([source, "stored"], counts.stored)
            ended.add_metric([source, "duplicate"], counts.duplicate)
            ended.add_metric([source, "rejected"], counts.rejected.total())
            ended.add_metric([source, "dropped"], counts.dropped)
        lag = GaugeMetricFamily(
            "pdd_ingest_lag_seconds", "Age of the newest sample.", labels=["source"]
        )
        up = GaugeMetricFamily(
            "pdd_ingest_source_up", "1 while a source answers.", labels=["source", "kind"]
        )
        for name, state in sorted(self.states.items()):
            if state.newest_ms is not None:
                lag.add_metric([name], max(0, self.now() - state.newest_ms) / 1000)
            up.add_metric([name, state.kind], float(state.status in ("ok", "catching up")))
        yield from (received, ended, lag, up)


def _media(request: Request) -> Response | None:
    """Why a push is of a kind that is not taken; None when it is."""
    told = request.headers.get("content-type", "").replace(" ", "").lower()
    if told not in VERSION_1:
        return _no(415, "send application/x-protobuf of remote write version 1")
    version = request.headers.get("x-prometheus-remote-write-version", "0.1.0")
    if not version.startswith("0.1"):
        return _no(415, f"remote write {version[:20]} is not taken: send version 0.1.0")
    if request.headers.get("content-encoding", "").lower() != "snappy":
        return _no(415, "send Content-Encoding: snappy")
    return None


async def _body(request: Request) -> bytes | None:
    """The body; None when it is longer than ever a decoded one may be."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            return None
    return bytes(body)


def _no(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return PlainTextResponse(sentence + "\n", status, dict(headers or {}))
