"""The service that the pages belong to: its API, asked over its own address."""

from __future__ import annotations

import os
from functools import lru_cache

import streamlit as st

from ..client import Client
from ..settings import read

TOKEN = "service_token"
"""Where a session keeps the token that its visitor gave."""


def client() -> Client:
    """The API as this visitor may use it: with the token that was given on a page, if any."""
    return _client(read(os.environ).address, st.session_state.get(TOKEN))


@lru_cache(maxsize=64)
def _client(address: str, token: str | None) -> Client:
    return Client(address, token)
