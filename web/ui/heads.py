"""The head of a page: its title, and in a sentence what it is for."""

from __future__ import annotations

import streamlit as st

FRAME = """
[data-testid="stMainBlockContainer"] { padding: 4.5rem 28px 48px; max-width: 1720px; }
[data-testid="stMainBlockContainer"] h1 { font-size: 26px; font-weight: 650; padding: 0; }
[data-testid="stMainBlockContainer"] h2 { font-size: 18px; font-weight: 650; padding: 14px 0 0; }
[data-testid="stMainBlockContainer"] h3 { font-size: 15px; font-weight: 650; padding: 6px 0 4px; }
[class*="st-key-card-"] { padding: 10px 14px 12px; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: 0.75rem; }
[data-testid="stMainBlockContainer"] [data-testid="stText"] { font-size: 14px; line-height: 1.5; }
@media (max-width: 640px) {
  .st-key-cards > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] {
    flex-wrap: nowrap; overflow-x: auto; scroll-snap-type: x proximity; padding-bottom: 6px;
  }
  .st-key-row-of-two [data-testid="stHorizontalBlock"] {
    display: grid; grid-template-columns: 1fr 1fr; gap: 8px 12px; align-items: end;
  }
  .st-key-row-of-two [data-testid="stColumn"] { min-width: 0; width: auto; }
  .st-key-cards [data-testid="stColumn"] { min-width: 82vw; scroll-snap-align: start; }
  [data-testid="stMainBlockContainer"] { padding: 4.25rem 12px 32px; }
  [data-testid="stMainBlockContainer"] h1 { font-size: 22px; }
}
"""


def head(title: str, lead: str) -> None:
    """Title and lead, and the frame that all pages of this kind have."""
    st.html(f"<style>{FRAME}</style>")
    st.title(title, anchor=False)
    st.caption(lead)


def section(title: str, about: str = "") -> None:
    """The title of a part of a page, with what it shows on hover."""
    st.subheader(title, anchor=False, help=about or None)
