"""Kernel machines on rows far from 0: the machine is that of the rows about their mean."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

from linclass import KernelSVM, LinearSVM
from linclass.base.parts import find


def data(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    X = rng.integers(-300, 300, size=(n, 3)) / 128.0  # exact after a shift by whole numbers
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@each("loss", ["hinge", "squared_hinge"])
@each("far", [2.0**7, 2.0**14, 2.0**20])
@each("n", [150, 1200])
def test_a_linear_kernel_gives_the_same_machine_wherever_the_rows_are(
    n: int, far: float, loss: str
) -> None:
    """Also where features replace the kernel: 1200 rows had "converged" 2²⁰ from 0 to 1.5 times the minimum."""
    X, y = data(n)
    own = {"loss": loss, "strength": 1e-3, "tol": 1e-9}
    model = KernelSVM(kernel="linear", **own).fit(X + far, y)
    near = LinearSVM(**own).fit(X, y)
    assert model.status_ == "converged"
    assert_allclose(model.objective_, near.objective_, rtol=2e-9)
    assert_allclose(model.decision_function(X + far), near.decision_function(X), atol=1e-3)
    again = model.set_params(warm_start=True)
    Z = again.decision_function(X + far)
    assert_allclose(again.fit(X + far, y).decision_function(X + far), Z, atol=1e-3)


@each("n", [150, 1200])
def test_a_polynomial_kernel_far_from_0_converges(n: int) -> None:
    X, y = data(n)
    for degree, far in [(2, 128.0), (3, 32.0)]:
        model = KernelSVM(kernel="polynomial", degree=degree, strength=1e-3).fit(X + far, y)
        assert model.status_ == "converged"
        margins = (2 * y - 1) * model.decision_function(X + far)
        norm = 2 * (model.objective_ - np.maximum(1 - margins, 0).mean()) / 1e-3
        beta, made = model.dual_coef_[0], model._made
        K = made.matrix(model._basis)
        assert_allclose(beta @ K @ beta, norm, rtol=1e-3)


@each("degree", [1, 2, 3])
def test_intercepts_belong_to_the_kernel_as_it_is_chosen(degree: int) -> None:
    """f = Σ β_j k(x_j, ·) + b with k of the rows as they are, up to rounding and to k times Σ β, which is 0."""
    X, y = data(150)
    X = X + 30
    model = KernelSVM(kernel="polynomial", degree=degree, strength=10.0**degree, gamma=0.5).fit(
        X, y
    )
    K = (0.5 * X @ X[model.support_].T + 1) ** degree
    beta = model.dual_coef_[0]
    error = 2 * K.max() * (abs(beta.sum()) + 1e-15 * np.abs(beta).sum())
    assert error < 1e-2
    assert_allclose(K @ beta + model.intercept_, model.decision_function(X), rtol=0, atol=error)


@each("degree", [1, 2, 3, 4])
def test_kernels_about_a_centre_have_all_digits(degree: int) -> None:
    """k(x, x′) − k(x, c) − k(c, x′) + k(c, c), by exact arithmetic."""
    X, _ = data(6)
    X, c = X + 2.0**20, np.full(3, 2.0**20)
    about = find("kernels", "polynomial")(gamma=0.5, degree=degree, coef0=1.0).about(c)

    def k(x: np.ndarray, z: np.ndarray) -> Fraction:
        return (sum(Fraction(a) * Fraction(b) for a, b in zip(x, z, strict=True)) / 2 + 1) ** degree

    exact = [[float(k(x, z) - k(x, c) - k(c, z) + k(c, c)) for z in X] for x in X]
    size = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    assert (np.abs(about.matrix(X) - exact) <= 1e-13 * size).all()
    assert_allclose(about.increments(X), [float(k(x, c) - k(c, c)) for x in X], rtol=1e-12)
    assert_allclose(about.diagonal(about.near_zero(X)), np.diag(exact), rtol=1e-13)


def test_a_polynomial_kernel_too_far_from_0_says_why_and_what_to_do() -> None:
    X, y = data(150)
    with pytest.warns(UserWarning, match="so far from 0 .* standardize the features"):
        KernelSVM(kernel="polynomial", strength=1e-3).fit(X + 2.0**20, y)
