"""One scrape: labels, times, markers for what has ended, and what a failure leaves behind."""

from __future__ import annotations

import asyncio

import pytest

from twin.telemetry.series import SeriesId, is_stale
from web.ingest.fetch import Fetcher
from web.ingest.scrape import Scraped, Target, scrape

LABELS = {"pdd_role": "prefill", "dc": "A"}


def scraped(target: Target, now_ms: int, **fetcher) -> Scraped:
    async def go():
        out = Fetcher(**fetcher)
        try:
            return await scrape(target, out, now_ms)
        finally:
            await out.close()

    found = asyncio.run(go())
    target.known = found.known
    return found


def told(found: Scraped) -> dict[str, list[tuple[int, float]]]:
    """Samples by name, without markers."""
    return {
        one.id.name: list(zip(one.time_ms.tolist(), one.value.tolist(), strict=True))
        for one in found.series
        if not is_stale(one.value).any()
    }


def ended(found: Scraped) -> set[str]:
    return {one.id.name for one in found.series if is_stale(one.value).any()}


@pytest.fixture
def target(pages) -> Target:
    return Target(f"{pages.address}/metrics", "pages", LABELS)


def test_samples_get_the_time_of_the_scrape_and_the_labels_of_the_target(pages, target):
    pages.put("/metrics", 'x{dc="Z",k="1"} 7\nown 2 1500\n')
    found = scraped(target, 9_000)
    assert told(found) == {"x": [(9_000, 7.0)], "own": [(1_500, 2.0)], "up": [(9_000, 1.0)]}
    x = next(one.id for one in found.series if one.id.name == "x")
    assert x == SeriesId.of(
        "x", LABELS | {"exported_dc": "Z", "k": "1", "job": "pages", "instance": target.instance}
    )
    assert pages.address.endswith(target.instance)


def test_what_is_no_longer_said_ends_with_a_marker_once(pages, target):
    pages.put("/metrics", "x 7\ny 1\nown 2 1500\n")
    scraped(target, 1_000)
    pages.put("/metrics", "y 2\n")
    found = scraped(target, 2_000)
    assert ended(found) == {"x"}  # what has a time of its own gets no marker
    assert told(found) == {"y": [(2_000, 2.0)], "up": [(2_000, 1.0)]}
    assert ended(scraped(target, 3_000)) == set()


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (503, "x 1\n", "it answered 503"),
        (200, "x 1\ny 2", "cut off within its last line"),
        (200, "<html>\n", "HTML"),
        (200, '{"x": 1}\n', "JSON"),
    ],
)
def test_half_a_page_is_none_and_up_says_so(pages, target, status, body, reason):
    pages.put("/metrics", "x 7\ny 1\n")
    scraped(target, 1_000)
    pages.put("/metrics", body, status=status)
    found = scraped(target, 2_000)
    assert told(found) == {"up": [(2_000, 0.0)]}
    assert ended(found) == {"x", "y"}
    assert reason in found.reason
    pages.put("/metrics", "x 8\n")
    assert told(scraped(target, 3_000)) == {"x": [(3_000, 8.0)], "up": [(3_000, 1.0)]}


def test_a_slow_target_is_down_after_its_time(pages, target):
    pages.put("/metrics", "x 7\n")
    pages.delay_s["/metrics"] = 1.0
    found = scraped(target, 1_000, timeout_s=0.1)
    assert told(found) == {"up": [(1_000, 0.0)]}
    assert found.reason.startswith("timeout: ")


def test_too_many_series_are_no_page(pages):
    pages.put("/metrics", "".join(f'x{{fairness_id="{i}"}} 1\n' for i in range(2_000)))
    few = Target(f"{pages.address}/metrics", "pages", LABELS, most_series=1_000)
    assert "more than 1,000 series" in scraped(few, 1_000).reason


def test_a_bad_line_is_told_and_the_rest_is_kept(pages, target):
    pages.put("/metrics", "x 7\nnonsense\n")
    found = scraped(target, 1_000)
    assert told(found)["x"] == [(1_000, 7.0)]
    assert [(one.line, one.text) for one in found.troubles] == [(2, "'nonsense'")]
