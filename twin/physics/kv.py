"""How many KV bytes a request has, and how many of them main decode still needs."""

from __future__ import annotations


def tokens_to_send(prompt_tokens: float, hit_tokens: float, held_tokens: float) -> float:
    """Prompt tokens whose KV must cross: L - min(hL, m_s).

    A token that prefill computed anew is always sent, even if main decode holds one in its place:
    it holds another sequence there.
    """
    return prompt_tokens - (hit_tokens if hit_tokens < held_tokens else held_tokens)


def kv_bytes(tokens: float, bytes_per_token: float, fixed_state_bytes: float) -> float:
    """Bytes of `tokens` of KV cache with the state of a hybrid model that does not grow."""
    return tokens * bytes_per_token + fixed_state_bytes


def held_after_local_finish(held_tokens: float, hit_tokens: float) -> float:
    """What main decode holds of a session whose turn was finished without a transfer.

    The session goes on behind its prefix hL; only the part of it that main decode holds stays an
    unbroken prefix of the latest sequence: min(m_s, hL).
    """
    return held_tokens if held_tokens < hit_tokens else hit_tokens
