"""Pairwise coupling: consistent pairs are recovered, inconsistent ones get the optimum of each objective."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from scipy.special import expit
from sklearn.svm import SVC

from linclass.multiclass.one_vs_one import couple


def pairs(K: int, n: int = 40, size: float = 2.0) -> np.ndarray:
    """Inconsistent r with r_ij + r_ji = 1."""
    Z = size * np.random.default_rng(K).normal(size=(n, K, K))
    return expit(Z - Z.swapaxes(1, 2))


def consistent(p: np.ndarray) -> np.ndarray:
    return p[:, :, None] / (p[:, :, None] + p[:, None, :])


@each("K", [2, 3, 7])
def test_consistent_pairs_are_recovered(K):
    p = np.random.default_rng(K).dirichlet(np.full(K, 0.5), 50)
    p = (p + 1e-6) / (p + 1e-6).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.exp(couple(consistent(p))), p, rtol=1e-8)


def test_coupled_probabilities_of_two_classes_are_those_of_the_pair():
    R = pairs(2)
    expected = np.column_stack([R[:, 0, 1], R[:, 1, 0]])
    np.testing.assert_allclose(np.exp(couple(R)), expected, rtol=1e-10)


def squares(p: np.ndarray, R: np.ndarray) -> float:
    """Wu, Lin and Weng's objective, term by term."""
    K = len(p)
    return sum((R[j, i] * p[i] - R[i, j] * p[j]) ** 2 for i in range(K) for j in range(K) if i != j)


@each("size", [0.5, 2.0, 20.0])
def test_wu_lin_wengs_probabilities_are_optimal_by_karush_kuhn_and_tucker(size):
    """On the simplex: one slope for all classes, as each has a positive probability."""
    for R in pairs(4, size=size):
        p = np.exp(couple(R[None])[0])
        slopes = [
            (squares(p + 1e-4 * e, R) - squares(p - 1e-4 * e, R)) / 2e-4 for e in np.eye(4)
        ]  # exact, for a quadratic
        assert (p > 0).all()
        assert np.ptp(slopes) < 1e-9


@pytest.mark.filterwarnings("ignore:.*(probability|prob).*deprecated:FutureWarning")
def test_wu_lin_wengs_probabilities_are_libsvms_to_its_tolerance():
    rng = np.random.default_rng(0)
    y = np.arange(160) % 4
    X = rng.normal(size=(160, 2)) + np.array([[0, 0], [2, 0], [0, 2], [2, 2]])[y]
    peer = SVC(probability=True, random_state=0, decision_function_shape="ovo").fit(X, y)
    R = np.zeros((160, 4, 4))
    scores = peer.decision_function(X).T
    places = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    for z, a, b, (i, j) in zip(scores, peer._probA, peer._probB, places, strict=True):
        R[:, i, j] = expit(-(a * z + b))
        R[:, j, i] = 1 - R[:, i, j]
    ours = np.exp(couple(R))
    # svm.cpp stops its iteration at max |(Qp)_t − pᵀQp| < 0.005/K
    np.testing.assert_allclose(ours, peer.predict_proba(X), atol=5e-3)
