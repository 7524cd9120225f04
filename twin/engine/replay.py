"""Requests of a recorded trace: at their recorded times, or turn after turn in a closed loop.

With block ids both caches work on blocks and hits follow from what is held; without them nothing
is known of prefixes and every prompt is computed whole.
"""

from __future__ import annotations

from math import exp

import numpy as np

from ..scenario import Scenario
from ..workload.sessions import normal_quantiles
from ..workload.trace_table import Trace
from .clock import Clock
from .deployment import ARRIVE
from .journey import Journey
from .pipeline import Pipeline
from .streams import generator

UNIFORMS = 5
"""Uniforms of a request: prediction, first step, phase, jitter, timeout."""


class ReplayLoad:
    """The requests of `trace`; `seed` draws what a trace does not tell (prediction, jitter)."""

    generated = False

    def __init__(self, trace: Trace, scenario: Scenario, seed: int) -> None:
        self.trace = trace
        self.sigma = scenario.policy.output_prediction_sigma
        self.uniforms = generator(seed, 0, 0).random((len(trace), UNIFORMS))
        self.normals = normal_quantiles(np.ascontiguousarray(self.uniforms[:, 0]))
        self.next_row = 0
        self.positions = [0] * len(trace.chains or ())
        self.first_done_s: float | None = None
        self.notes = list(trace.notes)
        empty = int((trace.output_tokens < 1).sum())
        if empty:
            self.notes.append(f"{empty} requests without output are given one token")

    @property
    def name(self) -> str:
        """Names the workload: the trace's digest."""
        return f"trace {self.trace.name} {self.trace.digest}"

    @property
    def block_tokens(self) -> int | None:
        """Tokens of a block, or None without ids."""
        return self.trace.block_tokens

    @property
    def closed(self) -> bool:
        """Turns wait for the reply before them."""
        return self.trace.closed_loop

    def begin(self, pipeline: Pipeline) -> None:
        """The first request, or the first turn of every chain."""
        self.pipeline = pipeline
        self.clock: Clock = pipeline.clock
        if self.trace.chains is None:
            self._schedule()
            return
        for number, chain in enumerate(self.trace.chains):
            self.clock.at(chain.start_s, ARRIVE, number)

    def _schedule(self) -> None:
        if self.next_row < len(self.trace):
            when = float(self.trace.arrival_s[self.next_row])
            self.clock.at(when, ARRIVE, self.next_row)

    def arrive(self, integer: int) -> None:
        """Row `integer` arrives; in a closed loop the next turn of chain `integer`."""
        if self.trace.chains is None:
            self.next_row = integer + 1
            self.pipeline.start(self._journey(integer, integer))
            self._schedule()
            return
        row = self.trace.chains[integer].first + self.positions[integer]
        self.positions[integer] += 1
        self.next_row += 1
        self.pipeline.start(self._journey(row, integer))

    def _journey(self, row: int, client: int) -> Journey:
        request = self.trace.request(row)
        out = max(request.output_tokens, 1)
        predicted = out * exp(self.sigma * float(self.normals[row]))
        u = self.uniforms[row].tolist()
        session = row if request.session is None else request.session
        return Journey(
            client, session, request.blocks is None, float(request.input_tokens), 0.0, out,
            predicted, (u[1], u[2], u[3], u[4]), request.blocks,
        )  # fmt: skip

    def finished(self, j: Journey, last: float) -> None:
        """In a closed loop the chain's next turn follows after its think time."""
        chains = self.trace.chains
        if chains is None:
            if self.trace.block_tokens is None:
                self.pipeline.session_ended(j.session)
            return
        chain, position = chains[j.client], self.positions[j.client]
        if position < chain.turns:
            think = self.trace.think_s
            pause = 0.0 if think is None else float(think[chain.first + position])
            self.clock.at(last + pause, ARRIVE, j.client)

    def exhausted(self) -> bool:
        """All rows have arrived."""
        return self.next_row >= len(self.trace)

    def progress(self, finished: int) -> float:
        """Share of the rows that are finished."""
        return finished / len(self.trace)

    def adopt(self, scenario: Scenario) -> None:
        """The trace stays; only the error of predictions can be turned."""
        self.sigma = scenario.policy.output_prediction_sigma
