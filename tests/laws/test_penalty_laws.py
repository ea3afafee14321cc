"""Laws of every penalty, found by its file."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from problems import differences
from scipy.optimize import minimize

from linclass.parts import find, names
from linclass.penalties.elastic_net import ElasticNet
from linclass.penalties.l1 import L1
from linclass.penalties.l2 import L2

BINDING = [name for name in names("penalties") if find("penalties", name).binds]
W = np.array([[0.7, -1.2, 0.0], [2.0, 0.1, -0.3]])
TIGHT = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 10_000, "maxfev": 10_000}


@pytest.mark.parametrize("name", names("penalties"))
def test_gradient_and_kink_are_what_finite_differences_see(name: str) -> None:
    """Away from 0 the slope is that of the smooth part ± the kink; at 0 it jumps by twice the kink."""
    penalty = find("penalties", name)()
    V = np.where(W == 0, 0.4, W)
    slope = penalty.gradient(V) + penalty.kink * np.sign(V)
    assert_allclose(slope, differences(penalty.value, V), atol=1e-8)
    assert_allclose(penalty.gradient(V), penalty.curvature * V)
    at_zero, h = penalty.value(np.zeros(1)), 1e-8
    right, left = (penalty.value(np.array([e])) - at_zero for e in (h, -h))
    assert_allclose((right + left) / h, 2 * penalty.kink, atol=1e-6)


@pytest.mark.parametrize("name", BINDING)
@pytest.mark.parametrize("t", [0.1, 1.0, 3.0])
def test_moreaus_identity(name: str, t: float) -> None:
    """W = prox_{t f}(W) + t prox_{f*/t}(W/t), so the rest U = (W − prox)/t is where f and f* meet."""
    penalty = find("penalties", name)()
    V = penalty.prox(W, t)
    U = (W - V) / t
    assert_allclose(penalty.value(V) + penalty.conjugate(U), np.vdot(U, V), atol=1e-14)


@pytest.mark.parametrize("name", BINDING)
def test_the_conjugate_is_finite_on_its_domain_and_not_beyond(name: str) -> None:
    penalty = find("penalties", name)()
    U = np.array([[0.2, 2.5, -0.4], [0.0, 5.0, 1.0]])
    c = penalty.into_domain(U)
    assert 0 < c <= 1
    assert np.isfinite(penalty.conjugate(c * U))
    assert c == 1 or penalty.conjugate(1.001 * c * U) == np.inf


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


@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_the_ends_of_the_elastic_net_are_l2_and_l1(l1_ratio: float) -> None:
    net, l1, l2 = ElasticNet(l1_ratio), L1(), L2()
    U = 0.4 * W
    mix = l1_ratio * l1.value(W) + (1 - l1_ratio) * l2.value(W)
    assert_allclose(net.value(W), mix, rtol=1e-15)
    for end in {0.0: [l2], 1.0: [l1]}.get(l1_ratio, []):
        assert_allclose(net.prox(W, 0.7), end.prox(W, 0.7), rtol=1e-15)
        assert net.into_domain(U) == end.into_domain(U)
        assert_allclose(net.conjugate(U), end.conjugate(U), rtol=1e-15)


def test_a_share_of_l1_outside_zero_to_one_is_refused() -> None:
    for wrong in (-0.1, 1.1, "half", np.nan):
        with pytest.raises(ValueError, match="l1_ratio is"):
            ElasticNet(wrong).check()


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
