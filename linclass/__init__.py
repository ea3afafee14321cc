"""Linear classifiers of the textbooks, from the equations, in NumPy, with scikit-learn's interface.

    from linclass import LogisticRegression
    LogisticRegression(strength=0.01).fit(X, y).predict_proba(X)

``help(linclass.LogisticRegression)`` documents one model, ``dir(linclass)`` lists all names, and docs/models.md has
the equation, cost and source of each model. Names are imported on first use.
"""

from __future__ import annotations

import re
from importlib import import_module, util
from typing import Any

# The public classes by package; each is in the module with its name in snake case.
_CLASSES = {
    "base": ("MajorityClass",),
    "bayes": (
        "BayesianLinearRegression",
        "BayesianLogisticRegression",
        "RelevanceVectorMachine",
        "RelevanceVectorRegressor",
    ),
    "discriminant": (
        "FisherDiscriminant",
        "FlexibleDiscriminantAnalysis",
        "LinearDiscriminantAnalysis",
        "MixtureDiscriminantAnalysis",
        "NearestMean",
        "NearestShrunkenCentroids",
        "QuadraticDiscriminantAnalysis",
        "ReducedRankLDA",
        "RegularizedDiscriminantAnalysis",
    ),
    "kernels": (
        "KernelLogisticRegression",
        "KernelPerceptron",
        "KernelSVM",
        "SupportVectorRegressor",
    ),
    "linear": (
        "DantzigSelector",
        "ElasticNet",
        "FirthLogisticRegression",
        "ForwardStagewise",
        "HoKashyap",
        "Lasso",
        "LeastAngleRegression",
        "LeastSquaresClassifier",
        "LinearClassifier",
        "LinearRegression",
        "LinearSVM",
        "LogisticRegression",
        "OrdinalRegression",
        "PartialLeastSquares",
        "ProbitRegression",
        "Ridge",
    ),
    "multiclass": ("ErrorCorrectingOutputCodes", "OneVsOne", "OneVsRest"),
    "naive_bayes": (
        "BernoulliNB",
        "CategoricalNB",
        "ExponentialFamilyNB",
        "GaussianNB",
        "MultinomialNB",
        "PoissonNB",
    ),
    "online": (
        "Adaline",
        "AveragedPerceptron",
        "BalancedWinnow",
        "PassiveAggressive",
        "Perceptron",
        "Relaxation",
        "SecondOrderPerceptron",
        "VotedPerceptron",
        "Winnow",
    ),
    "separation": ("ZeroOneClassifier",),
    "tuning": ("Calibrated", "TunedClassifier", "TunedRegressor"),
}
_MODULES = {
    name: f"linclass.{package}."
    + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    for package, names in _CLASSES.items()
    for name in names
} | {
    "decide": "linclass.evaluation.risk",
    "largest_margin": "linclass.linear.largest_margin",
    "parameter_path": "linclass.tuning.paths",
    "separability": "linclass.separation.separability",
    "strength_of_C": "linclass.linear.objective.objective",
}
__all__ = sorted(_MODULES)


def module_of(name: str) -> str:
    """The module of a public class or function; of another name, this one."""
    return _MODULES.get(name, __name__)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("linclass")
    if name in _MODULES:
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value
    if not name.startswith("_") and util.find_spec(f"linclass.{name}"):
        return import_module(f"linclass.{name}")
    from linclass.base.suggestions import CLASSES, nearest

    near = nearest(name, __all__, CLASSES.get(name))
    hint = f"; did you mean {near!r}?" if near else ""
    raise AttributeError(f"module 'linclass' has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return __all__
