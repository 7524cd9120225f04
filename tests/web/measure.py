"""Measures the running service over loopback: python -m tests.web.measure. No test; figures only.

Latencies are wall time as a client sees it; `load` is the machine's load average beside them. CPU
is that of the service's own process, or of one worker.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from tests.postgres import free_port
from tests.web.conftest import Server
from web.client import Client
from web.settings import Settings

BANDWIDTH = "line.bandwidth_gbps"
TWINS = 10
TURNS = 40


@contextlib.contextmanager
def service(data: Path) -> Iterator[tuple[str, int]]:
    """A service as `make run` starts it: its address and process id."""
    port = free_port()
    ours = {"PDD_TWIN_DATA": str(data), "PDD_TWIN_PORT": str(port)}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "web"], env=os.environ | ours, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout
        process.stdout.readline()
        address = f"http://127.0.0.1:{port}"
        told("ready to serve", time.monotonic() - began, "s")
        with Client(address) as client:
            client.twin("default")
        told("default twin there", time.monotonic() - began, "s")
        yield address, process.pid
    finally:
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(60)
        told("stopped on Ctrl-C after", time.monotonic() - began, "s")


def told(what: str, value: float, unit: str) -> None:
    print(f"{what:58} {value:9.2f} {unit:4} load {os.getloadavg()[0]:.1f}", flush=True)


def quantiles(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    told(f"{what} P50 of {len(ordered)}", statistics.median(ordered) * 1e3, "ms")
    told(f"{what} P95", p95 * 1e3, "ms")


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def heard(socket: Any, wanted: Any) -> dict[str, Any]:
    while True:
        said = json.loads(await socket.recv())
        if wanted(said):
            return said


async def drain(address: str, twin: str, counts: list[int], index: int) -> None:
    async with connect(f"{address}/{twin}/live", max_size=None, compression=None) as socket:
        async for message in socket:
            counts[index] += str(message).startswith('{"type":"frame"')


async def turns(address: str, twin: str, first: bool) -> tuple[float, float, float]:
    """Seconds from sending a turn to its frame, to `turned`, and to its forecast."""
    async with connect(f"{address}/{twin}/live", max_size=None, compression=None) as socket:
        await heard(socket, lambda m: m["type"] == "frame")
        return await one_turn(socket, 1 if first else None, 5.5)


async def one_turn(socket: Any, entry: int | None, value: float) -> tuple[float, float, float]:
    began = time.perf_counter()
    await socket.send(json.dumps({"do": "turn", "id": 1, "setting": BANDWIDTH, "value": value}))
    frame = turned = forecast = None
    frames: dict[int, float] = {}
    while frame is None or turned is None or forecast is None:
        said = json.loads(await socket.recv())
        now = time.perf_counter() - began
        if said["type"] == "frame":
            frames.setdefault(said["entry"], now)
        elif said["type"] == "turned":
            turned, entry = now, said["entry"]["number"]
        elif said["type"] == "forecast" and entry is not None and said["entry"] >= entry:
            forecast = now
        if entry is not None and entry in frames:
            frame = frames[entry]
    return frame, turned, forecast


async def latencies(address: str, twins: list[str]) -> None:
    counts = [0] * len(twins)
    watching = [
        asyncio.create_task(drain(address, twin, counts, i)) for i, twin in enumerate(twins)
    ]
    await asyncio.sleep(1.5)
    async with connect(f"{address}/{twins[0]}/live", max_size=None, compression=None) as socket:
        await heard(socket, lambda m: m["type"] == "frame")
        each = []
        for i in range(TURNS):
            each.append(await one_turn(socket, None, 5 + i / 10))
            await asyncio.sleep(0.1)
    for index, what in enumerate(("turn -> frame", "turn -> turned (kept)", "turn -> forecast")):
        quantiles(f"{what}, {len(twins)} twins running,", [one[index] for one in each])
    firsts = []
    for _ in range(6):
        firsts.append(await turns(address, "default", True))
        await asyncio.sleep(2)
    quantiles("first turn of the shared twin -> frame of the fork", [one[0] for one in firsts])
    quantiles("first turn of the shared twin -> forecast", [one[2] for one in firsts])
    for task in watching:
        task.cancel()


async def crowd(address: str, twin: str, pid: int, viewers: int = 100, seconds: float = 8) -> None:
    counts = [0] * viewers
    tasks = [asyncio.create_task(drain(address, twin, counts, i)) for i in range(viewers)]
    await asyncio.sleep(3)
    before, began, cpu = list(counts), time.monotonic(), cpu_s(pid)
    await asyncio.sleep(seconds)
    spent, took = cpu_s(pid) - cpu, time.monotonic() - began
    rates = [(now - then) / took for now, then in zip(counts, before, strict=True)]
    told(f"{viewers} viewers: frames per second each, median", statistics.median(rates), "/s")
    told(f"{viewers} viewers: CPU of the service", 100 * spent / took, "%")
    for task in tasks:
        task.cancel()


def restart(data: Path) -> None:
    """Kill the worker of a twin that has run for a day."""
    server = Server(Settings(port=free_port(), data=data))
    server.start()
    with server.client() as client:
        twin = client.fork("default")["id"]
        server.advance(twin, 86_400)
        for _ in range(5):
            with client.live(twin) as viewer:
                viewer.until("frame")
                began = time.perf_counter()
                os.kill(server.twin(twin).process.pid or 0, signal.SIGKILL)
                viewer.until("state", status="restarting")
                viewer.until("frame")
                told("killed after a simulated day -> next frame", time.perf_counter() - began, "s")
            time.sleep(4)
        client.change_twin(twin, pace=600)
        with client.live(twin) as viewer:
            for _ in range(80):
                frame = viewer.until("frame")
            told("pace asked 600, real", frame["real_pace"], "x")
    server.stop()


def main() -> None:
    """All figures."""
    with tempfile.TemporaryDirectory() as data:
        restart(Path(data))
    with tempfile.TemporaryDirectory() as data, service(Path(data)) as (address, pid):
        live = address.replace("http", "ws", 1) + "/api/twins"
        with Client(address) as client:
            twins = [client.fork("default")["id"] for _ in range(TWINS)]
            asyncio.run(latencies(live, twins))
            asyncio.run(crowd(live, twins[0], pid))


if __name__ == "__main__":
    main()
