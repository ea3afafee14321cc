"""Paths of scikit-learn's `C` and `alpha`, by the model of linclass with the same objective, n rows, and the sum W of
their weights, those of their classes (W = n without `class_weight`):

    C = 1/(W · strength)        LogisticRegression, LinearSVC, SVC: sums of losses, C Σ w ℓ + R
    alpha = W · strength        Ridge, RidgeClassifier: Σ w r² + alpha ‖w‖²
    alpha = W/n · strength      Lasso, ElasticNet, SGDClassifier: (1/n) Σ w ℓ + alpha R

Intercepts that liblinear penalizes are not taken into account; a start need not be exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np

from linclass.base.arrays import Array, ArrayLike, EstimatorLike, MatrixLike
from linclass.base.predicted import is_ours
from linclass.base.weights import class_weights

PENALTIES = {"l1": "l1", "l2": "l2", "elasticnet": "elastic_net"}
LOSSES = {"log_loss": "logistic", "squared_error": "squared"}  # that have other names here
KERNELS = {"rbf": "gaussian", "poly": "polynomial"}


def linear(**options: Any) -> Any:
    return import_module("linclass").LinearClassifier(strength=1.0, **options)


def logistic(params: Mapping[str, Any]) -> Any:
    """Since 1.8 l1_ratio alone says which penalty it is."""
    ratio = float(params.get("l1_ratio") or 0.0)
    by_ratio = "l2" if ratio == 0 else "l1" if ratio == 1 else "elasticnet"
    penalty = params.get("penalty", by_ratio)
    penalty = PENALTIES.get(by_ratio if penalty == "deprecated" else penalty)
    return linear(penalty=penalty, l1_ratio=ratio, fit_intercept=params["fit_intercept"])


def linear_svc(params: Mapping[str, Any]) -> Any:
    return linear(loss=params["loss"], penalty=params["penalty"])


def svc(params: Mapping[str, Any]) -> Any:
    name = KERNELS.get(params["kernel"], params["kernel"])
    gamma = params["gamma"] if params["gamma"] != "auto" else "scale"
    own = {"kernel": name, "gamma": gamma, "degree": params["degree"], "coef0": params["coef0"]}
    return import_module("linclass").KernelSVM(**own)


def sgd(params: Mapping[str, Any]) -> Any:
    loss = LOSSES.get(params["loss"], params["loss"])
    return linear(loss=loss, penalty=PENALTIES.get(params["penalty"]), l1_ratio=params["l1_ratio"])


def ridge_classifier(params: Mapping[str, Any]) -> Any:
    return linear(loss="squared")


def regressor(name: str) -> Callable[[Mapping[str, Any]], Any]:
    def made(params: Mapping[str, Any]) -> Any:
        ratio = {"l1_ratio": params["l1_ratio"]} if name == "ElasticNet" else {}
        return getattr(import_module("linclass"), name)(**ratio)

    return made


Rule = tuple[str, Callable[[Mapping[str, Any]], Any], Callable[[Array, float, int], Array]]
RULES: dict[str, Rule] = {
    "LogisticRegression": ("C", logistic, lambda strengths, W, n: 1 / (W * strengths)),
    "LinearSVC": ("C", linear_svc, lambda strengths, W, n: 1 / (W * strengths)),
    "SVC": ("C", svc, lambda strengths, W, n: 1 / (W * strengths)),
    "RidgeClassifier": ("alpha", ridge_classifier, lambda strengths, W, n: W * strengths),
    "SGDClassifier": ("alpha", sgd, lambda strengths, W, n: W / n * strengths),
    "Ridge": ("alpha", regressor("Ridge"), lambda strengths, W, n: W * strengths),
    "Lasso": ("alpha", regressor("Lasso"), lambda strengths, W, n: W / n * strengths),
    "ElasticNet": ("alpha", regressor("ElasticNet"), lambda strengths, W, n: W / n * strengths),
}


def is_foreign(estimator: EstimatorLike) -> bool:
    return not is_ours(estimator)


def known() -> str:
    """The parameters that have a path."""
    return ", ".join(f"{parameter} of {name}" for name, (parameter, *_) in RULES.items())


def is_known(estimator: EstimatorLike, parameter: str) -> bool:
    return (rule := _rule(estimator)) is not None and rule[0] == parameter


def path_values(estimator: EstimatorLike, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
    rule = _rule(estimator)
    assert rule is not None, parameter
    _, ours, in_units = rule
    params, n = estimator.get_params(deep=False), len(np.asarray(y))
    model, W = ours(params), float(n)
    if (weight := params.get("class_weight")) is not None:
        model.set_params(class_weight=weight)
        classes, rows = np.unique(np.asarray(y), return_counts=True)
        W = float(class_weights(weight, classes, rows) @ rows)
    return in_units(model.strength_path(X, y), W, n)


def _rule(estimator: EstimatorLike) -> Rule | None:
    """Of the class itself, or of the first estimator of scikit-learn that it extends. Estimators of scikit-learn that
    extend one with a rule, such as MultiTaskLasso, have other parameters and objectives.
    """
    for cls in type(estimator).__mro__:
        if cls.__module__.partition(".")[0] == "sklearn" and hasattr(cls, "fit"):
            return RULES.get(cls.__name__)
    return None
