"""The hardware fit: it finds what made the data, leaves whole groups out, tells what it cannot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from twin.errors import RunError
from twin.hardware import fitting
from twin.hardware.applied import (
    chip_settings,
    collective_us_per_token,
    efficiency_rows,
    exchange_kb_per_token,
)
from twin.hardware.calibration import calibrate_hardware, siblings, tasks
from twin.hardware.catalogue import chip_rows, chips, model_rows, models, shelf
from twin.hardware.measurements import NO_BATCH, points, rows
from twin.hardware.work import full_speed, kv_ways
from twin.physics.aggregated import Efficiencies, seconds

ROWS = rows()
POINTS = points()
FIT = calibrate_hardware()
GROUPS = {(group.model, group.chip): group for group in FIT.groups}
TRUE = Efficiencies(0.3, 0.7, 0.5, 0.2, 0.8, 40.0, 15.0, 70.0)


def made_by(reached: Efficiencies):
    """The rows with the times that these efficiencies would give."""
    times = seconds(full_speed(tasks(ROWS)), reached)
    return [replace(row, seconds=float(s)) for row, s in zip(ROWS, times, strict=True)]


def test_the_rows_and_points_that_come_with_the_project():
    assert len(ROWS) == 1548
    assert len({row.group for row in ROWS}) == 18  # R1 is V3 under another name
    assert {point.point.rstrip("pd") for point in POINTS} == {f"c{n:02d}" for n in range(1, 13)}
    assert all(point.source and "[" not in point.source for point in POINTS)


def test_it_finds_the_efficiencies_that_made_the_data():
    found = calibrate_hardware(made_by(TRUE), [])
    for name, known in zip(Efficiencies._fields, found.pooled_determined, strict=True):
        if known:
            assert getattr(found.pooled, name) == pytest.approx(getattr(TRUE, name), rel=0.1), name
    assert {"prefill_mfu", "decode_bandwidth_share", "layer_us", "moe_layer_us"} <= {
        name
        for name, known in zip(Efficiencies._fields, found.pooled_determined, strict=True)
        if known
    }
    assert found.in_sample.median is not None
    assert found.in_sample.median < 0.02
    assert found.left_out.median is not None
    assert found.left_out.median < 0.03


def test_what_data_do_not_tell_stays_assumed():
    found = calibrate_hardware(made_by(TRUE), [])
    exchange = Efficiencies._fields.index("exchange_share")  # no row has an all-to-all
    assert not found.pooled_determined[exchange]
    assert found.pooled.exchange_share == pytest.approx(fitting.PRIOR.exchange_share)


def test_errors_of_the_measured_rows():
    """Golden numbers beside the laws: 9 % in sample, 14 % for a group never seen."""
    assert FIT.in_sample.median == pytest.approx(0.086, abs=0.01)
    assert FIT.in_sample.mean == pytest.approx(0.113, abs=0.01)
    assert FIT.left_out.median == pytest.approx(0.143, abs=0.015)
    assert FIT.left_out.mean == pytest.approx(0.189, abs=0.015)
    assert FIT.pooled_only.median == pytest.approx(0.125, abs=0.015)


def test_a_group_of_its_own_never_fits_worse_than_the_default():
    assert FIT.in_sample.mean is not None
    assert FIT.pooled_only.mean is not None
    assert FIT.in_sample.mean < FIT.pooled_only.mean
    assert FIT.left_out.mean is not None
    assert FIT.in_sample.mean < FIT.left_out.mean


@pytest.mark.parametrize("point", ["c05", "c09 at 128", "c12p"])
def test_a_group_left_out_does_not_see_itself(point):
    """Measured a tenth slower, a group is predicted by the others as before, to the last digit."""
    group = next(p.group for p in POINTS if p.id == point)
    slower = [
        replace(p, seconds=p.seconds * 1.1, shown=p.shown / (1.1 if p.unit == "tokens/s" else 1))
        if p.group == group
        else p
        for p in POINTS
    ]
    then = next(p for p in calibrate_hardware(ROWS, slower).points if p.measured.id == point)
    now = next(p for p in FIT.points if p.measured.id == point)
    assert then.left_out == pytest.approx(now.left_out, rel=1e-12)
    assert then.in_sample != pytest.approx(now.in_sample, rel=1e-3)


def test_a_group_without_siblings_is_predicted_from_the_default():
    names = [("a", "x"), ("b", "y"), ("a", "z")]
    assert siblings(names, ("a", "x")) == [2]
    assert siblings(names, ("b", "y")) == []
    lonely = ("qwen3-235b-a22b", "nvidia-h100-sxm")
    kept = [r for r in ROWS if r.chip != "nvidia-h100-sxm" or r.group == lonely]
    found = {(g.model, g.chip): g for g in calibrate_hardware(kept, []).groups}[lonely]
    assert found.siblings == 0
    without = calibrate_hardware([r for r in kept if r.group != lonely], [])
    own = [r for r in kept if r.group == lonely]
    default = seconds(full_speed(tasks(own)), without.pooled)
    errors = np.abs(default / np.array([r.seconds for r in own]) - 1)
    assert found.left_out.median == pytest.approx(float(np.median(errors)))


def test_where_nothing_was_measured_the_default_with_its_uncertainty():
    assert FIT.of("kimi-k2", "google-tpu7x") == FIT.pooled
    assert FIT.of("glm-5", "nvidia-h200") == GROUPS["glm-5", "nvidia-h200"].efficiencies
    for low, value, high in zip(FIT.low, FIT.pooled, FIT.high, strict=True):
        assert low < value < high
    told = efficiency_rows(FIT.pooled, FIT.low, FIT.high, FIT.pooled_determined)
    assert [row["name"] for row in told] == list(Efficiencies._fields)


def test_a_point_without_its_batch_is_not_predictable():
    by_id = {point.measured.id: point for point in FIT.points}
    assert {p.measured.id for p in FIT.points if p.in_sample is None} == {"c06", "c12d"}
    assert by_id["c06"].measured.why_not == NO_BATCH
    assert by_id["c06"].left_out is None


def test_the_published_points():
    errors = [
        abs(point.in_sample / point.measured.shown - 1)
        for point in FIT.points
        if point.in_sample is not None
    ]
    assert len(errors) == 17
    assert np.median(errors) < 0.07
    assert max(errors) < 0.35


def test_rates_are_told_as_they_were_published():
    c02 = next(p for p in POINTS if p.id == "c02")
    assert c02.seconds == pytest.approx(0.0551, abs=5e-5)  # 128 / 2325
    assert c02.as_shown(c02.seconds) == 2325
    assert c02.as_shown(2 * c02.seconds) == 2325 / 2
    c08 = next(p for p in POINTS if p.id == "c08")
    assert c08.seconds == pytest.approx(96 / 1943 * 1.7)  # a step gives 1.7 tokens a request


def test_bytes_and_flop_of_a_published_point():
    """c02 as worked out in its source: memory 17.6 ms, compute 13.7 ms, all-to-all 25.5 ms."""
    full = full_speed(tasks([next(p for p in POINTS if p.id == "c02")]))
    assert full.memory_s[0] == pytest.approx(0.0176, abs=0.0001)
    assert full.compute_s[0] == pytest.approx(0.0137, abs=0.0008)
    assert full.exchange_s[0] == pytest.approx(0.0255, abs=0.0001)


def test_a_latent_is_held_by_every_chip_of_a_group():
    known = models(list(shelf().parts("models").values()))
    assert kv_ways(known["deepseek-v3"], 8) == 1
    assert kv_ways(known["qwen3-235b-a22b"], 8) == 4
    assert kv_ways(known["llama-3.1-70b"], 4) == 4


def test_settings_of_a_scenario():
    parts = shelf()
    chip = chips(list(parts.parts("chips").values()))["nvidia-h200"]
    model = models(list(parts.parts("models").values()))["deepseek-v3"]
    found = chip_settings(TRUE, chip, model, "fp8", 8)
    assert found["peak_tflops"] == pytest.approx(1979)
    assert found["step_overhead_ms"] == pytest.approx(((40 + 15) * 61 + 70 * 58) / 1e3)
    assert exchange_kb_per_token(model) == 58 * 8 * 7168 * 3 / 1e3
    sent = 2 * 61 * 7168 * 2 * 2 * 7 / 8
    assert collective_us_per_token(TRUE, chip, model, 8) == pytest.approx(sent / 450e9 / 0.2 * 1e6)
    assert collective_us_per_token(TRUE, replace(chip, scale_up_bytes_per_s=None), model, 8) is None


def test_tables_of_the_shelf_tell_every_part():
    parts = shelf()
    of_chips = chip_rows(list(parts.parts("chips").values()))
    assert len(of_chips) == len(parts.parts("chips"))
    lacking = next(row for row in of_chips if row["name"] == "nvidia-h20-141g")
    assert list(lacking["lacks"]) == ["memory_tbytes_per_s"]
    of_models = {row["name"]: row for row in model_rows(list(parts.parts("models").values()))}
    assert of_models["gpt-oss-120b"]["attention"] == "18 x gqa, 18 x swa"
    assert "tokens_per_step" in of_models["gpt-oss-120b"]["assumed"]


def test_a_line_that_is_no_row_is_told(tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("model,chip,attention_dp,tpot_ms\nglm-5,nvidia-h200,1,fast\n")
    with pytest.raises(RunError, match=r"mine.csv:2.*is no row of measured serving"):
        rows(file)
