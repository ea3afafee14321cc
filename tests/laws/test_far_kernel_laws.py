"""Kernel logistic regression of rows far from 0: the machine of the rows near 0, and the scores that its attributes
state."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import KernelLogisticRegression, KernelSVM, LinearSVM, SupportVectorRegressor

OWN = {  # the kernels with the parameters below, row by row
    "linear": lambda A, B: A @ B.T,
    "polynomial": lambda A, B: (0.2 * A @ B.T + 1) ** 2,
    "less": lambda A, B: A @ B.T - 5.0,  # an inner product after a constant is added
    "gaussian": lambda A, B: np.exp(-0.2 * ((A[:, None] - B) ** 2).sum(axis=-1)),
}


def data(classes):
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(90, 3)) * 256) / 256  # X + c is exact
    return X, (X + rng.gumbel(size=(90, 3)))[:, :classes].argmax(axis=1)


def model(kernel, **params):
    return KernelLogisticRegression(
        kernel=kernel, gamma=0.2, coef0=1.0, degree=2, strength=0.01, **params
    )


@each("far", [1e3, 1e5, 1e7])
@each("classes", [2, 3])
@each("kernel", ["linear", "gaussian"])
def test_translation_invariant_kernels_give_the_machine_of_centred_rows(kernel, classes, far):
    X, y = data(classes)
    near, moved = model(kernel).fit(X, y), model(kernel).fit(X + far, y)
    assert moved.status_ == "converged", moved.reason_
    assert moved.objective_ == pytest.approx(near.objective_, rel=1e-6)
    assert_allclose(moved.decision_function(X + far), near.decision_function(X), atol=1e-4)


@each("far", [0.0, 20.0])
@each("classes", [2, 3])
@each("kernel", OWN)
def test_scores_are_those_of_the_attributes(kernel, classes, far):
    X, y = data(classes)
    X += far
    fit = model(OWN[kernel] if kernel == "less" else kernel).fit(X, y)
    fresh = X[:20] + 0.125
    Z = OWN[kernel](fresh, X[fit.support_]) @ fit.dual_coef_.T + fit.intercept_
    found = fit.decision_function(fresh)
    assert_allclose(found, Z[:, 0] if classes == 2 else Z, rtol=1e-6, atol=1e-6)


@each("far", [1e3, 1e5])
@each("kernel", [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 1}])
@each("kind", [KernelLogisticRegression, KernelSVM, SupportVectorRegressor])
def test_sparse_rows_far_from_0_give_the_machine_of_the_dense_ones(kind, kernel, far):
    """Their inner products once kept none of the digits of their differences: max_iter, with a certificate of 1."""
    X, y = data(2)
    X[::3, 2] = 0
    X[:, :2] += far  # the last column stays sparse
    dense, fit = (kind(tol=1e-8, **kernel).fit(rows, y) for rows in (X, sparse.csr_array(X)))
    assert dense.status_ == fit.status_ == "converged", fit.reason_
    assert fit.objective_ == pytest.approx(dense.objective_, rel=1e-7)
    score = "predict" if kind is SupportVectorRegressor else "decision_function"
    found = getattr(fit, score)(sparse.csr_array(X[:20]))
    assert_allclose(found, getattr(dense, score)(X[:20]), atol=1e-3)


@each("container", [np.asarray, sparse.csr_array])
@each("kernel", [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 1}])
def test_the_linear_machine_has_the_minimum_of_the_linear_svm_on_two_far_clusters(
    kernel, container
):
    """No centre brings both near 0, so the matrix of the kernel has lost the digits that features keep."""
    X, _ = data(2)
    X[::3] += 2.0**13
    y = np.random.default_rng(1).integers(0, 2, len(X))
    fit = KernelSVM(gamma=1.0, **kernel).fit(container(X), y)
    linear = LinearSVM().fit(X, y)
    assert fit.status_ == linear.status_ == "converged", fit.reason_
    assert fit.objective_ == pytest.approx(linear.objective_, rel=1e-6)
    assert_allclose(fit.decision_function(X), linear.decision_function(X), atol=2e-3)


# Support vector regression of targets far from 0, c + s·y: the function c + s·f, for the intercept is free.

POWER = {
    "epsilon_insensitive": 1,
    "squared_epsilon_insensitive": 2,
}  # the loss of s·r is s^power times as large


def curve():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=60)
    return X, np.round(y * 256) / 256  # c + s·y is exact


def regressor(kernel, loss, s, **own):
    strength = 1e-3 * s ** (POWER[loss] - 2)
    return SupportVectorRegressor(
        kernel=kernel, loss=loss, epsilon=0.125 * s, strength=strength, **own
    )


@each(("c", "s"), [(5.0, 2.0**-23), (1e6, 1.0), (-1e8, 1.0)])
@each("loss", POWER)
@each("kernel", ["linear", "gaussian"])
def test_far_targets_give_the_function_of_near_ones(kernel, loss, c, s):
    X, y = curve()
    near, far = regressor(kernel, loss, 1.0).fit(X, y), regressor(kernel, loss, s).fit(X, c + s * y)
    assert far.status_ == near.status_ == "converged"
    assert_allclose((far.predict(X) - c) / s, near.predict(X), atol=1e-6)
