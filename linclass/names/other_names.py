"""Other names of classes, parameters and parts, above all scikit-learn's: errors tell what they are called here."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

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
    "eta0": ("step",),
    "lam": ("strength",),
    "learning_rate": ("step",),
    "reg_param": ("shrinkage",),
    "shrink_threshold": ("threshold",),
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
    "penalties": {
        "elasticnet": "elastic_net",
        "lasso": "l1",
        "none": "unpenalized",
        "ridge": "l2",
    },
    "solvers": {
        "lbfgs": "quasi_newton",
        "newton-cg": "newton_cg",
        "newton-cholesky": "newton",
        "sag": "stochastic_gradient",
        "saga": "stochastic_gradient",
        "sgd": "stochastic_gradient",
    },
}


def nearest(name: object, known: Collection[str], ours: str | None = None) -> str | None:
    """The known name that is meant: the same but for capitals; `ours`, what another library's name is called here;
    or the most similar.
    """
    lower = str(name).lower()
    near = get_close_matches(str(name), known, n=1)
    return lower if lower in known else ours or (near[0] if near else None)
