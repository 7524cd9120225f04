"""The line as a shared resource: flows in virtual bytes with one armed timer.

Processor sharing: all n flows run at min(f, C_line / n); a flow joins with key V + bytes and
leaves when V reaches it. With discipline `fifo` one flow runs at a time. After a flow has left the
line its last bytes still travel (RTT / 2, slow start, jitter); it no longer counts in n then.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

from ..physics.line import flow_rate
from .clock import Clock
from .journey import NOWHERE, Journey


class Flow:
    """One KV transfer on the line or in its latency tail."""

    __slots__ = (
        "number", "request", "session", "prompt", "blocks", "u_jitter", "u_timeout", "nbytes",
        "started", "on_line", "key", "after",
    )  # fmt: skip

    def __init__(self, number: int, j: Journey, nbytes: float, now: float) -> None:
        self.number = number
        self.request = j.number
        self.session = j.session
        self.prompt = j.prompt
        self.blocks = j.blocks
        self.u_jitter = j.u_jitter
        self.u_timeout = j.u_timeout
        self.nbytes = nbytes
        self.started = now
        self.on_line = False
        self.key = 0.0
        self.after = NOWHERE


class SharedLine:
    """Flows in progress; rates in bytes/s; `alive` counts flows on the line, tails left out."""

    def __init__(
        self, clock: Clock, timer_kind: int, rate: float, flow_cap: float, fifo: bool
    ) -> None:
        self.clock = clock
        self.timer_kind = timer_kind
        self.capacity = rate
        self.flow_cap = flow_cap
        self.fifo = fifo
        self.cut = False
        self.flows: dict[int, Flow] = {}
        self.heap: list[tuple[float, int]] = []
        self.alive = 0
        self.virtual = 0.0
        self.at = 0.0
        self.rate = 0.0
        self.due = inf
        self.armed = inf
        self.version = 0
        self.sent_bytes = 0.0
        self.asked_bytes = 0.0
        self.busy_s = 0.0
        self.next_number = 0
        self.last_key = 0.0
        self.pieces: dict[int, list[float]] = {}  # flow -> bytes that wait for it, bytes to come

    def settle(self, now: float) -> None:
        """Bring the flows' virtual bytes up to `now`."""
        passed = now - self.at
        if passed > 0.0:
            if self.alive:
                moved = passed * self.rate
                self.virtual += moved
                self.sent_bytes += moved if self.fifo else moved * self.alive
                self.busy_s += passed
            self.at = now

    def totals(self, now: float) -> tuple[float, float]:
        """Bytes sent and seconds in use up to `now`; the line is only read."""
        if not self.alive:
            return self.sent_bytes, self.busy_s
        passed = now - self.at
        flows = 1 if self.fifo else self.alive
        return self.sent_bytes + passed * self.rate * flows, self.busy_s + passed

    def join(self, j: Journey, nbytes: float, now: float) -> Flow:
        """A flow of `nbytes` > 0 starts, or one of nothing is on its way at once (not on line)."""
        flow = self._new(j, nbytes, now)
        if nbytes > 0:
            self.settle(now)
            self._put(flow, nbytes)
            self.retime(now)
        return flow

    def _new(self, j: Journey, nbytes: float, now: float) -> Flow:
        number = self.next_number
        self.next_number = number + 1
        self.asked_bytes += nbytes
        flow = Flow(number, j, nbytes, now)
        self.flows[number] = flow
        return flow

    def _put(self, flow: Flow, nbytes: float) -> None:
        """`nbytes` of a flow take their place on the settled line."""
        start = self.last_key if self.fifo and self.alive else self.virtual
        self.last_key = flow.key = start + nbytes
        flow.on_line = True
        heappush(self.heap, (flow.key, flow.number))
        self.alive += 1

    # --- flows whose bytes come in pieces

    def open(self, j: Journey, nbytes: float, now: float) -> Flow:
        """A flow of `nbytes` > 0 that are still to come; `feed` brings them."""
        flow = self._new(j, nbytes, now)
        self.pieces[flow.number] = [0.0, nbytes]
        return flow

    def feed(self, number: int, nbytes: float, now: float) -> None:
        """A piece has come; it waits while an earlier one is on the line."""
        flow, state = self.flows[number], self.pieces[number]
        state[1] -= nbytes
        if flow.on_line:
            state[0] += nbytes
            return
        self.settle(now)
        self._put(flow, nbytes)
        self.retime(now)

    def feed_last(self, number: int, now: float) -> None:
        """All the rest has come: the flow ends when it has left."""
        state = self.pieces[number]
        self.feed(number, state[1], now)
        state[1] = 0.0

    def unsent(self, number: int, now: float) -> tuple[float, int]:
        """Bytes of a flow in pieces that have not left, and how many others are on the line."""
        flow, (waiting, coming) = self.flows[number], self.pieces[number]
        if not flow.on_line:
            return waiting + coming, self.alive
        under_way = flow.key - self.virtual - (now - self.at) * self.rate
        return waiting + coming + max(0.0, under_way), self.alive - 1

    def _goes_on(self, flow: Flow) -> bool:
        """Whether a flow whose piece has left has more: the next one waiting, or to come."""
        waiting, coming = self.pieces[flow.number]
        if waiting > 0:
            self.pieces[flow.number][0] = 0.0
            self._put(flow, waiting)
        elif coming <= 0:
            del self.pieces[flow.number]
            return False
        return True

    def cancel(self, number: int, now: float) -> None:
        """Take a flow off; what it has sent is sent. Under fifo the others do not move up."""
        flow = self.flows.pop(number)
        self.pieces.pop(number, None)
        if flow.on_line:
            self.settle(now)
            self.alive -= 1
            self.retime(now)

    def departed(self, version: int, now: float) -> list[Flow]:
        """Flows whose last byte has left; empty when the timer is stale or fires early.

        They stay in `flows` until the caller removes them when their KV has landed.
        """
        if version != self.version:
            return []
        self.armed = inf
        if now < self.due:
            self._arm()
            return []
        self.settle(now)
        heap, flows = self.heap, self.flows
        if heap:  # the least key is reached now, but for the clock's rounding
            short = heap[0][0] - self.virtual
            self.virtual = heap[0][0]
            self.sent_bytes += short if self.fifo else short * self.alive
        leaving = []
        while heap and heap[0][0] <= self.virtual:
            flow = flows.get(heappop(heap)[1])
            if flow is not None:
                flow.on_line = False
                self.alive -= 1
                if not self.pieces or flow.number not in self.pieces or not self._goes_on(flow):
                    leaving.append(flow)
        self.retime(now)
        return leaving

    def retime(self, now: float) -> None:
        """Set the rate and the next departure after flows or capacity have changed."""
        heap, flows = self.heap, self.flows
        while heap and heap[0][1] not in flows:
            heappop(heap)
        n = self.alive
        if not n or self.cut:
            self.rate = 0.0
            self.due = inf
            return
        self.rate = flow_rate(self.capacity, self.flow_cap, 1 if self.fifo else n)
        self.due = now + (heap[0][0] - self.virtual) / self.rate
        if self.due < self.armed:
            self._arm()

    def _arm(self) -> None:
        if self.due < inf:
            self.version += 1
            self.armed = self.due
            self.clock.at(self.due, self.timer_kind, self.version)

    def set_capacity(self, rate: float, flow_cap: float, now: float) -> None:
        """Turn the line's rate and per-flow cap; bytes sent so far stay sent."""
        self.settle(now)
        self.capacity, self.flow_cap = rate, flow_cap
        self.retime(now)

    def set_cut(self, cut: bool, now: float) -> None:
        """Cut the line (flows stand still) or bring it back."""
        self.settle(now)
        self.cut = cut
        self.retime(now)
