"""The API of Prometheus: raw samples at their true times, and what is said when it says no."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx
import numpy as np
import pytest

from tests.web.ingest.conftest import until
from web.ingest.fetch import Credentials, Fetcher, FetchError
from web.ingest.prometheus_api import PrometheusApi, Raw, Refused


def ask(address: str, what, waits: list[float] | None = None, **fetcher) -> Any:
    """Carry out `what(api)`; waits between tries are noted and not waited."""
    noted = [] if waits is None else waits

    async def go():
        async def sleep(seconds: float) -> None:
            noted.append(seconds)

        out = Fetcher(**fetcher)
        try:
            return await what(PrometheusApi(address, out, sleep))
        finally:
            await out.close()

    return asyncio.run(go())


def raw(selector: str = '{job="vllm"}', from_ms: int = 0, to_ms: int = 10_000):
    return lambda api: api.raw(selector, from_ms, to_ms)


def success(result: list, **more) -> str:
    return json.dumps(
        {"status": "success", "data": {"resultType": "matrix", "result": result}} | more
    )


def test_samples_of_a_real_prometheus_come_at_their_true_times(pages, scraping):
    pages.put("/metrics", '# TYPE vllm:x gauge\nvllm:x{k="a b"} 7\n')
    address = scraping(pages.address.removeprefix("http://"))
    until(lambda: pages.asked)
    began = round(time.time() * 1000)
    time.sleep(1.5)
    pages.put("/metrics", "gone", status=503)
    time.sleep(0.8)
    to_ms = round(time.time() * 1000)
    found = ask(address, raw('{__name__=~"vllm:.*|up"}', began - 1000, to_ms))
    series = {one.id.name: one for one in found.series}
    x, up = series["vllm:x"], series["up"]
    assert x.id.label("k") == "a b"
    assert (x.id.label("pdd_role"), x.id.label("job")) == ("prefill", "vllm")
    assert set(x.value) == {7.0}
    steps = np.diff(up.time_ms)
    assert np.all(np.abs(steps - 200) <= 60), steps
    assert set(up.value) == {0.0, 1.0}
    last_good = up.time_ms[up.value == 1][-1]
    assert x.time_ms[-1] == last_good  # nothing is repeated inside the hole
    halves = ask(address, lambda api: _both(api, began - 1000, (began + to_ms) // 2, to_ms))
    again = {one.id.name: one for one in halves.series}
    for name, one in series.items():
        assert np.array_equal(one.time_ms, again[name].time_ms), name
        assert np.array_equal(one.value, again[name].value)
    families = {one.name: one.kind for one in ask(address, lambda api: api.families())}
    assert families["vllm:x"] == "gauge"
    assert ask(address, lambda api: api.version()).startswith("2.")
    (target,) = ask(address, lambda api: api.targets())
    assert target["health"] == "down"


async def _both(api: PrometheusApi, start: int, middle: int, end: int) -> Raw:
    from web.ingest.prometheus_api import joined

    selector = '{__name__=~"vllm:.*|up"}'
    return joined(await api.raw(selector, start, middle), await api.raw(selector, middle, end))


def test_a_bad_query_is_told_in_the_servers_words_and_asked_once(pages, scraping):
    pages.put("/metrics", "x 1\n")
    address = scraping(pages.address.removeprefix("http://"))
    waits: list[float] = []
    with pytest.raises(Refused, match=r"400: .*parse error.*check `select`"):
        ask(address, raw("{job="), waits)
    assert waits == []


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, "Unauthorized", "401: Unauthorized: check user, password or token"),
        (404, "404 page not found", "404: 404 page not found: no API of Prometheus is there"),
        (200, "<html>Sign in</html>", "200: a page of HTML: a proxy or a login"),
        (200, "", "200: an empty answer"),
        (200, "[1, 2]", "200: .*a proxy or a login"),
        (422, '{"status": "error", "error": "too deep"}', "422: too deep"),
    ],
)
def test_what_is_refused_for_good_is_asked_once(pages, status, body, sentence):
    kind = "text/html" if "html" in body else "text/plain"
    pages.put("/api/v1/query", body, status=status, content_type=kind)
    with pytest.raises(Refused, match=sentence):
        ask(pages.address, raw())
    assert len(pages.asked) == 1


@pytest.mark.parametrize(
    ("status", "headers", "waits"),
    [
        (429, {"retry-after": "3"}, [3.0, 6.0, 8.0]),
        (503, {}, [0.5, 1.0, 2.0]),
        (502, {"retry-after": "not a time"}, [0.5, 1.0, 2.0]),
    ],
)
def test_what_may_pass_is_asked_again_and_no_more_than_a_few_times(pages, status, headers, waits):
    pages.pages["/api/v1/query"] = status, headers, b"busy"
    noted: list[float] = []
    with pytest.raises(Refused, match=f"{status}: busy: try again later"):
        ask(pages.address, raw(), noted)
    assert noted == waits
    assert len(pages.asked) == 4


def test_nobody_there_is_no_empty_answer():
    with pytest.raises(FetchError, match="not to be reached") as told:
        ask("http://127.0.0.1:9", raw())
    assert told.value.fault == "unreachable"


def test_values_that_are_no_numbers_stay_what_they_are_and_warnings_are_kept(pages):
    metric = {"__name__": "x", "a": "1"}
    values = [[1.0, "NaN"], [2.5, "+Inf"], [3.123, "-Inf"], [4, "0"]]
    native = {"metric": {"__name__": "h"}, "histograms": [[1, {"count": "1"}]]}
    pages.put(
        "/api/v1/query",
        success([{"metric": metric, "values": values}, native], warnings=["half of it"]),
    )
    found = ask(pages.address, raw())
    (one,) = found.series
    assert one.time_ms.tolist() == [1000, 2500, 3123, 4000]
    assert np.isnan(one.value[0])
    assert one.value[1:].tolist() == [np.inf, -np.inf, 0.0]
    assert found.warnings == ["half of it"]
    assert found.skipped == ["h"]


def test_a_window_that_is_too_much_is_asked_for_in_halves(pages):
    def answer(handler):
        form = dict(httpx.QueryParams(pages.asked[-1][2].decode()))
        length = int(form["query"].rpartition("[")[2].removesuffix("ms]"))
        if length > 3_000:
            error = {"status": "error", "error": "query processing would load too many samples"}
            return 422, {}, json.dumps(error).encode()
        end = float(form["time"])
        values = [[end - 2, "1"], [end - 1, "2"], [end, "3"]]
        return 200, {}, success([{"metric": {"__name__": "x"}, "values": values}]).encode()

    pages.pages["/api/v1/query"] = answer
    (one,) = ask(pages.address, raw(to_ms=8_000)).series
    assert one.time_ms.tolist() == sorted(set(one.time_ms.tolist()))
    assert one.time_ms[0] > 0
    assert one.time_ms[-1] == 8_000


def test_credentials_go_with_the_question_and_never_into_a_sentence(pages):
    pages.put("/api/v1/query", "no", status=401)
    secret = Credentials(user="me", password="s3cret")
    with pytest.raises(Refused) as told:
        ask(pages.address.replace("//", "//other:pw@"), raw(), credentials=secret)
    assert "s3cret" not in f"{told.value}{secret!r}"
    assert "pw" not in str(told.value)
    assert pages.asked[0][1]["authorization"].startswith("Basic ")
    bearer = Credentials(bearer="t0ken")
    with pytest.raises(Refused):
        ask(pages.address, raw(), credentials=bearer)
    assert pages.asked[1][1]["authorization"] == "Bearer t0ken"
    assert "t0ken" not in repr(bearer)
