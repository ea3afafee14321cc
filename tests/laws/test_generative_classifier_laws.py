"""Laws of the generative classifiers: weights, units, sparse rows, extremes, status."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each

from linclass import (
    BernoulliNB,
    CategoricalNB,
    ExponentialFamilyNB,
    FisherDiscriminant,
    FlexibleDiscriminantAnalysis,
    GaussianNB,
    LinearDiscriminantAnalysis,
    MajorityClass,
    MixtureDiscriminantAnalysis,
    MultinomialNB,
    NearestMean,
    NearestShrunkenCentroids,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
    ReducedRankLDA,
    RegularizedDiscriminantAnalysis,
)
from linclass.base.messages import NotApplicable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

KINDS = [
    GaussianNB, LinearDiscriminantAnalysis, MajorityClass, NearestMean, QuadraticDiscriminantAnalysis,
    FisherDiscriminant, ExponentialFamilyNB, NearestShrunkenCentroids, ReducedRankLDA,
    RegularizedDiscriminantAnalysis, FlexibleDiscriminantAnalysis, MixtureDiscriminantAnalysis,
]  # fmt: skip
PROBABILISTIC = [
    GaussianNB, LinearDiscriminantAnalysis, MajorityClass, QuadraticDiscriminantAnalysis, ExponentialFamilyNB,
    NearestShrunkenCentroids, ReducedRankLDA, RegularizedDiscriminantAnalysis, FlexibleDiscriminantAnalysis,
    MixtureDiscriminantAnalysis,
]  # fmt: skip


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def problem(K, n=120, d=4):
    """Overlapping classes of unequal size, correlated features with zeros."""
    rng = np.random.default_rng(K)
    y = np.minimum(rng.integers(0, K + 1, n), K - 1)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y]
    return X * (rng.random((n, d)) < 0.7), y


DATA = {K: problem(K) for K in (2, 3, 5)}


@each("K", DATA)
@each("kind", KINDS)
def test_sparse_rows_give_the_model_of_dense_rows(kind, K, rng):
    X, y = DATA[K]
    weights = rng.uniform(0.5, 2, len(y))
    dense = kind().fit(X, y, weights)
    sparse = kind().fit(sp.csr_array(X), y, weights)
    expected = dense.decision_function(X)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), expected, atol=1e-9)
    np.testing.assert_allclose(dense.decision_function(sp.csr_array(X)), expected, atol=1e-9)


@each("kind", [
    GaussianNB,
    LinearDiscriminantAnalysis,
    NearestMean,
    QuadraticDiscriminantAnalysis,
    FisherDiscriminant,
])  # fmt: skip
@each("offset", [0.0, 1e6])
@each("unit", [1e-100, 1e-8, 1.0, 1e8, 1e100])
def test_units_and_offsets_change_no_prediction(kind, unit, offset):
    X, y = DATA[3]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        moved = kind().fit(unit * (X + offset), y)
        assert np.array_equal(moved.predict(unit * (X + offset)), kind().fit(X, y).predict(X))


@each("kind", [kind for kind in PROBABILISTIC if kind is not MajorityClass])
def test_a_class_of_prior_zero_is_never_predicted(kind):
    for K, priors in [(2, [0, 1]), (3, [0.5, 0, 0.5])]:
        X, y = DATA[K]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = kind(priors=priors).fit(X, y)
            log_proba = model.predict_log_proba(X)
        absent = priors.index(0)
        assert np.isneginf(log_proba[:, absent]).all()
        assert absent not in model.predict(X)
        assert not np.isnan(log_proba).any()


# rank


@each("container", [np.asarray, sp.csr_array])
def test_a_feature_without_spread_within_classes_is_left_out(container):
    X, y = DATA[3]
    silent = np.column_stack([X, 0.1 * (y + 1), np.full(len(y), 0.1)])
    model = LinearDiscriminantAnalysis().fit(container(silent), y)
    assert model.status_ == "rank_deficient"
    assert model.rank_ == 4
    assert not model.coef_[:, 4:].any()
    plain = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.coef_[:, :4], plain.coef_, rtol=1e-7)


def test_naive_bayes_names_features_without_spread():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [3.0, 5.0]])
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert model.status_ == "rank_deficient"
    assert "feature 0 has no variance in class 0" in model.reason_
    assert np.isfinite(model.predict_log_proba(X)).all()
    assert model.predict(X).tolist() == [0, 0, 1, 1]


def test_a_class_with_too_few_rows_gets_the_pooled_covariance_and_is_reported():
    X, y = DATA[3]
    few = np.concatenate([np.flatnonzero(y == 0)[:3], np.flatnonzero(y > 0)])
    X, names = X[few], np.array(["a", "b", "c"])[y[few]]
    model = QuadraticDiscriminantAnalysis().fit(X, names)
    assert model.status_ == "rank_deficient"
    assert "class 'a' has rank 2 of 4" in model.reason_
    lda, pooled = LinearDiscriminantAnalysis().fit(X, names), model.A_[0]
    R = X - lda.means_[np.searchsorted(lda.classes_, names)]
    np.testing.assert_allclose(pooled, -0.5 * np.linalg.inv(R.T @ R / (len(X) - 3)), rtol=1e-9)
    own = np.cov(X[names == "b"].T)
    np.testing.assert_allclose(model.A_[1], -0.5 * np.linalg.inv(own), rtol=1e-9)
    mixed = QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, names)
    assert mixed.status_ == "converged"


def test_a_diagonal_covariance_of_many_features_makes_no_matrix():
    rng = np.random.default_rng(0)
    X = sp.random_array((40, 200_000), density=1e-4, rng=rng, format="csr")  # 320 GB if dense
    model = LinearDiscriminantAnalysis(covariance_type="diag", shrinkage=0.1).fit(
        X, np.arange(40) % 2
    )
    assert model.coef_.shape == (1, 200_000)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_a_word_missing_from_a_class_is_reported_without_smoothing():
    X = np.array([[1.0, 0], [0, 0], [1, 3], [0, 2]])
    for kind in (MultinomialNB, PoissonNB, BernoulliNB):
        model = kind(smoothing=0).fit(X, ["a", "a", "b", "b"])
        assert model.status_ == "rank_deficient"
        assert "feature 1 has no variance in class 'a'" in model.reason_
        assert np.isfinite(model.predict_log_proba(X)).all()
        assert kind().fit(X, ["a", "a", "b", "b"]).status_ == "converged"


def test_an_unseen_level_carries_no_information():
    X, y = np.array([[0.0, 1], [1, 0], [1, 1], [0, 1]]), [0, 0, 1, 1]
    model = CategoricalNB().fit(X, y)
    seen = CategoricalNB().fit(X[:, 1:], y).predict_log_proba([[1.0]])
    np.testing.assert_allclose(model.predict_log_proba([[7.0, 1.0]]), seen, rtol=1e-12)


@each(("family", "outside", "holds"), [
    ("gamma", [0.0, 0.5], "column 0 holds 0 in row 1"),
    ("gamma", [0.5, -1.0], "column 1 holds -1 in row 1"),
    ("beta", [0.5, 1.0], "column 1 holds 1 in row 1"),
    ("beta", [1.5, 0.5], "column 0 holds 1.5 in row 1"),
    ("dirichlet", [0.0, 1.0], "column 0 holds 0 in row 1"),
])  # fmt: skip
def test_values_outside_the_support_of_a_family_are_refused_at_prediction(family, outside, holds):
    X, y = np.array([[0.2, 0.8], [0.3, 0.7], [0.6, 0.4], [0.9, 0.1]]), [0, 0, 1, 1]
    model = ExponentialFamilyNB(families=family).fit(X, y)
    for method in (model.decision_function, model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=holds):
            method([X[0], outside])


@each("shrinkage", [0.3, 1.0])
@each("rows", ["a column twice", "constant", "few", "one of each class"])
def test_a_singular_pooled_covariance_is_reported_by_both_models_that_use_it(rows, shrinkage):
    X, y = np.random.default_rng(0).normal(size=(40, 4)), np.arange(40) % 2
    X, y = {
        "a column twice": (np.column_stack([X, X[:, 0]]), y),
        "constant": (np.column_stack([X, np.full(40, 0.1)]), y),
        "few": (X[:5], y[:5]),
        "one of each class": (X[:2], y[:2]),
    }[rows]
    lda = LinearDiscriminantAnalysis().fit(X, y)
    qda = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    assert qda.status_ == lda.status_ == "rank_deficient"
    assert qda.reason_ == lda.reason_


@each("shrinkage", [0.0, 0.3])
def test_a_class_with_total_weight_below_one_row_has_no_unbiased_covariance(shrinkage):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    w = np.where(y == 0, 0.01, 1.99)
    with pytest.raises(NotApplicable, match=r"weight of n_k = 0\.3, so n_k − 1 is not"):
        QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y, w)
    by_mass = QuadraticDiscriminantAnalysis(ddof=0).fit(X, y, w)
    expected = np.linalg.inv(np.cov(X[y == 0].T, bias=True))
    np.testing.assert_allclose(-2 * by_mass.A_[0], expected, rtol=1e-10)


@each("family", ["gaussian", "spherical_gaussian", "multivariate_gaussian"])
def test_a_constant_column_is_uninformative_despite_rounding(family):
    X, y = np.random.default_rng(0).normal(size=(101, 3)), np.arange(101) % 3
    kind = ExponentialFamilyNB
    exact, inexact = (
        kind(family).fit(Z, y).decision_function(Z)
        for Z in (np.column_stack([X, np.full(101, c)]) for c in (0.0, 0.1))
    )
    np.testing.assert_allclose(inexact, exact, atol=1e-7)


def far_classes(apart):
    """Two classes so many deviations apart, of rows that are exact in binary."""
    y = np.arange(300) % 2
    R = np.round(np.random.default_rng(0).normal(size=(300, 2)) * 64) / 64
    return R + apart * y[:, None] * [1, -1], y


def own_covariances(X, y):
    return np.array([np.cov((X[y == k] - X[y == k][0]).T, bias=True) for k in np.unique(y)])


@each("container", [np.asarray, sp.csr_array])
@each("fitted", ["whole", "folds", "shards", "a class at a time"])
def test_classes_a_million_deviations_apart_keep_their_digits(fitted, container):
    X, y = far_classes(1e6)
    made = [ExponentialFamilyNB("gaussian", smoothing=0), GaussianNB(var_smoothing=0)]
    train = np.arange(300)
    for i, model in enumerate(made):
        if fitted == "whole":
            model.fit(container(X), y)
        elif fitted == "folds":
            train = np.delete(np.arange(300), np.arange(90, 200))
            held_out = [np.arange(90), np.arange(90, 200)]
            made[i] = model.fit_many(container(X), y, held_out, [{}])[1][0]
        else:
            order = np.argsort(y, kind="stable") if fitted != "shards" else train
            for part in np.split(order, [150]):
                model.partial_fit(container(X[part]), y[part], classes=[0, 1])
    ours, plain = made
    variances = [np.diag(S) for S in own_covariances(X[train], y[train])]
    np.testing.assert_allclose(-0.5 / ours.natural_[0][:, 2:], variances, rtol=1e-9)
    Z = plain.decision_function(X)
    np.testing.assert_allclose(ours.decision_function(X), Z, rtol=1e-9, atol=1e-9 * np.abs(Z).max())


@each("apart", [1e3, 3e3])
def test_distant_classes_of_other_families_of_squares_keep_their_digits(apart):
    X, y = far_classes(apart)
    S = own_covariances(X, y)
    sphere = ExponentialFamilyNB("spherical_gaussian", smoothing=0).fit(X, y).natural_[0]
    expected = np.trace(S, axis1=1, axis2=2) / 2
    np.testing.assert_allclose(-0.5 / sphere[:, 2], expected, rtol=1e-12)
    full = ExponentialFamilyNB("multivariate_gaussian", smoothing=0).fit(X, y).natural_[0]
    precision = np.linalg.inv(S).reshape(2, 4)
    np.testing.assert_allclose(-2 * full[:, 2:], precision, rtol=1e-12, atol=1e-12)


@each("family", ["gaussian", "spherical_gaussian"])
def test_smoothing_is_of_the_variance_within_classes_however_far_apart(family):
    X, y = far_classes(1e5)
    smoothed, plain = (ExponentialFamilyNB(family, smoothing=s).fit(X, y) for s in (1e-3, 0))
    variances = [-0.5 / model.natural_[0][:, 2:] for model in (smoothed, plain)]
    within = np.mean(variances[1], axis=0)  # of classes of as many rows
    np.testing.assert_allclose(variances[0], variances[1] + 1e-3 * within, rtol=1e-6)
