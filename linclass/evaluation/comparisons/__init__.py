"""Comparisons of methods from a table of scores: one statistic, one file.

Across data sets a table is data sets × methods, on one data set it is folds × methods. Greater is better, NaN is
missing, and scores that differ by at most 10⁻⁹ are equal. Every function returns a small named tuple.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_FILES = {
    "Friedman": "friedman_test",
    "Pairwise": "pairwise_matrix",
    "Ratings": "bradley_terry_model",
    "against_control": "control_test",
    "against_control_of_ranks": "control_test",
    "at_least": "replication",
    "average_ranks": "ranking",
    "bayesian_signed_rank": "bayesian_signed_rank_test",
    "bayesian_t": "bayesian_t_test",
    "bonferroni": "corrections",
    "bradley_terry": "bradley_terry_model",
    "complete_methods": "missing_scores",
    "corrected_error": "confidence_interval",
    "corrected_interval": "confidence_interval",
    "corrected_t": "corrected_t_test",
    "corrected_t_against_control": "corrected_t_test",
    "critical_difference": "nemenyi_test",
    "data_sets_needed": "corrections",
    "finner": "corrections",
    "friedman": "friedman_test",
    "friedman_of_ranks": "friedman_test",
    "hochberg": "corrections",
    "holm": "corrections",
    "holm_of_pairs": "corrections",
    "leave_one_out_winners": "sensitivity",
    "least_adjusted_p": "corrections",
    "leave_out_missing": "missing_scores",
    "missing_as_worst": "missing_scores",
    "nemenyi": "nemenyi_test",
    "pairwise": "pairwise_matrix",
    "rank_biserial": "wilcoxon_test",
    "ranks": "ranking",
    "t_interval": "confidence_interval",
    "wilcoxon": "wilcoxon_test",
}


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_FILES)
