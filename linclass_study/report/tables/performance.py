"""Accuracy, precision, recall, F1, AUC and log loss of every method on a data set, and statuses of its fits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass_study.analysis.metric_words import best_words, metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import has_spread, protocol_phrase, units
from linclass_study.analysis.summary import ranking
from linclass_study.pipeline.protocols import divides_test_rows
from linclass_study.report import method_scores
from linclass_study.report.table import Column, ReportTable
from linclass_study.report.tables import endings

PLACE, SECTION, PER_DATASET, OPEN = 1, "dataset", True, True

#: Metric → title of its column. They are shown for every data set; all others are in tables/summary.csv.
COLUMN_TITLES = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auc": "AUC",
    "log_loss": "Log loss",
}


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return None
    protocol = outcome.protocol(dataset)
    columns, rows = performance_table(outcome, dataset, protocol)
    scores = _raw_scores(columns, rows) if len(about["classes"]) > 2 else ""
    caption = f"{means_sentence(outcome, about, protocol)} {averages_sentence(about)}{scores}{_bayes(about)}"
    if any(column.key == "behind" for column in columns):
        caption += f" {method_scores.MARKS} {_behind(outcome)}"
    return ReportTable(f"Performance on {dataset}", caption, columns, rows, faint(rows))


def performance_table(
    outcome: Outcome, dataset: str, protocol: str, main: bool = True
) -> tuple[list[Column], list[list[Any]]]:
    """Columns and rows, best method first; `main`: with the distances to the best and to the Bayes error."""
    methods = ranking(outcome, dataset, protocol=protocol)["method"].to_list()
    fits = outcome.fits.filter(dataset=dataset, protocol=protocol)
    columns = [Column("method", "Method", "method")]
    values: list[dict[str, Any]] = [{method: method for method in methods}]
    of_metric = method_scores.scores_by_metric(outcome, dataset, COLUMN_TITLES, protocol)
    columns += [Column(metric, title, "number") for metric, title in COLUMN_TITLES.items()]
    values += [dict(of_metric[metric]) for metric in COLUMN_TITLES]
    above = method_scores.excess(outcome, dataset, protocol) if main else {}
    behind = method_scores.behind_best(outcome, dataset) if main else {}
    if behind:
        columns.append(Column("behind", "Behind the best", "number", _behind(outcome)))
        values.append(dict(behind))
    if above:
        columns.append(Column("excess_error", "Excess error", "number"))
        values.append(dict(above))
    named = units(outcome.evaluation, protocol).capitalize()
    several = named if has_spread(outcome.evaluation, protocol) else "Fits"
    columns.append(Column("fits", several))
    counts = endings.counts_by_method(fits)
    values.append({name: _ended(of_method) for name, of_method in counts.items()})
    return columns, [[of_method.get(method) for of_method in values] for method in methods]


def _behind(outcome: Outcome) -> str:
    return (
        f"Behind the best: the paired difference in {metric_words(outcome.metric)} to the first method with its 95 % "
        "interval, bold if it is significant after Holm’s correction over the methods."
    )


def faint(rows: list[list[Any]]) -> frozenset[int]:
    """Rows of methods with failed fits."""
    counts = [(row[-1] or "0/0").partition(":")[0].split("/") for row in rows]
    return frozenset(
        i for i, (done, planned) in enumerate(counts) if done != planned or planned == "0"
    )


def means_sentence(outcome: Outcome, about: dict[str, Any], protocol: str) -> str:
    """A sentence for the caption about the means of a protocol."""
    words = best_words(outcome.metric)
    divided = ""
    if about["test_rows"] and not divides_test_rows(outcome.evaluation):
        divided = f" of the {about['rows'] - about['test_rows']:,} training rows"
    if protocol == "official":
        return (
            f"One fit on the data set’s own training rows ({about['rows'] - about['test_rows']:,}), judged on its own "
            f"test rows ({about['test_rows']:,})."
        )
    if protocol == "leave_one_out":
        one = "group" if about.get("groups") else "row"
        return (
            f"Each {one}{divided} is predicted by the model of all others, {words} first; there is one value for all "
            "rows, and so no spread."
        )
    spread = "Mean ± standard deviation over " if has_spread(outcome.evaluation, protocol) else ""
    sentence = f"{spread}{protocol_phrase(outcome.evaluation, protocol)}{divided}, {words} first."
    return sentence[0].upper() + sentence[1:]


def averages_sentence(about: dict[str, Any]) -> str:
    if len(about["classes"]) == 2:
        return f"Precision, recall, F1 and AUC are those of the class “{about['positive']}”."
    return (
        "Precision, recall and F1 are macro averages over the classes, AUC the mean of each class "
        "against the rest."
    )


def _raw_scores(columns: list[Column], rows: list[list[Any]]) -> str:
    """Why the AUC of methods without probabilities may be low although their predictions are good."""
    auc, log_loss = ([c.key for c in columns].index(key) for key in ("auc", "log_loss"))
    if not any(row[auc].value is not None and row[log_loss].value is None for row in rows):
        return ""
    return (
        " Methods without a log loss have no probabilities: their AUC ranks raw scores across rows, which for more "
        "than two classes says less, as a row’s class depends on differences between its scores, not on their level."
    )


def _bayes(about: dict[str, Any]) -> str:
    bayes = about.get("bayes_error")
    if not bayes:
        return ""
    within = f" (integrated, ± {bayes['within']:.0e})" if bayes["within"] else ""
    return (
        f" No classifier errs less often than in {bayes['value']:.4f} of all rows of this distribution, the Bayes "
        f"error{within}. The excess error is by how much a method’s error over the folds is above it, ± its standard "
        "error; what is below it is chance."
    )


def _ended(counts: Mapping[str, int]) -> str:
    """9/10: 1 failed"""
    odd = endings.other_statuses(counts)
    return f"{endings.successes(counts)}{f': {odd}' if odd else ''}"
