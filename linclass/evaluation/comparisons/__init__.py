"""Comparisons of methods from a table of scores.

Across data sets a table is data sets × methods, on one data set it is folds × methods. Greater is better, NaN is
missing, and scores that differ by at most 10⁻⁹ are equal. Every function returns a small named tuple.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_NAMES = {  # of each file
    "bayesian": "bayesian_signed_rank bayesian_t",
    "control": "against_control against_control_of_ranks bonferroni data_sets_needed finner hochberg holm "
    "holm_of_pairs least_adjusted_p",
    "friedman_test": "Friedman average_ranks complete_methods critical_difference friedman friedman_of_ranks "
    "leave_out_missing missing_as_worst nemenyi ranks",
    "pairs": "Pairwise Ratings bradley_terry pairwise",
    "t_tests": "corrected_error corrected_interval corrected_t corrected_t_against_control t_interval",
    "wilcoxon_test": "rank_biserial wilcoxon",
}
_FILES = {name: file for file, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_FILES)
