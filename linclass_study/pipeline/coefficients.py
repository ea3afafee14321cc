"""The coefficients of a fitted linear classifier by the names of its features, for any library:

    z = Σ_j value_j x_j + intercept,      one z for two classes, else one per class

x_j are the features before `standardize`, so `value` is the change of z per unit of the original feature, and
value · scale the change per standard deviation if the feature was standardized (else scale is 1).

In foreign estimators `coef_` may refer to pairs of classes or to an inner step of a pipeline, so coefficients are
returned only if they reproduce the scores of the classifier.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import EstimatorLike
from linclass.base.tables import Table, unique

COMPARED_ROWS = 8  # rows whose scores are compared
# A step with one of these attributes (a selector, an imputer, PolynomialFeatures) does not change the columns whose
# names it keeps.
KEEPS_COLUMNS = ("get_support", "missing_values", "powers_")
SCORE_TOLERANCE = 1e-4  # of the largest score: some libraries compute in single precision


@dataclass(frozen=True)
class Coefficients:
    """W (scores, d) and b (scores,) in units of the features called `names`; `scale` (d,) of each."""

    names: Sequence[str]
    W: np.ndarray
    b: np.ndarray
    scale: np.ndarray

    def classes(self) -> list[int]:
        """The code of the class of each score."""
        return [1] if len(self.W) == 1 else list(range(len(self.W)))

    def largest(self, most: int) -> list[np.ndarray]:
        """Indices, for each score, of all features or of the `most` largest nonzero |value · scale|."""
        d = self.W.shape[1]
        if d <= most:
            return [np.arange(d)] * len(self.W)
        size = np.abs(self.W * self.scale)
        first = np.argsort(-size, axis=1, kind="stable")[:, :most]
        return [np.sort(places[row[places] > 0]) for places, row in zip(first, size, strict=True)]


def of_fit(
    estimator: EstimatorLike,
    transforms: Sequence[Any],
    ready: Table,
    score: np.ndarray | None = None,
) -> Coefficients | None:
    """The coefficients, or None if they cannot be read.

    `ready` are transformed rows, and `score` (n, K) the classifier's scores of them; without scores the coefficients
    are not verified.
    """
    try:
        rows = ready if score is None else ready.rows(np.arange(min(COMPARED_ROWS, len(score))))
        weights, units = _read(estimator, rows)
        if score is not None and not _reproduce(weights, units, score[: units.shape[0]]):
            return None
        last = transforms[-1] if transforms else None
        if units is rows:
            weights = _before_scaling(last, weights, ready.is_sparse)
        weights = replace(weights, names=unique(weights.names))
        return weights if np.isfinite(weights.W).all() and np.isfinite(weights.b).all() else None
    except Exception:  # of any kind: coefficients are only shown, and must not end a run
        return None


def _read(estimator: EstimatorLike, rows: Table) -> tuple[Coefficients, Table]:
    """The coefficients, and the rows in whose units they are."""
    if hasattr(estimator, "best_estimator_"):  # a search for parameters
        return _read(estimator.best_estimator_, rows)
    if hasattr(estimator, "named_steps"):
        return _of_pipeline(estimator, rows)
    # coef_ and intercept_; for one-vs-rest those of its inner classifiers
    parts = [estimator] if hasattr(estimator, "coef_") else estimator.estimators_
    W = np.vstack([_dense(part.coef_) for part in parts])
    b = np.concatenate([np.ravel(np.asarray(part.intercept_, float)) for part in parts])
    b = np.broadcast_to(b, len(W))
    if len(W) == 2:  # a score for each of two classes
        W, b = W[1:] - W[:1], b[1:] - b[:1]
    return Coefficients(rows.names, W, b, np.ones(rows.shape[1])), rows


def _of_pipeline(pipeline: Any, rows: Table) -> tuple[Coefficients, Table]:
    """Names as the steps give them, the same in all folds, whatever the rows are.

    If the last step scales, the scaling is undone instead, as for `standardize`.
    """
    *steps, (_, classifier) = pipeline.steps
    steps = [(name, step) for name, step in steps if step not in (None, "passthrough")]
    for name, step in steps:
        before, names = rows, step.get_feature_names_out(np.array(rows.names, dtype=object))
        X = step.transform(before.X)
        X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X, float)
        rows = Table(X, tuple(map(str, names)))
        if step is steps[-1][1] and _scales(step, before, rows):
            weights, units = _read(classifier, rows)
            if units is rows:
                return _before_scaling(step, weights, unshifted=not step.with_mean), before
        rows = replace(rows, names=names_after(step, name, before.names, rows.names))
    return _read(classifier, rows)


def names_after(
    step: Any, name: str, before: Iterable[str], after: Iterable[str]
) -> tuple[str, ...]:
    """Names of columns after a step called `name`; scaler(age) if it may change a column but keeps its name."""
    if any(hasattr(step, attribute) for attribute in KEEPS_COLUMNS):
        return tuple(after)
    names_before = {*before}
    return tuple(f"{name}({column})" if column in names_before else column for column in after)


def _scales(step: Any, before: Table, after: Table) -> bool:
    """Whether a step computes (x − mean_)/scale_, verified on the rows."""
    scale, centred = getattr(step, "scale_", None), getattr(step, "with_mean", None)
    if scale is None or centred is None or np.shape(scale) != (before.shape[1],):
        return False
    mean = step.mean_ if centred else 0.0
    return np.allclose((_dense(before.X) - mean) / scale, _dense(after.X))


def _before_scaling(last: Any, weights: Coefficients, unshifted: bool) -> Coefficients:
    """Coefficients of the features before a transform (x − mean_)/scale_; sparse rows are not shifted."""
    scale: Any = getattr(last, "scale_", ())
    if np.shape(scale) != weights.scale.shape:
        return weights
    W = weights.W / scale
    b = weights.b if unshifted else weights.b - W @ last.mean_
    return replace(weights, W=W, b=b, scale=np.asarray(scale, float))


def _reproduce(weights: Coefficients, rows: Table, score: np.ndarray) -> bool:
    """Whether they reproduce the scores, up to a constant for all classes of a row."""
    Z = rows.X @ weights.W.T + weights.b
    if len(weights.W) == 1:
        Z = np.hstack([-Z / 2, Z / 2])
    if Z.shape != score.shape:
        return False
    expected = score - score.mean(axis=1, keepdims=True)
    off = np.abs(Z - Z.mean(axis=1, keepdims=True) - expected).max()
    return bool(off <= SCORE_TOLERANCE * max(np.abs(expected).max(), SCORE_TOLERANCE))


def _dense(values: Any) -> np.ndarray:
    return np.atleast_2d(values.toarray() if sparse.issparse(values) else np.asarray(values, float))
