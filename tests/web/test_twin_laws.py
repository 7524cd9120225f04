"""Whatever is done to a running twin in whatever order, its state is that of its log (law L6)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .reference import made_of, replayed

TURNS = st.sampled_from(
    [
        ("line.bandwidth_gbps", 5.0), ("line.bandwidth_gbps", 25.0), ("line.rtt_ms", 80.0),
        ("workload.clients", 60), ("workload.clients", 20), ("policy.p_rld", True),
        ("policy.relay_threshold_s", 0.1), ("main_decode.instances", 3),
        ("caches.drc_enabled", False), ("workload.hit_shares", [0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]),
    ]
)  # fmt: skip

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("turn"), TURNS),
        st.tuples(st.just("go"), st.floats(1, 400)),
        st.tuples(st.just("happen"), st.sampled_from(["line_cut", "line_back"])),
        st.tuples(st.just("rewind"), st.floats(0, 1)),
        st.tuples(st.just("fork"), st.floats(0, 1)),
        st.tuples(st.just("fork now"), st.none()),
        st.tuples(st.just("look"), st.none()),
    ),
    min_size=3,
    max_size=8,
)


def carry_out(client, server, twin, steps):
    """Do all steps; the twin that is left, which may be a fork."""
    for what, how in steps:
        now = client.twin(twin)["t"]
        if what == "turn":
            client.turn(twin, *how)
        elif what == "go":
            server.advance(twin, now + how)
        elif what == "happen":
            client.happen(twin, how)
        elif what == "rewind":
            client.rewind(twin, how * now)
        elif what == "look":
            client.frame(twin)
            client.courses_csv(twin)
        else:
            twin = client.fork(twin, None if how is None else how * now)["id"]
    return twin


@settings(
    max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=STEPS)
def test_state_is_a_function_of_the_log(client, server, small, steps):
    server.advance(client.rewind(small, 0)["id"], 1)
    scenario, baseline = made_of(client, small)
    others = {twin["id"] for twin in client.twins()}
    left = carry_out(client, server, small, steps)
    said, log = client.digest(left), client.log(left)
    assert [entry["number"] for entry in log] == list(range(1, len(log) + 1))
    assert said["entry"] == len(log)
    assert replayed(scenario, baseline, 0, log, said["t"]).digest() == said["digest"]
    for twin in client.twins():
        if twin["id"] not in others and not twin["shared"]:  # which may have come meanwhile
            client.delete_twin(twin["id"])
