"""The command line as a process: pipes that break, Ctrl-C, full disks, hash seeds, workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .command_line import SMALL, called, environment, started, without_cpu

FULL = Path("/dev/full")
PROCESSES = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="this system does not list processes as files"
)
LONG = ("compare", "same_dc_88a", "pdd_43a_32b", "--seeds", "40", "--workers", "2")


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=60)
    return process.returncode, out or "", err or ""


def test_a_reader_that_goes_away_is_no_trouble():
    reading, writing = os.pipe()
    os.close(reading)
    process = started("run", *SMALL, "--json", stdout=writing)
    os.close(writing)
    assert ended(process) == (141, "", "")


@pytest.mark.skipif(not FULL.exists(), reason="this system has no full device")
def test_a_full_disk_is_told():
    with FULL.open("w") as full:
        code, _, err = ended(started("run", *SMALL, stdout=full))
    assert code == 1
    assert err.startswith("error: standard output: cannot be written: no space left on device")
    assert "Traceback" not in err


def test_closed_streams_are_no_trouble():
    words = [sys.executable, "-m", "twin", "run", *SMALL]
    shell = ["sh", "-c", '"$@" >&-', "sh", *words]
    said = subprocess.run(shell, env=environment(), capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr == "error: standard output is closed: leave it open, or use --out\n"
    shell = ["sh", "-c", '"$@" 2>&-', "sh", *words[:-3], "nope"]
    said = subprocess.run(shell, env=environment(), capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (2, "")


def test_a_terminal_without_the_signs_gets_a_question_mark():
    said = subprocess.run(
        [sys.executable, "-m", "twin", "run", *SMALL],
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
    )
    assert said.returncode == 0
    assert [b"MD", b"hit", b"?", b"%"] in [line.split() for line in said.stdout.splitlines()]


def children(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(stat.parent.name))
    return found


def alive(pid: int) -> bool:
    """Whether a process goes on (one that only waits to be buried does not)."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def running_with_workers() -> tuple[subprocess.Popen[str], list[int]]:
    """A long comparison whose workers (and the one who counts semaphores) have begun."""
    process = started(*LONG)
    for _ in range(600):
        found = children(process.pid)
        if len(found) >= 3:
            time.sleep(0.5)
            return process, found
        time.sleep(0.05)
    process.kill()
    raise AssertionError("no workers began")


def gone(pids: list[int]) -> bool:
    """Whether all of these end within a while."""
    for _ in range(200):
        if not any(map(alive, pids)):
            return True
        time.sleep(0.05)
    return False


@PROCESSES
@pytest.mark.parametrize("to_all", [True, False], ids=["group", "one"])
def test_ctrl_c_ends_the_workers_and_says_so(to_all):
    process, workers = running_with_workers()
    if to_all:  # as a terminal does
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal(signal.SIGINT)
    assert ended(process) == (130, "", "\nstopped; no result was written\n")
    assert gone(workers)


def test_ctrl_c_in_one_process_leaves_the_old_file(tmp_path):
    out = tmp_path / "r.json"
    out.write_text("old")
    process = started("run", "pdd_43a_32b", "--set", "run.requests=10000000", "--out", str(out))
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    assert ended(process)[0] == 130
    assert [file.name for file in tmp_path.iterdir()] == ["r.json"]
    assert out.read_text() == "old"


@PROCESSES
def test_a_killed_command_leaves_no_worker():
    process, workers = running_with_workers()
    process.kill()
    process.wait(timeout=60)
    try:
        assert gone(workers)
    finally:  # a worker that stayed would hold the pipes open for ever
        for pid in workers:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process.communicate(timeout=60)


@PROCESSES
def test_a_killed_worker_is_told():
    process, workers = running_with_workers()
    for pid in workers:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        if b"spawn_main" in command:
            os.kill(pid, signal.SIGKILL)
            break
    code, out, err = ended(process)
    assert (code, out) == (1, "")
    assert "error: a worker process is gone before its answer" in err
    assert gone(workers)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "pdd_43a_32b", "--set", "run.requests=600", "--series"),
        ("compare", "same_dc_88a", "pdd_43a_32b", "--set", "run.requests=400", "--no-capacity",
         "--seeds", "2"),
        ("trace", "scenarios/traces/agents_small.mooncake.jsonl"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_hash_seeds_and_workers_change_no_byte(words):
    said = []
    for seed, workers in ("0", "1"), ("1", "2"), ("2", "1"):
        shared = [] if words[0] == "trace" else ["--workers", workers]
        result = subprocess.run(
            [sys.executable, "-m", "twin", *words, *shared, "--json"],
            cwd=Path(__file__).parents[2],
            env=environment(PYTHONHASHSEED=seed),
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(json.dumps(without_cpu(json.loads(result.stdout))))
    assert said[0] == said[1] == said[2]


def test_an_unwritable_file_is_told_before_anything_is_run(capsys, tmp_path):
    said = called(capsys, "run", *SMALL, "--out", str(tmp_path / "none" / "r.json"))
    assert said.code == 2
    (tmp_path / "r.json").mkdir()
    said = called(capsys, "run", *SMALL, "--out", str(tmp_path / "r.json"))
    assert (said.code, said.out) == (2, "")
    assert "is a directory" in said.err
