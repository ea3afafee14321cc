"""What a job asks of a cluster: memory and time, from the size of its data, more at each further attempt.

Estimates of work are right within a factor of five or so, hence the margin: a job that asks for too little is ended
by Slurm and goes on in its next attempt with the runs that are left. No result depends on what is asked for: the
limits of a fit are those of the study (`limits:`), and they also bound what a job can need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING

from linclass_study.data.entry.expected_size import Size
from linclass_study.jobs import work

if TYPE_CHECKING:
    from linclass_study.jobs.bundles import Bundle
    from linclass_study.study.config import Study

PROCESSES_MB = 1500  # Snakemake twice, the job and the child that fits, before any data
COPIES = 8  # of the data: as read, its folds, transformed, and what a fit makes of them
WHOLE = 3  # the attempt that asks for all the memory that the limits of the study let a job need
START = 5  # minutes until a job on a node has begun to fit, and to write its tables
MARGIN = 5  # by which an estimate of work may be too small
MORE_FITS = (
    3  # of a run, beyond folds × repeats: other protocols, and a joint fit that is tried first
)


def memory_mb(data_mb: float, fit_memory_mb: float, attempt: int) -> int:
    """For data of this size, beyond which a fit may ask for `limits.fit_memory_mb`."""
    least = PROCESSES_MB + COPIES * data_mb
    most = least + fit_memory_mb
    return ceil(most if attempt >= WHOLE else min(most, least * 2 ** (attempt - 1)))


def minutes(seconds: float, fits: float, fit_seconds: float, attempt: int) -> int:
    """For this much expected work, in so many fits of at most `limits.fit_seconds` each."""
    most = START + fits * fit_seconds / 60
    return ceil(min(most, (START + MARGIN * seconds / 60) * 2 ** (attempt - 1)))


def minutes_of_bundle(bundle: Bundle, study: Study, attempt: int) -> int:
    """By the files of its data; before they are there, by what the entries say."""
    seconds, fits = 0.0, 0.0
    for dataset, method in bundle.runs:
        size = _size(study, dataset, method)
        rows = (size.rows or 0) if size else 0
        seconds += work.of_run(size, study.methods[method], study.evaluation)
        fits += work.fits(study.evaluation, rows) + MORE_FITS
    expected = bundle.work if seconds == inf else seconds
    return minutes(
        expected / bundle.shards, fits / bundle.shards, study.limits["fit_seconds"], attempt
    )


def _size(study: Study, dataset: str, method: str) -> Size | None:
    features = Path(study.results, "features", dataset, f"{study.features_of[method]}.npz")
    about = Path(study.results, "data", f"{dataset}.json")
    if not (features.exists() and about.exists()):
        return None
    rows = json.loads(about.read_text(encoding="utf-8")).get("rows")
    return Size(features.stat().st_size // 8, rows)


def megabytes(files: Iterable[str | Path]) -> float:
    """Of the largest file: a job has one of them in memory at a time. Files of features are not compressed."""
    there = (Path(file) for file in files if Path(file).exists())
    return max((file.stat().st_size / 1e6 for file in there), default=0.0)
