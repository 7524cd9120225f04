"""What sets the deployments apart, in sentences, a paragraph for each but the baseline."""

from __future__ import annotations

from typing import Any

import streamlit as st

from ..texts.compare import WORDS


def words(answer: dict[str, Any]) -> None:
    """Say it; names are text and never markup."""
    for one in answer["differences"]:
        st.text(WORDS["against"].format(name=one["scenario"], first=one["baseline"]))
        st.text(" ".join(one["sentences"]))
