"""One YAML file is a study. Read with the catalogues and checked whole before any work starts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass import metrics
from linclass_study.data.entry import entry_check
from linclass_study.data.places import at_home, mirrors
from linclass_study.refusal import Refused, nearest
from linclass_study.study import grid, method_check, schema, suites, yaml_file
from linclass_study.study.written import Written

LONGEST = 100  # letters of a name, with which a file's name and its endings stay below 255


@dataclass(frozen=True)
class Study:
    """What is compared, how, and where the results go. Names map to entries in the catalogue's order."""

    results: str
    datasets: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    evaluation: dict[str, Any]
    limits: dict[str, Any]
    jobs: dict[str, Any]
    mirrors: list[str]
    downloads: str
    root: Path
    files: tuple[Path, ...]
    positions: dict[
        str, int
    ]  # method → its place in the whole catalogue: the same colour in every study
    features: dict[str, list[Any]]  # name of a feature file → the steps that make it
    features_of: dict[str, str]  # method → the name of its feature file
    origin: dict[str, dict[str, str]]  # kind → name of an own entry → the name it is written under
    written: Written


def read(config: Mapping[str, Any], files: Iterable[str | Path], root: Path) -> Study:
    """The study that Snakemake's merged `config` describes; `files` are the YAML files it came from."""
    default = os.path.relpath(root / "config" / "config.yaml")
    shown = sorted((os.path.relpath(file) for file in files), key=lambda file: file != default)
    study_files = tuple(map(Path, shown))  # the default first: what a study says wins over it
    contents = {path: yaml_file.read(path) for path in study_files}
    for path, content in contents.items():
        if not isinstance(content, dict):
            raise Refused(f"{path}: a study is a mapping of keys, this is {content!r}")
    written = Written(dict(config), contents)
    values = _fitting("config", written.value, written)

    catalogues: dict[str, dict[str, Any]] = {}
    origin: dict[str, dict[str, str]] = {}
    for kind in ("datasets", "methods"):
        path = root / "config" / f"{kind}.yaml"
        content = yaml_file.read(path) or {}
        catalogue = _fitting(kind, content, Written(content, {path: content}))
        where = ("define", kind)
        given = yaml_file.numbers(values["define"].get(kind) or {})
        defined, origin[kind], wrong = grid.expand(given)
        written.refuse(wrong, where)
        own = _fitting(kind, defined, written, where, origin[kind])
        twice = [name for name in own if name in catalogue]
        written.refuse(
            [([name], f"the name is already in {path.name}; choose another") for name in twice],
            where,
        )
        catalogues[kind] = catalogue | own
        if kind == "datasets":
            written.refuse(_unknown_relatives(own, catalogues[kind], root), where)

    tune_metric = values["evaluation"]["tune_metric"]
    if tune_metric not in metrics.names():
        sentence = f"there is no metric '{tune_metric}'; {nearest(tune_metric, metrics.names())}"
        written.refuse([(["evaluation", "tune_metric"], sentence)])

    protocols = [
        item if isinstance(item, str) else next(iter(item))
        for item in values["evaluation"]["protocols"]
    ]
    twice = [i for i, name in enumerate(protocols) if name in protocols[:i]]
    written.refuse(
        (["evaluation", "protocols", i], f"'{protocols[i]}' is given twice; remove one")
        for i in twice
    )

    if "learning_curve" in protocols and "cv" not in protocols[: protocols.index("learning_curve")]:
        sentence = "learning_curve trains on parts of cv's training sets; list cv before it"
        place = ["evaluation", "protocols", protocols.index("learning_curve")]
        written.refuse([(place, sentence)])

    for kind in ("datasets", "methods"):
        values[kind] = _of_grids(values[kind], origin[kind])
    chosen = _selected("methods", values, catalogues["methods"], written)
    features_of = {
        name: _features_name(entry.get("features") or []) for name, entry in chosen.items()
    }
    return Study(
        results=_folder("results", values, written),
        datasets=_datasets(values, catalogues["datasets"], root, written),
        methods=chosen,
        evaluation=values["evaluation"],
        limits=values["limits"],
        jobs=values["jobs"],
        mirrors=mirrors(values),
        downloads=_folder("downloads", values, written),
        root=root,
        files=study_files,
        positions={name: i for i, name in enumerate(catalogues["methods"])},
        features={features_of[name]: entry.get("features") or [] for name, entry in chosen.items()},
        features_of=features_of,
        origin=origin,
        written=written,
    )


def check(study: Study) -> None:
    """What the entries mean: each selected data set can be looked for, each method can work on some data."""
    places = [Path(folder) for folder in study.mirrors]
    Problems = Callable[[Mapping[str, Any]], Iterable[tuple[list[Any], str]]]
    checks: dict[str, tuple[Mapping[str, Any], Problems]] = {
        "datasets": (study.datasets, lambda entry: entry_check.problems(entry, places, study.root)),
        "methods": (study.methods, method_check.problems),
    }
    for kind, (selected, problems) in checks.items():
        path = study.root / "config" / f"{kind}.yaml"
        content = yaml_file.read(path)
        catalogue = Written(content, {path: content})
        own = study.origin[kind]
        for name, entry in selected.items():
            found = [([name, *path], sentence) for path, sentence in problems(entry)]
            if name in own:
                study.written.refuse(_as_written(found, own), ("define", kind))
            else:
                catalogue.refuse(found)


def _fitting(
    kind: str,
    value: Any,
    written: Written,
    where: tuple[str, ...] = (),
    origin: Mapping[str, str] | None = None,
) -> Any:
    """The value as its schema wants it, or a refusal."""
    fitted = schema.fitted(kind, value)
    written.refuse(_as_written(schema.problems(kind, fitted), origin or {}), where)
    return fitted


def _as_written(
    problems: Iterable[tuple[list[Any], str]], origin: Mapping[str, str]
) -> Iterable[tuple[list[Any], str]]:
    """Problems of an entry that a grid made are those of the grid, and the sentence says which one it was."""
    for (name, *path), sentence in ((path or [""], sentence) for path, sentence in problems):
        source = origin.get(name, name)
        said = sentence if source == name else f"{sentence} (of '{name}')"
        yield ([source, *path] if source else []), said


def _of_grids(names: Any, origin: Mapping[str, str]) -> Any:
    """The name that a grid is written under selects all its entries."""
    if not isinstance(names, list):
        return names
    made: dict[str, list[str]] = {}
    for name, source in origin.items():
        made.setdefault(source, []).append(name)
    return list(dict.fromkeys(own for name in names for own in made.get(name, [name])))


def _unknown_relatives(
    entries: Mapping[str, dict[str, Any]], catalogue: dict[str, Any], root: Path
) -> Iterable[tuple[list[Any], str]]:
    """Of `shares_rows_with`, names that are neither in the catalogue nor in any suite."""
    told = [
        ([name, "shares_rows_with", i], other)
        for name, entry in entries.items()
        for i, other in enumerate(entry.get("shares_rows_with", []))
        if other not in catalogue
    ]
    known = catalogue | suites.entries(suites.names(root), root) if told else catalogue
    for path, other in told:
        if other not in known:
            yield path, f"there is no data set '{other}'; {nearest(other, known)}"


def _folder(key: str, values: Mapping[str, Any], written: Written) -> str:
    folder = Path(os.path.normpath(at_home(values[key])))
    file = next((path for path in (folder, *folder.parents) if path.is_file()), None)
    if file is not None:
        written.refuse([([key], f"'{file}' is a file; give a folder, or a name that is free")])
    return str(folder)


def _features_name(steps: list[Any]) -> str:
    """quadratic+interactions; with options, or too long for a file, a short hash of all of it at the end."""
    if not steps:
        return "as_is"
    words = "+".join(step if isinstance(step, str) else next(iter(step)) for step in steps)
    if all(isinstance(step, str) for step in steps) and len(words) <= LONGEST:
        return words
    text = json.dumps(steps, sort_keys=True)
    return f"{words[:LONGEST]}-{hashlib.blake2b(text.encode(), digest_size=3).hexdigest()}"


def _datasets(
    values: dict[str, Any], catalogue: dict[str, Any], root: Path, written: Written
) -> dict[str, dict[str, Any]]:
    """Those that are selected by their names, then those of the suites."""
    given, known = values.get("suite", []), suites.names(root)
    chosen = [given] if isinstance(given, str) else given
    written.refuse(
        (["suite"], f"there is no suite '{name}'; {nearest(name, known)}")
        for name in chosen
        if name not in known
    )
    if not chosen and not values["datasets"]:
        written.refuse([(["datasets"], "no data set is selected; give names, or a suite")])
    of_suites = suites.entries(chosen, root)
    if values["datasets"] != "all" and not {*values["datasets"]} <= {*catalogue}:
        catalogue = suites.entries(known, root) | catalogue  # one set of a suite can be named, too
    selected = _selected("datasets", values, catalogue, written)
    return selected | {name: of_suites[name] for name in of_suites if name not in selected}


def _selected(
    kind: str, values: dict[str, Any], catalogue: dict[str, Any], written: Written
) -> dict[str, dict[str, Any]]:
    names = values[kind]
    if names == "all":
        return dict(catalogue)
    thing = {"datasets": "data set", "methods": "method"}[kind]
    written.refuse(
        ([kind, i], f"there is no {thing} '{name}'; {nearest(name, catalogue)}")
        for i, name in enumerate(names)
        if name not in catalogue
    )
    return {name: catalogue[name] for name in names}
