"""A trace of one's own: told by line and field when it is bad, replayed when it is good."""

from __future__ import annotations

import json


def test_a_bad_line_is_told_and_the_twin_goes_on(visit, tmp_path):
    good = {"timestamp": 0, "input_length": 1024, "output_length": 10, "hash_ids": [1, 2]}
    bad = {**good, "input_length": -3}
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join([json.dumps(good), json.dumps(bad), "nonsense"]))
    page = visit("/twin-lab")
    page.get_by_role("button", name="Replay a trace").click()
    page.set_input_files("#pdd-trace-file", file)
    told = page.locator(".problems li")
    told.first.wait_for()
    assert told.count() == 2
    assert "line 2, input_length" in told.nth(0).inner_text()
    assert "-3" in told.nth(0).inner_text()
    assert "line 3" in told.nth(1).inner_text()
    frames = page.evaluate("window.pddTwin.frames")
    page.wait_for_function(f"window.pddTwin.frames > {frames}")


def test_a_trace_is_profiled_and_replayed(visit, tmp_path):
    rows = [
        {"timestamp": 700 * i, "input_length": 1024, "output_length": 40, "hash_ids": [1, i]}
        for i in range(1, 60)
    ]
    file = tmp_path / "<b>mine<b>.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    page = visit("/twin-lab")
    page.get_by_role("button", name="Replay a trace").click()
    page.set_input_files("#pdd-trace-file", file)
    page.locator(".profile h3").wait_for()
    assert page.locator(".profile dd").first.inner_text() == "59"
    assert page.locator(".profile b").count() == 7, "the name is text, and adds no element"
    page.get_by_role("button", name="Replay it on this deployment").click()
    page.locator(".run-result tbody tr").first.wait_for()
    assert "59 requests finished" in page.locator(".run-result h3").inner_text()
    assert page.locator(".run-result tbody tr").count() == 3


def test_a_trace_without_blocks_is_shown_and_can_be_replayed(visit, tmp_path):
    file = tmp_path / "azure.csv"
    rows = [f"2023-11-16 18:17:{s:02d}.0319600,{1000 + s},{s}" for s in range(1, 40)]
    file.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]))
    page = visit("/twin-lab")
    page.get_by_role("button", name="Replay a trace").click()
    page.set_input_files("#pdd-trace-file", file)
    page.locator(".profile h3").wait_for()
    facts = page.locator(".profile dd").all_inner_texts()
    assert facts[:4] == ["39", "–", "–", "–"]
    assert page.locator(".profile .mini-bars").count() == 0
    assert "hit rates cannot be told" in page.locator(".profile").inner_text()
    assert not page.locator(".problems").is_visible()
    page.get_by_role("button", name="Replay it on this deployment").click()
    page.locator(".run-result h3", has_text="39 requests finished").wait_for()


def test_what_is_wrong_in_the_same_way_is_told_once_and_not_again_later(visit, tmp_path):
    file = tmp_path / "azure.csv"
    rows = ["2023-11-16 18:17:03.03,-1,10"] * 30
    file.write_text("\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows]))
    page = visit("/twin-lab")
    page.get_by_role("button", name="Replay a trace").click()
    page.set_input_files("#pdd-trace-file", file)
    told = page.locator(".problems li")
    told.first.wait_for()
    assert told.count() == 1
    assert told.inner_text().startswith("line 2, ContextTokens")
    assert told.inner_text().endswith("and 29 more like it")
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="detached")
    page.get_by_role("button", name="Replay a trace").click()
    page.locator("dialog[open]").wait_for()
    assert not page.locator(".problems").is_visible()
