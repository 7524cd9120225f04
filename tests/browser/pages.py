"""What the browser tests ask of a page of studies: open it, turn a control, read a number."""

from __future__ import annotations

from typing import Any

from .lab import slider

STUDY = ".study"


def opened(visit: Any, path: str, slot: str = "", **options: Any) -> Any:
    """The page, once its study has been answered."""
    page = visit(path, ready=False, **options)
    answered(page, slot)
    return page


def _bar(page: Any, slot: str) -> Any:
    return page.locator(f'{STUDY}[data-slot="{slot}"]' if slot else STUDY).first


ANSWERED = """([place, within, before]) => {
  const bar = document.querySelector(place);
  const answer = bar?.dataset.answer;
  const shown = [...document.querySelectorAll(within)];
  return answer && answer !== before && shown.length > 0
    && shown.every((one) => one.dataset.answer === answer);
}"""


def answered(page: Any, slot: str = "", before: str | None = None) -> None:
    """Until a study has an answer, another one than `before`, and all its figures show it."""
    named = f'[data-slot="{slot}"]' if slot else "[data-slot]"
    page.wait_for_function(ANSWERED, arg=[f"{STUDY}{named}", f".pdd-widget{named}", before])


def press(page: Any, name: str, key: str, times: int = 1, *, slot: str = "", nth: int = 0) -> None:
    """Press a key on a slider, and wait for the answer under the new setting."""
    before = _bar(page, slot).get_attribute("data-answer")
    control = slider(page, name).nth(nth)
    for _ in range(times):
        control.press(key)
    answered(page, slot, before)


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
