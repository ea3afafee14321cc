"""Predictions of any classifier in one form, validated: codes, a score per class, log-probabilities.

Estimators may come from any library, so their output is checked here: wrong shapes, unknown classes and values that
are not numbers are errors of that fit, with one sentence, and do not reach a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable, counted

# name of a method → its output for the rows, None if it does not exist
OutputOf = Callable[[str], Any]
SLACK = 1e-4  # tolerance of the sum of probabilities; some libraries use single precision


def predictions_of(
    estimator: EstimatorLike, X: MatrixLike, K: int
) -> tuple[Array, Array, Array | None]:
    """(predicted codes (n,), score (n, K), log-probabilities (n, K) or None).

    The scores are the log-probabilities of an estimator without scores, and NaN if it has neither: predicted classes
    alone rank no rows.
    """
    output_of: OutputOf = partial(_output, estimator, X)
    with noting_sparse_rows(estimator, X):
        if is_ours(estimator) and hasattr(estimator, "decision_function"):
            Z = estimator.decision_function(X)
            if (found := predictions_from(estimator, Z, K)) is not None:
                return found
            output_of = _from_scores(estimator, X, Z)
        outputs = Outputs(estimator, output_of, X.shape[0], K)
        y_pred, log_proba, score = outputs.codes(), outputs.log_proba(), outputs.scores()
    if score is None:
        score = np.full((len(y_pred), K), np.nan) if log_proba is None else log_proba
    return y_pred, _halves(score) if K == 2 else score, log_proba


def predictions_from(
    estimator: EstimatorLike, Z: Array, K: int
) -> tuple[Array, Array, Array | None] | None:
    """predictions_of from the scores Z of one of our estimators, in the usual case: finite scores of all K classes,
    which need no further check. Otherwise None.
    """
    classes = estimator.classes_  # sorted
    all_codes = classes.dtype.kind in "iu" and len(classes) == K and classes[-1] == K - 1
    if not (all_codes and classes[0] == 0 and np.isfinite(Z).all()):
        return None
    method = getattr(estimator, "predict_log_proba", None)
    if method is not None and not _is_of_scores(estimator, method):
        return None
    log_proba = None if method is None else estimator.log_proba_from(Z)
    codes = Z > 0 if Z.ndim == 1 else Z.argmax(axis=1)
    score = np.column_stack([-Z / 2, Z / 2]) if Z.ndim == 1 else Z
    return codes.astype(np.int32), score, log_proba


def _from_scores(estimator: EstimatorLike, X: MatrixLike, Z: Array) -> OutputOf:
    """Our classes, and most of our probabilities, are functions of the scores, which are computed once for all."""
    log_proba = getattr(estimator, "predict_log_proba", None)
    if _is_of_scores(estimator, log_proba):
        log_proba = estimator.log_proba_from(Z)
    elif log_proba is not None:
        log_proba = log_proba(X)
    found = {"predict": estimator.classes_from(Z), "predict_log_proba": log_proba}
    return (found | {"decision_function": Z}).get


def _is_of_scores(estimator: EstimatorLike, predict_log_proba: Any) -> bool:
    return hasattr(predict_log_proba, "of_scores") and hasattr(estimator, "log_proba_from")


def _output(estimator: EstimatorLike, X: MatrixLike, name: str) -> Any:
    """Output of a method of the estimator for these rows; None if it has none, or raises
    NotImplementedError. If it changes NumPy's error handling, the change ends here.
    """
    try:
        with np.errstate(divide="ignore" if name == "predict_log_proba" else None):
            method = getattr(estimator, name, None)
            if method is None:
                return None
            values = method(own_copy(X, estimator))
    except NotImplementedError:
        if name == "predict":
            raise
        return None
    if values is None:
        raise ValueError(f"{name} gave None for {counted(X.shape[0], 'row')}")
    return values


@dataclass(frozen=True)
class Outputs:
    """Predictions of an estimator for n rows and K classes, checked and in our form."""

    estimator: EstimatorLike
    output_of: OutputOf
    n: int
    K: int

    def codes(self) -> Array:
        values = np.asarray(self.output_of("predict"))
        if values.shape == (self.n, 1):
            values = values[:, 0]
        if values.shape != (self.n,):
            raise ValueError(
                f"predict gave shape {values.shape} for {counted(self.n, 'row')}; it must give ({self.n},)"
            )
        codes = _as_codes(values, self.K)
        if (codes < 0).any():
            odd = values[codes < 0].tolist()[0]
            raise ValueError(
                f"predict gave {odd!r}, which is no class; predictions must be codes 0 … {self.K - 1}, as in y"
            )
        return codes

    def log_proba(self) -> Array | None:
        name, values = "predict_log_proba", self.output_of("predict_log_proba")
        if values is None:
            name, values = "predict_proba", self.output_of("predict_proba")
            if values is None:
                return None
            values = np.asarray(values, dtype=float)
            if (values < 0).any():
                raise ValueError(f"{name} gave {values.min():g}; a probability is at least 0")
            with np.errstate(divide="ignore"):
                values = np.log(values)
        seen = self._columns()
        log_proba = np.asarray(values, dtype=float)
        if log_proba.shape != (self.n, len(seen)):
            raise ValueError(
                f"{name} gave shape {log_proba.shape}; it must give ({self.n}, {len(seen)}), a column per class"
            )
        sums = np.exp(log_proba).sum(axis=1)
        if not (np.abs(sums - 1) <= SLACK).all():  # also catches NaN
            odd = sums[~(np.abs(sums - 1) <= SLACK)][0]
            raise ValueError(
                f"{name} gave probabilities that sum to {odd:g} in a row; they must sum to 1"
            )
        return self._all_classes(log_proba, seen)

    def scores(self) -> Array | None:
        """decision_function as one column per class; None if it has one per pair of classes, as SVC's 'ovo'."""
        values = self.output_of("decision_function")
        if values is None:
            return None
        n, seen, Z = self.n, self._columns(), np.asarray(values, dtype=float)
        classes = len(seen)
        if classes < 2 or (classes > 2 and _scores_pairs(self.estimator, Z, classes)):
            return None
        if classes == 2 and Z.shape in ((n,), (n, 1)):
            Z = np.column_stack([-Z.ravel() / 2, Z.ravel() / 2])
        if Z.shape != (n, classes):
            wanted = f"({n},)" if classes == 2 else f"({n}, {classes})"
            raise ValueError(
                f"decision_function gave shape {Z.shape} for {counted(n, 'row')} and {classes} classes; it must give "
                f"{wanted}"
            )
        if np.isnan(Z).any() or np.isposinf(Z).any():
            raise ValueError("decision_function gave NaN or +∞; it must give numbers")
        return self._all_classes(Z, seen)

    def _columns(self) -> Array:
        """The class of each column of scores and probabilities: `classes_`, in any order; else 0 … K − 1."""
        given = getattr(self.estimator, "classes_", None)
        if given is None:
            return np.arange(self.K)
        values = np.asarray(given)
        codes = _as_codes(values.ravel(), self.K)
        if values.ndim != 1 or (codes < 0).any() or len(set(codes.tolist())) < len(codes):
            shown = " ".join(str(values.tolist()).split())[:80]
            raise ValueError(
                f"classes_ is {shown}; it must be codes of classes, of 0 … {self.K - 1}"
            )
        return codes

    def _all_classes(self, columns: Array, seen: Array) -> Array:
        """Columns for all classes, in order; −∞ for a class without training rows."""
        if np.array_equal(seen, np.arange(self.K)):
            return columns
        full = np.full((len(columns), self.K), -np.inf)
        full[:, seen] = columns
        return full


def _as_codes(values: Array, K: int) -> Array:
    """Classes as int32, also from True, 1.0 or '1'; −1 for values other than 0 … K − 1."""
    try:
        numbers = values.astype(float)
    except (TypeError, ValueError):  # strings that are not numbers, None
        numbers = np.array([_number(value) for value in values.tolist()])
    known = (numbers >= 0) & (numbers < K) & (numbers == np.floor(numbers))
    return np.where(known, numbers, -1).astype(np.int32)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _scores_pairs(estimator: EstimatorLike, Z: Array, classes: int) -> bool:
    """Whether the columns are pairs of classes, by their number, or for three classes by the parameter of an SVC,
    which may be inside a pipeline or a grid search.
    """
    if classes > 3:
        return Z.ndim == 2 and Z.shape[1] == classes * (classes - 1) // 2
    try:
        params = estimator.get_params()
    except Exception:  # foreign estimators may have anything by this name, or nothing
        return False
    by_pairs = [v for name, v in params.items() if name.endswith("decision_function_shape")]
    return "ovo" in by_pairs


def _halves(score: Array) -> Array:
    """Two classes share one score: −z/2 and z/2."""
    with np.errstate(invalid="ignore"):
        z = score[:, 1] - score[:, 0]
    return np.column_stack([-z / 2, z / 2])


# Estimators of other libraries: they get copies, since they may change their input, and NumPy's default integers


def is_ours(estimator: EstimatorLike) -> bool:
    """Whether the estimator is from linclass."""
    return type(estimator).__module__.startswith("linclass.")


@contextmanager
def noting_sparse_rows(estimator: Any, X: MatrixLike) -> Iterator[None]:
    """Add to an exception of a foreign estimator, or of one inside ours, that its rows are sparse: many expect arrays,
    and fail with a message that does not say so.
    """
    try:
        yield
    except (NotApplicable, MemoryError):
        raise
    except Exception as error:
        if sparse.issparse(X) and _has_foreign(estimator):
            error.add_note(
                f"(X is a SciPy {type(X).__name__}; `dense: true` in the data set's entry gives an array, "
                "as does a transform such as principal_components)"
            )
        raise


def _has_foreign(estimator: Any) -> bool:
    inside = estimator.get_params().values() if is_ours(estimator) else ()
    return any(hasattr(one, "fit") and not is_ours(one) for one in (estimator, *inside))


def own_copy(X: MatrixLike, estimator: EstimatorLike) -> MatrixLike:
    """The rows; for foreign estimators a copy, of GivenRows of the caller's rows."""
    return X if is_ours(estimator) else X.copy()


def own_codes(y: Array, estimator: EstimatorLike) -> Array:
    """The class codes; for foreign estimators a copy with NumPy's default integers."""
    return y if is_ours(estimator) else y.astype(np.int64)
