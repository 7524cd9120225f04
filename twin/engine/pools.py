"""The pools: prefill instances with their backlog, decode instances with batch, slots and queue.

A decode batch runs in virtual tokens: dV = dt / ITL is shared by the batch, a request joins with
key V + out and leaves when V reaches it. One armed timer with a version number stands for the next
departure; when joins push the departure back, the timer fires early and is armed anew.
"""

from __future__ import annotations

from collections import deque
from heapq import heappop, heappush
from math import inf

from ..physics.chip import PrefillCost, StepCost, prefill_seconds, step_seconds
from ..physics.profile import Curve, added
from .clock import Clock
from .journey import Journey

UP, DRAINING, LOST = range(3)
VERSION_SHIFT = 10
INSTANCE_MASK = (1 << VERSION_SHIFT) - 1


class PrefillInstance:
    """One prefill instance: busy until `free_s`."""

    __slots__ = ("free_s", "state")

    def __init__(self, now: float) -> None:
        self.free_s = now
        self.state = UP


def drain_surplus(instances: list[PrefillInstance] | list[DecodeInstance], surplus: int) -> None:
    """Set the last `surplus` serving instances to draining."""
    for instance in reversed(instances):
        if surplus <= 0:
            return
        if instance.state != DRAINING:
            instance.state = DRAINING
            surplus -= 1


class PrefillPool:
    """FIFO per instance, least work left: start = max(free_j, now), free_j = start + S."""

    def __init__(self, cost: PrefillCost, instances: int, profile: Curve | None = None) -> None:
        self.cost = cost
        self.profile = profile
        self.instances = [PrefillInstance(0.0) for _ in range(instances)]
        self.busy_s = 0.0

    def seconds(self, new_tokens: float, cached_tokens: float) -> float:
        """Time of a prefill on one instance, in s: as measured, or by the roofline."""
        if self.profile is not None:
            return added(self.profile, new_tokens, cached_tokens)
        return prefill_seconds(self.cost, new_tokens, cached_tokens)

    def choose(self, now: float) -> int:
        """The instance that can start first, lowest number at ties; -1 when none is up."""
        best, best_start = -1, inf
        for j, instance in enumerate(self.instances):
            if instance.state == UP:
                start = instance.free_s if instance.free_s > now else now
                if start < best_start:
                    best, best_start = j, start
        return best

    def set_instances(self, count: int, now: float) -> None:
        """Have `count` instances that take requests; surplus ones finish their backlog."""
        for instance in self.instances:
            if instance.state == DRAINING and self.serving() < count:
                instance.state = UP
        while self.serving() < count:
            self.instances.append(PrefillInstance(now))
        drain_surplus(self.instances, self.serving() - count)

    def serving(self) -> int:
        """Instances that are not draining (a lost one is missed, not drained)."""
        return sum(i.state != DRAINING for i in self.instances)

    def up(self) -> int:
        """Instances that take requests now."""
        return sum(i.state == UP for i in self.instances)

    def backlog_s(self, now: float) -> float:
        """Work that lies before the instances, summed, in instance seconds."""
        return sum(max(0.0, i.free_s - now) for i in self.instances if i.state != LOST)


class DecodeInstance:
    """One decode instance: its batch in virtual tokens and its memory slots."""

    __slots__ = (
        "index", "slots", "used", "state", "batch", "context", "virtual", "at", "itl", "heap",
        "gone", "due", "armed", "version", "slot_s", "batch_s",
    )  # fmt: skip

    def __init__(self, index: int, slots: int, now: float) -> None:
        self.index = index
        self.slots = slots
        self.used = 0
        self.state = UP
        self.batch = 0
        self.context = 0.0
        self.virtual = 0.0
        self.at = now
        self.itl = 0.0
        self.heap: list[tuple[float, int, int]] = []  # key, ticket, request
        self.gone: set[int] = set()  # tickets that no longer end a request
        self.due = inf
        self.armed = inf
        self.version = 0
        self.slot_s = 0.0
        self.batch_s = 0.0

    def slot_seconds(self, now: float) -> float:
        """Slots in use, integrated over time up to `now`, in slot seconds."""
        return self.slot_s + self.used * now


class DecodePool:
    """Decode instances of one kind with a common FIFO queue for their slots."""

    def __init__(
        self, clock: Clock, timer_kind: int, cost: StepCost, slots: int, instances: int,
        tokens_per_step: float,
    ) -> None:  # fmt: skip
        self.clock = clock
        self.timer_kind = timer_kind
        self.cost = cost
        self.slots = slots
        self.tokens_per_step = tokens_per_step
        self.instances = [DecodeInstance(j, slots, 0.0) for j in range(instances)]
        self.queue: deque[int] = deque()
        self.ticket = 0
        self.itl_tokens: dict[int, float] = {}

    # --- slots

    def slots_up(self) -> int:
        """Slots of the instances that take requests now."""
        return sum(i.slots for i in self.instances if i.state == UP)

    def place(self) -> DecodeInstance | None:
        """The instance with the fewest slots in use that has one free; lowest number at ties."""
        best: DecodeInstance | None = None
        fewest = 1 << 60
        for instance in self.instances:
            used = instance.used
            if used < fewest and used < instance.slots and instance.state == UP:
                best, fewest = instance, used
        return best

    def least_used(self) -> DecodeInstance | None:
        """The instance with the fewest slots in use, full or not; None when none is up."""
        up = [i for i in self.instances if i.state == UP]
        return min(up, key=lambda i: i.used) if up else None

    def hold(self, instance: DecodeInstance, now: float) -> None:
        """Take a slot of `instance`."""
        instance.slot_s -= now
        instance.used += 1

    def release(self, instance: DecodeInstance, now: float) -> None:
        """Give a slot of `instance` back."""
        instance.slot_s += now
        instance.used -= 1

    # --- batch

    def settle(self, instance: DecodeInstance, now: float) -> None:
        """Bring the batch's virtual time up to `now`."""
        passed = now - instance.at
        if passed > 0.0:
            batch = instance.batch
            if batch:
                itl = instance.itl
                tokens = passed / itl
                instance.virtual += tokens
                made = batch * tokens
                instance.context += made
                instance.batch_s += batch * passed
                cell = int(itl * ITL_CELLS_PER_S)
                counted = self.itl_tokens
                counted[cell] = counted.get(cell, 0.0) + made
            instance.at = now

    def join(self, instance: DecodeInstance, j: Journey, now: float) -> None:
        """`j` joins the batch for the tokens it still wants, with its context.

        The caller holds a slot and calls `retime` when all changes of the moment are made.
        """
        self.settle(instance, now)
        made = j.made
        j.virtual = instance.virtual
        self.ticket += 1
        j.ticket = self.ticket
        heappush(instance.heap, (instance.virtual + j.out - made, self.ticket, j.number))
        instance.batch += 1
        instance.context += j.prompt + made

    def detach(self, instance: DecodeInstance, j: Journey) -> None:
        """`j` stays in the batch but will not leave by its key."""
        instance.gone.add(j.ticket)

    def departed(self, instance: DecodeInstance, version: int, now: float) -> list[int]:
        """Requests whose key is reached; empty when the timer is stale or fires early.

        The caller subtracts each one's context with `leave` and calls `retime`.
        """
        if version != instance.version:
            return []
        instance.armed = inf
        heap, gone = instance.heap, instance.gone
        if now < instance.due or not heap:
            self._arm(instance)
            return []
        self.settle(instance, now)
        reached = instance.virtual
        if heap[0][0] > reached:  # the timer's rounding: the batch stands at its least key
            instance.context += instance.batch * (heap[0][0] - reached)
            instance.virtual = reached = heap[0][0]
        leaving = []
        while heap and heap[0][0] <= reached:
            _, ticket, number = heappop(heap)
            if ticket in gone:
                gone.remove(ticket)
            else:
                leaving.append(number)
        return leaving

    def leave(self, instance: DecodeInstance, context: float) -> None:
        """A request that `departed` named, or that was detached, leaves the settled batch with
        `context` tokens held."""
        instance.batch -= 1
        instance.context = instance.context - context if instance.batch else 0.0

    def retime(self, instance: DecodeInstance, now: float) -> None:
        """Set ITL and the next departure after the batch has changed."""
        heap, gone = instance.heap, instance.gone
        while gone and heap and heap[0][1] in gone:
            gone.remove(heappop(heap)[1])
        batch = instance.batch
        if not batch:
            instance.itl = 0.0
            instance.due = inf
            return
        itl = step_seconds(self.cost, batch, instance.context) / self.tokens_per_step
        instance.itl = itl
        if heap:
            instance.due = now + (heap[0][0] - instance.virtual) * itl
            if instance.due < instance.armed:
                self._arm(instance)
        else:  # all that remain leave by a handoff, not by their key
            instance.due = inf

    def _arm(self, instance: DecodeInstance) -> None:
        due = instance.due
        if due < inf:
            instance.version += 1
            instance.armed = due
            self.clock.at(due, self.timer_kind, instance.version << VERSION_SHIFT | instance.index)

    def empty(self, instance: DecodeInstance, now: float) -> None:
        """All that the instance held is gone; its timer is void."""
        instance.slot_s += instance.used * now
        instance.used = instance.batch = 0
        instance.context = 0.0
        instance.heap.clear()
        instance.gone.clear()
        instance.due = instance.armed = inf
        instance.version += 1
        self.retime(instance, now)

    def set_instances(self, count: int, now: float) -> None:
        """Have `count` instances that take requests: drained ones return first, new ones follow;
        surplus ones (the last) take no more and finish what they hold."""
        for instance in self.instances:
            if instance.state == DRAINING and self.serving() < count:
                instance.state = UP
        while self.serving() < count:
            self.instances.append(DecodeInstance(len(self.instances), self.slots, now))
        drain_surplus(self.instances, self.serving() - count)

    def serving(self) -> int:
        """Instances that are not draining (a lost one is missed, not drained)."""
        return sum(i.state != DRAINING for i in self.instances)

    def lone_step_s(self, context: float) -> float:
        """Step time of a request alone on an instance, in s."""
        return step_seconds(self.cost, 1, context)

    def step_now_s(self, instance: DecodeInstance, context: float) -> float:
        """Step time of `instance` now; of the lone request with `context` when it is empty."""
        if instance.batch:
            return instance.itl * self.tokens_per_step
        return self.lone_step_s(context)


ITL_CELLS_PER_S = 20_000
"""ITL is counted in cells of 50 microseconds, weighted by tokens."""
