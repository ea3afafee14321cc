"""Methods that are excluded from the comparison on a data set or across data sets, with the reason in a few words."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from linclass_study.analysis.across_datasets import ComparisonAcross
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.files.tables import FITTED, STATUSES


class Incomplete(NamedTuple):
    """A method without a score on some of the data sets that count.

    datasets, reason    where it has none, and why
    scored              number of the data sets on which it has one
    rank, of            its mean rank of so many methods if missing scores count as worst; None if it has no score at
                        all, or was not run on each data set
    """

    method: str
    datasets: list[str]
    reason: str
    scored: int
    rank: float | None
    of: int


def incomplete_methods(outcome: Outcome, base: ComparisonAcross) -> list[Incomplete]:
    """The methods of a study that are not in the complete field, in the study's order."""
    every, worst = base.every, base.every.missing_worst
    lacking = [method for method in outcome.methods if method not in base.methods]
    if not lacking or not base.datasets:
        return []
    reasons = {name: excluded_methods(outcome.parts()[name], name) for name in base.datasets}
    found = []
    for method in lacking:
        known = method in every.methods
        datasets = every.missing_on(method) if known else base.datasets
        why: dict[str, list[str]] = {}
        for name in datasets:
            why.setdefault(reasons[name].get(method, "no finite value"), []).append(name)
        reason = "; ".join(
            words if len(why) == 1 else f"{words} on {', '.join(names)}"
            for words, names in why.items()
        )
        ranked = worst.enough and method in worst.methods
        rank = float(worst.nemenyi.ranks[worst.methods.index(method)]) if ranked else None
        scored = len(base.datasets) - len(datasets)
        found.append(Incomplete(method, datasets, reason, scored, rank, len(worst.methods)))
    return found


def excluded_methods(outcome: Outcome, dataset: str) -> dict[str, str]:
    """Method → statuses of its failed fits ('not applicable', 'failed'), or the metric without a value."""
    fits = outcome.fits.filter(dataset=dataset, protocol=outcome.protocol(dataset))
    missed = fits.filter(~pl.col("status").is_in(FITTED))
    found = {}
    for method, planned in (
        ranking(outcome, dataset).filter(~pl.col("whole")).select("method", "planned").iter_rows()
    ):
        met = {*missed.filter(method=method)["status"]}
        words = [status.replace("_", " ") for status in STATUSES if status in met]
        absent = f"no {metric_words(outcome.metric)}" if planned else "not run"
        found[method] = ", ".join(words) or absent
    return {method: found[method] for method in outcome.methods if method in found}
