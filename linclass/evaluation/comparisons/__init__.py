"""Comparisons of methods from a table of scores.

Across data sets a table is data sets × methods, on one data set it is folds × methods. Greater is better, NaN is
missing, and scores that differ by at most 10⁻⁹ are equal. Every function returns a small named tuple.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_FILES = {
    "Friedman": "friedman_test",
    "Pairwise": "pairs",
    "Ratings": "pairs",
    "against_control": "control",
    "against_control_of_ranks": "control",
    "average_ranks": "friedman_test",
    "bayesian_signed_rank": "bayesian",
    "bayesian_t": "bayesian",
    "bonferroni": "control",
    "bradley_terry": "pairs",
    "complete_methods": "friedman_test",
    "corrected_error": "t_tests",
    "corrected_interval": "t_tests",
    "corrected_t": "t_tests",
    "corrected_t_against_control": "t_tests",
    "critical_difference": "friedman_test",
    "data_sets_needed": "control",
    "finner": "control",
    "friedman": "friedman_test",
    "friedman_of_ranks": "friedman_test",
    "hochberg": "control",
    "holm": "control",
    "holm_of_pairs": "control",
    "least_adjusted_p": "control",
    "leave_out_missing": "friedman_test",
    "missing_as_worst": "friedman_test",
    "nemenyi": "friedman_test",
    "pairwise": "pairs",
    "rank_biserial": "wilcoxon_test",
    "ranks": "friedman_test",
    "t_interval": "t_tests",
    "wilcoxon": "wilcoxon_test",
}


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_FILES)
