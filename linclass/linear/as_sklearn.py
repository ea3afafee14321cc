"""A fitted linear model as the estimator of scikit-learn with the same coefficients, for converters to ONNX or PMML."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.validation import check_is_fitted

SCORE_TOLERANCE = 1e-9  # tolerance of scores and probabilities that should be equal
PROBES = 64  # rows on which the two estimators are compared
ABOUT = ("coef_", "intercept_", "classes_", "n_features_in_", "feature_names_in_", "n_iter_")


def as_sklearn(model: Any) -> Any:
    """The estimator of scikit-learn that predicts as a fitted linear model does.

    A regressor becomes a `LinearRegression`; a classifier a `LogisticRegression` if that gives the same
    probabilities, else a `LinearSVC`, which has none. The new estimator is fitted and knows nothing of the training.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor of linclass whose scores are linear in the features.

    Returns
    -------
    estimator
        A fitted `LinearRegression`, `LogisticRegression` or `LinearSVC`.

    Examples
    --------
    >>> from linclass import LinearDiscriminantAnalysis, as_sklearn
    >>> as_sklearn(LinearDiscriminantAnalysis().fit([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1]))
    LogisticRegression()
    """
    check_is_fitted(model)
    name = type(model).__name__
    if not hasattr(model, "coef_") or not hasattr(model, "intercept_"):
        raise TypeError(f"as_sklearn converts linear models; {name} has no coef_ and intercept_")
    X = np.random.default_rng(0).normal(size=(PROBES, model.n_features_in_))
    kinds = [LinearRegression] if is_regressor(model) else [LogisticRegression, LinearSVC]
    for kind in kinds:
        made = kind()
        for attribute in ABOUT:
            if hasattr(model, attribute):
                setattr(made, attribute, np.copy(getattr(model, attribute)))
        if all(_agree(made, model, method, X) for method in METHODS[kind]):
            return made
    raise TypeError(f"as_sklearn: this {name} does not predict by X @ coef_.T + intercept_ alone")


METHODS = {
    LinearRegression: ("predict",),
    LogisticRegression: ("predict", "predict_proba"),
    LinearSVC: ("predict",),
}


def _agree(made: Any, model: Any, method: str, X: np.ndarray) -> bool:
    """Whether a method of both gives the same on some rows."""
    if not hasattr(model, method):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the rows are no data frame
        ours, theirs = getattr(model, method)(X), getattr(made, method)(X)
    if ours.dtype.kind != "f":
        return np.array_equal(ours, theirs)
    return np.allclose(
        ours, theirs, rtol=SCORE_TOLERANCE, atol=SCORE_TOLERANCE * max(1.0, np.abs(ours).max())
    )
