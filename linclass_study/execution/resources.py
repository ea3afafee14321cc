"""Memory and time that a job requests from a cluster, from the size of its data; retries request more.

Estimates of work are correct within a factor of about five, hence the margin: Slurm ends a job that requested too
little, and its next attempt continues with the remaining runs. No result depends on the request: the limits of a fit
are those of the study (`limits:`), and they also bound what a job can need.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, inf
from pathlib import Path
from typing import TYPE_CHECKING

from linclass_study.data.entry.expected_size import Size
from linclass_study.execution.work import number_of_fits, seconds_of_run
from linclass_study.files.reading import read_about

if TYPE_CHECKING:
    from linclass_study.config.config import Study
    from linclass_study.execution.bundles import Bundle

PROCESSES_MB = 1500  # Snakemake twice, the job and the child that fits, before any data
COPIES = 8  # of the data: as read, split, transformed, and copied by a fit
WHOLE = 3  # the attempt that requests the maximum that the study's limits allow
START = 5  # minutes to start a job on a node and to write its tables
MARGIN = 5  # factor by which an estimate of work may be too small
# of a run, beyond folds × repeats: other protocols, and a joint fit that is tried first
MORE_FITS = 3


def memory_mb(data_mb: float, fit_memory_mb: float, attempt: int) -> int:
    """Memory for data of this size and a fit that may allocate `limits.fit_memory_mb` in addition."""
    least = PROCESSES_MB + COPIES * data_mb
    most = least + fit_memory_mb
    return ceil(most if attempt >= WHOLE else min(most, least * 2 ** (attempt - 1)))


def minutes(
    seconds: float, fits: float, fit_seconds: float, attempt: int, longest: float = 0
) -> int:
    """Minutes for the expected work, in `fits` fits of at most `limits.fit_seconds` each.

    From the third attempt on they suffice for a run, of `longest` fits, all of which reach that limit.
    """
    most = START + fits * fit_seconds / 60
    asked = (START + MARGIN * seconds / 60) * 2 ** (attempt - 1)
    hanging = longest * fit_seconds / 60 if attempt >= WHOLE else 0
    return ceil(min(most, asked + hanging))


def minutes_of_bundle(bundle: Bundle, study: Study, attempt: int) -> int:
    """Minutes from the files of its data, or from the entries before these exist."""
    seconds = 0.0
    for dataset, method in bundle.runs:
        size = _size(study, dataset, method)
        seconds += seconds_of_run(size, study.methods[method], study.evaluation)
    of_run = number_of_fits(study.evaluation, 1) + MORE_FITS  # leave-one-out has one limit
    fits = of_run * len(bundle.runs)
    expected = bundle.work if seconds == inf else seconds
    return minutes(
        expected / bundle.shards,
        fits / bundle.shards,
        study.limits["fit_seconds"],
        attempt,
        of_run / bundle.shards,
    )


def _size(study: Study, dataset: str, method: str) -> Size | None:
    features = Path(study.results, "features", dataset, f"{study.features_of[method]}.npz")
    about = Path(study.results, "data", f"{dataset}.json")
    if not (features.exists() and about.exists()):
        return None
    rows = read_about(about).get("rows")
    return Size(features.stat().st_size // 8, rows)


def megabytes(files: Iterable[str | Path]) -> float:
    """Size of the largest file: a job has one in memory at a time, and feature files are not compressed."""
    there = (Path(file) for file in files if Path(file).exists())
    return max((file.stat().st_size / 1e6 for file in there), default=0.0)
