"""Compare methods across data sets: a table of scores, data sets × methods, and its statistics.

Of each group of data sets that share rows the first one with a score takes part (results/independent_datasets.py). A
method has a score on a data set if every planned fit succeeded. A missing score is treated in two ways, and both are
shown: the data set is left out, or the method counts as worst there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from linclass import metrics
from linclass.comparisons.bradley_terry_model import Ratings, bradley_terry
from linclass.comparisons.friedman_test import Friedman, friedman
from linclass.comparisons.missing_scores import leave_out_missing, missing_as_worst
from linclass.comparisons.nemenyi_test import nemenyi
from linclass.comparisons.pairwise_matrix import Pairwise, pairwise
from linclass.comparisons.ranking import ranks
from linclass_study.fit_statuses import FITTED
from linclass_study.results.independent_datasets import groups_sharing_rows
from linclass_study.results.outcome import Outcome

ALPHA = 0.05
FEW = 5  # with fewer independent data sets, tests across them have little power
PAIRED = 6  # with fewer data sets, Wilcoxon's p of a pair is at least 2/2⁵ = .0625
RESAMPLED = 6  # with fewer independent data sets, bootstrap intervals are not computed


@dataclass(frozen=True)
class ComparisonAcross:
    """`table` is (data sets, methods), greater is better; NaN where a method has no score."""

    metric: str
    datasets: list[str]
    methods: list[str]
    table: np.ndarray
    shared: tuple[
        tuple[str, ...], ...
    ] = ()  # data sets with scores of which only the first takes part
    # some missing scores are of runs that no study planned, as after a merge
    unplanned: bool = False

    @property
    def enough(self) -> bool:
        """Whether there is anything to compare."""
        return len(self.datasets) > 1 and len(self.methods) > 1

    @property
    def enough_for_intervals(self) -> bool:
        """Whether there are enough data sets for bootstrap intervals of the ratings."""
        return len(self.datasets) >= RESAMPLED

    @cached_property
    def complete(self) -> tuple[np.ndarray, list[str]]:
        """(table, names) of the data sets on which every method has a score."""
        table, rows = leave_out_missing(self.table)
        return table, [self.datasets[row] for row in rows]

    @property
    def incomplete(self) -> list[str]:
        """Methods that have no score on some data set."""
        missing = np.isnan(self.table).any(axis=0)
        return [method for method, lacks in zip(self.methods, missing, strict=True) if lacks]

    @property
    def whole(self) -> ComparisonAcross:
        """Of the methods that have a score on every data set."""
        kept = [j for j, method in enumerate(self.methods) if method not in self.incomplete]
        return replace(self, methods=[self.methods[j] for j in kept], table=self.table[:, kept])

    @cached_property
    def worst(self) -> np.ndarray:
        return missing_as_worst(self.table)

    @cached_property
    def pairs(self) -> Pairwise:
        return pairwise(self.table)

    @cached_property
    def ratings(self) -> Ratings:
        return bradley_terry(self.table)

    def treatments(self) -> dict[str, np.ndarray]:
        """Treatment of missing scores → complete table; tables with fewer than two data sets are omitted.

        The first one is that of the conclusion: leaving out, unless only that makes the data sets too few. A method is
        not the worst where nobody tried it.
        """
        if not self.enough:
            return {}
        tables = {"left out": self.complete[0], "counted as worst": self.worst}
        if len(self.complete[0]) < FEW <= len(self.table) and not self.unplanned:
            tables = dict(reversed(tables.items()))
        if not np.isnan(self.table).any():
            tables = {"complete": self.table}
        return {name: table for name, table in tables.items() if len(table) > 1}

    def friedman(self, treatment: str) -> Friedman | None:
        return friedman(self.treatments()[treatment]) if len(self.methods) > 2 else None

    def groups(self, treatment: str) -> tuple[np.ndarray, float, list[list[int]]]:
        """(average ranks, critical difference, groups of methods that do not differ significantly)."""
        found = nemenyi(self.treatments()[treatment], ALPHA)
        return found.ranks, found.critical_difference, found.groups

    def best(self, treatment: str) -> list[str]:
        """Methods with the least mean rank; several in case of a tie."""
        mean = ranks(self.treatments()[treatment]).mean(axis=0)
        return [self.methods[j] for j in np.flatnonzero(mean <= mean.min() + 1e-9)]

    def only(self, datasets: list[str]) -> ComparisonAcross:
        rows = [self.datasets.index(name) for name in datasets]
        shared = tuple(group for group in self.shared if group[0] in datasets)
        return replace(self, datasets=datasets, table=self.table[rows], shared=shared)


def comparison_across(
    outcome: Outcome, metric: str | None = None, shared: bool = False
) -> ComparisonAcross:
    """The study's table of a metric; with `shared`, data sets that share rows count individually."""
    metric = metric or outcome.metric
    known = whole_means(outcome, metric)
    scored = {dataset for dataset, _ in known}
    groups = [[d for d in group if d in scored] for group in groups_sharing_rows(outcome)]
    names = [name for group in groups for name in (group if shared else group[:1])]
    methods = [m for m in outcome.methods if any((d, m) in known for d in names)]
    datasets = [d for d in names if any((d, m) in known for m in methods)]
    sign = 1.0 if metrics.greater_is_better(metric) else -1.0
    table = np.array([[sign * known.get((d, m), np.nan) for m in methods] for d in datasets])
    counted_once = tuple(
        tuple(group) for group in groups if len(group) > 1 and group[0] in datasets and not shared
    )
    fitted = {*outcome.fits.select("dataset", "method").unique().iter_rows()}
    unplanned = any((d, m) not in fitted for d in datasets for m in methods)
    table = table.reshape(len(datasets), len(methods))
    return ComparisonAcross(metric, datasets, methods, table, counted_once, unplanned)


def whole_means(outcome: Outcome, metric: str) -> dict[tuple[str, str], float]:
    """(data set, method) → mean over the folds of the data set's main protocol, for runs in which every planned fit
    has a value."""
    pairs = [
        (d, protocol) for protocol, datasets in outcome.main_protocols.items() for d in datasets
    ]
    main = pl.DataFrame(pairs, {"dataset": pl.String, "protocol": pl.String}, orient="row")
    run = ["dataset", "method"]
    planned = (
        outcome.fits.join(main, on=main.columns, how="semi")
        .group_by(run)
        .agg(planned=pl.len(), fitted=pl.col("status").is_in(FITTED).sum())
    )
    values = (
        outcome.scores.filter(metric=metric)
        .join(main, on=main.columns, how="semi")
        .group_by(run)
        .agg(mean=pl.col("value").mean(), n=pl.len())
    )
    whole = values.join(planned, on=run).filter(
        pl.col("n") == pl.col("planned"), pl.col("fitted") == pl.col("planned")
    )
    rows = whole.select(*run, "mean").iter_rows()
    return {(d, m): mean for d, m, mean in rows if np.isfinite(mean)}
