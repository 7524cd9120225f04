"""KV bytes: what has to cross the line, and what MD holds after a local finish."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from twin.physics.kv import held_after_local_finish, kv_bytes, tokens_to_send

TOKENS = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("prompt", "hit", "held", "need"),
    [
        (100, 90, 100, 10),
        (100, 90, 40, 60),
        (100, 90, 0, 100),
        (100, 100, 110, 0),
        (100, 0, 99, 100),
    ],
)
def test_what_has_to_cross(prompt: float, hit: float, held: float, need: float) -> None:
    assert tokens_to_send(prompt, hit, held) == need


@given(TOKENS, st.floats(0, 1), TOKENS)
def test_never_more_than_the_prompt_never_less_than_what_is_new(
    prompt: float, share: float, held: float
) -> None:
    hit = share * prompt
    need = tokens_to_send(prompt, hit, held)
    assert prompt - hit <= need <= prompt


def test_bytes() -> None:
    assert kv_bytes(1000, 46_488, 0) == 46.488e6
    assert kv_bytes(1000, 46_488, 5e6) == 51.488e6
    # C11: 80 requests of 65,536 tokens at 4.39 KB/token: 23 GB, above 180 Gbps if sent in 1.02 s
    total = kv_bytes(80 * 65_536, 4390, 0)
    assert total == pytest.approx(23.0e9, rel=0.002)
    assert total * 8 / 1.02 > 180e9


@given(TOKENS, TOKENS)
def test_a_local_finish_never_adds(held: float, hit: float) -> None:
    left = held_after_local_finish(held, hit)
    assert left == min(held, hit)
