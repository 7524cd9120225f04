"""Pure decisions of routing and handoff; they see estimates and predictions, never the truth."""

from __future__ import annotations

from typing import Literal

from .scenario import Policy

P_MD, P_RLD_MD, P_RLD, SINGULAR, P_D = range(5)
PB_MD = 6
"""Pipelines: direct, relayed, finished on RLD, kept on RLD by the filter, same-site; and prefilled
in B beside main decode. 5 is left to the pages, for transfers whose request is over."""

PIPELINES = ("P-MD", "P-RLD-MD", "P-RLD", "P-RLD filtered", "P-D", "", "PB-MD")
LOCAL = (P_RLD, SINGULAR)


def choose_pipeline(
    policy: Policy,
    estimate_s: float,
    predicted_output_tokens: float,
    relay_itl_s: float,
    gate_closed: bool,
) -> int:
    """The pipeline of a request whose prefill has ended and that could be relayed.

    Order: singular filter, P-RLD, relay, direct. `estimate_s` is the router's T_est;
    `predicted_output_tokens` carries a stated error. A closed gate sends those that would finish
    locally under P-RLD to main decode directly; relays go on.
    """
    if (
        policy.singular_filter
        and predicted_output_tokens < policy.singular_max_output_tokens
        and predicted_output_tokens * relay_itl_s < estimate_s
    ):
        return SINGULAR
    if policy.p_rld and estimate_s > policy.p_rld_threshold_s:
        return P_MD if gate_closed else P_RLD
    if estimate_s > policy.relay_threshold_s:
        return P_RLD_MD
    return P_MD


def prefills_in_b(policy: Policy, uncached_tokens: float) -> bool:
    """Whether selective prefill keeps a request in B: no more uncached tokens than the threshold.

    `uncached_tokens` is what prefill in B would have to compute; prefills above the threshold go
    to A, and their KV crosses the line. The rule is that of arXiv 2604.15039.
    """
    threshold = policy.selective_threshold_tokens
    return policy.selective_prefill and (threshold is None or uncached_tokens <= threshold)


def gate_next(policy: Policy, closed: bool, least_slots_used: int) -> bool:
    """Whether the load gate is closed now: closes at the upper mark, opens at the lower one."""
    if least_slots_used >= policy.load_gate_high:
        return True
    if least_slots_used <= policy.load_gate_low:
        return False
    return closed


def handoff_mode(
    policy: Policy, eager_tokens: int, relay_busy: bool
) -> Literal["one_shot", "catch_up"]:
    """One-shot or catch-up for a handoff of `eager_tokens`.

    Mode auto goes by their number; with the load switch on, by RLD's load (`relay_busy`).
    """
    if policy.handoff_mode != "auto":
        return policy.handoff_mode
    if policy.handoff_load_switch:
        return "one_shot" if relay_busy else "catch_up"
    return "one_shot" if eager_tokens <= policy.handoff_auto_tokens else "catch_up"


def relay_busy_next(policy: Policy, busy: bool, used_share: float) -> bool:
    """Whether RLD counts as busy now, with hysteresis on its share of slots in use."""
    if used_share > policy.handoff_load_high:
        return True
    if used_share < policy.handoff_load_low:
        return False
    return busy
