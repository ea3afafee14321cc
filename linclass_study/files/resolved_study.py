"""results/logs/study.json: the resolved study, as the main process of Snakemake gives it to its jobs.

A job reads from it what it needs; its parameter is only a digest of that part, as Snakemake stores all parameters of
a rule with each of its output files.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from linclass_study.files.digests import short_digest
from linclass_study.files.writing import Path_, atomic_write

NAME = Path("logs", "study.json")


def digest_of_part(part: Any) -> str:
    """Digest of a part of the study. The order matters: that of classes defines their codes, for example."""
    return short_digest(as_text(part))


def write_resolved(results: Path_, study: Mapping[str, Any]) -> None:
    with atomic_write(Path(results) / NAME) as partial:
        partial.write_text(as_text(study), encoding="utf-8")


def read_resolved(results: Path_) -> dict[str, Any]:
    return dict(json.loads((Path(results) / NAME).read_text(encoding="utf-8")))


def read_fits(
    results: Path, bundle: str
) -> tuple[dict[str, dict[str, Any]], dict[str, Any], dict[str, float]]:
    """(data set → method → its specification, evaluation, limits) of the runs of a bundle."""
    fits = read_resolved(results)["fits"]
    runs: dict[str, dict[str, Any]] = {}
    for dataset, method in fits["bundles"][bundle]:
        runs.setdefault(dataset, {})[method] = fits["specs"][method]
    return runs, fits["evaluation"], fits["limits"]


def as_text(value: Any) -> str:
    return json.dumps(value, default=str)
