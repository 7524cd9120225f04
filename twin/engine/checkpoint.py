"""A running simulation as data, and back: the one mechanism behind restart, rewind, fork, forecast.

The state is plain numbers, strings and lists. What can be drawn again from the seed (blocks of
turns) is not kept. `pack` makes bytes of a state, `digest` names it; both are the same on every
machine and after every restart.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import OrderedDict, deque
from typing import Any

from ..scenario import Scenario
from .arrivals import Load
from .caches import (
    BlockDecodeCache,
    BlockPromptCache,
    BlockStore,
    DecodeCache,
    NoDecodeCache,
    PromptCache,
    SessionDecodeCache,
    SessionPromptCache,
)
from .clock import ClockState
from .deployment import COUNTS
from .journey import Journey
from .line import Flow, SharedLine
from .pools import DecodeInstance, DecodePool, PrefillInstance, PrefillPool
from .simulation import Simulation

State = dict[str, Any]

FORMAT = 2
"""Version of the state's form; another one is refused."""

INSTANCE = DecodeInstance.__slots__
JOURNEY = Journey.__slots__
FLOW = Flow.__slots__
LINE = (
    "capacity", "flow_cap", "fifo", "cut", "alive", "virtual", "at", "rate", "due", "armed",
    "version", "sent_bytes", "asked_bytes", "busy_s", "next_number", "last_key",
)  # fmt: skip
PIPELINE = (
    "next_number", "homeless", "stalled", "gate_closed", "relay_busy", "counts", "prompt_tokens",
    "hit_tokens", "md_hit_tokens", "rld_tokens", "md_tokens",
)  # fmt: skip
LOAD = ("group", "block_turns", "total", "turn", "session", "prompt", "think", "singles",
        "first_done_s", "arrivals", "next_row", "positions")  # fmt: skip


def capture(sim: Simulation) -> State:
    """The state of `sim`, which is only read.

    What the recorder holds is left out: it does not act on what comes, and replaying from an
    earlier checkpoint makes it anew.
    """
    p, clock = sim.pipeline, sim.clock.state()
    scaled = p.policy.relay_scaling is not None
    return {
        "format": FORMAT,
        "scenario": sim.scenario.model_dump(mode="json"),
        "seed": sim.seed,
        "keep_s": sim.recorder.keep_s,
        "script": sim.script_state(),
        **({"scaler": sim.scaler.state()} if scaled else {}),
        "clock": [clock.now, clock.next_sequence, clock.entries, sim.clock.events],
        "pipeline": {name: _copy(getattr(p, name)) for name in PIPELINE},
        "waiting": sorted(p.waiting.items()),
        "journeys": [_slots(j, JOURNEY) for j in p.live.values()],
        "prefill": _prefill(p.prefill),
        "prefill_b": None if p.prefill_b is None else _prefill(p.prefill_b),
        "relay": None if p.relay is None else _pool(p.relay),
        "main": _pool(p.main),
        "line": None if p.line is None else _line(p.line),
        "drc": _decode_cache(p.drc),
        "prompts": _prompt_cache(p.prompts),
        "load": _load(sim.load),
    }


def restore(state: State, load: Load | None = None) -> Simulation:
    """The simulation that `state` was captured from; it goes on as if nothing had happened.

    `load` stands for requests that are not drawn from a seed (a replayed trace, at its start).
    """
    if state.get("format") != FORMAT:
        raise ValueError(f"checkpoint of format {state.get('format')}, this program reads {FORMAT}")
    scenario = Scenario.model_validate(state["scenario"])
    sim = Simulation(
        scenario, load, seed=state["seed"], total=state["load"].get("total"), keep_s=state["keep_s"]
    )
    p = sim.pipeline
    now, upcoming, entries, events = state["clock"]
    sim.clock.restore(ClockState(now, upcoming, [tuple(e) for e in entries]))
    sim.clock.events = events
    sim.restore_script(state["script"])
    if "scaler" in state:
        sim.scaler.restore(state["scaler"])
    for name, value in state["pipeline"].items():
        setattr(p, name, _copy(value))
    p.counts = dict.fromkeys(COUNTS, 0) | p.counts  # an older program counted less
    p.waiting = {number: list(followers) for number, followers in state["waiting"]}
    p.live = {j.number: j for j in (_journey(values) for values in state["journeys"])}
    _restore_prefill(p.prefill, state["prefill"])
    if p.prefill_b is not None:
        _restore_prefill(p.prefill_b, state["prefill_b"])
    if p.relay is not None:
        _restore_pool(p.relay, state["relay"])
    _restore_pool(p.main, state["main"])
    if p.line is not None:
        _restore_line(p.line, state["line"])
    p.drc = _restored_decode_cache(state["drc"])
    p.prompts = _restored_prompt_cache(state["prompts"], scenario)
    _restore_load(sim.load, state["load"])
    sim.recorder.itl_since = now
    return sim


def pack(state: State) -> bytes:
    """A state as compressed bytes; equal states give equal bytes."""
    text = json.dumps(state, separators=(",", ":"), sort_keys=True)
    return zlib.compress(text.encode(), 1)


def unpack(packed: bytes) -> State:
    """The state that `pack` was given."""
    return json.loads(zlib.decompress(packed))


def digest(sim: Simulation) -> str:
    """SHA-256 of the whole state, hex; equal for equal simulations at the same simulated time."""
    text = json.dumps(capture(sim), separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


# --- plain data


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value


def _slots(thing: object, names: tuple[str, ...]) -> list[Any]:
    return [getattr(thing, name) for name in names]


def _fill(thing: Any, names: tuple[str, ...], values: list[Any]) -> None:
    for name, value in zip(names, values, strict=True):
        setattr(thing, name, value)


def _tuple(value: list[Any] | None) -> Any:
    return None if value is None else tuple(value)


def _journey(values: list[Any]) -> Journey:
    j = Journey.__new__(Journey)
    _fill(j, JOURNEY, values)
    j.blocks, j.stamps = _tuple(j.blocks), _tuple(j.stamps)  # type: ignore[arg-type]
    return j


def _flow(values: list[Any]) -> Flow:
    flow = Flow.__new__(Flow)
    _fill(flow, FLOW, values)
    flow.blocks = _tuple(flow.blocks)  # type: ignore[arg-type]
    return flow


# --- pools


def _pool(pool: DecodePool) -> State:
    instances = []
    for instance in pool.instances:
        values = dict(zip(INSTANCE, _slots(instance, INSTANCE), strict=True))
        values["heap"] = sorted(instance.heap)
        values["gone"] = sorted(instance.gone)
        instances.append(values)
    return {
        "instances": instances, "queue": list(pool.queue), "ticket": pool.ticket
    }  # fmt: skip


def _restore_pool(pool: DecodePool, state: State) -> None:
    pool.instances = []
    for values in state["instances"]:
        instance = DecodeInstance(values["index"], values["slots"], 0.0)
        for name in INSTANCE:
            setattr(instance, name, values[name])
        instance.heap = [tuple(entry) for entry in values["heap"]]  # sorted is a heap
        instance.gone = set(values["gone"])
        pool.instances.append(instance)
    pool.queue = deque(state["queue"])
    pool.ticket = state["ticket"]


def _prefill(pool: PrefillPool) -> list[Any]:
    return [[[i.free_s, i.state] for i in pool.instances], pool.busy_s]


def _restore_prefill(pool: PrefillPool, state: list[Any]) -> None:
    pool.instances = []
    for free_s, condition in state[0]:
        instance = PrefillInstance(free_s)
        instance.state = condition
        pool.instances.append(instance)
    pool.busy_s = state[1]


# --- line


def _line(line: SharedLine) -> State:
    flows = [_slots(flow, FLOW) for flow in line.flows.values()]
    pieces = sorted((number, list(state)) for number, state in line.pieces.items())
    return {
        "values": _slots(line, LINE), "heap": sorted(line.heap), "flows": flows, "pieces": pieces
    }  # fmt: skip


def _restore_line(line: SharedLine, state: State) -> None:
    _fill(line, LINE, state["values"])
    line.heap = [tuple(entry) for entry in state["heap"]]
    line.flows = {flow.number: flow for flow in map(_flow, state["flows"])}
    line.pieces = {number: list(pieces) for number, pieces in state.get("pieces", ())}


# --- caches


def _store(store: BlockStore) -> list[Any]:
    return [store.capacity, store.block_bytes, list(store.blocks), store.evictions]


def _restored_store(values: list[Any]) -> BlockStore:
    store = BlockStore(values[0], values[1])
    store.blocks = OrderedDict.fromkeys(values[2])
    store.evictions = values[3]
    return store


def _decode_cache(cache: DecodeCache) -> State:
    if isinstance(cache, SessionDecodeCache):
        return {
            "kind": "sessions", "capacity": cache.capacity, "per_token": cache.per_token,
            "tokens": sorted(cache.tokens.items()), "entries": list(cache.entries.items()),
            "pinned": sorted(cache.pinned.items()), "used_tokens": cache.used_tokens,
            "evictions": cache.evictions,
        }  # fmt: skip
    if isinstance(cache, BlockDecodeCache):
        return {"kind": "blocks", "store": _store(cache.store), "tokens": cache.block_tokens}
    return {"kind": "off"}


def _restored_decode_cache(state: State) -> DecodeCache:
    if state["kind"] == "off":
        return NoDecodeCache()
    if state["kind"] == "blocks":
        return BlockDecodeCache(_restored_store(state["store"]), state["tokens"])
    cache = SessionDecodeCache(state["capacity"], state["per_token"])
    cache.tokens = dict(state["tokens"])
    cache.entries = OrderedDict((session, prompt) for session, prompt in state["entries"])
    cache.pinned = dict(state["pinned"])
    cache.used_tokens = state["used_tokens"]
    cache.evictions = state["evictions"]
    return cache


def _prompt_cache(cache: PromptCache) -> State:
    if isinstance(cache, BlockPromptCache):
        return {"kind": "blocks", "store": _store(cache.store), "tokens": cache.block_tokens}
    assert isinstance(cache, SessionPromptCache)
    return {
        "kind": "sessions", "capacity": cache.capacity, "per_token": cache.per_token,
        "entries": list(cache.entries.items()), "used_tokens": cache.used_tokens,
        "evictions": cache.evictions,
    }  # fmt: skip


def _restored_prompt_cache(state: State, scenario: Scenario) -> PromptCache:
    if state["kind"] == "blocks":
        return BlockPromptCache(_restored_store(state["store"]), state["tokens"])
    selective = scenario.prefill_b is not None
    cache = SessionPromptCache(state["capacity"], state["per_token"], selective)
    cache.entries = OrderedDict((session, prompt) for session, prompt in state["entries"])
    cache.used_tokens = state["used_tokens"]
    cache.evictions = state["evictions"]
    return cache


# --- load


def _load(load: Any) -> State:
    state = {name: _copy(getattr(load, name)) for name in LOAD if hasattr(load, name)}
    return {**state, "idle": sorted(load.idle)} if hasattr(load, "idle") else state


def _restore_load(load: Any, state: State) -> None:
    for name in LOAD:
        if name in state:
            setattr(load, name, _copy(state[name]))
    if "idle" in state:
        load.idle = set(state["idle"])
        load.rebuild_streams()
