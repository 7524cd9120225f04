"""One set of physical constants under all claims, and what differs from the reference besides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..scenario import Scenario
from ..scenario_file import source_of
from .bathtub import CACHED_HIGH, CACHED_LOW, CHUNK_OVERHEAD_S, CHUNKS, PROMPT_TOKENS
from .cases import CASES, REFERENCE, scenario_of
from .recipes import LINE_TEST_BYTES_PER_TOKEN, LINE_TEST_TOKENS, RECIPES

LINE_SETTINGS = ("bandwidth_gbps", "timeout_share")
"""Of the line, what a scenario chooses; all else of it is physics."""

CONSTANTS = (
    "datacenter_a.rdma_gbytes_per_s", "datacenter_a.rdma_setup_ms", "caches.memory_usable_share",
    "caches.slot_context_tokens", "policy.handoff_ids_per_step", "policy.handoff_hop_ms",
)  # fmt: skip
"""Constants beside those of chips, model and line."""

Value = float | int | str | bool | None


def physical_constants(scenario: Scenario) -> Iterator[tuple[str, Value]]:
    """Every physical constant of a scenario with its name; those of a chip by the chip's name.

    A chip that stands in several pools comes once for each.
    """
    pools = scenario.pools()
    chosen = {f"line.{name}" for name in LINE_SETTINGS}
    for path, value in flat(scenario.model_dump(mode="json")).items():
        pool, _, rest = path.partition(".chip.")
        if rest and pool in pools:
            yield f"chip {pools[pool].chip.name}.{rest}", value
        elif path in CONSTANTS or (path.startswith(("model.", "line.")) and path not in chosen):
            yield path, value


def conflicts(scenarios: Mapping[str, Scenario]) -> list[str]:
    """Constants that are not the same wherever they stand, as sentences."""
    seen: dict[str, tuple[str, Value]] = {}
    told = []
    for name, scenario in scenarios.items():
        for path, value in physical_constants(scenario):
            first, known = seen.setdefault(path, (name, value))
            if known != value:
                told.append(f"{path} is {known} in {first} and {value} in {name}")
    return told


class Override(NamedTuple):
    """One setting that is not as in the reference: in which cases, for which claims, and why.

    Either value is None where one side has nothing of the kind.
    """

    setting: str
    value: Value
    reference: Value
    cases: tuple[str, ...]
    claims: tuple[str, ...]
    reason: str


def overrides() -> list[Override]:
    """Everything in which the cases differ from the reference, each difference once.

    A part that one side lacks, and a chip of another name, is one row. Prices are left out: they
    are the same for all chips there are. The model of claim C11 and the chunks of C20 stand in no
    scenario and come last.
    """
    merged: dict[tuple[str, Value, str], list[Override]] = {}
    for case in CASES:
        for path, value, reference, reason in _differences(case):
            one = Override(path, value, reference, (case,), used_by(case), reason)
            merged.setdefault((path, value, reason), []).append(one)
    return [*map(_as_one, merged.values()), *_outside_scenarios()]


def _as_one(same: list[Override]) -> Override:
    cases = tuple(case for one in same for case in one.cases)
    claims = tuple(sorted({claim for one in same for claim in one.claims}))
    return same[0]._replace(cases=cases, claims=claims)


def used_by(case: str) -> tuple[str, ...]:
    """The claims that are computed on a case."""
    return tuple(known for known, recipe in RECIPES.items() if case in recipe.cases)


def _differences(case: str) -> Iterator[tuple[str, Value, Value, str]]:
    reference, scenario = scenario_of(REFERENCE), scenario_of(case)
    mine, theirs = _shortened(scenario), _shortened(reference)
    for path in dict.fromkeys([*theirs, *mine]):
        value, known = mine.get(path), theirs.get(path)
        if value != known and not _in_a_lone_part(path, mine, theirs):
            yield path, value, known, _reason(scenario, path)
    if CASES[case].traffic:
        own = f"{reference.workload.clients} clients"
        yield "workload", CASES[case].traffic, own, "the microbenchmark of the claim"


LEFT_OUT = {"name", "title", "story", "sources", "prices"}
ENDS_OTHERWISE = "run.requests"
"""Absent where a run ends by its duration, which is told."""


def _shortened(scenario: Scenario) -> dict[str, Value]:
    """Settings by path, with the name of a chip in place of what it is made of.

    A part that may be absent has a row of its own, that tells whether it is there.
    """
    data = scenario.model_dump(mode="json", exclude=LEFT_OUT)
    for pool in scenario.pools():
        data[pool]["chip"] = data[pool]["chip"]["name"]
    settings = flat(data)
    settings.pop(ENDS_OTHERWISE)
    for part in PARTS:
        there = any(path.startswith(f"{part}.") for path in settings)
        settings[part] = "there" if there else "absent"
    return settings


def _in_a_lone_part(path: str, mine: dict[str, Value], theirs: dict[str, Value]) -> bool:
    """Whether a setting stands in a part that one side lacks, which is told by itself."""
    parts = [part for part in PARTS if path.startswith(f"{part}.")]
    return any("absent" in (mine[part], theirs[part]) for part in parts)


def _reason(scenario: Scenario, path: str) -> str:
    """The source of a setting; of a part that is absent or named, that of its first setting."""
    if path.endswith(".chip"):
        return source_of(scenario, path.replace(".chip", ".instances"))
    return PARTS[path] if path in PARTS else source_of(scenario, path)


PARTS = {
    "relay_decode": "the deployments without PDD have no relay",
    "line": "one site needs none",
    "datacenter_b": "the claim speaks of one site",
    "workload.singular": "one-off requests, 3 to 4 % by the published description",
}
"""Parts that may be absent, and why a case has them otherwise than the reference."""


def _outside_scenarios() -> list[Override]:
    reference = scenario_of(REFERENCE)
    model, chunks = reference.model, ("chunked prefill",)
    prompt = reference.workload.prompt_tokens_mean
    why = "assumed: reproduces the published dips"
    return [
        Override(
            "model.kv_bytes_per_token", LINE_TEST_BYTES_PER_TOKEN, model.kv_bytes_per_token,
            ("arithmetic",), ("C11",), "given with the claim: another model than that of C01",
        ),
        Override(
            "prompt", LINE_TEST_TOKENS, prompt, ("arithmetic",), ("C11",),
            "64K = 65,536 gives the published figures",
        ),
        Override("chunk", CHUNKS.longest_tokens, None, chunks, ("C20",), why),
        Override("prompt", PROMPT_TOKENS, prompt, chunks, ("C20",), why),
        Override(
            "prefill overhead of a chunk, s", CHUNK_OVERHEAD_S,
            reference.prefill.chip.prefill_overhead_ms / 1e3, chunks, ("C20",), why,
        ),
        Override(
            "price of cached input", f"{CACHED_LOW:g} and {CACHED_HIGH:g}", None, chunks, ("C20",),
            "both ends of claim C21",
        ),
    ]  # fmt: skip


def flat(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one with dotted names; lists stay whole."""
    out: dict[str, Any] = {}
    for key, value in data.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            out |= flat(value, f"{path}.")
        else:
            out[path] = tuple(value) if isinstance(value, list) else value
    return out


def all_scenarios(names: Iterable[str] = tuple(CASES)) -> dict[str, Scenario]:
    """The scenarios of cases by name."""
    return {name: scenario_of(name) for name in names}
