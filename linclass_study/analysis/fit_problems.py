"""Problems of fits: fits with the same status and reason are grouped, and so are failed candidates of the tuning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned import tuning_found
from linclass_study.files.tables import FIT
from linclass_study.statuses import FITTED, UNFITTED

#: Numbers (addresses, times, sizes) may differ between the folds of one problem.
NUMBER = re.compile(r"0x[0-9a-f]+|\d[\d.,]*(e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class FitProblem:
    """`fits` fits of these methods on these data sets have this status and reason."""

    status: str
    reason: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    fits: int


def fit_problems(fits: pl.DataFrame, statuses: Iterable[str] = UNFITTED) -> list[FitProblem]:
    """Distinct problems, in the order of `statuses`, then of data sets and methods.

    Within a run, reasons that differ only in numbers are one problem, and the first one is shown. Problems of several
    runs are joined only if their reasons are identical: first over methods, then over data sets. Exceptions of the same
    methods are one problem whatever their numbers, which are those of the data set that is named.
    """
    found: list[FitProblem] = []
    for status in statuses:
        of_run: dict[tuple[str, str, str], FitProblem] = {}
        rows = fits.filter(pl.col("status") == status).sort(FIT)
        for dataset, method, reason in rows.select("dataset", "method", "reason").iter_rows():
            text = (reason or "").strip() or "no reason was given"
            key = (dataset, method, NUMBER.sub("#", text))
            known = of_run.get(key) or FitProblem(status, text, (dataset,), (method,), 0)
            of_run[key] = replace(known, fits=known.fits + 1)
        by_method = _joined(of_run.values(), same="datasets", join="methods")
        alike = _joined(by_method, same="methods", join="datasets")
        found += _joined_without_numbers(alike) if status == "failed" else alike
    return found


def notes(fits: pl.DataFrame) -> list[FitProblem]:
    """Fits with predictions that did not converge, grouped in the same way."""
    return fit_problems(fits, FITTED[1:])


def _joined(parts: Iterable[FitProblem], same: str, join: str) -> list[FitProblem]:
    joined: dict[tuple[object, str], FitProblem] = {}
    for part in parts:
        key = (getattr(part, same), part.reason)
        if key in joined:
            known = joined[key]
            names = dict.fromkeys([*getattr(known, join), *getattr(part, join)])
            changes: dict[str, Any] = {join: tuple(names), "fits": known.fits + part.fits}
            part = replace(known, **changes)
        joined[key] = part
    return list(joined.values())


def _joined_without_numbers(parts: Iterable[FitProblem]) -> Iterator[FitProblem]:
    """Join data sets on which the same methods failed for reasons that differ only in numbers."""
    alike: dict[tuple[tuple[str, ...], str], list[FitProblem]] = {}
    for part in parts:
        alike.setdefault((part.methods, NUMBER.sub("#", part.reason)), []).append(part)
    for first, *others in alike.values():
        if others:
            every = [name for part in (first, *others) for name in part.datasets]
            reason = f"on {first.datasets[0]}: {first.reason}"
            fits = sum(part.fits for part in (first, *others))
            first = replace(first, reason=reason, datasets=tuple(dict.fromkeys(every)), fits=fits)
        yield first


FOLDER = Path("logs") / "cross_validate"


def log_of_problem(results: Path, problem: FitProblem) -> str:
    """The log of the first run that failed so, relative to the results; '' if there is none with its traceback.

    A job that runs again overwrites its log and repeats only what has changed; of the other runs it prints again what
    those with failed fits have printed (files/logs.py).
    """
    if problem.status != "failed":
        return ""
    dataset, method = problem.datasets[0], problem.methods[0]
    alone, shared = (f"{dataset}@{method}", (dataset, f"{dataset}~*", "~*"))  # of execution/jobs.py
    for name in (alone, f"{alone}@*/*", *shared):
        for log in sorted((results / FOLDER).glob(f"{name}.log")):
            text = log.read_text(encoding="utf-8", errors="replace")
            if name in shared:
                own = text.partition(f"== {dataset} × {method}\n")[2]
                text = own.partition("\n== ")[0]
            if "Traceback" in text:
                return str(log.relative_to(results))
    return ""


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
    failed = failed.with_columns(
        kind=pl.col("failure").map_elements(
            lambda reason: NUMBER.sub("#", reason), return_dtype=pl.String
        )
    )
    runs = failed.partition_by("dataset", "method", as_dict=True)
    found: dict[tuple[str, tuple[str, ...], str], FailedCandidates] = {}
    for method in outcome.methods:
        for dataset in outcome.datasets:
            for (kind,), part in runs.get((dataset, method), failed.clear()).group_by(
                "kind", maintain_order=True
            ):
                values = map(json.loads, part["value"].unique(maintain_order=True))
                candidates = tuple(
                    ", ".join(f"{name}={value}" for name, value in one.items()) for one in values
                )
                fits = part.select(FIT).n_unique()
                one = FailedCandidates(method, candidates, part["failure"][0], (dataset,), fits)
                if known := found.get((method, candidates, str(kind))):
                    datasets = (*known.datasets, dataset)
                    one = replace(known, datasets=datasets, fits=known.fits + fits)
                found[method, candidates, str(kind)] = one
    return list(found.values())
