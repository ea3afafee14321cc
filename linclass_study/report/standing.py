"""How methods stand on a data set: means with their spread, the best of a column, and what is as good."""

from __future__ import annotations

import math

from linclass import metrics
from linclass_study.report.table import Number
from linclass_study.results.outcome import Outcome
from linclass_study.results.summary import ranking
from linclass_study.results.within import within


def column(
    outcome: Outcome, dataset: str, metric: str, protocol: str | None = None
) -> dict[str, Number]:
    """Method → its mean over the folds. Only methods whose every planned fit gave a value can be best."""
    protocol = protocol or outcome.protocol(dataset)
    if metric not in metrics.names():
        return {method: Number(None) for method in outcome.methods}
    ranked = ranking(outcome, dataset, metric, protocol)
    whole = ranked.filter("whole")
    close = {*within(outcome, dataset, metric, protocol, ranked).near}
    best = {
        method for method, mean in whole.select("method", "mean").iter_rows()
        if abs(mean - whole["mean"][0]) < 1e-12
    }  # fmt: skip
    return {
        row["method"]: Number(
            row["mean"],
            row["sd"],
            best=row["method"] in best,
            near=row["method"] in close - best,
            partial=not row["whole"],
        )
        for row in ranked.iter_rows(named=True)
    }


def excess(outcome: Outcome, dataset: str, protocol: str) -> dict[str, Number]:
    """Method → how far its error is above the Bayes error, ± the standard error of that; none where
    the distribution of the rows is not known."""
    bayes = outcome.about(dataset).get("bayes_error")
    if bayes is None or "accuracy" not in metrics.names():
        return {}
    ranked = ranking(outcome, dataset, "accuracy", protocol)
    return {
        row["method"]: Number(
            None if row["mean"] is None else 1 - row["mean"] - bayes["value"],
            None if row["error"] is None else math.hypot(row["error"], bayes["within"]),
            partial=not row["whole"],
        )
        for row in ranked.iter_rows(named=True)
    }
