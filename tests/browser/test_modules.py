"""Pure parts of the component, run in a real browser: shares, scales, addresses, courses."""

from __future__ import annotations

import pytest


@pytest.fixture
def run(browser, served):
    """Evaluate the body of a function in which `load(name)` gives a module of the component."""
    page = browser.new_page(base_url=served)
    page.goto("/api/health")

    def evaluate(body):
        return page.evaluate(
            f"async () => {{ const load = (name) => import(`/assets/${{name}}`); {body} }}"
        )

    yield evaluate
    page.close()


def test_shares_always_sum_to_one_and_keep_their_proportions(run):
    worst, kept = run("""
      const { withShare } = await load("controls/histogram.js");
      let [worst, kept, state] = [0, true, 7];
      const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
      for (let i = 0; i < 20000; i++) {
        const raw = Array.from({ length: 7 }, () => (random() < 0.2 ? 0 : random()));
        const sum = raw.reduce((a, b) => a + b, 0) || 1;
        const shares = raw.map((share) => share / sum);
        const at = Math.floor(random() * 7);
        const value = random() * 1.4 - 0.2;
        const next = withShare(shares, at, value);
        worst = Math.max(worst, Math.abs(next.reduce((a, b) => a + b, 0) - 1));
        kept &&= next.every((share) => share >= 0 && share <= 1)
          && Math.abs(next[at] - Math.min(1, Math.max(0, value))) < 1e-5;
        for (let j = 0; j < 7; j++) {
          if (j === at || shares[at] > 0.9 || shares[at] >= 1) continue;
          kept &&= Math.abs(next[j] - (shares[j] / (1 - shares[at])) * (1 - next[at])) < 1e-4;
        }
      }
      return [worst, kept];
    """)
    assert worst < 1e-12
    assert kept


def test_mean_hit_of_the_published_traffic(run):
    later, every = run("""
      const { meanHits } = await load("controls/histogram.js");
      const shares = [0.098, 0.1061, 0.0637, 0.0955, 0.1486, 0.2335, 0.2547];
      const found = meanHits(shares, { turns_per_session: 20, first_turn_hit_max: 0.9 });
      return [found.later, found.all];
    """)
    assert every == pytest.approx(0.900, abs=0.001)
    assert later == pytest.approx(0.9235, abs=0.001)


def test_all_shares_with_first_turns_are_the_published_ones(run):
    shares = run("""
      const { allShares } = await load("controls/histogram.js");
      const later = [0.098, 0.1061, 0.0637, 0.0955, 0.1486, 0.2335, 0.2547];
      return allShares(later, { turns_per_session: 20, first_turn_hit_max: 0.9 });
    """)
    assert shares == pytest.approx([0.143, 0.10, 0.06, 0.09, 0.14, 0.22, 0.24], abs=0.003)


def test_a_scale_leads_there_and_back(run):
    worst = run("""
      const { shareOf, valueAtShare } = await load("controls/slider.js");
      let worst = 0;
      const scales = [
        { low: 1, high: 400, log: true }, { low: 0, high: 200, step: 1 },
        { low: 0.05, high: 20, log: true },
      ];
      for (const scale of scales) {
        for (let i = 0; i <= 1000; i++) {
          const value = valueAtShare(i / 1000, scale);
          worst = Math.max(worst, Math.abs(shareOf(value, scale) - i / 1000));
          if (value < scale.low || value > scale.high) return 1;
        }
      }
      return worst;
    """)
    assert worst < 0.02


def test_an_address_says_the_same_after_being_read(run):
    wish, written, unknown = run("""
      const { readAddress, writeAddress } = await load("data/address.js");
      const table = await (await fetch("/api/settings")).json();
      const settings = new Map(table.map((one) => [one.path, one]));
      const set = {
        "line.bandwidth_gbps": 7.5, "policy.p_rld": true, "policy.handoff_mode": "one_shot",
        "workload.hit_shares": [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3], "caches.prefill_tb": null,
        "prices.chips.B": 1.3,
      };
      const usual = { scenario: "pdd_43a_32b", seed: 0, pace: 10 };
      const beside = { "line.rtt_ms": 50 };
      const text = writeAddress({ scenario: "thin_line", seed: 3, pace: 60, set, beside }, usual);
      const wish = readAddress(text, settings);
      return [wish, { set, text }, readAddress("?line.bandwith=3", settings).unknown];
    """)
    assert wish["set"] == written["set"]
    assert wish["beside"] == {"line.rtt_ms": 50}
    assert (wish["scenario"], wish["seed"], wish["pace"]) == ("thin_line", 3, 60)
    assert wish["unknown"] == []
    assert unknown == ["line.bandwith"]


def test_courses_are_kept_for_half_an_hour_and_joined_once(run):
    length, first, last, values = run("""
      const { extend } = await load("data/model.js");
      const courses = { time_s: [], values: {} };
      for (let at = 5; at <= 4000; at += 5) {
        const overlap = [at - 5, at];
        extend(courses, { time_s: overlap, values: { a: overlap.map((t) => t * 2) } }, at);
      }
      extend(courses, { time_s: [4005], values: { a: [8010], late: [1] } }, 4005);
      const { a, late } = courses.values;
      const kept = [a.at(-1), a.length, late.length, late[0]];
      return [courses.time_s.length, courses.time_s[0], courses.time_s.at(-1), kept];
    """)
    assert (first, last) == (2145, 4005)
    assert length == (4005 - 2145) / 5 + 1
    assert values == [8010, length, length, None]


def test_a_mean_leaves_out_what_is_not_known(run):
    found = run("""
      const { smoothed } = await load("charts/series.js");
      return smoothed([null, 2, 4, null, 6], 10);
    """)
    assert found == [None, 2, 3, 4, 6]


def test_a_way_passes_the_places_in_between(run):
    through = run("""
      const { layOut, spot, P_QUEUE, MD } = await load("topology/geometry.js");
      const { way } = await load("topology/ways.js");
      const shape = { prefill: 5, relay: 1, main: 4, line: true, drc: true, gbps: 10 };
      const geo = layOut(1000, 320, shape);
      const from = { ...spot(geo, 1, P_QUEUE, 2, 0.5), place: P_QUEUE, instance: 2 };
      const to = { ...spot(geo, 1, MD, 3, 0.1), place: MD, instance: 3 };
      const inside = (points, box) => points.some(([x, y]) =>
        x >= box.x - 1 && x <= box.x + box.w + 1 && y >= box.y && y <= box.y + box.h);
      const direct = way(geo, from, to, 0);
      const relayed = way(geo, from, to, 1);
      return {
        p: inside(direct, geo.prefill.cells[2].box),
        line: direct.some(([x, y]) => x === geo.line.x0 && y === geo.line.y),
        directRelay: inside(direct, geo.relay.cells[0].box),
        relay: inside(relayed, geo.relay.cells[0].box),
        relayedLine: relayed.some(([x, y]) => x === geo.line.x0 && y === geo.line.y),
        ends: [direct[0][0] === from.x, direct.at(-1)[0] === to.x],
      };
    """)
    assert through["p"]
    assert through["line"]
    assert through["relay"]
    assert not through["directRelay"]
    assert not through["relayedLine"], "a relayed request is handed over; only its KV crosses"
    assert through["ends"] == [True, True]


def test_particles_never_leave_their_way(run):
    """A frame is taken later than the moment that the animation counts from."""
    forward = run("""
      const { Particles } = await load("topology/particles.js");
      const { layOut, P, LINE, MD } = await load("topology/geometry.js");
      const shape = { prefill: 5, relay: 1, main: 4, line: true, drc: true, gbps: 10 };
      const geo = layOut(1000, 320, shape);
      const particles = new Particles();
      const frame = (t, place, instance, share) =>
        ({ t, of: 1, requests: [[7, 0, place, instance, share]], crossing: [] });
      const seen = [];
      const step = (now) => {
        particles.step(now);
        for (const { x, y } of particles.all.values()) seen.push([x, y]);
      };
      particles.take(frame(1, P, 2, 0.9), geo, 1000);
      for (const now of [990, 1040]) step(now);
      particles.take(frame(2, LINE, -1, 0.5), geo, 1100);
      for (const now of [1060, 1110, 1150]) step(now);
      particles.take(frame(3, MD, 1, 0.1), geo, 1160);
      for (const now of [1120, 1170, 1200, 1290]) step(now);
      const top = geo.main.cells[1].box.y - 1;
      const bottom = geo.prefill.cells[2].box.y + geo.prefill.cells[2].box.h + 1;
      const right = geo.main.cells[1].box.x + geo.main.cells[1].box.w;
      return seen.every(([x, y], i) =>
        x >= seen[Math.max(0, i - 1)][0] - 0.01 && x <= right && y >= top && y <= bottom);
    """)
    assert forward


def test_the_numbers_beside_instances_are_of_the_particles_in_them(run):
    seen, arrived, sampled = run("""
      const { Particles } = await load("topology/particles.js");
      const { seenIn } = await load("topology/counts.js");
      const { layOut, P, RLD, MD } = await load("topology/geometry.js");
      const shape = { prefill: 5, relay: 1, main: 2, line: true, drc: true, gbps: 10 };
      const geo = layOut(1000, 320, shape);
      const particles = new Particles();
      const used = (...counts) => ({ instances: counts.map((used) => ({ used, slots: 9 })) });
      const frame = (t, place, used1) => ({
        t, of: 3, counts: { p_queue: 0 }, relay: used(used1), main: used(0, 2), crossing: [],
        requests: [[1, 1, place, 0, 0.2], [2, 0, MD, 1, 0.2], [3, 0, MD, 1, 0.7]],
      });
      particles.take(frame(1, P, 0), geo, 1000);
      for (const now of [1010, 1300]) particles.step(now);
      const last = frame(2, RLD, 1);
      particles.take(last, geo, 1400);
      particles.step(1410);
      const seen = seenIn(particles.all.values(), geo, last);
      particles.step(2400);
      const arrived = seenIn(particles.all.values(), geo, last);
      const sampled = seenIn(particles.all.values(), geo, { ...last, of: 900 });
      return [seen, arrived, sampled];
    """)
    others = {"waiting": 0, "waitingB": 0, "line": 0, "main": [0, 2]}
    assert seen == {**others, "relay": [0]}, "one is still on its way there"
    assert arrived == {**others, "relay": [1]}
    assert sampled == arrived


def test_requests_in_flight_are_told_in_groups_that_add_up(run):
    counts, told = run("""
      const { stages } = await load("topology/describe.js");
      const places = [
        "p_queue", "p", "rdma", "line", "rld_queue", "rld", "handoff", "md_queue", "md",
      ];
      const counts = Object.fromEntries(places.map((place, i) => [place, 2 ** i]));
      return [counts, stages(counts)];
    """)
    assert sum(told.values()) == sum(counts.values())


def test_a_ratio_tells_nothing_of_sides_that_have_collapsed(run):
    found = run("""
      const { TILES, trendOf } = await load("parts/tiles.js");
      const bcr = TILES.find((tile) => tile.key === "bcr");
      const state = (bcr, goodput_rps, baseline_goodput_rps, requests = 1700) =>
        ({ bcr, goodput_rps, baseline_goodput_rps, requests });
      const now = state(1.4, 2.6, 2.1, 5000);
      return [
        state(2.54, 2.7, 1.2), state(2.54, 0.8, 0.3), state(2.54, 2.7, 0.9),
        state(2.54, 2.7, 1.2, 90), state(0.9, 1.7, 2.1), state(2.54, 2.7, null),
      ].map((ahead) => trendOf(bcr, bcr.parts[0], now, ahead, 0.3));
    """)
    assert found == ["better", "even", "even", "even", "worse", "even"]


def test_no_past_is_drawn_beyond_the_moment_that_all_have_come_to(run):
    past, ahead = run("""
      const { figure, nowOf } = await load("charts/figure.js");
      const { useTexts } = await load("texts.js");
      useTexts({ panes: { A: "this", B: "fork" }, courses: { batch: "batch", coming: "{name}" } });
      const pane = (name, t) => {
        const time_s = Array.from({ length: t / 5 }, (_, i) => 5 * (i + 1));
        const courses = { time_s, values: { batch: time_s.map(() => 1) } };
        const next = [t + 5, t + 10];
        const forecast = { time_s: next, values: { batch: [1, 1] } };
        return { name, model: { t, courses, forecast, log: [], scenario: {} } };
      };
      const panes = [pane("A", 600), pane("B", 660)];
      const chart = { courses: [{ name: "batch", role: "rld", mean: 30 }] };
      const colours = { rld: "rgb(1, 2, 3)", edge: "rgb(1, 2, 3)", accent: "rgb(1, 2, 3)",
        ink: "rgb(1, 2, 3)", soft: "rgb(1, 2, 3)", line: "rgb(1, 2, 3)" };
      const { data } = figure(chart, panes, { colours, range: [0, 700], width: 400 });
      const now = nowOf(panes);
      return [data.filter((_, i) => i % 2 === 0).map(({ x }) => x.at(-1)), [now, data[3].x.at(-1)]];
    """)
    assert past == [600, 600]
    assert ahead == [600, 670]


def test_a_picture_says_what_it_is(run):
    title, axes, legend = run("""
      const { picture } = await load("charts/picture.js");
      const { CHARTS } = await load("charts/series.js");
      const { useTexts } = await load("texts.js");
      useTexts({
        charts: { line: "Line", time_axis: "simulated time", subtitle: "{scenario} {at}" },
        courses_units: { line_gbps: "Gbps", line_flows: "KV transfers" }, panes: {},
      });
      const scenario = { name: "mine", title: "Mine <b>" };
      const panes = [{ name: "A", model: { t: 7449, log: [], seed: 1, scenario } }];
      const chart = CHARTS.find(({ key }) => key === "line");
      const drawn = { data: [{ x: [1] }, { x: [] }], layout: { xaxis: {}, yaxis: {}, yaxis2: {} } };
      const { data, layout } = picture(chart, drawn, panes, {});
      const axes = ["xaxis", "yaxis", "yaxis2"].map((axis) => layout[axis].title.text);
      return [layout.title.text, axes, [layout.showlegend, ...data.map((one) => one.showlegend)]];
    """)
    assert title == "Line<br><sup>Mine &lt;b> 2:04:09</sup>"
    assert axes == ["simulated time", "Gbps", "KV transfers"]
    assert legend == [True, True, False]


def test_a_forecast_that_comes_while_another_is_drawn_is_drawn_as_well(run):
    drawn = run("""
      const { Charts } = await load("charts/charts.js");
      const seen = [];
      const charts = Object.create(Charts.prototype);
      const chart = { dirty: false, drawnAt: 1, visible: true };
      chart.draw = (_, __, now) => Object.assign(chart, { dirty: false, drawnAt: now });
      Object.assign(charts, {
        charts: [chart], known: -1, awaited: null, next: null, Plotly: {}, colours: {},
        zoom: [0, 1],
        panes: () => [{ model: { scenario: {}, t: 1, pace: 10 } }],
        meter: { drawn: (_, entry) => seen.push(entry) },
      });
      charts.ahead({ entry: 0 });
      charts.ahead({ entry: 1 });
      for (const now of [1000, 2000, 3000]) charts.step(now);
      return seen;
    """)
    assert drawn == [0, 1]
