"""Kernel machines agree with linear machines, other libraries, independent optimizers and fits to centred rows."""

import numpy as np
import pytest
from cases import each
from margins import overlapping
from numpy.testing import assert_allclose

from linclass import (
    KernelLogisticRegression,
    KernelPerceptron,
    KernelSVM,
    LinearSVM,
    Perceptron,
    SupportVectorRegressor,
)

# What kernel machines coincide with: linear ones, other libraries, independent optimizers

EXACT = 1e-11


def rings(n=120, classes=2):
    rng = np.random.default_rng(1)
    y = np.arange(n) % classes
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1 + y + 0.35 * rng.standard_normal(n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def curve(n=80, d=2):
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, (n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] + 0.2 * rng.standard_normal(n)


@each("classes", [2, 3])
@each("loss", ["hinge", "squared_hinge"])
def test_the_linear_kernel_is_the_linear_machine(loss, classes):
    X, y = overlapping()
    y = y + (X[:, 1] > 1.5) * (classes - 2)
    own = {"loss": loss, "strength": 0.02, "tol": EXACT}
    kernel, linear = KernelSVM(kernel="linear", **own).fit(X, y), LinearSVM(**own).fit(X, y)
    assert_allclose(kernel.decision_function(X), linear.decision_function(X), atol=1e-7)
    assert_allclose(kernel.objective_, linear.objective_, rtol=1e-9)
    assert (kernel.roles_ == linear.roles_).all()
    assert_allclose(kernel.dual_coef_ @ X[kernel.support_], linear.coef_, atol=1e-8)


@each("C", [0.1, 1.0, 100.0])
@each("kernel", ["gaussian", "polynomial"])
def test_libsvm_finds_the_same_machine(kernel, C):
    from sklearn.svm import SVC

    X, y = rings()
    own = {"gamma": 0.5, "degree": 2}
    model = KernelSVM(kernel=kernel, coef0=1.0, strength=1 / (len(y) * C), tol=EXACT, **own)
    model.fit(X, y)
    name = {"gaussian": "rbf", "polynomial": "poly"}[kernel]
    peer = SVC(C=C, kernel=name, coef0=1.0, tol=1e-9, **own).fit(X, y)
    assert_allclose(model.decision_function(X), peer.decision_function(X), rtol=1e-3, atol=1e-3)
    assert_allclose(model.C_, C)
    assert model.certificate_ <= EXACT
    nu = peer.dual_coef_
    assert_allclose(np.abs(nu).sum(), model.dual_variables_.sum(), rtol=1e-4)


def test_a_kernel_may_be_a_function_or_a_matrix_of_its_own():
    X, y = rings()
    new = rings(30)[0] * 1.1
    named = KernelSVM(gamma=0.5).fit(X, y)

    def gaussian(A, B):
        return np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2))

    own = KernelSVM(kernel=gaussian).fit(X, y)
    given = KernelSVM(kernel="precomputed").fit(gaussian(X, X), y)
    for model, rows in ((own, new), (given, gaussian(new, X))):
        assert_allclose(model.decision_function(rows), named.decision_function(new), atol=1e-6)
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    some = KernelSVM(gamma=0.5).fit(X, y, weights)
    given = KernelSVM(kernel="precomputed").fit(gaussian(X, X), y, weights)
    assert_allclose(
        given.decision_function(gaussian(new, X)), some.decision_function(new), atol=1e-6
    )
    assert set(some.roles_[weights == 0]) == {"left out"}


@each("classes", [2, 3])
@each("order", ["cyclic", "random"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_perceptron_with_a_linear_kernel_makes_the_same_mistakes(order, classes):
    X, y = overlapping()
    y = y + (X[:, 1] > 1.5) * (classes - 2)
    own = {"order": order, "max_iter": 15, "random_state": 3}
    kernel, linear = KernelPerceptron(kernel="linear", **own), Perceptron(**own)
    assert kernel.fit(X, y).n_mistakes_ == linear.fit(X, y).n_mistakes_ >= 15
    assert_allclose(kernel.dual_coef_ @ X[kernel.support_], linear.coef_, atol=1e-10)
    assert_allclose(kernel.intercept_, linear.intercept_)
    assert kernel.status_ == linear.status_


def test_kernel_logistic_regression_satisfies_its_stationarity():
    """β_i = −w_i ∂ℓ_i/strength as functions: the gradient in the space of functions vanishes."""
    X, y = rings()
    model = KernelLogisticRegression(gamma=0.5, strength=0.05, tol=1e-13).fit(X, y)
    f = model.decision_function(X)
    beta = (y - 1 / (1 + np.exp(-f))) / (len(y) * 0.05)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    assert_allclose(K @ beta + model.intercept_, f, atol=1e-7)
    assert_allclose(beta.sum(), 0, atol=1e-6)
    assert model.score(X, y) > 0.85


@each("kernel", ["linear", "gaussian"])
@each("C", [0.1, 10.0])
def test_libsvm_finds_the_same_regression(kernel, C):
    from sklearn.svm import SVR

    X, y = curve()
    own = {"epsilon": 0.1, "gamma": 0.5}
    model = SupportVectorRegressor(kernel=kernel, strength=1 / (len(y) * C), tol=EXACT, **own)
    model.fit(X, y)
    name = {"linear": "linear", "gaussian": "rbf"}[kernel]
    peer = SVR(kernel=name, C=C, tol=1e-10, **own).fit(X, y)
    assert_allclose(model.predict(X), peer.predict(X), atol=1e-4)
    assert_allclose(model.C_, C)


def test_liblinear_finds_the_same_squared_regression():
    from sklearn.svm import LinearSVR

    X, y = curve()
    own = {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}
    peer = LinearSVR(C=1.0, tol=1e-10, max_iter=100_000, intercept_scaling=1e3, **own).fit(X, y)
    model = SupportVectorRegressor(strength=1 / len(y), tol=1e-13, **own).fit(X, y)
    assert_allclose(model.coef_, peer.coef_, rtol=1e-6)


@each("kernel", ["linear", "gaussian"])
def test_the_support_vectors_lie_on_or_outside_the_tube(kernel):
    X, y = curve()
    model = SupportVectorRegressor(kernel=kernel, epsilon=0.3, strength=0.01, tol=EXACT).fit(X, y)
    r, beta = y - model.predict(X), model.dual_variables_
    assert_allclose(model.slacks_above_, np.maximum(r - 0.3, 0), atol=1e-8)
    assert_allclose(model.slacks_below_, np.maximum(-r - 0.3, 0), atol=1e-8)
    assert_allclose(beta.sum(), 0, atol=1e-8)
    within = np.abs(r) < 0.3 - 1e-4
    assert within.sum() > 10
    assert (beta[within] == 0).all()
    assert_allclose(beta[r > 0.3 + 1e-4], model.C_)
    assert_allclose(beta[r < -0.3 - 1e-4], -model.C_)
    assert np.isin(np.flatnonzero(beta), model.support_).all()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_few_features_that_represent_a_kernel_give_the_same_machine(loss, monkeypatch):
    """1200 rows in the plane have a matrix of rank 100 or so; with it or without, one optimum.

    |f − f*| ≤ ‖f − f*‖ ≤ √(2·gap/strength), each 3·10⁻⁵ here, where k(x, x) = 1.
    """
    X, y = rings(1200)
    own = {"loss": loss, "gamma": 0.2, "strength": 0.01, "tol": 1e-11}
    short = KernelSVM(**own).fit(X, y)
    assert short.status_ == "converged"
    monkeypatch.setattr("linclass.kernels.kernel_machine.few_features", lambda *_: None)
    whole = KernelSVM(**own).fit(X, y)
    assert_allclose(short.objective_, whole.objective_, rtol=1e-8)
    assert_allclose(short.decision_function(X), whole.decision_function(X), atol=1e-8)
    beta = np.zeros(len(y))
    beta[short.support_] = short.dual_coef_[0]
    assert_allclose(beta, short.dual_variables_ * (2 * y - 1), atol=1e-12)
    K = np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(axis=2))
    m = (2 * y - 1) * (K @ beta + short.intercept_)
    power = 1 if loss == "hinge" else 2
    primal = np.mean(np.maximum(1 - m, 0) ** power) + 0.005 * beta @ K @ beta
    assert_allclose(primal, short.objective_, rtol=1e-6)


# Kernel machines on rows far from 0: the machine is that of the rows about their mean


def data(n):
    rng = np.random.default_rng(3)
    X = rng.integers(-300, 300, size=(n, 3)) / 128.0  # exact after a shift by whole numbers
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@each("n", [150, 1200])
def test_a_polynomial_kernel_far_from_0_converges(n):
    X, y = data(n)
    for degree, far in [(2, 128.0), (3, 32.0)]:
        model = KernelSVM(kernel="polynomial", degree=degree, strength=1e-3).fit(X + far, y)
        assert model.status_ == "converged"
        margins = (2 * y - 1) * model.decision_function(X + far)
        norm = 2 * (model.objective_ - np.maximum(1 - margins, 0).mean()) / 1e-3
        beta, made = model.dual_coef_[0], model._made
        K = made.matrix(model.support_vectors_)
        assert_allclose(beta @ K @ beta, norm, rtol=1e-3)


def test_a_polynomial_kernel_too_far_from_0_says_why_and_what_to_do():
    X, y = data(150)
    with pytest.warns(UserWarning, match="so far from 0 .* standardize the features"):
        KernelSVM(kernel="polynomial", strength=1e-3).fit(X + 2.0**20, y)
