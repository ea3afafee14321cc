"""Platt's sigmoid: what it maximizes, that it sees held-out scores only, and what calibration is for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import expit, xlogy

from linclass import Calibrated, LinearSVM, LogisticRegression, NearestMean
from linclass.applicability import NotApplicable
from linclass.estimators import sigmoid as sigmoids
from linclass.estimators.sigmoid import sigmoid
from linclass.solvers.newton import Newton


def noisy(n: int, seed: int = 0, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 4)) + np.eye(4)[y], y


def test_the_sigmoid_has_the_greatest_likelihood_of_platts_targets() -> None:
    rng = np.random.default_rng(0)
    z = 100 + 7 * rng.standard_normal(200)
    own = z + 5 * rng.standard_normal(200) > 102
    target = np.where(own, (own.sum() + 1) / (own.sum() + 2), 1 / ((~own).sum() + 2))

    def loss(ab: np.ndarray) -> float:
        p = expit(ab[0] * (z - 100) + ab[1])
        return -float((xlogy(target, p) + xlogy(1 - target, 1 - p)).sum())

    best = minimize(loss, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    a, b = sigmoid(z, own)[:2]
    assert_allclose([a, b + 100 * a], best.x, rtol=1e-4)


@pytest.mark.parametrize("scores", ["separated", "equal"])
def test_scores_without_a_finite_likelihood_have_a_sigmoid(scores: str) -> None:
    own = np.arange(20) >= 15
    a, b = sigmoid(np.where(own, 1.0, -1.0) * (scores == "separated"), own)[:2]
    p = expit(a * np.where(own, 1.0, -1.0) + b)
    assert ((p > 0) & (p < 1)).all()
    if scores == "separated":  # both targets are reached
        assert_allclose([p[-1], p[0]], [6 / 7, 1 / 17], rtol=1e-6)


def test_the_unit_of_scores_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    z, own = rng.standard_normal(60), rng.random(60) < 0.5
    a, b = sigmoid(z, own)[:2]
    assert_allclose(sigmoid(1e9 * z + 3, own)[:2], [a / 1e9, b - 3 * a / 1e9], rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "estimator",
    [LinearSVM(), LinearSVM(loss="squared_hinge"), NearestMean(), LogisticRegression()],
    ids=repr,
)
def test_probabilities_of_new_rows_are_calibrated(estimator: Any, classes: int) -> None:
    """On many new rows the mean probability of a class is its share, overall and where it is high."""
    X, y = noisy(900, classes=classes)
    X_new, y_new = noisy(6000, seed=1, classes=classes)
    model = Calibrated(estimator).fit(X, y)
    P = model.predict_proba(X_new)
    assert_allclose(P.sum(axis=1), 1)
    for k in range(classes):
        likely = P[:, k] > 0.6
        assert abs(P[:, k].mean() - (y_new == k).mean()) < 0.05
        assert abs(P[likely, k].mean() - (y_new[likely] == k).mean()) < 0.08
    assert np.array_equal(model.predict(X_new), P.argmax(axis=1))


def test_probabilities_are_not_those_of_memorized_rows() -> None:
    """Labels by chance, more features than rows: training scores are perfect, held-out ones say nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), rng.integers(0, 2, 60)
    model = Calibrated(LinearSVM(strength=1e-4)).fit(X, y)
    assert model.estimator_.score(X, y) == 1
    p = model.predict_proba(rng.standard_normal((500, 200)))[:, 1]
    assert np.abs(p - 0.5).mean() < 0.25


def test_labels_and_other_peoples_estimators_are_welcome() -> None:
    from sklearn.svm import LinearSVC

    X, y = noisy(200)
    names = np.array(["no", "yes"])[y]
    ours = Calibrated(LinearSVC()).fit(X, names)
    assert set(ours.predict(X)) == {"no", "yes"}
    assert (
        Calibrated(LinearSVM(), folds=3).set_params(estimator__strength=0.5).estimator.strength
        == 0.5
    )
    with pytest.raises(ValueError, match="folds is 1"):
        Calibrated(folds=1).fit(X, y)


@pytest.mark.parametrize("given", [LinearSVM, "LinearSVM", object()])
def test_what_is_no_classifier_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="give a classifier that is made"):
        Calibrated(given).fit(*noisy(20))


def test_a_class_of_one_row_cannot_be_held_out() -> None:
    X, _ = noisy(20)
    with pytest.raises(NotApplicable, match="class 1 has 1 row; Calibrated holds"):
        Calibrated().fit(X, (np.arange(20) == 3).astype(int))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_sigmoid_that_has_not_converged_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 2
    X[:, 0] += y
    assert Calibrated().fit(X, y).status_ == "converged"
    monkeypatch.setattr(sigmoids, "Newton", lambda tol: Newton(tol=tol, max_iter=1))
    model = Calibrated().fit(X, y)
    assert model.status_ == "max_iter"
    assert "sigmoid" in model.reason_
