"""results/study.json: the configuration of the study, so that its folder is complete.

format                           version of the format of the results folder (docs/sharing.md)
datasets, methods                name → entry, from the catalogues and `define:`
evaluation, limits, parameters
files                            name → text of its YAML files, and of its own modules (estimators, metrics, …)
studies                          names of the files of each study: one, or several after a merge
whole                            of a part of a study, names of the data sets of the whole
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import linclass
from linclass_study.analysis.outcome import Outcome
from linclass_study.errors import StudyError
from linclass_study.figure_style import figure_style_problems
from linclass_study.files.reading import read_json
from linclass_study.files.resolved_study import as_text
from linclass_study.files.writing import atomic_write
from linclass_study.project import DEFAULT_STUDY

NAME = "study.json"
FORMAT = 1  # changes when an older linclass could not read the folder, or would misunderstand it
REMEDY = "run the study to its end, which writes it"
PARTS = ("datasets", "methods", "evaluation", "limits", "parameters", "figure_style")


@dataclass(frozen=True)
class StudyDescription:
    """A study, the text of its files by name, the names of the YAML files of each merged study, and of a part the names
    of all data sets of the whole."""

    outcome: Outcome
    files: dict[str, str]
    studies: list[list[str]]
    whole: tuple[str, ...] = ()


def describe_study(
    outcome: Outcome,
    files: Iterable[str | os.PathLike[str]],
    modules: Iterable[tuple[str, str, str]] = (),
    whole: Iterable[str] = (),
) -> StudyDescription:
    """A study with the texts of its YAML files and of its own modules (name, path, digest)."""
    texts: dict[str, str] = {}
    for file in map(Path, files):
        if file.resolve() != DEFAULT_STUDY:
            same = sum(name == file.name or name.endswith(f"-{file.name}") for name in texts)
            name = f"{same + 1}-{file.name}" if same else file.name
            texts[name] = file.read_text(encoding="utf-8")
    studies = [list(texts)]
    for name, path, _ in modules:
        texts[name] = Path(path).read_text(encoding="utf-8")
    return StudyDescription(outcome, texts, studies, tuple(whole))


def write_study(description: StudyDescription) -> None:
    """Write study.json into the results folder of the outcome."""
    study: dict[str, Any] = {"format": FORMAT}
    study |= {part: getattr(description.outcome, part) for part in PARTS}
    study |= {"files": description.files, "studies": description.studies}
    study |= {"whole": description.whole} if description.whole else {}
    text = json.dumps(study, indent=1, ensure_ascii=False, default=str) + "\n"
    with atomic_write(description.outcome.results / NAME) as partial:
        partial.write_text(text, encoding="utf-8")


def is_other(results: Path, study: Mapping[str, Any]) -> bool:
    """Whether the file describes another study than this one, so that its tables are outdated."""
    try:
        parts = {part: study[part] for part in PARTS}
        recorded = read_json(results / NAME)
        return any(recorded[part] != asked for part, asked in json.loads(as_text(parts)).items())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def refuse_later_format(path: Path, study: Mapping[str, Any]) -> None:
    if int(study.get("format", 1)) > FORMAT:
        raise StudyError(
            f"{path}: these results have format {study['format']!r}, and this linclass ({linclass.__version__}) reads "
            f"formats up to {FORMAT}: install a newer version"
        )


def read_study(results: Path) -> StudyDescription:
    path = results / NAME
    try:
        study: Any = read_json(path)
        refuse_later_format(path, study)
        outcome = Outcome(results, **{part: dict(study[part]) for part in PARTS})  # type: ignore[arg-type]
        for _, problem in figure_style_problems(outcome.figure_style, check=False):
            raise ValueError(problem)
        studies = [list(names) for names in study["studies"]]
        whole = tuple(map(str, study.get("whole", ())))
        return StudyDescription(outcome, dict(study["files"]), studies, whole)
    except FileNotFoundError:
        raise StudyError(f"{path} does not exist: {REMEDY}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        error = getattr(error, "error", error)  # of a file that is no JSON
        reason = f"{type(error).__name__}: {error}"
        raise StudyError(f"{path} is not a valid study.json ({reason}): {REMEDY}") from None
