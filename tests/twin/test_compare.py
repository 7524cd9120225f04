"""Who brings the requests of a comparison, and what each deployment keeps."""

from __future__ import annotations

import pytest

from tests.deployments import shipped
from twin.compare import compare, on_same_requests
from twin.errors import RunError


def test_the_first_brings_the_requests_and_everybody_keeps_his_prices():
    first = shipped("same_dc_88a", {"workload.clients": 33, "slo.total_s": 20})
    other = shipped("pdd_43a_32b", {"prices.line": 2.0})
    with pytest.raises(RunError, match="workload"):
        compare([first, other], with_capacity=False)
    same = on_same_requests(first, other)
    assert same[0] is first
    assert (same[1].workload, same[1].slo, same[1].run) == (first.workload, first.slo, first.run)
    assert same[1].prices == other.prices
    assert same[1].main_decode == other.main_decode
