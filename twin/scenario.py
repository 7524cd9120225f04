"""What a deployment is: frozen parts with a unit in each name and a sentence under each field.

The sentence under a field is its documentation everywhere: schema, slider help, generated pages.
`live=True` marks a setting that can be turned while a twin runs. A scenario holds values, never
references, and no seed: a run is (scenario digest, workload digest, seed, program version).
"""

from __future__ import annotations

import hashlib
import json
from typing import Literal

from pydantic import model_validator

from .equipment import Caches, Chip, Datacenter, Line, Pool, ServedModel, decode_slots
from .errors import Problem, shown
from .frozen import CrossProblems, Name, Part, optional, required
from .traffic import HIT_EDGES, RunPlan, ScriptedEvent, SingularTraffic, Workload

__all__ = [
    "HIT_EDGES", "PROSE", "Caches", "Chip", "CrossProblems", "Datacenter", "Line", "Name", "Part",
    "Policy", "Pool", "Prices", "RelayScaling", "RunPlan", "Scenario", "ScriptedEvent",
    "ServedModel", "SingularTraffic", "Slo", "Workload", "decode_slots",
]  # fmt: skip

PROSE = ("name", "title", "story", "sources")
"""Fields that tell about a scenario and do not change what it computes."""


class RelayScaling(Part):
    """How the number of RLD instances follows their load; the cost stays that of the scenario."""

    threshold: float = optional(
        0.8, "Share of RLD's slots in use above which an instance is added, and which dropping "
        "one must not bring about.", live=True, gt=0, le=1,
    )  # fmt: skip
    every_s: float = optional(
        60.0, "Time between two looks at the mean load since the last one, in seconds.",
        live=True, ge=5, le=86_400,
    )  # fmt: skip
    least: int = optional(1, "Fewest instances.", live=True, ge=1, le=64)
    most: int = optional(4, "Most instances.", live=True, ge=1, le=64)

    @model_validator(mode="after")
    def _in_order(self) -> RelayScaling:
        if self.least > self.most:
            limit = f"must not exceed most ({self.most})"
            raise CrossProblems([Problem("least", shown(self.least), limit)])
        return self


class Policy(Part):
    """The rules of routing and handoff."""

    relay_threshold_s: float = optional(
        0.6, "Relay when the estimated transfer takes longer than this, in seconds (theta).",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    handoff_mode: Literal["auto", "one_shot", "catch_up"] = optional(
        "auto", "All eager tokens at once, several shrinking batches, or by their number.",
        live=True,
    )  # fmt: skip
    handoff_auto_tokens: int = optional(
        64, "Mode auto takes one-shot up to this many eager tokens.", live=True, ge=0, le=10**6
    )
    handoff_ids_per_step: int = optional(
        5, "Token ids that main decode recomputes in one step (w).", live=True, ge=1, le=10**5
    )
    handoff_hop_ms: float = optional(
        10.5, "Time of the ids' way to main decode in ms.", live=True, ge=0, le=1e5
    )
    handoff_max_rounds: int = optional(6, "Most rounds of catch-up.", live=True, ge=1, le=64)
    handoff_phase: Literal["half", "uniform"] = optional(
        "half", "Place in main decode's running step at which ids arrive: 1/2, or uniform."
    )
    handoff_load_switch: bool = optional(
        False, "Choose the mode by RLD's load instead: one-shot while it is high.", live=True
    )
    handoff_load_high: float = optional(
        0.8, "Share of RLD's slots above which the load switch takes one-shot.",
        live=True, ge=0, le=1,
    )  # fmt: skip
    handoff_load_low: float = optional(
        0.6, "Share of RLD's slots below which the load switch returns to catch-up.",
        live=True, ge=0, le=1,
    )  # fmt: skip
    singular_filter: bool = optional(
        False, "RLD finishes short answers whose KV would arrive too late, without a transfer.",
        live=True,
    )  # fmt: skip
    singular_max_output_tokens: int = optional(
        500, "The filter takes requests predicted below this many output tokens.",
        live=True, ge=1, le=10**7,
    )  # fmt: skip
    p_rld: bool = optional(
        False, "Finish on RLD when the estimated transfer is long (the excluded pipeline).",
        live=True,
    )  # fmt: skip
    p_rld_threshold_s: float = optional(
        2.0, "Estimated transfer above which P-RLD finishes locally, in seconds.",
        live=True, ge=0, le=1e6,
    )  # fmt: skip
    load_gate: bool = optional(
        False, "Requests that would finish locally go to main decode while RLD is full.", live=True
    )
    load_gate_high: int = optional(
        50, "Slots in use on the least-used RLD instance at which the gate closes.",
        live=True, ge=1, le=10**6,
    )  # fmt: skip
    load_gate_low: int = optional(
        3, "Slots in use on the least-used RLD instance at which the gate opens again.",
        live=True, ge=0, le=10**6,
    )  # fmt: skip
    output_prediction_sigma: float = optional(
        0.3, "Error of the output-length prediction (lognormal sigma).", live=True, ge=0, le=5
    )
    in_flight_deduplication: bool = optional(
        False, "Tokens of the session already on the line are not sent a second time.", live=True
    )
    cancel_finished_transfer: bool = optional(
        False, "Stop the transfer of a request that RLD has finished.", live=True
    )
    relay_scaling: RelayScaling | None = optional(
        None, "The number of RLD instances follows their load; none: it stays as it is.",
        quiet=True,
    )  # fmt: skip
    drc_held_aligned: bool = optional(
        False, "Thought experiment: main decode always holds what prefill holds.", live=True
    )
    selective_prefill: bool = optional(
        False, "Requests with few uncached tokens prefill in B beside main decode (prefill_b).",
        live=True, quiet=True,
    )  # fmt: skip
    selective_threshold_tokens: float | None = optional(
        19_400.0, "Uncached tokens above which a request prefills in A; none: all prefill in B.",
        live=True, quiet=True, ge=0, le=1e9,
    )  # fmt: skip
    layerwise_transfer: bool = optional(
        False, "KV crosses the line layer by layer while its prefill is still running.",
        live=True, quiet=True,
    )  # fmt: skip
    output_overhead_ms: float = optional(
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

    total_s: float = optional(
        30.0, "Longest total time of a good request, in seconds.", live=True, gt=0, le=1e6
    )
    share: float = optional(
        0.90, "Share of requests that must be good at capacity.", live=True, gt=0, lt=1
    )
    ttft_s: float | None = optional(
        None, "Longest TTFT of a good request, if limited, in seconds.", live=True, gt=0, le=1e6
    )
    tpot_ms: float | None = optional(
        None, "Longest TPOT of a good request, if limited, in ms.", live=True, gt=0, le=1e6
    )


class Prices(Part):
    """Hardware prices, in units of one chip A."""

    chips: dict[Name, float] = optional({"A": 1.0}, "Price of one chip by name.", live=True)
    chips_high: dict[Name, float] = optional(
        {}, "Upper end of a price range, by chip name.", live=True
    )
    line: float = optional(0.0, "Price of the line.", live=True, ge=0, le=1e9)

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


class Scenario(Part):
    """A whole deployment with its traffic, rules, aims and prices."""

    name: Name = required("Identifier, as in the file's name.")
    title: str = optional("", "One line for a heading.", max_length=120)
    story: str = optional("", "What the scenario shows.", max_length=4000)
    model: ServedModel = required("The served model.")
    datacenter_a: Datacenter = optional(Datacenter(name="A"), "Site of prefill and relay decode.")
    datacenter_b: Datacenter | None = optional(None, "Site of main decode; none: it is in A too.")
    prefill: Pool = required("P: computes KV caches.")
    relay_decode: Pool | None = optional(None, "RLD: streams at once, beside P; none: no relay.")
    main_decode: Pool = required("MD: decodes to the end.")
    prefill_b: Pool | None = optional(
        None, "PB: prefill in B beside main decode, for selective prefill; none: all is in A.",
        quiet=True,
    )  # fmt: skip
    line: Line | None = optional(None, "The line from A to B; needed when main decode is in B.")
    caches: Caches = optional(Caches(), "Prefix caches and slot memory.")
    workload: Workload = optional(Workload(), "The traffic.")
    policy: Policy = optional(Policy(), "Routing and handoff.")
    slo: Slo = optional(Slo(), "What counts as good service.")
    prices: Prices = optional(Prices(), "Hardware prices.")
    events: tuple[ScriptedEvent, ...] = optional((), "What happens during a run.", max_length=1000)
    run: RunPlan = optional(RunPlan(), "Length of a run and its measured window.")
    sources: dict[str, str] = optional({}, "Setting -> where its value comes from.")

    @model_validator(mode="after")
    def _fits_together(self) -> Scenario:
        wrong = [
            *_site_problems(self), *_memory_problems(self), *_interconnect_problems(self),
            *_price_problems(self),
        ]  # fmt: skip
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
            "prefill_b": self.prefill_b,
        }
        return {name: pool for name, pool in named.items() if pool is not None}

    def digest(self) -> str:
        """SHA-256 over everything that changes what is computed (hex, 64 digits).

        What is absent is left out, so that a setting which comes to the program later, absent
        until it is given, changes no digest.
        """
        body = self.model_dump(mode="json", exclude=set(PROSE), exclude_none=True)
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()


def _site_problems(s: Scenario) -> list[Problem]:
    if s.datacenter_b is not None and s.line is None:
        return [
            Problem("line", "absent", "main decode stands in datacenter_b, so a line is needed")
        ]
    if s.datacenter_b is None and s.line is not None:
        return [Problem("line", "given", "needs a datacenter_b at its other end")]
    if s.datacenter_b is None and s.relay_decode is not None:
        return [Problem("relay_decode", "given", "a relay needs main decode in a datacenter_b")]
    if s.datacenter_b is None and s.prefill_b is not None:
        return [Problem("prefill_b", "given", "prefill in B needs a datacenter_b")]
    return []


def _is_measured(name: str, pool: Pool) -> bool:
    """Whether a profile of the pool stands for what its memory would have to show."""
    profile = pool.profile
    if profile is None:
        return False
    return bool(profile.prefill) if name.startswith("prefill") else profile.slots is not None


def _memory_problems(s: Scenario) -> list[Problem]:
    wrong = []
    for name, pool in s.pools().items():
        if _is_measured(name, pool):
            continue
        prefills = name.startswith("prefill")
        usable_gb = s.caches.memory_usable_share * pool.chips_per_instance * pool.chip.memory_gb
        fits = usable_gb >= s.model.weights_gb
        if fits and not prefills:
            fits = decode_slots(pool, s.model, s.caches) >= 1
        if not fits:
            wrong.append(
                Problem(
                    f"{name}.chips_per_instance",
                    shown(pool.chips_per_instance),
                    f"model {s.model.name} needs {s.model.weights_gb:g} GB for weights"
                    f"{'' if prefills else ' and at least one KV slot'}, the instance has "
                    f"{usable_gb:g} GB usable ({pool.chips_per_instance} x "
                    f"{pool.chip.memory_gb:g} GB x {s.caches.memory_usable_share:g}); "
                    "take more chips or a smaller model",
                )
            )
    return wrong


def _interconnect_problems(s: Scenario) -> list[Problem]:
    if not s.model.all_to_all_kb_per_token:
        return []
    remedy = f"model {s.model.name} exchanges {s.model.all_to_all_kb_per_token:g} KB per token"
    return [
        Problem(f"{name}.chip.interconnect_gbytes_per_s", "absent", f"{remedy}; give its GB/s")
        for name, pool in s.pools().items()
        if name != "prefill" and pool.chip.interconnect_gbytes_per_s is None
    ]


def _price_problems(s: Scenario) -> list[Problem]:
    chips = {pool.chip.name for pool in s.pools().values()}
    return [
        Problem(f"prices.chips.{name}", "absent", f"chip {name} is used and needs a price")
        for name in sorted(chips - set(s.prices.chips))
    ]
