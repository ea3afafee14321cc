"""Linearly dependent columns: they are reported for any order of the rows, and the coefficients have minimum norm."""

from collections.abc import Callable

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose

from linclass import LinearRegression
from linclass.base.numerics import Inverse

SEEDS = range(20)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def dummies(rng):
    """A column for each of ten categories, whose sum is the intercept's, and a number."""
    categories = rng.integers(0, 10, 100)[:, None] == np.arange(10)
    return np.column_stack([categories, rng.standard_normal(100)])


def square(rng):
    """As many columns as rows; with an intercept it is one too many."""
    return rng.standard_normal((20, 20))


def summed(rng):
    X = rng.standard_normal((100, 10))
    return np.column_stack([X, X.sum(axis=1)])


Columns = Callable[[np.random.Generator], np.ndarray]


@each("columns", [dummies, square, summed])
def test_dependent_columns_are_reported_and_get_the_minimum_norm_solution(columns):
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = columns(rng)
        y = X @ rng.standard_normal(X.shape[1]) + rng.standard_normal(len(X))
        model = LinearRegression().fit(X, y)
        least = np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=1e-10)[0]
        assert model.status_ == "rank_deficient"
        assert_allclose(model.coef_, least, atol=1e-7 * np.abs(least).max())


def test_nearly_dependent_columns_in_different_units_have_full_rank():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((100, 10))
        X[:, 9] = X[:, :9].sum(axis=1) + 1e-5 * X[:, 9]
        X *= 10.0 ** rng.uniform(-6, 6, 10)
        assert Inverse(X.T @ X).rank is None
