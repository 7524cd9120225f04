"""The table of claims in docs/command-line.md is the one that is printed."""

from __future__ import annotations

import re

from tests.twin.examples import PAGE, shape
from twin.cli.compare_table import claims_table
from twin.compare import Comparison
from twin.verdicts import Evidence, verdicts


def test_the_page_shows_the_table_that_is_printed(published: Comparison):
    text = claims_table(verdicts(Evidence.of(published)), len(published.seeds))
    told = re.findall(r"^```text\n(Beside the published.*?)\n```$", PAGE.read_text(), re.M | re.S)
    assert [shape(one) for one in told] == [shape(text)]
