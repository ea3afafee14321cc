"""BFGS's inverse maps the last change of the gradient to that of θ, and stays symmetric and positive definite.

Nocedal & Wright (2006), §6.1
"""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from linclass import ProbitRegression
from linclass.design.design_matrix import DesignMatrix
from linclass.losses.probit import Probit
from linclass.objective.objective import Objective
from linclass.solvers.smooth.secants import Secants


def points(d: int):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, d)), rng.choice([-1.0, 1.0], size=200)
    P = Objective(DesignMatrix(X), Probit(), y)
    return [P.at(0.3 * rng.standard_normal(d + 1)) for _ in range(5)]


@pytest.mark.parametrize("own", [None, lambda g: 3.0 * g])
def test_the_inverse_explains_the_last_change(own):
    secants, path = Secants(inverse=own), points(4)
    for old, new in itertools.pairwise(path):
        secants.add(old, new)
        s, y = new.theta - old.theta, new.gradient - old.gradient
        assert_allclose(secants.times(y), s, rtol=1e-12)


def test_the_inverse_stays_symmetric_and_positive_definite():
    secants, path = Secants(), points(3)
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
