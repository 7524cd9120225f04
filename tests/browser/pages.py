"""What the browser tests ask of a page of studies: open it, turn a control, read a number."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .lab import slider

COMPUTED_MS = 180_000
"""A study computes for some CPU seconds in a process that lets all others go first."""

ANSWERED = """([slot, before]) => {
  const bar = document.querySelector(`.study${slot}`);
  const answer = bar?.dataset.answer;
  const shown = [...document.querySelectorAll(`.pdd-widget[data-slot="${bar?.dataset.slot}"]`)];
  return answer && answer !== before && shown.length > 0
    && shown.every((one) => one.dataset.answer === answer);
}"""


def study(page: Any, slot: str = "") -> Any:
    """The line that tells how a study stands; the first of the page when none is named."""
    return page.locator(f".study{_named(slot)}").first


def _named(slot: str) -> str:
    return f'[data-slot="{slot}"]' if slot else "[data-slot]"


def opened(visit: Any, path: str, slot: str = "", **options: Any) -> Any:
    """The page, once its study has been answered."""
    page = visit(path, ready=False, **options)
    answered(page, slot)
    return page


def answered(page: Any, slot: str = "", before: str | None = None) -> None:
    """Until a study has an answer, another one than `before`, and all its figures show it."""
    page.wait_for_function(ANSWERED, arg=[_named(slot), before], timeout=COMPUTED_MS)


@contextmanager
def new_answer(page: Any, slot: str = "") -> Iterator[None]:
    """What is done within brings another answer; ends when all figures show it."""
    before = study(page, slot).get_attribute("data-answer")
    yield
    answered(page, slot, before)


def press(page: Any, name: str, key: str, times: int = 1, *, slot: str = "", nth: int = 0) -> None:
    """Press a key on a slider, and wait for the answer under the new setting."""
    with new_answer(page, slot):
        for _ in range(times):
            slider(page, name).nth(nth).press(key)


def number_of(text: str) -> float:
    """A number as it is shown: 1,234 or −0.5 or 12.3 %."""
    return float(text.replace(",", "").replace("\u2212", "-").split()[0])


def figure(page: Any, name: str) -> float:
    """A number of a row of figures, by its name."""
    return number_of(page.locator(f'.number[data-name="{name}"] .number-value').inner_text())


def cell(page: Any, row: str, column: int) -> float:
    """A number of a table, by the name of its row and the number of its column."""
    place = page.locator(f'.sheet tr[data-name="{row}"] > *').nth(column)
    return number_of(place.locator("span").first.inner_text())
