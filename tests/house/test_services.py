"""A test whose service is missing skips with a loud line, and fails in CI."""

from __future__ import annotations

import pytest

from tests import services

ASKING = """
    import pytest

    @pytest.mark.prometheus
    def test_by_marker():
        pass

    def test_by_fixture(chromium):
        pass

    def test_another(browser):
        pass

    def test_of_nothing():
        pass
"""


@pytest.fixture
def bare(pytester, monkeypatch):
    """A folder of tests, and how to run it, on a machine without services that is not CI."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PATH", str(pytester.path))
    monkeypatch.setattr(services, "SERVICES", _without_folders())
    pytester.makeini("[pytest]\naddopts = --strict-markers")
    pytester.run = lambda *args: pytester.runpytest_inprocess(*args, plugins=[services])
    return pytester


def _without_folders():
    return {
        name: services.Service(name, one.title, one.package, one.programs)
        for name, one in services.SERVICES.items()
    }


def test_missing_service_skips_and_says_so(bare):
    bare.makepyfile(ASKING)
    result = bare.run()
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(
        [
            "NOT TESTED: 2 tests left out: Chromium is not installed*apt-get install chromium)",
            "NOT TESTED: 1 test left out: Prometheus is not installed*apt-get install prometheus)",
        ]
    )
    assert result.ret == 0
    assert "1 passed, 3 skipped" in result.outlines[-1]


def test_missing_service_fails_in_ci(bare, monkeypatch):
    monkeypatch.setenv("CI", "true")
    bare.makepyfile(ASKING)
    result = bare.run()
    result.assert_outcomes(passed=1, errors=3)
    result.stdout.fnmatch_lines(["*In CI no test may skip. *Prometheus is not installed*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@pytest.mark.parametrize(
    "skip",
    [
        "@pytest.mark.skip('tired')\n    def test_it(): pass",
        "def test_it(): pytest.skip('tired')",
        "pytest.skip('tired', allow_module_level=True)",
    ],
    ids=["mark", "call", "module"],
)
def test_no_reason_to_skip_is_good_in_ci(bare, monkeypatch, skip):
    bare.makepyfile(f"import pytest\n    {skip}\n".replace("\n    ", "\n"))
    assert bare.run().parseoutcomes().get("skipped") == 1
    monkeypatch.setenv("CI", "true")
    result = bare.run()
    assert result.ret != 0
    assert "skipped" not in result.parseoutcomes()
    result.stdout.fnmatch_lines(["*In CI no test may skip. *tired*"])


def test_expected_failure_is_no_skip(bare, monkeypatch):
    monkeypatch.setenv("CI", "true")
    bare.makepyfile("import pytest\n@pytest.mark.xfail\ndef test_it(): assert 0")
    bare.run().assert_outcomes(xfailed=1)


def test_asking_by_fixture_marks_the_test(bare):
    bare.makepyfile(ASKING)
    result = bare.run("-m", "not chromium and not prometheus")
    result.assert_outcomes(passed=1, deselected=3)


def test_newest_server_is_taken(tmp_path):
    for version in ("9.6", "15", "postgresql@16"):
        program = tmp_path / version / "bin" / "initdb"
        program.parent.mkdir(parents=True)
        program.touch()
    server = services.Service("x", "X", "x", ("initdb",), (str(tmp_path),))
    assert server.find() == tmp_path / "postgresql@16" / "bin" / "initdb"


@pytest.mark.parametrize(
    ("value", "is_ci"), [("true", True), ("1", True), ("", False), ("false", False), ("0", False)]
)
def test_what_counts_as_ci(monkeypatch, value, is_ci):
    monkeypatch.setenv("CI", value)
    assert services.in_ci() is is_ci
