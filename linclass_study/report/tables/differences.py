"""Differences between the best method on a data set and each other one, with tests and probabilities."""

from __future__ import annotations

from linclass.comparisons.confidence_interval import t_interval
from linclass_study.report.table import Column, Number, ReportTable
from linclass_study.results.metric_words import metric_words
from linclass_study.results.outcome import Outcome
from linclass_study.results.protocol_names import protocol_phrase
from linclass_study.results.within_dataset import comparison_within

PLACE, SECTION, PER_DATASET = 4, "dataset", True


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    if outcome.about(dataset)["status"] == "unavailable":
        return None
    found = comparison_within(outcome, dataset)
    if not found.enough:
        return None
    test, posterior = found.test, found.posterior
    low, high = t_interval(test.difference[0], test.error[0], test.n[0])
    rows = [
        [
            method,
            Number(float(test.difference[0, j]), interval=(float(low[j]), float(high[j]))),
            *(float(values[0, j]) for values in posterior),
            float(test.p[0, j]),
            float(test.adjusted[0, j]),
        ]
        for j, method in enumerate(found.methods)
        if j
    ]
    best, words, k = found.methods[0], metric_words(found.metric), len(found.methods)
    columns = [
        Column("method", "Method", "method"),
        Column(
            "ahead",
            "Ahead by",
            "number",
            f"{words} of {best} less that of the method, greater for the better",
        ),
        Column("better", "P(better)", "p", f"{best} is better by more than {found.rope:g}"),
        Column("equal", "P(equal)", "p", f"they differ by no more than {found.rope:g}"),
        Column("worse", "P(worse)", "p", f"{best} is worse by more than {found.rope:g}"),
        Column("p", "p", "p", "two-sided corrected t test of no difference"),
        Column("p_holm", "p (Holm)", "p", "with Holm’s correction over all pairs of methods"),
    ]
    pairs = k * (k - 1) // 2
    phrase = protocol_phrase(outcome.evaluation, found.protocol)
    over = f"{phrase} (n = {found.folds}, n_test/n_train = {found.ratio:.3g})"
    caption = (
        f"{best}, the best on {dataset} by mean {words}, against each other method, over the same {over}. In brackets: "
        f"95 % interval. Probabilities: Bayesian correlated t test; {found.rope:g} makes no difference in practice; "
        "each is of one method for itself. "
        f"p: corrected t test (Nadeau and Bengio), then with Holm’s correction over all {pairs} pairs of methods. "
        "Methods of which some fit did not succeed are left out."
    )
    return ReportTable(f"{best} against the others on {dataset}", caption, columns, rows)
