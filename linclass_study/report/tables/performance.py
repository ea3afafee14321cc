"""Scores of every method on a data set: the main metrics, other protocols, all metrics, and differences to the best;
cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from linclass.base.messages import counted
from linclass_study.analysis.fit_problems import planned_sentence
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.within_dataset import comparison_within
from linclass_study.analysis.wording import (
    TITLES,
    best_words,
    direction_words,
    has_spread,
    metric_title,
    metric_words,
    protocol_phrase,
    units,
)
from linclass_study.files.tables import FIT
from linclass_study.protocols import CURVE, comparing_protocols, divides_test_rows, metrics_of
from linclass_study.report import method_scores
from linclass_study.report.table import Column, ReportTable
from linclass_study.report.tables import diagnostics

#: Metrics that are shown for every data set; all others are in tables/summary.csv.
FIRST_METRICS = ("accuracy", "precision", "recall", "f1", "auc", "log_loss")


def performance(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Accuracy, precision, recall, F1, AUC and log loss of every method on a data set, and statuses of its fits."""
    about = outcome.about(dataset)
    protocol = outcome.protocol(dataset)
    columns, rows = performance_table(outcome, dataset, protocol)
    scores = _raw_scores(columns, rows) if len(about["classes"]) > 2 else ""
    caption = f"{means_sentence(outcome, about, protocol)} {averages_sentence(about)}{scores}{_bayes(about)}"
    if any(column.key == "behind" for column in columns):
        caption += f" {method_scores.MARKS} {_behind(outcome)}"
    title = f"Performance on {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows, faint(rows))


def performance_table(
    outcome: Outcome, dataset: str, protocol: str, main: bool = True
) -> tuple[list[Column], list[list[Any]]]:
    """Columns and rows, best method first; `main`: with the distances to the best and to the Bayes error."""
    methods = ranking(outcome, dataset, protocol=protocol)["method"].to_list()
    fits = outcome.fits.filter(dataset=dataset, protocol=protocol)
    columns = [Column("method", "Method", "method")]
    values: list[dict[str, Any]] = [{method: method for method in methods}]
    of_metric = method_scores.scores_by_metric(outcome, dataset, FIRST_METRICS, protocol)
    columns += [Column(metric, METRICS[metric][0], "number") for metric in FIRST_METRICS]
    values += [dict(of_metric[metric]) for metric in FIRST_METRICS]
    if main and (behind := method_scores.behind_best(outcome, dataset)):
        columns.append(Column("behind", "Behind the best", "number", _behind(outcome)))
        values.append(dict(behind))
    if main and (above := method_scores.excess(outcome, dataset, protocol)):
        columns.append(Column("excess_error", "Excess error", "number"))
        values.append(dict(above))
    several = has_spread(outcome.evaluation, protocol)
    named = units(outcome.evaluation, protocol).capitalize() if several else "Fits"
    columns.append(Column("fits", named))
    statuses = {}
    for name, counts in diagnostics.counts_by_method(fits).items():  # 9/10: 1 failed
        odd = diagnostics.other_statuses(counts)
        statuses[name] = f"{diagnostics.successes(counts)}{f': {odd}' if odd else ''}"
    values.append(statuses)
    return columns, [[of_method.get(method) for of_method in values] for method in methods]


def _behind(outcome: Outcome) -> str:
    return (
        f"Behind the best: the paired difference in {metric_words(outcome.metric)} to the first method with its 95 % "
        "interval, bold if it is significant after Holm’s correction over the methods."
    )


def faint(rows: list[list[Any]]) -> frozenset[int]:
    """Rows of methods with failed fits."""
    counts = [(row[-1] or "0/0").partition(":")[0].split("/") for row in rows]
    return frozenset(i for i, (done, of) in enumerate(counts) if done != of or of == "0")


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


def other_protocols(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Performance under the other protocols: official test set, hold-outs, leave-one-out."""
    about = outcome.about(dataset)
    first, *others = comparing_protocols(outcome.evaluation, about)
    if not others:
        return None
    rows: list[list[Any]] = []
    captions = []
    several = len(others) > 1  # else the title names it
    for protocol in others:
        columns, own = performance_table(outcome, dataset, protocol, main=False)
        rows += [[row[0], *[TITLES[protocol]] * several, *row[1:]] for row in own]
        captions.append(means_sentence(outcome, about, protocol))
        if protocol == "official" and divides_test_rows(outcome.evaluation):
            captions.append(f"{TITLES[first]}, above, divides all rows, these test rows included.")
    columns[1:1] = [Column("protocol", "Protocol")] * several
    caption = " ".join([*captions, averages_sentence(about)])
    titles = " and ".join(TITLES[protocol] for protocol in others)
    title = f"{titles} of {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows, faint(rows))


#: metric → short title and description
METRICS = {
    "accuracy": ("Accuracy", "share of rows whose class is predicted"),
    "balanced_accuracy": ("Balanced accuracy", "mean recall of the classes"),
    "precision": ("Precision", "positive predictive value: right among those predicted as the class"),
    "recall": ("Recall", "sensitivity: found among those of the class"),
    "specificity": ("Specificity", "recall of the rest: not predicted among those not of the class"),
    "f1": ("F1", "harmonic mean of precision and recall"),
    "negative_predictive_value": ("NPV", "negative predictive value: right among those not predicted as the class"),
    "false_discovery_rate": ("FDR", "false discovery rate, 1 − precision; less is better"),
    "false_omission_rate": ("FOR", "false omission rate, 1 − NPV; less is better"),
    "matthews": ("Matthews", "Matthews’ correlation of prediction and truth, −1 to 1"),
    "auc": ("AUC", "area under the ROC curve"),
    "average_precision": ("Average precision", "area under the precision–recall curve, by steps"),
    "log_loss": ("Log loss", "mean of −ln p of the true class, in nats; less is better"),
    "brier": ("Brier", "mean squared error of the probabilities; less is better"),
    "calibration_error": ("Calibration error", "expected calibration error, 15 bins; on few rows mostly chance"),
    "expected_cost": ("Expected cost", "mean cost under the data set’s risk matrix; less is better"),
}  # fmt: skip


def metric_titles(evaluation: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """METRICS, then all other metrics by their names, without further averages of listed ones."""
    others = {
        name: (metric_title(name), direction_words(name))
        for name in metrics_of(evaluation)
        if name not in METRICS and not name.endswith(method_scores.AVERAGES)
    }  # fmt: skip
    return METRICS | others


def all_metrics(outcome: Outcome, dataset: str) -> ReportTable | None:
    """The table, without columns for metrics that no method has on this data set (expected cost without costs)."""
    protocol = outcome.protocol(dataset)
    known = metric_titles(outcome.evaluation)
    found = method_scores.scores_by_metric(outcome, dataset, known, protocol, intervals=True)
    for method, own in found["calibration_error"].items():  # on few rows it is mostly bias
        found["calibration_error"][method] = replace(own, best=False, clear=False)
    shown = [name for name in known if any(cell.value is not None for cell in found[name].values())]
    if not shown:
        return None
    methods = ranking(outcome, dataset, protocol=protocol)["method"].to_list()
    columns = [Column("method", "Method", "method")]
    columns += [Column(name, known[name][0], "number", known[name][1]) for name in shown]
    rows = [[method, *(found[name][method] for name in shown)] for method in methods]
    faint = frozenset(i for i, row in enumerate(rows) if row[1].partial)
    caption = _caption_of_all_metrics(outcome, dataset, protocol)
    title = f"All metrics on {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows, faint)


def _caption_of_all_metrics(outcome: Outcome, dataset: str, protocol: str) -> str:
    about = outcome.about(dataset)
    averages = (
        f"Precision, recall and the like are those of the class “{about['positive']}”."
        if len(about["classes"]) == 2
        else "Precision, recall and the like are means over the classes, each against the rest."
    )
    interval = (
        " In brackets the 95 % interval of the mean, ± t · sd · √(1/n + n_test/n_train) with t of n − 1 degrees of "
        "freedom, which allows for training sets that overlap (Nadeau and Bengio) and ends where the metric does."
    )
    means = means_sentence(outcome, about, protocol).replace("Mean ± standard deviation", "Mean")
    return (
        f"{means} {averages}{interval * has_spread(outcome.evaluation, protocol)} {method_scores.MARKS} "
        "Calibration errors have no marks: on few rows they are mostly chance, and small for a method that gives all "
        "rows the same probability. The figure of calibration says how large they would be by chance."
    )


def differences(outcome: Outcome, dataset: str) -> ReportTable | None:
    """Differences between the best method on a data set and each other one, with tests and probabilities."""
    found = comparison_within(outcome, dataset)
    if not found.enough:
        return None
    test, behind = found.against(found.methods[0]), method_scores.behind_best(outcome, dataset)
    rows, posterior = [], found.posterior([0])
    for j, method in enumerate(found.methods[1:], 1):
        chances = [float(values[0, j]) for values in posterior]
        rows.append([method, behind[method], *chances, float(test.p[j]), float(test.holm[j])])
    label, of = outcome.labels.methods, outcome.labels.datasets[dataset]
    best, words, k = label[found.methods[0]], metric_words(found.metric), len(found.methods)
    columns = [
        Column("method", "Method", "method"),
        Column("ahead", "Difference", "number", f"in {words}, positive if {best} is better"),
        Column("better", "P(better)", "p", f"{best} is better by more than {found.rope:g}"),
        Column("equal", "P(equal)", "p", f"they differ by no more than {found.rope:g}"),
        Column("worse", "P(worse)", "p", f"{best} is worse by more than {found.rope:g}"),
        Column("p", "p", "p", "two-sided corrected t test of no difference"),
        Column("p_holm", "p (Holm)", "p", "with Holm’s correction over these comparisons"),
    ]
    phrase = protocol_phrase(outcome.evaluation, found.protocol)
    over = f"{phrase} (n = {found.folds}, n_test/n_train = {found.ratio:.3g})"
    caption = (
        f"{best}, the best on {of} by mean {words}, against each other method, over the same {over}. In brackets: "
        f"95 % interval of the paired difference; bold: significant after the correction. Probabilities: Bayesian "
        f"correlated t test with a region of practical equivalence of {found.rope:g}; each applies to one comparison "
        f"only. p: corrected t test (Nadeau and Bengio), then with Holm’s correction over "
        f"{counted(k - 1, 'comparison')}. Methods with failed fits are left out."
    )
    return ReportTable(f"{best} against the others on {of}", caption, columns, rows)


#: Fits of learning curves use fewer rows, so they do not count.
WITHOUT_CURVES = ~pl.col("protocol").str.starts_with(f"{CURVE}@")


def cost(outcome: Outcome, dataset: str = "") -> ReportTable | None:
    """Cost of each method, over all data sets or on one, separately for each machine, the fastest first."""
    times, planned = outcome.times.filter(WITHOUT_CURVES), outcome.fits.filter(WITHOUT_CURVES)
    if times.is_empty():
        return None
    seconds = pl.col("fit_seconds")
    found = (
        times.join(outcome.fits.select(*FIT, "iterations"), on=list(FIT), how="left")
        .group_by("method", "machine")
        .agg(
            fits=pl.len(),
            median_fit_seconds=seconds.median(),
            fit_seconds=seconds.sum(),
            predict_seconds=pl.col("predict_seconds").sum(),
            peak_rss_mb=pl.col("peak_rss_mb").max().round(0).cast(pl.Int64),
            iterations=pl.col("iterations").median().round(0).cast(pl.Int64),
        )
        .sort("median_fit_seconds", "method")
    )
    columns = [
        Column("method", "Method", "method"),
        Column("machine", "Machine"),
        Column("fits", "Fits", "count"),
        Column("median_fit_seconds", "Median of all fits", "seconds"),
        Column("fit_seconds", "All fits", "seconds"),
        Column("predict_seconds", "All predictions", "seconds"),
        Column("peak_rss_mb", "Memory, MB", "count"),
        Column("iterations", "Median iterations", "count"),
    ]
    if outcome.times["machine"].n_unique() < 2:
        columns.pop(1)
    rows = found.select(column.key for column in columns).rows()
    fewer = (
        " What does not apply or fails is not timed, so the seconds of a method with fewer fits are of fewer data "
        "sets or folds."
    )
    curves = " Fits of learning curves, of fewer rows, are left out."
    caption = (
        f"{planned_sentence(planned)} "
        "Wall seconds of one core, tuning included; folds that were solved together share their seconds equally; "
        "memory is the largest of a process, data and libraries included; iterations are of the last fit of each fold, "
        "where the method reports them."
        f"{fewer * (found['fits'].n_unique() > 1)}{curves * (times.height < outcome.times.height)}"
    )
    words = "of every method over all data sets"
    if dataset:
        words = f"on {outcome.labels.datasets[dataset]}"
    return ReportTable(f"Seconds, memory and iterations {words}", caption, columns, rows)
