"""Read a study with its catalogues, and check it completely before any work starts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from linclass_study.data.entry.entry_check import entry_problems
from linclass_study.data.search_folders import SearchFolders, mirrors
from linclass_study.project import DEFAULT_STUDY
from linclass_study.refusal import Refused, together
from linclass_study.study.catalogues import at_their_origin, read_catalogue
from linclass_study.study.column_check import column_problems
from linclass_study.study.evaluation_check import evaluation_problems
from linclass_study.study.method_check import method_problems
from linclass_study.study.metric_check import own_metric_problems
from linclass_study.study.schema import fitted, schema_problems
from linclass_study.study.selection import expanded_names, select_datasets, select_entries
from linclass_study.study.source_lines import SourceLines, shown_path
from linclass_study.study.yaml_file import read_yaml, unquoted

Problem = tuple[list[Any], str]  # keys, what is wrong with their value

KINDS = ("datasets", "methods")
LONGEST = 100  # letters of a name, so that file names stay below 255


@dataclass(frozen=True)
class Study:
    """Data sets, methods, evaluation and folders of a study. Names map to entries in the catalogue's order."""

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
    positions: dict[str, int]  # method → its place in the whole catalogue, hence its colour
    features: dict[str, list[Any]]  # name of a feature file → the steps that make it
    features_of: dict[str, str]  # method → the name of its feature file
    origin: dict[str, dict[str, str]]  # kind → name of an own entry → its name in the file
    written: SourceLines


def read_config(config: Mapping[str, Any], files: Iterable[str | Path], root: Path) -> Study:
    """The study that Snakemake's merged `config` describes; `files` are the YAML files it came from."""
    default_first = sorted(files, key=lambda file: Path(file).resolve() != DEFAULT_STUDY)
    study_files = tuple(Path(shown_path(file)) for file in default_first)
    contents = {path: read_yaml(path) for path in study_files}
    for path, content in contents.items():
        if not isinstance(content, dict):
            found = "this file is empty" if content is None else f"this is {brief(content)}"
            raise Refused(f"{path}: a study is a mapping of keys, as `datasets: [iris]`; {found}")
    written = SourceLines(dict(config), contents)
    written.refuse(unquoted(written.value))
    given = fitted("config", written.value)
    problems = [*schema_problems("config", given)]
    _, study = together(
        lambda: written.refuse(problems),
        lambda: _study(_usable(given, problems), study_files, root, written),
    )
    return study


def _usable(values: dict[str, Any], problems: Iterable[tuple[list[Any], str]]) -> dict[str, Any]:
    """The values with the default for every key that has a problem, so that errors under the others are told, too."""
    wrong = {str(path[0]) for path, _ in problems if path}
    if wrong & {"define", "suite"}:  # their data sets and methods are unknown, not misspelt
        wrong |= {*KINDS}
    default: dict[str, Any] = read_yaml(DEFAULT_STUDY)
    return default | {key: value for key, value in values.items() if key not in wrong}


def _study(
    values: dict[str, Any], study_files: tuple[Path, ...], root: Path, written: SourceLines
) -> Study:
    catalogues: dict[str, dict[str, Any]] = {}
    origin: dict[str, dict[str, str]] = {}

    def selected(kind: str) -> dict[str, dict[str, Any]]:
        catalogues[kind], origin[kind] = read_catalogue(kind, values["define"], root, written)
        values[kind] = expanded_names(values[kind], origin[kind])
        if kind == "datasets":
            return select_datasets(values, catalogues[kind], root, written)
        return select_entries(kind, values, catalogues[kind], written)

    _, datasets, chosen, results, downloads = together(
        lambda: written.refuse(evaluation_problems(values["evaluation"])),
        lambda: selected("datasets"),
        lambda: selected("methods"),
        lambda: _folder("results", values, written),
        lambda: _folder("downloads", values, written),
    )
    features_of = {
        name: _features_name(entry.get("features") or []) for name, entry in chosen.items()
    }
    return Study(
        results=results,
        datasets=datasets,
        methods=chosen,
        evaluation=values["evaluation"],
        limits=values["limits"],
        jobs=values["jobs"],
        mirrors=mirrors(values),
        downloads=downloads,
        root=root,
        files=study_files,
        positions={name: i for i, name in enumerate(catalogues["methods"])},
        features={features_of[name]: entry.get("features") or [] for name, entry in chosen.items()},
        features_of=features_of,
        origin=origin,
        written=written,
    )


def check_entries(study: Study) -> None:
    """Check the study's own metrics and the selected entries: data sets have sources, methods can be constructed."""
    places = [Path(folder) for folder in study.mirrors]
    folders = SearchFolders(places, root=study.root)

    def dataset_problems(entry: Mapping[str, Any]) -> Iterable[Problem]:
        found = list(entry_problems(entry, places, study.root))
        return found or column_problems(entry, folders)

    study.written.refuse(
        [
            *own_metric_problems(study.evaluation),
            *_own_entry_problems(study, "datasets", study.datasets, dataset_problems),
            *_own_entry_problems(study, "methods", study.methods, method_problems),
        ]
    )


def _own_entry_problems(
    study: Study,
    kind: str,
    selected: Mapping[str, Mapping[str, Any]],
    problems: Callable[[Mapping[str, Any]], Iterable[Problem]],
) -> list[Problem]:
    """Problems of the study's own entries, by their keys in its files; those of the catalogue are refused here."""
    own = study.origin[kind]
    found: dict[bool, list[Problem]] = {True: [], False: []}  # of own entries, of the catalogue's
    for name, entry in selected.items():
        found[name in own] += [([name, *keys], text) for keys, text in problems(entry)]
    path = study.root / "config" / f"{kind}.yaml"
    content = read_yaml(path)
    SourceLines(content, {path: content}).refuse(found[False])
    return [(["define", kind, *keys], text) for keys, text in at_their_origin(found[True], own)]


def _folder(key: str, values: Mapping[str, Any], written: SourceLines) -> str:
    folder = Path(os.path.normpath(os.path.expanduser(values[key])))
    file = next((path for path in (folder, *folder.parents) if path.is_file()), None)
    if file is not None:
        written.refuse([([key], f"'{file}' is a file; give a folder, or a name that is free")])
    return str(folder)


def _features_name(steps: list[Any]) -> str:
    """Name of a feature file: quadratic+interactions; with options, or if too long, with a hash at the end."""
    if not steps:
        return "as_is"
    words = "+".join(step if isinstance(step, str) else next(iter(step)) for step in steps)
    if all(isinstance(step, str) for step in steps) and len(words) <= LONGEST:
        return words
    text = json.dumps(steps, sort_keys=True)
    return f"{words[:LONGEST]}-{hashlib.blake2b(text.encode(), digest_size=3).hexdigest()}"
