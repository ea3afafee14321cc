"""Learning row by row: parts of the rows, passes over them, and the weights of perceptrons."""

import sys

import numpy as np
import pytest
from cases import each
from scipy import sparse
from sklearn.base import clone

import linclass as L
from linclass.base.messages import NotApplicable
from linclass.linear.solvers.corrections import visits_of_many, visits_of_two

# Laws of `partial_fit` of the models composed of a loss and a stochastic solver

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SGD = "stochastic_gradient"
BATCHES = {SGD: {"batch": 4}}
MODELS = {
    "logistic": L.LogisticRegression(solver=SGD, strength=0.01),
    "unpenalized logistic": L.LogisticRegression(solver=SGD, penalty=None),
    "last iterate": L.LogisticRegression(solver={SGD: {"average": False}}, strength=0.1),
    "squared hinge": L.LinearClassifier(loss="squared_hinge", solver=SGD),
    "hinge": L.LinearSVM(solver=SGD),
}
REGRESSORS = {
    "least squares": L.LinearRegression(solver=BATCHES),
    "ridge": L.Ridge(solver=BATCHES, strength=0.1),
    "last iterate": L.Ridge(solver={SGD: {"average": False, "batch": 4}}, strength=0.1),
    "without an intercept": L.Ridge(solver=BATCHES, strength=0.1, fit_intercept=False),
    "no kink": L.ElasticNet(solver=BATCHES, strength=0.1, l1_ratio=0.0),
}


def rows(K, n=100):
    rng = np.random.default_rng(0)
    y = np.r_[np.arange(K), rng.integers(0, K, n - K)]
    return rng.normal(size=(K, 4))[y] * 2 + rng.normal(size=(n, 4)), y


def targets():
    X, _ = rows(2)
    return X, X @ [1.0, -2, 0, 3] + 5 + np.random.default_rng(1).normal(size=len(X))


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 3])
@each("name", MODELS)
def test_many_passes_approximate_the_fit_to_all_rows(name, K, kind):
    X, y = rows(K)
    model, other = clone(MODELS[name]), clone(MODELS[name]).set_params(max_iter=15).fit(X, y)
    for _ in range(15):
        model.partial_fit(kind(X), y, classes=range(K))
    assert np.mean(model.predict(X) == other.predict(X)) > 0.95
    assert model.classes_.tolist() == list(range(K))


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("name", REGRESSORS)
def test_passes_over_targets_come_near_the_fit_to_all_rows(name, kind):
    X, y = targets()
    model, exact = clone(REGRESSORS[name]), clone(REGRESSORS[name])
    exact.set_params(solver="auto").fit(X, y)
    start = np.sum((exact.predict(X) - y.mean()) ** 2)
    for _ in range(20):
        model.partial_fit(kind(X), y)
    assert np.sum((model.predict(X) - exact.predict(X)) ** 2) < 0.02 * start
    assert (model.status_, model.n_iter_, model.solver_) == ("max_iter", 1, SGD)


@each("model", [
    L.LogisticRegression(), L.LogisticRegression(solver="newton"), L.LinearSVM(),
    L.LogisticRegression(solver="unknown"), L.LinearRegression(), L.Ridge(solver="newton"),
], ids=repr)  # fmt: skip
def test_a_model_without_passes_has_no_partial_fit(model):
    assert not hasattr(model, "partial_fit")


def test_partial_fit_continues_a_fit_and_fit_starts_over():
    X, y = rows(2)
    y[::7] = 1 - y[::7]  # the classes overlap, so each pass makes mistakes
    perceptron = L.Perceptron(order="cyclic", max_iter=1)
    ridge = L.Ridge(solver=SGD, max_iter=1, random_state=0)
    for model, target in ((perceptron, y), (ridge, targets()[1])):
        once = model.fit(X, target).coef_
        assert not np.array_equal(model.partial_fit(X, target).coef_, once)
        with pytest.raises(ValueError, match=r"fit_intercept was True when this .* began"):
            model.set_params(fit_intercept=False).partial_fit(X, target)
        again = model.set_params(fit_intercept=True).fit(X, target).coef_
        np.testing.assert_array_equal(again, once)
    exact = L.Ridge(strength=0.1).fit(X, target)
    at_optimum = exact.set_params(solver=SGD).partial_fit(X, target)
    fresh = L.Ridge(solver=SGD, strength=0.1).partial_fit(X, target)
    assert at_optimum.objective_ < fresh.objective_


def test_weights_of_classes_multiply_those_of_rows():
    X, y = rows(2)
    one = L.LogisticRegression(solver=SGD, class_weight={1: 3.0}).partial_fit(X, y)
    other = L.LogisticRegression(solver=SGD).partial_fit(X, y, sample_weight=np.where(y, 3.0, 1.0))
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_a_refused_first_call_leaves_no_state():
    X, y = rows(3)
    model = L.LogisticRegression(solver=SGD)
    with pytest.raises(ValueError, match="y holds 2"):
        model.partial_fit(X, y, classes=[0, 1])
    once = model.partial_fit(X, y, classes=[0, 1, 2]).coef_
    np.testing.assert_array_equal(once, L.LogisticRegression(solver=SGD).partial_fit(X, y).coef_)
    model = L.Ridge(solver=SGD)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        model.partial_fit(X[:, :2], np.full(len(y), np.nan))
    assert model.partial_fit(X, y * 1.0).coef_.shape == (4,)
    with pytest.raises(ValueError, match="X has 2 features, but Ridge is expecting 4"):
        model.partial_fit(X[:, :2], y * 1.0)
    with pytest.raises(ValueError, match="needs a smooth penalty"):
        L.ElasticNet(solver=SGD).partial_fit(X, y * 1.0)


@each("model", [L.ProbitRegression(solver=SGD), L.SecondOrderPerceptron(), L.Winnow()])
def test_a_model_of_two_classes_refuses_three_also_in_parts(model):
    """Probit regression fitted one score for each of them, and gave six columns of probabilities."""
    X, y = np.abs(rows(3)[0]), rows(3)[1]
    for begin in (model.fit, model.partial_fit):
        with pytest.raises(NotApplicable, match="Only binary classification is supported"):
            begin(X, y)
    assert model.partial_fit(X[y < 2], y[y < 2]).coef_.shape == (1, X.shape[1])


# Weights of a perceptron count rows: weight w means up to w visits in succession, until the row is correct


ORDERS = each("order", ["random", "cyclic"])
FORMS = {
    "dense": (L.Perceptron, np.asarray, {}),
    "sparse": (L.Perceptron, sparse.csr_array, {}),
    "kernel": (L.KernelPerceptron, np.asarray, {"kernel": "polynomial", "gamma": 1.0, "degree": 2}),
}


def counts(K, seed=0, n=120):
    """Whole numbers, of which sums have no rounding: rows of overlapping classes, some of them 0, some long."""
    rng = np.random.default_rng([K, seed])
    y = np.arange(n) % K
    X = rng.poisson(2.0, size=(n, 4)) + rng.integers(0, 2, (K, 4))[y] - 2.0
    X[rng.random(n) < 0.1] *= 20
    return X, y, rng.choice([0.0, 1, 1, 2, 3, 30], n)


def row_by_row(X, y, weights):
    """One pass, as in the books: Θ of the rows [x 1], and the corrections."""
    K, mistakes = y.max() + 1, 0
    theta = np.zeros((K, X.shape[1] + 1))
    for x, k, left in zip(np.column_stack([X, np.ones(len(X))]), y, weights, strict=True):
        while left > 0:
            z = theta @ x if K > 2 else np.array([0, theta[1] @ x])
            rival = int(np.argmax(np.where(np.arange(K) == k, -np.inf, z)))
            if z[k] > z[rival]:
                break
            signs = (np.arange(K) == k) - 1.0 * (np.arange(K) == rival)
            theta += min(left, 1) * np.outer(signs, x)
            left, mistakes = left - 1, mistakes + 1
    return (theta[1:] if K == 2 else theta), mistakes


@ORDERS
@each("K", [2, 3])
@each("form", FORMS)
def test_a_row_of_weight_two_is_the_row_twice_in_every_order(form, K, order):
    """In random order wherever the two stand; with what the fit reports."""
    kind, stored, options = FORMS[form]
    for seed in range(2):
        X, y, w = counts(K, seed, 60 if form == "kernel" else 120)
        often = np.repeat(np.arange(len(y)), w.astype(int))
        if order == "random":
            often = np.random.default_rng(seed).permutation(often)
        model = kind(order=order, max_iter=4, fit_intercept=seed % 2 == 0, **options)
        weighted = clone(model).fit(stored(X), y, sample_weight=w)
        repeated, scores = model.fit(stored(X[often]), y[often]), weighted.decision_function(X)
        np.testing.assert_allclose(scores, repeated.decision_function(X), rtol=1e-9, atol=1e-9)
        assert weighted.n_mistakes_ == repeated.n_mistakes_ >= 50
        assert 0 < weighted.certificate_ == pytest.approx(repeated.certificate_)


@each("K", [2, 3])
@each("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_partial_fit_visits_a_row_as_often_as_its_weight(stored, K):
    """Without the pocket; the last visit is the fraction left."""
    X, y, w = counts(K)
    w = w * 0.75
    theta, mistakes = row_by_row(X, y, w)
    model = L.Perceptron()
    for part in np.array_split(np.arange(len(y)), 3):
        model.partial_fit(stored(X[part]), y[part], classes=range(K), sample_weight=w[part])
    np.testing.assert_allclose(np.column_stack([model.coef_, model.intercept_]), theta, atol=1e-9)
    assert model.n_mistakes_ == mistakes > 100


@ORDERS
@each("K", [2, 4])
@each("form", FORMS)
def test_a_heavy_row_costs_no_more_than_a_row(form, K, order):
    """Short rows beside long ones are visited thousands of times, but all at once."""
    kind, stored, options = FORMS[form]
    X, y, _ = counts(K, n=60)
    X[::2] *= 100
    calls, made = [], {}
    for weight in (3.0, 1e12):
        entered = 0

        def count(_frame, event, _of):
            nonlocal entered
            entered += event == "call"

        model, before = kind(order=order, max_iter=3, **options), sys.getprofile()
        sys.setprofile(count)
        try:
            model.fit(stored(X), y, sample_weight=np.full(len(y), weight))
        finally:
            sys.setprofile(before)
        calls.append(entered)
        made[weight] = model.n_mistakes_
    assert made[1e12] > 1000 > made[3.0]
    assert calls[1] < 2 * calls[0]


@each("kind", [L.Perceptron, L.KernelPerceptron])
def test_a_random_order_depends_on_the_rows_and_not_on_their_places(kind):
    X, y, w = counts(3, n=60)
    moved = np.random.default_rng(1).permutation(len(y))
    options = {} if kind is L.Perceptron else {"kernel": "linear"}
    one = kind(max_iter=3, **options).fit(X, y, sample_weight=w)
    other = kind(max_iter=3, **options).fit(X[moved], y[moved], sample_weight=w[moved])
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    again = kind(max_iter=3, random_state=1, **options).fit(X, y, sample_weight=w)
    assert not np.array_equal(one.decision_function(X), again.decision_function(X))


@ORDERS
def test_a_row_of_weight_zero_is_dropped_from_a_precomputed_kernel(order):
    X, y, w = counts(2, n=60)
    K, there = (1 + X @ X.T) ** 2, w > 0
    model = L.KernelPerceptron(kernel="precomputed", order=order, max_iter=3)
    weighed = model.fit(K, y, sample_weight=w).decision_function(K)
    absent = model.fit(K[np.ix_(there, there)], y[there], sample_weight=w[there])
    np.testing.assert_array_equal(weighed, absent.decision_function(K[:, there]))


def test_a_row_is_visited_at_most_as_often_as_its_weight():
    assert visits_of_two(-1e300, 1e-300, 1e12) == visits_of_two(0.0, 0.0, 1e12) == 1e12
    for move in (1e-200, 0.0):
        found = visits_of_many(np.array([0, 1e300, 1.0]), 0, move, 1e12)
        np.testing.assert_array_equal(found, [1e12, -1e12, 0])
