"""The parts of a page stay in place while one drags: none is drawn anew under the hand."""

from __future__ import annotations

import pytest

from .lab import slider

WATCH = """() => {
  const parts = (node) => node.nodeType !== 1 ? [] : node.matches('.pdd-widget')
    ? [node] : [...node.querySelectorAll('.pdd-widget')];
  window.taken = [];
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes) {
      for (const node of removedNodes) {
        window.taken.push(...parts(node).map((one) => one.dataset.widget));
      }
    }
  }).observe(document.body, { subtree: true, childList: true });
}"""


@pytest.mark.parametrize(
    ("path", "name", "written"),
    [("/feasibility", "Hit rate", "hit="), ("/economics", "Chip B, lower price", "b_low=")],
)
def test_what_is_drawn_stays_while_one_drags_and_the_address_follows(visit, path, name, written):
    page = visit(path, ready=False)
    track = slider(page, name)
    track.wait_for()
    page.locator(".number-value").first.wait_for()
    page.evaluate(WATCH)
    thumb = track.locator(".slider-thumb").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 41):
        page.mouse.move(x + 2 * step * (-1 if name == "Hit rate" else 1), y)
        page.wait_for_timeout(25)
    page.mouse.up()
    page.wait_for_url(f"**{written}*")
    assert page.evaluate("window.taken") == []
