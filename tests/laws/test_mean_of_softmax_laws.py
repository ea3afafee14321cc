"""The mean of the softmax over normal scores, against other integrals and its laws."""

from __future__ import annotations

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy.special import log_softmax, softmax

from linclass.bayes import predictive_means
from linclass.bayes.predictive_means import log_mean_of_sigmoid, log_mean_of_softmax

EXACT, NEAR, ROUGH = (
    1e-7,
    1e-4,
    1e-3,
)  # of the product rule, and of the net for narrow and wide scores


def scores(K: int, spread: float, n: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Means and covariances of correlated scores whose deviations are about `spread`."""
    rng = np.random.default_rng([K, seed])
    roots = spread * rng.standard_normal((n, K, K)) / np.sqrt(K)
    return 2 * rng.standard_normal((n, K)), roots @ roots.swapaxes(1, 2)


def of_independent_scores(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """As 1/Σ_j e^{z_j} = ∫ e^v exp(−Σ_j e^{z_j + v}) dv, the mean is an integral over v of products of means over one
    score each."""
    u = np.arange(-8, 8, 0.4 / max(deviation.max(), 1))
    weights = np.exp(-0.5 * u * u) / np.exp(-0.5 * u * u).sum()
    far, alone, own = np.abs(mean).max() + 8 * deviation.max() + 30, [], []
    v = np.arange(-far, far, 0.4)
    for m, s in zip(mean, deviation, strict=True):
        z = np.minimum(m + s * u + v[:, None], 100)
        none = np.exp(-np.exp(z))
        alone.append(none @ weights)
        own.append((np.exp(z) * none) @ weights)
    rest = [np.prod(np.delete(alone, k, axis=0), axis=0) for k in range(len(mean))]
    return np.asarray(0.4 * (np.array(own) * rest).sum(axis=1))


@each(
    ("K", "deviation", "digits"),
    [
        (3, 0.3, EXACT), (3, 2.0, EXACT), (3, 30.0, ROUGH), (4, 1.0, EXACT), (4, 5.0, NEAR), (5, 0.3, NEAR),
        (7, 3.0, NEAR), (10, 1.0, NEAR), (10, 20.0, ROUGH),
    ],
)  # fmt: skip
def test_of_independent_scores_it_is_an_integral_over_one_variable(
    K: int, deviation: float, digits: float
) -> None:
    rng = np.random.default_rng(K)
    n = 3 if deviation < 10 else 1
    mean = deviation * rng.standard_normal((n, K))
    deviations = deviation * rng.uniform(0.3, 1, (n, K))
    covariance = deviations[:, None] ** 2 * np.eye(K)
    found = np.exp(log_mean_of_softmax(mean, covariance))
    expected = [of_independent_scores(m, s) for m, s in zip(mean, deviations, strict=True)]
    assert_allclose(np.sum(expected, axis=1), 1, atol=1e-9)
    assert_allclose(found, expected, atol=digits)


def test_of_three_correlated_scores_it_is_the_sum_over_a_fine_grid() -> None:
    """Along the axes of Cholesky's factor of two differences."""
    mean, covariance = scores(3, 1.5)
    found = np.exp(log_mean_of_softmax(mean, covariance))
    D, u = np.array([[1.0, 0, -1], [0, 1, -1]]), np.linspace(-9, 9, 201)
    U = np.stack(np.meshgrid(u, u)).reshape(2, -1)
    weights = np.exp(-0.5 * (U * U).sum(axis=0))
    for m, S, p in zip(mean, covariance, found, strict=True):
        z = (D @ m)[:, None] + np.linalg.cholesky(D @ S @ D.T) @ U
        P = softmax(np.vstack([z, np.zeros(U.shape[1])]), axis=0)
        assert_allclose(p, P @ weights / weights.sum(), atol=EXACT)


@each("deviation", [0.0, 0.5, 3.0, 20.0, 200.0])
@each("K", [2, 3])
def test_of_two_classes_it_is_the_mean_of_the_logistic_function(K: int, deviation: float) -> None:
    """Also if there is a third, which has no chance."""
    mean = np.zeros((5, K))
    mean[:, 1] = -deviation * np.array([0, 0.3, 1, 2, 3])
    mean[:, 2:] = -1e5
    root = np.array([[0.4, 0.1], [0.9, 1.1]])
    root *= deviation / np.linalg.norm(root[1] - root[0])
    covariance = np.zeros((5, K, K))
    covariance[:, :2, :2] = root @ root.T
    found = log_mean_of_softmax(mean, covariance)[:, 1]
    expected = log_mean_of_sigmoid(mean[:, 1], np.full(5, deviation))
    assert_allclose(np.exp(found), np.exp(expected), atol=EXACT if K == 2 else ROUGH)


CASES = [(3, 0.5), (3, 40.0), (4, 1.0), (6, 2.0)]


@each(("K", "spread"), CASES)
def test_probabilities_sum_to_one_and_follow_their_classes(K: int, spread: float) -> None:
    mean, covariance = scores(K, spread)
    found = log_mean_of_softmax(mean, covariance)
    assert_allclose(np.exp(found).sum(axis=1), 1, rtol=1e-10)
    order = np.random.default_rng(1).permutation(K)
    moved = log_mean_of_softmax(mean[:, order], covariance[:, order][:, :, order])
    assert_allclose(np.exp(moved), np.exp(found[:, order]), atol=1e-9)


@each("K", [3, 4])
def test_sure_scores_have_their_softmax_and_less_sure_ones_half_its_curvature(K: int) -> None:
    mean, covariance = scores(K, 1.0)
    P = softmax(mean, axis=1)
    assert_allclose(
        log_mean_of_softmax(mean, 0 * covariance), log_softmax(mean, axis=1), rtol=1e-12
    )
    second = np.zeros((len(mean), K))
    for row, (p, S) in enumerate(zip(P, covariance, strict=True)):
        e = np.eye(K)
        for k in range(K):  # ∂²p_k = p_k ((e_k − p)(e_k − p)ᵀ − diag p + p pᵀ)
            H = p[k] * (np.outer(e[k] - p, e[k] - p) - np.diag(p) + np.outer(p, p))
            second[row, k] = np.vdot(H, S) / 2
    for size, digits in ((1e-2, 2e-4), (1e-3, 2e-6)):
        change = np.exp(log_mean_of_softmax(mean, size * covariance)) - P
        assert_allclose(change, size * second, atol=digits)


def test_unlikely_classes_keep_the_digits_of_their_logarithms() -> None:
    """Far below the others a probability is e^{z} of a normal z, whose mean is e^{μ + s²/2}."""
    mean = np.array([[0.0, -0.5, -900.0]])
    covariance = np.diag([0.0, 0.0, 1.44])[None]
    found = log_mean_of_softmax(mean, covariance)[0]
    assert_allclose(found[2], -900 + 0.72 - np.logaddexp(0, -0.5), atol=1e-6)


def test_blocks_of_rows_and_of_points_change_nothing_but_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parts = [scores(4, spread, n=2, seed=7) for spread in (0.5, 1.0, 9.0)]
    mean, covariance = (np.concatenate(part) for part in zip(*parts, strict=True))
    whole = log_mean_of_softmax(mean, covariance)
    monkeypatch.setattr(predictive_means, "CELLS", 40_000)
    assert_allclose(log_mean_of_softmax(mean, covariance), whole, rtol=1e-9)
    alone = [
        log_mean_of_softmax(*row) for row in zip(mean[:, None], covariance[:, None], strict=True)
    ]
    assert_allclose(np.concatenate(alone), whole, rtol=1e-9)
