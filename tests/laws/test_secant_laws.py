"""BFGS's inverse maps the last change of the gradient to that of θ, and stays symmetric and positive definite.

Nocedal & Wright (2006), §6.1
"""

import itertools

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

from linclass import LogisticRegression, ProbitRegression
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.probit import Probit
from linclass.linear.objective.coordinates import Units
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.newton import Secants


def points(d: int):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, d)), rng.choice([-1.0, 1.0], size=200)
    P = Objective(DesignMatrix(X), Probit(), y)
    return [P.at(0.3 * rng.standard_normal(d + 1)) for _ in range(5)]


@each("units", [None, Units(np.array([9.0, 0, 1, -2]), np.array([1e-3, 1, 5, 1e4]))])
@each("own", [None, lambda g: 3.0 * g])
def test_the_inverse_explains_the_last_change(own, units):
    secants, path = Secants(inverse=own, units=units), points(4)
    for old, new in itertools.pairwise(path):
        secants.add(old, new)
        s, y = new.theta - old.theta, new.gradient - old.gradient
        assert_allclose(secants.times(y), s, rtol=1e-12)


@each("units", [None, Units(np.array([9.0, 0, 1]), np.array([0.1, 1, 5]))])
def test_the_inverse_stays_symmetric_and_positive_definite(units):
    secants, path = Secants(units=units), points(3)
    for old, new in itertools.pairwise(path):
        secants.add(old, new)
    H = np.array([secants.times(e) for e in np.eye(4)])
    assert_allclose(H, H.T, rtol=1e-10)
    assert np.linalg.eigvalsh(H).min() > 0


def test_kept_hessians_end_where_new_ones_do():
    """At tol=0 each step has its own Hessian; coefficients agree to the digits that standard errors have."""
    rng = np.random.default_rng(1)
    X = rng.exponential(size=(2000, 50))
    y = (X @ rng.standard_normal(50) + rng.standard_normal(2000) > 0).astype(int)
    kept = ProbitRegression(penalty=None).fit(X, y)
    with pytest.warns(UserWarning, match="max_iter"):
        own = ProbitRegression(penalty=None, tol=0, max_iter=12).fit(X, y)
    assert kept.n_iter_ > 6
    assert_allclose(kept.coef_, own.coef_, rtol=1e-7)


@each("penalty", ["l2", None])
@each("classes", [2, 3])
def test_limited_memory_ends_where_newton_does_in_any_units(classes, penalty):
    rng = np.random.default_rng(2)
    y = np.arange(150) % classes
    X = rng.standard_normal((150, 4)) + 0.5 * y[:, None]
    for Z in (X * np.array([1e-4, 1, 1e3, 1e5]), X + np.array([1e3, 0, -1e5, 10])):
        ends = [
            LogisticRegression(solver=solver, penalty=penalty, strength=1e-3).fit(Z, y)
            for solver in ("quasi_newton", "newton")
        ]
        assert [model.status_ for model in ends] == ["converged", "converged"]
        assert_allclose(ends[0].objective_, ends[1].objective_, rtol=1e-6)
