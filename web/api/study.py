"""What a study is: a named computation, its arguments, and the function that carries it out.

A study is a file in `studies/` with one `STUDY`. Its arguments are an `Arguments` model, whose
sentences are its documentation; its function runs in a worker process of its own, which has no
database: deployments reach it with all their values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import Field

from twin.scenario import Scenario
from twin.scenario_file import from_data, with_settings

from .strict_body import Body, ScenarioAsked, Values

Progress = Callable[[float], None]
"""Called with the share that is done, from 0 to 1, as often as one likes."""


class Arguments(Body):
    """What a study is asked with; strict, bounded, each field with its sentence."""


class Deployment(Arguments):
    """A scenario and what is other in it; in a study's function always with all its values."""

    scenario: ScenarioAsked
    set: Values = Field({}, description="Settings that are other than in the scenario.")

    def read(self) -> Scenario:
        """The scenario as it is set; ScenarioError names every setting that is wrong.

        A scenario that is still a name is found by the API before the study begins.
        """
        if isinstance(self.scenario, str):
            raise TypeError(f"{self.scenario} is a name: only the API can look it up")
        scenario = from_data(self.scenario)
        return with_settings(scenario, self.set) if self.set else scenario


Asked = TypeVar("Asked", bound=Arguments)


@dataclass(frozen=True)
class Study(Generic[Asked]):
    """A computation that can be asked for by name.

    `work(arguments, progress)` gives plain data (null for what cannot be said). `check` refuses
    arguments before anything is queued, by raising a TwinError. What is `long` waits its turn with
    the runs; all else passes them, so it must end within seconds. Raise `revision` with every
    change of what is said, so that no answer of before is taken for one of now.
    """

    name: str
    doc: str
    arguments: type[Asked]
    work: Callable[[Asked, Progress], dict[str, Any]]
    check: Callable[[Asked], None] | None = None
    long: Callable[[Asked], bool] = lambda _: False
    revision: int = 1
