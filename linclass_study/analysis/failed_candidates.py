"""Candidates of the tuning that failed on an inner fold, and why; the others were compared without them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import polars as pl

from linclass_study.analysis.fit_problems import NUMBER
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned import tuning_found
from linclass_study.files.tables import FIT


@dataclass(frozen=True)
class FailedCandidates:
    """Candidates of a method that failed for this reason, in `fits` fits on these data sets."""

    method: str
    candidates: tuple[str, ...]  # C=0.1, kernel=rbf
    reason: str
    datasets: tuple[str, ...]
    fits: int


def failed_candidates(outcome: Outcome) -> list[FailedCandidates]:
    """Distinct failures, in the order of methods; reasons that differ only in numbers are one."""
    failed = tuning_found(outcome).filter(pl.col("failure").is_not_null())
    runs = failed.partition_by("dataset", "method", as_dict=True)
    found: dict[tuple[str, tuple[str, ...], str], FailedCandidates] = {}
    for method in outcome.methods:
        for dataset in outcome.datasets:
            for one in _of_run(runs.get((dataset, method), failed.clear()), dataset, method):
                key = (method, one.candidates, _kind(one.reason))
                if known := found.get(key):
                    datasets = (*known.datasets, dataset)
                    one = replace(known, datasets=datasets, fits=known.fits + one.fits)
                found[key] = one
    return list(found.values())


def _of_run(failed: pl.DataFrame, dataset: str, method: str) -> list[FailedCandidates]:
    same = failed.with_columns(kind=pl.col("failure").map_elements(_kind, return_dtype=pl.String))
    return [
        FailedCandidates(
            method,
            tuple(map(_in_words, part["value"].unique(maintain_order=True))),
            part["failure"][0],
            (dataset,),
            part.select(FIT).n_unique(),
        )
        for part in same.partition_by("kind", maintain_order=True)
    ]


def _kind(reason: str) -> str:
    return NUMBER.sub("#", reason)


def _in_words(candidate: str) -> str:
    """{"C": 1.0, "kernel": "rbf"} → C=1.0, kernel=rbf"""
    return ", ".join(f"{name}={value}" for name, value in json.loads(candidate).items())
