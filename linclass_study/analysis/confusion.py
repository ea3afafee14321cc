"""Confusion matrix of the best method on a data set, over the held-out rows of all folds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linclass_study.analysis.held_out_predictions import HeldOut, held_out
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import best


@dataclass(frozen=True, eq=False)
class Confusion:
    """counts[i, j] is the number of rows of class i predicted as j; further columns are other actions (`costs:`)."""

    method: str
    counts: np.ndarray


def of_the_best(outcome: Outcome, dataset: str) -> Confusion | None:
    """Confusion of the best method; None if there is none or its predictions are missing."""
    found = best(outcome, dataset)
    rows = held_out(outcome, dataset, found[0]) if found else None
    return Confusion(found[0], confusion_counts(rows)) if found and rows else None


def confusion_counts(rows: HeldOut) -> np.ndarray:
    """As in Predictions.confusion, over all fits."""
    width = max(rows.n_classes, int(rows.y_pred.max(initial=0)) + 1)
    cells = np.bincount(rows.y_true * width + rows.y_pred, minlength=rows.n_classes * width)
    return cells.reshape(rows.n_classes, width)


def per_class(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision of each class; NaN without rows of the class, or without predictions of it."""
    right = counts.diagonal()[: len(counts)].astype(float)
    with np.errstate(invalid="ignore"):
        return right / counts.sum(axis=1), right / counts.sum(axis=0)[: len(counts)]
