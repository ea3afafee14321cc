"""Whether an untrusted study.json describes a study: its parts have the types that merge, publish and the page need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from reprlib import repr as brief
from typing import Any

from linclass.evaluation import metrics
from linclass_study.analysis.study_file import StudyDescription
from linclass_study.config.schema import load_schema, schema_problems
from linclass_study.errors import suggest_name

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*\Z")  # of a data set or a method
LATER = {"rope": 0, "cv_rows": "all"}  # keys of the evaluation that older results lack


def study_problem(study: StudyDescription) -> str:
    """The first thing that is wrong, with its key; '' if nothing is."""
    return next((f"{key}: {sentence}" for key, sentence in _problems(study)), "")


def _problems(study: StudyDescription) -> Iterator[tuple[str, str]]:
    outcome = study.outcome
    for kind in ("datasets", "methods"):
        entries = getattr(outcome, kind)
        if not entries:
            yield kind, "it is empty"
        yield from _of_entries(kind, entries)
    for name, place in outcome.positions.items():
        if type(place) is not int:
            yield f"positions.{name}", f"{brief(place)} is not a whole number"
    for name, facts in outcome.parameters.items():
        sound = isinstance(facts, dict) and all(
            isinstance(facts.get(key, kind()), kind)
            for key, kind in (("by_default", list), ("fixed", dict), ("limits", dict))
        )
        if not sound or not all(isinstance(v, list) for v in facts.get("limits", {}).values()):
            yield f"parameters.{name}", f"{brief(facts)} are not facts about parameters"
    for name, text in study.files.items():
        if not (isinstance(name, str) and isinstance(text, str)):
            yield f"files.{name}", "it is no text"
    for names in study.studies:
        for name in names:
            if not (isinstance(name, str) and name in study.files):
                yield "studies", f"there is no file {brief(name)}"
    yield from _of_evaluation(outcome.evaluation)


def _of_entries(kind: str, entries: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for name, entry in entries.items():
        if not (isinstance(name, str) and NAME.match(name)):
            yield kind, f"{name!r} is no name"
        if not isinstance(entry, dict):
            yield f"{kind}.{name}", f"{brief(entry)} is not a mapping"


def _of_evaluation(evaluation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the schema of a study says, but for keys that other versions of linclass have."""
    known = load_schema("config")["properties"]["evaluation"]["properties"]
    own = LATER | {key: value for key, value in evaluation.items() if key in known}
    for path, sentence in schema_problems("config", {"evaluation": own}):
        if path:  # else another part of a study is missing
            yield ".".join(map(str, path)), sentence
    metric = evaluation.get("tune_metric", "")
    if "." not in metric and metric not in metrics.names():
        yield (
            "evaluation.tune_metric",
            f"no metric '{metric}'; {suggest_name(metric, metrics.names())}",
        )
