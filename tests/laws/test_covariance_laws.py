"""Laws of the two factors of a covariance."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans

from linclass import LinearDiscriminantAnalysis
from linclass.discriminant.class_moments import FORMS, ClassMoments
from linclass.discriminant.covariance import (
    DiagonalSpread,
    ShrunkSpread,
    Spread,
    TiedCovariances,
    tied_spread,
)
from linclass.discriminant.k_means import k_means
from linclass.discriminant.row_spreads import Deviations, DualSpread, SpanSpread

R = np.random.default_rng(6).normal(size=(20, 4))
C = R.T @ R
VALUES, V = np.linalg.eigh(C)
FEW = np.linalg.svd(R[:2], full_matrices=False)
FLAT = np.array([2.0, 0.0, 0.5, 1.0])
FEW_ROWS = Deviations(R[:6], None, np.ones(6), np.array([0, 0, 0, 1, 1, 1]), 2)
D = np.array([0.0, 0, 0, 0.5, 0.5, 0.5])
ALL_ROWS = Deviations(R, None, np.ones(20), np.zeros(20, dtype=int), 1)
KINDS = {  # the factors of a covariance, and the covariance
    "of rows": (DualSpread(FEW_ROWS, D, 0.2), 0.5 * R[3:6].T @ R[3:6] + 0.2 * np.eye(4)),
    "of rows without a factor": (DualSpread(FEW_ROWS, 0 * D, 0.2), 0.2 * np.eye(4)),
    "of the span of rows": (SpanSpread(ALL_ROWS, np.ones(20), np.zeros(4)), C),
    "of the span of weighted rows": (SpanSpread(FEW_ROWS, D + 0.1, np.zeros(4)), R[:6].T * (D + 0.1) @ R[:6]),
    "full": (Spread.of_covariance(C, np.zeros(4)), C),
    "diagonal": (DiagonalSpread(np.sqrt(np.diag(C))), np.diag(np.diag(C))),
    "diagonal without spread": (DiagonalSpread(FLAT), np.diag(FLAT**2)),
    "shrunk": (ShrunkSpread(VALUES, V.T, 0.3), C + 0.3 * np.eye(4)),
    "shrunk from few rows": (ShrunkSpread(FEW[1] ** 2, FEW[2], 0.3), FEW[2].T * FEW[1]**2 @ FEW[2] + 0.3 * np.eye(4)),
}  # fmt: skip


@each("name", KINDS)
def test_every_kind_of_spread_offers_what_a_covariance_has(name):
    spread, C = KINDS[name]
    M = np.random.default_rng(7).normal(size=(3, 4))
    inverse = np.linalg.pinv(C, rcond=1e-10)
    assert spread.rank == np.linalg.matrix_rank(C)
    assert_allclose(spread.times(M), M @ C, atol=1e-11)
    assert_allclose(spread.solve(M), M @ inverse, atol=1e-10)
    white = spread.whiten(M)
    assert_allclose(white @ white.T, M @ inverse @ M.T, atol=1e-10)
    for m in M:
        expected = np.einsum("ij,jk,ik->i", M - m, inverse, M - m)
        for rows in (M, sp.csr_array(M)):
            assert_allclose(spread.distances(rows, m), expected, atol=1e-9)
    volume = np.log(np.linalg.eigvalsh(C)[-spread.rank :]).sum()
    assert spread.log_volume == pytest.approx(volume, rel=1e-10)


@each(("shape", "shrinkage"), [("full", 0.0), ("full", 0.3), ("diag", 0.0), ("spherical", 0.0)])
def test_the_covariances_of_folds_are_those_of_each_fold_also_without_full_rank(shape, shrinkage):
    rng = np.random.default_rng(9)
    codes, weights = np.repeat([0, 1], 20), np.ones(40)
    form = "tied" if shape == "full" else "diagonal"
    X = rng.normal(size=(3, 40, 4))
    X[1, :, 3] = X[1, :, 2]  # one fold of rank 3
    folds = [ClassMoments.of(rows, codes, weights, 2, form) for rows in X]
    arrays = (np.stack([getattr(f, name) for f in folds]) for name in ("mass", "mean", "scatter"))
    together = TiedCovariances(ClassMoments(form, *arrays), 1, shape, shrinkage)
    M = rng.normal(size=(3, 2, 4))
    alone = [tied_spread(fold, 1, shape, shrinkage) for fold in folds]
    assert together.ranks == [spread.rank for spread in alone]
    white, solved, times = together.whiten(M), together.solve(M), together.times(M)
    for j, (spread, own) in enumerate(zip(alone, M, strict=True)):
        expected = spread.whiten(own)
        assert_allclose(white[j] @ white[j].T, expected @ expected.T, rtol=1e-10)
        assert_allclose(solved[j], spread.solve(own), rtol=1e-9, atol=1e-12)
        assert_allclose(times[j], spread.times(own), rtol=1e-9, atol=1e-12)


def test_the_certificate_of_lda_is_as_large_as_its_error_where_features_nearly_depend():
    """Two features that differ by 1e-6: Σ has a condition number near 1e12, so 4 to 5 digits are left of 16."""
    rng = np.random.default_rng(10)
    y, x = np.repeat([0, 1], 50), rng.normal(size=(100, 1))
    X = np.hstack([x, x + 1e-6 * rng.normal(size=(100, 1))]) + 0.5 * y[:, None]
    certificate = LinearDiscriminantAnalysis().fit(X, y).certificate_
    assert 1e-13 < certificate < 1e-3


# Moments of classes against their definitions, dense and sparse, near and far from the origin.

RNG = np.random.default_rng(0)
CODES = RNG.permutation(np.repeat(np.arange(3), [5, 20, 35]))
WEIGHTS = RNG.uniform(0.1, 3, size=60)
DENSE = RNG.normal(size=(60, 4)) * (RNG.random((60, 4)) < 0.5) + CODES[:, None] * [0, 0, 1, 1]
ROWS = {"dense": DENSE, "sparse": sp.csr_array(DENSE)}


def test_moments_keep_digits_far_from_0_and_leave_the_rows_unchanged():
    x = np.array([[1.0], [2.0], [3.0], [5.0]])
    codes = np.array([0, 0, 1, 1])
    near = ClassMoments.of(x, codes, np.ones(4), 2, "diagonal").scatter
    far = ClassMoments.of(x + 1e9, codes, np.ones(4), 2, "diagonal").scatter
    assert np.array_equal(near, far)  # small whole numbers: every step is exact
    X = np.full((100_000, 1), 0.1)  # adding 0.1 a hundred thousand times is off by 1e-12
    codes = np.arange(100_000) % 2
    for kind in (X, sp.csr_array(X)):
        found = ClassMoments.of(kind, codes, np.ones(len(X)), 2, "diagonal")
        assert np.abs(found.mean - 0.1).max() < 1e-16
        assert np.sqrt(found.scatter / found.mass[:, None]).max() < 1e-16
    before = DENSE.copy()
    for form in FORMS:
        for X in ROWS.values():
            ClassMoments.of(X, CODES, WEIGHTS, 3, form)
    assert np.array_equal(DENSE, before)
    assert np.array_equal(ROWS["sparse"].toarray(), before)


# k-means: weights count rows, order has no effect, and the result is not worse than scikit-learn's.


@each("k", [1, 2, 4, 5, 8])
def test_k_means_is_as_good_as_scikit_learns_for_any_order_and_repetition_of_rows(k):
    rng, w = np.random.default_rng(0), np.random.default_rng(1).uniform(0.5, 2, 90)
    Y = rng.normal(size=(90, 2)) + 4 * rng.normal(size=(5, 2))[np.arange(90) % 5]
    nearest = k_means(Y, w, k, 20, 0)
    kinds = range(nearest.max() + 1)
    M = np.array([np.average(Y[nearest == c], axis=0, weights=w[nearest == c]) for c in kinds])
    distance = ((Y[:, None] - M) ** 2).sum(axis=2)
    np.testing.assert_array_equal(distance.argmin(axis=1), nearest)  # a fixed point
    theirs = KMeans(k, n_init=20, random_state=0).fit(Y, sample_weight=w).inertia_
    assert w @ distance.min(axis=1) <= theirs * 1.02
    times = np.random.default_rng(2).integers(1, 4, 90)
    order = np.random.default_rng(3).permutation(90)
    expected = k_means(Y, times.astype(float), k, 3, 7)
    moved = k_means(Y[order], times[order].astype(float), k, 3, 7)
    np.testing.assert_array_equal(moved, expected[order])
    often = np.repeat(np.arange(90), times)
    np.testing.assert_array_equal(k_means(Y[often], np.ones(len(often)), k, 3, 7), expected[often])
