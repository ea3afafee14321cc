"""Folds × parameters of one estimator at once:  fits[fold][param], each as `fit` alone would end.

The one entry: it checks folds and parameters, and groups the models that share work. An estimator says which do
(`_fit_group`) and how they are fitted: from sums over rows, along a path of strengths, or by the `fit_many` of a base
estimator (`_fit_together`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.messages import one_warning

Scaling = Sequence[tuple[Any, Any]]


class Folds(NamedTuple):
    """All rows, and those that each fold holds out."""

    X: Any
    y: Any
    held_out: list[np.ndarray]  # numbers of rows among those of positive weight
    scaling: Scaling | None
    sample_weight: Any


@one_warning
def fit_many(
    self: Any,
    X: MatrixLike,
    y: ArrayLike,
    folds: Sequence[Any],
    params: Sequence[dict[str, Any]] = ({},),
    scaling: Scaling | None = None,
    sample_weight: PerRow = None,
) -> list[list[Any]]:
    """Fit on the training rows of each fold, for each setting of parameters.

    Raises NotApplicable if the fits have nothing to share, as with class weights that differ from fold to
    fold.

    Parameters
    ----------
    folds : sequence of arrays
        Held-out rows of each fold: indices, or a boolean mask of shape (n,).
    params : sequence of dict, default=({},)
        Parameters to set for each fit of a fold; ({},) fits once with the present ones.
    scaling : sequence of (shift, scale) or None, default=None
        For each fold, fit on (X − shift)/scale. None leaves X as it is.

    Returns
    -------
    list of lists of estimators
        `fits[fold][param]`, fitted to the rows that are not in the fold.
    """
    held_out, _ = among_weighted(folds, len(np.asarray(y)), sample_weight)
    rows = Folds(X, y, held_out, scaling, sample_weight)
    models = [self._unfitted().set_params(**param) for param in params]
    groups: dict[Hashable, list[int]] = {}
    for i, model in enumerate(models):
        model.check()
        groups.setdefault(model._fit_group(), []).append(i)
    fits: list[list[Any]] = [[None] * len(models) for _ in held_out]
    for members in groups.values():
        own = [models[i] for i in members]
        for fold, found in zip(fits, own[0]._fit_together(own, rows), strict=True):
            for i, model in zip(members, found, strict=True):
                fold[i] = model
    return fits


LEFT_OUT_AT_ONCE = 256  # models in memory at once


def leave_one_out(self: Any, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Array:
    """Scores of each row by the model fitted to all other rows.

    Raises NotApplicable if the fits have nothing to share, as for class_weight='balanced', which differs from row to
    row.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        All rows.

    Returns
    -------
    array of shape (n,) for two classes, (n, K) for more
        As `decision_function`; −∞ for a class without other rows.
    """
    checked = self._unfitted()
    checked._start_fit(X, y, sample_weight)
    rows, classes = validation.matrix(X, sparse=self.takes_sparse), checked.classes_
    Z = np.full((rows.shape[0], len(classes)), -np.inf)
    for begin in range(0, len(Z), LEFT_OUT_AT_ONCE):
        folds = np.arange(begin, min(begin + LEFT_OUT_AT_ONCE, len(Z)))[:, None]
        fits = checked.fit_many(rows, y, folds, sample_weight=sample_weight)
        for i, (fit,) in enumerate(fits, begin):
            z = fit.decision_function(rows[[i]])
            Z[i, np.isin(classes, fit.classes_)] = z[0] if z.ndim == 2 else (0, z[0])
    return Z if len(classes) > 2 else Z[:, 1] - Z[:, 0]


def among_weighted(
    folds: Sequence[Any], rows: int, sample_weight: PerRow
) -> tuple[list[np.ndarray], np.ndarray]:
    """(row indices of each fold among the rows whose weight is not zero, mask of those rows).

    A fold may also be given as a mask of all rows.
    """
    held_out = []
    for number, fold in enumerate(folds):
        fold = np.asarray(fold)
        if fold.dtype == bool and fold.shape == (rows,):
            fold = np.flatnonzero(fold)
        if fold.ndim != 1 or (fold.size and fold.dtype.kind not in "iu"):
            raise ValueError(
                f"fold {number} has shape {fold.shape} and holds {fold.dtype}; give row numbers, or "
                f"a mask of all {rows} rows."
            )
        held_out.append(fold.astype(np.intp, copy=False))
    if not held_out:
        raise ValueError("folds is empty; give the held-out rows of at least one fold.")
    given = np.concatenate(held_out)
    if given.size and not -1 < given.min() <= given.max() < rows:
        outside = given[(given < 0) | (given >= rows)][0]
        raise ValueError(f"folds hold row {outside}; rows are 0 to {rows - 1}.")
    kept = validation.row_weights(sample_weight, rows) > 0
    if kept.all():
        return held_out, kept
    place = np.cumsum(kept) - 1
    return [place[fold[kept[fold]]] for fold in held_out], kept


# The result of `path`: the fits of one model at several strengths

COUNT = 31  # strengths of a path by default


class RegularizationPath(Sequence[Any]):
    """Fitted estimators, one for each strength, in the order in which the strengths were given.

    `path[i]` is an estimator. Attributes ending in `_` are arrays over the path: `coef_`,
    `intercept_`, `objective_`, `certificate_`, `n_iter_`, `status_`.

    Parameters
    ----------
    estimators : iterable of estimators
        Fitted estimators.
    parameter : str, default='strength'
        The parameter in which they differ.

    Attributes
    ----------
    strengths : array of shape (m,)
        Strength of each estimator.
    """

    def __init__(self, estimators: Iterable[Any], parameter: str = "strength"):
        self.estimators = list(estimators)
        self.parameter = parameter

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return RegularizationPath(self.estimators[i], self.parameter)
        return self.estimators[i]

    def __len__(self) -> int:
        return len(self.estimators)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators)

    def __getattr__(self, name: str) -> Array:
        if not name.endswith("_") or name.startswith("_"):
            raise AttributeError(
                f"a path has no {name!r}; ask one of its estimators: path[i].{name}"
            )
        return np.array([getattr(estimator, name) for estimator in self.estimators])

    @property
    def strengths(self) -> Array:
        """Strength of each estimator, or what else the path goes along."""
        return np.array([getattr(estimator, self.parameter) for estimator in self.estimators])

    def __repr__(self) -> str:
        if not self.estimators:
            return "<RegularizationPath of nothing>"
        s = self.strengths
        endings = ", ".join(f"{n} {status}" for status, n in Counter(self.status_.tolist()).items())
        name = type(self.estimators[0]).__name__
        ends = f"{self.parameter}s {s.min():g} … {s.max():g}"
        return f"<RegularizationPath of {len(self)} × {name}, {ends}: {endings}>"


def check_strengths(strengths: Any) -> list[float]:
    """The strengths as positive floats, at least one; otherwise ValueError with one sentence."""
    try:
        values = np.asarray(strengths, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"strengths is {strengths!r}; give a list of at least one number.")
    if not (np.isfinite(values) & (values > 0)).all():
        bad = values[~(np.isfinite(values) & (values > 0))][0]
        raise ValueError(
            f"strengths holds {bad:g}; on a path every strength is finite and above 0."
        )
    return values.tolist()
