"""Which methods the folds do not tell apart from the best.

Every method met the same folds, so what counts is the difference on each of them:

    d_f = best's value − other's value  on fold f,    near:  mean(d) ≤ sd(d) · √(1/n + n_test/n_train)

(d_f with its sign turned where less is better). The right-hand side is the standard error of
mean(d) that allows for training sets that overlap; what makes a fold hard for both methods is in
neither side. One fold, or an infinite value, has no standard error and tells nothing.
Nadeau and Bengio (2003), Inference for the generalization error, eq. 9
"""

from __future__ import annotations

import polars as pl

from linclass import metrics
from linclass_study.results.outcome import Outcome


def near_best(
    outcome: Outcome, dataset: str, metric: str, protocol: str, whole: pl.DataFrame
) -> set[str]:
    """Methods within one standard error of the first of `whole`: summary.ranking's whole rows."""
    if whole.is_empty():
        return set()
    sign = 1 if metrics.greater_is_better(metric) else -1
    values = outcome.scores.filter(dataset=dataset, metric=metric, protocol=protocol)
    best = values.filter(method=whole["method"][0]).select("repeat", "fold", best="value")
    difference = sign * (pl.col("best") - pl.col("value"))
    compared = (
        values.join(best, on=["repeat", "fold"])
        .group_by("method")
        .agg(behind=difference.mean(), sd=difference.std(ddof=1), n=pl.len())
        .join(whole.select("method", "share"), on="method")
        .with_columns(error=pl.col("sd") * (1 / pl.col("n") + pl.col("share")).sqrt())
        .filter(pl.col("error").is_finite(), pl.col("behind") <= pl.col("error"))
    )
    return set(compared["method"])
