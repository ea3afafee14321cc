"""Laws of `partial_fit` of the models composed of a loss and a stochastic solver."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import (
    ElasticNet,
    LinearClassifier,
    LinearRegression,
    LinearSVM,
    LogisticRegression,
    Perceptron,
    ProbitRegression,
    Ridge,
    SecondOrderPerceptron,
    Winnow,
    largest_margin,
)
from linclass.base.messages import NotApplicable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SGD = "stochastic_gradient"
MODELS: dict[str, Any] = {
    "logistic": LogisticRegression(solver=SGD, strength=0.01),
    "unpenalized logistic": LogisticRegression(solver=SGD, penalty=None),
    "last iterate": LogisticRegression(solver={SGD: {"average": False}}, strength=0.1),
    "squared hinge": LinearClassifier(loss="squared_hinge", solver=SGD),
    "hinge": LinearSVM(solver=SGD),
    "pegasos": LinearSVM(solver="pegasos", strength=0.01),
    "perceptron": Perceptron(order="cyclic"),
}


def rows(K: int, n: int = 100) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    return rng.normal(size=(K, 4))[y] * 2 + rng.normal(size=(n, 4)), y


def fresh(name: str) -> Any:
    return copy.deepcopy(MODELS[name])


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 3])
@each("name", [name for name in MODELS if name != "perceptron"])
def test_many_passes_approximate_the_fit_to_all_rows(name, K, kind):
    X, y = rows(K)
    model = fresh(name)
    for _ in range(15):
        model.partial_fit(kind(X), y, classes=range(K))
    other = fresh(name).set_params(max_iter=15).fit(X, y)
    assert np.mean(model.predict(X) == other.predict(X)) > 0.95
    assert model.classes_.tolist() == list(range(K))


def test_the_perceptron_by_parts_makes_the_mistakes_of_the_whole():
    """On separable rows its last weights are its best, so the pocket makes no difference."""
    X, y = rows(2)
    w = np.array([1.0, -1, 0.5, 0.2])
    X = X[np.abs(X @ w) > 0.3]
    y = (X @ w > 0).astype(int)
    whole, parts = Perceptron(order="cyclic", max_iter=1000).fit(X, y), Perceptron()
    for _ in range(whole.n_iter_):
        for part in np.array_split(np.arange(len(y)), 4):
            parts.partial_fit(X[part], y[part], classes=[0, 1])
    assert parts.n_mistakes_ == whole.n_mistakes_
    np.testing.assert_allclose(parts.coef_, whole.coef_, atol=1e-12)
    R = np.sqrt((X**2).sum(axis=1) + 1).max()
    assert parts.n_mistakes_ <= (R / largest_margin(X, y, intercept="feature").margin) ** 2


@each(
    "model",
    [
        LogisticRegression(),
        LogisticRegression(solver="newton"),
        LinearSVM(),
        Perceptron(order="largest_violation"),
        LogisticRegression(solver="unknown"),
        LinearRegression(),
        Ridge(solver="newton"),
    ],
    ids=repr,
)
def test_a_model_without_passes_has_no_partial_fit(model):
    assert not hasattr(model, "partial_fit")


def test_partial_fit_continues_a_fit_and_fit_starts_over():
    X, y = rows(2)
    y[::7] = 1 - y[::7]  # the classes overlap, so each pass makes mistakes
    model = Perceptron(order="cyclic", max_iter=1)
    once = model.fit(X, y).coef_
    model.partial_fit(X, y)
    assert not np.array_equal(model.coef_, once)
    np.testing.assert_array_equal(model.fit(X, y).coef_, once)


def test_weights_of_classes_that_need_all_rows_are_refused():
    X, y = rows(2)
    model = LogisticRegression(solver=SGD, class_weight="balanced")
    with pytest.raises(ValueError, match="class_weight is 'balanced', which needs all rows"):
        model.partial_fit(X, y)


def test_weights_of_classes_multiply_those_of_rows():
    X, y = rows(2)
    one = LogisticRegression(solver=SGD, class_weight={1: 3.0}).partial_fit(X, y)
    other = LogisticRegression(solver=SGD).partial_fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_refused_first_call_leaves_no_state():
    X, y = rows(3)
    model = LogisticRegression(solver=SGD)
    with pytest.raises(ValueError, match="y holds 2"):
        model.partial_fit(X, y, classes=[0, 1])
    once = model.partial_fit(X, y, classes=[0, 1, 2]).coef_
    np.testing.assert_array_equal(once, LogisticRegression(solver=SGD).partial_fit(X, y).coef_)


@each("model", [ProbitRegression(solver=SGD), SecondOrderPerceptron(), Winnow()])
def test_a_model_of_two_classes_refuses_three_also_in_parts(model):
    """Probit regression fitted one score for each of them, and gave six columns of probabilities."""
    X, y = np.abs(rows(3)[0]), rows(3)[1]
    for begin in (model.fit, model.partial_fit):
        with pytest.raises(NotApplicable, match="Only binary classification is supported"):
            begin(X, y)
    two = y < 2
    assert model.partial_fit(X[two], y[two]).coef_.shape == (1, X.shape[1])


BATCHES: Any = {SGD: {"batch": 4}}
REGRESSORS: dict[str, Any] = {
    "least squares": LinearRegression(solver=BATCHES),
    "ridge": Ridge(solver=BATCHES, strength=0.1),
    "last iterate": Ridge(solver={SGD: {"average": False, "batch": 4}}, strength=0.1),
    "without an intercept": Ridge(solver=BATCHES, strength=0.1, fit_intercept=False),
    "no kink": ElasticNet(solver=BATCHES, strength=0.1, l1_ratio=0.0),
}


def targets() -> tuple[Any, Any]:
    X, _ = rows(2)
    return X, X @ [1.0, -2, 0, 3] + 5 + np.random.default_rng(1).normal(size=len(X))


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("name", REGRESSORS)
def test_passes_over_targets_come_near_the_fit_to_all_rows(name, kind):
    X, y = targets()
    model, exact = copy.deepcopy(REGRESSORS[name]), copy.deepcopy(REGRESSORS[name])
    exact.set_params(solver="auto").fit(X, y)
    start = np.sum((exact.predict(X) - y.mean()) ** 2)
    for _ in range(20):
        model.partial_fit(kind(X), y)
    assert np.sum((model.predict(X) - exact.predict(X)) ** 2) < 0.02 * start
    assert (model.status_, model.n_iter_, model.solver_) == ("max_iter", 1, SGD)


def test_ridge_in_parts_is_the_classifier_of_the_squared_loss_in_parts():
    """For y = ±1 both minimize ½(z − y)², batch by batch in the order given."""
    X, y = rows(2)
    weights = np.where(np.arange(len(y)) % 5, 1.5, 0)
    one = Ridge(solver=SGD, strength=0.1)
    other = LinearClassifier(loss="squared", solver=SGD, strength=0.1)
    for part in np.array_split(np.arange(len(y)), 3):
        one.partial_fit(X[part], 2.0 * y[part] - 1, sample_weight=weights[part])
        other.partial_fit(X[part], y[part], [0, 1], sample_weight=weights[part])
    np.testing.assert_array_equal(one.coef_, other.coef_[0])
    assert one.intercept_ == other.intercept_[0]
    assert one.objective_ == other.objective_


def test_partial_fit_of_regressors_continues_a_fit_and_fit_starts_over():
    X, y = targets()
    model = Ridge(solver=SGD, max_iter=1, random_state=0)
    once = model.fit(X, y).coef_
    assert not np.array_equal(model.partial_fit(X, y).coef_, once)
    with pytest.raises(ValueError, match="fit_intercept was True when this Ridge began"):
        model.set_params(fit_intercept=False).partial_fit(X, y)
    np.testing.assert_array_equal(model.set_params(fit_intercept=True).fit(X, y).coef_, once)
    exact = Ridge(strength=0.1).fit(X, y)
    at_optimum = exact.set_params(solver=SGD).partial_fit(X, y)
    assert at_optimum.objective_ < Ridge(solver=SGD, strength=0.1).partial_fit(X, y).objective_


def test_refused_targets_leave_no_state():
    X, y = targets()
    model = Ridge(solver=SGD)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.partial_fit(X[:, :2], np.full(len(y), np.nan))
    assert model.partial_fit(X, y).coef_.shape == (4,)
    with pytest.raises(ValueError, match="X has 2 features, but Ridge is expecting 4"):
        model.partial_fit(X[:, :2], y)
    with pytest.raises(ValueError, match="needs a smooth penalty"):
        ElasticNet(solver=SGD).partial_fit(X, y)
