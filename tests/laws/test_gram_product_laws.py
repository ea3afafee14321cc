"""Sums of products of rows, of dense and of sparse ones."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from linclass.base.design_matrix import DesignMatrix


@pytest.mark.parametrize("entries", [1, 7, 500_000])
def test_norms_of_sparse_rows_and_columns_are_those_of_dense_ones(entries, monkeypatch):
    """However many entries are squared at a time, with columns of zeros at both ends, and empty rows."""
    monkeypatch.setattr("linclass.base.arrays.ENTRIES", entries)
    rng = np.random.default_rng(6)
    X = rng.standard_normal((30, 12)) * (rng.random((30, 12)) < 0.2)
    X[:, [0, 5, 6, 11]] = 0
    w = rng.exponential(size=30)
    for intercept in (True, False):
        design, dense = DesignMatrix(sparse.csr_array(X), intercept), DesignMatrix(X, intercept)
        assert_allclose(design.column_norms(w), dense.column_norms(w))
        assert_allclose(design.squared_row_norms(), dense.squared_row_norms())
    empty = DesignMatrix(sparse.csr_array((30, 3)), False).column_norms(w)
    assert_allclose(empty, 0)


@pytest.mark.parametrize("shape", [(200, 8), (20, 300), (6, 3000)])
@pytest.mark.parametrize("scores", [1, 2, 100])
def test_products_of_sparse_rows_with_one_score_or_many_are_those_of_dense_ones(
    shape, scores, monkeypatch
):
    """Whether sums go over rows, or over a copy of the columns."""
    monkeypatch.setattr("linclass.base.design_matrix.CACHED", 500)
    n, d = shape
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)
    R = rng.standard_normal(n if scores == 1 else (scores, n))
    w = rng.dirichlet(np.ones(n))
    for intercept in (True, False):
        design, dense = DesignMatrix(sparse.csr_array(X), intercept), DesignMatrix(X, intercept)
        assert_allclose(design.pull(R), R @ dense.dense(), atol=1e-12)
        assert_allclose(design.centre(w), w @ X if intercept else np.zeros(d), atol=1e-14)
