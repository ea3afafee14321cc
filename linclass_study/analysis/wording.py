"""Metrics, protocols and probabilities as the answer and the report write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from linclass.evaluation import metrics
from linclass_study.protocols import kind, selected_protocols

SAME_TIME = 1.05  # ratio of the times of a fit, below which they are not told apart
IF_TRUE = "If the observed difference is the true one"  # which all forecasts of more repeats or data sets suppose
IF_ALL_TRUE = "If the observed differences are the true ones"
WRITTEN = {"auc": "AUC", "brier": "Brier", "f1": "F1", "matthews": "Matthews"}


def metric_words(metric: str) -> str:
    """The metric's name in words, without the module of an import path; proper names and abbreviations keep their
    capitals."""
    name = metric.rpartition(".")[2]
    return " ".join(WRITTEN.get(word, word) for word in name.split("_"))


def metric_title(metric: str) -> str:
    """The words with a first capital letter."""
    words = metric_words(metric)
    return words[0].upper() + words[1:]


def direction_words(metric: str) -> str:
    """Which values are better, for a reader who may not know the metric."""
    return "greater is better" if metrics.greater_is_better(metric) else "less is better"


def best_words(metric: str, of: str = "") -> str:
    """The best value in words: highest accuracy, lowest log loss; `of` stands before the metric: highest mean AUC."""
    extreme = "highest" if metrics.greater_is_better(metric) else "lowest"
    return f"{extreme} {of}{metric_words(metric)}"


def test_words(test: str, others: int, comparisons: int) -> str:
    """The test of a control against others across data sets, and its correction."""
    if test == "nemenyi":
        return "Nemenyi’s test of all pairs"
    name = "mean ranks" if test == "ranks" else "Wilcoxon’s test"
    return f"{name}, Holm’s correction{f' over {comparisons:,} pairs' * (comparisons > others)}"


TITLES = {
    "cv": "Cross-validation",
    "official": "Official test set",
    "hold_out": "Repeated hold-out",
    "leave_one_out": "Leave-one-out",
    "learning_curve": "Learning curve",
}


def protocol_phrase(evaluation: Mapping[str, Any], protocol: str) -> str:
    """What means are taken over: 10 folds, 3 × 10 folds, 10 hold-outs of 25 %, …"""
    options = selected_protocols(evaluation)[protocol]
    match kind(protocol):
        case "official":
            return "the official test set"
        case "leave_one_out":
            return "leave-one-out"
        case "hold_out":
            count, share = options["repeats"], f"{100 * options['test_share']:g} %"
            return f"{count} hold-outs of {share}" if count > 1 else f"one hold-out of {share}"
        case "learning_curve":
            size = options["size"]
            part = f"{100 * size:g} % of the" if size <= 1 else f"{size:g}"
            return f"{options['folds']} folds, trained on {part} rows"
        case _:
            times = f"{options['repeats']} × " if options["repeats"] > 1 else ""
            return f"{times}{options['folds']} folds"


def titled_phrase(evaluation: Mapping[str, Any], protocol: str) -> str:
    """The name, and what means are taken over where the name does not say it: Cross-validation, 10 folds."""
    title = TITLES[kind(protocol)]
    named_alone = kind(protocol) in ("official", "leave_one_out")
    return title if named_alone else f"{title}, {protocol_phrase(evaluation, protocol)}"


def has_spread(evaluation: Mapping[str, Any], protocol: str) -> bool:
    """Whether there are several values, so that a standard deviation exists."""
    options = selected_protocols(evaluation)[protocol]
    return kind(protocol) in ("cv", "learning_curve") or options.get("repeats", 1) > 1


def units(evaluation: Mapping[str, Any], *protocols: str) -> str:
    """What a standard deviation is over: folds, hold-outs, or either, by the data set."""
    repeated = [name for name in protocols if has_spread(evaluation, name)]
    names = {"hold-outs" if kind(name) == "hold_out" else "folds": None for name in repeated}
    return " or ".join(names) or "folds"


def rows_held_out(evaluation: Mapping[str, Any], protocol: str) -> str:
    """The held-out rows of all folds, the held-out rows of all hold-outs; of a single fit the held-out rows."""
    of_all = f" of all {units(evaluation, protocol)}" if has_spread(evaluation, protocol) else ""
    return f"held-out rows{of_all}"


def status_words(status: str) -> str:
    """The status of a fit in words."""
    return "at the iteration limit" if status == "max_iter" else status.replace("_", " ")


def format_probability(p: float) -> str:
    """A probability with two decimals; one that is rounded is not said to be 0 or 1."""
    return "<0.01" if p < 0.005 else ">0.99" if p > 0.995 else f"{p:.2f}"


def format_p(p: float | None) -> str:
    """A probability or a p-value: three decimals without the leading zero; 1 only if it is 1."""
    if p is None:
        return "–"
    if 0.9995 <= p < 1:
        return "> .999"
    return "< .001" if p < 0.0005 else "1" if p == 1 else f"{p:.3f}".removeprefix("0")


def p_words(p: float) -> str:
    """p = .012, p < .001"""
    shown = format_p(p)
    return f"p {shown}" if shown[0] in "<>" else f"p = {shown}"


def cost_words(first: str, second: str, ratio: float) -> str:
    """The cost of a fit, always by the slower method; `ratio` is the time of the first over that of the second."""
    if max(ratio, 1 / ratio) < SAME_TIME:
        return f"{first} and {second} take {times_as_long(ratio)} to fit"
    slower, faster = (first, second) if ratio > 1 else (second, first)
    return f"{slower} takes {times_as_long(ratio)} to fit as {faster}"


def times_as_long(ratio: float) -> str:
    """How many times as long the slower method takes."""
    longer = max(ratio, 1 / ratio)
    return "equally long" if longer < SAME_TIME else f"{times(longer)} as long"


def times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < 99.5 else f"{ratio:,.0f} times"
