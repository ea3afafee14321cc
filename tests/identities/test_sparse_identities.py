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
from linclass.linear.solvers.centred_gram import from_moments, from_rows, gram_of
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


@each("classes", [1, 3])
@each("factors", [None, (1.0, 2.0, 0.0, 0.5, 1.0, 3.0)])
@each("l1_ratio", [0.0, 0.4, 1.0])
def test_second_moments_give_the_gaps_of_a_whole_path_that_the_rows_give(
    l1_ratio, factors, classes
):
    X, y = regression(n=40)
    Y = y if classes == 1 else np.stack([y, np.sin(y), y**2])
    P = Objective(DesignMatrix(X), Squared(), Y, None, Net(l1_ratio, factors=factors), 1.0)
    gram, rng = gram_of(P), np.random.default_rng(7)
    W = rng.standard_normal((4, classes, 6)) * (rng.random((4, classes, 6)) < 0.6)
    if factors is not None:  # the residuals are orthogonal to the feature without a penalty
        rest = gram.c[:, 2] - np.delete(W, 2, axis=2) @ np.delete(gram.G[2], 2)
        W[..., 2] = rest / gram.G[2, 2]
    objectives = [P.with_strength(strength) for strength in (30.0, 3.0, 0.3, 0.03)]
    together = from_moments(P, gram, np.array([30.0, 3.0, 0.3, 0.03]), W, gram.times(W))
    for objective, w, seen in zip(objectives, W, together, strict=True):
        rows = from_rows(objective, gram, w)
        assert seen is not None
        assert_allclose(seen.value, rows.value, rtol=1e-12)
        assert_allclose(seen.slopes, rows.slopes, atol=1e-12 * np.abs(rows.slopes).max())
        assert_allclose(seen.certificate, rows.certificate, rtol=1e-9)


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


def test_a_homotopy_passes_weights_that_leave_and_features_that_depend_on_others():
    rng = np.random.default_rng(8)
    X = rng.standard_normal((30, 8))
    X[:, 3] = X[:, 4] + X[:, 5] + 0.1 * X[:, 3]  # taken for both at first, then left
    y = X @ [1, 1, 1, -2, 4, 4, 1, -1] + 0.3 * rng.standard_normal(30)
    X = np.column_stack([X, X[:, 0], X[:, 1] - X[:, 2], np.ones(30)])  # two dependent, one flat
    P = Objective(DesignMatrix(X), Squared(), y, None, L1(), 1.0)
    strengths = np.geomspace(3, 1e-4, 60)
    path = Homotopy(tol=1e-9).path(P, strengths, P.zero())
    assert all(solution.converged for solution in path)
    entered = np.array([s.theta[:-1] != 0 for s in path])
    assert (entered[:-1] & ~entered[1:]).any()  # some weight returned to 0


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
