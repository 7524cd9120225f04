"""The tensions between published figures: what no single choice resolves, what was chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tension:
    """Two things that do not go together, the claims they stand in, and what the twin does."""

    title: str
    claims: tuple[str, ...]
    why: str
    chosen: str


TENSIONS: tuple[Tension, ...] = (
    Tension(
        "One line cannot give both the wait and the relay's share",
        ("C02", "C09"),
        "Whole KV costs 2.5 s at the median only if a transfer gets about 10 Gbps on a line above "
        "65 Gbps; RLD makes 6.2 % of the tokens only behind a thin line.",
        "The line is a setting of each deployment: 100 Gbps for the unoptimised one, 10 Gbps for "
        "PDD.",
    ),
    Tension(
        "4.39 KB/token belongs to another model",
        ("C01", "C09", "C11"),
        "The runs behind C01 to C09 fit a KV cache of about 46.5 KB/token; with 4.39 the line "
        "would hardly be felt.",
        "C11 is arithmetic with its own figure; all runs use 46,488 B/token.",
    ),
    Tension(
        "The gain in goodput depends on the SLA",
        ("C06", "C08", "C24"),
        "From one SLA to another the ratio moves from 1.20 to 1.41.",
        "The SLA stands beside each figure: a total within 30 s for 90 % of requests.",
    ),
    Tension(
        "The price of the line decides whether PDD saves hardware",
        ("C07", "C08"),
        "At 1.2 A for a chip B nothing is saved from a line of 6.6 A on, at 1.3 A from 3.4 A on; "
        "the published saving needs a line of .35 A.",
        "The price of the line is an input.",
    ),
)
