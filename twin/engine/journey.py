"""One request on its way: plain numbers only, so that a copy of it is data."""

from __future__ import annotations

PREFILL, TO_RELAY, RELAY_QUEUE, RELAY, HANDOFF, TO_MAIN, MAIN_QUEUE, MAIN, STRANDED, DONE = range(
    10
)
"""Where a request is. STRANDED: its relay instance is lost and it waits for main decode."""

STAGES = (
    "prefill", "to_relay", "relay_queue", "relay", "handoff", "to_main", "main_queue", "main",
    "stranded", "done",
)  # fmt: skip

NEVER = -1.0
"""A time that has not come yet (times are never negative)."""

NOWHERE = -1
"""No instance, no flow."""


class Journey:
    """A request; times in simulated seconds, lengths in tokens, `u_*` uniforms drawn beforehand."""

    __slots__ = (
        # what it asks
        "number", "client", "session", "first_turn", "prompt", "hit", "out", "predicted", "blocks",
        "u_first", "u_phase", "u_jitter", "u_timeout",
        # where it is
        "stage", "pipeline", "due", "p_instance", "r_instance", "m_instance", "flow", "redone",
        # what has happened
        "arrival", "prefill_start", "prefill_end", "ready", "joined", "first", "landed", "left",
        "resumed", "virtual", "made", "relay_made", "handoff_gap", "handoff_made", "nbytes",
        "md_hit", "estimate", "stamps", "ticket", "overhead",
    )  # fmt: skip

    def __init__(
        self,
        client: int,
        session: int,
        first_turn: bool,
        prompt: float,
        hit: float,
        out: int,
        predicted: float,
        uniforms: tuple[float, float, float, float],
        blocks: tuple[int, ...] | None = None,
    ) -> None:
        self.number = NOWHERE
        self.client = client
        self.session = session
        self.first_turn = first_turn
        self.prompt = prompt
        self.hit = hit
        self.out = out
        self.predicted = predicted
        self.blocks = blocks
        self.u_first, self.u_phase, self.u_jitter, self.u_timeout = uniforms
        self.stage = PREFILL
        self.pipeline = NOWHERE
        self.due = NEVER
        self.p_instance = self.r_instance = self.m_instance = self.flow = NOWHERE
        self.redone = 0
        self.arrival = self.prefill_start = self.prefill_end = NEVER
        self.ready = self.joined = self.first = self.landed = self.left = self.resumed = NEVER
        self.virtual = 0.0
        self.made = 0
        self.relay_made = 0
        self.handoff_gap = NEVER
        self.handoff_made = NOWHERE
        self.nbytes = 0.0
        self.md_hit = 0.0
        self.estimate = 0.0
        self.ticket = NOWHERE
        self.overhead = 0.0
        self.stamps: tuple[float, float, float, float] | None = None
