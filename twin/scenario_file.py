"""YAML in, Scenario out, and the sentences a person needs when that fails.

A file may build on another one of its folder, or on a shipped one (`extends: other.yaml`, one
level), and name parts (`chip: A`, `line: dedicated_10g`, or `{part: A, decode_bandwidth_share:
0.45}` to change some of a part's values) and CSV files beside it with the points of a measured
profile. What comes out holds values, never references.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from . import plain_yaml
from .errors import Problem, ScenarioError, shown
from .parts import PART_PLACES, Shelf
from .plain_yaml import Document
from .point_files import take_points
from .scenario import CrossProblems, Scenario
from .settings import PRICE_TABLES, WORDS, children, find, groups, parent_path, setting_at, unknown

ASSUMED = "assumed"
"""The source of a figure that has none."""

MAX_TOLD = 100
"""Most problems of one file that are told; whoever has more mends these first."""

NOT_INHERITED = ("name", "title", "story")
"""What a file does not take over from the one it extends."""


def shipped_folder() -> Path:
    """The folder of the scenarios that come with the twin."""
    return Path(__file__).resolve().parents[1] / "scenarios"


def load(path: Path | str) -> Scenario:
    """The scenario in a file; raises ScenarioError with every problem of the file."""
    return _usable(*_examined(_draft(Path(path))))


def check(path: Path | str) -> list[Problem]:
    """Every problem of a file, each with `file:line` and the path of the setting."""
    return _examined(_draft(Path(path)))[1].problems


def loads(text: str, place: str = "scenario", parts_dir: Path | None = None) -> Scenario:
    """The scenario in a text; `place` names it in sentences; raises ScenarioError.

    Parts are looked up in `parts_dir`, and what the text extends in the folder above it; both are
    the shipped ones when none is given.
    """
    parts_dir = parts_dir or shipped_folder() / "parts"
    draft = _resolved(plain_yaml.read(text, place), parts_dir.parent, Shelf(parts_dir))
    return _usable(*_examined(draft))


def from_data(data: Mapping[str, Any], place: str = "") -> Scenario:
    """The scenario in plain data, as from JSON: values, no names; raises ScenarioError."""
    return _usable(*_examined(Document(place, dict(data))))


def dumps(scenario: Scenario) -> str:
    """YAML that loads to the same scenario, all values written out."""
    return plain_yaml.write(scenario.model_dump(mode="json"))


def parse_setting(text: str) -> tuple[str, Any]:
    """Path and value of a text such as "line.bandwidth_gbps=25"; raises ScenarioError."""
    path, equals, word = text.partition("=")
    path = path.strip()
    if not equals or not path:
        remedy = "write a path, = and a value, such as line.bandwidth_gbps=25"
        raise ScenarioError(Problem(shown(text), "", remedy))
    _known(path)
    document = plain_yaml.read(word, path)
    if document.problems:
        raise ScenarioError(Problem(path, p.found, p.remedy) for p in document.problems)
    return path, document.data


def with_setting(
    scenario: Scenario, path: str, value: Any, parts_dir: Path | None = None
) -> Scenario:
    """The scenario with one setting, or one group of them, changed; raises ScenarioError.

    A text names a part where one may stand (`main_decode.chip`, `line`). The sources of what is
    changed are dropped, for it no longer comes from there.
    """
    return with_settings(scenario, {path: value}, parts_dir)


def with_settings(
    scenario: Scenario, changes: Mapping[str, Any], parts_dir: Path | None = None
) -> Scenario:
    """As `with_setting`, for several at once: only the outcome of all must be a valid scenario."""
    draft = Document("", scenario.model_dump(mode="json"))
    for path, value in changes.items():
        try:
            _change(draft, path, value)
        except ScenarioError as error:
            draft.problems += error.problems
    Shelf(parts_dir or shipped_folder() / "parts").expand(draft)
    return _usable(*_examined(draft))


def _change(draft: Document, path: str, value: Any) -> None:
    _known(path)
    holder, key = _holder(draft.data, path)
    if holder is None:
        above = parent_path(path)
        remedy = f"this scenario has no {above}; give that first: {_expected(above)}"
        raise ScenarioError(Problem(path, shown(value), remedy))
    holder[key] = value
    draft.data["sources"] = _sources_beside(draft.data["sources"], path)


def source_of(scenario: Scenario, path: str) -> str:
    """Where the value of a setting comes from; "assumed" when nothing says so."""
    setting_at(path)
    table = next((table for table in PRICE_TABLES if path.startswith(f"{table}.")), path)
    return scenario.sources.get(path) or scenario.sources.get(table) or ASSUMED


def is_assumed(source: str) -> bool:
    """Whether a source says that a figure is assumed."""
    return source.startswith(ASSUMED)


def _known(path: str) -> None:
    """Raise ScenarioError unless a setting or a group of them stands at a path."""
    if "[" in path:
        whole = path.partition("[")[0]
        raise ScenarioError(Problem(path, "one item of a list", f"give the whole of {whole}"))
    if path not in groups():
        setting_at(path)


def _holder(data: dict[str, Any], path: str) -> tuple[dict[str, Any] | None, str]:
    """The mapping that holds a setting, and its key there."""
    table = next((table for table in PRICE_TABLES if path.startswith(f"{table}.")), None)
    above = table or parent_path(path)
    holder: Any = data
    for step in above.split(".") if above else ():
        holder = holder.get(step) if isinstance(holder, dict) else None
    return holder, path[len(above) + 1 :] if above else path


# From a file to a draft: what it extends and the parts it names are replaced by values.


def _draft(path: Path) -> Document:
    beside = path.parent / "parts"
    parts_dir = beside if beside.is_dir() else shipped_folder() / "parts"
    return _resolved(plain_yaml.read_file(path), path.parent, Shelf(parts_dir))


def _resolved(child: Document, folder: Path, shelf: Shelf) -> Document:
    if not isinstance(child.data, dict):
        if not child.problems:
            child.wrong("", "no mapping", "write settings as key: value, beginning with name:")
        return child
    parent = _parent(child, folder) if "extends" in child.data else None
    shelf.expand(child)
    take_points(child, folder)
    if parent is None:
        return child
    shelf.expand(parent)
    take_points(parent, Path(parent.place).parent)
    return _merged(parent, child)


def _parent(child: Document, folder: Path) -> Document | None:
    """The file that another one extends, or None with the reason noted."""
    name = child.data.pop("extends")
    child.orphan = True
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.-]*\.ya?ml", name):
        child.wrong("extends", shown(name), "give the name of a file beside it, such as base.yaml")
        return None
    beside, shipped = folder / name, shipped_folder() / name
    parent = plain_yaml.read_file(shipped if shipped.exists() and not beside.exists() else beside)
    if not isinstance(parent.data, dict):
        child.wrong("extends", shown(name), "names a file that cannot be used:")
        child.problems += parent.problems or [Problem(name, "no mapping", "it holds no settings")]
        return None
    if parent.data.pop("extends", None) is not None:
        child.wrong("extends", shown(name), "it extends another file itself; one level is taken")
    else:
        child.orphan = False
    for key in NOT_INHERITED:
        parent.data.pop(key, None)
    return parent


def _merged(parent: Document, child: Document) -> Document:
    """The child's values over the parent's; what the child gives has no source of the parent."""
    kept = parent.data.get("sources")
    for path in (*_leaves(child.data), *child.whole) if isinstance(kept, dict) else ():
        kept = parent.data["sources"] = _sources_beside(kept, path)
    _lay_over(parent.data, child.data, "", child.whole)
    return Document(
        child.place,
        parent.data,
        where=parent.where | child.where,
        problems=parent.problems + child.problems,
        told=parent.told | child.told,
        orphan=child.orphan,
    )


def _lay_over(below: dict[str, Any], above: dict[str, Any], prefix: str, whole: set[str]) -> None:
    for key, value in above.items():
        path, under = f"{prefix}{key}", below.get(key)
        if isinstance(value, dict) and isinstance(under, dict) and path not in whole:
            _lay_over(under, value, f"{path}.", whole)
        elif value is None and key in below and not _may_be_null(path):
            del below[key]
        else:
            below[key] = value


def _may_be_null(path: str) -> bool:
    setting = find(path)
    return groups().get(path, False) if setting is None else setting.nullable


def _leaves(data: Any, path: str = "") -> Iterator[str]:
    """Paths of all that nested mappings give, without `sources`."""
    if not isinstance(data, dict) or not data:
        yield path
        return
    for key, value in data.items():
        if path or key != "sources":
            yield from _leaves(value, f"{path}.{key}" if path else str(key))


def _sources_beside(sources: dict[str, Any], path: str) -> dict[str, Any]:
    """The sources that say nothing about a path, what is below it or what it stands in."""
    return {
        named: source
        for named, source in sources.items()
        if not (f"{named}.".startswith(f"{path}.") or f"{path}.".startswith(f"{named}."))
    }


# From a draft to a scenario, with everything that is wrong told at once.


def _usable(scenario: Scenario | None, draft: Document) -> Scenario:
    if draft.problems or scenario is None:
        number = len(draft.problems)
        head = "1 problem" if number == 1 else f"{number} problems"
        place = f" in {draft.place}" if draft.place else ""
        raise ScenarioError(draft.problems, f"{head}{place}:" if number > 1 else "")
    return scenario


def _examined(draft: Document) -> tuple[Scenario | None, Document]:
    if not isinstance(draft.data, dict):
        return None, draft
    scenario, problems = _validated(draft.data)
    for problem in problems:
        if draft.orphan and problem.found == "absent":
            continue  # what it extends might have it
        if not any(f"{problem.place}.".startswith((f"{t}.", f"{t}[")) for t in draft.told):
            draft.wrong(problem.place, problem.found, problem.remedy)
    _examine_sources(draft)
    if scenario is not None:
        _examine_events(scenario, draft)
    draft.problems.sort(key=lambda problem: _line(problem.place, draft.place))
    if len(draft.problems) > MAX_TOLD:
        rest = Problem(draft.place, "not told whole", "there is more; mend these first")
        draft.problems[MAX_TOLD:] = [rest]
    return scenario, draft


def _line(place: str, file: str) -> int:
    """The line that a place in a file names; 0 for none, so that it is told first."""
    match = re.match(r":(\d+)", place.removeprefix(file)) if place.startswith(file) else None
    return int(match[1]) if match else 0


def _validated(data: dict[str, Any]) -> tuple[Scenario | None, list[Problem]]:
    """The scenario, or what is wrong; past unknown keys, so that the rest is told with them."""
    try:
        return Scenario.model_validate(data), []
    except ValidationError as error:
        problems = list(islice(_sentences(error), MAX_TOLD + 1))
        extras = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden"]
    if extras:
        rest = copy.deepcopy(data)
        for loc in extras:
            holder: Any = rest
            for step in loc[:-1]:
                holder = holder[step]
            del holder[loc[-1]]
        problems += [p for p in _validated(rest)[1] if p not in problems]
    return None, problems


def _sentences(error: ValidationError) -> Iterator[Problem]:
    """What the model found wrong, in the words of the settings."""
    for found in error.errors(include_url=False):
        path = _dotted(found["loc"])
        cross = found.get("ctx", {}).get("error")
        if isinstance(cross, CrossProblems):
            for p in cross.problems:
                yield Problem(f"{path}.{p.place}" if path else p.place, p.found, p.remedy)
        elif found["type"] == "extra_forbidden":
            yield unknown(path)
        elif found["loc"][-1:] == ("[key]",):
            yield Problem(_dotted(found["loc"][:-1]), "no name", f"give {WORDS['name']}")
        elif found["type"] == "missing":
            setting = find(path)
            doc = f" ({setting.doc.rstrip('.')})" if setting else ""
            yield Problem(path, "absent", f"give {_expected(path)}{doc}")
        else:
            yield Problem(path, _shown(found["input"]), f"give {_expected(path)}")


def _dotted(loc: tuple[int | str, ...]) -> str:
    return "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in loc).removeprefix(".")


def _expected(path: str) -> str:
    """What may stand at a path; for an item of a list, what the list may hold."""
    setting = find(path)
    if setting is not None:
        return setting.expects()
    if path in groups():
        names = ", ".join(child.rpartition(".")[2] for child in children(path))
        part = "the name of a part, or " if path in PART_PLACES else ""
        return f"{part}a mapping of {names}{' or null' if groups()[path] else ''}"
    above = path[: max(path.rfind("."), path.rfind("["), 0)]
    return _expected(above) if above else "a mapping of settings"


def _shown(value: Any) -> str:
    """A value as it would stand in a file."""
    return str(json.dumps(value)) if value is None or isinstance(value, bool) else shown(value)


def _examine_sources(draft: Document) -> None:
    """Every source must name a setting that this scenario has."""
    sources = draft.data.get("sources")
    for path in sources if isinstance(sources, dict) else ():
        if len(draft.problems) > MAX_TOLD:
            return
        place = f"sources.{path}"
        if find(path) is None:
            problem = unknown(path)
            draft.wrong(place, "a source for what is no setting", problem.remedy)
            continue
        for group in (above for above, may_be_null in groups().items() if may_be_null):
            if path.startswith(f"{group}.") and _holder(draft.data, path)[0] is None:
                draft.wrong(place, "a source for what is absent", f"this scenario has no {group}")


def _examine_events(scenario: Scenario, draft: Document) -> None:
    """Every event must be possible in the state that the events before it leave."""
    state = scenario.model_copy(update={"events": (), "sources": {}})
    lost: set[tuple[str | None, int]] = set()
    for number, event in sorted(enumerate(scenario.events), key=lambda pair: pair[1].at_s):
        path = f"events[{number}]"
        pools = state.pools()
        if event.what == "turn":
            state = _turned(state, event.setting or "", event.value, draft, path)
        elif event.what in ("line_cut", "line_back") and state.line is None:
            draft.wrong(f"{path}.what", event.what, "this scenario has no line")
        elif event.pool is not None and event.pool not in pools:
            draft.wrong(f"{path}.pool", event.pool, f"the pools here are {', '.join(pools)}")
        elif event.pool is not None and event.instance >= pools[event.pool].instances:
            remedy = f"{event.pool} has instances 0 to {pools[event.pool].instances - 1} then"
            draft.wrong(f"{path}.instance", str(event.instance), remedy)
        elif event.what == "instance_back" and (event.pool, event.instance) not in lost:
            draft.wrong(f"{path}.what", event.what, "this instance is not lost then")
        elif event.what == "instance_lost":
            lost.add((event.pool, event.instance))
        elif event.what == "instance_back":
            lost.discard((event.pool, event.instance))


def _turned(state: Scenario, path: str, value: Any, draft: Document, place: str) -> Scenario:
    """The state after a scripted turn; unchanged, with the reason noted, when it cannot be."""
    setting = find(path)
    if setting is None:
        draft.wrong(f"{place}.setting", shown(path), unknown(path).remedy)
        return state
    if not setting.live:
        draft.wrong(f"{place}.setting", shown(path), "it cannot be turned while a twin runs")
        return state
    try:
        return with_setting(state, path, value)
    except ScenarioError as error:
        for problem in error.problems:
            draft.wrong(f"{place}.value", _shown(value), f"{problem.place}: {problem.remedy}")
        return state
