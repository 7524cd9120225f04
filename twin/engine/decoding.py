"""The decode side: relay decode, the handoff of token ids, and main decode.

KV may land before, while, or after relay decode runs. Before: an MD slot is held by then, RLD is
cancelled and MD makes the first token. While: the handoff starts once an MD slot is held. After:
RLD has made the whole answer; the KV serves the session's next turn.
"""

from __future__ import annotations

from ..physics.handoff import HandoffPlan, catch_up, one_shot
from ..policy import LOCAL, gate_next, handoff_mode, relay_busy_next
from .deployment import MAIN_JOINS, RELAY_LEAVES, Deployment
from .journey import (
    DONE,
    HANDOFF,
    MAIN,
    MAIN_QUEUE,
    NEVER,
    NOWHERE,
    RELAY,
    RELAY_QUEUE,
    STRANDED,
    TO_MAIN,
    Journey,
)
from .pools import INSTANCE_MASK, VERSION_SHIFT, DecodeInstance, DecodePool


class Decoding(Deployment):
    """Moves of a request from the arrival of its KV on."""

    # --- relay decode

    def relay_ready(self, j: Journey) -> None:
        """KV is beside RLD: take a slot or queue."""
        relay = self.relay
        assert relay is not None
        j.ready = self.clock._now
        instance = relay.place()
        if instance is None:
            j.stage = RELAY_QUEUE
            relay.queue.append(j.number)
        else:
            self._relay_join(j, relay, instance)

    def _relay_join(self, j: Journey, relay: DecodePool, instance: DecodeInstance) -> None:
        now = self.clock._now
        relay.hold(instance, now)
        j.stage = RELAY
        j.r_instance = instance.index
        relay.join(instance, j, now)
        relay.retime(instance, now)
        self._first_token(j, instance)
        if self.watch_relay:
            self.relay_changed(relay)

    def _first_token(self, j: Journey, instance: DecodeInstance) -> None:
        """The first token comes (1 + u) ITL after joining; u is the rest of the running step."""
        if j.first == NEVER:
            now = self.clock._now
            if j.joined == NEVER:
                j.joined = now
            j.overhead = self.overhead_s
            j.first = now + (1.0 + j.u_first) * instance.itl + j.overhead

    def relay_timer(self, integer: int) -> None:
        """Requests that RLD has made to the end leave it."""
        relay = self.relay
        assert relay is not None
        now = self.clock._now
        instance = relay.instances[integer & INSTANCE_MASK]
        leaving = relay.departed(instance, integer >> VERSION_SHIFT, now)
        if not leaving:
            return
        for number in leaving:
            j = self.live[number]
            relay.leave(instance, j.prompt + j.out)
            relay.release(instance, now)
            j.relay_made += j.out - j.made
            self._finished_on_relay(j)
        self.relay_freed(relay, instance)

    def _finished_on_relay(self, j: Journey) -> None:
        if j.pipeline in LOCAL:
            self.drc.finished_locally(j)
        elif j.m_instance != NOWHERE:  # its handoff waits for a line that is cut
            instance = self.main.instances[j.m_instance]
            self.main.settle(instance, self.clock._now)
            self.main.release(instance, self.clock._now)
            self.drc.unpin(j)
            self.main_freed(instance)
        elif j.landed == NEVER:
            self._late_landing(j)
        self._finish(j)

    def _late_landing(self, j: Journey) -> None:
        """RLD was faster than the line: let the KV land for the next turn, or stop it."""
        self.counts["landed_late"] += 1
        line = self.line
        if line is None or not self.policy.cancel_finished_transfer:
            return
        if all(flow.after != j.flow for flow in line.flows.values()):
            line.cancel(j.flow, self.clock._now)
            self.drc.finished_locally(j)

    def relay_freed(self, relay: DecodePool, instance: DecodeInstance) -> None:
        """A slot of the settled `instance` is free: the head of the queue takes it at once."""
        queue, live = relay.queue, self.live
        while queue:
            waiting = live.get(queue[0])
            if waiting is None or waiting.stage != RELAY_QUEUE:
                queue.popleft()  # cancelled meanwhile
                continue
            free = relay.place()
            if free is None:
                break
            queue.popleft()
            self._relay_join(waiting, relay, free)
        relay.retime(instance, self.clock._now)
        if self.watch_relay:
            self.relay_changed(relay)

    def relay_changed(self, relay: DecodePool) -> None:
        least = relay.least_used()
        if least is not None:
            self.gate_closed = gate_next(self.policy, self.gate_closed, least.used)
            slots = sum(i.slots for i in relay.instances)
            share = sum(i.used for i in relay.instances) / slots
            self.relay_busy = relay_busy_next(self.policy, self.relay_busy, share)

    # --- main decode

    def main_ready(self, j: Journey) -> None:
        """KV is beside MD: take a slot or queue; a relayed request decodes on meanwhile."""
        if j.stage == TO_MAIN:
            j.ready = self.clock._now
        instance = self.main.place()
        if instance is not None:
            self._main_slot(j, instance)
            return
        if j.stage == TO_MAIN:
            j.stage = MAIN_QUEUE
        self.main.queue.append(j.number)

    def _main_slot(self, j: Journey, instance: DecodeInstance) -> None:
        """An MD slot is held from here to the end."""
        self.main.hold(instance, self.clock._now)
        self.drc.pin(j)
        j.m_instance = instance.index
        stage = j.stage
        if stage == RELAY or stage == STRANDED:
            self.handoff(j, instance)
            return
        if stage != MAIN_QUEUE and stage != TO_MAIN:  # KV overtook RLD, which is cancelled
            self.counts["relay_cancelled"] += 1
            j.ready = j.landed
        self._main_join(j, instance)

    def _main_join(self, j: Journey, instance: DecodeInstance) -> None:
        now, main = self.clock._now, self.main
        j.stage = MAIN
        j.resumed = now
        main.join(instance, j, now)
        main.retime(instance, now)
        self._first_token(j, instance)

    def main_timer(self, integer: int) -> None:
        """Requests that MD has made to the end leave it."""
        main, now = self.main, self.clock._now
        instance = main.instances[integer & INSTANCE_MASK]
        leaving = main.departed(instance, integer >> VERSION_SHIFT, now)
        if not leaving:
            return
        for number in leaving:
            j = self.live[number]
            main.leave(instance, j.prompt + j.out)
            main.release(instance, now)
            self.drc.finished(j)
            self._finish(j)
        self.main_freed(instance)

    def main_freed(self, instance: DecodeInstance) -> None:
        """A slot of the settled `instance` is free: the head of the queue takes it at once."""
        main, live = self.main, self.live
        queue = main.queue
        while queue:
            waiting = live.get(queue[0])
            if waiting is None:
                queue.popleft()  # finished on RLD meanwhile
                continue
            free = main.place()
            if free is None:
                break
            queue.popleft()
            self._main_slot(waiting, free)
        main.retime(instance, self.clock._now)

    # --- handoff

    def handoff(self, j: Journey, instance: DecodeInstance) -> None:
        """KV has landed and an MD slot is held: hand the eager tokens' ids over."""
        if self.line is not None and self.line.cut:
            self.stalled.append(j.number)  # ids cannot cross a cut line; RLD decodes on
            return
        now = self.clock._now
        relay_step = self._eager(j, now)
        eager = j.handoff_made
        plan = self._plan(j, eager, self.main.step_now_s(instance, j.prompt + eager), relay_step)
        was_on_relay = j.stage == RELAY
        j.stage = HANDOFF
        j.handoff_gap = plan.gap_s
        if not was_on_relay:
            j.due = now + plan.gap_s
            self.clock.at(j.due, MAIN_JOINS, j.number)
        elif plan.relay_leaves_after_s > 0:
            self._leave_later(j, now + plan.relay_leaves_after_s)
        else:
            self._leave_relay(j)

    def _eager(self, j: Journey, now: float) -> float:
        """Count whole eager tokens into `handoff_made`; returns ITL of RLD (0 when it is lost)."""
        relay = self.relay
        if j.stage == STRANDED or relay is None:
            j.handoff_made = j.made
            return 0.0
        instance = relay.instances[j.r_instance]
        relay.settle(instance, now)
        j.handoff_made = self.whole_tokens(j, instance, now)
        return instance.itl

    def whole_tokens(self, j: Journey, instance: DecodeInstance, now: float) -> int:
        """Tokens RLD has streamed, whole ones, at least one being left to MD."""
        if j.first > now:
            return j.made  # not one new token is out yet
        made = j.made + int(instance.virtual - j.virtual)
        return min(max(made, 1), j.out - 1)

    def _plan(self, j: Journey, eager: int, main_step_s: float, relay_itl_s: float) -> HandoffPlan:
        policy = self.policy
        phase = 0.5 if policy.handoff_phase == "half" else j.u_phase
        ids = policy.handoff_ids_per_step
        mode = handoff_mode(policy, eager, self.relay_busy) if relay_itl_s > 0 else "one_shot"
        if mode == "one_shot":
            return one_shot(eager, self.hop_s, main_step_s, phase, ids)
        return catch_up(
            eager, self.hop_s, main_step_s, phase, ids, relay_itl_s, policy.handoff_max_rounds
        )

    def _leave_later(self, j: Journey, due: float) -> None:
        relay = self.relay
        assert relay is not None
        instance = relay.instances[j.r_instance]
        relay.detach(instance, j)
        relay.retime(instance, self.clock._now)
        j.due = due
        self.clock.at(due, RELAY_LEAVES, j.number)

    def relay_leaves(self, number: int) -> None:
        """Catch-up has come to its last batch: RLD stops."""
        j = self.live.get(number)
        if j is None or j.stage != HANDOFF or j.due != self.clock._now:
            return
        self._leave_relay(j, detached=True)

    def _leave_relay(self, j: Journey, detached: bool = False) -> None:
        relay, now = self.relay, self.clock._now
        assert relay is not None
        instance = relay.instances[j.r_instance]
        relay.settle(instance, now)
        context = j.prompt + j.made + (instance.virtual - j.virtual)
        made = self.whole_tokens(j, instance, now)
        if not detached:
            relay.detach(instance, j)
        relay.leave(instance, context)
        relay.release(instance, now)
        if j.first > now:
            j.first = NEVER  # the token under way is dropped; MD makes the first one
        j.relay_made += made - j.made
        j.made = made
        j.r_instance = NOWHERE
        j.left = now
        j.due = now + j.handoff_gap
        self.clock.at(j.due, MAIN_JOINS, j.number)
        self.relay_freed(relay, instance)

    def main_joins(self, number: int) -> None:
        """The last ids are recomputed: MD carries on."""
        j = self.live.get(number)
        if j is None or j.stage != HANDOFF or j.due != self.clock._now:
            return
        self._main_join(j, self.main.instances[j.m_instance])

    # --- the end

    def _finish(self, j: Journey) -> None:
        now = self.clock._now
        j.stage = DONE
        del self.live[j.number]
        self.counts["finished"] += 1
        self.rld_tokens += j.relay_made
        self.md_tokens += j.out - j.relay_made
        self.finished(j, now if now > j.first else j.first)
