"""The public names of linclass and their modules."""

from __future__ import annotations

import re

# the classes by package; each is in the module with its name in snake case
CLASSES = {
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
MODULES = {
    name: f"linclass.{package}."
    + re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    for package, names in CLASSES.items()
    for name in names
} | {
    "as_sklearn": "linclass.linear.as_sklearn",
    "decide": "linclass.evaluation.risk",
    "largest_margin": "linclass.linear.largest_margin",
    "parameter_path": "linclass.tuning.paths",
    "separability": "linclass.separation.separability",
    "strength_of_C": "linclass.linear.objective.objective",
}

SUBMODULES = ("plotting",)  # public by their own names, as linclass.plotting.BoundaryDisplay


def module_of(name: str) -> str:
    """The module of a public class or function; of another name, the package."""
    return MODULES.get(name, "linclass")
