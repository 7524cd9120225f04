"""The words of the Makefile: each is explained, and each fails in one clear sentence."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .tree import ROOT

TEXT = (ROOT / "Makefile").read_text("utf-8")


def phony() -> set[str]:
    """The words a person may say."""
    listed = re.search(r"^\.PHONY: (.*)$", TEXT, re.M)
    assert listed
    return set(listed[1].split()) - {"FORCE"}


def outside() -> dict[str, str]:
    """The environment as it is outside of the make that may have started these tests."""
    ours = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "PYTHON", "VENV", "ARGS"}
    return {name: value for name, value in os.environ.items() if name not in ours}


def make(*words: str, folder: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    """What make says to these words."""
    return subprocess.run(
        ["make", *words],
        cwd=folder,
        env=outside() | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def bare(tmp_path):
    """A checkout without an environment."""
    shutil.copy2(ROOT / "Makefile", tmp_path)
    for name in ("requirements-build.lock", "requirements.lock", "requirements-dev.lock"):
        shutil.copy2(ROOT / name, tmp_path)
    shutil.copy2(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "twin").mkdir()
    shutil.copy2(ROOT / "twin" / "version.py", tmp_path / "twin")
    return tmp_path


def program(path: Path, text: str) -> Path:
    """A small shell program at that path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + textwrap.dedent(text))
    path.chmod(0o755)
    return path


def test_every_word_is_explained_in_one_line():
    said = make("help")
    lines = dict(re.findall(r"^make (\S+) +(\S.*)$", said.stdout, re.M))
    assert lines.keys() == phony()
    assert len(said.stdout.splitlines()) == len(lines)
    assert make().stdout == said.stdout


def test_a_python_that_does_not_fit_is_named(bare):
    old = program(bare / "old", 'case "$2" in *print*) echo 3.10;; *) exit 1;; esac')
    said = make("test", f"PYTHON={old}", folder=bare)
    assert said.returncode != 0
    assert f"needs Python 3.11, 3.12 or 3.13; found here: {old} (3.10)." in said.stderr
    assert not (bare / ".venv").exists()


def test_no_python_at_all_is_told(bare):
    said = make("run", f"PYTHON={bare / 'absent'}", folder=bare)
    assert said.returncode != 0
    assert "needs Python 3.11, 3.12 or 3.13; found here: none" in said.stderr


def test_a_python_without_venv_is_told(bare):
    cut = program(
        bare / "cut", 'case "$2" in *print*) echo 3.12;; *venv*) exit 1;; *) exit 0;; esac'
    )
    said = make("test", f"PYTHON={cut}", folder=bare)
    assert said.returncode != 0
    assert "cannot make environments" in said.stderr
    assert "apt-get install python3.12-venv" in said.stderr


def test_the_first_python_that_fits_is_taken(bare):
    folder = bare / "bin"
    program(folder / "python3.13", "exit 127")
    program(
        folder / "python3.12", 'case "$*" in *print*) echo 3.12;; *venv*) mkdir -p .venv;; esac'
    )
    program(folder / "python3.11", "echo 3.11")
    said = make(".venv/.python", folder=bare, PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
    assert said.returncode == 0
    assert said.stderr.startswith("Making .venv with Python 3.12, once;")


@pytest.fixture
def prepared(bare):
    """A checkout whose environment is ready, with a stand-in for what `make run` starts."""
    environment = bare / ".venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    for stamp in (".python", ".uv", ".ready-run", ".ready-dev"):
        (environment / stamp).touch()
    return bare


def test_a_ready_environment_is_left_alone(prepared):
    (prepared / "pytest.py").write_text("import sys\nprint('arguments', sys.argv[1:])\n")
    said = make("test", "ARGS=-x tests/laws", folder=prepared)
    assert (said.returncode, said.stdout) == (0, "arguments ['-x', 'tests/laws']\n"), said.stderr


def test_another_python_makes_another_environment(prepared):
    other = program(prepared / "other", 'case "$2" in *print*) echo 3.99;; *) exit 1;; esac')
    said = make("test", f"PYTHON={other}", folder=prepared)
    assert f"found here: {other} (3.99)" in said.stderr


def test_a_changed_lock_asks_for_an_install(prepared):
    program(prepared / ".venv" / "bin" / "uv", 'echo "$@" >> installed')
    make("run", folder=prepared)
    assert not (prepared / "installed").exists()
    os.utime(prepared / "requirements.lock", (2**31, 2**31))
    make("run", folder=prepared)
    assert "--require-hashes -r requirements.lock" in (prepared / "installed").read_text()


STAND_IN = """
import signal
ends = {signal.SIGTERM, signal.SIGINT}
signal.pthread_sigmask(signal.SIG_BLOCK, ends)
print("ready", flush=True)
signal.sigwait(ends)
print("stopped")
"""


@pytest.fixture
def running(prepared):
    """`make run` in a process group of its own, as a terminal starts it; the stand-in is ready."""
    (prepared / "web").mkdir()
    (prepared / "web" / "__main__.py").write_text(STAND_IN)
    with subprocess.Popen(
        ["make", "run"],
        cwd=prepared,
        env=outside(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as started:
        try:
            assert started.stdout
            assert started.stdout.readline() == "ready\n"
            yield started
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)


def test_interrupt_stops_the_twin_without_a_word(running):
    os.killpg(running.pid, signal.SIGINT)
    assert running.communicate(timeout=30)[0] == "stopped\n"


def test_ending_make_ends_the_twin(running):
    os.kill(running.pid, signal.SIGTERM)
    assert running.communicate(timeout=30)[0].splitlines()[0] == "stopped"
