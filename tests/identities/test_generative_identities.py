"""Theorems that tie the generative classifiers to each other and to Bayes' rule."""

import numpy as np
import pytest
from cases import each

from linclass import (
    BernoulliNB,
    CategoricalNB,
    ExponentialFamilyNB,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    NearestMean,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
)


def problem(K, n=200, d=4):
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)  # class 0 is twice as frequent
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y], y


# Fisher's discriminant


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [0.001, 0.016, 0.5, 10.0])
def test_fishers_ratios_depend_on_no_unit_of_weights_and_no_class_without_rows(weight):
    """Both covariances of the ratio are sums over rows."""
    X, y = problem(3)
    weights, ratios = np.full(len(y), weight), FisherDiscriminant().fit(X, y).ratios_
    for model in (
        FisherDiscriminant().fit(X, y, weights),
        FisherDiscriminant().partial_fit(X, y, sample_weight=weights),
        FisherDiscriminant().partial_fit(X, y, classes=range(5), sample_weight=weights),
    ):
        np.testing.assert_allclose(model.ratios_, ratios, rtol=1e-9)


@each("q", [1, 2, 3])
def test_rows_go_to_the_nearest_projected_mean(q):
    X, y = problem(5)
    model = FisherDiscriminant(n_components=q).fit(X, y)
    P = model.transform(X)
    means = np.array([P[y == k].mean(axis=0) for k in range(5)])
    assert P.shape == (len(y), q)
    distance = ((P[:, None] - means) ** 2).sum(axis=2)
    assert np.array_equal(model.predict(X), distance.argmin(axis=1))


# least squares, quadratic discriminants, masking


@each("shrinkage", [0.0, 0.3, 1.0])
def test_qda_scores_are_its_stated_quadratic_function(shrinkage):
    X, y = problem(3)
    model = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    Z = np.einsum("ni,kij,nj->nk", X, model.A_, X) + X @ model.beta_.T + model.gamma_
    np.testing.assert_allclose(model.decision_function(X), Z, rtol=1e-9, atol=1e-9)


def test_qda_is_the_full_gaussian_family_in_each_class():
    X, y = problem(3)
    qda = QuadraticDiscriminantAnalysis(ddof=0).fit(X, y)
    family = ExponentialFamilyNB(families="multivariate_gaussian").fit(X, y)
    np.testing.assert_allclose(family.predict_log_proba(X), qda.predict_log_proba(X), atol=1e-8)


# naive Bayes


def test_a_spherical_covariance_and_equal_priors_are_the_nearest_mean():
    X, y = problem(3)
    lda = LinearDiscriminantAnalysis(covariance_type="spherical", priors="uniform").fit(X, y)
    assert np.array_equal(lda.predict(X), NearestMean().fit(X, y).predict(X))


def levels(K):
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 300)
    X = np.column_stack([rng.integers(0, 2 + y), rng.integers(0, 3, 300), rng.poisson(y)])
    return X.astype(float), y


@each("K", [2, 3])
def test_categorical_naive_bayes_is_linear_in_the_one_hot_vector(K):
    X, y = levels(K)
    model = CategoricalNB().fit(X, y)
    one_hot = np.hstack([np.arange(x.max() + 1) == x[:, None] for x in X.T])
    Z = one_hot @ model.natural_[0].T + model.intercept_
    expected = Z if K > 2 else Z[:, 1] - Z[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-12)


@each("K", [2, 3])
@each(("kind", "family"), [(PoissonNB, "poisson"), (BernoulliNB, "bernoulli")])
def test_the_named_classifiers_are_their_families(kind, family, K):
    X, y = levels(K)
    X = X if family == "poisson" else (X > 0).astype(float)
    named, general = kind().fit(X, y), ExponentialFamilyNB(families=family).fit(X, y)
    np.testing.assert_allclose(named.decision_function(X), general.decision_function(X), atol=1e-11)
    Z = X @ named.coef_.T + named.intercept_
    np.testing.assert_allclose(named.decision_function(X), Z[:, 0] if K == 2 else Z, atol=1e-12)


def test_columns_of_several_families_add_their_log_odds():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    columns = {
        "age": rng.normal(y, 2), "housing": rng.integers(0, 2 + y).astype(float),
        "visits": rng.poisson(1 + y).astype(float), "wait": rng.gamma(2, 1 + y),
    }  # fmt: skip
    names = {"age": "gaussian", "housing": "categorical", "visits": "poisson", "wait": "gamma"}
    frame = pandas.DataFrame(columns)
    mixed = ExponentialFamilyNB(families=names).fit(frame, y)
    odds = np.log(np.mean(y == 1) / np.mean(y == 0))
    total = np.full(len(y), odds)
    for name, family in names.items():
        one = ExponentialFamilyNB(families=family).fit(frame[[name]], y)
        total += one.decision_function(frame[[name]]) - odds
    np.testing.assert_allclose(mixed.decision_function(frame), total, rtol=1e-10)
    by_number = dict(enumerate(names.values()))
    found = ExponentialFamilyNB(families=by_number).fit(frame.to_numpy(), y)
    np.testing.assert_allclose(found.decision_function(frame.to_numpy()), total, rtol=1e-10)
    with pytest.raises(ValueError, match="column 'height', which the rows do not have; they are a"):
        ExponentialFamilyNB(families={"height": "gamma"}).fit(frame, y)
