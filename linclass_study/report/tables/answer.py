"""The best method of each data set, and those that the folds do not tell apart from it."""

from __future__ import annotations

from linclass import metrics
from linclass_study.protocols import asked
from linclass_study.report import standing
from linclass_study.report.table import Column, Number, Table
from linclass_study.results.answer import best
from linclass_study.results.outcome import STATUSES, Outcome

PLACE, SECTION, PER_DATASET = 1, "answer", False


def make(outcome: Outcome) -> Table:
    words = outcome.metric.replace("_", " ")
    columns = [
        Column("dataset", "Data set", "dataset"),
        Column("best", "Best method", "method"),
        Column(outcome.metric, words.capitalize(), "number"),
        Column("near", "Within one standard error", "method"),
        Column("ended", "Its fits that did not converge"),
    ]
    parts = outcome.parts()
    rows = [_row(own, dataset) for dataset, own in parts.items()]
    caption = (
        f"The method of {'highest' if metrics.greater_is_better(outcome.metric) else 'lowest'} mean {words} on "
        "each data set, ± the standard deviation over folds. Only methods that succeeded on every fold compete. "
        "Those within one standard error of the best, fold by fold, are a short list, not a test: the data do not "
        "tell these apart; those beyond it may be equal all the same."
    )
    if all(row[-1] == "" for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table("The best method of each data set", caption, columns, rows)


def _row(outcome: Outcome, dataset: str) -> list[object]:
    found = best(outcome, dataset)
    if found is None:
        return [dataset, ["no method succeeded on every fold"], None, None, ""]
    method, mean, sd, equal = found
    cells = standing.column(outcome, dataset, outcome.metric)
    near = [name for name, cell in cells.items() if cell.near]
    ended = endings(outcome, dataset, method)
    return [dataset, [method, *equal], Number(mean, sd, best=True), near, ended]


def endings(outcome: Outcome, dataset: str, method: str) -> str:
    """How fits ended that did not converge: '10 of 10 fits separable', so that a best method is seen for what it is."""
    own = outcome.fits.filter(
        dataset=dataset, method=method, protocol=next(iter(asked(outcome.evaluation)))
    )
    counts = dict(own["status"].value_counts().iter_rows())
    odd = [f"{counts[s]} {s.replace('_', ' ')}" for s in STATUSES[1:] if s in counts]
    return f"of {own.height} fits {', '.join(odd)}" if odd else ""
