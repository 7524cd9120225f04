"""The public pages and the recording: nothing lost, nothing invented, holes told as such."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.twin.telemetry.pages_table import SECTION_2, page_of, table
from tests.twin.telemetry.recorded import METRICS, read, samples
from twin.telemetry.exposition import edge
from twin.telemetry.series import SeriesId
from twin.telemetry.signals import Moment, Role, course, reading
from twin.telemetry.vocabulary import profiles

pytestmark = pytest.mark.usefixtures("public_metrics")

MAIN = Role("main_decode", {"pdd_role": "main_decode"}, dc="B")
EVERY_MS = 2_000


def pages():
    return sorted(METRICS.glob("*.txt"))


def oracle(text: str) -> dict[SeriesId, float]:
    """As the official parser reads a page; it names a counter anew, to end in `_total`."""
    found, said = {}, set(re.findall(r"^([\w:]+)", text, re.M))
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = {
                key: edge(value) if key in ("le", "quantile") else value
                for key, value in sample.labels.items()
            }
            name = sample.name if sample.name in said else sample.name.removesuffix("_total")
            found[SeriesId.of(name, labels)] = float(sample.value)
    return found


def test_every_page_is_read_as_the_official_parser_reads_it():
    counted = {}
    for path in pages():
        page = page_of(path)
        ours = {one: value for one, value, _ in page.samples}
        theirs = oracle(path.read_text("utf-8"))
        assert ours.keys() == theirs.keys(), path.name
        for one, value in ours.items():
            assert value == theirs[one] or (math.isnan(value) and math.isnan(theirs[one])), one
        assert page.troubles == []
        counted[path.stem] = len(ours)
    assert len(counted) == 12
    assert counted["vllm-0.32.0-single-load"] == 435


def test_the_table_of_quantities_and_pages():
    cells = table()
    assert len(cells) == 12
    assert all(set(SECTION_2) <= set(row) for row in cells.values())
    frontend = cells["dynamo-1.6.1-frontend-pd-load"]
    decode = cells["vllm-0.32.0-pd-nixl-decode-load"]
    prefill = cells["vllm-0.32.0-pd-nixl-prefill-load"]
    assert float(decode["kv_bytes_per_token"]) == pytest.approx(1_100, rel=0.02)
    assert 0 < float(decode["drc_hit"]) < 1
    assert prefill["kv_rate"] == prefill["kv_transfer_time"] == "absent"  # it prints zeros
    assert cells["vllm-0.32.0-single-load"]["drc_hit"] == "absent"
    assert float(frontend["ttft"]) == pytest.approx(0.1867, abs=1e-3)
    assert cells["vllm-0.6.6-v0-engine.synthetic"]["prefix_hit"] == "error"  # a gauge
    assert cells["dynamo-1.6.1-worker-sglang-mock"]["prefix_hit"] == "error"  # the last batch
    assert cells["dynamo-1.6.1-decode-worker-vllm-mock-load"]["kv_use"] == "0.01599"
    assert cells["node_exporter-1.5.0"]["nic_rate"] not in ("absent", "not offered")
    assert cells["triton-trtllm-2026-readme"]["kv_use"] == "0.4875"
    assert cells["llm-d-router-epp-2026-08-testdata-A"]["waiting"] == "0.4"


def test_transfers_beyond_the_last_bucket_of_sglang_are_censored():
    cells = table(q=0.9)
    assert cells["sglang-0.5.23-pd-prefill.synthetic"]["kv_transfer_time"] == ">5"


@pytest.mark.parametrize(
    ("engine", "page", "beside"),
    [("vllm", "vllm-0.33.0.tsv", ("spec_decode", "nixl")), ("sglang", "sglang-0.5.23.tsv", ()),
     ("lmcache", "lmcache-0.5.6.tsv", ())],
)  # fmt: skip
def test_the_first_name_of_each_quantity_is_one_that_the_engine_defines(engine, page, beside):
    """A misspelt name would be absent for ever."""
    lines = (METRICS / "defs" / page).read_text("utf-8").splitlines()[1:]
    defined = {one.split("\t")[1].replace(".", "_") for one in lines}
    defined |= {f"{name}_total" for name in defined} | {f"{name}_sum" for name in defined}
    (profile,) = (one for one in profiles() if one.engine == engine)
    for quantity, ways in profile.quantities.items():
        for name in ways[0].names:
            named_elsewhere = any(part in name for part in beside)
            assert name in defined or named_elsewhere, (quantity, name)


def test_running_requests_are_those_of_prometheus_and_stale_in_its_hole():
    """The decode engine is killed and starts again; `up` tells when nobody answers."""
    golden = read("golden_query_range.json")["golden"]["D_running"]["range"]["data"]["result"][0]
    told = {round(at_s * 1000): float(value) for at_s, value in golden["values"]}
    first, last = min(told), max(told)
    states, main = [], MAIN.targets(samples())
    for at_ms in range(first, last + 1, 10_000):
        found = reading("main_decode", "running", main, Moment(at_ms, 30_000, EVERY_MS))
        states.append(found.state)
        if at_ms in told:
            assert (found.state, found.value) == ("value", told[at_ms])
        else:
            assert (found.state, found.reason) == ("stale", "target down: up is 0")
    assert states.count("value") == len(told) == 14


def test_the_course_over_the_restart_has_a_hole_and_no_fall():
    every = samples()
    first, last = 1796025315_000, 1796025569_000
    line = course(MAIN, "output_rate", every, first, last, 10_000, every_ms=EVERY_MS)
    assert np.nanmin(line.value) >= 0
    hole = [state for at, state in zip(line.time_ms, line.states, strict=True)
            if 1796025400_000 < at < 1796025510_000]  # fmt: skip
    assert set(hole) == {"stale"}
    marks = {mark for one in line.readings for mark in one.marks}
    assert {"reset", "gap"} <= marks
    moment = Moment(last, last - first, EVERY_MS)
    whole = reading("main_decode", "output_rate", MAIN.targets(every), moment)
    assert whole.evidence == 7461
