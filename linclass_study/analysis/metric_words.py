"""Metrics as the report and the terminal write them: log loss, AUC, F1 macro, Brier."""

from __future__ import annotations

from linclass.evaluation import metrics

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
