"""Handing eager tokens over to main decode: their KV against their ids, and batch by batch.

The microbenchmark draws transfers over a jittering line as the engine has it: rate of the flow,
RTT/2, slow start, jitter, and a retransmission timeout now and then. The story of one handoff lists
its batches, and when the user sees each token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .physics.chip import step_cost, step_seconds
from .physics.handoff import extend_seconds
from .physics.line import flow_rate, line_rates, slow_start_seconds
from .scenario import Line, Pool, Scenario, ServedModel

Times = NDArray[np.float64]
Mode = Literal["one_shot", "catch_up", "auto"]

TOKENS = 100
"""Eager tokens of the published microbenchmark (claims C14, C15)."""

TRANSFERS = 2_000
COPY_S = 0.0245
"""Copy of the KV beside main decode (claim C14)."""

BATCH, CONTEXT = 10, 64_000
"""Main decode's batch in the microbenchmark, and the context of each of it."""

MOST_SHOWN = 2_000
"""Most tokens of RLD that a story shows, the last ones."""

ID_BYTES = 15.0
"""Bytes of one id on the line: 1.5 KB for 100 (claim C15)."""


@dataclass(frozen=True)
class Distribution:
    """Times of many handoffs in s, shape (seeds, transfers); the mean of the largest per seed."""

    times_s: Times
    nbytes: float

    @property
    def mean_s(self) -> float:
        """Mean over all."""
        return float(self.times_s.mean())

    @property
    def sd_s(self) -> float:
        """Mean over seeds of the standard deviation."""
        return float(self.times_s.std(axis=1, ddof=1).mean())

    @property
    def max_s(self) -> float:
        """The largest of all."""
        return float(self.times_s.max())

    @property
    def max_by_seed_s(self) -> Times:
        """The largest of each seed."""
        return self.times_s.max(axis=1)

    def counted(self, bins: int = 60) -> tuple[NDArray[np.int64], Times]:
        """A histogram: counts, and the edges of the bins in s."""
        counts, edges = np.histogram(self.times_s, bins=bins)
        return counts.astype(np.int64), edges


def by_kv(
    line: Line, nbytes: float, seeds: Sequence[int], transfers: int = TRANSFERS, flows: int = 0
) -> Distribution:
    """Transfers of `nbytes` of KV beside `flows` others, until the last byte is there.

    The copy beside main decode (`COPY_S`) is not in it.
    """
    capacity, cap = line_rates(line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps)
    rtt = line.rtt_ms / 1e3
    fixed = nbytes / flow_rate(capacity, cap, flows + 1) + rtt / 2
    if line.slow_start:
        fixed += slow_start_seconds(nbytes, cap, rtt, line.initial_window_kb * 1e3)
    drawn = _uniforms(seeds, transfers)
    late = drawn[:, 1] < line.timeout_share
    times = fixed + drawn[:, 0] * line.jitter_share * rtt + late * line.timeout_s
    return Distribution(times, nbytes)


def by_ids(
    tokens: int,
    hop_s: float,
    step_s: float,
    ids_per_step: int,
    seeds: Sequence[int],
    transfers: int = TRANSFERS,
) -> Distribution:
    """Handoffs of `tokens` by their ids, until main decode has recomputed the last of them.

    `step_s` is main decode's step; the ids come at a uniform place of the step that runs.
    """
    phases = _uniforms(seeds, transfers)[:, 0]
    times = extend_seconds(tokens, hop_s, step_s, 0.0, ids_per_step) + phases * step_s
    return Distribution(times, tokens * ID_BYTES)


def _uniforms(seeds: Sequence[int], transfers: int) -> Times:
    """Two streams of uniforms of each seed, shape (seeds, 2, transfers)."""
    keys = [np.random.SeedSequence(entropy=seed, spawn_key=(0x1D5,)) for seed in seeds]
    return np.array([np.random.Generator(np.random.Philox(k)).random((2, transfers)) for k in keys])


@dataclass(frozen=True)
class Microbenchmark:
    """Both ways side by side; `copy_s` comes on top of the KV's time, `step_s` is MD's step."""

    tokens: int
    kv: Distribution
    ids: Distribution
    copy_s: float
    step_s: float

    @property
    def times_fewer_bytes(self) -> float:
        """How many times fewer bytes the ids are."""
        return self.kv.nbytes / self.ids.nbytes


def microbenchmark(
    scenario: Scenario,
    seeds: Sequence[int] = (0,),
    tokens: int = TOKENS,
    transfers: int = TRANSFERS,
    timeout_share: float | None = None,
    batch: int = BATCH,
    ids_per_step: int | None = None,
) -> Microbenchmark:
    """Hand `tokens` over by KV and by ids on the line and the main decode of `scenario`.

    What is None is as in the scenario. ValueError without a line.
    """
    line, policy = scenario.line, scenario.policy
    if line is None:
        raise ValueError("a handoff crosses a line: this scenario has none")
    if timeout_share is not None:
        line = line.model_copy(update={"timeout_share": timeout_share})
    width = policy.handoff_ids_per_step if ids_per_step is None else ids_per_step
    step = main_step_s(scenario, batch)
    nbytes = tokens * scenario.model.kv_bytes_per_token
    return Microbenchmark(
        tokens,
        by_kv(line, nbytes, seeds, transfers),
        by_ids(tokens, policy.handoff_hop_ms / 1e3, step, width, seeds, transfers),
        COPY_S,
        step,
    )


def main_step_s(scenario: Scenario, batch: int = BATCH, context: float = CONTEXT) -> float:
    """One step of main decode with `batch` requests of `context` tokens each, in s."""
    cost = step_cost(scenario.main_decode, scenario.model, batch)
    return step_seconds(cost, batch, batch * context)


def extended_step_s(
    pool: Pool, model: ServedModel, batch: int, ids: int, context: float = CONTEXT
) -> float:
    """A step in which one of the batch has `ids` tokens computed at once instead of one, in s.

    Weights and KV are read once all the same: while memory binds, the others are not held up.
    """
    cost = step_cost(pool, model, batch + max(ids, 1) - 1)
    memory = cost.weights_s[batch] + cost.kv_s_per_token * batch * context
    return max(memory, cost.compute_s[batch + max(ids, 1) - 1]) + cost.added_s[batch]


@dataclass(frozen=True)
class Batch:
    """One batch of ids: how many, when they leave RLD, and when MD has them all (s)."""

    ids: int
    from_s: float
    to_s: float


@dataclass(frozen=True)
class Story:
    """One handoff, in s from the moment KV has landed and an MD slot is held.

    `token_s` are the times at which the user sees the tokens that follow (the last 2,000 of RLD's);
    `gap_s` is the longest wait among them that the handoff causes, `relay_s` how long RLD stays
    busy with the request. The answer is taken to be long enough: `shrinks` is False where RLD makes
    tokens faster than MD takes their ids, so that batches grow and catching up never ends.
    """

    mode: Mode
    eager: int
    batches: tuple[Batch, ...]
    relay_s: float
    gap_s: float
    made_by_relay: int
    main_steps: int
    token_s: Times
    shrinks: bool


@dataclass(frozen=True)
class Setting:
    """What a handoff depends on; seconds. `phase` is the place in MD's running step."""

    hop_s: float
    main_step_s: float
    relay_itl_s: float
    ids_per_step: int = 5
    auto_tokens: int = 64
    most_rounds: int = 6
    phase: float = 0.5
    tokens_per_step: float = 1.0

    @classmethod
    def of(cls, scenario: Scenario, main_batch: int = BATCH, relay_batch: int = 5) -> Setting:
        """That of a scenario with the given batches; ValueError without relay decode."""
        policy, relay = scenario.policy, scenario.relay_decode
        if relay is None:
            raise ValueError("a handoff begins on relay decode: this scenario has none")
        cost = step_cost(relay, scenario.model, relay_batch)
        step = step_seconds(cost, relay_batch, relay_batch * float(CONTEXT))
        each = scenario.model.tokens_per_step
        return cls(
            policy.handoff_hop_ms / 1e3, main_step_s(scenario, main_batch), step / each,
            policy.handoff_ids_per_step, policy.handoff_auto_tokens, policy.handoff_max_rounds,
            0.5, each,
        )  # fmt: skip


def story(eager: int, mode: Mode, setting: Setting, shown: int = 40) -> Story:
    """The handoff of `eager` tokens; `shown` tokens after it are told."""
    chosen = mode
    if mode == "auto":
        chosen = "one_shot" if eager <= setting.auto_tokens else "catch_up"
    batches = _batches(eager, chosen, setting)
    relay_s, gap = batches[-1].from_s, batches[-1].to_s - batches[-1].from_s
    made = int(relay_s / setting.relay_itl_s)
    by_relay: Times = np.arange(max(1.0, made - MOST_SHOWN + 1), made + 1) * setting.relay_itl_s
    by_main = (
        relay_s + gap + np.arange(1, shown + 1) * setting.main_step_s / setting.tokens_per_step
    )
    steps = sum(ceil(b.ids / setting.ids_per_step) for b in batches)
    tokens: Times = np.r_[by_relay, by_main]
    shrinks = len(batches) == 1 or batches[-1].ids < batches[0].ids
    return Story(mode, eager, batches, relay_s, gap, made, steps, tokens, shrinks)


def _batches(eager: int, mode: str, setting: Setting) -> tuple[Batch, ...]:
    """Shrinking batches while RLD decodes on, or a single one."""
    done: list[Batch] = []
    ids, at = float(eager), 0.0
    while True:
        spent = extend_seconds(
            ids, setting.hop_s, setting.main_step_s, setting.phase, setting.ids_per_step
        )
        done.append(Batch(ceil(ids), at, at + spent))
        last = mode == "one_shot" or ids <= setting.ids_per_step
        if last or len(done) >= setting.most_rounds:
            return tuple(done)
        at += spent
        ids = spent / setting.relay_itl_s


def stories(
    eager: Sequence[int], setting: Setting, modes: Sequence[Mode] = ("one_shot", "catch_up", "auto")
) -> dict[Mode, tuple[Story, ...]]:
    """The gap and RLD's time against the number of eager tokens, for each mode."""
    return {mode: tuple(story(n, mode, setting) for n in eager) for mode in modes}
