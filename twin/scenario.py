"""What a deployment is: frozen parts with a unit in each name and a sentence under each field.

The sentence under a field is its documentation everywhere: schema, slider help, generated pages.
`live=True` marks a setting that can be turned while a twin runs. A scenario holds values, never
references, and no seed: a run is (scenario digest, workload digest, seed, program version).
"""

from __future__ import annotations

import hashlib
import json
import math
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from .errors import Problem, shown

HIT_EDGES = (0.0, 0.90, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0)
"""Edges of the seven hit-rate buckets (claim C17)."""

PROSE = ("name", "title", "story", "sources")
"""Fields that tell about a scenario and do not change what it computes."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_. -]{0,63}$")]


def _set(default: Any, doc: str, *, live: bool = False, **bounds: Any) -> Any:
    return Field(default, description=doc, json_schema_extra={"live": live}, **bounds)


def _need(doc: str, *, live: bool = False, **bounds: Any) -> Any:
    return Field(description=doc, json_schema_extra={"live": live}, **bounds)


class CrossProblems(ValueError):
    """Problems between fields, carried whole through pydantic's own error."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(p.sentence() for p in problems))


@cache
def _kinds(annotation: Any) -> frozenset[Any]:
    """The plain types that an annotation takes; of a container, those of its items."""
    args = get_args(annotation)
    if get_origin(annotation) is Literal:
        return frozenset(type(choice) for choice in args)
    if get_origin(annotation) is Annotated:
        args = args[:1]
    if get_origin(annotation) is dict:
        args = args[1:]
    return frozenset().union(*map(_kinds, args)) if args else frozenset({annotation})


def _looks_alike(value: Any, kinds: frozenset[Any]) -> bool:
    """Whether a value only looks like what is wanted: "8" or true for a number, 1 for true."""
    if kinds == {bool}:
        return isinstance(value, int | float | str | bytes) and not isinstance(value, bool)
    wants_number = bool(kinds & {int, float}) and not kinds & {bool, str}
    return wants_number and isinstance(value, bool | str | bytes | bytearray)


class Part(BaseModel):
    """A frozen piece of a scenario; unknown keys, NaN, Infinity and look-alikes are refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, strict=False, validate_default=True
    )

    @field_validator("*", mode="before")
    @classmethod
    def _no_look_alikes(cls, value: Any, info: ValidationInfo) -> Any:
        kinds = _kinds(cls.model_fields[info.field_name or ""].annotation)
        items = value.values() if isinstance(value, dict) else value
        items = items if isinstance(value, dict | list | tuple) else (value,)
        if any(_looks_alike(item, kinds) for item in items):
            raise PydanticCustomError("look_alike", "only looks like what is wanted here")
        return value


class Chip(Part):
    """A kind of accelerator and how well the served model uses it."""

    name: Name = _need("Short name; prices are given by it.")
    peak_tflops: float = _need("Dense peak compute in TFLOP/s.", gt=0, le=1e5)
    memory_gb: float = _need("Memory of one chip in GB (decimal).", gt=0, le=1e4)
    memory_tbytes_per_s: float = _need("Memory bandwidth of one chip in TB/s.", gt=0, le=1e3)
    prefill_mfu: float = _set(0.262, "Share of peak compute that prefill reaches.", gt=0, le=1)
    decode_bandwidth_share: float = _set(
        0.43, "Share of memory bandwidth that a decode step reaches.", gt=0, le=1
    )
    decode_compute_share: float = _set(
        0.45, "Share of peak compute that a decode step reaches.", gt=0, le=1
    )
    prefill_overhead_ms: float = _set(40.0, "Fixed time of one prefill in ms.", ge=0, le=1e5)
    step_overhead_ms: float = _set(5.0, "Fixed time of one decode step in ms.", ge=0, le=1e4)


class ServedModel(Part):
    """The served model as the twin needs it: sizes, FLOP and KV bytes."""

    name: Name = _need("Short name of the served model.")
    total_params_b: float = _need("All parameters, in 1e9.", gt=0, le=1e5)
    active_params_b: float = _need("Parameters active for one token, in 1e9.", gt=0, le=1e5)
    experts: int = _set(1, "Routed experts per layer; 1 for a dense model.", ge=1, le=65536)
    experts_per_token: int = _set(1, "Routed experts one token uses.", ge=1, le=65536)
    weights_gb: float = _need("Bytes of all weights in memory, in GB.", gt=0, le=1e5)
    dense_weights_gb: float = _need(
        "Part of the weights that every step reads, in GB.", ge=0, le=1e5
    )
    kv_bytes_per_token: float = _need(
        "KV cache of one token over all layers, in bytes.", ge=0, le=1e8
    )
    fixed_state_mb: float = _set(0.0, "State of a request that does not grow, in MB.", ge=0, le=1e6)
    kv_read_share: float = _set(
        0.25, "Share of the held KV cache that one decode step reads.", ge=0, le=1
    )
    prefill_extra_gflop_per_token: float = _set(
        0.0, "FLOP a prefill token needs beyond 2 x active parameters, in GFLOP.", ge=0, le=1e6
    )
    prefill_attention_mflop_per_pair: float = _set(
        0.0, "Attention FLOP of a new token for one token before it, in MFLOP.", ge=0, le=1e6
    )
    decode_attention_gflop_per_token: float = _set(
        0.0, "Attention FLOP of one decoded token, in GFLOP.", ge=0, le=1e6
    )
    tokens_per_step: float = _set(
        1.0, "Tokens a request gains in one decode step (multi-token prediction).", ge=1, le=16
    )
    all_to_all_us_per_token: float = _set(
        0.0, "Exchange between experts, in microseconds per token of the batch.", ge=0, le=1e6
    )

    @model_validator(mode="after")
    def _consistent(self) -> ServedModel:
        wrong = []
        if self.active_params_b > self.total_params_b:
            wrong.append(
                Problem(
                    "active_params_b",
                    shown(self.active_params_b),
                    f"must not exceed total_params_b ({self.total_params_b})",
                )
            )
        if self.dense_weights_gb > self.weights_gb:
            wrong.append(
                Problem(
                    "dense_weights_gb",
                    shown(self.dense_weights_gb),
                    f"must not exceed weights_gb ({self.weights_gb})",
                )
            )
        if self.experts_per_token > self.experts:
            wrong.append(
                Problem(
                    "experts_per_token",
                    shown(self.experts_per_token),
                    f"must not exceed experts ({self.experts})",
                )
            )
        if wrong:
            raise CrossProblems(wrong)
        return self


class Pool(Part):
    """Equal instances of one chip that do one job."""

    chip: Chip = _need("The chip every instance of the pool is made of.")
    instances: int = _need("Number of instances.", live=True, ge=1, le=512)
    chips_per_instance: int = _need("Chips in one instance; any number.", ge=1, le=4096)

    @property
    def chips(self) -> int:
        """Chips in the whole pool."""
        return self.instances * self.chips_per_instance


class Datacenter(Part):
    """A site and the RDMA network inside it."""

    name: Name = _need("Name of the site.")
    rdma_gbytes_per_s: float = _set(
        50.0, "Rate of a KV transfer by RDMA inside the site, in GB/s.", gt=0, le=1e6
    )
    rdma_setup_ms: float = _set(20.0, "Fixed time of an RDMA transfer in ms.", ge=0, le=1e5)


class Line(Part):
    """The wide-area line from datacenter A to datacenter B."""

    bandwidth_gbps: float | None = _need(
        "Raw bandwidth in Gbps; none means unlimited.", live=True, gt=0, le=1e6
    )
    goodput_share: float = _set(
        0.87, "Share of the raw bandwidth that carries KV.", live=True, gt=0, le=1
    )
    per_flow_cap_gbps: float | None = _set(
        10.0, "Most that one transfer gets, in Gbps of payload; none means no cap.",
        live=True, gt=0, le=1e6,
    )  # fmt: skip
    rtt_ms: float = _set(21.0, "Round-trip time in ms.", live=True, ge=0, le=5e3)
    slow_start: bool = _set(True, "Each transfer starts slowly, as TCP does.", live=True)
    initial_window_kb: float = _set(14.6, "TCP's initial window in KB.", gt=0, le=1e6)
    jitter_share: float = _set(
        0.3, "Largest extra delay of a transfer, as a share of the RTT (uniform).",
        live=True, ge=0, le=10,
    )  # fmt: skip
    timeout_share: float = _set(
        0.0, "Share of transfers that meet a retransmission timeout (assumed).",
        live=True, ge=0, le=1,
    )  # fmt: skip
    timeout_s: float = _set(
        0.32, "Delay of a retransmission timeout in seconds (assumed).", live=True, ge=0, le=60
    )
    discipline: Literal["sharing", "fifo"] = _set(
        "sharing", "Transfers share the line equally, or go one after the other."
    )


class Caches(Part):
    """The prefix caches of prefill and of main decode, and the memory behind decode slots."""

    prefill_tb: float | None = _set(
        None, "Size of prefill's prefix cache in TB; none means unlimited.", live=True, ge=0, le=1e6
    )
    drc_enabled: bool = _set(
        True, "Main decode keeps history KV (DRC); a hit there is not sent again.", live=True
    )
    drc_tb: float | None = _set(
        8.0, "Size of the decode-side cache in TB; none means unlimited.", live=True, ge=0, le=1e6
    )
    memory_usable_share: float = _set(0.92, "Share of chip memory for weights and KV.", gt=0, le=1)
    slot_context_tokens: int = _set(
        70_000, "Context that one memory slot of a decode pool provides for.", ge=1, le=10**8
    )


class SingularTraffic(Part):
    """One-off requests with long uncached prompts and short outputs."""

    share: float = _need("Share of requests that are one-off.", live=True, ge=0, le=1)
    prompt_tokens_mean: float = _set(96_000.0, "Mean prompt length (lognormal).", ge=1, le=1e8)
    prompt_sigma: float = _set(0.2, "Sigma of the lognormal prompt length.", ge=0, le=5)
    hit_max: float = _set(0.3, "Hit rates are uniform from 0 to this.", ge=0, le=1)
    output_tokens_mean: float = _set(150.0, "Mean output length (gamma).", ge=1, le=1e7)
    output_shape: float = _set(2.0, "Shape of the gamma output length.", gt=0, le=1e4)
    output_tokens_min: int = _set(8, "Shortest output.", ge=1, le=10**7)
    output_tokens_max: int = _set(490, "Longest output.", ge=1, le=10**7)

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

    arrivals: Literal["sessions", "poisson"] = _set(
        "sessions",
        "Clients that think between turns (semi-open), or turns arriving as a Poisson stream.",
    )
    clients: int = _set(
        170, "Clients; with a Poisson stream the sessions that take turns.",
        live=True, ge=1, le=200_000,
    )  # fmt: skip
    think_s: float = _set(
        40.0, "Mean time between an answer and the next question, in seconds (exponential).",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    rate_rps: float = _set(2.0, "Requests per second of a Poisson stream.", live=True, gt=0, le=1e5)
    first_arrivals_within_s: float = _set(
        30.0, "First questions come uniformly within this time, in seconds.", ge=0, le=1e6
    )
    turns_per_session: float = _set(
        20.0, "Mean number of turns of a session (geometric).", live=True, ge=1, le=1e6
    )
    prompt_tokens_mean: float = _set(
        64_000.0, "Mean prompt length with its cached part, one value a session (lognormal).",
        live=True, ge=1, le=1e7,
    )  # fmt: skip
    prompt_sigma: float = _set(0.35, "Sigma of the lognormal prompt length.", live=True, ge=0, le=3)
    output_distribution: Literal["gamma", "lognormal"] = _set(
        "gamma", "Distribution of the output length."
    )
    output_tokens_mean: float = _set(1000.0, "Mean output length.", live=True, ge=1, le=1e6)
    output_cv: float = _set(
        0.3, "Coefficient of variation of the output length.", live=True, ge=0, le=5
    )
    first_turn_hit_max: float = _set(
        0.9, "Hit rates of first turns are uniform from 0 to this.", live=True, ge=0, le=1
    )
    hit_shares: tuple[float, ...] = _set(
        (0.098, 0.1061, 0.0637, 0.0955, 0.1486, 0.2335, 0.2547),
        "Shares of later turns in the seven hit-rate buckets (edges 0 .9 .95 .96 .97 .98 .99 1).",
        live=True, min_length=7, max_length=7,
    )  # fmt: skip
    singular: SingularTraffic | None = _set(None, "One-off requests mixed in, if any.")

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
        if wrong:
            raise CrossProblems(wrong)
        return self


class Policy(Part):
    """The rules of routing and handoff."""

    relay_threshold_s: float = _set(
        0.6, "Relay when the estimated transfer takes longer than this, in seconds (theta).",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    handoff_mode: Literal["auto", "one_shot", "catch_up"] = _set(
        "auto", "All eager tokens at once, several shrinking batches, or by their number.",
        live=True,
    )  # fmt: skip
    handoff_auto_tokens: int = _set(
        64, "Mode auto takes one-shot up to this many eager tokens.", live=True, ge=0, le=10**6
    )
    handoff_ids_per_step: int = _set(
        5, "Token ids that main decode recomputes in one step (w).", live=True, ge=1, le=10**5
    )
    handoff_hop_ms: float = _set(
        10.5, "Time of the ids' way to main decode in ms.", live=True, ge=0, le=1e5
    )
    handoff_max_rounds: int = _set(6, "Most rounds of catch-up.", live=True, ge=1, le=64)
    handoff_phase: Literal["half", "uniform"] = _set(
        "half", "Place in main decode's running step at which ids arrive: 1/2, or uniform."
    )
    handoff_load_switch: bool = _set(
        False, "Choose the mode by RLD's load instead: one-shot while it is high.", live=True
    )
    handoff_load_high: float = _set(
        0.8, "Share of RLD's slots above which the load switch takes one-shot.",
        live=True, ge=0, le=1,
    )  # fmt: skip
    handoff_load_low: float = _set(
        0.6, "Share of RLD's slots below which the load switch returns to catch-up.",
        live=True, ge=0, le=1,
    )  # fmt: skip
    singular_filter: bool = _set(
        False, "RLD finishes short answers whose KV would arrive too late, without a transfer.",
        live=True,
    )  # fmt: skip
    singular_max_output_tokens: int = _set(
        500, "The filter takes requests predicted below this many output tokens.",
        live=True, ge=1, le=10**7,
    )  # fmt: skip
    p_rld: bool = _set(
        False, "Finish on RLD when the estimated transfer is long (the excluded pipeline).",
        live=True,
    )  # fmt: skip
    p_rld_threshold_s: float = _set(
        2.0, "Estimated transfer above which P-RLD finishes locally, in seconds.",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    load_gate: bool = _set(
        False, "Requests that would finish locally go to main decode while RLD is full.", live=True
    )
    load_gate_high: int = _set(
        50, "Slots in use on the least-used RLD instance at which the gate closes.",
        live=True, ge=1, le=10**6,
    )  # fmt: skip
    load_gate_low: int = _set(
        3, "Slots in use on the least-used RLD instance at which the gate opens again.",
        live=True, ge=0, le=10**6,
    )  # fmt: skip
    output_prediction_sigma: float = _set(
        0.3, "Error of the output-length prediction (lognormal sigma).", live=True, ge=0, le=5
    )
    in_flight_deduplication: bool = _set(
        False, "Tokens of the session already on the line are not sent a second time.", live=True
    )
    cancel_finished_transfer: bool = _set(
        False, "Stop the transfer of a request that RLD has finished.", live=True
    )
    drc_held_aligned: bool = _set(
        False, "Thought experiment: main decode always holds what prefill holds.", live=True
    )
    output_overhead_ms: float = _set(
        0.0, "Processing of the first token after its step, in ms.", live=True, ge=0, le=1e5
    )

    @model_validator(mode="after")
    def _marks_in_order(self) -> Policy:
        wrong = []
        if self.handoff_load_low > self.handoff_load_high:
            limit = f"must not exceed handoff_load_high ({self.handoff_load_high})"
            wrong.append(Problem("handoff_load_low", shown(self.handoff_load_low), limit))
        if self.load_gate_low >= self.load_gate_high:
            limit = f"must be below load_gate_high ({self.load_gate_high})"
            wrong.append(Problem("load_gate_low", shown(self.load_gate_low), limit))
        if wrong:
            raise CrossProblems(wrong)
        return self


class Slo(Part):
    """What counts as good service."""

    total_s: float = _set(
        30.0, "Longest total time of a good request, in seconds.", live=True, gt=0, le=1e6
    )
    share: float = _set(
        0.90, "Share of requests that must be good at capacity.", live=True, gt=0, lt=1
    )
    ttft_s: float | None = _set(
        None, "Longest TTFT of a good request, if limited, in seconds.", live=True, gt=0, le=1e6
    )
    tpot_ms: float | None = _set(
        None, "Longest TPOT of a good request, if limited, in ms.", live=True, gt=0, le=1e6
    )


class Prices(Part):
    """Hardware prices, in units of one chip A."""

    chips: dict[Name, float] = _set({"A": 1.0}, "Price of one chip by name.", live=True)
    chips_high: dict[Name, float] = _set({}, "Upper end of a price range, by chip name.", live=True)
    line: float = _set(0.0, "Price of the line.", live=True, ge=0, le=1e9)

    @model_validator(mode="after")
    def _positive(self) -> Prices:
        wrong = [
            Problem(f"{group}.{name}", shown(price), "a price must be above 0 and below 1e6")
            for group in ("chips", "chips_high")
            for name, price in getattr(self, group).items()
            if not 0 < price < 1e6
        ]
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

    at_s: float = _need("Simulated time in seconds.", ge=0, le=1e9)
    what: Literal["turn", "line_cut", "line_back", "instance_lost", "instance_back"] = _need(
        "What happens."
    )
    setting: str | None = _set(None, "For a turn: the setting, such as line.bandwidth_gbps.")
    value: Any = _set(None, "For a turn: its new value.")
    over_s: float = _set(
        0.0, "For a turn of a number: ramp over this time, in seconds.", ge=0, le=1e9
    )
    pool: Literal["prefill", "relay_decode", "main_decode"] | None = _set(
        None, "For an instance: its pool."
    )
    instance: int = _set(0, "For an instance: its number, from 0.", ge=0, le=511)

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

    requests: int | None = _set(
        20_000, "Requests of a run; none when duration_s ends it.", ge=1, le=10**8
    )
    duration_s: float | None = _set(
        None, "Simulated length of a run in seconds, instead of requests.", gt=0, le=1e9
    )
    warmup_s: float = _set(200.0, "Least time that is not measured, in seconds.", ge=0, le=1e9)
    warmup_share: float = _set(0.2, "Least share of the run that is not measured.", ge=0, lt=1)

    @model_validator(mode="after")
    def _one_end(self) -> RunPlan:
        if (self.requests is None) == (self.duration_s is None):
            raise CrossProblems(
                [Problem("requests", shown(self.requests), "give either requests or duration_s")]
            )
        return self


class Scenario(Part):
    """A whole deployment with its traffic, rules, aims and prices."""

    name: Name = _need("Identifier, as in the file's name.")
    title: str = _set("", "One line for a heading.", max_length=120)
    story: str = _set("", "What the scenario shows.", max_length=4000)
    model: ServedModel = _need("The served model.")
    datacenter_a: Datacenter = _set(Datacenter(name="A"), "Site of prefill and relay decode.")
    datacenter_b: Datacenter | None = _set(None, "Site of main decode; none: it is in A too.")
    prefill: Pool = _need("P: computes KV caches.")
    relay_decode: Pool | None = _set(None, "RLD: streams at once, beside P; none: no relay.")
    main_decode: Pool = _need("MD: decodes to the end.")
    line: Line | None = _set(None, "The line from A to B; needed when main decode is in B.")
    caches: Caches = _set(Caches(), "Prefix caches and slot memory.")
    workload: Workload = _set(Workload(), "The traffic.")
    policy: Policy = _set(Policy(), "Routing and handoff.")
    slo: Slo = _set(Slo(), "What counts as good service.")
    prices: Prices = _set(Prices(), "Hardware prices.")
    events: tuple[ScriptedEvent, ...] = _set((), "What happens during a run.", max_length=1000)
    run: RunPlan = _set(RunPlan(), "Length of a run and its measured window.")
    sources: dict[str, str] = _set({}, "Setting -> where its value comes from.")

    @model_validator(mode="after")
    def _fits_together(self) -> Scenario:
        wrong = [*_site_problems(self), *_memory_problems(self), *_price_problems(self)]
        if wrong:
            raise CrossProblems(wrong)
        return self

    @property
    def same_site(self) -> bool:
        """Main decode stands beside prefill, and no line is used."""
        return self.datacenter_b is None

    def pools(self) -> dict[str, Pool]:
        """The pools that exist, by setting name."""
        named = {
            "prefill": self.prefill,
            "relay_decode": self.relay_decode,
            "main_decode": self.main_decode,
        }
        return {name: pool for name, pool in named.items() if pool is not None}

    def digest(self) -> str:
        """SHA-256 over everything that changes what is computed (hex, 64 digits)."""
        body = self.model_dump(mode="json", exclude=set(PROSE))
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()


def decode_slots(pool: Pool, model: ServedModel, caches: Caches) -> int:
    """Memory slots of one decode instance: (usable share x memory - weights) / KV of a slot."""
    usable = caches.memory_usable_share * pool.chips_per_instance * pool.chip.memory_gb * 1e9
    slot = model.kv_bytes_per_token * caches.slot_context_tokens + model.fixed_state_mb * 1e6
    left = usable - model.weights_gb * 1e9
    if left <= 0:
        return 0
    return int(left / slot) if slot > 0 else 10**6


def _site_problems(s: Scenario) -> list[Problem]:
    if s.datacenter_b is not None and s.line is None:
        return [
            Problem("line", "absent", "main decode stands in datacenter_b, so a line is needed")
        ]
    if s.datacenter_b is None and s.line is not None:
        return [Problem("line", "given", "needs a datacenter_b at its other end")]
    if s.datacenter_b is None and s.relay_decode is not None:
        return [Problem("relay_decode", "given", "a relay needs main decode in a datacenter_b")]
    return []


def _memory_problems(s: Scenario) -> list[Problem]:
    wrong = []
    for name, pool in s.pools().items():
        usable_gb = s.caches.memory_usable_share * pool.chips_per_instance * pool.chip.memory_gb
        fits = usable_gb >= s.model.weights_gb
        if fits and name != "prefill":
            fits = decode_slots(pool, s.model, s.caches) >= 1
        if not fits:
            wrong.append(
                Problem(
                    f"{name}.chips_per_instance",
                    shown(pool.chips_per_instance),
                    f"model {s.model.name} needs {s.model.weights_gb:g} GB for weights"
                    f"{'' if name == 'prefill' else ' and at least one KV slot'}, the instance has "
                    f"{usable_gb:g} GB usable ({pool.chips_per_instance} x "
                    f"{pool.chip.memory_gb:g} GB x {s.caches.memory_usable_share:g}); "
                    "take more chips or a smaller model",
                )
            )
    return wrong


def _price_problems(s: Scenario) -> list[Problem]:
    chips = {pool.chip.name for pool in s.pools().values()}
    return [
        Problem(f"prices.chips.{name}", "absent", f"chip {name} is used and needs a price")
        for name in sorted(chips - set(s.prices.chips))
    ]
