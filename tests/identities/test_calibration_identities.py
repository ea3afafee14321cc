"""Calibration maps: their optimality conditions, their use of held-out scores only, and their benefit."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.special import expit, log_softmax, softmax
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, StackingClassifier
from sklearn.model_selection import PredefinedSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer as Identity

from linclass import Calibrated, LinearSVM, LogisticRegression, OneVsRest, TunedClassifier
from linclass.linear.solvers.newton import Newton
from linclass.tuning import calibrated, calibration_maps
from linclass.tuning.calibration_maps import Temperature, sigmoid
from linclass.tuning.folds import stratified_folds


def noisy(n, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.standard_normal((n, 4)) + np.eye(4)[y], y


@each("scores", ["separated", "equal"])
def test_scores_without_a_finite_likelihood_have_a_sigmoid(scores):
    own = np.arange(20) >= 15
    a, b = sigmoid(np.where(own, 1.0, -1.0) * (scores == "separated"), own, np.ones(len(own)))[:2]
    p = expit(a * np.where(own, 1.0, -1.0) + b)
    assert ((p > 0) & (p < 1)).all()
    if scores == "separated":  # both targets are reached
        assert_allclose([p[-1], p[0]], [6 / 7, 1 / 17], rtol=1e-6)


def test_probabilities_are_not_those_of_memorized_rows():
    """Random labels and more features than rows: training scores are perfect, held-out scores uninformative."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), rng.integers(0, 2, 60)
    model = Calibrated(LinearSVM(strength=1e-4)).fit(X, y)
    assert model.estimator_.score(X, y) == 1
    p = model.predict_proba(rng.standard_normal((500, 200)))[:, 1]
    assert np.abs(p - 0.5).mean() < 0.25


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_sigmoid_that_has_not_converged_is_reported(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 2
    X[:, 0] += y
    assert Calibrated().fit(X, y).status_ == "converged"
    monkeypatch.setattr(calibration_maps, "Newton", lambda tol: Newton(tol=tol, max_iter=1))
    model = Calibrated().fit(X, y)
    assert model.status_ == "max_iter"
    assert "sigmoid" in model.reason_


def test_a_row_of_weight_two_is_the_row_twice_in_every_map():
    rng = np.random.default_rng(0)
    codes, w = rng.integers(0, 3, 80), rng.integers(1, 4, 80)
    Z = np.round(rng.standard_normal((80, 3)) + np.eye(3)[codes], 1)
    for make in calibrated.METHODS.values():
        weighted = make(Z, codes, w.astype(float))
        repeated = make(Z.repeat(w, axis=0), codes.repeat(w), np.ones(w.sum()))
        assert_allclose(weighted.decision(Z), repeated.decision(Z), atol=1e-6)


@each("method", calibrated.METHODS)
@each("classes", [2, 3])
def test_every_map_is_scikit_learns(method, classes):
    X, y = noisy(400, classes=classes)
    fold = stratified_folds(y, 5, int(np.random.default_rng(0).integers(2**32)))
    splits = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(5)]
    inner = LogisticRegression(strength=1.0)
    peer = CalibratedClassifierCV(inner, method=method, cv=splits, ensemble=False).fit(X, y)
    ours = Calibrated(inner, method=method).fit(X, y)
    assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-6)
    for folds in (fold, splits, PredefinedSplit(fold)):
        given = Calibrated(inner, method=method, cv=folds).fit(X, y)
        assert_allclose(
            given.predict_proba(X), peer.predict_proba(X), atol=1e-6, err_msg=str(folds)
        )


@each("classes", [2, 4])
def test_temperature_scaling_maximizes_the_likelihood_and_keeps_the_order(classes):
    rng = np.random.default_rng(2)
    codes, w = rng.integers(0, classes, 200), rng.uniform(0.1, 2, 200)
    Z = 30 * (rng.standard_normal((200, classes)) + np.eye(classes)[codes])
    found = Temperature(Z, codes, w)
    P = softmax(Z / found.temperature, axis=1)
    expected, own = (P * Z).sum(axis=1), Z[np.arange(200), codes]
    assert abs(w @ (expected - own)) < 1e-8 * (w @ np.abs(own))

    def loss(T):
        return -float(w @ log_softmax(Z / T, axis=1)[np.arange(200), codes])

    least = loss(found.temperature)
    assert all(loss(found.temperature * factor) > least for factor in (0.9, 0.999, 1.001, 1.1))
    decided = found.decision(Z)
    chosen = (decided > 0).astype(int) if classes == 2 else decided.argmax(axis=1)
    assert np.array_equal(chosen, Z.argmax(axis=1))
    assert Temperature(1e6 * Z, codes, w).temperature == pytest.approx(1e6 * found.temperature)


def test_a_temperature_without_an_optimum_is_reported():
    codes = np.arange(20) % 2
    right = np.column_stack([1.0 - codes, codes])
    assert Temperature(right, codes, np.ones(20)).status == "separable"
    wrong = Temperature(-right, codes, np.ones(20))  # the hottest allowed, and no order is reversed
    assert wrong.status == "converged"
    assert_allclose(softmax(-right / wrong.temperature, axis=1), 0.5, atol=1e-3)


@each("method", calibrated.METHODS)
@each("classes", [2, 3])
def test_probabilities_of_zero_can_be_calibrated(method, classes):
    X, y = noisy(150, classes=classes)
    forest = RandomForestClassifier(5, random_state=0)
    model = Calibrated(forest, method=method, cv=2).fit(X, y)
    assert model.status_ == "converged"
    assert np.isfinite(model.decision_function(X)).all()
    assert model.score(X, y) > 0.7


@each("labels", [[1, 2, 3], ["a", "b", "c"]])
def test_a_dict_of_class_weights_in_the_base_estimator_names_the_labels(labels):
    """And not their codes, by which the weight of class 1 was that of class 2."""
    X, codes = noisy(90, classes=3)
    y, weight = np.array(labels)[codes], {labels[0]: 5.0}
    expected = LogisticRegression(class_weight={0: 5.0}).fit(X, codes).coef_
    inner = LogisticRegression(class_weight=weight)
    for base in (inner, make_pipeline(Identity(), inner)):
        fitted = Calibrated(base, cv=2).fit(X, y).estimator_
        assert_allclose((fitted[-1] if base is not inner else fitted).coef_, expected)
    grid = {"estimator__class_weight": [weight]}
    base = Calibrated(LogisticRegression(), cv=2)
    tuned = TunedClassifier(base, strengths=None, param_grid=grid, cv=2).fit(X, y)
    assert_allclose(tuned.estimator_.estimator_.coef_, expected)
    sides = OneVsRest(LogisticRegression(class_weight={1: 5.0}))  # 1 against the rest, 0
    fitted = Calibrated(sides, cv=2).fit(X, y).estimator_
    assert_allclose(fitted.coef_, sides.fit(X, y).coef_)
    with pytest.raises(ValueError, match="class_weight names 9, but the classes are"):
        Calibrated(LogisticRegression(class_weight={9: 5.0})).fit(X, y)


def test_a_stack_that_predicts_after_its_fit_only_is_calibrated():
    X, y = noisy(60)
    stack = StackingClassifier([("svm", LinearSVM())], cv=2)
    assert not hasattr(stack, "predict")
    P = Calibrated(stack, cv=2).fit(X, y).predict_proba(X)
    assert_allclose(P.sum(axis=1), 1)
    with pytest.raises(ValueError, match="pass an instance of a classifier"):
        Calibrated(make_pipeline(Identity())).fit(X, y)
