"""Pages of metrics: what is read, what is told line by line, and what is refused as a whole."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as open_metrics
from prometheus_client.parser import text_string_to_metric_families

from twin.telemetry.exposition import PageError, edge, read_page
from twin.telemetry.series import SeriesId

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


def values(text: str, **how):
    return {one.text: value for one, value, _ in read_page(text.encode(), **how).samples}


def registry() -> CollectorRegistry:
    found = CollectorRegistry()
    running = Gauge("vllm:num_requests_running", "Running.", ["model_name"], registry=found)
    running.labels('a "quoted" \\ name\nof two lines').set(7)
    tokens = Counter("vllm:generation_tokens", "Tokens.", registry=found)
    tokens.inc(7_058)
    ttft = Histogram("vllm:ttft_seconds", "TTFT.", buckets=(0.1, 1, 5), registry=found)
    for seconds in (0.05, 0.5, 9):
        ttft.observe(seconds)
    return found


def oracle(text: str) -> dict[str, float]:
    """As the official parser reads it, its edges written as ours."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = dict(sample.labels)
            if "le" in labels:
                labels["le"] = edge(labels["le"])
            found[SeriesId.of(sample.name, labels).text] = sample.value
    return found


def test_it_reads_what_the_official_parser_reads():
    text = generate_latest(registry()).decode()
    assert values(text) == oracle(text)


def test_open_metrics_is_the_same_page():
    """The client writes names there without their colon, and creation times in another way."""
    page = read_page(open_metrics(registry()), OPEN_METRICS)
    told = {one.text: value for one, value, _ in page.samples if "created" not in one.name}
    plain = oracle(generate_latest(registry()).decode())
    assert told == {k.replace("vllm:", "vllm_"): v for k, v in plain.items() if "created" not in k}


@given(
    st.dictionaries(
        st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,8}", fullmatch=True).filter(
            lambda name: name not in ("le", "quantile")
        ),
        st.text(min_size=1, max_size=20).filter(lambda text: "\r" not in text),
        max_size=4,
    ),
    st.floats(allow_nan=False),
)
def test_any_label_comes_back(labels, value):
    found = SeriesId.of("some:name_total", labels)
    line = f"{found.text} {value!r}\n"
    if not any(letter in line for letter in "\x85\u2028\u2029\x1c\x1d\x1e\x0b\x0c"):
        page = read_page(line.encode())
        assert page.samples == [(found, value, None)]
    assert SeriesId.parse(found.text) == found


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("one 1", {"one": 1.0}),
        ("one +Inf", {"one": math.inf}),
        ("one{} 3e2", {"one": 300.0}),
        ('one{a="1",} 2', {'one{a="1"}': 2.0}),
        ('one{ a = "}" } 2 1700000000000', {'one{a="}"}': 2.0}),
        ('x_bucket{le="1.0"} 2', {'x_bucket{le="1.0"}': 2.0}),
        ('x_bucket{le="1"} 2', {'x_bucket{le="1.0"}': 2.0}),
        ('x_bucket{le="+Inf"} 2', {'x_bucket{le="+Inf"}': 2.0}),
        ('one{a=""} 2', {"one": 2.0}),
    ],
)
def test_a_line(line, told):
    assert values(line + "\n") == told


@pytest.mark.parametrize(
    "line",
    [
        "one", "one x", "one 1 2 3", "one 1_000", "1one 2", 'one{a="1" 2', "one{a=1} 2",
        'one{a="1",a="2"} 3', "one 1 1.5", "one 0x10", "iinference model{x 1", "one{} ",
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_left_out_and_told(line):
    page = read_page(f"before 1\n{line}\nafter 2\n".encode())
    assert [one.text for one, _, _ in page.samples] == ["before", "after"]
    (trouble,) = page.troubles
    assert trouble.line == 2
    assert trouble.why


def test_the_type_is_the_announced_one_not_the_suffix():
    """A histogram whose name ends in _total, a counter without it, a gauge called _total."""
    page = read_page(
        b"# TYPE vllm:iteration_tokens_total histogram\n"
        b'vllm:iteration_tokens_total_bucket{le="8.0"} 3\n'
        b"# TYPE nv_inference_count counter\nnv_inference_count 9\n"
        b"# TYPE router_requests_total gauge\nrouter_requests_total 4\nnothing_said 1\n"
    )
    kinds = {name: family.kind for name, family in page.families.items()}
    assert kinds == {
        "vllm:iteration_tokens_total": "histogram", "nv_inference_count": "counter",
        "router_requests_total": "gauge",
    }  # fmt: skip
    assert "nv_inference_count" in {one.name for one, _, _ in page.samples}


@pytest.mark.parametrize(
    ("body", "content_type", "sentence"),
    [
        (b"one 1\ntwo 2", "", "cut off within its last line"),
        (b"one 1\n", OPEN_METRICS, "it has no # EOF"),
        (b"<!DOCTYPE html><title>Sign in</title>\n", "", "HTML: a login or a proxy"),
        (b"welcome\n", "text/html", "HTML"),
        (b'[{"iter": 1}]\n', "application/json", "JSON: give the Prometheus page"),
        (b"\xff\xfe1\n", "", "no UTF-8 at byte 0"),
        (b"<nothing>\n", "", "line 1"),
    ],
)
def test_what_is_no_whole_page_is_refused_as_a_whole(body, content_type, sentence):
    with pytest.raises(PageError, match=sentence):
        read_page(body, content_type)


def test_a_byte_order_mark_and_windows_lines_do_no_harm():
    assert values('\ufeffone 1\r\ntwo{a="b"} 2\r\n') == {"one": 1.0, 'two{a="b"}': 2.0}


def test_caps():
    body = b"".join(b'x{id="%d"} 1\n' % i for i in range(1_001))
    assert len(read_page(body, most_series=1_001).samples) == 1_001
    with pytest.raises(PageError, match="more than 1,000 series"):
        read_page(body, most_series=1_000)
    with pytest.raises(PageError, match="bytes long"):
        read_page(body, most_bytes=1_000)


def test_times_of_their_own_are_ms_in_text_and_seconds_in_open_metrics():
    ((_, _, text),) = read_page(b"one 1 1700000000123\n").samples
    ((_, _, opened),) = read_page(b"one 1 1700000000.123\n# EOF\n", OPEN_METRICS).samples
    assert text == opened == 1_700_000_000_123


def test_an_exemplar_is_no_sample():
    body = b'x_bucket{le="1"} 3 # {trace_id="a}b"} 0.5 1700000000.1\n# EOF\n'
    assert [(one.text, value) for one, value, _ in read_page(body, OPEN_METRICS).samples] == [
        ('x_bucket{le="1.0"}', 3.0)
    ]
    body = b'x_total{path="a # b"} 3 # {} 1\nx_total 4 # {} 1\n# EOF\n'
    assert values(body.decode(), content_type=OPEN_METRICS) == {
        'x_total{path="a # b"}': 3.0, "x_total": 4.0
    }  # fmt: skip


def test_a_series_said_twice_counts_once_and_is_told():
    page = read_page(b'x{a="1",b="2"} 1\ny 3\nx{b="2",a="1"} 2\n')
    assert [(one.text, value) for one, value, _ in page.samples] == [
        ('x{a="1",b="2"}', 1.0), ("y", 3.0)
    ]  # fmt: skip
    assert [one.why for one in page.troubles] == ["a series said twice"]
    timed = read_page(b"x 1 1700000000000\nx 2 1700000001000\n")
    assert len(timed.samples) == 2


@pytest.mark.parametrize("at", ["1e3", "99999999999999999", "1_000", "NaN", "9999999999999999"])
def test_what_is_no_time_is_told(at):
    page = read_page(f"before 1\nx 1 {at}\n".encode())
    assert len(page.samples) == 1 and len(page.troubles) == 1
    for odd in ("NaN", "Inf", "1e300"):
        opened = read_page(f"before 1\nx 1 {odd}\n# EOF\n".encode(), OPEN_METRICS)
        assert len(opened.samples) == 1 and len(opened.troubles) == 1


def test_a_second_scrape_reads_the_same():
    heads: dict = {}
    first = read_page(generate_latest(registry()), heads=heads)
    again = read_page(generate_latest(registry()), heads=heads)
    same = [one for one in first.samples if "created" not in one[0].name]
    assert same == [one for one in again.samples if "created" not in one[0].name]
    assert len(heads) == len(first.samples)
