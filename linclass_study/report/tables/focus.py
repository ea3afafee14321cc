"""The focus of the study against every other method: across data sets, then on each data set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linclass.evaluation.comparisons.bayesian_signed_rank_test import bayesian_signed_rank
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.controls import (
    Across,
    across,
    cost_ratio,
    cost_ratios,
    focus_of,
    verdicts,
)
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.power import short
from linclass_study.analysis.times import median_seconds
from linclass_study.analysis.within_dataset import ALPHA, SURE, rope_of
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 1, "focus", False

EVERY = "all data sets"
SAME = "same predictions"  # nothing to decide


def make(outcome: Outcome) -> ReportTable | None:
    names = focus_of(outcome)
    if not names:
        return None
    base, rope = comparison_across(outcome), rope_of(outcome.evaluation)
    rows = []
    for name in names:
        found = across(outcome, base, name)
        if found is not None and found.n > 1 and found.others:
            rows += [*_across(outcome, found)]
        rows += [*_on_datasets(outcome, name)]
    words = metric_words(outcome.metric)
    columns = [
        Column("focus", "Focus", "method"),
        Column("method", "Against", "method"),
        Column("dataset", "On", "dataset"),
        Column("difference", "Difference", "number", f"in {words}, positive if the focus is better"),
        Column("better", "P(better)", "p", f"the focus is better by more than {rope:g}"),
        Column("equal", "P(equal)", "p", f"they differ by at most {rope:g}"),
        Column("worse", "P(worse)", "p", f"the focus is worse by more than {rope:g}"),
        Column("p", "p", "p", "without correction"),
        Column("p_holm", "p (Holm)", "p", "with Holm’s correction over the other methods"),
        Column("won", "Won", "count", f"data sets on which the focus is better by more than {rope:g}"),
        Column("tied", "Tied", "count", f"data sets on which they differ by at most {rope:g}"),
        Column("lost", "Lost", "count", f"data sets on which the focus is worse by more than {rope:g}"),
        Column("cost_ratio", "Cost ratio", "number", "seconds of a fit of the focus over those of the method"),
        Column("decides", "What would decide", "text", "of an undecided comparison, if the difference stays"),
    ]  # fmt: skip
    caption = (
        f"Difference in {words}, with the 95 % interval of the paired difference on a data set, which allows for "
        "overlapping training sets (Nadeau and Bengio, 2003); bold: significant after Holm’s correction over the other "
        "methods. Probabilities: Bayesian correlated t test on a data set, Bayesian signed-rank test across data sets, "
        f"with a region of practical equivalence of {rope:g}, within which a data set is a tie. p: corrected t test on "
        "a data set; across data sets Wilcoxon’s signed-rank test, or mean ranks where that cannot be significant. On "
        f"a data set, a probability of at least {SURE:g} decides. tables/control.csv has the other corrections."
    )
    return ReportTable(f"{' and '.join(names)} against every other method", caption, columns, rows)


def _across(outcome: Outcome, found: Across) -> Iterator[list[Any]]:
    ratios, needed = cost_ratios(outcome, found), found.datasets_needed()
    copies: dict[str, set[str]] = {other: set() for other in found.others}
    for one in verdicts(outcome, found.control):
        if one.same and one.other in copies:
            copies[one.other].add(one.dataset)
    for j, other in enumerate(found.others):
        chances = bayesian_signed_rank(found.table[:, [0, j + 1]], found.rope)
        p, holm = float(found.deciding.p[j]), float(found.deciding.holm[j])
        more = "" if not found.enough or needed[j] is None else f"about {needed[j]} data sets"
        if copies[other] == {*found.datasets}:
            more = SAME
        yield [
            found.control,
            other,
            EVERY,
            Number(
                float(found.difference[j]),
                clear=bool(found.significant[j] * found.difference[j] > 0),
            ),
            *(float(part[0, 1]) for part in chances),
            p,
            holm,
            *(int(count) for count in found.won_tied_lost[j]),
            ratios[j],
            more,
        ]


def _on_datasets(outcome: Outcome, name: str) -> Iterator[list[Any]]:
    seconds = median_seconds(outcome.times)
    for one in verdicts(outcome, name):
        more = SAME * one.same
        if one.repeats is not None:
            more = f"repeats: {one.repeats.repeats} (±{short(one.repeats.then)})"
            if not one.repeats.decide:
                more = f"more rows; repeats leave ±{short(one.repeats.least)}"
        yield [
            name,
            one.other,
            one.dataset,
            Number(one.difference, interval=one.interval, clear=one.holm is not None and one.holm < ALPHA),
            *(one.probabilities or (None,) * 3),
            one.p,
            one.holm,
            None,
            None,
            None,
            cost_ratio(seconds, [one.dataset], name, one.other),
            more,
        ]  # fmt: skip
