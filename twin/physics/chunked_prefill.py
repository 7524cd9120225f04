"""Prefill in chunks of equal size: how long it takes when each chunk reads the weights anew."""

from __future__ import annotations


def chunked_seconds(
    new_tokens: float,
    cached_tokens: float,
    chunk_tokens: int,
    overhead_s: float,
    weights_s: float,
    flop_per_token: float,
    flop_per_pair: float,
    flop_per_s: float,
) -> float:
    """Time to prefill `new_tokens` behind `cached_tokens`, chunk by chunk, in s.

    A chunk of c tokens behind x takes max(weights, [f c + a c (x + c/2)] / F) + t0; the last one
    is what is left. With one chunk and no time for the weights this is a prefill as a whole.
    """
    total, behind, left = 0.0, cached_tokens, new_tokens
    while True:
        now = min(left, chunk_tokens)
        flop = flop_per_token * now + flop_per_pair * now * (behind + 0.5 * now)
        total += max(weights_s, flop / flop_per_s) + overhead_s
        behind, left = behind + now, left - now
        if left <= 0:
            return total
