"""What several studies asked for, as one: all data sets × all methods, compared in one and the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linclass_study.command.results_folder import ResultsFolder
from linclass_study.results.outcome import Outcome
from linclass_study.results.study_file import Asked

SAID = ("rope", "traces")  # keys of the evaluation that no prediction depends on


@dataclass(frozen=True)
class Merged:
    """The study of the merged folder; what does not fit together, and what differs and may."""

    asked: Asked
    conflicts: list[str]
    notes: list[str]

    @property
    def datasets(self) -> list[str]:
        return list(self.asked.outcome.datasets)


def combined(sources: Sequence[ResultsFolder], folder: Path) -> Merged:
    """The studies of all sources as one that lies in the folder; of equals the first wins."""
    first = sources[0].study.outcome
    datasets, methods = dict(first.datasets), dict(first.methods)
    positions, limits = dict(first.positions), dict(first.limits)
    conflicts: list[str] = []
    notes: list[str] = []
    for source in sources[1:]:
        other = source.study.outcome
        pair = f"{sources[0].given} and {source.given}"
        (fitted, said), (others, other_said) = _parts(first.evaluation), _parts(other.evaluation)
        conflicts += _apart("evaluation", fitted, others, pair)
        notes += _apart("evaluation", said, other_said, pair)
        notes += _apart("limits", first.limits, other.limits, pair)
        for name, entry in other.methods.items():
            if methods.setdefault(name, entry) != entry:
                conflicts.append(f"method {name}: {source.given} has another entry of that name")
        datasets = datasets | {k: v for k, v in other.datasets.items() if k not in datasets}
        for name, place in other.positions.items():
            taken = place in positions.values()
            positions.setdefault(name, max(positions.values()) + 1 if taken else place)
    files, studies = _files(sources)
    outcome = Outcome(folder, datasets, methods, first.evaluation, limits, positions)
    return Merged(Asked(outcome, files, studies), conflicts, notes)


def _parts(evaluation: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(what predictions depend on, what is only said beside them); older results do not have the latter."""
    fitted = {key: value for key, value in evaluation.items() if key not in SAID}
    return fitted, {key: value for key, value in evaluation.items() if key in SAID}


def _apart(part: str, one: Mapping[str, Any], two: Mapping[str, Any], pair: str) -> list[str]:
    keys = [key for key in dict.fromkeys([*one, *two]) if one.get(key) != two.get(key)]
    told = f"{part}.{{}}: {pair} have another one ({{}} and {{}})"
    return [told.format(key, one.get(key), two.get(key)) for key in keys]


def _files(sources: Sequence[ResultsFolder]) -> tuple[dict[str, str], list[list[str]]]:
    """Every study's files, those of one name and other content with a number before it; and which study has which."""
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
