"""Compare methods across data sets: a table of scores, data sets × methods, and its statistics.

Results on the same rows with other classes, or on a part of them, are correlated: counted as two data sets, they would
understate the variance of a mean. So of each group of data sets that share rows the first one with a score takes part.
Data sets whose entries say why they are apart take no part.
A method has a score on a data set if every planned fit succeeded. Ranks, tests and ratings compare only methods with a
score on every data set (`complete_methods` of comparisons/friedman_test.py); the others are listed apart.

The study's own comparison, with its tests and the bootstrap of its ratings, is computed once and kept in
results/comparison.npz, from which figures, tables and the page read it.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from linclass.base.messages import names_and_others
from linclass.evaluation import metrics
from linclass.evaluation.comparisons.friedman_test import (
    Friedman,
    Nemenyi,
    average_ranks,
    complete_methods,
    friedman,
    indistinguishable,
    missing_as_worst,
    nemenyi,
)
from linclass.evaluation.comparisons.pairs import Pairwise, Ratings, bradley_terry, pairwise
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import main_protocol_frame, planned_fits, summarize
from linclass_study.analysis.within_dataset import ALPHA
from linclass_study.analysis.wording import metric_words
from linclass_study.files.reading import opened_npz
from linclass_study.files.tables import AND
from linclass_study.files.writing import write_npz


def groups_sharing_rows(outcome: Outcome) -> list[list[str]]:
    """Data sets of a study, in its order, grouped by shared rows."""
    path = outcome.results / "tables" / "datasets.csv"
    table = pl.read_csv(path, columns=["dataset", "shares_rows_with"], infer_schema=False)
    relatives = {name: {name, *(others or "").split(AND)} for name, others in table.iter_rows()}
    groups: dict[str, list[str]] = {}  # by the first data set of each group
    for name in outcome.datasets:
        first_of_group = next((other for other in groups if name in relatives.get(other, ())), name)
        groups.setdefault(first_of_group, []).append(name)
    return [*groups.values()]


def datasets_apart(outcome: Outcome) -> dict[str, str]:
    """Data sets that do not count in comparisons across data sets, with the reasons of their entries (`apart:`)."""
    table = pl.read_csv(outcome.results / "tables" / "datasets.csv", infer_schema=False)
    return dict(table.select("dataset", "apart").drop_nulls().iter_rows())


FILE = "comparison.npz"
# attributes of ComparisonAcross that are kept in the file
TESTS: dict[str, Any] = {"pairs": Pairwise, "ratings": Ratings}
TESTS |= {"friedman": Friedman, "nemenyi": Nemenyi}
MIN_DATA_SETS = 5  # with fewer independent data sets, tests across them have little power
PAIRED = 6  # with fewer data sets, Wilcoxon's p of a pair is at least 2/2⁵ = .0625
SHOWN = 4  # data sets that are named in a group; the others are counted
DRAWS, LEVEL = 1000, 0.95  # of bootstrap intervals
REPEATED = 0.1  # share of repeated rows above which a data set is left out in a variation
RESAMPLED = 6  # with fewer independent data sets, bootstrap intervals are not computed


@dataclass(frozen=True)
class AllScores:
    """`table` is (data sets, methods), greater is better; NaN where a method has no score."""

    metric: str
    datasets: list[str]
    methods: list[str]
    table: np.ndarray
    # groups of data sets with scores, of which only the first takes part
    shared: tuple[tuple[str, ...], ...] = ()
    # (data set, method) of runs that no study planned, as after a merge
    unplanned: frozenset[tuple[str, str]] = frozenset()

    @cached_property
    def field(self) -> ComparisonAcross:
        """Comparison of the ranked methods, those with a score on each data set."""
        return self._comparison(complete_methods(self.table) if self.table.size else [], self.table)

    @property
    def incomplete(self) -> list[str]:
        """Methods that lack a score on a data set."""
        return [method for method in self.methods if method not in self.field.methods]

    def missing_on(self, method: str) -> list[str]:
        """The data sets on which a method has no score."""
        missing = np.isnan(self.table[:, self.methods.index(method)])
        return [self.datasets[i] for i in np.flatnonzero(missing)]

    @cached_property
    def missing_worst(self) -> ComparisonAcross:
        """Comparison in which a missing score is the worst of its data set; without methods not run on all."""
        not_run = {method for _, method in self.unplanned}
        methods = [j for j, method in enumerate(self.methods) if method not in not_run]
        table = missing_as_worst(self.table) if self.methods else self.table
        return self._comparison(methods, table)

    @cached_property
    def gaps_left_out(self) -> ComparisonAcross:
        """Comparison without data sets on which a method has no score, and without methods that miss most scores."""
        has = ~np.isnan(self.table)
        methods = np.flatnonzero(2 * has.sum(axis=0) >= max(len(has), 1))
        return self._comparison(methods, self.table, has[:, methods].all(axis=1))

    def _comparison(
        self, methods: Any, table: np.ndarray, rows: np.ndarray | None = None
    ) -> ComparisonAcross:
        """Comparison of some methods (indices) on the data sets of a mask."""
        rows_kept = np.arange(len(self.datasets)) if rows is None else np.flatnonzero(rows)
        datasets = [self.datasets[i] for i in rows_kept]
        names = [self.methods[j] for j in methods]
        shared = tuple(group for group in self.shared if group[0] in datasets)
        table = table[np.ix_(rows_kept, np.asarray(methods, int))]
        return ComparisonAcross(self.metric, datasets, names, table, shared, self)


@dataclass(frozen=True)
class ComparisonAcross:
    """`table` is (data sets, methods), greater is better, without missing scores; `every` has all of them."""

    metric: str
    datasets: list[str]
    methods: list[str]
    table: np.ndarray
    shared: tuple[tuple[str, ...], ...]
    every: AllScores = field(repr=False, compare=False)

    @property
    def enough(self) -> bool:
        """Whether there is anything to compare."""
        return len(self.datasets) > 1 and len(self.methods) > 1

    @property
    def enough_for_intervals(self) -> bool:
        """Whether there are enough data sets for bootstrap intervals of the ratings."""
        return len(self.datasets) >= RESAMPLED

    @cached_property
    def pairs(self) -> Pairwise:
        return pairwise(self.table)

    @cached_property
    def ratings(self) -> Ratings:
        return bradley_terry(self.table)

    @cached_property
    def friedman(self) -> Friedman | None:
        return friedman(self.table) if len(self.methods) > 2 else None

    @cached_property
    def nemenyi(self) -> Nemenyi:
        """Mean ranks, their critical difference, and groups of methods that do not differ significantly."""
        return nemenyi(self.table, ALPHA)

    @cached_property
    def best(self) -> list[str]:
        """Methods with the least mean rank; several in case of a tie."""
        mean = average_ranks(self.table)  # without the p-values of all pairs, which are slow
        return [self.methods[j] for j in np.flatnonzero(mean <= mean.min() + 1e-9)]

    def among(self, names: Collection[str]) -> ComparisonAcross:
        """Comparison of these methods on the named data sets."""
        rows = [i for i, name in enumerate(self.datasets) if name in names]
        datasets = [self.datasets[i] for i in rows]
        shared = tuple(group for group in self.shared if group[0] in datasets)
        return replace(self, datasets=datasets, table=self.table[rows], shared=shared)

    def without(self, *names: str) -> ComparisonAcross:
        """Comparison of these methods on all but the named data sets."""
        return self.among([name for name in self.datasets if name not in names])


def bootstrap_means(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Percentile intervals of the means of columns, by a bootstrap over rows, the data sets."""
    n = len(values)
    drawn = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), size=DRAWS) @ values / n
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return low, high


def independent(base: ComparisonAcross | AllScores) -> str:
    """3 independent data sets (a and b count as one)"""
    groups = [group for group in base.shared if group[0] in base.datasets]
    notes = "; ".join(f"{names_and_others(group, SHOWN)} count as one" for group in groups)
    return f"{len(base.datasets)} independent data sets" + (f" ({notes})" if notes else "")


def comparison_across(outcome: Outcome, metric: str | None = None) -> ComparisonAcross:
    """Comparison of the ranked methods by a metric; by default by the study's own."""
    if metric not in (None, outcome.metric):
        return outcome.cached(f"across {metric}", lambda: all_scores(outcome, metric).field)
    return outcome.cached("across", lambda: _read_comparison(outcome) or all_scores(outcome).field)


def write_comparison(outcome: Outcome) -> ComparisonAcross:
    """Compare methods by the study's metric, and keep the comparison with its tests."""
    every = all_scores(outcome)
    about = {
        "of": _study_of(outcome),
        "datasets": every.datasets,
        "methods": every.methods,
        "shared": every.shared,
        "unplanned": sorted(every.unplanned),
    }
    arrays = {"about": np.array(json.dumps(about)), "table": every.table}
    for name in TESTS if every.field.enough else ():
        if (test := getattr(every.field, name)) is not None:
            values = {f"{name}.{part}": value for part, value in test._asdict().items()}
            arrays |= {key: value for key, value in values.items() if key != "nemenyi.groups"}
    write_npz(outcome.results / FILE, arrays, compressed=True)
    outcome.read["across"] = every.field
    return every.field


def _read_comparison(outcome: Outcome) -> ComparisonAcross | None:
    """The comparison in the file; None if there is none, or that of another study."""
    path = outcome.results / FILE
    if not path.exists():
        return None
    with opened_npz(path) as file:
        arrays = {name: v if v.ndim else v.item() for name, v in file.items()}
        about = json.loads(arrays["about"])
    if about["of"] != _study_of(outcome):
        return None
    shared, unplanned = (tuple(map(tuple, about[name])) for name in ("shared", "unplanned"))
    names = about["datasets"], about["methods"]
    every = AllScores(outcome.metric, *names, arrays["table"], shared, frozenset(unplanned))
    for name, kind in TESTS.items():
        prefix = f"{name}."
        test = {key.removeprefix(prefix): arrays[key] for key in arrays if key.startswith(prefix)}
        if test and kind is Nemenyi:
            test["groups"] = indistinguishable(test["ranks"], test["critical_difference"])
        if test:
            every.field.__dict__[name] = kind(**test)  # the cache of cached_property
    return every.field


def _study_of(outcome: Outcome) -> list[Any]:
    return [outcome.metric, list(outcome.datasets), list(outcome.methods)]


def all_scores(
    outcome: Outcome, metric: str | None = None, shared: bool = False, apart: bool = False
) -> AllScores:
    """The study's table of a metric. With `shared`, data sets that share rows count individually; with `apart`, data
    sets that are apart take part."""
    metric = metric or outcome.metric
    means = whole_means(outcome, metric)
    scored = {dataset for dataset, _ in means}
    if not apart:
        scored -= {*datasets_apart(outcome)}
    groups = [[d for d in group if d in scored] for group in groups_sharing_rows(outcome)]
    names = [name for group in groups for name in (group if shared else group[:1])]
    methods = [m for m in outcome.methods if any((d, m) in means for d in names)]
    datasets = [d for d in names if any((d, m) in means for m in methods)]
    sign = 1.0 if metrics.greater_is_better(metric) else -1.0
    table = np.array([[sign * means.get((d, m), np.nan) for m in methods] for d in datasets])
    several = [tuple(group) for group in groups if len(group) > 1 and not shared]
    counted_once = tuple(group for group in several if group[0] in datasets)
    planned = {*outcome.fits.select("dataset", "method").unique().iter_rows()}
    unplanned = frozenset((d, m) for d in datasets for m in methods) - planned
    table = table.reshape(len(datasets), len(methods))
    return AllScores(metric, datasets, methods, table, counted_once, unplanned)


def whole_means(outcome: Outcome, metric: str) -> dict[tuple[str, str], float]:
    """(data set, method) → mean over the folds of the data set's main protocol, for runs in which every planned fit
    has a value."""
    main, run = main_protocol_frame(outcome), ["dataset", "method"]
    planned = planned_fits(outcome.fits.join(main, on=main.columns, how="semi"), *run)
    values = summarize(outcome.scores.filter(metric=metric)).join(main, on=main.columns, how="semi")
    whole = (pl.col("n") == pl.col("planned")) & (pl.col("fitted") == pl.col("planned"))
    rows = values.join(planned, on=run).filter(whole).select(*run, "mean").iter_rows()
    return {(d, m): mean for d, m, mean in rows if np.isfinite(mean)}


OTHER_METRICS = ("accuracy", "balanced_accuracy", "f1", "auc", "matthews", "log_loss", "brier")


class Scenario(NamedTuple):
    what: str
    datasets: int
    best: tuple[str, ...]
    kept: tuple[str, ...]  # the study's best methods that are among them
    scored: bool = True  # whether one of the study's best methods has a score: without probabilities, no log loss


def steady(tried: list[Scenario]) -> list[str]:
    """Methods that are among the best in every variation in which they, or equals of them, have a score."""
    return [name for name in tried[0].best if all(name in one.kept for one in tried if one.scored)]


def scenarios(outcome: Outcome, base: ComparisonAcross) -> list[Scenario]:
    """The study's own comparison, then its variations; if methods are not ranked, as most miss scores, only the
    variations that treat missing scores otherwise."""
    ranked = base.best if base.enough else []
    variations: list[Scenario] = []

    def add(what: str, table: ComparisonAcross) -> None:
        if table.enough:
            best = tuple(table.best)
            still_best = tuple(name for name in ranked if name in best)
            scored = any(name in table.methods for name in ranked)
            variations.append(Scenario(what, len(table.datasets), best, still_best, scored))

    add(metric_words(base.metric), base)
    if base.every.incomplete:
        add("missing scores counted as worst", base.every.missing_worst)
        add("without data sets on which a method lacks a score", base.every.gaps_left_out)
    if not ranked:
        return variations
    for metric in OTHER_METRICS:
        if metric != base.metric and metric in metrics.names():
            add(f"by {metric_words(metric)}", comparison_across(outcome, metric))
    for name in base.datasets:
        add(f"without {name}", base.without(name))
    checks = {name: outcome.checks(name) for name in base.datasets}
    repeating = [
        name
        for name, facts in checks.items()
        if (facts.get("duplicated_rows") or 0) / max(facts.get("rows") or 0, 1) > REPEATED
    ]
    if repeating:
        what = f"without data sets with more than {100 * REPEATED:.0f} % repeated rows"
        add(what, base.without(*repeating))
    for what, other in (
        ("data sets that share rows counted each", all_scores(outcome, shared=True).field),
        ("with the data sets apart", all_scores(outcome, apart=True).field),
    ):
        if len(other.datasets) > len(base.datasets):
            add(what, other)
    return variations
