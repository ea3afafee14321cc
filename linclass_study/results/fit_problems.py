"""What did not work, said once: fits that ended alike, for the same reason, are one problem."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from linclass_study.results.outcome import FIT, FITTED, UNFITTED

#: Addresses, times and sizes differ between the folds of one problem.
NUMBER = re.compile(r"0x[0-9a-f]+|\d[\d.,]*(e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class FitProblem:
    """`fits` fits of these methods on these data sets ended with `status`, because of `reason`."""

    status: str
    reason: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    fits: int


def fit_problems(fits: pl.DataFrame, statuses: Iterable[str] = UNFITTED) -> list[FitProblem]:
    """Distinct problems, in the order of `statuses`, then of data sets and methods.

    Within a run, reasons that differ in their numbers alone are one (the first is shown). Runs
    are joined only when the reason is the same to the letter: first the methods of one data set,
    then data sets with the same methods.
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
        found += _joined(by_method, same="methods", join="datasets")
    return found


def notes(fits: pl.DataFrame) -> list[FitProblem]:
    """Fits that gave predictions and are still not what was asked for: not converged, and why."""
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
