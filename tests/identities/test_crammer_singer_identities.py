"""The Crammer–Singer loss and its solver: two classes are the hinge loss, every gap is a bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import each
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.losses.wrapped import Envelope
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers import multipliers
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian
from linclass.linear.solvers.multipliers import Multipliers


def rows(K: int, n: int = 80, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y], y


def test_the_crammer_singer_loss_is_the_missing_margin_over_other_classes():
    rng = np.random.default_rng(0)
    Z, y, loss = 2 * rng.normal(size=(4, 50)), rng.integers(0, 4, 50), CrammerSinger(4)
    others = np.where(np.arange(4)[:, None] == y, -np.inf, Z).max(axis=0)
    expected = np.maximum(0, 1 + others - Z[y, np.arange(50)])
    np.testing.assert_allclose(loss.values(y, Z), expected)
    assert (loss.values(y, Z) >= (Z.argmax(axis=0) != y)).all()


@each("K", [4, 12])
def test_the_nearest_point_of_the_simplex_is_what_a_general_solver_finds(K):
    V, y = 2 * np.random.default_rng(0).normal(size=(K, 6)), np.arange(6) % 4
    slopes, varies = CrammerSinger(K).nearest_slopes(y, V, 1.0)
    P = slopes + (np.arange(K)[:, None] == y)
    np.testing.assert_allclose(P.sum(axis=0), 1)
    assert (varies == (P > 0) & (P < 1)).all()
    for v, p in zip(V.T, P.T, strict=True):
        found = minimize(
            lambda q, v=v: ((q - v) ** 2).sum(),
            np.full(K, 1 / K),
            bounds=[(0, 1)] * K,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            options={"ftol": 1e-14},
        )
        np.testing.assert_allclose(p, found.x, atol=1e-6)


@each("reach", [0.1, 1.0, 30.0, 1e4])
@each("K", [2, 3, 8])
def test_an_envelope_is_a_lower_bound_of_its_loss_within_the_prox_step(K, reach):
    """0 ≤ ℓ − ψ ≤ ‖∂ℓ − s⁰‖²/(2·reach) ≤ 1/reach, as ψ admits the slopes of ℓ, and two points of a simplex are at
    most √2 apart.
    """
    rng = np.random.default_rng(K)
    y, Z = rng.integers(0, K, 300), 2 * rng.normal(size=(K, 300))
    P = Objective(DesignMatrix(np.zeros((300, 1))), CrammerSinger(K), y, None, L2(), 0.1)
    centre = P.loss.nearest_slopes(y, rng.normal(size=Z.shape), 1.0)[0]
    envelope = Envelope(P.loss, reach)
    slopes = envelope.derivatives(y, centre, Z)[0]
    most = ((P.loss.slopes(y, Z) - centre) ** 2).sum(axis=0) / (2 * reach)
    assert (most <= 1 / reach + 1e-12).all()
    below = P.loss.values(y, Z) - envelope.values_of_slopes(y, centre, Z, slopes)
    assert (below >= -1e-12).all()
    assert (below <= most + 1e-12).all()
    assert below.max() > 0.1 * most.max()


@pytest.mark.parametrize("n", [200, 3000])
def test_the_minimum_depends_on_neither_solver_nor_start(monkeypatch, n):
    """3000 rows start from a fit to some of them, unless there is a start."""
    X, y = rows(4, n=n, d=5)
    P = Objective(DesignMatrix(X), CrammerSinger(4), y, None, L2(), 0.02)
    found = [Multipliers(tol=1e-8).solve(P, P.zero()), Multipliers(tol=1e-8).solve(P, P.zero() + 1)]
    monkeypatch.setattr(multipliers, "MAX_HESSIAN", 0)  # by conjugate gradients
    found.append(Multipliers(tol=1e-8).solve(P, P.zero()))
    found.append(AugmentedLagrangian(tol=1e-8).solve(P, P.zero()))
    assert all(solution.converged for solution in found)
    np.testing.assert_allclose([s.objective for s in found], found[0].objective, rtol=2e-8)


def test_overlapping_classes_converge_at_a_small_strength():
    rng = np.random.default_rng(
        7
    )  # of seeds 0 to 11, the one where rounds end far from the minimum
    y = rng.integers(10, size=2000)
    X = rng.normal(size=(2000, 10)) + rng.normal(size=(10, 10))[y]
    model = LinearClassifier(loss="crammer_singer", strength=5e-5).fit(X, y)
    assert model.status_ == "converged"


@each("seed", range(4))
def test_intercepts_converge_with_uninformative_features(seed):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(5), rng.integers(5, size=3))
    X = 0.01 * rng.normal(size=(8, 8))
    model = LinearClassifier(loss="crammer_singer", strength=0.4, tol=1e-4).fit(X, y)
    assert model.status_ == "converged"
    assert model.n_iter_ <= 200


@each("max_iter", [1, 2, 5])
def test_a_fit_that_is_cut_off_is_not_above_weights_of_0(max_iter):
    X, y = np.random.default_rng(4).normal(size=(60, 8)), np.arange(60) % 4
    own: dict[str, Any] = {"strength": 1e-4, "fit_intercept": False, "max_iter": max_iter}
    with pytest.warns(ConvergenceWarning):
        model = LinearClassifier(loss="crammer_singer", **own).fit(X, y)
    assert model.n_iter_ == max_iter
    assert model.objective_ <= 1 + 1e-12


@each("strength", [1e-3, 1e-2])
def test_wide_separable_rows_converge(strength):
    rng = np.random.default_rng(4)
    centres, y = 0.1 * rng.normal(size=(3, 400)), rng.integers(0, 3, 60)
    X = centres[y] + rng.normal(size=(60, 400))
    model = LinearClassifier(loss="crammer_singer", strength=strength).fit(X, y)
    assert model.status_ == "converged"
