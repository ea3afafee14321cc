"""All methods on all data sets, by any metric."""

from __future__ import annotations

from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.protocol_names import units
from linclass_study.pipeline.own_metrics import metrics_of
from linclass_study.report import method_scores
from linclass_study.report.table import Column, Number, ReportTable

PLACE, SECTION, PER_DATASET = 2, "answer", False


def make(outcome: Outcome) -> ReportTable | None:
    if len(outcome.datasets) < 2:
        return None
    columns = [Column("method", "Method", "method")]
    columns += [Column(name, name, "number") for name in outcome.datasets]
    names = [
        name for name in metrics_of(outcome.evaluation) if not name.endswith(method_scores.AVERAGES)
    ]
    names = [outcome.metric, *(name for name in names if name != outcome.metric)]
    cells = {
        dataset: method_scores.scores_by_metric(own, dataset, names)
        for dataset, own in outcome.parts().items()
    }
    choices = {
        metric_words(metric): [
            [method, *(cells[dataset][metric][method] for dataset in outcome.datasets)]
            for method in outcome.methods
        ]
        for metric in names
    }
    words = metric_words(outcome.metric)
    behind = {name: method_scores.behind_best(own, name) for name, own in outcome.parts().items()}
    if any(behind.values()):
        missing = Number(None)
        choices[f"{words} behind the best"] = [
            [method, *(behind[dataset].get(method, missing) for dataset in outcome.datasets)]
            for method in outcome.methods
        ]
    over = units(outcome.evaluation, *outcome.main_protocols)
    caption = f"Mean ± standard deviation over {over}. {method_scores.MARKS}"
    if any(behind.values()):
        caption += (
            f" “{words} behind the best” has the paired differences to the best of each data set with their 95 % "
            "intervals, bold where they are significant after Holm’s correction over the methods. A difference that "
            "varies less from fold to fold has a narrower interval, so a better mean may have the wider one."
        )
    title = f"All methods on all data sets, by {words}"
    return ReportTable(title, caption, columns, choices[words], choices=choices)
