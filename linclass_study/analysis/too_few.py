"""Why a figure across data sets is not drawn: with so few data sets its test could not find any difference."""

from __future__ import annotations

from linclass.base.messages import counted
from linclass.evaluation.comparisons.nemenyi_test import critical_difference
from linclass_study.analysis.across_datasets import ALPHA, FEW, PAIRED, ComparisonAcross
from linclass_study.analysis.conclusion import independent, rank_test


def too_few_for_ranks(base: ComparisonAcross) -> str:
    """The critical difference of mean ranks against the largest possible difference; empty if there are enough."""
    n, k = base.table.shape
    if n >= FEW:
        return ""
    difference = critical_difference(k, n, ALPHA)
    most = (
        "" if difference < k - 1 else f", and no two of {k} methods can differ by more than {k - 1}"
    )
    return (
        f"Mean ranks are not drawn: over {independent(base)} the critical difference of "
        f"{rank_test(k, 'the')} at α = {ALPHA} is {difference:.2f} ranks{most}. At least {FEW} data sets are required."
    )


def too_few_for_pairs(base: ComparisonAcross) -> str:
    """The least p of Wilcoxon's signed-rank test; empty if there are enough."""
    n = len(base.datasets)
    if n >= PAIRED:
        return ""
    least = f"{2 / 2**n:.4f}".strip("0").rstrip(".") if n > 1 else "1"
    return (
        f"Pairs of methods are not drawn: over {counted(n, 'independent data set')} the p of Wilcoxon’s signed-rank "
        f"test is at least {least}; p < .05 needs at least {PAIRED}. Differences, wins and losses are in "
        "tables/pairwise.csv."
    )


def too_few_for_ratings(base: ComparisonAcross) -> str:
    """Empty if there are enough."""
    n = len(base.datasets)
    if n >= FEW:
        return ""
    return (
        f"Ratings are not drawn: {counted(n, 'independent data set')} are too few, at least {FEW} are required. "
        "tables/ranks.csv has their values."
    )
