"""Every metric on every fold. Nothing is refitted: a score is a function of the predictions alone.

The metrics are those that ``linclass.metrics`` finds, so a new file there is a new row here. A
metric that a fold cannot have (log loss without probabilities, AUC of one class) has no row: an
absent value is never written as a number.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from linclass import metrics
from linclass.metrics.predictions import Predictions
from linclass_study import tables
from linclass_study.results.outcome import FIT


def score(predictions: pl.DataFrame, n_classes: int, positive: int) -> pl.DataFrame:
    """One row for each metric of each fit, sorted by the fit and the metric's name.

    predictions   rows of the table 'predictions', of one data set or several fits of it
    n_classes     K, the length of each row's score
    positive      code of the class that two-class precision, recall, F1 and AUC speak of
    """
    measures = [(name, metrics.find(name)) for name in sorted(metrics.names())]
    rows: list[tuple[Any, ...]] = []
    for fit, held_out in predictions.sort(*FIT, "row").group_by(FIT, maintain_order=True):
        fold = Predictions(
            y_true=held_out["y_true"].to_numpy(),
            y_pred=held_out["y_pred"].to_numpy(),
            score=_matrix(held_out["score"], n_classes),
            log_proba=None
            if held_out["log_proba"].null_count()
            else _matrix(held_out["log_proba"], n_classes),
            positive=positive,
        )
        for name, measure in measures:
            value = measure(fold)
            if value is not None and not math.isnan(value):
                rows.append((*fit, name, float(value)))
    return tables.frame("scores", rows)


def _matrix(lists: pl.Series, width: int) -> np.ndarray:
    return lists.list.to_array(width).to_numpy()
