"""Bad input: a sentence that names the place, the value and what would be right; all goes on.

Each case is checked for its sentence, and that the running twin's digest stays as it was.
"""

from __future__ import annotations

import gzip

import pytest

from web.client import ClientError

BANDWIDTH = "line.bandwidth_gbps"

BASE = "extends: pdd_43a_32b.yaml\nname: mine\n"

SCENARIOS = {
    "wrong YAML": ("name: [x\nmodel", "scenario:3: cannot be read as YAML"),
    "no mapping": ("- 1\n- 2", "scenario is no mapping"),
    "an anchor": (f"{BASE}line: &a {{rtt_ms: 1}}", "anchors and aliases are not taken"),
    "an unknown key": (f"{BASE}line: {{bandwith_gbps: 5}}", "did you mean line.bandwidth_gbps?"),
    "a key twice": (f"{BASE}slo: {{total_s: 1, total_s: 2}}", "is given twice: keep one"),
    "a negative value": (f"{BASE}line: {{rtt_ms: -3}}", "line.rtt_ms is -3: give a number at"),
    "an absurd value": (f"{BASE}workload: {{clients: 99999999}}", "at most 200,000"),
    "NaN": (f"{BASE}line: {{rtt_ms: .nan}}", "line.rtt_ms is .nan"),
    "Infinity": (f"{BASE}line: {{rtt_ms: .inf}}", "line.rtt_ms is .inf"),
    "a pool of no chips": (f"{BASE}prefill: {{instances: 0}}", "prefill.instances is 0"),
    "a model that does not fit": (
        f"{BASE}main_decode: {{chips_per_instance: 2}}", "pdd_744b needs 395 GB for weights",
    ),
    "a file outside": ("extends: ../../etc/passwd\nname: x", "give the name of a file beside it"),
    "too large": (f"{BASE}story: {'x' * 300_000}", "take at most 256 KB"),
    "too deep": (f"{BASE}a: " + "[" * 50 + "]" * 50, "nests deeper than 32 levels"),
    "a text for a number": (f"{BASE}line: {{rtt_ms: '21'}}", "line.rtt_ms is '21'"),
    "shares that do not sum": (
        f"{BASE}workload: {{hit_shares: [1, 1, 1, 1, 1, 1, 1]}}", "must sum to 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SCENARIOS)
def test_scenarios(client, case):
    text, sentence = SCENARIOS[case]
    problems = client.check_scenario(text)
    told = [f"{p['place']} is {p['found']}: {p['remedy']}" for p in problems]
    assert any(sentence in one.replace(" is : ", ": ") for one in told), told
    with pytest.raises(ClientError) as refused:
        client.save_scenario(text)
    assert (refused.value.status, refused.value.code) == (422, "scenario_invalid")
    assert refused.value.problems == problems


TURNS = {
    "no such setting": ("line.bandwith", 5, "line.bandwith is unknown: did you mean line."),
    "a group": ("line", 5, "line is a group: name one of its settings"),
    "a setting that cannot be turned": (
        "prefill.chips_per_instance", 9, "cannot be turned while the twin runs",
    ),
    "the model": ("model.weights_gb", 1, "KV caches in flight belong to the model"),
    "a negative value": (BANDWIDTH, -1, "line.bandwidth_gbps is -1: give a number above 0"),
    "an absurd value": (BANDWIDTH, 1e12, "at most 1,000,000, in Gbps"),
    "a whole number beyond all bounds": ("workload.clients", 10**30, "at most 200,000"),
    "a text": (BANDWIDTH, "wide", "line.bandwidth_gbps is 'wide'"),
    "a look-alike": (BANDWIDTH, "8", "line.bandwidth_gbps is '8'"),
    "a switch for a number": (BANDWIDTH, True, "line.bandwidth_gbps is true"),
    "nothing": ("workload.clients", None, "workload.clients is null"),
    "a mapping": (BANDWIDTH, {"a": 1}, "line.bandwidth_gbps is {'a': 1}"),
    "shares that do not sum": ("workload.hit_shares", [0.5] * 7, "must sum to 1"),
    "six shares": ("workload.hit_shares", [1 / 6] * 6, "seven shares"),
    "marks that cross": ("policy.load_gate_low", 60, "must be below load_gate_high (50)"),
    "a pool of no instances": ("main_decode.instances", 0, "main_decode.instances is 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", TURNS)
def test_turns(client, small, case):
    setting, value, sentence = TURNS[case]
    before = client.digest(small)
    with pytest.raises(ClientError) as refused:
        client.turn(small, setting, value)
    assert sentence in refused.value.message
    assert (refused.value.status, refused.value.code) == (422, "turn_refused")
    with client.live(small) as viewer, pytest.raises(ClientError) as refused_live:
        viewer.turn(setting, value)
    assert refused_live.value.message == refused.value.message
    assert client.digest(small) == before and client.log(small) == []


BODIES = {
    "NaN": ('{"setting": "line.bandwidth_gbps", "value": NaN}', "value is NaN: give a finite"),
    "Infinity": ('{"setting": "line.bandwidth_gbps", "value": Infinity}', "value is Infinity"),
    "1e999": ('{"setting": "line.bandwidth_gbps", "value": 1e999}', "value is 1e999: give a finit"),
    "the word Infinity": (
        '{"setting": "line.bandwidth_gbps", "value": "Infinity"}', "is 'Infinity': give a number",
    ),
    "a key twice": ('{"setting": "x", "setting": "y", "value": 1}', "'setting' is given twice"),
    "no JSON": ("setting=x", "the body, line 1, column 1: is not JSON"),
    "nothing": ("", "the request is absent"),
    "a list": ("[]", "the request"),
    "an unknown key": ('{"setting": "x", "value": 1, "speed": 2}', "speed is 2: this is not known"),
    "a missing key": ('{"value": 1}', "setting is absent: give it"),
    "half a letter": ('{"setting": "\\ud83d", "value": 1}', "surrogate"),
}  # fmt: skip


@pytest.mark.parametrize("case", BODIES)
def test_bodies(client, small, case):
    body, sentence = BODIES[case]
    before = client.digest(small)
    answer = client.http.post(
        f"/twins/{small}/turns", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422
    assert sentence in answer.json()["error"]["message"]
    assert client.digest(small) == before and client.log(small) == []


MADE = {
    "a pace of nothing": ({"pace": 0}, "pace is 0: should be greater than or equal to 0.1"),
    "a pace beyond all": ({"pace": 1e9}, "less than or equal to 600"),
    "a negative seed": ({"seed": -1}, "seed is -1"),
    "a seed of a half": ({"seed": 0.5}, "seed is 0.5"),
    "warming for ever": ({"warm_s": 1e9}, "warm_s is 1000000000.0"),
    "no such baseline": ({"baseline": "nothing"}, "there is no scenario 'nothing'; shipped are"),
    "an empty scenario": ({"scenario": {}}, "name is absent"),
    "a bad value": ({"set": {BANDWIDTH: -1}}, "line.bandwidth_gbps is -1"),
    "too many values": ({"set": {f"a{i}": 1 for i in range(60)}}, "set"),
    "a title without end": ({"title": "x" * 1000}, "title"),
}


@pytest.mark.parametrize("case", MADE)
def test_making_a_twin(client, case):
    more, sentence = MADE[case]
    before = {twin["id"] for twin in client.twins()}
    with pytest.raises(ClientError) as refused:
        client._said("POST", "/twins", {"scenario": "pdd_43a_32b", **more})
    assert sentence in refused.value.message and refused.value.status in (404, 422)
    assert {twin["id"] for twin in client.twins()} == before


def test_happenings(client, small):
    before = client.digest(small)
    for what, where, sentence in (
        ("instance_lost", {"pool": "main_decode", "instance": 99}, "has 4 instances, from 0"),
        ("instance_back", {"pool": "prefill", "instance": 0}, "only a lost one can come back"),
        ("instance_lost", {}, "instance_lost needs a pool"),
        ("flood", {}, "what is 'flood'"),
        ("instance_lost", {"pool": "kitchen"}, "pool is 'kitchen'"),
        ("instance_lost", {"pool": "prefill", "instance": -1}, "instance is -1"),
    ):
        with pytest.raises(ClientError) as refused:
            client.happen(small, what, **where)
        assert refused.value.status == 422
        assert sentence in refused.value.message
    assert client.digest(small) == before and client.log(small) == []


GOOD_LINE = b'{"timestamp": 0, "input_length": 1024, "output_length": 5, "hash_ids": [1, 2]}\n'

TRACES = {
    "a bad line": (GOOD_LINE + b'{"timestamp": 1, oops\n', "line 2"),
    "a missing timestamp": (
        GOOD_LINE + b'{"input_length": 512, "output_length": 5, "hash_ids": [1]}\n', "timestamp",
    ),
    "ids that do not match the length": (
        GOOD_LINE + b'{"timestamp": 1, "input_length": 5120, "output_length": 5, "hash_ids": [1]}',
        "line 2",
    ),
    "nothing": (b"", "empty"),
    "another format": (b"hello, world\n1, 2\n", "no known format"),
    "a truncated gzip": (gzip.compress(GOOD_LINE * 500)[:-20], "a damaged gzip file"),
    "bytes": (b"\xff\xfe\x00\x01" * 100, "line 1"),
}  # fmt: skip


@pytest.mark.parametrize("case", TRACES)
def test_traces(client, server, case):
    content, sentence = TRACES[case]
    before = client.traces()
    with pytest.raises(ClientError) as refused:
        client.upload_trace(content, "bad.jsonl")
    assert (refused.value.status, refused.value.code) == (422, "trace_invalid")
    told = [" ".join(problem.values()) for problem in refused.value.problems]
    assert any(sentence in one for one in told), told
    assert client.traces() == before
    assert list(server.house.trace_files.folder.glob("incoming-*")) == []


RUNS = {
    "no such trace": ({"trace": "none"}, 404, "there is no trace 'none'"),
    "a comparison with nothing": ({"kind": "compare"}, 422, "baseline is absent: a comparison"),
    "a capacity of a trace": (
        {"kind": "capacity", "trace": "agents_small"}, 422, "a capacity draws its requests",
    ),
    "a run without end": (
        {"set": {"run.requests": 10**8}}, 422, "run.requests is 100000000: at most 1,000,000 here",
    ),
    "an unknown kind": ({"kind": "dream"}, 422, "kind is 'dream'"),
    "a bad value": ({"set": {"workload.clients": 0}}, 422, "workload.clients is 0"),
}  # fmt: skip


@pytest.mark.parametrize("case", RUNS)
def test_runs(client, case):
    more, status, sentence = RUNS[case]
    before = client.runs()
    with pytest.raises(ClientError) as refused:
        client.ask_run("bench_4p4d", **more)
    assert refused.value.status == status and sentence in refused.value.message
    assert client.runs() == before
