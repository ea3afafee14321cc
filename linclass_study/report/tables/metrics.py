"""Every metric of every method on a data set, with corrected intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from linclass_study.analysis.metric_words import direction_words, metric_title
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import has_spread
from linclass_study.analysis.summary import ranking
from linclass_study.pipeline.own_metrics import metrics_of
from linclass_study.report import method_scores
from linclass_study.report.table import Column, ReportTable
from linclass_study.report.tables.performance import means_sentence

PLACE, SECTION, PER_DATASET = 3, "dataset", True

#: metric → short title and description
DESCRIPTIONS = {
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


#: metrics that on few rows are mostly bias, which differs from method to method
NOT_RANKED = ("calibration_error",)


def titles(evaluation: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """DESCRIPTIONS, then all other metrics by their names, without further averages of listed ones."""
    others = {
        name: (metric_title(name), direction_words(name))
        for name in metrics_of(evaluation)
        if name not in DESCRIPTIONS and not name.endswith(method_scores.AVERAGES)
    }  # fmt: skip
    return DESCRIPTIONS | others


def make(outcome: Outcome, dataset: str) -> ReportTable | None:
    """The table, without columns for metrics that no method has on this data set (expected cost without costs)."""
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return None
    protocol = outcome.protocol(dataset)
    known = titles(outcome.evaluation)
    found = method_scores.scores_by_metric(outcome, dataset, known, protocol, intervals=True)
    for name in NOT_RANKED:
        found[name] = {m: replace(own, best=False, clear=False) for m, own in found[name].items()}
    shown = [name for name in known if any(cell.value is not None for cell in found[name].values())]
    if not shown:
        return None
    methods = ranking(outcome, dataset, protocol=protocol)["method"].to_list()
    columns = [Column("method", "Method", "method")]
    columns += [Column(name, known[name][0], "number", known[name][1]) for name in shown]
    rows = [[method, *(found[name][method] for name in shown)] for method in methods]
    faint = frozenset(i for i, row in enumerate(rows) if row[1].partial)
    return ReportTable(
        f"All metrics on {dataset}", _caption(outcome, dataset, protocol), columns, rows, faint
    )


def _caption(outcome: Outcome, dataset: str, protocol: str) -> str:
    about = outcome.about(dataset)
    averages = (
        f"Precision, recall and the like are those of the class “{about['positive']}”."
        if len(about["classes"]) == 2
        else "Precision, recall and the like are means over the classes, each against the rest."
    )
    interval = (
        " In brackets the 95 % interval of the mean, ± t · sd · √(1/n + n_test/n_train) with t of n − 1 degrees of "
        "freedom, which allows for training sets that overlap (Nadeau and Bengio) and ends where the metric does."
        if has_spread(outcome.evaluation, protocol)
        else ""
    )
    means = means_sentence(outcome, about, protocol).replace(
        "Mean ± standard deviation over", "Mean over"
    )
    return (
        f"{means} {averages}{interval} {method_scores.MARKS} "
        "Calibration errors have no marks: on few rows they are mostly chance, and small for a method that gives all "
        "rows the same probability. The figure of calibration says how large they would be by chance."
    )
