"""Fit and predict rows that stay in their Parquet file, in two passes over the file for all folds.

The first pass accumulates the sums of each fold, the second one predicts the rows of each fold by the model of the
others. So a method must depend on sums over rows alone (LDA, QDA, naive Bayes, Fisher, nearest mean), must be untuned,
and its transforms must not change the rows. Memory holds the classes and predictions of all rows, never the features.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass.discriminant.from_statistics import fit_without_each, partitions
from linclass_study.data import blocks
from linclass_study.execution.feature_file import FeatureFile
from linclass_study.pipeline.fitted import Fitted, Task
from linclass_study.pipeline.fold_predictions import FoldPrediction
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.transforming import shared_transforms


def fit_by_blocks(
    method: Method, file: FeatureFile, held_out: Sequence[np.ndarray], task: Task
) -> list[Fitted]:
    """One model for each fold, fitted on all other rows."""
    estimator = method.estimator()
    if method.tune or not callable(getattr(estimator, "merge_all", None)):
        raise NotApplicable(
            f"its rows stay in their file (parquet_blocks), and {type(estimator).__name__} "
            f"{'with `tune:`' if method.tune else ''} needs them at once; take an untuned method that is "
            "a function of sums, such as lda or gaussian_nb"
        )
    rows = (
        table.named_rows() if getattr(estimator, "takes_names", False) else table.X
        for table in _unchanged(method, file)
    )
    fits = fit_without_each(estimator, rows, file.y, held_out)
    return [Fitted(method, task, {}, [], model) for model in fits]


def refuse_parts(rows: int, of: int) -> None:
    """Refuse the fits of a learning curve, which leave out rows that are not tested either."""
    if rows < of:
        raise NotApplicable(
            "its rows stay in their file (parquet_blocks), and learning_curve needs them in memory; "
            "choose another protocol"
        )


def predict_by_blocks(
    fits: Sequence[Fitted], file: FeatureFile, held_out: Sequence[np.ndarray]
) -> list[tuple[FoldPrediction, float]]:
    """Predictions of each model for the rows of its fold, in their order, and their seconds. The held-out rows stay in
    their file, so only their table's column names are known.
    """
    parts: list[list[Any]] = [[] for _ in fits]
    seconds = np.zeros(len(fits))
    divided, begin = partitions(held_out, len(file.y)), 0
    for table in blocks.tables(file.in_file, file.table.names):
        for members, shard in divided:
            own = shard[begin : begin + table.shape[0]]
            for place in np.unique(own[own < len(members)]):
                number, clock = members[place], time.perf_counter()
                parts[number].append(fits[number].predict(table.rows(own == place)))
                seconds[number] += time.perf_counter() - clock
        begin += table.shape[0]
    found = []
    for rows, part, spent in zip(held_out, parts, seconds.tolist(), strict=True):
        order = np.argsort(np.argsort(rows))  # parts are in the order of the file
        codes, scores, log_proba = zip(*part, strict=True)
        known = None if log_proba[0] is None else np.concatenate(log_proba)[order]
        predicted = np.concatenate(codes)[order], np.concatenate(scores)[order], known
        found.append((FoldPrediction(file.table, predicted), spent))
    return found


def _unchanged(method: Method, file: FeatureFile) -> Iterator[Table]:
    """Iterate over the blocks, checking that no transform of the method would change them."""
    for table in blocks.tables(file.in_file, file.table.names):
        shared = shared_transforms(method.transforms, table, [])
        if shared is None or shared.last is not None or shared.table.X is not table.X:
            names = ", ".join(name for name, _ in method.transforms)
            raise NotApplicable(
                f"its rows stay in their file (parquet_blocks), and transforms ({names}) would change "
                "them; leave out what learns from rows, and impute missing values before"
            )
        yield shared.table
