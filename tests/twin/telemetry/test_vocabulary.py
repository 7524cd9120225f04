"""The vocabulary: every profile is sound, and what no quantity is read from is listed."""

from __future__ import annotations

import pytest

from twin.telemetry.exposition import read_page
from twin.telemetry.quantities import QUANTITIES
from twin.telemetry.series import Family
from twin.telemetry.vocabulary import (
    alternatives,
    engines_of,
    known_names,
    profiles,
    selectors,
    unmapped,
)


def test_every_profile_speaks_of_known_quantities_in_names_of_its_own():
    for profile in profiles():
        assert profile.prefixes
        for name, several in profile.quantities.items():
            assert name in QUANTITIES
            assert several, (profile.engine, name)
            for one in several:
                own = all(wanted.startswith(profile.prefixes) for wanted in one.wanted())
                assert own or profile.engine == "trtllm", (profile.engine, name, one.names)


def test_every_quantity_can_be_read_from_some_engine():
    assert [name for name in QUANTITIES if not alternatives(name)] == []


def test_selectors_ask_for_every_known_name_and_up():
    asked = "|".join(one.removeprefix('{__name__=~"').removesuffix('"}') for one in selectors())
    assert set(asked.split("|")) == known_names() | {"up"}
    assert all(len(one) < 2_000 for one in selectors())


def test_what_no_quantity_is_read_from_is_listed():
    names = ["vllm:num_requests_running", "vllm:kv_offload_total_bytes_bucket", "my_own_total",
             "vllm:time_to_first_token_seconds_bucket"]  # fmt: skip
    assert unmapped(names) == ("my_own", "vllm:kv_offload_total_bytes")
    announced = {"my_own_total": Family("my_own_total", "gauge")}
    assert unmapped(names, announced)[0] == "my_own_total"
    assert unmapped(["iinference_model_x", "up"]) == ("iinference_model_x",)  # misspelt, not lost
    assert engines_of(names) == ("vllm",)


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("vllm-0.32.0-pd-nixl-decode-load.txt", 25), ("vllm-0.6.6-v0-engine.synthetic.txt", 15),
        ("dynamo-1.6.1-frontend-pd-load.txt", 90), ("node_exporter-1.5.0.txt", 200),
    ],
)  # fmt: skip
def test_a_public_page_loses_nothing(public_metrics, page, least):
    """Each family is either read or listed."""
    found = read_page((public_metrics / page).read_bytes())
    names = {one.name for one, _, _ in found.samples}
    read = {name for name in names if name in known_names()}
    listed = set(unmapped(names))
    assert len(listed) >= least
    engines = tuple(prefix for profile in profiles() for prefix in profile.prefixes)
    for name in names - read:
        if name.startswith(engines):
            assert any(name.startswith(one) for one in listed) or any(
                name.startswith(one.rpartition("_")[0]) for one in known_names()
            ), name
