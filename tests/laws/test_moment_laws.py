"""Moments of classes against their definitions, dense and sparse, near and far from the origin."""

import numpy as np
import scipy.sparse as sp

from linclass.discriminant.class_moments import FORMS
from linclass.discriminant.class_moments import moments as moments_of
from linclass.discriminant.row_spreads import Deviations

RNG = np.random.default_rng(0)
CODES = RNG.permutation(np.repeat(np.arange(3), [5, 20, 35]))
WEIGHTS = RNG.uniform(0.1, 3, size=60)
DENSE = RNG.normal(size=(60, 4)) * (RNG.random((60, 4)) < 0.5) + CODES[:, None] * [0, 0, 1, 1]
ROWS = {"dense": DENSE, "sparse": sp.csr_array(DENSE)}


def moments(*given):
    """Mass, means and scatter; deviations of rows as an array."""
    *known, scatter = moments_of(*given)
    return *known, scatter.dense() if isinstance(scatter, Deviations) else scatter


def test_moments_keep_digits_far_from_0_and_leave_the_rows_unchanged():
    x = np.array([[1.0], [2.0], [3.0], [5.0]])
    codes = np.array([0, 0, 1, 1])
    near = moments(x, codes, np.ones(4), 2, "diagonal")[2]
    far = moments(x + 1e9, codes, np.ones(4), 2, "diagonal")[2]
    assert np.array_equal(near, far)  # small whole numbers: every step is exact
    X = np.full((100_000, 1), 0.1)  # adding 0.1 a hundred thousand times is off by 1e-12
    codes = np.arange(100_000) % 2
    for kind in (X, sp.csr_array(X)):
        mass, mean, scatter = moments(kind, codes, np.ones(len(X)), 2, "diagonal")
        assert np.abs(mean - 0.1).max() < 1e-16
        assert np.sqrt(scatter / mass[:, None]).max() < 1e-16
    before = DENSE.copy()
    for form in FORMS:
        for X in ROWS.values():
            moments(X, CODES, WEIGHTS, 3, form)
    assert np.array_equal(DENSE, before)
    assert np.array_equal(ROWS["sparse"].toarray(), before)
