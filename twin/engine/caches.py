"""The two prefix caches: what prefill holds, and what main decode holds (DRC), with LRU and size.

Sessions: main decode holds m_s tokens of a session as an unbroken prefix of its latest sequence.
An entry counts L b bytes while its sequence is not in a slot; it is touched when KV lands; ended
sessions linger until evicted, for a cache cannot know. Blocks: with block ids both caches hold
prompt blocks, and a hit is the unbroken prefix of blocks held.
"""

from __future__ import annotations

from collections import OrderedDict
from math import inf
from typing import Protocol

from ..physics.kv import held_after_local_finish
from ..scenario import Scenario
from .journey import Journey
from .line import Flow


class DecodeCache(Protocol):
    """What the engine asks of the decode-side cache."""

    @property
    def evictions(self) -> int: ...
    def held(self, j: Journey, /) -> float: ...
    def hit(self, j: Journey, /) -> float: ...
    def first_turn(self, j: Journey, /) -> None: ...
    def landed(self, flow: Flow | Journey, /) -> None: ...
    def pin(self, j: Journey, /) -> None: ...
    def unpin(self, j: Journey, /) -> None: ...
    def finished(self, j: Journey, /) -> None: ...
    def finished_locally(self, j: Journey, /) -> None: ...
    def lost(self, j: Journey, /) -> None: ...
    def ended(self, session: int, /) -> None: ...
    def resize(self, capacity_bytes: float, /) -> None: ...
    def used_bytes(self) -> float: ...


class SessionDecodeCache:
    """DRC of whole sequences, one per session."""

    def __init__(self, capacity_bytes: float, bytes_per_token: float) -> None:
        self.capacity = capacity_bytes
        self.per_token = bytes_per_token
        self.tokens: dict[int, float] = {}
        self.entries: OrderedDict[int, float] = OrderedDict()  # session -> L of its entry
        self.pinned: dict[int, int] = {}
        self.used_tokens = 0.0
        self.evictions = 0

    def held(self, j: Journey) -> float:
        """m_s: tokens of the session's latest sequence held as an unbroken prefix."""
        return self.tokens.get(j.session, 0.0)

    def hit(self, j: Journey) -> float:
        """Tokens that prefill beside it need not compute; those all sessions share are warm."""
        return j.hit if j.first_turn else min(j.hit, self.held(j))

    def first_turn(self, j: Journey) -> None:
        """The prefix that all sessions share is held: m_s = hL at the end of the first prefill."""
        self.tokens[j.session] = j.hit

    def landed(self, flow: Flow | Journey) -> None:
        """KV of a prompt has landed: m_s = max(m_s, L), and the entry is the latest touched."""
        session, prompt = flow.session, flow.prompt
        held = self.tokens.get(session, 0.0)
        self.tokens[session] = prompt if prompt > held else held
        if session not in self.pinned:
            self.used_tokens += prompt - self.entries.get(session, 0.0)
        self.entries[session] = prompt
        self.entries.move_to_end(session)
        self._evict()

    def pin(self, j: Journey) -> None:
        """The sequence moves into a slot and no longer counts."""
        pins = self.pinned.get(j.session, 0)
        self.pinned[j.session] = pins + 1
        if not pins:
            self.used_tokens -= self.entries.get(j.session, 0.0)

    def unpin(self, j: Journey) -> None:
        """The sequence leaves its slot and counts again."""
        pins = self.pinned.pop(j.session, 0)
        if pins > 1:
            self.pinned[j.session] = pins - 1
        elif pins:
            self.used_tokens += self.entries.get(j.session, 0.0)
            self._evict()

    def finished(self, j: Journey) -> None:
        """Main decode has finished the request: m_s = L + out, and it counts, evicted or not."""
        self.tokens[j.session] = j.prompt + j.out
        if j.session not in self.entries:
            self.entries[j.session] = j.prompt
            if j.session not in self.pinned:
                self.used_tokens += j.prompt
                self._evict()
        self.unpin(j)

    def finished_locally(self, j: Journey) -> None:
        """RLD has finished it without a transfer: m_s = min(m_s, hL)."""
        held = self.tokens.get(j.session)
        if held is not None:
            self.tokens[j.session] = held_after_local_finish(held, j.hit)

    def lost(self, j: Journey) -> None:
        """The instance that held the sequence in a slot is gone, and the KV with it."""
        self.unpin(j)
        if j.session not in self.pinned:
            self._remove(j.session)

    def ended(self, session: int) -> None:
        """The session is over: nothing to remember of it unless it has an entry."""
        if session not in self.entries:
            self.tokens.pop(session, None)

    def _remove(self, session: int) -> None:
        self.used_tokens -= self.entries.pop(session, 0.0)
        self.tokens.pop(session, None)

    def _evict(self) -> None:
        while self.used_tokens * self.per_token > self.capacity:
            victim = next((s for s in self.entries if s not in self.pinned), None)
            if victim is None:
                return
            self._remove(victim)
            self.evictions += 1

    def resize(self, capacity_bytes: float) -> None:
        """Turn the capacity; what no longer fits is evicted."""
        self.capacity = capacity_bytes
        self._evict()

    def used_bytes(self) -> float:
        """Bytes of entries whose sequence is not in a slot."""
        return self.used_tokens * self.per_token


class NoDecodeCache:
    """DRC off: nothing is held, so everything is sent."""

    evictions = 0

    def held(self, j: Journey) -> float:
        """Nothing."""
        return 0.0

    hit = held

    def used_bytes(self) -> float:
        """Nothing."""
        return 0.0

    def _ignore(self, _: object, /) -> None:
        """What happens is of no consequence."""

    first_turn = landed = pin = unpin = finished = finished_locally = _ignore
    lost = ended = resize = _ignore


class BlockStore:
    """LRU of block ids; an id stands for its block and everything before it."""

    def __init__(self, capacity_bytes: float, block_bytes: float) -> None:
        self.block_bytes = block_bytes
        self.capacity = capacity_bytes
        self.blocks: OrderedDict[int, None] = OrderedDict()
        self.evictions = 0

    def prefix(self, blocks: tuple[int, ...]) -> int:
        """Number of leading `blocks` held without a break."""
        held = self.blocks
        for n, block in enumerate(blocks):
            if block not in held:
                return n
        return len(blocks)

    def touch(self, blocks: tuple[int, ...]) -> None:
        """Take `blocks` in, from the last to the first, so that suffixes leave first."""
        held = self.blocks
        for block in reversed(blocks):
            held[block] = None
            held.move_to_end(block)
        self._evict()

    def _evict(self) -> None:
        while self.blocks and len(self.blocks) * self.block_bytes > self.capacity:
            self.blocks.popitem(last=False)
            self.evictions += 1

    def resize(self, capacity_bytes: float) -> None:
        """Turn the capacity; what no longer fits is evicted."""
        self.capacity = capacity_bytes
        self._evict()

    def used_bytes(self) -> float:
        """Bytes of all blocks held."""
        return len(self.blocks) * self.block_bytes


class BlockDecodeCache:
    """DRC of prompt blocks; output has no ids and is not held. Slots and entries share blocks."""

    def __init__(self, store: BlockStore, block_tokens: int) -> None:
        self.store = store
        self.block_tokens = block_tokens

    @property
    def evictions(self) -> int:
        """Blocks evicted so far."""
        return self.store.evictions

    def held(self, j: Journey) -> float:
        """Prompt tokens of the unbroken prefix of blocks held."""
        return float(self.store.prefix(j.blocks or ()) * self.block_tokens)

    def hit(self, j: Journey) -> float:
        """As held, never more than the prompt."""
        return min(self.held(j), j.prompt)

    def landed(self, flow: Flow | Journey) -> None:
        """KV of a prompt has landed: its blocks are held."""
        self.store.touch(flow.blocks or ())

    def resize(self, capacity_bytes: float) -> None:
        """Turn the capacity."""
        self.store.resize(capacity_bytes)

    def used_bytes(self) -> float:
        """Bytes of all blocks held."""
        return self.store.used_bytes()

    def _ignore(self, _: object, /) -> None:
        """Blocks are held or not; what happens to a request does not change that."""

    first_turn = pin = unpin = finished = finished_locally = lost = ended = _ignore


class PromptCache(Protocol):
    """What the engine asks of prefill's cache.

    A prompt counts as held from its arrival on: prefill works in order, so a request that shares
    a prefix with one still queued finds it computed (instances that run at once are neglected).
    """

    @property
    def evictions(self) -> int: ...
    def hit(self, j: Journey, /) -> float: ...
    def asked(self, j: Journey, /) -> None: ...
    def asked_elsewhere(self, j: Journey, /) -> None: ...
    def ended(self, session: int, /) -> None: ...
    def resize(self, capacity_bytes: float, /) -> None: ...
    def used_bytes(self) -> float: ...


class SessionPromptCache:
    """Prefill's cache of whole prompts: h_eff = min(hL, p_s) / L; the shared prefix is warm."""

    def __init__(
        self, capacity_bytes: float, bytes_per_token: float, selective: bool = False
    ) -> None:
        self.capacity = capacity_bytes
        self.per_token = bytes_per_token
        self.selective = selective  # turns may be prefilled elsewhere
        self.entries: OrderedDict[int, float] = OrderedDict()
        self.used_tokens = 0.0
        self.evictions = 0

    def hit(self, j: Journey) -> float:
        """Tokens of the prompt that need no prefill."""
        if j.first_turn or (self.capacity == inf and not self.selective):
            return j.hit
        return min(j.hit, self.entries.get(j.session, 0.0))

    def asked(self, j: Journey) -> None:
        """The prompt has come and its KV will be held: p_s = L."""
        self.used_tokens += j.prompt - self.entries.get(j.session, 0.0)
        self.entries[j.session] = j.prompt
        self.entries.move_to_end(j.session)
        self._evict()

    def asked_elsewhere(self, j: Journey) -> None:
        """The turn is prefilled in B: the session goes on behind its prefix, p_s = min(p_s, hL)."""
        held = self.entries.get(j.session, j.hit if j.first_turn else 0.0)
        left = held_after_local_finish(held, j.hit)
        self.used_tokens += left - self.entries.get(j.session, 0.0)
        self.entries[j.session] = left
        self._evict()

    def ended(self, session: int) -> None:
        """The session is over. A cache cannot know; but one without a limit need not remember."""
        if self.capacity == inf:
            self.used_tokens -= self.entries.pop(session, 0.0)

    def _evict(self) -> None:
        while self.entries and self.used_tokens * self.per_token > self.capacity:
            self.used_tokens -= self.entries.popitem(last=False)[1]
            self.evictions += 1

    def resize(self, capacity_bytes: float) -> None:
        """Turn the capacity; what no longer fits is evicted."""
        self.capacity = capacity_bytes
        self._evict()

    def used_bytes(self) -> float:
        """Bytes held."""
        return self.used_tokens * self.per_token


class BlockPromptCache:
    """Prefill's cache of prompt blocks."""

    def __init__(self, store: BlockStore, block_tokens: int) -> None:
        self.store = store
        self.block_tokens = block_tokens

    @property
    def evictions(self) -> int:
        """Blocks evicted so far."""
        return self.store.evictions

    def hit(self, j: Journey) -> float:
        """Tokens of the unbroken prefix of blocks held, never more than the prompt."""
        return min(float(self.store.prefix(j.blocks or ()) * self.block_tokens), j.prompt)

    def asked(self, j: Journey) -> None:
        """The prompt has come and its blocks will be held."""
        self.store.touch(j.blocks or ())

    def asked_elsewhere(self, j: Journey) -> None:
        """Blocks that are computed in B are not held here."""

    def ended(self, session: int) -> None:
        """Blocks stay until they are evicted."""

    def resize(self, capacity_bytes: float) -> None:
        """Turn the capacity."""
        self.store.resize(capacity_bytes)

    def used_bytes(self) -> float:
        """Bytes of all blocks held."""
        return self.store.used_bytes()


def capacity_bytes(terabytes: float | None) -> float:
    """A size setting in TB as bytes; none means unlimited."""
    return inf if terabytes is None else terabytes * 1e12


def decode_cache(scenario: Scenario, block_tokens: int | None) -> DecodeCache:
    """The decode-side cache of a scenario, of blocks when the requests carry block ids."""
    caches, per_token = scenario.caches, scenario.model.kv_bytes_per_token
    if scenario.same_site or not caches.drc_enabled:
        return NoDecodeCache()
    size = capacity_bytes(caches.drc_tb)
    if block_tokens:
        return BlockDecodeCache(BlockStore(size, block_tokens * per_token), block_tokens)
    return SessionDecodeCache(size, per_token)


def prompt_cache(scenario: Scenario, block_tokens: int | None) -> PromptCache:
    """Prefill's cache; without a limit the drawn hit rates pass it unchanged."""
    caches, per_token = scenario.caches, scenario.model.kv_bytes_per_token
    size = capacity_bytes(caches.prefill_tb)
    if block_tokens:
        return BlockPromptCache(BlockStore(size, block_tokens * per_token), block_tokens)
    return SessionPromptCache(size, per_token, scenario.prefill_b is not None)
