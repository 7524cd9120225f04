"""The process behind one running twin: questions and answers, and another one when it dies."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from twin.errors import Problem

from .changes import seen
from .errors import ApiError, explained, of_problems
from .processes import Child, Crew, NoWorker
from .twin_worker import Made
from .wire import Message

ANSWER_S = 60.0
"""A question without an answer for so long (wall s) is given up."""

TRIES = 2
"""A question that ends its worker so many times is not asked again."""

AtOnce = Callable[[Any], None]


@dataclass
class Question:
    """Something asked of the worker; `at_once` hears the answer before any later message.

    It hears it even when nobody waits for the answer any more: what the worker has done, it has
    done. What is asked `once` is not asked again of the next worker when this one dies.
    """

    what: str
    args: tuple[Any, ...]
    at_once: AtOnce | None = None
    once: bool = False
    tried: int = 1
    answer: asyncio.Future[Any] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class Owner(Protocol):
    """Who is told what the process says by itself, and that it has died."""

    def on_frame(self, t: float, entry: int, look: bytes, carries: bool) -> None: ...
    def on_beat(self, t: float, entry: int, note: str | None) -> None: ...
    def on_checkpoint(self, t: float, entry: int, state: bytes, memory: bytes | None) -> None: ...
    def on_death(self) -> None: ...


class TwinProcess:
    """Asks the worker of one twin; questions without an answer outlive the worker."""

    def __init__(self, crew: Crew, owner: Owner) -> None:
        self._crew = crew
        self._owner = owner
        self._numbers = itertools.count()
        self._asked: dict[int, Question] = {}
        self.worker: Child | None = None
        self._serving: Child | None = None  # the worker once it has made the twin

    @property
    def pid(self) -> int | None:
        """The process that runs the twin, if there is one."""
        return None if self.worker is None else self.worker.pid

    async def begin(self, made: Made) -> dict[str, Any]:
        """Have a worker make the twin, then ask it again what a dead one has not answered."""
        try:
            worker = await self._crew.take("twin")
        except NoWorker as error:
            raise ApiError("busy", str(error)) from None
        self.worker, self._serving = worker, None
        worker.listen(lambda message: self._on_message(worker, message), lambda: self._died(worker))
        try:
            standing = await self._answered(Question("make", (made,), once=True), worker)
        except BaseException:
            await self.end()
            raise
        self._serving = worker
        for number, question in list(self._asked.items()):
            worker.post(question.what, number, *question.args)
        return standing

    async def ask(
        self,
        what: str,
        *args: Any,
        at_once: AtOnce | None = None,
        once: bool = False,
        patience_s: float | None = ANSWER_S,
    ) -> Any:
        """What the worker says to this; ApiError when it refuses or cannot.

        Who asks with a `patience_s` of None waits until it has answered or is gone.
        """
        if self.worker is None:
            raise ApiError("busy", "the twin is asleep; try again in a moment")
        return await self._answered(Question(what, args, at_once, once), self._serving, patience_s)

    async def _answered(
        self, question: Question, worker: Child | None, patience_s: float | None = ANSWER_S
    ) -> Any:
        """The answer of `worker`, or of the next one when there is none or it dies."""
        number = next(self._numbers)
        self._asked[number] = question
        question.answer.add_done_callback(seen)
        if worker is not None:
            worker.post(question.what, number, *question.args)
        try:
            async with asyncio.timeout(patience_s):
                return await asyncio.shield(question.answer)
        except TimeoutError:
            raise ApiError("busy", f"the twin has not answered for {patience_s:g} s") from None
        finally:
            if question.at_once is None:
                self._asked.pop(number, None)

    async def end(self) -> None:
        """End the process; the twin can be made again from what is kept."""
        worker, self.worker, self._serving = self.worker, None, None
        self._give_up(ApiError("busy", "the twin has just gone to sleep; try again"))
        self._asked.clear()
        if worker is not None:
            await worker.end()

    def _on_message(self, worker: Child, message: Message) -> None:
        if worker is not self.worker:
            return
        kind, *rest = message
        if kind == "frame":
            self._owner.on_frame(*rest)
        elif kind == "beat":
            self._owner.on_beat(*rest)
        elif kind == "checkpoint":
            self._owner.on_checkpoint(*rest)
        else:
            self._on_answer(worker, kind, *rest)

    def _on_answer(self, worker: Child, kind: str, number: int, *said: Any) -> None:
        question = self._asked.pop(number, None)
        if question is None or question.answer.done():
            return
        if kind == "refused":
            question.answer.set_exception(_refusal(question.what, *said))
            return
        try:
            if question.at_once is not None:
                question.at_once(said[0])
        except Exception as error:  # nobody knows of what the worker has done: it goes with it
            question.answer.set_exception(explained(error))
            worker.kill()
        else:
            question.answer.set_result(said[0])

    def _died(self, worker: Child) -> None:
        """Keep what can be asked of the next worker; give up what has killed two."""
        if worker is not self.worker:
            return
        self._serving = None
        for question in self._asked.values():
            lost = question.once or question.tried >= TRIES
            question.tried += 1
            if lost and not question.answer.done():
                question.answer.set_exception(
                    ApiError("internal", "the twin cannot do this; it goes on as it was before")
                )
        self._asked = {n: q for n, q in self._asked.items() if not q.answer.done()}
        self._owner.on_death()

    def _give_up(self, error: ApiError) -> None:
        for question in self._asked.values():
            if not question.answer.done():
                question.answer.set_exception(error)


def _refusal(what: str, kind: str, problems: list[tuple[str, str, str]]) -> ApiError:
    code = "turn_refused" if what == "orders" else "scenario_invalid"
    if kind == "RunError":
        code = "bad_request"
    return of_problems(code, [Problem(*problem) for problem in problems])
