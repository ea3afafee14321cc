"""The catalogues of data sets and methods, with the suites and the entries that a study defines itself.

A suite is a published list of OpenML data sets, a file of config/suites/. A data set of a suite is called
{name}.{number at openml.org} in every suite that contains it.

An entry with `grid:` defines one entry for each combination of the values in its lists:

    ridge_{strength}:
      grid: {strength: [0.01, 0.1, 1]}
      classifier: sklearn.linear_model.RidgeClassifier
      params: {alpha: "{strength}"}

defines ridge_0.01, ridge_0.1 and ridge_1. Braces are replaced in every text of the entry; a text that consists of
braces alone becomes the value itself. Values that are lists need names: {few: [50, 50], many: [500, 500]}. A study
selects all entries by the name with braces, or one of them by its own name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from linclass_study.config import schema
from linclass_study.config.schema import schema_problems
from linclass_study.config.yaml_file import Problem, SourceLines, parse_numbers, read_yaml
from linclass_study.errors import suggest_name
from linclass_study.files.disk_cache import computed_once, state_of_project

Problems = list[tuple[list[Any], str]]
LARGEST = 10_000  # entries of one grid


def expand(entries: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], Problems]:
    """(entries, name → name with braces, problems)."""
    expanded: dict[str, Any] = {}
    written: dict[str, str] = {}
    problems: Problems = []
    for name, entry in entries.items():
        wrong = list(_problems(name, entry))
        problems += wrong
        for own_name, own in [] if wrong else _each(name, entry):
            if own_name in expanded:
                problems.append(
                    ([name], f"'{own_name}' is given twice, by '{written[own_name]}', too")
                )
            expanded[own_name], written[own_name] = own, name
    return expanded, written, problems


def _problems(name: str, entry: Any) -> Iterator[tuple[list[Any], str]]:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        return
    grid = entry["grid"]
    if not isinstance(grid, Mapping) or not grid:
        yield (
            [name, "grid"],
            f"{grid!r} is not a mapping; give a list of values for each word in braces",
        )
        return
    count = 1
    for key, values in grid.items():
        if not isinstance(values, list | Mapping) or not values:
            yield [name, "grid", key], f"{values!r} is not a list; give its values"
            continue
        count *= len(values)
        if f"{{{key}}}" not in name:
            yield (
                [name],
                f"without {{{key}}} in it, entries of the grid would have one name; add it",
            )
        if isinstance(values, list) and any(isinstance(value, list | Mapping) for value in values):
            what = "a value that is a list needs a name; write {few: [50, 50], many: [500, 500]}"
            yield [name, "grid", key], what
    if count > LARGEST:
        yield [name, "grid"], f"stands for {count} entries; give at most {LARGEST}"


def _each(name: str, entry: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        yield name, entry
        return
    labelled = {
        key: list(values.items()) if isinstance(values, Mapping) else [(v, v) for v in values]
        for key, values in entry["grid"].items()
    }
    rest = {key: value for key, value in entry.items() if key != "grid"}
    for chosen in product(*labelled.values()):
        labels = {key: _word(label) for key, (label, _) in zip(labelled, chosen, strict=True)}
        values = {key: value for key, (_, value) in zip(labelled, chosen, strict=True)}
        yield _filled(name, labels), _with(rest, labels, values)


def _with(part: Any, labels: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    if isinstance(part, Mapping):
        return {key: _with(value, labels, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_with(value, labels, values) for value in part]
    if not isinstance(part, str):
        return part
    whole = part[1:-1] if part.startswith("{") and part.endswith("}") else ""
    return values[whole] if whole in values else _filled(part, labels)


def _filled(text: str, labels: Mapping[str, str]) -> str:
    for key, label in labels.items():
        text = text.replace(f"{{{key}}}", label)
    return text


def _word(label: Any) -> str:
    """Label as text, with true and false as in YAML."""
    return str(label).lower() if isinstance(label, bool) else f"{label}"


def suite_names(root: Path) -> list[str]:
    return sorted(file.stem for file in _folder(root).glob("*.yaml"))


def suite_entries(chosen: Iterable[str], root: Path) -> dict[str, dict[str, Any]]:
    """Entries of all data sets of these suites, in the form of config/datasets.yaml."""
    return {name: entry for suite in chosen for name, entry in _of_suite(suite, root).items()}


@cache
def _of_suite(suite: str, root: Path) -> dict[str, dict[str, Any]]:
    tasks = read_yaml(_folder(root) / f"{suite}.yaml")["tasks"]
    return {f"{task['name']}.{task['data']}": _entry(task) for task in tasks}


def _entry(task: dict[str, Any]) -> dict[str, Any]:
    size = {"rows": task["rows"], "features": task["features"]}
    target = {"target": task["target"]} if "target" in task else {}
    return {"source": {"openml": task["data"]}, **target, "size": size}


def _folder(root: Path) -> Path:
    return root / "config" / "suites"


Catalogue = dict[str, dict[str, Any]]


def read_catalogue(
    kind: str, define: Mapping[str, Any], root: Path, written: SourceLines
) -> tuple[Catalogue, dict[str, str], list[Problem]]:
    """(entries, origin, problems) of `datasets` or `methods`.

    origin: name of an own entry → the name it is written under; problems: what is wrong with the form of own entries.
    """
    path, where = root / "config" / f"{kind}.yaml", ("define", kind)
    content = read_yaml(path) or {}
    catalogue = computed_once(
        f"catalogue {path}",
        [
            state_of_project(),
            hashlib.blake2b(json.dumps(content, default=str).encode()).hexdigest(),
        ],
        lambda: conforming(kind, content, SourceLines(content, {path: content})),
    )
    catalogue = deepcopy(catalogue)
    defined, origin, wrong = expand(parse_numbers(define.get(kind) or {}))
    written.refuse(wrong, where)
    own = schema.fitted(kind, defined)
    problems = list(schema_problems(kind, own))
    twice = [name for name in own if name in catalogue]
    written.refuse(
        [([name], f"the name is already in {path.name}; choose another") for name in twice], where
    )
    catalogue |= own
    if kind == "datasets":
        names = {path[0] for path, _ in problems if path}
        sound = {name: entry for name, entry in own.items() if name not in names}
        written.refuse(_unknown_relatives(sound, catalogue, root), where)
    return catalogue, origin, problems


def conforming(kind: str, value: Any, written: SourceLines) -> Any:
    """The value with the types of its schema; refused if it does not conform to it."""
    fitted = schema.fitted(kind, value)
    written.refuse(schema_problems(kind, fitted))
    return fitted


def at_their_origin(
    problems: Iterable[tuple[list[Any], str]], origin: Mapping[str, str]
) -> Iterable[tuple[list[Any], str]]:
    """Assign problems of an entry to the grid that defined it; the message names the entry."""
    for (name, *path), sentence in ((path or [""], sentence) for path, sentence in problems):
        source = origin.get(name, name)
        message = sentence if source == name else f"{sentence} (of '{name}')"
        yield ([source, *path] if source else []), message


def _unknown_relatives(
    entries: Mapping[str, dict[str, Any]], catalogue: dict[str, Any], root: Path
) -> Iterable[tuple[list[Any], str]]:
    """Names under `shares_rows_with` that are neither in the catalogue nor in any suite."""
    references = [
        ([name, "shares_rows_with", i], other)
        for name, entry in entries.items()
        for i, other in enumerate(entry.get("shares_rows_with", []))
        if other not in catalogue
    ]
    known = catalogue | suite_entries(suite_names(root), root) if references else catalogue
    for path, other in references:
        if other not in known:
            yield path, f"there is no data set '{other}'; {suggest_name(other, known)}"
