"""The claims page: every published figure beside ours, with its story."""

from __future__ import annotations

from functools import cache

import streamlit as st

from twin.reproduction.stored import Measured, measured

from ..claims.basis import constant_table, override_table, tensions
from ..claims.board import KEY, board, counts
from ..claims.one import asked, explained
from ..claims.other import other
from ..guarded import page_fragment
from ..heads import head
from ..state import PageState
from ..texts.claims import CLAIMS

DEFAULTS = {"claim": "C09", "seeds": 6}

STYLE = """
@media (min-width: 641px) { .st-key-claim-detail { position: sticky; top: 4.5rem; } }
@media (max-width: 640px) {
  .st-key-claims > div > [data-testid="stHorizontalBlock"] { flex-direction: column-reverse; }
  .st-key-claims > div > div > [data-testid="stColumn"] { width: 100%; flex: none; }
}
.st-key-claim-detail { scroll-margin-top: 4.5rem; }
"""


@cache
def _stored() -> Measured:
    return measured()


@page_fragment("claims")
def show() -> None:
    """Draw the page."""
    page = PageState("claims", DEFAULTS)
    stored = _stored()
    head(CLAIMS["title"], CLAIMS["lead"])
    st.html(f"<style>{STYLE}</style>")
    counts(stored)
    known = {one.claim: one for one in stored.claims}
    one = known.get(page["claim"], known[DEFAULTS["claim"]])

    def pressed() -> None:
        page.put("claim", st.session_state[KEY]["pressed"])

    with st.container(key="claims"):
        left, right = st.columns([2.5, 1])
    with right, st.container(key="claim-detail", border=True):
        fresh = asked(page, one)
        explained(one, fresh)
    with left:
        board(stored, one.claim, fresh, pressed)
    tensions()
    other()
    override_table()
    constant_table()
