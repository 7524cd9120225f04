"""Prefill, routing and the line: a request's way until its KV is beside a decode pool.

After prefill it goes by policy directly to main decode (P-MD), to relay decode and main decode at
once (P-RLD-MD), or to relay decode only (P-RLD); on one site by RDMA to decode (P-D).
"""

from __future__ import annotations

from ..physics.chip import prefill_seconds
from ..physics.kv import kv_bytes, tokens_to_send
from ..physics.line import estimate_seconds, slow_start_seconds
from ..policy import P_D, P_MD, P_RLD_MD, choose_pipeline
from .decoding import Decoding
from .deployment import LANDED, PREFILLED, RDMA_DONE
from .journey import NEVER, NOWHERE, PREFILL, TO_MAIN, TO_RELAY, Journey
from .line import Flow, SharedLine

ROUTED = ("routed_main", "routed_relay", "routed_local", "routed_filtered", "routed_same_site")


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
        j.hit = self.prompts.hit(j)
        self.to_prefill(j, j.prompt - j.hit, j.hit)

    def to_prefill(self, j: Journey, new_tokens: float, cached_tokens: float) -> None:
        """Queue `j` at the prefill instance with the least work left."""
        now = self.clock._now
        pool = self.prefill
        j.stage = PREFILL
        index = pool.choose(now)
        j.p_instance = index
        if index < 0:
            self.homeless.append(j.number)
            return
        instance = pool.instances[index]
        start = instance.free_s if instance.free_s > now else now
        seconds = prefill_seconds(pool.cost, new_tokens, cached_tokens)
        pool.busy_s += seconds
        instance.free_s = j.due = start + seconds
        j.prefill_start = start
        self.clock.at(j.due, PREFILLED, j.number)

    def prefilled(self, number: int) -> None:
        """Prefill has ended: KV goes its way."""
        now = self.clock._now
        j = self.live.get(number)
        if j is None or j.stage != PREFILL or j.due != now:
            return  # its instance was lost meanwhile
        j.prefill_end = now
        self.prompts.computed(j)
        if not j.redone:
            if j.first_turn:
                self.drc.first_turn(j)
            self.prompt_tokens += j.prompt
            self.hit_tokens += j.hit
        if self.line is None:
            j.pipeline = P_D
            j.stage = TO_MAIN
            self.counts["routed_same_site"] += 1
            self._rdma(j)
        else:
            self._route(j, self.line)

    def _route(self, j: Journey, line: SharedLine) -> None:
        policy = self.policy
        held = j.hit if policy.drc_held_aligned else self.drc.held(j)
        before = self._in_flight(j, line) if policy.in_flight_deduplication else None
        if before is not None and before.prompt > held:
            held = before.prompt
        else:
            before = None
        need = tokens_to_send(j.prompt, j.hit, held)
        j.md_hit = j.prompt - need
        if not j.redone:
            self.md_hit_tokens += j.md_hit
        nbytes = kv_bytes(need, self.kv_per_token, self.state_bytes)
        capacity = 0.0 if line.cut else line.capacity
        j.estimate = estimate_seconds(nbytes, capacity, line.flow_cap, line.alive, self.rtt_s)
        pipeline = self._choose(j)
        j.pipeline = pipeline
        self.counts[ROUTED[pipeline]] += 1
        if pipeline == P_MD or pipeline == P_RLD_MD:
            self._send(j, line, nbytes, before)
        if pipeline == P_MD:
            j.stage = TO_MAIN
        else:
            j.stage = TO_RELAY
            self._rdma(j)

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

    def _rdma(self, j: Journey) -> None:
        """The whole prompt's KV by RDMA, uncontended."""
        nbytes = j.prompt * self.kv_per_token + self.state_bytes
        j.due = self.clock._now + nbytes / self.rdma_bytes_per_s + self.rdma_setup_s
        self.clock.at(j.due, RDMA_DONE, j.number)

    def rdma_done(self, number: int) -> None:
        """KV is beside RLD, or on one site beside decode."""
        j = self.live.get(number)
        if j is None or j.due != self.clock._now:
            return
        if j.stage == TO_RELAY:
            self.relay_ready(j)
        elif j.stage == TO_MAIN:
            j.landed = j.due
            self.main_ready(j)

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
