"""Calls of an estimator, ours or any library's: its rows are checked and put into the form that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.meta_estimator import groups_for
from linclass.base.predicted import noting_sparse_rows, own_codes
from linclass.base.tables import Table
from linclass_study.pipeline.class_labels import with_labels
from linclass_study.pipeline.method import Method
from linclass_study.pipeline.require_numbers import require_numbers
from linclass_study.pipeline.transforming import TransformedRows, shared_transforms


def fit_estimator(
    estimator: EstimatorLike,
    X: MatrixLike,
    y: np.ndarray,
    groups: np.ndarray | None,
    classes: Sequence[str] = (),
) -> None:
    """Fit an estimator. If it changes NumPy's error handling, the change ends here.

    An estimator that holds out rows itself, or has one inside that does, gets the groups. If it refuses the rows, it
    names classes by their labels, `classes`.
    """
    with np.errstate(), noting_sparse_rows(estimator, X):
        try:
            estimator.fit(X, own_codes(y, estimator), **groups_for(estimator, groups))
        except NotApplicable as refusal:
            refusal.args = (with_labels(str(refusal), classes),)
            raise


def fits_together(
    method: Method,
    options: list[dict[str, Any]],
    table: Table,
    y: np.ndarray,
    held_out: list[np.ndarray],
    seed: int | None,
    strictly: bool = False,
) -> tuple[TransformedRows, list[list[Any]]]:
    """(the rows that folds share, fits[fold][option]); raises NotApplicable if that is impossible.

    `strictly`: nothing may depend on the held-out rows, not even by rounding through columns that only they have. In
    tuning such a dependence on rounding is accepted.
    """
    estimator = method.estimator(seed)
    if not callable(getattr(estimator, "fit_many", None)):
        raise NotApplicable(f"{type(estimator).__name__} has no fit_many")
    lenient = not strictly and getattr(estimator, "ignores_empty_columns", False)
    shared = shared_transforms(method.transforms, table, held_out, lenient)
    if shared is None:
        raise NotApplicable("its transforms are not the same in every fold")
    require_numbers(shared.table, estimator)
    params = [method.values(option, seed) for option in options]
    rows = rows_for(estimator, shared.table)
    return shared, estimator.fit_many(rows, y, held_out, params, shared.scaling)


def rows_for(estimator: EstimatorLike, table: Table) -> Any:
    """The matrix; with column names for estimators with parameters that name columns."""
    return table.named_rows() if getattr(estimator, "takes_names", False) else table.X
