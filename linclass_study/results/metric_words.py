"""Metrics as the report and the terminal write them: log loss, AUC, F1 macro, Brier."""

from __future__ import annotations

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
