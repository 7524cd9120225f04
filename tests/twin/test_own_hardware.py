"""Own chips and incomplete parts in a scenario file: what is needed, and what is told."""

from __future__ import annotations

import pytest

from twin.engine.run import run
from twin.errors import ScenarioError
from twin.scenario_file import loads

OWN = "{name: mine, peak_tflops: 500, memory_gb: 96, memory_tbytes_per_s: 3, %s}"
FILE = """\
name: own
model: {part: deepseek-v3%(model)s}
prefill: {chip: %(chip)s, instances: 1, chips_per_instance: 16}
main_decode: {chip: %(chip)s, instances: 1, chips_per_instance: 16}
workload: {arrivals: poisson, rate_rps: 0.2, prompt_tokens_mean: 8000}
run: {requests: 60}
prices: {chips: {%(name)s: 1}}
"""


def scenario(chip: str, name: str = "mine", model: str = ""):
    return loads(FILE % {"chip": chip, "name": name, "model": model})


def tpot(of) -> float:
    found = run(of, 0).tpot_s.p50
    assert found is not None
    return found


def test_a_chip_of_four_numbers_runs():
    own = scenario(OWN % "interconnect_gbytes_per_s: 200")
    assert own.main_decode.chip.interconnect_gbytes_per_s == 200
    assert 0.005 < tpot(own) < 0.2


def test_a_slower_interconnect_makes_longer_steps():
    exchange = ", all_to_all_kb_per_token: 9977"
    plain, fast, slow = (
        tpot(scenario(OWN % f"interconnect_gbytes_per_s: {gbytes}", model=sent))
        for gbytes, sent in ((200, ""), (200, exchange), (50, exchange))
    )
    assert plain < fast < slow


def test_an_exchange_without_an_interconnect_is_told():
    with pytest.raises(ScenarioError) as told:
        scenario(OWN % "decode_compute_share: 0.4", model=", all_to_all_kb_per_token: 9977")
    text = told.value.text()
    assert "main_decode.chip.interconnect_gbytes_per_s" in text
    assert "prefill.chip" not in text


def test_an_incomplete_chip_names_what_it_lacks_and_runs_once_it_is_given():
    with pytest.raises(ScenarioError, match=r"memory_tbytes_per_s.*no firm source"):
        scenario("nvidia-h20-141g", "nvidia-h20-141g")
    given = "{part: nvidia-h20-141g, memory_tbytes_per_s: 4.8}"
    assert tpot(scenario(given, "nvidia-h20-141g")) > 0


def test_an_incomplete_model_names_what_it_lacks():
    with pytest.raises(ScenarioError, match=r"prefill_attention_mflop_per_pair.*indexer"):
        loads(
            (FILE % {"chip": "nvidia-b200", "name": "nvidia-b200", "model": ""}).replace(
                "deepseek-v3", "deepseek-v4-flash"
            )
        )


def test_several_tokens_a_step():
    one = scenario(OWN % "interconnect_gbytes_per_s: 200")
    two = scenario(OWN % "interconnect_gbytes_per_s: 200", model=", tokens_per_step: 2")
    assert 0.45 < tpot(two) / tpot(one) < 0.55


def test_chunks_of_prefill_take_longer():
    whole, chunked = (
        run(scenario(OWN % f"prefill_chunk_tokens: {tokens}"), 0).ttft_s.p50
        for tokens in ("null", "512")
    )
    assert whole is not None
    assert chunked is not None
    assert chunked > whole + 5 * 0.04
