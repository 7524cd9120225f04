"""Random numbers as a function of (seed, purpose, client, turn), drawn in blocks.

A turned distribution maps the same uniforms, and compared deployments see the same requests. Blocks
hold the turns of one group of clients; a group is as large as the number of clients at the start,
so that a finite run of one group is stratified as a whole.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from ..scenario import Workload
from ..workload.sessions import PURPOSES, Floats, Turns, turns_of

BLOCKS_KEPT = 12
PIECE = 32
"""Turns whose uniforms are drawn together."""

FIRST_ARRIVALS = 1 << 31
"""Stands in the place of a block number for the uniforms of first arrivals."""


class Columns(NamedTuple):
    """One block of turns as flat arrays of plain numbers (client-major)."""

    first: bytes
    singular: bytes
    prompt: array[float]
    hit_share: array[float]
    output: array[int]
    think: array[float]
    gap: array[float]
    prediction: array[float]
    first_step: array[float]
    phase: array[float]
    jitter: array[float]
    timeout: array[float]


def generator(seed: int, group: int, block: int) -> np.random.Generator:
    """The generator of one piece; equal arguments give equal numbers."""
    key = np.random.SeedSequence(entropy=seed, spawn_key=(group, block))
    return np.random.Generator(np.random.Philox(key))


class Streams:
    """Turns of all clients; `turns` in a block, `clients` in a group."""

    def __init__(self, workload: Workload, seed: int, clients: int, turns: int) -> None:
        self.workload = workload
        self.seed = seed
        self.clients = clients
        self.turns = turns
        self.first: dict[int, Floats] = {}
        self.blocks: OrderedDict[tuple[int, int], Columns] = OrderedDict()

    def block(self, group: int, number: int) -> Columns:
        """Block `number` of the turns of `group`; drawn when first asked for."""
        key = (group, number)
        found = self.blocks.get(key)
        if found is None:
            found = self.blocks[key] = self._draw(group, number)
            if len(self.blocks) > BLOCKS_KEPT:
                self.blocks.popitem(last=False)
        else:
            self.blocks.move_to_end(key)
        return found

    def _draw(self, group: int, number: int) -> Columns:
        numbers = self._numbers(group, number * self.turns)
        uniforms: dict[str, Floats] = {name: numbers[:, :, i] for i, name in enumerate(PURPOSES)}
        return _columns(turns_of(self.workload, uniforms, fresh=number == 0))

    def _numbers(self, group: int, since: int) -> Floats:
        """Uniforms of shape (clients, turns, purposes) from turn `since` on.

        They are drawn a piece of turns at a time and client by client, so that neither the number
        of clients nor the length of a block moves those of a client and turn.
        """
        begin, end = since // PIECE, -(-(since + self.turns) // PIECE)
        shape = (self.clients, PIECE, len(PURPOSES))
        pieces = [generator(self.seed, group, n).random(shape) for n in range(begin, end)]
        offset = since - begin * PIECE
        return np.concatenate(pieces, axis=1)[:, offset : offset + self.turns]

    def first_arrival(self, client: int) -> float:
        """Uniform of the client's first arrival."""
        group, row = divmod(client, self.clients)
        if group not in self.first:
            self.first[group] = generator(self.seed, group, FIRST_ARRIVALS).random(self.clients)
        return float(self.first[group][row])

    def turn(self, workload: Workload) -> None:
        """Map the same uniforms by another workload from now on."""
        self.workload = workload
        self.blocks.clear()


def _columns(turns: Turns) -> Columns:
    def flat(name: str) -> array[float]:
        return array("d", getattr(turns, name).astype(np.float64).tobytes())

    floats = {n: flat(n) for n in Columns._fields if n not in ("first", "singular", "output")}
    return Columns(
        first=turns.first.astype(np.uint8).tobytes(),
        singular=turns.singular.astype(np.uint8).tobytes(),
        output=array("q", turns.output.tobytes()),
        **floats,
    )
