"""The answer: the focus of the study, the best method of each data set, and all methods on all data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from linclass.evaluation.comparisons.bayesian import bayesian_signed_rank
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.comparison_with_control import (
    Across,
    across,
    cost_ratio,
    cost_ratios,
    focus_of,
    verdicts,
)
from linclass_study.analysis.outcome import Outcome, median_seconds
from linclass_study.analysis.sentences import confidence
from linclass_study.analysis.verdict import dataset_verdict
from linclass_study.analysis.within_dataset import ALPHA, SURE, rope_of
from linclass_study.analysis.wording import (
    best_words,
    direction_words,
    metric_title,
    metric_words,
    units,
)
from linclass_study.report import method_scores
from linclass_study.report.method_scores import behind_best
from linclass_study.report.table import Column, Number, ReportTable, make_table
from linclass_study.report.tables import diagnostics

ALL_DATASETS = "all data sets"
SAME_PREDICTIONS = "same predictions"  # nothing to decide


def focus(outcome: Outcome) -> ReportTable | None:
    """Every other method against the focus of the study: across data sets, then on each data set."""
    names = focus_of(outcome)
    if not names:
        return None
    base, rope = comparison_across(outcome), rope_of(outcome.evaluation)
    rows = []
    for name in names:
        found = across(outcome, base, name)
        if found is not None and found.n > 1 and found.others:
            rows += [*_focus_across(outcome, found)]
        rows += [*_focus_on_datasets(outcome, name)]
    words = metric_words(outcome.metric)
    columns = [
        Column("method", "Method", "method"),
        Column("focus", "Focus", "method", folded=len(names) == 1),
        Column("dataset", "On", "dataset"),
        Column("difference", "Method − focus", "number", f"in {words}, positive if the method is better"),
        Column("better", "P(better)", "p", f"the method is better by more than {rope:g}"),
        Column("equal", "P(equal)", "p", f"they differ by at most {rope:g}"),
        Column("worse", "P(worse)", "p", f"the method is worse by more than {rope:g}"),
        Column("p", "p", "p", "without correction", folded=True),
        Column("p_holm", "p (Holm)", "p", "with Holm’s correction over the other methods"),
        Column("won", "Method won", "count", f"data sets on which the method is better by more than {rope:g}"),
        Column("tied", "Tied", "count", f"data sets on which they differ by at most {rope:g}"),
        Column("lost", "Method lost", "count", f"data sets on which the method is worse by more than {rope:g}"),
        Column("cost_ratio", "Fit time, method / focus", "ratio", "fit time of the method over that of the focus"),
        Column("decides", "What would decide", "text", "if the observed difference is the true one"),
    ]  # fmt: skip
    caption = (
        f"Difference in {words}, with the 95 % interval of the paired difference on a data set, which allows for "
        "overlapping training sets (Nadeau and Bengio, 2003); bold: significant after Holm’s correction over the other "
        "methods. Probabilities: Bayesian correlated t test on a data set, Bayesian signed-rank test across data sets, "
        f"with a region of practical equivalence of {rope:g}, within which a data set is a tie. p: corrected t test on "
        "a data set; across data sets Wilcoxon’s signed-rank test, or mean ranks where that cannot be significant. On "
        f"a data set, a probability of at least {SURE:g} decides. tables/control.csv has the other corrections."
    )
    title = " and ".join(outcome.labels.methods[name] for name in names)
    return ReportTable(f"Every other method against {title}", caption, columns, rows)


def _focus_across(outcome: Outcome, found: Across) -> Iterator[list[Any]]:
    ratios, needed = cost_ratios(outcome, found), found.datasets_needed()
    copies: dict[str, set[str]] = {other: set() for other in found.others}
    for one in verdicts(outcome, found.control):
        if one.same and one.other in copies:
            copies[one.other].add(one.dataset)
    for j, other in enumerate(found.others):
        chances = bayesian_signed_rank(found.table[:, [0, j + 1]], found.rope)
        p, holm = float(found.deciding.p[j]), float(found.adjusted[j])
        more = "" if not found.enough or needed[j] is None else f"about {needed[j]} data sets"
        if copies[other] == {*found.datasets}:
            more = SAME_PREDICTIONS
        clear = bool(found.significant[j] * found.difference[j] > 0)
        row = [other, found.control, ALL_DATASETS, Number(0.0 - found.difference[j], clear=clear)]
        row += [float(part[1, 0]) for part in chances]
        yield [*row, p, holm, *map(int, reversed(found.won_tied_lost[j])), ratios[j], more]


def _focus_on_datasets(outcome: Outcome, name: str) -> Iterator[list[Any]]:
    seconds = median_seconds(outcome.times)
    for one in verdicts(outcome, name):
        more = SAME_PREDICTIONS * one.same
        if one.repeats is not None:
            more = f"repeats: {one.repeats.repeats}" if one.repeats.decide else "more rows"
        clear = one.holm is not None and one.holm < ALPHA
        interval = one.interval and (0.0 - one.interval[1], 0.0 - one.interval[0])
        difference = Number(0.0 - one.difference, interval=interval, clear=clear)
        ratio = cost_ratio(seconds, [one.dataset], one.other, name)
        nothing = (None,) * 3  # of won, tied and lost, or of probabilities
        row = [one.other, name, one.dataset, difference, *reversed(one.probabilities or nothing)]
        yield [*row, one.p, one.holm, *nothing, ratio, more]


def best_methods(outcome: Outcome) -> ReportTable:
    """The best method of each data set, and the certainty of that result."""
    mean, direction = best_words(outcome.metric, "mean "), direction_words(outcome.metric)
    columns = [
        Column("dataset", "Data set", "dataset"),
        Column("best", "Best method", "method", names=2),
        Column("sure", "Confidence"),
        Column(outcome.metric, metric_title(outcome.metric), "number", direction.capitalize()),
        Column("next", "Next best", "method", "The best of the other means"),
        Column("ahead", "Difference", "number", "Paired difference to the next best method, with its 95 % interval"),
        Column("ended", "Fit status"),
        Column("absent", "Excluded (incomplete folds)", "method", "Methods without a score of every fold"),
    ]  # fmt: skip
    rows = [_best_method(own, dataset) for dataset, own in outcome.parts().items()]
    over, rope = units(outcome.evaluation, *outcome.main_protocols), rope_of(outcome.evaluation)
    caption = (
        f"The {mean} ± the standard deviation over {over}. Only methods that succeeded on all {over} compete. All "
        f"others are indistinguishable from the best, except those that it beats by more than {rope:g}, all of them at "
        f"once, with a probability of at least {SURE:g}: the complementary probabilities sum to at most {1 - SURE:g} "
        "(Bayesian correlated t test, union bound). In brackets: 95 % interval of the paired difference, which allows "
        "for overlapping training sets; bold: significant after Holm’s correction over all other methods."
    )
    optional = ("next", "ahead", "ended", "absent")  # columns that are omitted if empty
    used = [
        j for j, c in enumerate(columns) if c.key not in optional or any(row[j] for row in rows)
    ]
    columns, rows = [columns[j] for j in used], [[row[j] for j in used] for row in rows]
    return ReportTable("The best method of each data set", caption, columns, rows)


def _best_method(outcome: Outcome, dataset: str) -> list[object]:
    verdict = dataset_verdict(outcome, dataset)
    if not verdict.best:
        return [dataset, [], "no method succeeded on every fold", None, None, None, "", []]
    shared = f"{len(verdict.best)} share the best mean; " if len(verdict.best) > 1 else ""
    behind = behind_best(outcome, dataset)
    follower = next((name for name in verdict.methods if name not in verdict.best), None)
    protocol = outcome.protocol(dataset)
    fits = outcome.fits.filter(dataset=dataset, method=verdict.best[0], protocol=protocol)
    odd = diagnostics.other_statuses(diagnostics.counts_by_method(fits)[verdict.best[0]])
    return [
        dataset,
        verdict.best,
        f"{shared}{confidence(verdict)}",
        Number(verdict.mean, verdict.sd),
        follower,
        behind.get(follower) if follower else None,
        f"{odd} of {fits.height}" if odd else "",
        list(verdict.excluded),
    ]


def all_methods(outcome: Outcome) -> ReportTable | None:
    """All methods on all data sets, by the study's metric; scripts show the others."""
    if len(outcome.datasets) < 2:
        return None
    columns = [Column("method", "Method", "method")]
    columns += [Column(name, name, "number") for name in outcome.datasets]
    cells = {
        dataset: method_scores.scores_by_metric(own, dataset, [outcome.metric])[outcome.metric]
        for dataset, own in outcome.parts().items()
    }
    rows = [
        [method, *(cells[dataset][method] for dataset in outcome.datasets)]
        for method in outcome.methods
    ]
    over = units(outcome.evaluation, *outcome.main_protocols)
    caption = f"Mean ± standard deviation over {over}. {method_scores.MARKS}"
    title = f"All methods on all data sets, by {metric_words(outcome.metric)}"
    return ReportTable(title, caption, columns, rows)


def all_methods_in_print(outcome: Outcome) -> ReportTable | None:
    """`all_methods` with marks of significance against the focus, or else the best; a row a data set, if data sets
    outnumber methods."""
    table = make_table(outcome, "compared")
    if table is None:
        return None
    marks, control = _significance(outcome)
    numbers: dict[tuple[str, str], Number] = {}
    for method, *row in table.rows:
        for dataset, number in zip(outcome.datasets, row, strict=True):
            run = method, dataset
            numbers[run] = replace(number, clear=number.best, best=False, mark=marks.get(run, ""))
    over = units(outcome.evaluation, *outcome.main_protocols)
    signs = {"+": "significantly better", "-": "significantly worse"}
    found = [sign for sign in signs if sign in marks.values()]
    caption = (
        f"Mean ± standard deviation over {over}; bold: the best on a data set"
        + "".join(f"; {sign.replace('-', '−')}: {signs[sign]} than {control}" for sign in found)
        + " (corrected t test, Holm’s correction over the methods)" * bool(found)
        + "; in parentheses: of some folds only" * any(n.partial for n in numbers.values())
        + "."
    )
    columns, names = list(table.columns), list(outcome.methods)
    rows: list[list[Any]] = [[m, *(numbers[m, d] for d in outcome.datasets)] for m in names]
    if len(outcome.datasets) > len(names):
        ends = columns[0].marked
        columns = [Column(name, name, "number", marked=ends) for name in names]
        columns.insert(0, Column("dataset", "Data set", "dataset"))
        rows = [[d, *(numbers[m, d] for m in names)] for d in outcome.datasets]
    return replace(table, caption=caption, columns=columns, rows=rows)


def _significance(outcome: Outcome) -> tuple[dict[tuple[str, str], str], str]:
    """(method, data set) → + or −, against the focus or else the best on the data set; and the words for that one."""
    if names := focus_of(outcome):
        marks = {
            (one.other, one.dataset): "-" if one.difference > 0 else "+"
            for one in verdicts(outcome, names[0])
            if one.holm is not None and one.holm < ALPHA
        }
        return marks, outcome.labels.methods[names[0]]
    marks = {
        (method, dataset): "-"
        for dataset, own in outcome.parts().items()
        for method, number in behind_best(own, dataset).items()
        if number.clear
    }
    return marks, "the best"
