"""Small two-class problems for the tests of margins."""

import numpy as np


def overlapping(n=90, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.array([1, 2, 0.5])[:d]
    return X, (X @ np.arange(1, d + 1) + 1.5 * rng.standard_normal(n) > 0.5).astype(int)


def separable(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] > 0.2).astype(int)
    X[:, 0] += 0.4 * (2 * y - 1)
    return X, y
