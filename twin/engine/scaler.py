"""The automatic number of RLD instances: mean load between looks, one step up or down at a look.

It counts at the samples of a run, so that a run without it is the same run. Instances that are
drained finish what they hold and count no more.
"""

from __future__ import annotations

from ..scaling import next_instances
from .failures import reopened
from .pipeline import Pipeline
from .pools import UP

State = list[float]
"""Seconds of the last look, samples since then, and the sum of their loads."""


class RelayScaler:
    """Looks at RLD's load; `changes` lists (time in s, instances from then on, mean load)."""

    def __init__(self) -> None:
        self.looked_s = 0.0
        self.samples = 0
        self.load = 0.0
        self.changes: list[tuple[float, int, float]] = []

    def sample(self, p: Pipeline) -> None:
        """Count this moment; at a look, change the number of instances if the rule says so."""
        rule, relay = p.policy.relay_scaling, p.relay
        if rule is None or relay is None:
            return
        up = [i for i in relay.instances if i.state == UP]
        if up:
            self.samples += 1
            self.load += sum(i.used for i in up) / sum(i.slots for i in up)
        now = p.clock.now
        if now < self.looked_s + rule.every_s or not self.samples:
            return
        load, present = self.load / self.samples, relay.serving()
        self.looked_s, self.samples, self.load = now, 0, 0.0
        wanted = next_instances(rule, present, load)
        if wanted != present:
            self.changes.append((now, wanted, load))
            relay.set_instances(wanted, now)
            reopened(p, "relay_decode")

    def state(self) -> State:
        """As plain numbers; the changes so far belong to the record and are left out."""
        return [self.looked_s, self.samples, self.load]

    def restore(self, state: State) -> None:
        """Take back what `state` gave."""
        self.looked_s, self.samples, self.load = state[0], int(state[1]), state[2]
