"""Whom the ingester may ask, and what becomes of answers that are slow, endless or elsewhere."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from web.ingest.fetch import Answer, Fetcher, FetchError, host_of


def get(url: str, **how) -> Answer:
    async def go():
        fetcher = Fetcher(**how)
        try:
            return await fetcher.get(url)
        finally:
            await fetcher.close()

    return asyncio.run(go())


def fault(url: str, **how) -> FetchError:
    with pytest.raises(FetchError) as told:
        get(url, **how)
    return told.value


def names(*addresses: str):
    async def resolve(host: str, port: int) -> tuple[str, ...]:
        return addresses

    return resolve


def test_an_answer_is_decompressed(pages):
    pages.put(
        "/metrics", gzip.compress(b"x 1\n"), content_encoding="gzip", content_type="text/plain; x"
    )
    found = get(f"{pages.address}/metrics")
    assert (found.status, found.body, found.content_type) == (200, b"x 1\n", "text/plain")


@pytest.mark.parametrize(
    "address",
    ["169.254.169.254", "fe80::1", "224.0.0.1", "64:ff9b::a9fe:a9fe", "0.0.0.0", "fd00:ec2::254",
     "::ffff:169.254.169.254"],
)  # fmt: skip
def test_some_addresses_are_never_asked_whatever_is_allowed(address):
    allow = ("0.0.0.0/0", "::/0", "meta.example")
    told = fault("http://meta.example/", allow=allow, resolve=names(address))
    assert told.fault == "not allowed"
    assert "such addresses are never asked" in str(told)
    both = fault("http://meta.example/", allow=allow, resolve=names("127.0.0.1", address))
    assert both.fault == "not allowed"  # one bad address among good ones is enough


def test_what_is_not_on_the_list_is_not_asked():
    told = fault("http://prom.example:9090/x?token=1", resolve=names("10.1.2.3"))
    assert str(told) == (
        "http://prom.example:9090 is 10.1.2.3: add its name or network to the allow list"
    )
    assert fault("ftp://127.0.0.1/").fault == "not allowed"


@pytest.mark.parametrize("entry", ["prom.example", "127.0.0.0/8"])
def test_a_name_or_a_network_opens_the_way_and_the_host_stays_its_name(pages, entry):
    pages.put("/", "ok")
    port = pages.address.rpartition(":")[2]
    found = get(f"http://prom.example:{port}/", allow=(entry,), resolve=names("127.0.0.1"))
    assert found.body == b"ok"
    assert pages.asked[0][1]["host"] == f"prom.example:{port}"


def test_redirects_are_not_followed(pages):
    pages.put("/", "", status=302, location="http://169.254.169.254/")
    assert fault(pages.address).fault == "redirect"
    assert len(pages.asked) == 1


def test_answers_are_capped_once_they_are_decompressed(pages):
    bomb = gzip.compress(b"0" * 5_000_000)
    assert len(bomb) < 10_000
    pages.put("/", bomb, content_encoding="gzip")
    told = fault(pages.address, most_bytes=1_000_000)
    assert told.fault == "too large"
    pages.put("/", b"no gzip", content_encoding="gzip")
    assert fault(pages.address).fault == "unreadable"


def test_a_silent_one_is_given_up(pages):
    pages.put("/", "late")
    pages.delay_s["/"] = 1.0
    told = fault(pages.address, timeout_s=0.1)
    assert told.fault == "timeout"
    assert "silent for 0.1 s" in str(told)


def test_an_address_is_shown_without_what_is_secret_in_it():
    assert host_of("https://me:pw@prom.example:9090/api?token=x#y") == "https://prom.example:9090"
    assert host_of("http://[::1]:80/x") == "http://[::1]"
