"""The Crammer–Singer loss and its solver: two classes are the hinge loss, every gap is a bound."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from linclass import LinearClassifier
from linclass.design.design_matrix import DesignMatrix
from linclass.losses.crammer_singer import CrammerSinger, Envelope, onto_simplex
from linclass.losses.hinge import Hinge
from linclass.objective.objective import Objective
from linclass.penalties.l2 import L2
from linclass.solvers.hinge.multipliers import Multipliers
from linclass.solvers.hinge.semismooth_newton import SemismoothNewton


def rows(K: int, n: int = 80, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y], y


def test_its_value_is_the_lead_that_is_missing() -> None:
    rng = np.random.default_rng(0)
    Z, y, loss = 2 * rng.normal(size=(4, 50)), rng.integers(0, 4, 50), CrammerSinger(4)
    others = np.where(np.arange(4)[:, None] == y, -np.inf, Z).max(axis=0)
    expected = np.maximum(0, 1 + others - Z[y, np.arange(50)])
    np.testing.assert_allclose(loss.values(y, Z), expected)
    assert (loss.values(y, Z) >= (Z.argmax(axis=0) != y)).all()


@pytest.mark.parametrize("intercept", [True, False])
def test_two_scores_are_the_hinge_loss_of_their_difference(intercept: bool) -> None:
    """½‖w_0‖² + ½‖w_1‖² is least at w_1 = −w_0 = w/2, where it is ¼‖w‖²."""
    X, y = rows(2)
    design = DesignMatrix(X, intercept)
    two = Objective(design, CrammerSinger(2), y, None, L2(), 0.2)
    one = Objective(design, Hinge(), 2.0 * y - 1, None, L2(), 0.1)
    found = Multipliers(tol=1e-9).solve(two, two.zero())
    hinge = SemismoothNewton(tol=1e-9).solve(one, one.zero())
    assert found.converged
    assert found.objective == pytest.approx(hinge.objective, rel=1e-8)
    np.testing.assert_allclose((found.theta[1] - found.theta[0])[:4], hinge.theta[:4], atol=1e-4)


@pytest.mark.parametrize("strength", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("intercept", [True, False])
def test_the_gap_goes_to_zero_at_every_strength(strength: float, intercept: bool) -> None:
    X, y = rows(3)
    model = LinearClassifier(loss="crammer_singer", strength=strength, fit_intercept=intercept)
    model.fit(X, y)
    assert (model.status_, model.solver_) == ("converged", "multipliers")
    assert (model.certificate_kind_, model.certificate_ <= 1e-6) == ("duality_gap", True)


def test_a_weight_of_two_is_the_row_twice() -> None:
    X, y = rows(3)
    twice = np.append(np.arange(80), np.arange(20))
    weights = np.where(np.arange(80) < 20, 2.0, 1.0)
    model = LinearClassifier(loss="crammer_singer", strength=0.05, tol=1e-9)
    weighted = model.fit(X, y, weights).coef_.copy()
    np.testing.assert_allclose(weighted, model.fit(X[twice], y[twice]).coef_, atol=1e-4)


def test_the_nearest_point_of_the_simplex_is_what_a_general_solver_finds() -> None:
    V = 2 * np.random.default_rng(0).normal(size=(4, 6))
    P = onto_simplex(V)
    np.testing.assert_allclose(P.sum(axis=0), 1)
    for v, p in zip(V.T, P.T, strict=True):
        found = minimize(
            lambda q, v=v: ((q - v) ** 2).sum(),
            np.full(4, 0.25),
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
            options={"ftol": 1e-14},
        )
        np.testing.assert_allclose(p, found.x, atol=1e-6)


def test_the_envelope_is_below_the_loss_and_its_slopes_are_its_derivative() -> None:
    rng = np.random.default_rng(1)
    y, Z = rng.integers(0, 3, 40), rng.normal(size=(3, 40))
    loss, numbers = CrammerSinger(3), np.arange(40)
    smooth = loss.envelope(y, loss.middle(y), 0.7)
    assert isinstance(smooth, Envelope)
    assert (smooth.values(numbers, Z) <= loss.values(y, Z) + 1e-12).all()
    slopes, curvatures = smooth.slopes(numbers, Z), smooth.curvatures(numbers, Z)
    for k in range(3):
        e = np.zeros_like(Z)
        e[k] = 1e-6
        rise = smooth.values(numbers, Z + e) - smooth.values(numbers, Z - e)
        np.testing.assert_allclose(slopes[k], rise / 2e-6, atol=1e-6)
        turn = smooth.slopes(numbers, Z + e) - smooth.slopes(numbers, Z - e)
        np.testing.assert_allclose(smooth.curve(curvatures, e * 1e6), turn / 2e-6, atol=1e-5)
    B, w = rng.normal(size=(40, 2)), rng.uniform(size=40)
    blocks = [
        [(B * (w * smooth.second(curvatures, k, l))[:, None]).T @ B for l in range(3)]
        for k in range(3)
    ]
    np.testing.assert_allclose(
        smooth.hessian(B.copy(), w, curvatures), np.block(blocks), atol=1e-12
    )
