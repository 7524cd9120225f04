"""The deployment in motion: pools, line, caches and the requests alive, built from a scenario."""

from __future__ import annotations

from collections.abc import Callable

from ..physics.chip import StepCost, prefill_cost, step_cost
from ..physics.line import line_rates
from ..physics.profile import Curve, kv_curve, measured_steps, prefill_curve
from ..scenario import Pool, Scenario, decode_slots
from .caches import DecodeCache, PromptCache, decode_cache, prompt_cache
from .clock import Clock
from .journey import Journey
from .line import SharedLine
from .pools import DecodePool, PrefillPool

(
    ARRIVE, PREFILLED, RDMA_DONE, LINE_TIMER, LANDED, RELAY_TIMER, RELAY_LEAVES, MAIN_JOINS,
    MAIN_TIMER, SCRIPT, SAMPLE, PIECE,
) = range(12)  # fmt: skip
"""Kinds of events on the clock."""

COUNTS = (
    "arrived", "finished", "refused", "routed_main", "routed_relay", "routed_local",
    "routed_filtered", "routed_same_site", "relay_cancelled", "landed", "landed_late", "redone",
    "prefilled_in_b",
)  # fmt: skip
"""What is counted over a whole run."""

Finished = Callable[[Journey, float], None]
"""Called with a request and the time of its last token."""


class Deployment:
    """Resources and rules as the engine uses them; numbers in seconds, bytes and tokens."""

    def __init__(
        self, scenario: Scenario, clock: Clock, finished: Finished, block_tokens: int | None
    ) -> None:
        self.clock = clock
        self.finished = finished
        self.live: dict[int, Journey] = {}
        self.next_number = 0
        self.homeless: list[int] = []
        self.stalled: list[int] = []
        self.waiting: dict[int, list[int]] = {}
        self.gate_closed = False
        self.relay_busy = False
        self.counts = dict.fromkeys(COUNTS, 0)
        self.prompt_tokens = self.hit_tokens = self.md_hit_tokens = 0.0
        self.rld_tokens: int = 0
        self.md_tokens: int = 0
        self.block_tokens = block_tokens
        self.adopt(scenario)
        self._build(scenario)

    def adopt(self, scenario: Scenario) -> None:
        """Take the rules and rates of `scenario`; pools, line and caches are turned apart."""
        self.scenario = scenario
        self.policy = policy = scenario.policy
        self.kv_per_token = scenario.model.kv_bytes_per_token
        self.state_bytes = scenario.model.fixed_state_mb * 1e6
        self.kv_profile: Curve | None = kv_curve(scenario.model.kv_profile)
        site = scenario.datacenter_a
        self.rdma_bytes_per_s = site.rdma_gbytes_per_s * 1e9
        self.rdma_setup_s = site.rdma_setup_ms / 1e3
        self.site_b = scenario.datacenter_b or site
        self.overhead_s = policy.output_overhead_ms / 1e3
        self.hop_s = policy.handoff_hop_ms / 1e3
        self.watch_relay = policy.load_gate or policy.handoff_load_switch
        line = scenario.line
        self.line_settings = line
        if line is not None:
            self.rtt_s = line.rtt_ms / 1e3
            self.window_bytes = line.initial_window_kb * 1e3
            self.jitter_s = line.jitter_share * self.rtt_s

    def _build(self, scenario: Scenario) -> None:
        line = scenario.line
        self.prefill = self._prefill_pool(scenario.prefill)
        beside = scenario.prefill_b
        self.prefill_b: PrefillPool | None = None if beside is None else self._prefill_pool(beside)
        self.main = self._decode_pool(scenario.main_decode, MAIN_TIMER)
        relay = scenario.relay_decode
        self.relay: DecodePool | None = (
            None if relay is None else self._decode_pool(relay, RELAY_TIMER)
        )
        self.line: SharedLine | None = None
        if line is not None:
            rates = line_rates(line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps)
            self.line = SharedLine(self.clock, LINE_TIMER, *rates, line.discipline == "fifo")
        self.drc: DecodeCache = decode_cache(scenario, self.block_tokens)
        self.prompts: PromptCache = prompt_cache(scenario, self.block_tokens)

    def pools(self) -> dict[str, PrefillPool | DecodePool | None]:
        """The pools by setting name; None for those that this deployment has not."""
        return {
            "prefill": self.prefill,
            "relay_decode": self.relay,
            "main_decode": self.main,
            "prefill_b": self.prefill_b,
        }

    def _prefill_pool(self, pool: Pool) -> PrefillPool:
        points = () if pool.profile is None else pool.profile.prefill
        cost = prefill_cost(pool, self.scenario.model)
        return PrefillPool(cost, pool.instances, prefill_curve(points))

    def _decode_pool(self, pool: Pool, kind: int) -> DecodePool:
        model = self.scenario.model
        slots = decode_slots(pool, model, self.scenario.caches)
        return DecodePool(
            self.clock, kind, self._step_cost(pool, slots), slots, pool.instances,
            model.tokens_per_step,
        )  # fmt: skip

    def _step_cost(self, pool: Pool, slots: int) -> StepCost:
        model, profile = self.scenario.model, pool.profile
        if profile is None or not profile.itl:
            return step_cost(pool, model, slots)
        return measured_steps(profile.itl, model.tokens_per_step, slots)
