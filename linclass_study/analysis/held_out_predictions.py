"""Predictions of a run for the held-out rows, as arrays, read once for all figures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import summarize
from linclass_study.files.reading import scan_parquet

MOST = 40_000_000  # scores of a run; with more, a figure would take minutes
CACHED_RUNS = 8  # as many as a figure shows


@dataclass(frozen=True, eq=False)
class HeldOut:
    """n predictions by F fits.

    y_true, y_pred  (n,) codes of the true and predicted classes
    score           (n, K)
    log_proba       (n, K), or None for a method without probabilities
    fit             (n,) 0 … F − 1, in the order of repeats and folds
    row             (n,) numbers of the rows; those of several repeats occur several times
    """

    y_true: np.ndarray
    y_pred: np.ndarray
    score: np.ndarray
    log_proba: np.ndarray | None
    fit: np.ndarray
    row: np.ndarray

    @property
    def fits(self) -> int:
        return int(self.fit.max()) + 1

    @property
    def n_classes(self) -> int:
        return self.score.shape[1]


def held_out(outcome: Outcome, dataset: str, method: str) -> HeldOut | None:
    """Predictions of the data set's first protocol; None if there are none or too many."""
    known = outcome.read.setdefault("held_out", {})
    if (dataset, method) not in known:
        if len(known) >= CACHED_RUNS:
            known.pop(next(iter(known)))
        path = outcome.results / "runs" / dataset / method / "predictions.parquet"
        n_classes = len(outcome.about(dataset)["classes"])
        known[dataset, method] = _read(path, outcome.protocol(dataset), n_classes)
    return known[dataset, method]


def mean_of(outcome: Outcome, dataset: str, metric: str) -> dict[str, float]:
    """Method → mean of the metric over the folds of the same protocol."""
    protocol = outcome.protocol(dataset)
    scores = outcome.scores.filter(dataset=dataset, protocol=protocol, metric=metric)
    return dict(summarize(scores).select("method", "mean").iter_rows())


def _read(path: Path, protocol: str, n_classes: int) -> HeldOut | None:
    if not path.exists():
        return None
    own = scan_parquet(path).filter(pl.col("protocol") == protocol)
    n = own.select(pl.len()).collect().item()
    if not n or n * n_classes > MOST:
        return None
    fit = pl.struct("repeat", "fold").rank("dense").alias("fit") - 1
    rows = own.select("row", "y_true", "y_pred", "score", "log_proba", fit).collect()
    known = not rows["log_proba"].null_count()
    return HeldOut(
        y_true=rows["y_true"].to_numpy(),
        y_pred=rows["y_pred"].to_numpy(),
        score=_matrix(rows["score"], n_classes),
        log_proba=_matrix(rows["log_proba"], n_classes) if known else None,
        fit=rows["fit"].to_numpy().astype(np.int64),
        row=rows["row"].to_numpy(),
    )


def _matrix(lists: pl.Series, width: int) -> np.ndarray:
    return lists.list.to_array(width).to_numpy()
