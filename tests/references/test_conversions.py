"""Every row of the table in docs/objective.md, fitted by both libraries."""

import re
from pathlib import Path

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from sklearn import linear_model, svm

import linclass as L

PAGE = Path(__file__).parents[2] / "docs/objective.md"
STRENGTH, N = 0.05, 90
RATIO = {"l1_ratio": 0.4}


OURS, C = {"strength": STRENGTH, "tol": 1e-12}, 1 / (N * STRENGTH)
PAIRS = {
    "LogisticRegression": (
        L.LogisticRegression(penalty="elastic_net", **RATIO, **OURS, max_iter=1000),
        linear_model.LogisticRegression(C=C, **RATIO, solver="saga", tol=1e-8, max_iter=50_000),
    ),
    "Ridge": (L.Ridge(**OURS), linear_model.Ridge(alpha=N * STRENGTH)),
    "RidgeClassifier": (
        L.LeastSquaresClassifier(penalty="l2", **OURS),
        linear_model.RidgeClassifier(alpha=N * STRENGTH),
    ),
    "Lasso": (L.Lasso(**OURS), linear_model.Lasso(alpha=STRENGTH, tol=1e-12)),
    "ElasticNet": (
        L.ElasticNet(**OURS, **RATIO),
        linear_model.ElasticNet(alpha=STRENGTH, **RATIO, tol=1e-12),
    ),
    "LinearSVC": (
        L.LinearClassifier(loss="squared_hinge", **OURS, fit_intercept=False),
        svm.LinearSVC(C=C, fit_intercept=False, tol=1e-12, max_iter=100_000),
    ),
    "SVC": (L.LinearSVM(strength=STRENGTH, tol=1e-9), svm.SVC(C=C, kernel="linear", tol=1e-9)),
    "SVR": (
        L.SupportVectorRegressor(strength=STRENGTH, epsilon=0.1, tol=1e-9),
        svm.SVR(C=C, kernel="linear", epsilon=0.1, tol=1e-9),
    ),
    "SGDClassifier": (
        L.LogisticRegression(**OURS),
        linear_model.SGDClassifier("log_loss", alpha=STRENGTH, tol=None, max_iter=20_000, average=True, random_state=0),
    ),
}  # fmt: skip
CLOSE = {"SGDClassifier": 2e-2, "SVC": 1e-4, "SVR": 1e-4}  # absolute; how near the peer comes


@each("name", PAIRS)
def test_the_conversion_gives_the_same_coefficients(name):
    ours, theirs = PAIRS[name]
    rng = np.random.default_rng(3)
    X = rng.standard_normal((N, 4))
    target = X @ [1.0, -2.0, 0.0, 0.5] + rng.standard_normal(N)
    classes = np.where(target + rng.standard_normal(N) > 0.3, 1, -1)
    y = target if name in ("Ridge", "Lasso", "ElasticNet", "SVR") else classes
    ours.fit(X, y)
    theirs.fit(X, y)
    assert ours.status_ == "converged"
    within = CLOSE.get(name, 1e-5)
    assert_allclose(np.ravel(ours.coef_), np.ravel(theirs.coef_), atol=within)
    assert_allclose(np.ravel(ours.intercept_), np.ravel(theirs.intercept_), atol=within)


def test_the_page_names_the_same_estimators():
    table = PAGE.read_text(encoding="utf-8").split("## scikit-learn's parameters")[1]
    assert re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE) == list(PAIRS)


def test_a_C_and_back():
    assert L.strength_of_C(1 / (N * STRENGTH), N) == pytest.approx(STRENGTH)
    for C, n in ((0, 10), (-1, 10), (1, 0), ("1", 10)):
        with pytest.raises(ValueError, match="must be a finite number above 0"):
            L.strength_of_C(C, n)
