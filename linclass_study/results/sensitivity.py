"""Sensitivity of the conclusion: the best mean rank with other metrics, data sets and treatments of failures."""

from __future__ import annotations

from typing import NamedTuple

from linclass import metrics
from linclass_study.results.across_datasets import ComparisonAcross, comparison_across
from linclass_study.results.metric_words import metric_words
from linclass_study.results.outcome import Outcome

OTHERS = ("accuracy", "balanced_accuracy", "f1", "auc", "matthews", "log_loss", "brier")


class Scenario(NamedTuple):
    what: str
    datasets: int
    best: tuple[str, ...]
    kept: tuple[str, ...]  # the study's best methods that are among them
    scored: bool = True  # whether one of the study's best methods has a score: without probabilities, no log loss


def steady(tried: list[Scenario]) -> list[str]:
    """Methods that are among the best in every variation in which they, or equals of them, have a score."""
    return [name for name in tried[0].best if all(name in one.kept for one in tried if one.scored)]


def scenarios(outcome: Outcome, base: ComparisonAcross) -> list[Scenario]:
    """The study's own comparison, followed by its variations."""
    treatments = list(base.treatments())
    if not base.enough or not treatments:
        return []
    chosen = treatments[0]
    winners = base.best(chosen)
    found: list[Scenario] = []

    def add(what: str, table: ComparisonAcross, treatment: str) -> None:
        usable = table.enough and treatment in table.treatments()
        if not usable and table.enough and table.treatments():  # this treatment does not apply here
            treatment, usable = next(iter(table.treatments())), True
        if usable:
            best = table.best(treatment)
            found.append(
                Scenario(
                    what,
                    len(table.treatments()[treatment]),
                    tuple(best),
                    tuple(name for name in winners if name in best),
                    any(name in table.methods for name in winners),
                )
            )

    words = metric_words(base.metric)
    missing = "" if chosen == "complete" else f", missing scores {chosen}"
    add(f"{words}{missing}", base, chosen)
    for treatment in treatments[1:]:
        add(f"missing scores {treatment}", base, treatment)
    for metric in OTHERS:
        if metric != base.metric and metric in metrics.names():
            add(f"by {metric_words(metric)}", comparison_across(outcome, metric), chosen)
    left = base.complete[1] if chosen == "left out" else base.datasets
    for name in left:
        add(f"without {name}", base.only([other for other in left if other != name]), chosen)
    every = comparison_across(outcome, shared=True)
    if len(every.datasets) > len(base.datasets):
        add("data sets that share rows counted each", every, chosen)
    return found
