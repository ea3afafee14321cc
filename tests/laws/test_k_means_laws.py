"""k-means: weights count rows, order has no effect, and the result is not worse than scikit-learn's."""

import numpy as np
from cases import each
from sklearn.cluster import KMeans

from linclass.discriminant.k_means import k_means


def rows(n=90):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 2)) + 4 * rng.normal(size=(5, 2))[np.arange(n) % 5]


def squares(Y, w, nearest):
    kinds = range(nearest.max() + 1)
    M = np.array([np.average(Y[nearest == c], axis=0, weights=w[nearest == c]) for c in kinds])
    distance = ((Y[:, None] - M) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), nearest)  # a fixed point
    return float(w @ distance.min(axis=1))


@each("k", [1, 2, 5, 8])
def test_k_means_is_as_good_as_scikit_learns(k):
    Y, w = rows(), np.random.default_rng(1).uniform(0.5, 2, 90)
    ours = squares(Y, w, k_means(Y, w, k, 20, 0))
    theirs = KMeans(k, n_init=20, random_state=0).fit(Y, sample_weight=w).inertia_
    assert ours <= theirs * 1.02


@each("k", [2, 4])
def test_k_means_depends_on_neither_order_nor_repetition_of_rows(k):
    Y, times = rows(), np.random.default_rng(2).integers(1, 4, 90)
    order = np.random.default_rng(3).permutation(90)
    expected = k_means(Y, times.astype(float), k, 3, 7)
    moved = k_means(Y[order], times[order].astype(float), k, 3, 7)
    np.testing.assert_array_equal(moved, expected[order])
    often = np.repeat(np.arange(90), times)
    np.testing.assert_array_equal(k_means(Y[often], np.ones(len(often)), k, 3, 7), expected[often])
