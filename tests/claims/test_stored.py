"""The stored figures, which README and docs/claims.md show, are those of this program."""

from __future__ import annotations

import pytest

from twin.errors import RunError
from twin.reproduction.results import ClaimResult
from twin.reproduction.stored import as_text, measured, stale


def test_they_are_of_this_version_and_these_scenarios():
    assert stale(measured()) == [], "make claims"


def test_they_are_what_is_computed_now(computed: dict[str, ClaimResult]):
    """Within one standard deviation of a seed; exactly where no random number is in it."""
    for stored in measured().claims:
        now = computed[stored.claim]
        assert stored.state == now.state, "make claims"
        for was, figure in zip(stored.figures, now.figures, strict=True):
            close = max(was.sd or 0.0, 1e-9 * abs(was.value or 0.0))
            assert figure.value == pytest.approx(was.value, abs=close), f"{was.about}: make claims"


def changed(index: int, **fields):
    stored = measured()
    claims = list(stored.claims)
    claims[index] = claims[index].model_copy(update=fields)
    return stored.model_copy(update={"claims": tuple(claims)})


def test_what_is_stale_is_told():
    stored = measured()
    deployment = stored.claims[0].deployments[0]
    other = deployment.model_copy(update={"digest": "0" * 64})
    figure = stored.claims[2].figures[0].model_copy(update={"high": 99.0})
    (scenario,) = stale(changed(0, deployments=(other,)))
    assert scenario == f"C01: same_dc_88a is now {deployment.digest[:12]}"
    assert stale(changed(2, figures=(figure,))) == ["C03: other bands"]
    assert stale(changed(3, public="30 s")) == ["C04: told in other words"]
    (version,) = stale(stored.model_copy(update={"version": "0.0.1"}))
    assert "0.0.1" in version
    assert stale(stored.model_copy(update={"claims": stored.claims[1:]})) == [
        "other claims than there are"
    ]
    (seeds,) = stale(stored.model_copy(update={"seeds": (0, 1)}))
    assert "(0, 1)" in seeds


def test_it_is_written_as_it_is_read(tmp_path):
    path = tmp_path / "measured.json"
    path.write_text(as_text(list(measured().claims)), "utf-8")
    assert measured(path) == measured()


def test_a_file_that_cannot_be_used_says_how_to_mend_it(tmp_path):
    with pytest.raises(RunError, match=r"absent.*make claims"):
        measured(tmp_path / "measured.json")
    (tmp_path / "measured.json").write_text("{}")
    with pytest.raises(RunError, match="make claims"):
        measured(tmp_path / "measured.json")
