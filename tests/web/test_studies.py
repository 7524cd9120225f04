"""Studies: named computations that are asked for, deduplicated and followed as runs."""

from __future__ import annotations

import pytest

from twin.differences import differences
from twin.scenario_file import load, shipped_folder, with_settings
from twin.search import capacity
from twin.side_by_side import side_by_side
from web.api.study_shelf import shelf
from web.client import ClientError

TWO = [{"scenario": "same_dc_88a"}, {"scenario": "pdd_43a_32b"}]
SHORT = {"requests": 2000}


def ended(client, run_id):
    for _ in client.run_events(run_id):
        pass
    return client.run(run_id)


def test_each_study_tells_its_arguments(client):
    told = {one["name"]: one for one in client.studies()}
    assert set(told) == set(shelf()) >= {"compare"}
    for one in told.values():
        assert one["doc"].endswith(".")
        for name, field in one["arguments"]["properties"].items():
            assert field.get("description"), f"{one['name']}: {name} has no sentence"


def scenarios(**settings):
    names = [one["scenario"] for one in TWO]
    return [with_settings(load(shipped_folder() / f"{name}.yaml"), settings) for name in names]


def test_a_comparison_says_what_the_same_comparison_here_says(client):
    asked = client.ask_study("compare", {"deployments": TWO, "requests": 2000, "seeds": 2})
    said = ended(client, asked)
    assert (said["status"], said["kind"], said["study"]) == ("done", "study", "compare")
    assert said["scenario_name"] == "compare"
    here = side_by_side(scenarios(**{"run.requests": 2000}), (0, 1))
    for mine, theirs in zip(said["result"]["deployments"], here, strict=True):
        assert mine["ttft_curve"]["seconds"] == list(theirs.ttft_s)
        assert mine["stacks"]["tail"] == theirs.stacks["tail"].stages
        assert mine["ttft_s"]["p50"] == sum(run.ttft_s.p50 for run in theirs.runs) / 2
        assert mine["sd"]["ttft_s"]["p50"] > 0
    told = [list(one.sentences) for one in differences(here)]
    assert [one["sentences"] for one in said["result"]["differences"]] == told


def test_capacities_are_those_of_a_search(client):
    short = {"requests": 3000, "shared": {"workload.clients": 150}}
    said = ended(client, client.ask_study("capacities", {"deployments": TWO, **short}))["result"]
    here = scenarios(**{"run.requests": 3000, "workload.clients": 150})
    found = [one["capacity_rps"] for one in said["deployments"]]
    assert found == [capacity(scenario, 0).rps for scenario in here]
    first, second = said["deployments"]
    ratio = (found[1] / second["cost"]) / (found[0] / first["cost"])
    assert (first["bcr"], second["bcr"]) == (1.0, pytest.approx(ratio))
    assert second["bcr_high_price"] < second["bcr"]


def test_the_same_study_is_not_computed_twice(client):
    first = client.ask_study("compare", {"deployments": TWO, **SHORT, "seeds": 2})
    assert client.ask_study("compare", {"deployments": TWO, "seeds": 2, **SHORT}) == first
    ended(client, first)
    values = client.scenario("pdd_43a_32b")["scenario"]
    by_value = [TWO[0], {"scenario": values}]
    assert client.ask_study("compare", {"deployments": by_value, **SHORT, "seeds": 2}) == first
    other = [TWO[0], {"scenario": "pdd_43a_32b", "set": {"line.bandwidth_gbps": 25}}]
    assert client.ask_study("compare", {"deployments": other, **SHORT, "seeds": 2}) != first


def test_at_equal_rate_all_serve_the_baselines(client):
    asked = client.ask_study("compare", {"deployments": TWO, "load": "rate", "requests": 4000})
    first, second = ended(client, asked)["result"]["deployments"]
    assert second["clients"] != first["clients"]
    assert second["throughput_rps"] == pytest.approx(first["throughput_rps"], rel=0.03)


def test_two_of_one_scenario_have_names_of_their_own(client):
    wide = {"scenario": "pdd_43a_32b", "set": {"line.bandwidth_gbps": 100}}
    run = client.ask_study("compare", {"deployments": [TWO[1], wide], "requests": 2000})
    said = ended(client, run)["result"]
    assert [one["name"] for one in said["deployments"]] == ["pdd_43a_32b 1", "pdd_43a_32b 2"]
    assert said["differences"][0]["scenario"] == "pdd_43a_32b 2"
    assert said["deployments"][1]["values"]["line"]["bandwidth_gbps"] == 100


@pytest.mark.parametrize(
    ("wrong", "place", "says"),
    [
        ({"deployments": TWO[:1]}, "deployments", "at least 2"),
        ({"deployments": TWO, "seeds": 7}, "seeds", "less than or equal to 6"),
        ({"deployments": TWO, "seeds": "1"}, "seeds", "integer"),
        ({"deployments": TWO, "seads": 1}, "seads", "not known"),
        ({"deployments": [TWO[0], {**TWO[1], "set": {"line.bandwith_gbps": 25}}]},
         "deployments.1.line.bandwith_gbps", "bandwidth_gbps"),
        ({"deployments": TWO, "shared": {"workload.clients": 0}}, "workload.clients", "at least 1"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_at_once(client, wrong, place, says):
    with pytest.raises(ClientError) as refused:
        client.ask_study("compare", wrong)
    assert refused.value.status == 422
    assert place in [problem["place"] for problem in refused.value.problems]
    assert says in refused.value.message


def test_what_is_not_there_is_told(client):
    with pytest.raises(ClientError, match=r"there are .*compare") as refused:
        client.ask_study("compere", {})
    assert refused.value.status == 404
    with pytest.raises(ClientError, match="there is no scenario 'nowhere'"):
        client.ask_study("compare", {"deployments": [TWO[0], {"scenario": "nowhere"}]})


def test_a_study_is_cancelled_as_a_run_is(client):
    long = {"deployments": TWO, "requests": 100_000, "seeds": 6}
    asked = client.ask_study("compare", long)
    client.cancel_run(asked)
    assert client.run(asked)["status"] == "cancelled"
    again = client.ask_study("compare", long)
    assert again != asked
    client.cancel_run(again)


def test_a_quick_study_passes_the_runs_that_wait(client):
    long = client.ask_run("bench_4p4d", seed=31, set={"run.requests": 900_000})
    asked = client.ask_study("compare", {"deployments": TWO, "requests": 2100})
    assert ended(client, asked)["status"] == "done"
    assert client.run(long)["status"] == "running"
    client.cancel_run(long)
