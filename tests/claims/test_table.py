"""The table of claims in docs/command-line.md is the one that is printed."""

from __future__ import annotations

import re

from tests.twin.examples import PAGE, shape
from twin.cli.compare_table import claims_table
from twin.reproduction.results import ClaimResult
from twin.verdicts import MEASURES


def test_the_page_shows_the_table_that_a_comparison_prints(computed: dict[str, ClaimResult]):
    compared = dict.fromkeys(claim for claim, _ in MEASURES)
    text = claims_table([f for claim in compared for f in computed[claim].figures], 6)
    told = re.findall(r"^```text\n(Beside the published.*?)\n```$", PAGE.read_text(), re.M | re.S)
    assert [shape(one) for one in told] == [shape(text)]
