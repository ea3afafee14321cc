"""Sensitivity of the conclusion: the best mean rank with other metrics, data sets and treatments of missing scores."""

from __future__ import annotations

from typing import NamedTuple

from linclass.evaluation import metrics
from linclass_study.analysis.across_datasets import ComparisonAcross, comparison_across
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.outcome import Outcome

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
    """The study's own comparison, followed by its variations; of methods that cannot be ranked, because most lack
    scores, only what they would be with either treatment of these."""
    ranked = base.best if base.enough else []
    found: list[Scenario] = []

    def add(what: str, table: ComparisonAcross) -> None:
        if table.enough:
            best = tuple(table.best)
            kept = tuple(name for name in ranked if name in best)
            scored = any(name in table.methods for name in ranked)
            found.append(Scenario(what, len(table.datasets), best, kept, scored))

    add(metric_words(base.metric), base)
    if base.every.incomplete:
        add("missing scores counted as worst", base.every.missing_worst)
        add("without data sets on which a method lacks a score", base.every.gaps_left_out)
    if not ranked:
        return found
    for metric in OTHERS:
        if metric != base.metric and metric in metrics.names():
            add(f"by {metric_words(metric)}", comparison_across(outcome, metric))
    for name in base.datasets:
        add(f"without {name}", base.without(name))
    shared = comparison_across(outcome, shared=True)
    if len(shared.datasets) > len(base.datasets):
        add("data sets that share rows counted each", shared)
    return found
