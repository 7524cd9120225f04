"""What a worker process inherits, and must not mind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

STARTED_WHILE_A_PAGE_RUNS = """
import sys
sys.path.insert(0, {pages!r})
from web.api import child
child.forget_own_folders()
assert {pages!r} not in sys.path
from web.api import forecast_worker, job_worker, twin_worker
import numbers
print(numbers.__file__)
"""


def test_a_worker_that_starts_while_a_page_runs_finds_the_libraries_own_modules():
    script = STARTED_WHILE_A_PAGE_RUNS.format(pages=str(ROOT / "web" / "ui"))
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert not Path(found.stdout.strip()).is_relative_to(ROOT / "web")


def test_without_that_it_would_not_even_begin():
    script = STARTED_WHILE_A_PAGE_RUNS.replace("child.forget_own_folders()\n", "").replace(
        "assert {pages!r} not in sys.path\n", ""
    )
    script = script.format(pages=str(ROOT / "web" / "ui"))
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "ImportError" in found.stderr
