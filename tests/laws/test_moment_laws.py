"""Moments of classes against their definitions, dense and sparse, near and far from the origin."""

import numpy as np
import scipy.sparse as sp
from cases import each

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


def by_definition():
    masks = [k == CODES for k in range(3)]
    mass = np.array([WEIGHTS[m].sum() for m in masks])
    mean = np.array([np.average(DENSE[m], axis=0, weights=WEIGHTS[m]) for m in masks])
    variance = [
        np.average((DENSE[m] - c) ** 2, axis=0, weights=WEIGHTS[m])
        for m, c in zip(masks, mean, strict=True)
    ]
    return mass, mean, np.array(variance)


@each("kind", ROWS)
def test_moments_are_those_of_the_definition_and_count_weights(kind):
    mass, mean, variance = by_definition()
    found = moments(ROWS[kind], CODES, WEIGHTS, 3, "diagonal")
    for value, expected in zip(found, (mass, mean, mass[:, None] * variance), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(moments(ROWS[kind], CODES, WEIGHTS, 3, "means")[1], mean, rtol=1e-12)
    X, twice = ROWS[kind], np.where(CODES == 1, 2.0, 1.0)
    repeated = np.repeat(np.arange(60), twice.astype(int))
    for form in ("diagonal", "tied", "full"):
        weighted = moments(X, CODES, twice, 3, form)
        longer = moments(X[repeated], CODES[repeated], np.ones(len(repeated)), 3, form)
        for value, expected in zip(weighted, longer, strict=True):
            np.testing.assert_allclose(value, expected, atol=1e-12)
    scatter = {form: moments(ROWS[kind], CODES, WEIGHTS, 3, form)[2] for form in FORMS}
    tied = scatter["tied"]
    np.testing.assert_allclose(scatter["full"].sum(axis=0), tied, atol=1e-12)
    np.testing.assert_allclose(scatter["diagonal"].sum(axis=0), np.diag(tied), atol=1e-12)
    diagonals = np.diagonal(scatter["full"], axis1=1, axis2=2)
    np.testing.assert_allclose(scatter["diagonal"], diagonals, atol=1e-12)


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


@each("form", FORMS)
@each("kind", ROWS)
def test_a_class_without_rows_has_zero_moments(kind, form):
    four = moments(ROWS[kind], CODES, WEIGHTS, 4, form)
    three = moments(ROWS[kind], CODES, WEIGHTS, 3, form)
    assert four[0][3] == 0
    assert not four[1][3].any()
    np.testing.assert_array_equal(four[1][:3], three[1])
    if form in ("diagonal", "full"):
        assert not four[2][3].any()
    else:
        np.testing.assert_array_equal(four[2], three[2])
