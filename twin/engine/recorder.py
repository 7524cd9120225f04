"""What is kept of a run: one row per finished request, one row per sample of the state."""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from .journey import NEVER, Journey
from .pipeline import Pipeline

REQUEST_COLUMNS = (
    "number", "client", "arrival", "queue_p", "prefill", "transfer", "queue_slot", "first_step",
    "output_overhead", "relay", "handoff", "main", "ttft", "total", "prompt", "hit", "md_hit",
    "out", "relay_made", "pipeline", "nbytes", "landed_after", "estimate", "gap",
)  # fmt: skip
"""One number each: times in s, lengths in tokens; `gap` and `landed_after` are -1 when absent."""

SAMPLE_COLUMNS = (
    "time", "prefill_backlog_s", "prefill_busy_s", "relay_batch", "relay_slots_used",
    "relay_queue", "main_batch", "main_slots_used", "main_queue", "line_flows", "line_bytes",
    "line_busy_s", "drc_bytes", "drc_evictions", "in_flight", "arrived", "finished",
    "routed_relay", "routed_local", "prompt_tokens", "hit_tokens", "md_hit_tokens",
    "relay_slot_s", "main_slot_s", "line_asked_bytes", "line_capacity", "prefill_up",
    "relay_slots", "main_slots", "prefill_b_backlog_s", "prefill_b_busy_s", "prefill_b_up",
    "prefilled_in_b", "drc_capacity",
)  # fmt: skip
"""State and running totals at one moment; totals end in _s, _bytes, _tokens or are counts."""

WIDTH = len(REQUEST_COLUMNS)
ARRIVAL = REQUEST_COLUMNS.index("arrival")
TOTAL = REQUEST_COLUMNS.index("total")
SAMPLE_WIDTH = len(SAMPLE_COLUMNS)


ITL_PERIOD_S = 300.0
"""ITL is counted, weighted by tokens, in periods of this length."""

ItlPeriod = tuple[float, str, dict[int, float]]
"""Start of a period (s), pool, tokens by ITL cell."""


def _younger(rows: array[float], width: int, time_column: int, since: float) -> array[float]:
    """The rows whose time is `since` or later."""
    table = _looked_at(rows, width)
    return array("d", table[table[:, time_column] >= since].tobytes())


def _looked_at(rows: array[float], width: int) -> NDArray[np.float64]:
    """The rows without a copy; while it is kept they cannot grow."""
    return np.frombuffer(rows, dtype=np.float64).reshape(-1, width)


class Recorder:
    """Rows of finished requests and of samples; `keep_s` forgets what is older (None: nothing)."""

    def __init__(self, keep_s: float | None) -> None:
        self.keep_s = keep_s
        self.rows: array[float] = array("d")
        self.samples: array[float] = array("d")
        self.itl: list[ItlPeriod] = []
        self.itl_since = 0.0

    def finished(self, j: Journey, last: float) -> None:
        """Keep a finished request; its stages sum to TTFT and to the total."""
        first = j.first
        stamps = j.stamps or (j.prefill_start, j.prefill_end, j.ready, j.joined)
        prefill_start, prefill_end, ready, joined = stamps
        left = j.left if j.left > first else first
        resumed = j.resumed if j.resumed > left else left
        if j.resumed == NEVER:  # RLD made it to the end
            left = resumed = last
        landed = j.landed
        self.rows.extend(
            (
                j.number, j.client, j.arrival,
                prefill_start - j.arrival, prefill_end - prefill_start,
                ready - prefill_end, joined - ready, first - joined - j.overhead, j.overhead,
                left - first, resumed - left, last - resumed,
                first - j.arrival, last - j.arrival,
                j.prompt, j.hit, j.md_hit, j.out, j.relay_made, j.pipeline, j.nbytes,
                landed - prefill_end if landed >= 0 else NEVER, j.estimate, j.handoff_gap,
            )
        )  # fmt: skip

    def sample(self, p: Pipeline) -> None:
        """Keep the state of this moment; the model is only read."""
        now = p.clock._now
        relay, main, line = p.relay, p.main, p.line
        relay_instances = relay.instances if relay is not None else ()
        beside, counts = p.prefill_b, p.counts
        sent, busy = line.totals(now) if line is not None else (0.0, 0.0)
        self.samples.extend(
            (
                now, p.prefill.backlog_s(now), p.prefill.busy_s,
                sum(i.batch for i in relay_instances), sum(i.used for i in relay_instances),
                len(relay.queue) if relay is not None else 0,
                sum(i.batch for i in main.instances), sum(i.used for i in main.instances),
                len(main.queue), line.alive if line is not None else 0, sent, busy,
                p.drc.used_bytes(), p.drc.evictions, len(p.live), counts["arrived"],
                counts["finished"], counts["routed_relay"],
                counts["routed_local"] + counts["routed_filtered"],
                p.prompt_tokens, p.hit_tokens, p.md_hit_tokens,
                sum(i.slot_seconds(now) for i in relay_instances),
                sum(i.slot_seconds(now) for i in main.instances),
                line.asked_bytes if line is not None else 0.0,
                line.capacity if line is not None and not line.cut else 0.0,
                p.prefill.up(), relay.slots_up() if relay is not None else 0, main.slots_up(),
                beside.backlog_s(now) if beside is not None else 0.0,
                beside.busy_s if beside is not None else 0.0,
                beside.up() if beside is not None else 0, counts["prefilled_in_b"],
                (p.scenario.caches.drc_tb or 0.0) * 1e12,
            )
        )  # fmt: skip
        if now >= self.itl_since + ITL_PERIOD_S:
            self._close_itl_period(p, now)
            if self.keep_s is not None:
                self._forget(now - self.keep_s)

    def _close_itl_period(self, p: Pipeline, now: float) -> None:
        for pool, name in ((p.relay, "relay"), (p.main, "main")):
            if pool is not None and pool.itl_tokens:
                self.itl.append((self.itl_since, name, pool.itl_tokens))
                pool.itl_tokens = {}
        self.itl_since = now

    def _forget(self, before: float) -> None:
        self.samples = _younger(self.samples, SAMPLE_WIDTH, 0, before)
        self.rows = _younger(self.rows, WIDTH, ARRIVAL, before)
        self.itl = [period for period in self.itl if period[0] >= before]

    def memory(self) -> tuple[bytes, bytes, list[ItlPeriod], float]:
        """All that is remembered, to be handed to a copy."""
        return self.rows.tobytes(), self.samples.tobytes(), list(self.itl), self.itl_since

    def remember(self, memory: tuple[bytes, bytes, list[ItlPeriod], float]) -> None:
        """Take over what `memory` gave."""
        rows, samples, self.itl, self.itl_since = memory
        self.rows, self.samples = array("d", rows), array("d", samples)

    def table(self) -> NDArray[np.float64]:
        """Finished requests, shape (requests, len(REQUEST_COLUMNS)), in order of finishing."""
        return np.array(self.rows, dtype=np.float64).reshape(-1, WIDTH)

    def arrived_between(self, from_s: float, to_s: float) -> NDArray[np.float64]:
        """As `table`, of the requests that arrived then; nothing else is copied."""
        table = _looked_at(self.rows, WIDTH)
        arrival = table[:, ARRIVAL]
        return table[(arrival >= from_s) & (arrival <= to_s)]

    def last_token_s(self) -> float | None:
        """When the latest of all finished requests was done; None before the first."""
        table = _looked_at(self.rows, WIDTH)
        return float((table[:, ARRIVAL] + table[:, TOTAL]).max()) if len(table) else None

    def series(self) -> NDArray[np.float64]:
        """Samples, shape (samples, len(SAMPLE_COLUMNS)), in order of time."""
        return np.array(self.samples, dtype=np.float64).reshape(-1, SAMPLE_WIDTH)
