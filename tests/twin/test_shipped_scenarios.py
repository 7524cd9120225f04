"""The shipped scenarios say what was published, and each of their figures says where it is from."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from twin.parts import KINDS, Shelf
from twin.plain_yaml import read_file
from twin.reference import reference
from twin.scenario import HIT_EDGES, Scenario, ServedModel, decode_slots
from twin.scenario_file import check, is_assumed, load, loads, shipped_folder, source_of
from twin.settings import find, settings

FOLDER = shipped_folder()
NAMES = (
    "same_dc_88a",
    "cross_dc_plain",
    "pdd_43a_32b",
    "p_rld_collapse",
    "relay_swing",
    "one_shot_hiccup",
    "singular_flood",
    "thin_line",
    "bench_4p4d",
    "prfaas_selective",
    "prfaas_naive",
    "prfaas_homogeneous",
    "selective_42a_32b",
)
SHELF = Shelf(FOLDER / "parts")
SHARES = (0.098, 0.1061, 0.0637, 0.0955, 0.1486, 0.2335, 0.2547)


def shipped(name: str) -> Scenario:
    return load(FOLDER / f"{name}.yaml")


def difference(name: str, base: str) -> dict[str, Any]:
    """The settings in which two scenarios differ, with the first one's values."""

    def flat(value: Any, path: str = "") -> dict[str, Any]:
        if not isinstance(value, dict):
            return {path: value}
        below = {k: flat(v, f"{path}.{k}" if path else k) for k, v in value.items()}
        return {path: leaf for leaves in below.values() for path, leaf in leaves.items()}

    prose = {"name", "title", "story", "sources"}
    ours, theirs = (flat(shipped(n).model_dump(exclude=prose)) for n in (name, base))
    return {path: value for path, value in ours.items() if theirs.get(path, "absent") != value}


def cost(scenario: Scenario, b_price: float | None = None) -> float:
    prices = dict(scenario.prices.chips) | ({"B": b_price} if b_price else {})
    chips = sum(pool.chips * prices[pool.chip.name] for pool in scenario.pools().values())
    return chips + scenario.prices.line


def test_all_of_them_are_there_and_nothing_else():
    assert {path.stem for path in FOLDER.glob("*.yaml")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_loads_and_tells_what_one_sees(name):
    assert check(FOLDER / f"{name}.yaml") == []
    scenario = shipped(name)
    assert scenario.name == name
    assert 10 < len(scenario.title) <= 72
    assert 2 <= scenario.story.count(". ") + 1 <= 5
    assert len(scenario.story) < 600


# As published.


@pytest.mark.parametrize("name", ["same_dc_88a", "cross_dc_plain"])
def test_the_88_chips_a(name):
    scenario = shipped(name)
    shape = {k: (p.instances, p.chips_per_instance) for k, p in scenario.pools().items()}
    assert shape == {"prefill": (4, 8), "main_decode": (7, 8)}
    assert {p.chip.name for p in scenario.pools().values()} == {"A"}
    assert sum(p.chips for p in scenario.pools().values()) == 88
    assert not scenario.caches.drc_enabled


def test_the_plain_pair_differs_in_the_second_site_alone():
    assert set(difference("cross_dc_plain", "same_dc_88a")) == {
        "datacenter_b.name",
        "datacenter_b.rdma_gbytes_per_s",
        "datacenter_b.rdma_setup_ms",
        "prices.line",
        *(s.path for s in settings() if s.path.startswith("line.")),
    }
    line = shipped("cross_dc_plain").line
    assert line is not None
    assert line.bandwidth_gbps == 100


def test_the_published_pdd():
    scenario = shipped("pdd_43a_32b")
    shape = {
        k: (p.instances, p.chips_per_instance, p.chip.name) for k, p in scenario.pools().items()
    }
    assert shape == {
        "prefill": (5, 7, "A"),
        "relay_decode": (1, 8, "A"),
        "main_decode": (4, 8, "B"),
    }
    line, policy, caches = scenario.line, scenario.policy, scenario.caches
    assert line is not None
    assert (line.bandwidth_gbps, line.goodput_share, line.per_flow_cap_gbps) == (10, 0.87, 10)
    assert (line.rtt_ms, line.initial_window_kb, line.jitter_share) == (21, 14.6, 0.3)
    assert (line.slow_start, line.timeout_share, line.discipline) == (True, 0, "sharing")
    assert (policy.relay_threshold_s, policy.handoff_mode) == (0.6, "auto")
    assert (policy.handoff_auto_tokens, policy.handoff_ids_per_step) == (64, 5)
    assert policy.handoff_hop_ms == 10.5
    assert not (policy.singular_filter or policy.p_rld or policy.load_gate)
    assert (caches.prefill_tb, caches.drc_enabled, caches.drc_tb) == (None, True, 8)
    site = scenario.datacenter_a
    assert (site.rdma_gbytes_per_s, site.rdma_setup_ms) == (50, 20)


@pytest.mark.parametrize("name", ["same_dc_88a", "cross_dc_plain", "pdd_43a_32b"])
def test_the_published_three_see_the_same_traffic(name):
    w = shipped(name).workload
    assert (w.arrivals, w.clients, w.think_s, w.turns_per_session) == ("sessions", 170, 40, 20)
    assert (w.prompt_tokens_mean, w.prompt_sigma) == (64_000, 0.35)
    assert (w.output_distribution, w.output_tokens_mean, w.output_cv) == ("gamma", 1000, 0.3)
    assert (w.first_turn_hit_max, w.hit_shares, w.singular) == (0.9, SHARES, None)
    assert w.first_arrivals_within_s == 30
    run, slo = shipped(name).run, shipped(name).slo
    assert (run.requests, run.duration_s, run.warmup_s, run.warmup_share) == (
        20_000,
        None,
        200,
        0.2,
    )
    assert (slo.total_s, slo.share, slo.ttft_s, slo.tpot_ms) == (30, 0.90, None, None)


def test_slots_of_eight_chips():
    scenario = shipped("pdd_43a_32b")
    assert scenario.relay_decode is not None
    slots = [
        decode_slots(pool, scenario.model, scenario.caches)
        for pool in (scenario.relay_decode, scenario.main_decode)
    ]
    assert slots == [59, 95]


def test_cost_in_chips_a():
    assert cost(shipped("same_dc_88a")) == 88
    pdd = shipped("pdd_43a_32b")
    assert cost(pdd) == pytest.approx(43 + 32 * 1.2 + 0.35)
    # claim C07: -7.1 % and -3.5 % at the two ends of the price of chip B
    assert round((cost(pdd) / 88 - 1) * 100, 1) == -7.1
    assert round((cost(pdd, pdd.prices.chips_high["B"]) / 88 - 1) * 100, 1) == -3.5


def test_published_hit_rates_with_first_turns_give_claim_c17():
    """First turns are one in twenty, uniform from 0 to 0.9: all in the first bucket."""
    w = shipped("pdd_43a_32b").workload
    first = 1 / w.turns_per_session
    every = [(1 - first) * share for share in w.hit_shares]
    every[0] += first
    assert [round(share, 3) for share in every] == [0.143, 0.101, 0.061, 0.091, 0.141, 0.222, 0.242]
    assert sum(every[2:]) == pytest.approx(0.75, abs=0.02)
    middles = [(a + b) / 2 for a, b in pairwise(HIT_EDGES)]
    mean = (1 - first) * sum(s * m for s, m in zip(w.hit_shares, middles, strict=True))
    mean += first * w.first_turn_hit_max / 2
    assert mean == pytest.approx(0.900, abs=0.01)


def test_check_values_of_the_parts():
    """Prefill of 64,000 tokens takes 12.0 s on 8 A, and 1.42 s at a hit rate of .9; steps."""
    scenario = shipped("pdd_43a_32b")
    model, a, b = scenario.model, scenario.prefill.chip, scenario.main_decode.chip

    def prefill(hit: float) -> float:
        new, cached = 64_000 * (1 - hit), 64_000 * hit
        flop = new * (2 * model.active_params_b + model.prefill_extra_gflop_per_token) * 1e9
        flop += model.prefill_attention_mflop_per_pair * 1e6 * new * (cached + new / 2)
        return a.prefill_overhead_ms / 1e3 + flop / (8 * a.peak_tflops * 1e12 * a.prefill_mfu)

    def step_ms(chip, batch: int) -> float:
        share = 1 - (1 - model.experts_per_token / model.experts) ** batch
        read = model.dense_weights_gb + (model.weights_gb - model.dense_weights_gb) * share
        read += model.kv_read_share * model.kv_bytes_per_token * batch * 64_500 / 1e9
        memory = read / (8 * chip.memory_tbytes_per_s * 1e3 * chip.decode_bandwidth_share)
        flop = batch * (2 * model.active_params_b + model.decode_attention_gflop_per_token)
        compute = flop / (8 * chip.peak_tflops * 1e3 * chip.decode_compute_share)
        return max(memory, compute) * 1e3 + chip.step_overhead_ms

    assert prefill(0) == pytest.approx(12.0, abs=0.05)
    assert prefill(0.9) == pytest.approx(1.42, abs=0.005)
    assert [step_ms(a, n) for n in (8, 20)] == pytest.approx([20.7, 35.1], abs=0.1)
    assert [step_ms(b, n) for n in (8, 10, 20)] == pytest.approx([12.65, 14.0, 19.7], abs=0.1)


# The others differ from the published PDD in what their story tells, and in nothing else.

TWO_HOURS = {"run.requests": None, "run.duration_s": 7200}
VARIANTS = {
    "p_rld_collapse": {"workload.clients": 150, "policy.p_rld": True, **TWO_HOURS},
    "relay_swing": {
        "workload.clients": 150,
        "policy.p_rld": True,
        "policy.p_rld_threshold_s": 1,
        "policy.load_gate": True,
        **TWO_HOURS,
    },
    "one_shot_hiccup": {"policy.handoff_mode": "one_shot"},
    "thin_line": {
        "workload.clients": 155,
        "workload.first_arrivals_within_s": 1200,
        "line.bandwidth_gbps": 7.6,
        **TWO_HOURS,
    },
    "singular_flood": {
        "workload.clients": 120,
        "workload.first_arrivals_within_s": 1200,
        "line.bandwidth_gbps": 7.6,
        "workload.singular.share": 0.035,
        "workload.singular.prompt_tokens_mean": 96_000,
        "workload.singular.prompt_sigma": 0.2,
        "workload.singular.hit_max": 0.3,
        "workload.singular.output_tokens_mean": 150,
        "workload.singular.output_shape": 2,
        "workload.singular.output_tokens_min": 8,
        "workload.singular.output_tokens_max": 490,
    },
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_of_the_published_pdd(name):
    assert difference(name, "pdd_43a_32b") == VARIANTS[name]


def test_marks_of_the_variants():
    assert shipped("p_rld_collapse").policy.p_rld_threshold_s == 2
    swing = shipped("relay_swing").policy
    assert (swing.load_gate_high, swing.load_gate_low) == (50, 3)
    run = shipped("p_rld_collapse").run
    assert run.duration_s is not None
    assert max(run.warmup_s, run.warmup_share * run.duration_s) == 1440


@pytest.mark.parametrize("name", ["singular_flood", "thin_line"])
def test_the_thin_lines_carry_less_than_prefill_can_produce(name):
    line = shipped(name).line
    assert line is not None
    assert line.bandwidth_gbps is not None
    assert line.bandwidth_gbps * line.goodput_share == pytest.approx(6.6, abs=0.05)
    assert line.bandwidth_gbps * line.goodput_share < 7.65


def test_the_scenario_for_measuring():
    bench = shipped("bench_4p4d")
    w = bench.workload
    assert {k: (p.instances, p.chips) for k, p in bench.pools().items()} == {
        "prefill": (4, 32),
        "main_decode": (4, 32),
    }
    assert bench.same_site
    assert (w.arrivals, w.rate_rps, bench.run.requests) == ("poisson", 4, 4000)
    assert (w.prompt_tokens_mean, w.output_tokens_mean) == (4949, 599)
    assert w.output_distribution == "lognormal"
    # every turn is the first of its session, with a hit rate from 0 to 0
    assert (w.turns_per_session, w.first_turn_hit_max) == (1, 0)
    assert source_of(bench, "workload.prompt_sigma").startswith("assumed")


# Where figures come from.


@pytest.mark.parametrize("name", NAMES)
def test_every_source_points_to_a_setting_and_says_something(name):
    scenario = shipped(name)
    assert scenario.sources
    for path, source in scenario.sources.items():
        assert find(path) is not None, path
        assert source.strip(), path
        assert "[" not in source, f"{path}: a reference that is not in the list of references"


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_without_a_source_counts_as_assumed(name):
    scenario = shipped(name)
    for setting in settings():
        if "[]" not in setting.path and setting.path not in scenario.sources:
            assert source_of(scenario, setting.path) == "assumed"


def test_the_assumed_model_is_marked_as_assumed_throughout():
    part = SHELF.parts("models")["pdd_744b"]
    assert set(part.values) == set(ServedModel.model_fields) - {"name", "kv_profile"}
    assert all(is_assumed(part.sources[key]) for key in part.values)


# The shelf.


@pytest.mark.parametrize("kind", KINDS)
def test_the_parts_are_in_order(kind):
    parts = SHELF.parts(kind)
    assert SHELF.problems(kind) == []
    for part in parts.values():
        assert part.about.endswith("."), part.name
        assert set(part.sources) <= set(part.values), part.name
        assert not set(part.lacks) & set(part.values), part.name
        if kind != "hit_rates":  # no source, no number
            assert set(part.sources) == set(part.values), part.name
        for source in part.sources.values():
            assert "[" not in source, f"{part.name}: {source}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_reference_in_the_files_of_parts_is_listed(kind):
    text = (FOLDER / "parts" / f"{kind}.yaml").read_text(encoding="utf-8")
    listed = set(read_file(FOLDER / "parts" / f"{kind}.yaml").data["references"])
    used = {word for group in re.findall(r"\[([a-z][\w .-]*)\]", text) for word in group.split()}
    assert used <= listed
    assert listed <= used


def in_a_scenario(kind: str, name: str) -> Scenario:
    chip = name if kind == "chips" else "nvidia-b200"
    model = name if kind == "models" else "pdd_744b"
    line = name if kind == "lines" else "dedicated_10g"
    shares = name if kind == "hit_rates" else "published"
    return loads(f"""\
name: trial
model: {model}
datacenter_b: {{name: B}}
prefill: {{chip: {chip}, instances: 1, chips_per_instance: 64}}
main_decode: {{chip: {chip}, instances: 1, chips_per_instance: 64}}
line: {line}
workload: {{hit_shares: {shares}}}
prices: {{chips: {{{chip}: 1}}}}
""")


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, part.name) for kind in KINDS for part in SHELF.parts(kind).values() if not part.lacks],
)
def test_every_complete_part_can_be_used(kind, name):
    scenario = in_a_scenario(kind, name)
    part = SHELF.parts(kind)[name]
    data = scenario.model_dump()
    held = {
        "chips": data["prefill"]["chip"],
        "models": data["model"],
        "lines": data["line"],
        "hit_rates": data["workload"],
    }[kind]
    for key, value in part.values.items():
        assert held[key] == (tuple(value) if isinstance(value, list) else value)


def test_every_incomplete_part_lacks_what_it_says():
    """Given just what it lacks, an incomplete part can be used: nothing else is missing."""
    for part in SHELF.parts("models").values():
        if part.lacks:
            given = ", ".join(f"{key}: 1" for key in part.lacks)
            text = f"name: t\nmodel: {{part: {part.name}, {given}}}\n"
            pools = "{chip: nvidia-gb300-nvl72, instances: 1, chips_per_instance: 64}"
            text += f"prefill: {pools}\nmain_decode: {pools}\n"
            assert loads(text + "prices: {chips: {nvidia-gb300-nvl72: 1}}").model.name == part.name


def test_computed_figures_of_models_follow_from_their_facts():
    for part in SHELF.parts("models").values():
        facts = part.facts
        if not facts:
            continue
        assert part.values["kv_bytes_per_token"] == facts["kv_bytes_per_token"]["bf16"], part.name
        if "params_b" in facts and not part.lacks:
            whole = sum(v for k, v in facts["params_b"].items() if k != "one_routed_expert")
            assert whole == pytest.approx(part.values["total_params_b"], rel=0.01), part.name
            rest = whole - facts["params_b"].get("routed_experts", 0)
            per_param = part.values["dense_weights_gb"] / rest
            assert per_param == pytest.approx(round(per_param), rel=0.01), part.name
            assert round(per_param) in (1, 2), part.name


def test_the_committed_page_is_the_written_one():
    page = Path(FOLDER / "README.md").read_text(encoding="utf-8")
    assert page == reference(), "run `make docs`"


def test_the_page_tells_every_setting_scenario_and_part():
    page = reference()
    for setting in settings():
        if not setting.path.startswith(("relay_decode.", "main_decode.", "prefill_b.")):
            assert f"| `{setting.path}` |" in page
            assert setting.doc in page
    for name in NAMES:
        assert f"`{shipped(name).digest()[:12]}`" in page
        assert shipped(name).story in page
    for kind in KINDS:
        for part in SHELF.parts(kind).values():
            assert f"| `{part.name}` |" in page
            assert all(why in page for why in part.lacks.values())
