"""The catalogues of data sets and methods, with the suites and the entries that a study defines itself.

A suite is a list of data sets, a file of config/suites/: either `datasets:`, entries in the form of
config/datasets.yaml, or `tasks:`, data sets of openml.org. The latter are called {name}.{number at openml.org} in every
suite that contains them.

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

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from linclass.base.suggestions import CLASSES
from linclass_study.config import schema
from linclass_study.config.schema import schema_problems
from linclass_study.entries import Problem, Problems, class_name
from linclass_study.errors import suggest_name
from linclass_study.files.digests import short_digest
from linclass_study.files.disk_cache import computed_once, state_of_project
from linclass_study.files.writing import yaml_text
from linclass_study.files.yaml_file import SourceLines, parse_numbers, read_yaml
from linclass_study.project import ROOT

MAX_GRID_ENTRIES = 10_000  # entries of one grid


def expand(entries: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str], list[Problem]]:
    """(entries, name → name with braces, problems)."""
    expanded: dict[str, Any] = {}
    written: dict[str, str] = {}
    problems: list[Problem] = []
    for name, entry in entries.items():
        problems_of_entry = list(_grid_problems(name, entry))
        problems += problems_of_entry
        for own_name, expanded_entry in [] if problems_of_entry else _combinations(name, entry):
            if own_name in expanded:
                what = f"'{own_name}' is also defined by '{written[own_name]}'; rename one"
                problems.append(([name], what))
            expanded[own_name], written[own_name] = expanded_entry, name
    return expanded, written, problems


def _grid_problems(name: str, entry: Any) -> Problems:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        return
    grid = entry["grid"]
    if not isinstance(grid, Mapping) or not grid:
        what = f"{grid!r} is not a mapping; give a list of values for each word in braces"
        yield [name, "grid"], what
        return
    count = 1
    for key, values in grid.items():
        if not isinstance(values, list | Mapping) or not values:
            yield [name, "grid", key], f"{values!r} is not a list; give its values"
            continue
        count *= len(values)
        if f"{{{key}}}" not in name:
            what = f"the name lacks {{{key}}}, so several entries would have the same name; add it"
            yield [name], what
        if isinstance(values, list) and any(isinstance(value, list | Mapping) for value in values):
            what = "a value that is a list needs a name; write {few: [50, 50], many: [500, 500]}"
            yield [name, "grid", key], what
    if count > MAX_GRID_ENTRIES:
        yield [name, "grid"], f"stands for {count} entries; give at most {MAX_GRID_ENTRIES}"


def _combinations(name: str, entry: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(entry, Mapping) or "grid" not in entry:
        yield name, entry
        return
    labelled = {
        key: list(values.items()) if isinstance(values, Mapping) else [(v, v) for v in values]
        for key, values in entry["grid"].items()
    }
    rest = {key: value for key, value in entry.items() if key != "grid"}
    for chosen in product(*labelled.values()):
        pairs = dict(zip(labelled, chosen, strict=True))
        labels = {key: class_name(label) for key, (label, _) in pairs.items()}
        values = {key: value for key, (_, value) in pairs.items()}
        yield _with_labels(name, labels), _with_values(rest, labels, values)


def _with_values(part: Any, labels: Mapping[str, str], values: Mapping[str, Any]) -> Any:
    if isinstance(part, Mapping):
        return {key: _with_values(value, labels, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_with_values(value, labels, values) for value in part]
    if not isinstance(part, str):
        return part
    word = part[1:-1] if part.startswith("{") and part.endswith("}") else ""
    return values[word] if word in values else _with_labels(part, labels)


def _with_labels(text: str, labels: Mapping[str, str]) -> str:
    for key, label in labels.items():
        text = text.replace(f"{{{key}}}", label)
    return text


SUITES = ROOT / "config" / "suites"


def suite_names() -> list[str]:
    return sorted(file.stem for file in SUITES.glob("*.yaml"))


def suite_entries(chosen: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Entries of all data sets of these suites, in the form of config/datasets.yaml."""
    return {name: entry for suite in chosen for name, entry in _entries_of_suite(suite).items()}


@cache
def _entries_of_suite(suite: str) -> dict[str, dict[str, Any]]:
    content = read_yaml(SUITES / f"{suite}.yaml")
    if "datasets" in content:
        return dict(content["datasets"])
    return {
        f"{task['name']}.{task['data']}": {
            "source": {"openml": task["data"]},
            **({"target": task["target"]} if "target" in task else {}),
            "size": {"rows": task["rows"], "features": task["features"]},
        }
        for task in content["tasks"]
    }


def read_catalogue(
    kind: str, define: Mapping[str, Any], written: SourceLines
) -> tuple[dict[str, dict[str, Any]], dict[str, str], list[Problem]]:
    """(entries, origin, problems) of `datasets` or `methods`.

    origin: name of a study's own entry → the name with braces that defines it; problems: of the form of own entries.
    """
    path, where = ROOT / "config" / f"{kind}.yaml", ("define", kind)
    content = read_yaml(path) or {}

    def conforming() -> Any:
        fitted = schema.fitted(kind, content)
        SourceLines(content, {path: content}).refuse(schema_problems(kind, fitted))
        return fitted

    state = [state_of_project(), short_digest(json.dumps(content, default=str))]
    catalogue = deepcopy(computed_once(f"catalogue {path}", state, conforming))
    defined, origin, wrong = expand(parse_numbers(define.get(kind) or {}))
    written.refuse(wrong, where)
    defined_entries = schema.fitted(kind, defined)
    problems = list(schema_problems(kind, defined_entries))
    taken = [name for name in defined_entries if name in catalogue]
    written.refuse(
        [([name], f"the name is already in {path.name}; choose another") for name in taken], where
    )
    catalogue |= defined_entries
    if kind == "datasets":
        names = {path[0] for path, _ in problems if path}
        sound = {name: entry for name, entry in defined_entries.items() if name not in names}
        written.refuse(_unknown_relatives(sound, catalogue), where)
    return catalogue, origin, problems


def at_their_origin(problems: Iterable[Problem], origin: Mapping[str, str]) -> Iterable[Problem]:
    """Assign problems of an entry to the grid that defined it; the message names the entry."""
    for (name, *path), sentence in ((path or [""], sentence) for path, sentence in problems):
        source = origin.get(name, name)
        message = sentence if source == name else f"{sentence} (of '{name}')"
        yield ([source, *path] if source else []), message


def _unknown_relatives(
    entries: Mapping[str, dict[str, Any]], catalogue: dict[str, Any]
) -> Iterable[Problem]:
    """Names under `shares_rows_with` that are neither in the catalogue nor in any suite."""
    for name, entry in entries.items():
        for i, other in enumerate(entry.get("shares_rows_with", [])):
            if other not in catalogue:
                all_names = catalogue | suite_entries(suite_names())
                if other not in all_names:
                    what = f"there is no data set '{other}'; {suggest_name(other, all_names)}"
                    yield [name, "shares_rows_with", i], what


# The data sets and methods that a study selects from the catalogues, and suggestions for unknown names.

SHOWN = 5  # names in a message


def suggest_methods(name: str, catalogue: Mapping[str, Any]) -> str:
    """The remedy for an unknown name: methods whose names begin with it, or whose class has this name (ours or
    scikit-learn's); else the nearest name."""
    plain, wanted = _plain(name), _plain(CLASSES.get(name, name))
    matching = [
        f"'{one}'"
        for one, entry in catalogue.items()
        if _plain(one).startswith(plain) or _plain(_class_of(entry)) == wanted
    ][:SHOWN]
    if not matching:
        return suggest_name(name, catalogue)
    return f"did you mean {', '.join(matching[:-1])}{' or ' * (len(matching) > 1)}{matching[-1]}?"


def _class_of(entry: Any) -> str:
    """The name of its class; '' of an entry that is refused, as it is not a mapping."""
    return str(entry.get("classifier")).rpartition(".")[2] if isinstance(entry, Mapping) else ""


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def expanded_names(names: Any, origin: Mapping[str, str]) -> Any:
    """Replace the name of a grid by the names of all its entries."""
    if not isinstance(names, list):
        return names
    entries: dict[str, list[str]] = {}
    for name, source in origin.items():
        entries.setdefault(source, []).append(name)
    return list(dict.fromkeys(entry for name in names for entry in entries.get(name, [name])))


Selected = tuple[dict[str, dict[str, Any]], list[Problem]]


def select_entries(kind: str, values: dict[str, Any], catalogue: dict[str, Any]) -> Selected:
    """The selected entries of `datasets` or `methods`, and problems: names that do not exist.

    Data sets are those selected by name, then those of the suites.
    """
    if kind == "methods":
        return _selected_by_name(kind, values, catalogue)
    suite, all_suites = values.get("suite", []), suite_names()
    chosen = [suite] if isinstance(suite, str) else suite
    problems: list[Problem] = [
        (["suite"], f"there is no suite '{name}'; {suggest_name(name, all_suites)}")
        for name in chosen
        if name not in all_suites
    ]
    if not chosen and not values["datasets"]:
        problems += [(["datasets"], "no data set is selected; give names, or a suite")]
    of_suites = suite_entries([name for name in chosen if name in all_suites])
    if values["datasets"] != "all" and not {*values["datasets"]} <= {*catalogue}:
        catalogue = suite_entries(all_suites) | catalogue  # data sets of suites can be named, too
    selected, unknown = _selected_by_name(kind, values, catalogue)
    others = {name: of_suites[name] for name in of_suites if name not in selected}
    return selected | others, problems + unknown


def _remedy(kind: str, name: str, catalogue: Mapping[str, Any]) -> str:
    """The entry to define for a file or an import path; else the names that may be meant."""
    if kind == "datasets" and ("/" in name or Path(name).is_file()):
        key = "url" if re.match("https?://", name) else "file"
        own_name = re.sub("[^A-Za-z0-9_.+-]+", "_", Path(name).stem).strip("_.+-") or "mine"
        definition = f"{{{own_name}: {{source: {{{key}: {yaml_text(name)}}}, target: …}}}}"
        return f"define one, `define: {{datasets: {definition}}}`, and list its name"
    module, _, last = name.rpartition(".")
    if kind == "methods" and module and last[:1].isupper():
        definition = f"{{{last}: {{classifier: {name}}}}}"
        return f"define one, `define: {{methods: {definition}}}`, and list its name"
    return suggest_methods(name, catalogue) if kind == "methods" else suggest_name(name, catalogue)


def _selected_by_name(kind: str, values: dict[str, Any], catalogue: dict[str, Any]) -> Selected:
    names = values[kind]
    if names == "all":
        return dict(catalogue), []
    thing = {"datasets": "data set", "methods": "method"}[kind]
    problems: list[Problem] = []
    first: dict[str, str] = {}
    for i, name in enumerate(names):
        if name not in catalogue:
            sentence = f"there is no {thing} '{name}'; {_remedy(kind, name, catalogue)}"
            problems.append(([kind, i], sentence))
        if (other := first.setdefault(name.casefold(), name)) != name:
            what = (
                f"'{other}' and '{name}' differ only by case, which some disks ignore; rename one"
            )
            problems.append(([kind, i], what))
    return {name: catalogue[name] for name in names if name in catalogue}, problems
