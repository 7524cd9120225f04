"""`claims`: the published claims, computed now, beside their bands."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..claims import CLAIMS
from ..errors import Problem
from ..reproduction.compute import SEEDS, compute_all
from ..reproduction.constants import overrides
from ..reproduction.results import ClaimResult
from ..reproduction.stored import FILE, as_text
from ..reproduction.tensions import TENSIONS
from ..version import VERSION
from .claims_table import claims_text
from .console import Console, InputError, OutputError, json_text
from .export import Export

OUT_OF_BAND = 1


def claims_command(args: Namespace, console: Console) -> int:
    """Compute, write, tell; 1 when a claim has left its band."""
    seeds = range(args.seed, args.seed + args.seeds)
    wanted = _wanted(args.claims)
    if args.store and (args.claims or seeds != SEEDS):
        raise InputError(
            Problem("--store", "", f"keeps all claims of seeds 0 to {SEEDS[-1]}: name none of them")
        )
    export = Export(args.out)
    with console.progress("computing claims") as progress:
        results = compute_all(wanted, seeds, args.workers, progress)
    data = _data(results, seeds)
    export.write(data, _rows(results))
    if args.store:
        _store(results)
    console.put(json_text(data) if args.json else claims_text(results, seeds))
    return OUT_OF_BAND if any(one.state == "out" for one in results) else 0


def _wanted(words: Sequence[str]) -> list[str]:
    """The numbers of the claims that are named, or of all; InputError with each wrong one."""
    known = [claim.id for claim in CLAIMS]
    remedy = f"is no claim; there are {known[0]} to {known[-1]}"
    wrong = [Problem(repr(word), "", remedy) for word in words if _number(word) not in known]
    if wrong:
        raise InputError(wrong)
    return list(dict.fromkeys(map(_number, words))) or known


def _number(word: str) -> str:
    """C09 for c9 and the like; what looks otherwise is left as it is."""
    found = re.fullmatch(r"[Cc](\d+)", word)
    return f"C{int(found[1]):02d}" if found else word


def _data(results: Sequence[ClaimResult], seeds: Sequence[int]) -> dict[str, Any]:
    return {
        "version": VERSION,
        "seeds": list(seeds),
        "claims": [one.model_dump(mode="json") for one in results],
        "overrides": [one._asdict() for one in overrides()],
        "tensions": [asdict(one) for one in TENSIONS],
    }


def _rows(results: Sequence[ClaimResult]) -> list[dict[str, Any]]:
    """One for each figure."""
    return [
        {**figure.model_dump(mode="json"), "state": one.state, "sla": one.sla, "load": one.load}
        for one in results
        for figure in one.figures
    ]


def _store(results: list[ClaimResult]) -> None:
    try:
        FILE.write_text(as_text(results), "utf-8")
    except OSError as error:
        reason = (error.strerror or "an error").lower()
        raise OutputError(Problem(FILE.name, "", f"cannot be written: {reason}")) from None
