"""What a run meets: its traffic, its scripted events, its length."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import model_validator

from .errors import Problem, shown
from .frozen import CrossProblems, Part, optional, required

HIT_EDGES = (0.0, 0.90, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0)
"""Edges of the seven hit-rate buckets (claim C17)."""


class SingularTraffic(Part):
    """One-off requests with long uncached prompts and short outputs."""

    share: float = required("Share of requests that are one-off.", live=True, ge=0, le=1)
    prompt_tokens_mean: float = optional(96_000.0, "Mean prompt length (lognormal).", ge=1, le=1e8)
    prompt_sigma: float = optional(0.2, "Sigma of the lognormal prompt length.", ge=0, le=5)
    hit_max: float = optional(0.3, "Hit rates are uniform from 0 to this.", ge=0, le=1)
    output_tokens_mean: float = optional(150.0, "Mean output length (gamma).", ge=1, le=1e7)
    output_shape: float = optional(2.0, "Shape of the gamma output length.", gt=0, le=1e4)
    output_tokens_min: int = optional(8, "Shortest output.", ge=1, le=10**7)
    output_tokens_max: int = optional(490, "Longest output.", ge=1, le=10**7)

    @model_validator(mode="after")
    def _in_order(self) -> SingularTraffic:
        if self.output_tokens_min > self.output_tokens_max:
            limit = f"must not exceed output_tokens_max ({self.output_tokens_max})"
            raise CrossProblems(
                [Problem("output_tokens_min", shown(self.output_tokens_min), limit)]
            )
        return self


class Workload(Part):
    """Who asks, how often, how long, and how much of a prompt is already cached."""

    arrivals: Literal["sessions", "poisson"] = optional(
        "sessions",
        "Clients that think between turns (semi-open), or turns arriving as a Poisson stream.",
    )
    clients: int = optional(
        170, "Clients; with a Poisson stream the sessions that take turns.",
        live=True, ge=1, le=200_000,
    )  # fmt: skip
    think_s: float = optional(
        40.0, "Mean time between an answer and the next question, in seconds (exponential).",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    rate_rps: float = optional(
        2.0, "Requests per second of a Poisson stream.", live=True, gt=0, le=1e5
    )
    first_arrivals_within_s: float = optional(
        30.0, "First questions come uniformly within this time, in seconds.", ge=0, le=1e6
    )
    turns_per_session: float = optional(
        20.0, "Mean number of turns of a session (geometric).", live=True, ge=1, le=1e6
    )
    prompt_tokens_mean: float = optional(
        64_000.0, "Mean prompt length with its cached part, one value a session (lognormal).",
        live=True, ge=1, le=1e7,
    )  # fmt: skip
    prompt_sigma: float = optional(
        0.35, "Sigma of the lognormal prompt length.", live=True, ge=0, le=3
    )
    prompt_tokens_min: float | None = optional(
        None, "Shortest prompt; the lognormal is cut there, and the mean is that of the uncut one.",
        live=True, quiet=True, ge=1, le=1e7,
    )  # fmt: skip
    prompt_tokens_max: float | None = optional(
        None, "Longest prompt; the lognormal is cut there, and the mean is that of the uncut one.",
        live=True, quiet=True, ge=1, le=1e7,
    )  # fmt: skip
    output_distribution: Literal["gamma", "lognormal"] = optional(
        "gamma", "Distribution of the output length."
    )
    output_tokens_mean: float = optional(1000.0, "Mean output length.", live=True, ge=1, le=1e6)
    output_cv: float = optional(
        0.3, "Coefficient of variation of the output length.", live=True, ge=0, le=5
    )
    first_turn_hit_max: float = optional(
        0.9, "Hit rates of first turns are uniform from 0 to this.", live=True, ge=0, le=1
    )
    hit_shares: tuple[float, ...] = optional(
        (0.098, 0.1061, 0.0637, 0.0955, 0.1486, 0.2335, 0.2547),
        "Shares of later turns in the seven hit-rate buckets (edges 0 .9 .95 .96 .97 .98 .99 1).",
        live=True, min_length=7, max_length=7,
    )  # fmt: skip
    singular: SingularTraffic | None = optional(None, "One-off requests mixed in, if any.")

    @model_validator(mode="after")
    def _shares(self) -> Workload:
        wrong = [
            Problem(f"hit_shares[{i}]", shown(s), "must lie between 0 and 1")
            for i, s in enumerate(self.hit_shares)
            if not 0 <= s <= 1
        ]
        total = sum(self.hit_shares)
        if not wrong and abs(total - 1) > 0.005:
            found = f"{total:.4f} in sum"
            wrong.append(Problem("hit_shares", found, "must sum to 1 (within .005)"))
        low, high = self.prompt_tokens_min, self.prompt_tokens_max
        if low is not None and high is not None and low >= high:
            limit = f"must be below prompt_tokens_max ({high:g})"
            wrong.append(Problem("prompt_tokens_min", shown(low), limit))
        if wrong:
            raise CrossProblems(wrong)
        return self


def _is_plain(value: Any, depth: int = 8) -> bool:
    """Whether a value is finite and made of nulls, numbers, texts, lists and mappings."""
    if isinstance(value, list | tuple):
        return depth > 0 and all(_is_plain(item, depth - 1) for item in value)
    if isinstance(value, dict):
        keys_are_text = all(isinstance(key, str) for key in value)
        return keys_are_text and _is_plain(list(value.values()), depth)
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, bool | int | str)


class ScriptedEvent(Part):
    """Something that happens at a stated time of a run."""

    at_s: float = required("Simulated time in seconds.", ge=0, le=1e9)
    what: Literal["turn", "line_cut", "line_back", "instance_lost", "instance_back"] = required(
        "What happens."
    )
    setting: str | None = optional(None, "For a turn: the setting, such as line.bandwidth_gbps.")
    value: Any = optional(None, "For a turn: its new value.")
    over_s: float = optional(
        0.0, "For a turn of a number: ramp over this time, in seconds.", ge=0, le=1e9
    )
    pool: Literal["prefill", "relay_decode", "main_decode", "prefill_b"] | None = optional(
        None, "For an instance: its pool."
    )
    instance: int = optional(0, "For an instance: its number, from 0.", ge=0, le=511)

    @model_validator(mode="after")
    def _complete(self) -> ScriptedEvent:
        wrong = []
        if self.what == "turn" and not self.setting:
            wrong.append(Problem("setting", "absent", "a turn needs the setting it turns"))
        if self.what.startswith("instance") and not self.pool:
            wrong.append(Problem("pool", "absent", f"{self.what} needs a pool"))
        if not _is_plain(self.value):
            remedy = (
                "give a finite number, a text, true, false, null, or a list or mapping of these"
            )
            wrong.append(Problem("value", shown(self.value), remedy))
        if wrong:
            raise CrossProblems(wrong)
        return self


class RunPlan(Part):
    """How long a run is and which part of it is measured."""

    requests: int | None = optional(
        20_000, "Requests of a run; none when duration_s ends it.", ge=1, le=10**8
    )
    duration_s: float | None = optional(
        None, "Simulated length of a run in seconds, instead of requests.", gt=0, le=1e9
    )
    warmup_s: float = optional(200.0, "Least time that is not measured, in seconds.", ge=0, le=1e9)
    warmup_share: float = optional(0.2, "Least share of the run that is not measured.", ge=0, lt=1)

    @model_validator(mode="after")
    def _one_end(self) -> RunPlan:
        if (self.requests is None) == (self.duration_s is None):
            raise CrossProblems(
                [Problem("requests", shown(self.requests), "give either requests or duration_s")]
            )
        return self
