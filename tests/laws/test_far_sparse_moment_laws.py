"""Class moments of sparse rows do not depend on how far the rows are from 0."""

import numpy as np
import pytest
import scipy.sparse as sp

from linclass.statistics.class_moments import ClassMoments


@pytest.mark.parametrize("form", ["diagonal", "tied", "full"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_scatter_of_far_sparse_rows_is_that_of_the_rows_near_zero(form, weighted):
    rng = np.random.default_rng(0)
    near = rng.integers(-64, 65, size=(200, 4)) / 16  # a shift by 2²⁰ is exact
    codes = rng.integers(0, 2, size=200)
    weights = rng.uniform(0.5, 2, size=200) if weighted else np.ones(200)
    far = near + 2.0**20
    far[:, 3] = near[:, 3]  # a column with zeros stays where it is
    found = ClassMoments.of(sp.csr_array(far), codes, weights, 2, form).scatter
    expected = ClassMoments.of(near, codes, weights, 2, form).scatter
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)
