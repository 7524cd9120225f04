"""The page of chips and models without a browser: its figures are those of the twin."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest

from twin.hardware.calibration import calibrate_hardware
from twin.hardware.kv_table import kv_rows
from twin.scenario_file import load, shipped_folder, with_settings
from web.ui.hardware import serving
from web.ui.hardware.serving import Load

H20 = {"peak_tflops": 148, "memory_gb": 96, "memory_tbytes_per_s": 4,
       "interconnect_gbytes_per_s": 450}  # fmt: skip
LOAD = Load(chips=8, prompt_tokens=8000, batch=16, context_tokens=16_000)


def opened(open_page, **address):
    return open_page("hardware", **address).answered("hardware_fit")


def figures(page):
    return {one["name"]: one for row in page.drawn("numbers") for one in row["numbers"]}


def drawn(page, label):
    found = next(one for one in page.drawn("table") if one["label"] == label)
    return {row["name"]: [cell["text"] for cell in row["cells"]] for row in found["rows"]}


def test_more_of_each_of_the_four_numbers_never_makes_it_worse():
    reached = calibrate_hardware().pooled
    h200 = {**H20, "peak_tflops": 989, "memory_gb": 141, "memory_tbytes_per_s": 4.8}
    before = serving.served(h200, "deepseek-v3", LOAD, reached)
    for name, better in (
        ("peak_tflops", "prefill_s"), ("memory_tbytes_per_s", "step_s"),
        ("interconnect_gbytes_per_s", "step_s"), ("memory_gb", "slots"),
    ):  # fmt: skip
        after = serving.served({**h200, name: 2 * h200[name]}, "deepseek-v3", LOAD, reached)
        sign = -1 if better == "slots" else 1
        assert sign * getattr(after, better) < sign * getattr(before, better), name
        assert after.prefill_s <= before.prefill_s
        assert after.step_s is not None
        assert before.step_s is not None
        assert after.step_s <= before.step_s
        assert after.slots >= before.slots


def test_decode_on_an_h20_is_bound_by_compute():
    reached = calibrate_hardware().pooled
    before = serving.served(H20, "deepseek-v3", LOAD, reached)
    faster = serving.served({**H20, "memory_tbytes_per_s": 8}, "deepseek-v3", LOAD, reached)
    stronger = serving.served({**H20, "peak_tflops": 296}, "deepseek-v3", LOAD, reached)
    assert faster.step_s == before.step_s
    assert (stronger.step_s or 0) < (before.step_s or 0)


def test_the_slow_end_is_slower_than_the_fast_one(client):
    run = client.ask_study("hardware_fit", {})
    for _ in client.run_events(run):
        pass
    now, slow, fast = (
        serving.served(H20, "deepseek-v3", LOAD, end)
        for end in serving.ends(client.run(run)["result"]["default"])
    )
    assert fast.prefill_s < now.prefill_s < slow.prefill_s
    assert (fast.step_s or 0) < (now.step_s or 0) < (slow.step_s or 0)


def test_a_chip_that_lacks_a_figure_names_it_and_runs_once_it_is_given(open_page):
    page = opened(open_page, chip="moorethreads-mtt-s5000")
    assert [one.value for one in page.app.warning] == [
        "moorethreads-mtt-s5000 lacks Peak compute: only its FP8 peak is published. "
        "Give it above, and it runs."
    ]
    assert "prefill" not in figures(page)
    page = opened(open_page, chip="moorethreads-mtt-s5000", peak_tflops="500", chips="16")
    assert page.app.warning == []
    assert figures(page)["prefill"]["text"] != "–"


def test_what_is_typed_counts_and_the_range_comes_from_the_fit(open_page):
    page = opened(open_page, memory_tbytes_per_s="8")
    told = figures(page)
    end = serving.ends(
        [
            {"name": name, "value": value, "low": value, "high": value}
            for name, value in calibrate_hardware().pooled._asdict().items()
        ]
    )[0]
    load = Load(8, 8000, 32, 16_000)
    mine = serving.served({**H20, "memory_tbytes_per_s": 8}, "deepseek-v3", load, end)
    assert told["step"]["text"] == f"{1e3 * (mine.step_s or 0):.0f}"
    assert " to " in told["step"]["note"]
    page = opened(open_page, memory_tbytes_per_s="8", basis="claims")
    assert figures(page)["step"]["note"] == ""


def test_the_link_sets_up_such_a_deployment(open_page):
    page = opened(open_page, memory_tbytes_per_s="8", pool="prefill")
    url = urlsplit(page.app.get("link_button")[0].proto.url)
    assert url.path == "/compare"
    values = dict(parse_qsl(url.query))
    assert values.pop("d4") == "pdd_43a_32b"
    settings = {name.removeprefix("d4."): float(value) for name, value in values.items()}
    scenario = with_settings(load(shipped_folder() / "pdd_43a_32b.yaml"), settings)
    assert scenario.prefill.chip.memory_tbytes_per_s == 8
    assert scenario.prefill.chip.peak_tflops == 148
    assert scenario.prefill.chip.prefill_mfu == pytest.approx(
        calibrate_hardware().pooled.prefill_mfu, abs=1e-6
    )


def test_every_chip_model_and_layout_stands_in_the_catalogue(open_page):
    page = opened(open_page)
    chips = drawn(page, "The chips of the catalogue")
    assert set(chips) == {f"chip {name}" for name in serving.parts("chips")}
    assert chips["chip nvidia-h20-141g"][3] == "missing: no firm source for its bandwidth"
    assert "(purchase, 2024" in chips["chip nvidia-h20-96g"][5]
    kv = drawn(page, "KV bytes by layout")
    assert len(kv) == len(kv_rows())
    assert {row[4] for row in kv.values()} == {"agrees", ""}
    assert len(drawn(page, "The models of the catalogue")) == len(serving.parts("models"))


def test_the_fit_is_told_with_its_errors_and_points(open_page):
    page = opened(open_page)
    fit = calibrate_hardware()
    told = figures(page)
    assert float(told["error_in_sample"]["text"]) == pytest.approx(
        100 * (fit.in_sample.median or 0), abs=0.06
    )
    assert told["error_left_out"]["badge"]["kind"] == "predict"
    points = drawn(page, "Published points")
    assert len(points) == len(fit.points)
    assert points["c06"][3] == "–"
    assert len(drawn(page, "Efficiencies")) == 8
