"""Theorems of the lasso and the elastic net."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import ElasticNet
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L1
from linclass.linear.penalties.entrywise import ElasticNet as Net
from linclass.linear.solvers.centred_gram import gram_of
from linclass.linear.solvers.dual_newton import DualNewton
from linclass.linear.solvers.homotopy import Homotopy, Walk
from linclass.linear.solvers.quadratic_program import QuadraticProgram


def regression(n=60, d=6, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.4 * rng.standard_normal((d, d))) + 2
    y = X @ np.where(np.arange(d) % 2, 0, 2.0 - np.arange(d)) + rng.standard_normal(n) - 3
    return X, y


@pytest.mark.parametrize("kind", ["plain", "scaled", "dependent"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.01, 0.5, 1.0])
def test_more_features_than_rows_have_the_same_minimum_by_the_dual_and_by_programs(
    l1_ratio, kind, monkeypatch
):
    """Also from far (a weak penalty, from weights of 0), and for columns that differ in scale or repeat."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 550))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(60)
    if kind == "scaled":
        X = X * np.exp(3 * rng.standard_normal(550)) + 10
    if kind == "dependent":
        X[:, 300:] = -X[:, :250]
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 60
    rounds = []
    whole = DualNewton.round

    def counted(*arguments):
        rounds.append(1)
        return whole(*arguments)

    monkeypatch.setattr(DualNewton, "round", counted)
    for share in (0.5, 0.05, 0.01):
        strength = share * largest / max(l1_ratio, 0.1)
        P = Objective(DesignMatrix(X), Squared(), y, None, Net(l1_ratio), strength)
        dual = QuadraticProgram(tol=1e-9).solve(P, P.zero())
        factors = Net(l1_ratio, factors=np.ones(550))  # the same, but not known to be uniform
        programs = QuadraticProgram(tol=1e-9).solve(P.with_penalty(factors, strength), P.zero())
        assert dual.converged
        assert programs.converged
        assert_allclose(dual.objective, programs.objective, rtol=3e-9)
    # of a lasso with scales of its own few features join at once, which programs do without the dual
    assert rounds or (kind == "scaled" and l1_ratio == 1)


@each("intercept", [True, False])
def test_the_homotopy_meets_the_quadratic_program_at_every_kink_and_between(intercept):
    X, y = regression(n=40, d=12)
    P = Objective(DesignMatrix(X, intercept), Squared(), y, None, L1(), 1.0)
    gram = gram_of(P)
    walk, kinks = Walk(gram, gram.c[0]), [np.abs(gram.c).max()]
    while walk.next_kink() > 1e-9:
        walk.go()
        kinks.append(walk.level)
    assert len(kinks) >= 12
    strengths = np.sort(np.r_[kinks, np.sqrt(np.array(kinks[1:]) * kinks[:-1])])[::-1]
    exact = Homotopy().path(P, strengths, P.zero())
    for strength, one in zip(strengths, exact, strict=True):
        other = QuadraticProgram(tol=1e-14).solve(P.with_strength(strength), P.zero())
        assert one.converged
        assert_allclose(one.theta, other.theta, atol=1e-8)
    assert (np.diff([s.n_iter for s in exact]) >= 0).all()


@each("kind", ["few_rows", "many_rows", "sparse", "dependent", "factors"])
@each("l1_ratio", [0.5, 1.0], quick=1)
def test_a_path_of_many_features_meets_another_solver(kind, l1_ratio):
    """Programs that grow along the path, the dual, and changes between them; one strength occurs twice."""
    n, d = (150 if kind == "few_rows" else 700), 520
    X, y = regression(n, d)
    if kind == "dependent":
        X[:, 1::2] = X[:, ::2]
    rows = sparse.csr_array(np.where(np.abs(X) > 1, X, 0)) if kind == "sparse" else X
    factors = np.arange(d) % 5 / 2 if kind == "factors" else None
    model = ElasticNet(l1_ratio=l1_ratio, factors=factors, tol=1e-10)
    strengths = np.append(np.geomspace(1, 0.02, 8), 0.3) * np.abs(X.T @ (y - y.mean())).max() / n
    weights = np.arange(n) % 3 + 1.0
    for fit in model.path(rows, y, strengths, sample_weight=weights):
        other = ElasticNet(**fit.get_params() | {"solver": "proximal_newton", "tol": 1e-8})
        assert fit.status_ == "converged"
        assert_allclose(fit.objective_, other.fit(rows, y, weights).objective_, rtol=2e-8)
