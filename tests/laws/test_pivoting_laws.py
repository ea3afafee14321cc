"""Laws of block pivoting, for few rows or a kernel alone: every answer is certified."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.kernels.functions import Gaussian
from linclass.kernels.kernel_design import KernelDesign, KernelNorm
from linclass.linear.losses.base import MarginLoss
from linclass.linear.objective.certificate import duality_gap
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers import block_pivoting as pivoting
from linclass.linear.solvers.block_pivoting import ConjugateGradientEquations

LOSSES = [
    name
    for name in names("losses")
    if find("losses", name).piecewise_linear or find("losses", name).piecewise_quadratic
]


def wide(loss, strength, n=60, d=300, intercept=True):
    rng = np.random.default_rng(n)
    X = sparse.random_array((n, d), density=0.05, rng=rng).tocsr()
    z = rng.standard_normal(n)
    y = np.where(z > -0.5, 1.0, -1.0) if issubclass(find("losses", loss), MarginLoss) else z
    design = DesignMatrix(X, intercept)
    return Objective(design, find("losses", loss)(), y, rng.uniform(0.5, 2, n), L2(), strength)


def gap(P, found):
    return duality_gap(P.at(found.point.theta), found.slopes) / found.point.value


@pytest.mark.parametrize("system", [None, ConjugateGradientEquations])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("strength", [1e-8, 1e-3, 1e-2])
@pytest.mark.parametrize("loss", LOSSES)
def test_pivoting_proves_the_optimum_in_a_few_guesses(
    loss, strength, intercept, system, monkeypatch
):
    """By either way to solve the equations, with and without an intercept."""
    P = wide(loss, strength, intercept=intercept)
    if system:
        monkeypatch.setattr(pivoting, "equations_of", system)
    found = pivoting.pivot(P, P.zero(), 1e-6, 100)
    assert found.n_iter <= 20
    assert found.certificate <= 1e-6
    assert gap(P, found) <= 1.0001e-6


@each("loss", [name for name in LOSSES if name != "epsilon_insensitive"])
def test_a_kernel_that_is_positive_definite_needs_a_few_guesses(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    K = Gaussian(1.0).matrix(X)
    y = np.where(X[:, 0] + rng.standard_normal(120) > 0, 1.0, -1.0)
    P = Objective(KernelDesign(K), find("losses", loss)(), y, None, KernelNorm(K), 1e-3)
    found = pivoting.pivot(P, P.zero(), 1e-9, 100)
    assert found.n_iter <= 20
    assert found.certificate <= 1e-9


@each("shape", [(6, 6), (6, 9), (60, 3)])
@each("intercept", [None, 2.0])
def test_under_a_strong_penalty_all_rows_are_inside_the_margin(shape, intercept):
    """Then each pulls with its whole weight, w = Σ ω_i y_i x_i/strength with Σ ω_i = 1, and none is at the kink."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal(shape), np.arange(shape[0]) % 2
    sign, strength = np.where(y, 1.0, -1.0), 1e3
    penalty = "l2" if intercept is None else {"l2": {"intercept": intercept}}
    fit_intercept = intercept is not None
    model = LinearClassifier(
        loss="hinge", penalty=penalty, strength=strength, fit_intercept=fit_intercept
    ).fit(X[:-1], y[:-1])
    assert model.status_ == "converged"
    assert_allclose(model.coef_[0], (sign[:-1, None] * X[:-1]).mean(axis=0) / strength, rtol=1e-9)
    b = sign[:-1].mean() / (strength * intercept) if intercept else 0.0
    assert_allclose(model.intercept_, b, rtol=1e-9)


def test_a_start_at_the_optimum_takes_no_more_than_a_look():
    P = wide("hinge", 1e-2)
    there = pivoting.pivot(P, P.zero(), 1e-10, 100)
    again = pivoting.pivot(P, there.point.theta, 1e-6, 100)
    assert again.n_iter <= 2
    assert again.certificate <= 1e-6


@each("sparse_rows", [False, True])
@each("loss", ["hinge", "squared_hinge"])
def test_a_row_twice_is_a_row_of_weight_two_to_rounding(loss, sparse_rows):
    rng = np.random.default_rng(5)
    X, y = rng.random((15, 60)), np.arange(15) % 3
    times = rng.integers(1, 5, 15)
    rows = sparse.csr_array(X) if sparse_rows else X
    weighted = LinearClassifier(loss=loss).fit(rows, y, sample_weight=times)
    many = np.repeat(np.arange(15), times)
    repeated = LinearClassifier(loss=loss).fit(rows[many], y[many])
    assert repeated.certificate_ < 1e-9
    assert_allclose(repeated.coef_, weighted.coef_, rtol=1e-9, atol=1e-12)
