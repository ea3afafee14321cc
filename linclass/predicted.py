"""What a fitted classifier says of rows, in one form and checked: codes, a score per class, log-probabilities.

Estimators come from anywhere, so what they return is looked at once, here: wrong shapes, classes that do
not exist, and values that are no numbers are errors of that fit, said in one line, and never reach a table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SLACK = 1e-4  # of the sum of a row's probabilities; some libraries compute in single precision


def said_of(estimator: Any, X: Any, K: int) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """(predicted codes (n,), score (n, K), log-probabilities (n, K) or None)."""
    n = X.shape[0]
    seen = np.asarray(getattr(estimator, "classes_", range(K))).astype(int)
    y_pred = _codes(estimator.predict(own_copy(X, estimator)), n, K)
    log_proba = _log_proba(estimator, X, seen, K)
    score = _scores(estimator, X, seen, K)
    if score is None:
        score = np.eye(K)[y_pred] if log_proba is None else log_proba
    return y_pred, _halves(score) if K == 2 else score, log_proba


def own_copy(X: Any, estimator: Any) -> Any:
    """Somebody else's estimator may change what it is given, and the next one must not see that."""
    return X if type(estimator).__module__.startswith("linclass.") else X.copy()


def _codes(predicted: Any, n: int, K: int) -> np.ndarray:
    values = np.asarray(predicted)
    if values.shape != (n,):
        raise ValueError(f"predict gave shape {values.shape} for {n} rows; it must give ({n},)")
    codes = values.astype(np.int32)
    if (codes != values).any() or codes.min(initial=0) < 0 or codes.max(initial=0) >= K:
        odd = values[(codes != values) | (codes < 0) | (codes >= K)][0]
        raise ValueError(f"predict gave {odd!r}, which is no class; the classes are 0 … {K - 1}")
    return codes


def _log_proba(estimator: Any, X: Any, seen: np.ndarray, K: int) -> np.ndarray | None:
    if hasattr(estimator, "predict_log_proba"):
        name, values = "predict_log_proba", estimator.predict_log_proba(own_copy(X, estimator))
    elif hasattr(estimator, "predict_proba"):
        name, values = "predict_proba", estimator.predict_proba(own_copy(X, estimator))
        with np.errstate(divide="ignore", invalid="ignore"):
            values = np.log(np.asarray(values, dtype=float))
    else:
        return None
    log_proba = np.asarray(values, dtype=float)
    if log_proba.shape != (X.shape[0], len(seen)):
        raise ValueError(
            f"{name} gave shape {log_proba.shape}; it must give ({X.shape[0]}, {len(seen)}), a column per class"
        )
    sums = np.exp(log_proba).sum(axis=1)
    if not (np.abs(sums - 1) <= SLACK).all():  # NaN is not
        odd = sums[~(np.abs(sums - 1) <= SLACK)][0]
        raise ValueError(
            f"{name} gave probabilities that sum to {odd:g} in a row; they must sum to 1"
        )
    return _all_classes(log_proba, seen, K)


def _scores(estimator: Any, X: Any, seen: np.ndarray, K: int) -> np.ndarray | None:
    """decision_function as one column per class, where it speaks of classes (SVC's 'ovo' speaks of pairs)."""
    pairs = getattr(estimator, "decision_function_shape", None) == "ovo" and len(seen) > 2
    if pairs or not hasattr(estimator, "decision_function"):
        return None
    n, Z = X.shape[0], np.asarray(estimator.decision_function(own_copy(X, estimator)), dtype=float)
    if Z.shape in ((n,), (n, 1)):
        Z = np.column_stack([-Z.ravel() / 2, Z.ravel() / 2])
    if Z.shape[:1] != (n,) or Z.ndim != 2:
        raise ValueError(f"decision_function gave shape {Z.shape} for {n} rows")
    if Z.shape[1] != len(seen):
        return None
    if np.isnan(Z).any() or np.isposinf(Z).any():
        raise ValueError("decision_function gave values that are no numbers")
    return _all_classes(Z, seen, K)


def _halves(score: np.ndarray) -> np.ndarray:
    """Two classes share one score: −z/2 and z/2."""
    with np.errstate(invalid="ignore"):
        z = score[:, 1] - score[:, 0]
    return np.column_stack([-z / 2, z / 2])


def _all_classes(columns: np.ndarray, seen: np.ndarray, K: int) -> np.ndarray:
    """A class that the training rows did not have can not be chosen: −∞."""
    if len(seen) == K:
        return columns
    full = np.full((len(columns), K), -np.inf)
    full[:, seen] = columns
    return full
