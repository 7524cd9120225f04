"""What tests of the ingester share: a site of pages, and a real Prometheus that scrapes it."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from tests.postgres import free_port
from tests.web.ingest.pages import Site, site


@pytest.fixture
def pages() -> Iterator[Site]:
    """A site of its own for each test."""
    with site() as there:
        yield there


@pytest.fixture
def scraping(prometheus: Path, tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts a Prometheus that scrapes targets each 200 ms: `scraping("127.0.0.1:1234")`."""
    started: list[subprocess.Popen] = []

    def start(*targets: str, every: str = "200ms") -> str:
        port = free_port()
        config = tmp_path / "prometheus.yml"
        listed = ", ".join(f'"{one}"' for one in targets)
        config.write_text(
            f"global: {{scrape_interval: {every}, scrape_timeout: {every}}}\n"
            "scrape_configs:\n- job_name: vllm\n  static_configs:\n"
            f"  - targets: [{listed}]\n    labels: {{dc: A, pdd_role: prefill}}\n"
        )
        started.append(
            subprocess.Popen(
                [
                    prometheus, f"--config.file={config}", f"--storage.tsdb.path={tmp_path}/tsdb",
                    f"--web.listen-address=127.0.0.1:{port}", "--log.level=error",
                ]
            )
        )  # fmt: skip
        address = f"http://127.0.0.1:{port}"
        _until_ready(address)
        return address

    yield start
    for process in started:
        process.terminate()
        process.wait(20)


def until(happened: Callable[[], object], within_s: float = 20.0) -> None:
    """Wait until something has happened; Prometheus scrapes first five seconds after its start."""
    end = time.monotonic() + within_s
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def _until_ready(address: str) -> None:
    for _ in range(200):
        try:
            if httpx.get(f"{address}/-/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError(f"{address} did not get ready")
