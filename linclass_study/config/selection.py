"""The data sets and methods that a study selects from the catalogues, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from linclass.base.suggestions import CLASSES, near_names
from linclass_study.config import catalogues
from linclass_study.config.catalogues import suite_names
from linclass_study.config.yaml_file import Problem
from linclass_study.errors import suggest_name
from linclass_study.files.writing import yaml_text

SHOWN = 5  # names in a message


def suggest_methods(name: str, catalogue: Mapping[str, Any]) -> str:
    """The remedy for a name that is not in the catalogue."""
    found = next(filter(None, _readings(name, catalogue)), [])
    if not found:
        return suggest_name(name, catalogue)
    shown = [f"'{one}'" for one in found[:SHOWN]]
    return f"did you mean {', '.join(shown[:-1])}{' or ' * (len(shown) > 1)}{shown[-1]}?"


def _readings(name: str, catalogue: Mapping[str, Any]) -> Iterator[list[str]]:
    """Names of methods by one reading after another, the most certain first; a reading may find none."""
    plain, classes = _plain(name), {one: [*_classes(entry)] for one, entry in catalogue.items()}
    ours = CLASSES.get(name, name)
    of_class = _by_class(lambda own: _plain(own) in (plain, _plain(ours)), classes)
    yield [one for one in catalogue if _plain(one) == plain]
    if name != name.lower():
        yield of_class
    if len(plain) > 1:
        yield [one for one in catalogue if _plain(one).startswith(plain)]
        yield [one for one in catalogue if name.lower() in re.split(r"[_.+-]", one.lower())]
    yield near_names(name, catalogue)[:1]
    yield of_class
    yield _by_class(lambda own: "".join(re.findall("[A-Z]", own)).lower() == plain, classes)


def _by_class(fits: Callable[[str], bool], classes: Mapping[str, list[str]]) -> list[str]:
    """Methods of a class that fits, before those that have it inside."""
    outer = [one for one, own in classes.items() if own and fits(own[0])]
    return outer or [one for one, own in classes.items() if any(map(fits, own))]


def _classes(given: Any) -> Iterator[str]:
    """Names of the classes of an entry, those inside after the one that holds them."""
    if isinstance(given, Mapping):
        if isinstance(path := given.get("classifier"), str):
            yield path.rpartition(".")[2]
        for value in given.values():
            yield from _classes(value)
    elif isinstance(given, list):
        for value in given:
            yield from _classes(value)


def _plain(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


def expanded_names(names: Any, origin: Mapping[str, str]) -> Any:
    """Replace the name of a grid by the names of all its entries."""
    if not isinstance(names, list):
        return names
    made: dict[str, list[str]] = {}
    for name, source in origin.items():
        made.setdefault(source, []).append(name)
    return list(dict.fromkeys(own for name in names for own in made.get(name, [name])))


def select_entries(
    kind: str, values: dict[str, Any], catalogue: dict[str, Any], root: Path
) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """The selected entries of `datasets` or `methods`, and problems: names that do not exist."""
    return (
        _datasets(values, catalogue, root)
        if kind == "datasets"
        else _named(kind, values, catalogue)
    )


def _datasets(
    values: dict[str, Any], catalogue: dict[str, Any], root: Path
) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """Data sets selected by name, then those of the suites."""
    given, known = values.get("suite", []), suite_names(root)
    chosen = [given] if isinstance(given, str) else given
    problems: list[Problem] = [
        (["suite"], f"there is no suite '{name}'; {suggest_name(name, known)}")
        for name in chosen
        if name not in known
    ]
    if not chosen and not values["datasets"]:
        problems += [(["datasets"], "no data set is selected; give names, or a suite")]
    of_suites = catalogues.suite_entries([name for name in chosen if name in known], root)
    if values["datasets"] != "all" and not {*values["datasets"]} <= {*catalogue}:
        catalogue = (
            catalogues.suite_entries(known, root) | catalogue
        )  # data sets of suites can be named, too
    selected, unknown = _named("datasets", values, catalogue)
    others = {name: of_suites[name] for name in of_suites if name not in selected}
    return selected | others, problems + unknown


def _meant(kind: str, name: str, catalogue: Mapping[str, Any]) -> str:
    """The entry to define for a file or an import path; else the names that may be meant."""
    if kind == "datasets" and ("/" in name or Path(name).is_file()):
        key = "url" if re.match("https?://", name) else "file"
        own_name = re.sub("[^A-Za-z0-9_.+-]+", "_", Path(name).stem).strip("_.+-") or "mine"
        own = f"{{{own_name}: {{source: {{{key}: {yaml_text(name)}}}, target: …}}}}"
        return f"define one, `define: {{datasets: {own}}}`, and list its name"
    module, _, last = name.rpartition(".")
    if kind == "methods" and module and last[:1].isupper():
        own = f"{{{last}: {{classifier: {name}}}}}"
        return f"define one, `define: {{methods: {own}}}`, and list its name"
    return suggest_methods(name, catalogue) if kind == "methods" else suggest_name(name, catalogue)


def _named(
    kind: str, values: dict[str, Any], catalogue: dict[str, Any]
) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    names = values[kind]
    if names == "all":
        return dict(catalogue), []
    thing = {"datasets": "data set", "methods": "method"}[kind]
    problems: list[Problem] = [
        ([kind, i], f"there is no {thing} '{name}'; {_meant(kind, name, catalogue)}")
        for i, name in enumerate(names)
        if name not in catalogue
    ]
    return {name: catalogue[name] for name in names if name in catalogue}, [
        *problems,
        *_of_one_folder(kind, names),
    ]


def _of_one_folder(kind: str, names: list[str]) -> list[Problem]:
    """Names that would share a folder on disks that do not distinguish capital letters."""
    first: dict[str, str] = {}
    same = [(i, name, first.setdefault(name.casefold(), name)) for i, name in enumerate(names)]
    return [
        (
            [kind, i],
            f"'{other}' and '{name}' differ only by case, which some disks ignore; rename one",
        )
        for i, name, other in same
        if name != other
    ]
