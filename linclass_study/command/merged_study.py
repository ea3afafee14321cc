"""The union of several studies: all data sets × all methods, with one evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import StudyDescription
from linclass_study.command.results_folder import ResultsFolder

REPORT_KEYS = (
    "rope",
    "metrics",
    "focus",
    "traces",
)  # keys of the evaluation that do not affect predictions


@dataclass(frozen=True)
class MergedStudy:
    """The study of the merged folder, its conflicts, and notes on permitted differences."""

    study: StudyDescription
    conflicts: list[str]
    notes: list[str]

    @property
    def datasets(self) -> list[str]:
        return list(self.study.outcome.datasets)


def combined(sources: Sequence[ResultsFolder], folder: Path) -> MergedStudy:
    """Combine the studies of all sources into one in `folder`; among equal entries the first wins."""
    first = sources[0].study.outcome
    datasets, methods = dict(first.datasets), dict(first.methods)
    positions, limits = dict(first.positions), dict(first.limits)
    parameters = dict(first.parameters)
    conflicts: list[str] = []
    notes: list[str] = []
    for source in sources[1:]:
        other = source.study.outcome
        pair = f"{sources[0].given} and {source.given}"
        (fitted, reporting), (others, other_reporting) = (
            _parts(first.evaluation),
            _parts(other.evaluation),
        )
        conflicts += _differences("evaluation", fitted, others, pair)
        notes += _differences("evaluation", reporting, other_reporting, pair)
        notes += _differences("limits", first.limits, other.limits, pair)
        for name, entry in other.methods.items():
            if methods.setdefault(name, entry) != entry:
                conflicts.append(f"method {name}: {source.given} has another entry of that name")
        datasets = datasets | {k: v for k, v in other.datasets.items() if k not in datasets}
        parameters = {**other.parameters, **parameters}
        for name, place in other.positions.items():
            taken = place in positions.values()
            positions.setdefault(name, max(positions.values()) + 1 if taken else place)
    files, studies = _files(sources)
    outcome = Outcome(folder, datasets, methods, first.evaluation, limits, positions, parameters)
    return MergedStudy(StudyDescription(outcome, files, studies), conflicts, notes)


def _parts(evaluation: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(keys that affect predictions, other keys); older results lack the latter."""
    fitted = {key: value for key, value in evaluation.items() if key not in REPORT_KEYS}
    return fitted, {key: value for key, value in evaluation.items() if key in REPORT_KEYS}


def _differences(part: str, one: Mapping[str, Any], two: Mapping[str, Any], pair: str) -> list[str]:
    keys = [key for key in dict.fromkeys([*one, *two]) if one.get(key) != two.get(key)]
    sentence = f"{part}.{{}}: {pair} differ ({{}} and {{}})"
    return [sentence.format(key, one.get(key), two.get(key)) for key in keys]


def _files(sources: Sequence[ResultsFolder]) -> tuple[dict[str, str], list[list[str]]]:
    """(name → text of all files, file names of each study); files that differ under one name get a number."""
    files: dict[str, str] = {}
    studies: list[list[str]] = []
    for source in sources:
        renamed = {}
        for name, text in source.study.files.items():
            new, number = name, 2
            while files.setdefault(new, text) != text:
                new, number = f"{number}-{name}", number + 1
            renamed[name] = new
        studies += [[renamed[name] for name in study] for study in source.study.studies]
    return files, [study for i, study in enumerate(studies) if study not in studies[:i]]
