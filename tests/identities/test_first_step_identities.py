"""The first step of Newton's method from 0: it equals the known fit to normal features."""

import numpy as np
from cases import each
from numpy.testing import assert_allclose
from scipy.special import ndtr

from linclass import LinearDiscriminantAnalysis, LogisticRegression, ProbitRegression
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.margin import Logistic
from linclass.linear.losses.probit import Probit
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.newton import lengthened


def rows(n, share=0.3):
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    mixing = np.eye(4) + 0.5 * np.tri(4)
    X = rng.standard_normal((n, 4)) @ mixing + 0.4 * y[:, None] + 3
    return X, y, rng.exponential(size=n)


def newton_step(P):
    point = P.at_with_hessian(P.zero())
    return -np.linalg.solve(point.hessian, point.gradient)


def first(P):
    return lengthened(P.at_with_hessian(P.zero()), newton_step(P))


@each("n", [60, 3000])
def test_the_first_step_of_logistic_regression_is_linear_discriminant_analysis(n):
    """Least squares has the direction of linear discriminant analysis on any data; Haggstrom (1983) has the length."""
    X, y, w = rows(n)
    theta = first(Objective(DesignMatrix(X), Logistic(), y, w))
    model = LinearDiscriminantAnalysis(ddof=0).fit(X, y, w)
    assert_allclose(theta, np.append(model.coef_, model.intercept_), rtol=1e-9)


@each(("centre", "spread"), [(0.0, 0.5), (0.8, 1.0), (-1.5, 2.0)])
def test_the_first_step_of_probit_regression_finds_a_normal_score(centre, spread):
    """One feature z ~ N(centre, spread²) and P(1 | z) = Φ(z), by quadrature: the coefficients are 1 and 0."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(200)
    z = centre + spread * nodes
    X, y = np.r_[z, z][:, None], np.r_[np.ones(200), -np.ones(200)]
    w = np.r_[mass * ndtr(z), mass * ndtr(-z)]
    theta = first(Objective(DesignMatrix(X[w > 0]), Probit(), y[w > 0], w[w > 0]))
    assert_allclose(theta, [1, 0], atol=1e-9)


@each("model", [LogisticRegression, ProbitRegression])
def test_a_kept_hessian_leaves_all_digits_of_standard_errors(model):
    """The last steps of an unpenalized fit share a Hessian; the errors are those of a much smaller tolerance."""
    X, y, _ = rows(3000)
    usual, close = (model(penalty=None, tol=tol).fit(X, y) for tol in (1e-6, 1e-10))
    assert_allclose(usual.coef_, close.coef_, rtol=1e-8)
    errors = (m.summary().table.std_error for m in (usual, close))
    assert_allclose(*errors, rtol=1e-8)


@each("penalty", ["l2", None])
@each("kind", [LogisticRegression, ProbitRegression])
def test_a_class_of_tiny_weight_does_not_overshoot_the_optimum(kind, penalty):
    """Least squares explains only rounding errors of such a y; quasi-Newton steps give the optimum."""
    strength = {"strength": 0.05} if penalty else {}
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, (60, 3)) * 1.0, (rng.random(60) < 0.3) * 1
        weights = np.where(y == 1, 1e-9, 1.0) * rng.random(60)
        fits = [
            kind(penalty=penalty, solver=solver, **strength).fit(X, y, sample_weight=weights)
            for solver in ("newton", "quasi_newton")
        ]
        assert {fit.status_ for fit in fits} == {"converged"}
        assert_allclose(fits[0].intercept_, fits[1].intercept_, rtol=1e-3)
