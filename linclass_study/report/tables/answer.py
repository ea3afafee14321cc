"""The best method of each data set, and how sure that is."""

from __future__ import annotations

from linclass import metrics
from linclass_study.report.table import Column, Number, Table
from linclass_study.report.tables import endings
from linclass_study.results.answer import best
from linclass_study.results.outcome import Outcome
from linclass_study.results.sureness import SURE
from linclass_study.results.within import ROPE, within

PLACE, SECTION, PER_DATASET = 1, "answer", False


def make(outcome: Outcome) -> Table:
    words = outcome.metric.replace("_", " ")
    columns = [
        Column("dataset", "Data set", "dataset"),
        Column("best", "Best method", "method", names=2),
        Column(outcome.metric, words.capitalize(), "number"),
        Column("sure", "How sure"),
        Column("near", "Closest behind it", "method", "Within one standard error of the best"),
        Column("ended", "Its fits"),
    ]
    rows = [_row(own, dataset) for dataset, own in outcome.parts().items()]
    rope = outcome.evaluation.get("rope", ROPE)
    caption = (
        f"The {'highest' if metrics.greater_is_better(outcome.metric) else 'lowest'} mean {words} ± the standard "
        "deviation over folds. Only methods that succeeded on every fold compete. A method may be as good as the "
        f"best unless the best is better by more than {rope:g} with a probability of at least {SURE:g} (Bayesian "
        "correlated t test). Closest behind are those within one standard error, fold by fold."
    )
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    return Table("The best method of each data set", caption, columns, rows)


def _row(outcome: Outcome, dataset: str) -> list[object]:
    found = best(outcome, dataset)
    if found is None:
        return [dataset, [], None, "no method succeeded on every fold", [], ""]
    method, mean, sd, equal = found
    compared = within(outcome, dataset)
    near = [name for name in compared.near if name not in (method, *equal)]
    fits = outcome.fits.filter(dataset=dataset, method=method, protocol=outcome.protocol(dataset))
    odd = endings.odd(fits)
    ended = f"{odd} of {fits.height}" if odd else ""
    return [
        dataset,
        [method, *equal],
        Number(mean, sd, best=True),
        sure(outcome, dataset),
        near,
        ended,
    ]


def sure(outcome: Outcome, dataset: str) -> str:
    """In few words: may others be as good as the best?"""
    found = within(outcome, dataset)
    others = len(found.methods) - 1
    if others < 1:
        return "nothing to compare with"
    if not found.enough:
        return "one value each does not tell"
    tied = f"{found.equals} share the best mean; " if found.equals > 3 else ""
    rivals = int((found.posterior.better[0, 1:] < SURE).sum())
    if not rivals:
        return "clearly the best"
    return f"{tied}{'all' if rivals == others else rivals} of {others} others may be as good"
