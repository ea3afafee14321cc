"""Differences between the best method on a data set and each other one, with tests and probabilities."""

from __future__ import annotations

from linclass.base.messages import counted
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import protocol_phrase
from linclass_study.analysis.within_dataset import ALPHA, comparison_within
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 4, "dataset", True


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    if outcome.about(dataset)["status"] == "unavailable":
        return None
    found = comparison_within(outcome, dataset)
    if not found.enough:
        return None
    test, posterior = found.against(found.methods[0]), found.posterior
    rows = [
        [
            method,
            Number(
                float(test.difference[j]),
                interval=(float(test.lower[j]), float(test.upper[j])),
                clear=bool(test.holm[j] < ALPHA),
            ),
            *(float(values[0, j]) for values in posterior),
            float(test.p[j]),
            float(test.holm[j]),
        ]
        for j, method in enumerate(found.methods)
        if j
    ]
    best, words, k = found.methods[0], metric_words(found.metric), len(found.methods)
    columns = [
        Column("method", "Method", "method"),
        Column(
            "ahead",
            "Difference",
            "number",
            f"{words} of {best} less that of the method, greater for the better",
        ),
        Column("better", "P(better)", "p", f"{best} is better by more than {found.rope:g}"),
        Column("equal", "P(equal)", "p", f"they differ by no more than {found.rope:g}"),
        Column("worse", "P(worse)", "p", f"{best} is worse by more than {found.rope:g}"),
        Column("p", "p", "p", "two-sided corrected t test of no difference"),
        Column("p_holm", "p (Holm)", "p", "with Holm’s correction over these comparisons"),
    ]
    phrase = protocol_phrase(outcome.evaluation, found.protocol)
    over = f"{phrase} (n = {found.folds}, n_test/n_train = {found.ratio:.3g})"
    caption = (
        f"{best}, the best on {dataset} by mean {words}, against each other method, over the same {over}. In brackets: "
        f"95 % interval of the paired difference; bold: significant after the correction. Probabilities: Bayesian "
        f"correlated t test with a region of practical equivalence of {found.rope:g}; each applies to one comparison "
        f"only. p: corrected t test (Nadeau and Bengio), then with Holm’s correction over "
        f"{counted(k - 1, 'comparison')}. Methods of which some fit did not succeed are left out."
    )
    return ReportTable(f"{best} against the others on {dataset}", caption, columns, rows)
