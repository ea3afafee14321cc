"""The verdict of a study as plain data: results/tables/verdict.json.

Best methods with their ties, significance and power on each data set and across data sets, excluded methods, ends of
grids. The answer, the terminal and the page are sentences about these data (sentences.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from typing import Any, NamedTuple, TypeVar

import polars as pl

from linclass_study.analysis.across_datasets import (
    MIN_DATA_SETS,
    ComparisonAcross,
    comparison_across,
    independent,
)
from linclass_study.analysis.comparison_with_control import (
    Verdict,
    across,
    closest_rival,
    controls,
    focus_of,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.tuned_values import grid_ends
from linclass_study.analysis.within_dataset import ALPHA, comparison_within, rope_of
from linclass_study.analysis.wording import metric_words, protocol_phrase, status_words
from linclass_study.entries import Labels
from linclass_study.statuses import FITTED, STATUSES

T = TypeVar("T")


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


class Comparison(NamedTuple):
    """Probabilities that the best method is better than another one, equal in practice or worse; p after Holm's
    correction."""

    better: float
    equal: float
    worse: float
    p_holm: float


@dataclass(frozen=True)
class DatasetVerdict:
    """The best method of a data set.

    best                the methods that share the best mean, of those that succeeded on every fold
    methods             those that are compared, best first
    over                what means are taken over: 10 folds
    comparisons         other method → the best one against it; empty if there is nothing to compare, or one score only
    indistinguishable   methods that may be as good as the best one
    closest_rival       the best method against the one that it is better than with the least probability
    excluded            method → why it has no score of every fold
    """

    dataset: str
    available: bool
    metric: str
    best: list[str]
    mean: float | None
    sd: float | None
    methods: list[str]
    over: str
    folds: int
    ratio: float
    rope: float
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    indistinguishable: list[str] = field(default_factory=list)
    closest_rival: Verdict | None = None
    excluded: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ControlVerdict:
    """A method against all others across data sets, by the test that decides.

    test               wilcoxon, ranks or nemenyi
    comparisons        number of tests that p is corrected for: those with the other methods or, if the method was
                       chosen as the best by the same scores, all pairs
    next               the best of the other methods by mean rank, if the difference to it is not significant
    datasets_needed    number of data sets like these that would make it so; None if that takes too many
    """

    method: str
    better_than: list[str]
    worse_than: list[str]
    undecided: list[str]
    test: str
    comparisons: int
    next: str | None = None
    datasets_needed: int | None = None


@dataclass(frozen=True)
class StudyVerdict:
    """The whole study; `ranking` is about the best method, None if methods are not ranked, for the reason `not_ranked`.

    over            the independent data sets in words
    controls        the focus, or the best method and the baseline, against all others
    incomplete      methods that are not ranked because they lack scores, if others are ranked
    first_anyway    incomplete methods that would be first with either treatment of missing scores
    grid_ends       method → sentence about the end of a grid or path that it chose
    """

    metric: str
    datasets: list[DatasetVerdict]
    over: str
    best: list[str]
    ranked: list[str]
    ranking: ControlVerdict | None
    not_ranked: str
    controls: list[ControlVerdict]
    incomplete: list[Incomplete]
    first_anyway: list[str]
    focus: list[str]
    tuned: int
    grid_ends: dict[str, str]


def study_verdict(outcome: Outcome) -> StudyVerdict:
    base = comparison_across(outcome)
    every, worst, without = base.every, base.every.missing_worst, base.every.gaps_left_out
    why_not = no_ranking(base)
    ranked, first = base.enough, base.best if base.enough else []
    incomplete, anyway = [], []
    if len(base.datasets) >= MIN_DATA_SETS and len(every.methods) >= 2:
        incomplete = incomplete_methods(outcome, base)
    if incomplete and ranked and worst.enough and without.enough:
        anyway = [name for name in worst.best if name in without.best]
    against = (control_verdict(outcome, base, name) for name in controls(outcome, base))
    return StudyVerdict(
        metric=outcome.metric,
        datasets=[dataset_verdict(part, name) for name, part in outcome.parts().items()],
        over=independent(base),
        best=first,
        ranked=base.methods,
        ranking=control_verdict(outcome, base, first[0]) if ranked and not why_not else None,
        not_ranked=why_not,
        controls=[one for one in against if one is not None],
        incomplete=incomplete,
        first_anyway=[] if {*anyway} & {*first} else anyway,
        focus=focus_of(outcome),
        tuned=sum(bool(entry.get("tune")) for entry in outcome.methods.values()),
        grid_ends=grid_ends(outcome),
    )


# fields with names of methods
OF_METHODS = {
    *("best", "ranked", "methods", "comparisons", "indistinguishable", "excluded", "first_anyway"),
    *("focus", "method", "better_than", "worse_than", "undecided", "next", "grid_ends", "control"),
    "other",
}
OF_DATASETS = {"dataset", "datasets"}


def labelled(verdict: T, labels: Labels) -> T:
    """A copy of the verdict with labels instead of names, for sentences."""

    def shown(value: Any, names: Mapping[str, str]) -> Any:
        if isinstance(value, str):
            return names.get(value, value)
        if isinstance(value, dict):
            return {names.get(key, key): shown(each, {}) for key, each in value.items()}
        if isinstance(value, list):
            return [shown(each, names) for each in value]
        if is_dataclass(value) or hasattr(value, "_fields"):
            return labelled(value, labels)
        return value

    names = dict.fromkeys(OF_METHODS, labels.methods) | dict.fromkeys(OF_DATASETS, labels.datasets)
    fields = getattr(verdict, "_fields", None) or verdict.__dataclass_fields__  # type: ignore[attr-defined]
    shown_fields = {name: shown(getattr(verdict, name), names.get(name, {})) for name in fields}
    return type(verdict)(**shown_fields)


def no_ranking(base: ComparisonAcross) -> str:
    """Why methods are not ranked: too few have a score on every data set, or data sets are too few; empty if they are
    ranked, or if less than two methods or data sets have any score."""
    every = base.every
    if min(every.table.shape) < 2:
        return ""
    if len(base.methods) < 2:
        only = f"Only {base.methods[0]} has" if base.methods else "No method has"
        return (
            f"{only} a score on every one of {independent(every)}, so methods are not ranked; tables/sensitivity.csv "
            "has the best ones with missing scores as worst, and without the data sets that lack scores."
        )
    if len(base.datasets) >= MIN_DATA_SETS:
        return ""
    return f"{independent(base)} are too few to rank methods. A conclusion needs at least {MIN_DATA_SETS}."


def dataset_verdict(outcome: Outcome, dataset: str) -> DatasetVerdict:
    return outcome.cached(f"verdict {dataset}", lambda: _dataset_verdict(outcome, dataset))


def _dataset_verdict(outcome: Outcome, dataset: str) -> DatasetVerdict:
    result = comparison_within(outcome, dataset)
    whole = ranking(outcome, dataset).filter("whole")
    best, mean, sd = [], None, None
    if whole.height:
        mean, sd = whole.select("mean", "sd").row(0)
        best = whole["method"].filter((whole["mean"] - mean).abs() < 1e-12).to_list()
    comparisons = {}
    if result.enough:
        holm = result.against(result.methods[0]).holm
        better, equal, worse = (part[0].tolist() for part in result.posterior([0]))
        comparisons = {
            name: Comparison(better[j], equal[j], worse[j], float(holm[j]))
            for j, name in enumerate(result.methods)
            if j
        }
    return DatasetVerdict(
        dataset,
        outcome.about(dataset)["status"] != "unavailable",
        outcome.metric,
        best,
        mean,
        sd,
        result.methods,
        protocol_phrase(outcome.evaluation, result.protocol),
        result.folds,
        result.ratio,
        rope_of(outcome.evaluation),
        comparisons,
        result.rivals if result.enough else [],
        closest_rival(outcome, dataset),
        excluded_methods(outcome, dataset),
    )


def control_verdict(outcome: Outcome, base: ComparisonAcross, method: str) -> ControlVerdict | None:
    result = across(outcome, base, method)
    if result is None or not result.others:
        return None
    by_verdict = result.by_verdict()
    better, worse, undecided = (by_verdict[word] for word in ("better", "worse", "open"))
    verdict = ControlVerdict(method, better, worse, undecided, result.test, result.comparisons)
    j = result.next_by_rank if result.enough else None
    if j is None or result.adjusted[j] < ALPHA or {method, result.others[j]} <= {*base.best}:
        return verdict
    return replace(verdict, next=result.others[j], datasets_needed=result.datasets_needed()[j])


def incomplete_methods(outcome: Outcome, base: ComparisonAcross) -> list[Incomplete]:
    """The methods of a study that are not in the complete field, in the study's order."""
    every, worst = base.every, base.every.missing_worst
    lacking = [method for method in outcome.methods if method not in base.methods]
    if not lacking or not base.datasets:
        return []
    reasons = {name: excluded_methods(outcome.parts()[name], name) for name in base.datasets}
    incomplete = []
    for method in lacking:
        has_scores = method in every.methods
        datasets = every.missing_on(method) if has_scores else base.datasets
        places: dict[str, list[str]] = {}
        for name in datasets:
            places.setdefault(reasons[name][method], []).append(name)
        reason = "; ".join(
            words if len(places) == 1 else f"{words} on {', '.join(names)}"
            for words, names in places.items()
        )
        ranked = worst.enough and method in worst.methods
        rank = float(worst.nemenyi.ranks[worst.methods.index(method)]) if ranked else None
        scored = len(base.datasets) - len(datasets)
        incomplete.append(Incomplete(method, datasets, reason, scored, rank, len(worst.methods)))
    return incomplete


def excluded_methods(outcome: Outcome, dataset: str) -> dict[str, str]:
    """Method → statuses of its failed fits ('not applicable', 'failed'), or the metric without a value."""
    fits = outcome.fits.filter(dataset=dataset, protocol=outcome.protocol(dataset))
    missed = fits.filter(~pl.col("status").is_in(FITTED))
    reasons = {}
    excluded = ranking(outcome, dataset).filter(~pl.col("whole"))
    for method, planned, n in excluded.select("method", "planned", "n").iter_rows():
        met = {*missed.filter(method=method)["status"]}
        words = [status_words(status) for status in STATUSES if status in met]
        finite = "finite " * (n == planned)
        absent = f"no {finite}{metric_words(outcome.metric)}" if planned else "not run"
        reasons[method] = ", ".join(words) or absent
    return {method: reasons[method] for method in outcome.methods if method in reasons}
