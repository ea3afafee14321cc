"""The best method of each data set, and the certainty of that result."""

from __future__ import annotations

from linclass_study.analysis.excluded_methods import excluded_methods
from linclass_study.analysis.metric_words import best_words, direction_words, metric_title
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.plain_answer import sure
from linclass_study.analysis.protocol_names import units
from linclass_study.analysis.summary import best
from linclass_study.analysis.within_dataset import (
    SURE,
    comparison_within,
    rope_of,
)
from linclass_study.report.method_scores import behind_best
from linclass_study.report.table import Column, Number, ReportTable
from linclass_study.report.tables import endings

PLACE, SECTION, PER_DATASET = 1, "answer", False
RARE = ("next", "ahead", "ended", "absent")  # columns that are omitted if empty


def make(outcome: Outcome) -> ReportTable:
    mean = best_words(outcome.metric, "mean ")
    columns = [
        Column("dataset", "Data set", "dataset"),
        Column("best", "Best method", "method", names=2),
        Column("sure", "How sure"),
        Column(
            outcome.metric,
            metric_title(outcome.metric),
            "number",
            direction_words(outcome.metric).capitalize(),
        ),
        Column("next", "Next best", "method", "The best of the other means"),
        Column(
            "ahead",
            "Ahead of it by",
            "number",
            "Paired difference to the next best method, with its 95 % interval",
        ),
        Column("ended", "Its fits"),
        Column("absent", "Did not compete", "method", "Methods without a score of every fold"),
    ]
    rows = [_row(own, dataset) for dataset, own in outcome.parts().items()]
    over = units(outcome.evaluation, *outcome.main_protocols)
    rope = rope_of(outcome.evaluation)
    caption = (
        f"The {mean} ± the standard "
        f"deviation over {over}. Only methods that succeeded on all {over} compete. All others may be as good as the "
        f"best, except those that it beats by more than {rope:g}, all of them at once, with a probability of at least "
        f"{SURE:g}: the complementary probabilities sum to at most {1 - SURE:g} (Bayesian correlated t test, "
        "union bound). In brackets: 95 % interval of the paired difference, which allows for overlapping training "
        "sets; bold: significant after Holm’s correction over all other methods."
    )
    used = [j for j, c in enumerate(columns) if c.key not in RARE or any(row[j] for row in rows)]
    columns, rows = [columns[j] for j in used], [[row[j] for j in used] for row in rows]
    return ReportTable("The best method of each data set", caption, columns, rows)


def _row(outcome: Outcome, dataset: str) -> list[object]:
    found = best(outcome, dataset)
    if found is None:
        return [dataset, [], "no method succeeded on every fold", None, None, None, "", []]
    method, mean, sd, equal = found
    compared = comparison_within(outcome, dataset)
    shared = f"{len(equal) + 1} share the best mean; " if equal else ""
    behind = behind_best(outcome, dataset)
    follower = next((name for name in compared.methods if name not in (method, *equal)), None)
    fits = outcome.fits.filter(dataset=dataset, method=method, protocol=outcome.protocol(dataset))
    odd = endings.other_statuses(endings.counts_by_method(fits)[method])
    ended = f"{odd} of {fits.height}" if odd else ""
    return [
        dataset,
        [method, *equal],
        f"{shared}{sure(compared, equal)}",
        Number(mean, sd),
        follower,
        behind.get(follower) if follower else None,
        ended,
        list(excluded_methods(outcome, dataset)),
    ]
