"""Class moments and scores of sparse rows do not depend on how far the rows are from 0."""

import numpy as np
import scipy.sparse as sp
from cases import each
from sklearn.base import clone

from linclass import (
    ExponentialFamilyNB,
    FisherDiscriminant,
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestMean,
    NearestShrunkenCentroids,
    QuadraticDiscriminantAnalysis,
    RegularizedDiscriminantAnalysis,
)
from linclass.discriminant.statistics.class_moments import ClassMoments


@each("form", ["diagonal", "tied", "full"])
@each("weighted", [False, True])
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


MODELS = [
    GaussianNB(var_smoothing=0),
    GaussianNB(var_smoothing=0, tied=True),
    ExponentialFamilyNB("gaussian"),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shape="diagonal"),
    QuadraticDiscriminantAnalysis(),
    RegularizedDiscriminantAnalysis(),
    FisherDiscriminant(),
    NearestMean(),
    NearestShrunkenCentroids(),
]


@each("model", MODELS, ids=repr)
@each("classes", [2, 3])
@each("power", [10, 20, 26])
def test_scores_of_far_sparse_rows_are_those_of_the_rows_near_zero(model, classes, power):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, classes, size=300)
    near = (rng.integers(-64, 65, size=(300, 4)) + 16 * codes[:, None]) / 32  # the shift is exact
    near[:, 3] *= rng.random(300) < 0.5  # zeros that are not stored
    far = near + 2.0**power * np.array([1, -1, 1, 0])
    expected = clone(model).fit(near, codes).decision_function(near)
    found = clone(model).fit(sp.csr_array(far), codes).decision_function(sp.csr_array(far))
    if found.ndim > 1:  # scores of classes have a common term
        expected, found = (Z - Z.mean(axis=1, keepdims=True) for Z in (expected, found))
    np.testing.assert_allclose(found, expected, atol=2.0 ** (power - 46), rtol=0)
