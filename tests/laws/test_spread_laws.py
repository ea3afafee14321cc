"""Laws of the two factors of a covariance."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each

from linclass import LinearDiscriminantAnalysis
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import (
    DiagonalSpread,
    ShrunkSpread,
    Spread,
    TiedCovariances,
    tied_spread,
)
from linclass.discriminant.row_spreads import Deviations, DualSpread, SpanSpread


def rows(n, d, rank):
    """R (n, d) of a rank, its columns of very different units."""
    rng = np.random.default_rng(n + d)
    units = 10.0 ** rng.integers(-6, 7, size=d)
    return rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) * units


CASES = [(30, 6, 6), (30, 6, 3), (5, 20, 5), (5, 20, 2), (7, 7, 7)]


def of_rows(R):
    """Σ = RᵀR by the span of R."""
    n, d = R.shape
    deviations = Deviations(R, None, np.ones(n), np.zeros(n, dtype=int), 1)
    return SpanSpread(deviations, np.ones(n), np.zeros(d))


def spreads(n, d, rank):
    R = rows(n, d, rank)
    return [Spread.of_covariance(R.T @ R, np.zeros(d)), of_rows(R)]


@each(("n", "d", "rank"), CASES)
def test_the_whitener_makes_the_spread_the_identity(n, d, rank):
    for spread in spreads(n, d, rank):
        root, whitener = spread.unwhiten(np.eye(rank)), spread.directions(np.eye(rank)).T
        np.testing.assert_allclose(root @ whitener, np.eye(rank), atol=1e-8)
        np.testing.assert_allclose(spread.whiten(root), np.eye(rank), atol=1e-8)


def kinds():
    """(name, factors, the covariance that they factor)"""
    R = np.random.default_rng(6).normal(size=(20, 4))
    C = R.T @ R
    values, V = np.linalg.eigh(C)
    few = np.linalg.svd(R[:2], full_matrices=False)
    shrunk = few[2].T * (few[1] ** 2) @ few[2] + 0.3 * np.eye(4)
    flat = np.array([2.0, 0.0, 0.5, 1.0])
    few_rows = Deviations(R[:6], None, np.ones(6), np.array([0, 0, 0, 1, 1, 1]), 2)
    D = np.array([0.0, 0, 0, 0.5, 0.5, 0.5])
    dual = 0.5 * R[3:6].T @ R[3:6] + 0.2 * np.eye(4)
    return [
        ("of rows", DualSpread(few_rows, D, 0.2), dual),
        ("of rows without a factor", DualSpread(few_rows, 0 * D, 0.2), 0.2 * np.eye(4)),
        ("of the span of rows", of_rows(R), C),
        (
            "of the span of weighted rows",
            SpanSpread(few_rows, D + 0.1, np.zeros(4)),
            R[:6].T * (D + 0.1) @ R[:6],
        ),
        ("full", Spread.of_covariance(C, np.zeros(4)), C),
        ("diagonal", DiagonalSpread(np.sqrt(np.diag(C))), np.diag(np.diag(C))),
        ("diagonal without spread", DiagonalSpread(flat), np.diag(flat**2)),
        ("shrunk", ShrunkSpread(values, V.T, 0.3), C + 0.3 * np.eye(4)),
        ("shrunk from few rows", ShrunkSpread(few[1] ** 2, few[2], 0.3), shrunk),
    ]


@each(("name", "spread", "C"), kinds(), ids=lambda v: v if type(v) is str else "")
def test_every_kind_of_spread_offers_what_a_covariance_has(name, spread, C):
    M = np.random.default_rng(7).normal(size=(3, 4))
    inverse = np.linalg.pinv(C, rcond=1e-10)
    assert spread.rank == np.linalg.matrix_rank(C)
    np.testing.assert_allclose(spread.times(M), M @ C, atol=1e-11)
    np.testing.assert_allclose(spread.solve(M), M @ inverse, atol=1e-10)
    white = spread.whiten(M)
    np.testing.assert_allclose(white @ white.T, M @ inverse @ M.T, atol=1e-10)
    apart = M[None] - M[:, None]
    expected = np.einsum("ijk,kl,ijl->ij", apart, inverse, apart)
    for m, distances in zip(M, expected, strict=True):
        np.testing.assert_allclose(spread.distances(M, m), distances, atol=1e-9)
        np.testing.assert_allclose(spread.distances(sp.csr_array(M), m), distances, atol=1e-9)
    volume = np.log(np.linalg.eigvalsh(C)[-spread.rank :]).sum()
    assert spread.log_volume == pytest.approx(volume, rel=1e-10)


@each(("shape", "shrinkage"), [("full", 0.0), ("full", 0.3), ("diag", 0.0), ("spherical", 0.0)])
def test_the_covariances_of_folds_are_those_of_each_fold_also_without_full_rank(shape, shrinkage):
    rng = np.random.default_rng(9)
    codes, weights, form = (
        np.repeat([0, 1], 20),
        np.ones(40),
        "tied" if shape == "full" else "diagonal",
    )
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
        np.testing.assert_allclose(white[j] @ white[j].T, expected @ expected.T, rtol=1e-10)
        np.testing.assert_allclose(solved[j], spread.solve(own), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(times[j], spread.times(own), rtol=1e-9, atol=1e-12)


def test_the_certificate_of_lda_is_as_large_as_its_error_where_features_nearly_depend():
    """Two features that differ by 1e-6: Σ has a condition number near 1e12, so 4 to 5 digits are left of 16."""
    rng = np.random.default_rng(10)
    y, x = np.repeat([0, 1], 50), rng.normal(size=(100, 1))
    X = np.hstack([x, x + 1e-6 * rng.normal(size=(100, 1))]) + 0.5 * y[:, None]
    certificate = LinearDiscriminantAnalysis().fit(X, y).certificate_
    assert 1e-13 < certificate < 1e-3
