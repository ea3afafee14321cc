"""Candidates of the tuning that failed on an inner fold, and why; the others were compared without them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import polars as pl

from linclass_study.results.fit_problems import NUMBER
from linclass_study.results.outcome import Outcome
from linclass_study.table_files import FIT


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
    found: dict[tuple[str, tuple[str, ...], str], FailedCandidates] = {}
    for method in outcome.methods:
        for dataset in outcome.datasets:
            for failed in _of_run(outcome, dataset, method):
                key = (method, failed.candidates, _kind(failed.reason))
                if known := found.get(key):
                    datasets = (*known.datasets, dataset)
                    failed = replace(known, datasets=datasets, fits=known.fits + failed.fits)
                found[key] = failed
    return list(found.values())


def _of_run(outcome: Outcome, dataset: str, method: str) -> list[FailedCandidates]:
    table = outcome.kept("tuning", dataset, method)
    if table is None:
        return []
    failed = table.filter(pl.col("failure").is_not_null()).sort(FIT, maintain_order=True)
    same = failed.with_columns(kind=pl.col("failure").map_elements(_kind, return_dtype=pl.String))
    return [
        FailedCandidates(
            method,
            tuple(map(_in_words, part["params"].unique(maintain_order=True))),
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
