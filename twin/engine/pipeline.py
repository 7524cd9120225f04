"""Prefill, routing and the line: a request's way until its KV is beside a decode pool.

After prefill it goes by policy directly to main decode (P-MD), to relay decode and main decode at
once (P-RLD-MD), or to relay decode only (P-RLD); on one site by RDMA to decode (P-D). With
selective prefill the short ones are prefilled in B and go by RDMA to main decode (PB-MD).
"""

from __future__ import annotations

from ..physics.kv import kv_bytes, tokens_to_send
from ..physics.line import estimate_seconds, slow_start_seconds
from ..physics.profile import added, value
from ..policy import P_D, P_MD, P_RLD_MD, PB_MD, choose_pipeline, prefills_in_b
from .decoding import Decoding
from .deployment import LANDED, PIECE, PREFILLED, RDMA_DONE
from .journey import NEVER, NOWHERE, PREFILL, TO_MAIN, TO_RELAY, Journey
from .line import Flow, SharedLine

ROUTED = ("routed_main", "routed_relay", "routed_local", "routed_filtered", "routed_same_site")


PIECE_BITS = 4
PIECES = 1 << PIECE_BITS
"""Equal groups of layers that layer-wise transfer sends, each as soon as it is computed."""


def piece_due(j: Journey, count: int) -> float:
    """When the first `count` groups of layers of a request are prefilled."""
    return j.prefill_start + (j.due - j.prefill_start) * count / PIECES


class Pipeline(Decoding):
    """The whole model: the handlers of every event but arrivals, scripts and samples."""

    def start(self, j: Journey) -> None:
        """A request arrives now."""
        number = self.next_number
        self.next_number = number + 1
        j.number = number
        j.arrival = self.clock._now
        self.live[number] = j
        self.counts["arrived"] += 1
        if self.prefill_b is None or not self._stays_in_b(j):
            j.hit = self.prompts.hit(j)
            self.prompts.asked(j)
        self.to_prefill(j, j.prompt - j.hit, j.hit)

    def _stays_in_b(self, j: Journey) -> bool:
        """Selective prefill, by what prefill in B would have to compute; A's cache is told."""
        hit = self.drc.hit(j)
        if not prefills_in_b(self.policy, j.prompt - hit):
            return False
        self.prompts.asked_elsewhere(j)
        j.pipeline = PB_MD
        j.hit = hit
        return True

    def to_prefill(self, j: Journey, new_tokens: float, cached_tokens: float) -> None:
        """Queue `j` at the prefill instance of its site with the least work left."""
        now = self.clock._now
        pool = self.prefill
        if j.pipeline == PB_MD and self.prefill_b is not None:
            pool = self.prefill_b
        j.stage = PREFILL
        index = pool.choose(now)
        j.p_instance = index
        if index < 0:
            self.homeless.append(j.number)
            return
        instance = pool.instances[index]
        start = instance.free_s if instance.free_s > now else now
        seconds = pool.seconds(new_tokens, cached_tokens)
        pool.busy_s += seconds
        instance.free_s = j.due = start + seconds
        j.prefill_start = start
        self.clock.at(j.due, PREFILLED, j.number)
        if self.policy.layerwise_transfer and self.line is not None and j.pipeline != PB_MD:
            self.clock.at(piece_due(j, 1), PIECE, j.number << PIECE_BITS | 1)

    def prefilled(self, number: int) -> None:
        """Prefill has ended: KV goes its way."""
        now = self.clock._now
        j = self.live.get(number)
        if j is None or j.stage != PREFILL or j.due != now:
            return  # its instance was lost meanwhile
        j.prefill_end = now
        if not j.redone:
            if j.first_turn:
                self.drc.first_turn(j)
            self.prompt_tokens += j.prompt
            self.hit_tokens += j.hit
        if self.line is None:
            j.pipeline = P_D
            j.stage = TO_MAIN
            self.counts["routed_same_site"] += 1
            self._rdma(j, self.rdma_bytes_per_s, self.rdma_setup_s)
        elif j.pipeline == PB_MD:
            self._beside(j)
        else:
            self._route(j, self.line)

    def _beside(self, j: Journey) -> None:
        """KV stays in B: nothing crosses, and main decode has held what was a hit."""
        j.stage = TO_MAIN
        self.counts["prefilled_in_b"] += 1
        j.md_hit = j.hit
        if not j.redone:
            self.md_hit_tokens += j.md_hit
        site = self.site_b
        self._rdma(j, site.rdma_gbytes_per_s * 1e9, site.rdma_setup_ms / 1e3)

    def _route(self, j: Journey, line: SharedLine) -> None:
        begun = j.flow in line.pieces
        if begun:
            before, nbytes = None, j.nbytes
            unsent, others = line.unsent(j.flow, self.clock._now)
        else:
            nbytes, before = self._need(j, line)
            unsent, others = nbytes, line.alive
        if not j.redone:
            self.md_hit_tokens += j.md_hit
        capacity = 0.0 if line.cut else line.capacity
        j.estimate = estimate_seconds(unsent, capacity, line.flow_cap, others, self.rtt_s)
        pipeline = self._choose(j)
        j.pipeline = pipeline
        self.counts[ROUTED[pipeline]] += 1
        if pipeline == P_MD or pipeline == P_RLD_MD:
            if begun:
                line.feed_last(j.flow, self.clock._now)
            else:
                self._send(j, line, nbytes, before)
        elif begun:
            self.withdraw(j)
        if pipeline == P_MD:
            j.stage = TO_MAIN
        else:
            j.stage = TO_RELAY
            self._rdma(j, self.rdma_bytes_per_s, self.rdma_setup_s)

    def _need(self, j: Journey, line: SharedLine) -> tuple[float, Flow | None]:
        """Bytes that must cross, and the flow on which the others are crossing already."""
        policy = self.policy
        held = j.hit if policy.drc_held_aligned else self.drc.held(j)
        before = self._in_flight(j, line) if policy.in_flight_deduplication else None
        if before is not None and before.prompt > held:
            held = before.prompt
        else:
            before = None
        need = tokens_to_send(j.prompt, j.hit, held)
        j.md_hit = j.prompt - need
        if self.kv_profile is not None:
            return added(self.kv_profile, need, j.md_hit), before
        return kv_bytes(need, self.kv_per_token, self.state_bytes), before

    def _choose(self, j: Journey) -> int:
        relay = self.relay
        least = None if relay is None else relay.least_used()
        if relay is None or least is None:
            return P_MD
        itl = least.itl if least.batch else relay.lone_step_s(j.prompt) / relay.tokens_per_step
        return choose_pipeline(self.policy, j.estimate, j.predicted, itl, self.gate_closed)

    def _in_flight(self, j: Journey, line: SharedLine) -> Flow | None:
        """The session's longest prompt that is still crossing."""
        mine = [f for f in line.flows.values() if f.session == j.session]
        return max(mine, key=lambda f: f.prompt, default=None)

    def session_ended(self, session: int) -> None:
        """No more turns of `session` will come; the caches are told what they may not act on."""
        self.drc.ended(session)
        self.prompts.ended(session)

    # --- transfers

    def _rdma(self, j: Journey, bytes_per_s: float, setup_s: float) -> None:
        """The whole prompt's KV by RDMA, uncontended."""
        j.due = self.clock._now + self.whole_bytes(j) / bytes_per_s + setup_s
        self.clock.at(j.due, RDMA_DONE, j.number)

    def whole_bytes(self, j: Journey) -> float:
        """KV bytes of the whole prompt."""
        if self.kv_profile is not None:
            return value(self.kv_profile, j.prompt)
        return j.prompt * self.kv_per_token + self.state_bytes

    def rdma_done(self, number: int) -> None:
        """KV is beside RLD, or on one site beside decode."""
        j = self.live.get(number)
        if j is None or j.due != self.clock._now:
            return
        if j.stage == TO_RELAY:
            self.relay_ready(j)
        elif j.stage == TO_MAIN:
            j.landed = j.due
            if j.pipeline == PB_MD:
                self.drc.landed(j)
            self.main_ready(j)

    def piece(self, integer: int) -> None:
        """A group of layers is prefilled and goes on the line; the last one goes when routed."""
        number, count = integer >> PIECE_BITS, integer & (PIECES - 1)
        j, line, now = self.live.get(number), self.line, self.clock._now
        if j is None or line is None or j.stage != PREFILL or piece_due(j, count) != now:
            return  # its instance was lost meanwhile
        if not self.policy.layerwise_transfer or (count > 1) != (j.flow in line.pieces):
            return
        if count == 1:
            self._begin(j, line)
        if j.flow in line.pieces:
            line.feed(j.flow, j.nbytes / PIECES, now)
            if count + 1 < PIECES:
                self.clock.at(piece_due(j, count + 1), PIECE, integer + 1)

    def _begin(self, j: Journey, line: SharedLine) -> None:
        """A flow whose bytes come group by group; none where nothing must cross."""
        if j.first_turn and not j.redone:
            self.drc.first_turn(j)
        nbytes, before = self._need(j, line)
        if nbytes > 0:
            j.nbytes = nbytes
            flow = line.open(j, nbytes, self.clock._now)
            if before is not None:
                flow.after = before.number
            j.flow = flow.number
            j.landed = NEVER

    def withdraw(self, j: Journey) -> None:
        """Stop a transfer that began before the end of prefill; what has crossed is of no use."""
        line = self.line
        if line is None or j.flow not in line.pieces:
            return
        number, j.flow, j.nbytes = j.flow, NOWHERE, 0.0
        line.cancel(number, self.clock._now)
        for follower in self.waiting.pop(number, ()):
            self.landed(follower)

    def _send(self, j: Journey, line: SharedLine, nbytes: float, before: Flow | None) -> None:
        j.nbytes = nbytes
        flow = line.join(j, nbytes, self.clock._now)
        if before is not None:
            flow.after = before.number
        j.flow = flow.number
        j.landed = NEVER
        if not flow.on_line:
            self._tail(flow)

    def line_timer(self, version: int) -> None:
        """Flows leave the line; their last bytes still travel."""
        line = self.line
        assert line is not None
        for flow in line.departed(version, self.clock._now):
            self._tail(flow)

    def _tail(self, flow: Flow) -> None:
        line, settings = self.line, self.line_settings
        assert line is not None and settings is not None
        delay = 0.5 * self.rtt_s + flow.u_jitter * self.jitter_s
        if settings.slow_start:
            delay += slow_start_seconds(flow.nbytes, line.flow_cap, self.rtt_s, self.window_bytes)
        if flow.u_timeout < settings.timeout_share:
            delay += settings.timeout_s
        self.clock.at(self.clock._now + delay, LANDED, flow.number)

    def landed(self, number: int) -> None:
        """KV has landed beside MD: the DRC holds it, and its request may take a slot."""
        line = self.line
        assert line is not None
        flow = line.flows.get(number)
        if flow is None:
            return  # cancelled
        if flow.after in line.flows:  # its first part still crosses with the turn before
            self.waiting.setdefault(flow.after, []).append(number)
            return
        del line.flows[number]
        self.counts["landed"] += 1
        self.drc.landed(flow)
        j = self.live.get(flow.request)
        if j is not None and j.flow == number and j.m_instance == NOWHERE:
            j.landed = self.clock._now
            self.main_ready(j)
        for follower in self.waiting.pop(number, ()):
            self.landed(follower)
