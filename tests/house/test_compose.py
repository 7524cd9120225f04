"""The image and its composition: safe by default, from the lock, and of one mind about ports."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import yaml

from .tree import ROOT, python_files

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
HEALTH = re.compile(r"http://127\.0\.0\.1:[^/]+(/[a-z/]+)")


def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def twin() -> dict:
    return compose()["services"]["twin"]


def instructions(word: str) -> list[str]:
    """The arguments of each instruction of the Dockerfile with this word, in order."""
    whole = DOCKERFILE.replace("\\\n", " ")
    return re.findall(rf"^{word}\s+(.*)$", whole, re.M)


def test_it_is_reachable_from_this_machine_only():
    ports = twin()["ports"]
    assert len(ports) == 1
    assert re.fullmatch(r"127\.0\.0\.1:\$\{PDD_TWIN_PORT:-8501\}:8501", ports[0])


def test_everyone_means_the_same_port():
    assert instructions("EXPOSE") == ["8501"]
    assert twin()["environment"]["PDD_TWIN_PORT"] == "8501"
    assert "PDD_TWIN_PORT=8501" in DOCKERFILE


def test_writing_needs_a_token_of_ones_own():
    assert twin()["environment"]["PDD_TWIN_HOST"] == "0.0.0.0"
    assert twin()["environment"]["PDD_TWIN_TOKEN"].startswith("${PDD_TWIN_TOKEN:?")


def test_the_database_lies_on_a_volume():
    address = twin()["environment"]["PDD_TWIN_DATABASE"]
    folder = address.removeprefix("sqlite:///").rpartition("/")[0]
    named = [volume.split(":")[0] for volume in twin()["volumes"] if volume.endswith(f":{folder}")]
    assert named == list(compose()["volumes"])
    assert instructions("VOLUME") == [folder]


def test_its_health_is_watched_where_the_api_tells_it():
    asked = [twin()["healthcheck"]["test"][-1], *instructions("HEALTHCHECK")]
    paths = {match[1] for text in asked if (match := HEALTH.search(text))}
    assert len(asked) == 2
    assert paths == {"/api/health"}
    served = [name for name in python_files("web") if name.startswith("web/api/")]
    assert not served or any("/health" in (ROOT / name).read_text() for name in served)


def test_it_runs_without_rights():
    assert instructions("USER")[-1] == "twin"
    assert DOCKERFILE.index("\nUSER twin") < DOCKERFILE.index("\nCMD")
    assert twin()["cap_drop"] == ["ALL"]
    assert twin()["read_only"] is True


def test_only_the_lock_is_installed():
    steps = " && ".join(instructions("RUN")).split("&&")
    installs = [step for step in steps if re.search(r"\b(pip|uv)\b.* (install|wheel)\b", step)]
    assert len(installs) == 4
    for step in installs:
        assert "--require-hashes" in step or "--no-deps" in step, step
    assert not re.search(r"\bapt-get\b|\bcurl\b|\bADD\b", DOCKERFILE)


def test_the_image_holds_all_rooms_of_the_product():
    copied = " ".join(instructions("COPY")).split()
    allowed = (ROOT / ".dockerignore").read_text().split()
    for name in ("twin", "db", "web", "scenarios", "pyproject.toml", "requirements.lock"):
        assert name in copied
        assert f"!{name}" in allowed


def test_compose_reads_it_the_same_way():
    """Where the client of Docker has compose; the checks above need none."""
    docker = shutil.which("docker")
    asked = [docker, "compose", "version"] if docker else ["false"]
    if subprocess.run(asked, capture_output=True).returncode:
        assert set(compose()) == {"services", "volumes"}
        return
    said = subprocess.run(
        ["docker", "compose", "config", "--format", "json"],
        cwd=ROOT,
        env=os.environ | {"PDD_TWIN_TOKEN": "secret"},
        capture_output=True,
        text=True,
        check=True,
    )
    read = json.loads(said.stdout)["services"]["twin"]
    assert read["ports"][0]["host_ip"] == "127.0.0.1"
    assert read["environment"]["PDD_TWIN_TOKEN"] == "secret"
