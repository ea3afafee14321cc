"""Names that errors suggest: what other libraries' classes, parameters and parts are called here, and near names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import SequenceMatcher

CLASSES = {
    "ARDRegression": "RelevanceVectorRegressor",
    "CalibratedClassifierCV": "Calibrated",
    "DummyClassifier": "MajorityClass",
    "ElasticNetCV": "TunedRegressor",
    "GridSearchCV": "TunedClassifier",
    "LDA": "LinearDiscriminantAnalysis",
    "Lars": "LeastAngleRegression",
    "LassoCV": "TunedRegressor",
    "LinearSVC": "LinearSVM",
    "LogisticRegressionCV": "TunedClassifier",
    "NearestCentroid": "NearestMean",
    "OneVsOneClassifier": "OneVsOne",
    "OneVsRestClassifier": "OneVsRest",
    "OutputCodeClassifier": "ErrorCorrectingOutputCodes",
    "PLSRegression": "PartialLeastSquares",
    "PassiveAggressiveClassifier": "PassiveAggressive",
    "QDA": "QuadraticDiscriminantAnalysis",
    "RVC": "RelevanceVectorMachine",
    "RVR": "RelevanceVectorRegressor",
    "RidgeCV": "TunedRegressor",
    "RidgeClassifier": "LeastSquaresClassifier",
    "SGDClassifier": "LinearClassifier",
    "SVC": "KernelSVM",
    "SVR": "SupportVectorRegressor",
}
PARAMETERS = {  # several, of which a class has one at most
    "alpha": ("strength", "smoothing"),
    "eta0": ("learning_rate",),
    "lam": ("strength",),
    "reg_param": ("shrinkage",),
    "shrink_threshold": ("threshold",),
}
# scikit-learn's parameter → the strength that it is, of a class or, by "", of all others
_MEAN = "strength=alpha/n, for n rows of weight 1"
STRENGTHS = {
    "C": {"": "strength=1/(n·C), for n rows of weight 1: linclass.strength_of_C(C, n)"},
    "alpha": {
        "ElasticNet": "strength=alpha",
        "Lasso": "strength=alpha",
        "LeastSquaresClassifier": _MEAN,
        "LinearClassifier": "strength=alpha",
        "Ridge": _MEAN,
    },
}
PARTS = {
    "kernels": {"poly": "polynomial", "rbf": "gaussian"},
    "losses": {
        "exp": "exponential",
        "log": "logistic",
        "log_loss": "logistic",
        "logloss": "logistic",
        "multinomial": "softmax",
        "squared_error": "squared",
    },
    "penalties": {"elasticnet": "elastic_net", "lasso": "l1", "none": "unpenalized", "ridge": "l2"},
    "solvers": {
        "lbfgs": "quasi_newton",
        "newton-cg": "newton_cg",
        "newton-cholesky": "newton",
        "sag": "stochastic_gradient",
        "saga": "stochastic_gradient",
        "sgd": "stochastic_gradient",
    },
}
MIN_SIMILARITY = 0.75  # share of common letters from which one name may be a misspelling of another
LONG = 100  # letters that are compared
WORDS = re.compile(r"[\W_]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def nearest(name: object, known: Collection[str], ours: str | None = None) -> str | None:
    """The known name that is meant: the same but for capitals; `ours`, what another library's name is called here;
    or the nearest.
    """
    lower = str(name).lower()
    return lower if lower in known else ours or next(iter(near_names(name, known)), None)


def near_names(name: object, known: Iterable[object]) -> list[str]:
    """The known names that may be meant, nearest first; none if no name is near."""
    likeness = {str(other): _likeness(str(name)[:LONG], str(other)[:LONG]) for other in known}
    near = sorted(likeness, key=lambda other: -likeness[other])
    return [other for other in near if likeness[other] >= MIN_SIMILARITY]


def _likeness(name: str, other: str) -> float:
    """Share of common letters, but not of words that both names have: pima.csv is not like spam.csv, and MLPClassifier
    not like SGDClassifier. A name that has all words of another is near it, as roc_auc and auc.
    """
    ours, theirs = (WORDS.sub(" ", only_ours).lower().split() for only_ours in (name, other))
    if not (ours and theirs):  # of signs alone
        return 0.0
    whole = _ratio(ours, theirs)
    new, missing = [w for w in ours if w not in theirs], [w for w in theirs if w not in ours]
    if new and missing:
        return min(whole, _ratio(new, missing))
    return max(whole, MIN_SIMILARITY) if whole >= 0.5 else whole


def _ratio(words: list[str], others: list[str]) -> float:
    matcher = SequenceMatcher(None, "".join(words), "".join(others))
    # 1 if only the order differs, as in lad for lda
    most = matcher.real_quick_ratio() and matcher.quick_ratio()
    return max(matcher.ratio(), MIN_SIMILARITY * (most == 1)) if most >= 0.5 else 0.0
