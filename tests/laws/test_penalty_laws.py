"""Laws of every penalty, found by its file."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import differences
from scipy.optimize import minimize

from linclass.parts import find, names

BINDING = [name for name in names("penalties") if find("penalties", name).binds]
W = np.array([[0.7, -1.2, 0.0], [2.0, 0.1, -0.3]])
TIGHT = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 10_000, "maxfev": 10_000}


@pytest.mark.parametrize("name", names("penalties"))
def test_gradient_matches_finite_differences(name: str) -> None:
    penalty = find("penalties", name)()
    if penalty.smooth:
        assert_allclose(penalty.gradient(W), differences(penalty.value, W), atol=1e-8)
        assert_allclose(penalty.gradient(W), penalty.curvature * W)


@pytest.mark.parametrize("name", names("penalties"))
@pytest.mark.parametrize("t", [0.1, 1.0])
def test_prox_minimizes_its_definition(name: str, t: float) -> None:
    """Entry by entry: the penalties here are sums over entries."""
    penalty = find("penalties", name)()
    for w, found in zip(W.ravel(), penalty.prox(W, t).ravel(), strict=True):

        def goal(v: np.ndarray, w: float = w) -> float:
            return t * penalty.value(v) + 0.5 * float((v[0] - w) ** 2)

        best = minimize(goal, [w], method="Nelder-Mead", options=TIGHT)
        assert_allclose(found, best.x[0], atol=1e-7)


@pytest.mark.parametrize("name", BINDING)
def test_conjugate_is_the_supremum_of_its_definition(name: str) -> None:
    penalty = find("penalties", name)()
    for u in (0.3, -0.9):
        U = np.array([penalty.into_domain(np.array([u])) * u])
        best = minimize(
            lambda v, U=U: penalty.value(v) - float(U @ v),
            [0.1],
            method="Nelder-Mead",
            options=TIGHT,
        )
        assert_allclose(penalty.conjugate(U), -best.fun, atol=1e-9)


@pytest.mark.parametrize("name", BINDING)
def test_fenchel_young(name: str) -> None:
    penalty = find("penalties", name)()
    U = np.array([[0.2, 0.9, -0.4], [0.0, 3.0, 1.0]])
    U = penalty.into_domain(U) * U
    assert penalty.value(W) + penalty.conjugate(U) >= np.vdot(U, W)


def test_the_unpenalized_objective_ignores_the_strength() -> None:
    penalty = find("penalties", "unpenalized")()
    assert penalty.value(W) == 0
    assert penalty.conjugate(np.zeros(3)) == 0
    assert penalty.conjugate(np.ones(3)) == np.inf
    assert penalty.into_domain(np.ones(3)) == 0
