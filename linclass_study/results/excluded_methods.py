"""Methods that are excluded from the comparison on a data set, with the reason in a few words."""

from __future__ import annotations

import polars as pl

from linclass_study.fit_statuses import FITTED, STATUSES
from linclass_study.results.metric_words import metric_words
from linclass_study.results.outcome import Outcome
from linclass_study.results.summary import ranking


def excluded_methods(outcome: Outcome, dataset: str) -> dict[str, str]:
    """Method → statuses of its failed fits ('not applicable', 'failed'), or the metric without a value."""
    fits = outcome.fits.filter(dataset=dataset, protocol=outcome.protocol(dataset))
    missed = fits.filter(~pl.col("status").is_in(FITTED))
    found = {}
    for method in ranking(outcome, dataset).filter(~pl.col("whole"))["method"]:
        met = {*missed.filter(method=method)["status"]}
        words = [status.replace("_", " ") for status in STATUSES if status in met]
        found[method] = ", ".join(words) or f"no {metric_words(outcome.metric)}"
    return {method: found[method] for method in outcome.methods if method in found}
