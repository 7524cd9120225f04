"""A Result of chosen figures, all else None."""

from __future__ import annotations

from typing import Any

from twin.result import (
    Pipelines,
    Quantiles,
    Requests,
    Result,
    Stages,
    Utilisation,
    Window,
)


def result(**figures: Any) -> Result:
    """A result that says the given figures and nothing else."""
    silent: dict[str, Any] = dict.fromkeys(Result.model_fields)
    times = {name: Quantiles() for name in silent if name.endswith("_s") and name != "cpu_s"}
    return Result.model_validate(
        {
            **silent,
            **times,
            "scenario": "given", "digest": "", "workload": "", "seed": 0, "version": "",
            "stages_s": Stages(),
            "pipelines": Pipelines(p_md=0, p_rld_md=0, p_rld=0, filtered=0, p_d=0),
            "utilisation": Utilisation(),
            "saturated": False,
            "cost_units": 1.0,
            "window": Window(from_s=0, to_s=1, requests=0, unfinished=0),
            "requests": Requests(arrived=0, finished=0, refused=0, in_flight=0),
            "troubles": [], "events": 0,
            **figures,
        }
    )  # fmt: skip
