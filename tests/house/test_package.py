"""What is installed: the three packages, their assets and the scenarios, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from importlib import metadata

import pytest

from twin.version import VERSION

from .tree import PRODUCT, ROOT, files


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The names in a wheel built from a copy of the tree."""
    copy = tmp_path_factory.mktemp("copy")
    for name in files():
        if name.split("/")[0] != "tests":
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*build, "--no-build-isolation", "-w", copy / "wheels", copy], check=True)
    (built,) = (copy / "wheels").glob("*.whl")
    with zipfile.ZipFile(built) as opened:
        return set(opened.namelist())


def test_every_file_of_the_product_is_installed(wheel):
    rooms = (*PRODUCT, "scenarios")
    expected = {name for name in files() if name.split("/")[0] in rooms}
    assert expected - wheel == set()


def test_nothing_else_is_installed(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} <= {*PRODUCT, "scenarios"}
    assert any(name.endswith("licenses/LICENSE") for name in wheel)


def test_the_command_is_installed():
    (command,) = metadata.entry_points(group="console_scripts", name="pdd-twin")
    assert command.value == "twin.__main__:main"
    assert metadata.version("pdd-twin") == VERSION
