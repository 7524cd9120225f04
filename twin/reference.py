"""The page that tells every setting, shipped scenario and part: `scenarios/README.md`.

Written from the model, the scenario files and the shelf of parts, so that it cannot drift from
them; a test compares the committed page with what is written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from .parts import KINDS, NamedPart, Shelf
from .scenario import Scenario
from .scenario_file import is_assumed, load, shipped_folder
from .settings import Setting, number_text, parent_path, settings

SHORT_DIGEST = 12
"""Hex digits of a scenario's digest that the page shows."""

INTRODUCTION = """\
# Scenarios

A scenario says what a deployment is: sites, pools of chips, the line, the served model, the
traffic, the rules, the aims and the prices. `make docs` writes this page; do not edit it.

## How a file is written

```yaml
extends: pdd_43a_32b.yaml      # optional: build on a file beside this one, one level deep
name: my_case                  # the title and the story are not taken over
title: "Our case"
line: {bandwidth_gbps: 25}     # only what differs
main_decode:
  chip: {part: B, memory_gb: 141}   # a part by its name, with a value changed
workload:
  hit_shares: agentic_90min    # parts also stand for hit rates, lines and models
sources:
  line.bandwidth_gbps: "offer of our carrier"
```

Mappings are merged with those of the file that is extended, lists replace each other, and `null`
takes back what that file gives. A part that is named replaces the whole of what was there. YAML
anchors, aliases and tags are not taken; a file has at most 256 KB. `python -m twin scenario check
FILE` tells everything that is wrong in a file, each with its line. What has no source is assumed;
claims (C01 and so on) are those of the interview with the lead of PDD of August 2026.

## Measured profiles

Who has measured a deployment gives what was measured, and the roofline keeps out of it: `profile`
of a pool holds seconds of prefill by length, ITL by batch and the slots of an instance;
`kv_profile` of the model holds KV bytes by length.

```yaml
prefill:
  profile: {prefill: times.csv}      # a CSV file beside this one, or in a folder beside it
main_decode:
  profile: {itl: [{batch: 1, itl_ms: 12.5}, {batch: 19, itl_ms: 25}], slots: 19}
```

A CSV file has a line with the names of the columns (`tokens,seconds`) and a row for each point;
its values land in the scenario. Between two points a profile runs straight, beyond the first and
the last it goes on as between the two points there, and never below 0. Points must rise, and what
was measured must not fall. A cached prefix of c tokens before n new ones takes f(c + n) - f(c) +
f(0), which is exact for attention that grows with pairs of tokens.
"""

KIND_TITLES = {
    "chips": "Chips",
    "models": "Served models",
    "lines": "Lines",
    "hit_rates": "Hit rates",
}


SHOWN_ONCE = ("relay_decode", "main_decode", "prefill_b")
"""Pools that take the settings of `prefill`."""


def reference(folder: Path | None = None) -> str:
    """The whole page as Markdown, for the scenarios and parts in a folder (the shipped one)."""
    folder = folder or shipped_folder()
    scenarios = [load(path) for path in sorted(folder.glob("*.yaml"))]
    shelf = Shelf(folder / "parts")
    blocks = [INTRODUCTION, *_scenarios(scenarios), *_settings()]
    for kind in KINDS:
        blocks += _parts(kind, list(shelf.parts(kind).values()))
    return "\n".join(blocks)


def _scenarios(scenarios: Iterable[Scenario]) -> Iterator[str]:
    yield "## Shipped scenarios\n"
    rows = [
        (f"`{s.name}`", s.title, _hardware(s), f"`{s.digest()[:SHORT_DIGEST]}`") for s in scenarios
    ]
    yield _table(("name", "title", "hardware", "digest"), rows)
    for scenario in scenarios:
        yield f"**{scenario.name}.** {scenario.story}\n"


def _hardware(scenario: Scenario) -> str:
    pools = [
        f"{pool.instances} x {pool.chips_per_instance} {pool.chip.name} {name.replace('_', ' ')}"
        for name, pool in scenario.pools().items()
    ]
    if scenario.line is None:
        return ", ".join([*pools, "one site"])
    gbps = scenario.line.bandwidth_gbps
    return ", ".join([*pools, f"{'unlimited' if gbps is None else f'{gbps:g} Gbps'} line"])


def _settings() -> Iterator[str]:
    yield "## Settings\n"
    yield (
        "A setting marked live can be turned while a twin runs. `required` has no default; a dash "
        "means null. All pools take the same settings, shown once.\n"
    )
    by_group: dict[str, list[Setting]] = {}
    for setting in settings():
        by_group.setdefault(parent_path(setting.path), []).append(setting)
    for group, members in by_group.items():
        if not group.startswith(SHOWN_ONCE):
            shared = group.startswith("prefill")
            also = " (likewise relay_decode, main_decode and prefill_b)" if shared else ""
            yield f"### {group or 'The scenario itself'}{also}\n"
            yield _table(
                ("setting", "unit", "default", "takes", "live", "meaning"),
                [_row(member) for member in members],
            )


def _row(setting: Setting) -> tuple[str, ...]:
    bounds = setting.bounds()
    takes = {"number": bounds, "whole": f"whole, {bounds}", "name": "a name"}
    words = takes.get(setting.kind, setting.expects().removesuffix(", or null"))
    words = f"{words}, or null" if setting.nullable else words
    live = "live" if setting.live else ""
    return f"`{setting.path}`", setting.unit, _default(setting), words, live, setting.doc


def _default(setting: Setting) -> str:
    if setting.required:
        return "required"
    value = setting.default
    if value is None or value == "":
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, tuple | dict):
        return f"`{list(value) if isinstance(value, tuple) else value}`"
    return str(value)


def _parts(kind: str, parts: list[NamedPart]) -> Iterator[str]:
    yield f"## {KIND_TITLES[kind]}\n"
    rows = [(f"`{p.name}`", p.about, _values(p), _sources(p)) for p in parts if not p.lacks]
    yield _table(("part", "what it is", "values", "where they come from"), rows)
    incomplete = [
        (f"`{p.name}`", p.about, "; ".join(f"{key}: {why}" for key, why in p.lacks.items()))
        for p in parts
        if p.lacks
    ]
    if incomplete:
        yield "Incomplete: whoever names one of these must give what it lacks.\n"
        yield _table(("part", "what it is", "lacks"), incomplete)


def _values(part: NamedPart) -> str:
    words = {True: "true", False: "false"}
    return ", ".join(
        f"{key} {words[value] if isinstance(value, bool) else value}"
        for key, value in part.values.items()
    )


def _sources(part: NamedPart) -> str:
    """The sources with the settings they speak for; what is assumed comes last."""
    by_source: dict[str, list[str]] = {}
    for key in part.values:
        by_source.setdefault(part.sources.get(key, "assumed"), []).append(key)
    ordered = sorted(by_source.items(), key=lambda item: is_assumed(item[0]))
    return _linked("; ".join(f"{', '.join(keys)}: {source}" for source, keys in ordered))


def _linked(text: str) -> str:
    """Addresses in a text as short numbered links, the same one under the same number."""
    numbers: dict[str, int] = {}

    def link(match: re.Match[str]) -> str:
        return f"[{numbers.setdefault(match[0], len(numbers) + 1)}]({match[0]})"

    return re.sub(r"https?://[^\s,;]+", link, text)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [" | ".join(head), " | ".join("---" for _ in head)]
    lines += [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return "".join(f"| {line} |\n" for line in lines)
