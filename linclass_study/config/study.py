"""Read a study with its catalogues, and check it completely before any work starts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from linclass_study.config.catalogues import (
    at_their_origin,
    expanded_names,
    read_catalogue,
    select_entries,
)
from linclass_study.config.estimator_check import with_default_paths
from linclass_study.config.evaluation_check import (
    evaluation_problems,
    focus_problems,
    own_metric_problems,
)
from linclass_study.config.parts import part_problems, part_suffix, select_part
from linclass_study.config.schema import fitted, schema_problems
from linclass_study.config.selected_entries import check_entries, checked_method
from linclass_study.data.local_copies import SearchFolders, mirrors
from linclass_study.errors import StudyError, collect_errors
from linclass_study.figure_style import figure_style_problems
from linclass_study.files.digests import short_digest
from linclass_study.files.yaml_file import SourceLines, read_yaml, shown_path, unquoted
from linclass_study.project import DEFAULT_STUDY

KINDS = ("datasets", "methods")
AS_IS = "as_is"  # name of the features of methods without feature maps
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
    figure_style: dict[str, str]
    mirrors: list[str]
    downloads: str
    files: tuple[Path, ...]
    # method → estimator_check.parameter_facts
    parameters: dict[str, dict[str, Any]]
    features: dict[str, list[Any]]  # name of a feature file → the steps that make it
    features_of: dict[str, str]  # method → the name of its feature file
    # names of the data sets of the whole study, if this is a part of it
    whole: tuple[str, ...] = ()

    @property
    def folders(self) -> SearchFolders:
        """Folders in which data files are searched."""
        return SearchFolders(list(map(Path, self.mirrors)))


def read_config(
    config: Mapping[str, Any], files: Iterable[str | Path], check: bool = True
) -> Study:
    """The study that Snakemake's merged `config` describes; `files` are the YAML files it came from.

    With `check`, data sets must have sources, methods be constructible, and the study's own metrics importable.
    """
    default_first = sorted(files, key=lambda file: Path(file).resolve() != DEFAULT_STUDY)
    study_files = tuple(Path(shown_path(file)) for file in default_first)
    contents = {path: read_yaml(path) for path in study_files}
    for path, content in contents.items():
        if not isinstance(content, dict):
            content_words = "this file is empty" if content is None else f"this is {brief(content)}"
            raise StudyError(
                f"{path}: a study is a mapping of keys, as `datasets: [iris]`; {content_words}"
            )
    written = SourceLines(dict(config), contents)
    written.refuse(unquoted(written.value))
    config_fitted = fitted("config", written.value)
    problems = [*schema_problems("config", config_fitted)]
    # keys with a problem get their default, so that errors under the other keys are also reported
    wrong = {str(path[0]) for path, _ in problems if path}
    if wrong & {"define", "suite"}:  # their data sets and methods are unknown, not misspelt
        wrong |= {*KINDS}
    usable = {key: value for key, value in config_fitted.items() if key not in wrong}
    _, study = collect_errors(
        lambda: written.refuse(problems),
        lambda: _study(read_yaml(DEFAULT_STUDY) | usable, study_files, written, check),
    )
    return study


def _study(
    values: dict[str, Any], study_files: tuple[Path, ...], written: SourceLines, check: bool
) -> Study:
    catalogues: dict[str, dict[str, Any]] = {}
    origin: dict[str, dict[str, str]] = {}

    def selected(kind: str) -> dict[str, dict[str, Any]]:
        defined = values["define"]
        catalogues[kind], origin[kind], wrong = read_catalogue(kind, defined, written)
        values[kind] = expanded_names(values[kind], origin[kind])
        entries, unknown = select_entries(kind, values, catalogues[kind])
        names = {*entries} - {path[0] for path, _ in wrong if path}
        sound = {name: entries[name] for name in entries if check and name in names}
        collect_errors(
            lambda: written.refuse(at_their_origin(wrong, origin[kind]), ("define", kind)),
            lambda: written.refuse(unknown),
            lambda: check_entries(kind, sound, origin[kind], folders, written),
        )
        return entries

    def methods_and_facts() -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
        entries, grids = selected("methods"), origin["methods"]
        names_and_grids = {*entries, *(grids.get(name, name) for name in entries)}
        written.refuse(focus_problems(evaluation["focus"], names_and_grids, catalogues["methods"]))
        evaluation["focus"] = expanded_names(evaluation["focus"], grids)
        facts = {name: dict(checked_method(entry)["facts"]) for name, entry in entries.items()}
        return entries, facts

    evaluation, places = {"focus": []} | values["evaluation"], mirrors(values)
    folders = SearchFolders(list(map(Path, places)))
    _, _, _, datasets, (chosen, facts), results, downloads = collect_errors(
        lambda: written.refuse(evaluation_problems(evaluation)),
        lambda: written.refuse(own_metric_problems(evaluation) if check else ()),
        lambda: written.refuse(figure_style_problems(values["figure_style"], check)),
        lambda: selected("datasets"),
        methods_and_facts,
        lambda: _folder("results", values, written),
        lambda: _folder("downloads", values, written),
    )
    features = {name: entry.get("features") or [] for name, entry in chosen.items()}
    only, part = expanded_names(values["only"], origin["datasets"]), values["part"]
    written.refuse(part_problems(only, part, list(datasets)))
    return Study(
        results=results + part_suffix(only, part),
        datasets=select_part(datasets, only, part),
        methods={m: with_default_paths(entry, facts[m]) for m, entry in chosen.items()},
        evaluation=evaluation,
        limits=values["limits"],
        jobs=values["jobs"],
        figure_style=values["figure_style"],
        mirrors=places,
        downloads=downloads,
        files=study_files,
        parameters=facts,
        features={_features_name(steps): steps for steps in features.values()},
        features_of={name: _features_name(steps) for name, steps in features.items()},
        whole=tuple(datasets) if only or part else (),
    )


def _folder(key: str, values: Mapping[str, Any], written: SourceLines) -> str:
    folder = Path(os.path.normpath(os.path.expanduser(values[key])))
    if folder.resolve() in (Path("/"), Path(os.path.expanduser("~")).resolve()):
        sentence = f"'{folder}' has other files than this study's; give it a folder, as `{key}: {key}/mystudy`"
        written.refuse([([key], sentence)])
    file = next((path for path in (folder, *folder.parents) if path.is_file()), None)
    if file is not None:
        written.refuse([([key], f"'{file}' is a file; give a folder, or a name that is free")])
    return str(folder)


def _features_name(steps: list[Any]) -> str:
    """Name of a feature file: quadratic+interactions; with options, or if too long, with a hash at the end."""
    if not steps:
        return AS_IS
    words = "+".join(step if isinstance(step, str) else next(iter(step)) for step in steps)
    if all(isinstance(step, str) for step in steps) and len(words) <= LONGEST:
        return words
    text = json.dumps(steps, sort_keys=True)
    return f"{words[:LONGEST]}-{short_digest(text, size=3)}"
