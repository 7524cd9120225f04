"""Every operation of the API's own description, with input drawn from it: no answer is a 500."""

from __future__ import annotations

import itertools
from urllib.parse import urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.core.result import Ok

SLOW = {
    ("post", "/twins"), ("post", "/twins/{twin_id}/fork"), ("get", "/runs/{run_id}/events"),
    ("post", "/runs"), ("post", "/traces"),
}  # fmt: skip
"""Operations that may start a process: fewer examples of these."""


UNIMPORTANT = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]


@pytest.fixture(scope="session")
def description(server):
    with server.client() as client:
        return client.ask("GET", "/openapi.json").json()


def shape_of_errors(response):
    path = urlsplit(response.request.url).path
    if response.status_code >= 400 and path.startswith("/api/"):  # ".." may lead out of it
        assert "application/json" in response.headers["content-type"], response.request.url
        error = response.json()["error"]
        assert set(error) == {"code", "message", "problems"}
        assert isinstance(error["message"], str) and error["message"]


def examples_of(operation):
    method, path = operation.method.lower(), operation.path
    return (
        3 if (method, path) in SLOW or (method == "post" and path.startswith("/studies/")) else 12
    )


def no_input_breaks(operation, address, known):
    """Sends what is drawn from the description, every second time about something there is."""
    turn = itertools.count()

    @settings(
        max_examples=examples_of(operation), phases=[Phase.generate], database=None,
        suppress_health_check=UNIMPORTANT, deadline=None,
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def send(case):
        if operation.method.upper() != "DELETE" and next(turn) % 2:
            case.path_parameters |= {k: v for k, v in known.items() if k in case.path_parameters}
        response = case.call(base_url=address, timeout=60)
        assert response.status_code < 500, response.text
        shape_of_errors(response)

    send()


def test_no_input_breaks_an_operation(server, description, small):
    schema = schemathesis.openapi.from_dict(description)
    known = {"twin_id": small, "name": "pdd_43a_32b", "trace_id": "agents_small"}
    before = set(server.house.twins.twins)
    seen = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        seen.append((operation.method.lower(), operation.path))
        no_input_breaks(operation, f"{server.settings.address}/api", known)
    assert set(seen) >= SLOW
    assert len(seen) > 25
    with server.client() as client:
        assert client.health()["status"] == "ok"
        for twin in set(server.house.twins.twins) - before:
            client.delete_twin(twin)
