"""A store on each kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from db.opening import open_store
from db.store import Store


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def address(request, tmp_path) -> str:
    """The address of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'twin.sqlite3'}"
    return request.getfixturevalue("postgresql").new_database()


@pytest.fixture
def store(address) -> Iterator[Store]:
    opened = open_store(address)
    yield opened
    opened.close()
