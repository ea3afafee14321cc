"""One YAML file is a study. Read with the catalogues and checked whole before any work starts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass import metrics
from linclass_study.data import entries
from linclass_study.data.places import mirrors
from linclass_study.refusal import Refused, nearest
from linclass_study.study import methods, schema, yaml_file


@dataclass(frozen=True)
class Study:
    """What is compared, how, and where the results go. Names map to entries in the catalogue's order."""

    results: str
    datasets: dict[str, dict[str, Any]]
    methods: dict[str, dict[str, Any]]
    evaluation: dict[str, Any]
    limits: dict[str, Any]
    mirrors: list[str]
    downloads: str
    root: Path
    files: tuple[Path, ...]
    positions: dict[
        str, int
    ]  # method → its place in the whole catalogue: the same colour in every study
    features: dict[str, list[Any]]  # name of a feature file → the steps that make it
    features_of: dict[str, str]  # method → the name of its feature file


def read(config: Mapping[str, Any], files: Iterable[str | Path], root: Path) -> Study:
    """The study that Snakemake's merged `config` describes; `files` are the YAML files it came from."""
    default = os.path.relpath(root / "config" / "config.yaml")
    shown = sorted((os.path.relpath(file) for file in files), key=lambda file: file != default)
    study_files = tuple(map(Path, shown))  # the default first: what a study says wins over it
    written = {path: yaml_file.read(path) for path in study_files}
    for path, content in written.items():
        if not isinstance(content, dict):
            raise Refused(f"{path}: a study is a mapping of keys, this is {content!r}")
    values = yaml_file.numbers(dict(config))
    _refuse(schema.problems("config", values), written)

    catalogues: dict[str, dict[str, Any]] = {}
    for kind in ("datasets", "methods"):
        path = root / "config" / f"{kind}.yaml"
        catalogue = yaml_file.read(path) or {}
        _refuse(schema.problems(kind, catalogue), {path: catalogue})
        own = values["define"].get(kind) or {}
        where = ("define", kind)
        _refuse(schema.problems(kind, own), written, where)
        twice = [name for name in own if name in catalogue]
        _refuse(
            [([name], f"the name is already in {path.name}; choose another") for name in twice],
            written,
            where,
        )
        catalogues[kind] = catalogue | own

    tune_metric = values["evaluation"]["tune_metric"]
    if tune_metric not in metrics.names():
        sentence = f"there is no metric '{tune_metric}'; {nearest(tune_metric, metrics.names())}"
        _refuse([(["evaluation", "tune_metric"], sentence)], written)

    chosen = _selected("methods", values, catalogues, written)
    features_of = {
        name: _features_name(entry.get("features") or []) for name, entry in chosen.items()
    }
    return Study(
        results=os.path.normpath(values["results"]),
        datasets=_selected("datasets", values, catalogues, written),
        methods=chosen,
        evaluation=values["evaluation"],
        limits=values["limits"],
        mirrors=mirrors(values),
        downloads=values["downloads"],
        root=root,
        files=study_files,
        positions={name: i for i, name in enumerate(catalogues["methods"])},
        features={features_of[name]: entry.get("features") or [] for name, entry in chosen.items()},
        features_of=features_of,
    )


def check(study: Study) -> None:
    """What the entries mean: each selected data set can be looked for, each method can work on some data."""
    files = {path: yaml_file.read(path) for path in study.files}
    places = [Path(folder) for folder in study.mirrors]
    checks = {
        "datasets": (study.datasets, lambda entry: entries.problems(entry, places, study.root)),
        "methods": (study.methods, methods.problems),
    }
    for kind, (selected, problems) in checks.items():
        catalogue = study.root / "config" / f"{kind}.yaml"
        written = {catalogue: yaml_file.read(catalogue), **files}
        for name, entry in selected.items():
            own = any(
                name in ((file.get("define") or {}).get(kind) or {}) for file in files.values()
            )
            found = (([name, *path], sentence) for path, sentence in problems(entry))
            _refuse(found, written, ("define", kind) if own else ())


def _features_name(steps: list[Any]) -> str:
    """quadratic+interactions; with options, a short hash of all of it at the end."""
    if not steps:
        return "as_is"
    words = "+".join(step if isinstance(step, str) else next(iter(step)) for step in steps)
    if all(isinstance(step, str) for step in steps):
        return words
    text = json.dumps(steps, sort_keys=True)
    return f"{words}-{hashlib.blake2b(text.encode(), digest_size=3).hexdigest()}"


def _selected(
    kind: str, values: dict[str, Any], catalogues: dict[str, Any], written: dict[Path, Any]
) -> dict[str, dict[str, Any]]:
    catalogue, names = catalogues[kind], values[kind]
    if names == "all":
        return dict(catalogue)
    thing = {"datasets": "data set", "methods": "method"}[kind]
    missing = [(i, name) for i, name in enumerate(names) if name not in catalogue]
    _refuse(
        [
            ([kind, i], f"there is no {thing} '{name}'; {nearest(name, catalogue)}")
            for i, name in missing
        ],
        written,
    )
    return {name: catalogue[name] for name in names}


def _refuse(
    problems: Iterable[tuple[list[Any], str]],
    written: Mapping[Path, Any],
    where: tuple[str, ...] = (),
) -> None:
    lines = [place(written, [*where, *path], sentence) for path, sentence in problems]
    if lines:
        raise Refused("\n".join(dict.fromkeys(lines)))


def place(written: Mapping[Path, Any], path: list[Any], sentence: str) -> str:
    """'mystudy.yaml, line 7: evaluation.fold: unknown key; …' — the last file that has the path wins."""
    dotted = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).lstrip(".")
    for depth in range(len(path), 0, -1):
        for file in reversed(list(written)):
            line = yaml_file.line_of(file, path[:depth])
            if line is not None:
                return f"{_shown(file)}, line {line}: {dotted}: {sentence}"
    return f"{dotted}: {sentence}" if dotted else sentence


def _shown(path: Path) -> str:
    """As one would type it: relative to here, where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
