"""Laws of the generative classifiers: weights, units, sparse rows, extremes, status."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each

import linclass as L
from linclass.base.messages import NotApplicable

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PROBABILISTIC = [
    L.GaussianNB, L.LinearDiscriminantAnalysis, L.QuadraticDiscriminantAnalysis, L.ExponentialFamilyNB,
    L.NearestShrunkenCentroids, L.ReducedRankLDA, L.RegularizedDiscriminantAnalysis,
    L.FlexibleDiscriminantAnalysis, L.MixtureDiscriminantAnalysis,
]  # fmt: skip
KINDS = [*PROBABILISTIC, L.MajorityClass, L.NearestMean, L.FisherDiscriminant]


def problem(K, n=120, d=4):
    """Overlapping classes of unequal size, correlated features with zeros."""
    rng = np.random.default_rng(K)
    y = np.minimum(rng.integers(0, K + 1, n), K - 1)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y]
    return X * (rng.random((n, d)) < 0.7), y


DATA = {K: problem(K) for K in (2, 3, 5)}


@each("K", DATA)
@each("kind", KINDS)
def test_sparse_rows_give_the_model_of_dense_rows(kind, K):
    X, y = DATA[K]
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    dense = kind().fit(X, y, weights)
    sparse = kind().fit(sp.csr_array(X), y, weights)
    expected = dense.decision_function(X)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_array(X)), expected, atol=1e-9)
    np.testing.assert_allclose(dense.decision_function(sp.csr_array(X)), expected, atol=1e-9)


@each("kind", [
    L.GaussianNB, L.LinearDiscriminantAnalysis, L.NearestMean, L.QuadraticDiscriminantAnalysis,
    L.FisherDiscriminant,
])  # fmt: skip
@each("offset", [0.0, 1e6])
@each("unit", [1e-100, 1e-8, 1.0, 1e8, 1e100])
def test_units_and_offsets_change_no_prediction(kind, unit, offset):
    X, y = DATA[3]
    moved = kind().fit(unit * (X + offset), y)
    assert moved.status_ == "converged"
    assert np.array_equal(moved.predict(unit * (X + offset)), kind().fit(X, y).predict(X))


@each("kind", PROBABILISTIC)
@each(("K", "priors"), [(2, [0, 1]), (3, [0.5, 0, 0.5])])
def test_a_class_of_prior_zero_is_never_predicted(kind, K, priors):
    X, y = DATA[K]
    model, absent = kind(priors=priors).fit(X, y), priors.index(0)
    log_proba = model.predict_log_proba(X)
    assert model.status_ == "converged"
    assert np.isneginf(log_proba[:, absent]).all()
    assert absent not in model.predict(X)
    assert not np.isnan(log_proba).any()


@each("container", [np.asarray, sp.csr_array])
def test_a_feature_without_spread_within_classes_is_left_out(container):
    X, y = DATA[3]
    silent = np.column_stack([X, 0.1 * (y + 1), np.full(len(y), 0.1)])
    model = L.LinearDiscriminantAnalysis().fit(container(silent), y)
    assert model.status_ == "rank_deficient"
    assert model.rank_ == 4
    assert not model.coef_[:, 4:].any()
    plain = L.LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.coef_[:, :4], plain.coef_, rtol=1e-7)


def test_naive_bayes_names_features_without_spread_and_words_missing_from_a_class():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [3.0, 5.0]])
    words, y = np.array([[1.0, 0], [0, 0], [1, 3], [0, 2]]), np.array(["a", "a", "b", "b"])
    cases = [(L.GaussianNB(var_smoothing=0), X, "feature 0 has no variance in class 'a'")]
    for kind in (L.MultinomialNB, L.PoissonNB, L.BernoulliNB):
        cases += [(kind(smoothing=0), words, "feature 1 has no variance in class 'a'")]
        assert kind().fit(words, y).status_ == "converged"
    for model, rows, reason in cases:
        model.fit(rows, y)
        assert model.status_ == "rank_deficient"
        assert reason in model.reason_
        assert np.isfinite(model.predict_log_proba(rows)).all()
    assert cases[0][0].predict(X).tolist() == ["a", "a", "b", "b"]


def test_a_class_with_too_few_rows_gets_the_pooled_covariance_and_is_reported():
    X, y = DATA[3]
    few = np.concatenate([np.flatnonzero(y == 0)[:3], np.flatnonzero(y > 0)])
    X, names = X[few], np.array(["a", "b", "c"])[y[few]]
    model = L.QuadraticDiscriminantAnalysis().fit(X, names)
    assert model.status_ == "rank_deficient"
    assert "class 'a' has rank 2 of 4" in model.reason_
    lda, pooled = L.LinearDiscriminantAnalysis().fit(X, names), model.A_[0]
    R = X - lda.means_[np.searchsorted(lda.classes_, names)]
    np.testing.assert_allclose(pooled, -0.5 * np.linalg.inv(R.T @ R / (len(X) - 3)), rtol=1e-9)
    own = np.cov(X[names == "b"].T)
    np.testing.assert_allclose(model.A_[1], -0.5 * np.linalg.inv(own), rtol=1e-9)
    mixed = L.QuadraticDiscriminantAnalysis(shrinkage=0.1).fit(X, names)
    assert mixed.status_ == "converged"


def test_a_diagonal_covariance_of_many_features_makes_no_matrix():
    rng, y = np.random.default_rng(0), np.arange(40) % 2
    X = sp.random_array((40, 200_000), density=1e-4, rng=rng, format="csr")  # 320 GB if dense
    model = L.LinearDiscriminantAnalysis(covariance_type="diag", shrinkage=0.1).fit(X, y)
    assert model.coef_.shape == (1, 200_000)
    assert np.isfinite(model.predict_log_proba(X)).all()


def test_an_unseen_level_carries_no_information():
    X, y = np.array([[0.0, 1], [1, 0], [1, 1], [0, 1]]), [0, 0, 1, 1]
    model = L.CategoricalNB().fit(X, y)
    seen = L.CategoricalNB().fit(X[:, 1:], y).predict_log_proba([[1.0]])
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
    model = L.ExponentialFamilyNB(families=family).fit(X, y)
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
    lda = L.LinearDiscriminantAnalysis().fit(X, y)
    qda = L.QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    assert qda.status_ == lda.status_ == "rank_deficient"
    assert qda.reason_ == lda.reason_


@each("shrinkage", [0.0, 0.3])
def test_a_class_with_total_weight_below_one_row_has_no_unbiased_covariance(shrinkage):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 2
    w = np.where(y == 0, 0.01, 1.99)
    with pytest.raises(NotApplicable, match=r"weight of n_k = 0\.3, so n_k − 1 is not"):
        L.QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y, w)
    by_mass = L.QuadraticDiscriminantAnalysis(ddof=0).fit(X, y, w)
    expected = np.linalg.inv(np.cov(X[y == 0].T, bias=True))
    np.testing.assert_allclose(-2 * by_mass.A_[0], expected, rtol=1e-10)


@each("family", ["gaussian", "spherical_gaussian", "multivariate_gaussian"])
def test_a_constant_column_is_uninformative_despite_rounding(family):
    X, y = np.random.default_rng(0).normal(size=(101, 3)), np.arange(101) % 3
    both = [np.column_stack([X, np.full(101, c)]) for c in (0.0, 0.1)]
    scores = [L.ExponentialFamilyNB(family).fit(Z, y).decision_function(Z) for Z in both]
    np.testing.assert_allclose(*scores, atol=1e-7)


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
    made = [L.ExponentialFamilyNB("gaussian", smoothing=0), L.GaussianNB(var_smoothing=0)]
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
    sphere = L.ExponentialFamilyNB("spherical_gaussian", smoothing=0).fit(X, y).natural_[0]
    expected = np.trace(S, axis1=1, axis2=2) / 2
    np.testing.assert_allclose(-0.5 / sphere[:, 2], expected, rtol=1e-12)
    full = L.ExponentialFamilyNB("multivariate_gaussian", smoothing=0).fit(X, y).natural_[0]
    precision = np.linalg.inv(S).reshape(2, 4)
    np.testing.assert_allclose(-2 * full[:, 2:], precision, rtol=1e-12, atol=1e-12)


@each("family", ["gaussian", "spherical_gaussian"])
def test_smoothing_is_of_the_variance_within_classes_however_far_apart(family):
    X, y = far_classes(1e5)
    smoothed, plain = (L.ExponentialFamilyNB(family, smoothing=s).fit(X, y) for s in (1e-3, 0))
    variances = [-0.5 / model.natural_[0][:, 2:] for model in (smoothed, plain)]
    within = np.mean(variances[1], axis=0)  # of classes of as many rows
    np.testing.assert_allclose(variances[0], variances[1] + 1e-3 * within, rtol=1e-6)
