"""`prefill-service`: the published figures of Prefill-as-a-Service, computed now."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from ..errors import Problem
from ..prefill_service import Figure, figures
from ..reproduction.prefill_service import FILE, SEEDS, SOURCE, as_stored, as_text
from .claims_table import markdown
from .console import Console, InputError, OutputError, json_text
from .export import Export
from .tables import UNKNOWN, number, spread, table

OUT_OF_BAND = 1

VERDICTS = {True: "in", False: "OUT", None: "not published"}

PAGE = """\
## The other architecture

Prefill-as-a-Service ({source}) prefills long requests in A and all others in B beside decode. Its
three deployments under the twin's engine: the rate of a saturated deployment, the TTFT of a nearly
empty one, egress over the line. The profiles of H20 are not published; they are fitted to two of
the rates, which are therefore no prediction. `python -m twin prefill-service` computes it anew.
Seeds {seeds}.
"""


def prefill_service_command(args: Namespace, console: Console) -> int:
    """Compute, write, tell; 1 when a figure has left its band."""
    seeds = range(args.seed, args.seed + args.seeds)
    if args.store and seeds != SEEDS:
        raise InputError(Problem("--store", "", f"keeps those of seeds 0 to {SEEDS[-1]}"))
    export = Export(args.out)
    with console.progress("computing three deployments") as progress:
        found = figures(seeds, args.workers, progress)
    told = as_stored(found, seeds)
    data = told.model_dump(mode="json")
    export.write(data, data["figures"])
    if args.store:
        _store(as_text(told))
    console.put(json_text(data) if args.json else _text(found))
    return OUT_OF_BAND if any(one.inside is False for one in found) else 0


def _text(found: Sequence[Figure]) -> str:
    head = f"Prefill-as-a-Service ({SOURCE}) beside the twin:\n"
    return head + table([list(HEADS), *(list(row) for row in rows(found))], "<<>>><<<")


HEADS = ("deployment", "figure", "public", "ours", "band", "kind", "", "note")


def rows(found: Sequence[Figure]) -> list[tuple[str, ...]]:
    """Each figure in words: deployment, figure, public, ours, band, kind, verdict, note."""
    return [
        (
            one.deployment, one.figure, number(one.public, 2, one.unit),
            spread(one.value, one.sd, 2, one.unit),
            UNKNOWN if one.low is None else f"{number(one.low, 2)} to {number(one.high, 2)}",
            one.kind, VERDICTS[one.inside], one.note,
        )
        for one in found
    ]  # fmt: skip


def page_block() -> str:
    """The stored figures as a part of a page."""
    from ..reproduction.prefill_service import stored

    told = stored()
    head = PAGE.format(source=SOURCE, seeds=f"{told.seeds[0]} to {told.seeds[-1]}")
    return f"{head}\n{markdown(HEADS, rows(told.figures))}"


def _store(text: str) -> None:
    try:
        FILE.write_text(text, "utf-8")
    except OSError as error:
        reason = (error.strerror or "an error").lower()
        raise OutputError(Problem(FILE.name, "", f"cannot be written: {reason}")) from None
