"""Attributes and forms of input that clients of scikit-learn's estimators expect, equal to scikit-learn's own."""

import html
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from cases import each
from models import ESTIMATORS
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import BernoulliNB as TheirBernoulliNB
from sklearn.naive_bayes import CategoricalNB as TheirCategoricalNB
from sklearn.naive_bayes import GaussianNB as TheirGaussianNB
from sklearn.naive_bayes import MultinomialNB as TheirMultinomialNB
from sklearn.svm import SVC, SVR

import linclass as L

rng = np.random.default_rng(0)
THREE = np.arange(90) % 3
X = rng.normal(size=(90, 4)) + THREE[:, None] * [1.0, -0.5, 0.0, 0.2]
TWO = (THREE > 0).astype(int)
WEIGHTS = 1 + np.arange(90) % 4
STRENGTH = 0.01


# support vectors


@each(("kernel", "theirs", "C"), [
    *(("gaussian", "rbf", C) for C in (0.1, 1.0, 100.0)),
    *(("linear", "linear", C) for C in (0.1, 1.0, 10.0)),
    *(("polynomial", "poly", C) for C in (0.1, 1.0, 10.0)),
])  # fmt: skip
def test_support_vectors_and_scores_are_those_of_libsvm(kernel, theirs, C):
    own, peer = {"gamma": 0.3, "degree": 2, "coef0": 1.0}, {"kernel": theirs, "C": C, "tol": 1e-10}
    linear = kernel == "linear"
    ours = L.KernelSVM(kernel=kernel, strength=1 / (90 * C), tol=1e-12, **own).fit(X, TWO)
    theirs = SVC(**peer, **own).fit(X, TWO)
    order = np.argsort(theirs.support_)  # libsvm's are sorted by class
    assert_array_equal(ours.support_, theirs.support_[order])
    assert_array_equal(ours.support_vectors_, theirs.support_vectors_[order])
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_[:, order], atol=1e-5 * C)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert pytest.approx(C) == ours.C_
    assert ours.certificate_ <= 1e-11
    assert hasattr(ours, "coef_") == linear
    if linear:
        assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        margin = L.LinearSVM(strength=1 / (90 * C), tol=1e-12).fit(X, TWO)
        assert_array_equal(margin.n_support_, theirs.n_support_)
    y = X @ [1.0, 2, 0, -1] + rng.normal(size=90)
    own |= {"epsilon": 0.5}
    ours = L.SupportVectorRegressor(kernel=kernel, strength=1 / (90 * C), tol=1e-12, **own).fit(
        X, y
    )
    theirs = SVR(**peer, **own).fit(X, y)
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_[0], atol=1e-5 * C)
    assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)
    assert pytest.approx(C) == ours.C_


@each("model", [L.LinearSVM, L.KernelSVM], ids=["linear", "kernel"])
def test_support_vectors_are_counted_by_class(model):
    weights = np.where(np.arange(90) < 5, 0, WEIGHTS)
    fit = model(strength=STRENGTH).fit(X, THREE, weights)
    assert_array_equal(fit.n_support_, np.bincount(THREE[fit.support_]))
    assert_array_equal(fit.support_vectors_, X[fit.support_])
    assert fit.support_.min() >= 5


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of the perceptron
@each("model", [L.KernelSVM, L.KernelLogisticRegression, L.KernelPerceptron])
@each("rows", [X, sp.csr_array(X), X + 1e4], ids=["dense", "sparse", "far"])
def test_a_linear_kernel_has_the_weights_of_its_scores(model, rows):
    fit = model(kernel="linear").fit(rows, THREE)
    assert fit.coef_.shape == (3, 4)
    scores = rows @ fit.coef_.T + fit.intercept_
    size = np.abs(rows @ fit.coef_.T).max()
    assert_allclose(fit.decision_function(rows), scores, atol=1e-12 * size, rtol=0)
    first = fit.coef_
    assert not np.allclose(fit.fit(rows, THREE[::-1].copy()).coef_, first)  # not of an earlier fit


# discriminant coordinates


@each("y", [TWO, THREE], ids=["two", "three"])
def test_discriminant_coordinates_are_those_of_scikit_learn(y):
    """Up to signs and a common factor: the divisor of the covariance depends on scikit-learn's version."""
    ours, theirs = L.LinearDiscriminantAnalysis().fit(X, y), TheirLDA().fit(X, y)
    Z = theirs.transform(X)
    factors = np.sign((Z * ours.transform(X)).sum(axis=0))
    factors *= np.linalg.norm(ours.transform(X)) / np.linalg.norm(Z)
    assert_allclose(ours.transform(X), Z * factors, atol=1e-10)
    assert_allclose(ours.scalings_, theirs.scalings_[:, : Z.shape[1]] * factors, atol=1e-10)
    assert_allclose(ours.centre_, theirs.xbar_, atol=1e-12)
    assert_allclose(
        ours.explained_variance_ratio_, theirs.explained_variance_ratio_[: Z.shape[1]], atol=1e-12
    )
    names = [f"lineardiscriminantanalysis{r}" for r in range(Z.shape[1])]
    assert ours.get_feature_names_out().tolist() == names


@each("priors", [None, "uniform", [0.2, 0.3, 0.5]])
def test_coordinates_are_those_of_reduced_rank_lda_and_whiten_the_classes(priors):
    fit = L.LinearDiscriminantAnalysis(priors=priors, ddof=1).fit(X, THREE, WEIGHTS)
    reduced = L.ReducedRankLDA(None, priors=priors).fit(X, THREE, WEIGHTS)
    assert_allclose(fit.transform(X), reduced.transform(X), atol=1e-10)
    Z = fit.transform(X)
    own = WEIGHTS[:, None] * (THREE[:, None] == np.arange(3))
    means = (own / own.sum(axis=0)).T @ Z
    D = Z - means[THREE]
    assert_allclose((WEIGHTS * D.T) @ D / (WEIGHTS.sum() - 3), np.eye(2), atol=1e-10)
    assert_allclose(fit.priors_ @ means, 0, atol=1e-10)


def test_coordinates_of_regularized_covariances_have_variance_one_in_them():
    fit = L.LinearDiscriminantAnalysis(shrinkage=0.3).fit(X, THREE)
    D = X - fit.means_[THREE]
    S = D.T @ D / 87
    S = 0.7 * S + 0.3 * np.trace(S) / 4 * np.eye(4)
    assert_allclose(fit.scalings_.T @ S @ fit.scalings_, np.eye(2), atol=1e-10)
    plain = L.LinearDiscriminantAnalysis().fit(X, THREE)
    absent = L.LinearDiscriminantAnalysis().partial_fit(X, THREE, classes=[0, 1, 2, 3])
    assert_allclose(absent.transform(X), plain.transform(X))  # a class without rows moves nothing


# naive Bayes


@each(("ours", "theirs", "names"), [
    (L.GaussianNB(), TheirGaussianNB(), ["theta_", "var_", "class_prior_"]),
    (L.MultinomialNB(), TheirMultinomialNB(), ["feature_count_", "feature_log_prob_"]),
    (L.BernoulliNB(), TheirBernoulliNB(), ["feature_count_", "feature_log_prob_"]),
    (L.CategoricalNB(), TheirCategoricalNB(), ["category_count_", "feature_log_prob_", "n_categories_"]),
], ids=["gaussian", "multinomial", "bernoulli", "categorical"])  # fmt: skip
@each("y", [TWO, THREE], ids=["two", "three"])
def test_naive_bayes_has_the_attributes_of_scikit_learn(ours, theirs, names, y):
    counts = rng.integers(0, [1, 2, 3, 5], size=(90, 4))
    rows = X if isinstance(ours, L.GaussianNB) else counts
    ours.fit(rows, y, WEIGHTS)
    theirs.fit(rows, y, WEIGHTS)
    if not isinstance(ours, L.GaussianNB):
        names = [*names, "class_log_prior_"]
    for name in [*names, "class_count_"]:
        a, b = getattr(ours, name), getattr(theirs, name)
        a, b = (a, b) if isinstance(b, list) else ([a], [b])
        for own, other in zip(a, b, strict=True):
            # scikit-learn's var_smoothing does not know weights
            assert_allclose(own, other, rtol=1e-8 if name == "var_" else 1e-12, atol=1e-300)


# tuned models


def test_results_of_candidates_are_those_of_a_grid_search():
    grid = {"strength": [0.1, 0.01], "fit_intercept": [True, False]}
    cv = StratifiedKFold(4)
    theirs = GridSearchCV(L.LogisticRegression(tol=1e-10), grid, cv=cv).fit(X, THREE)
    ours = L.TunedClassifier(
        L.LogisticRegression(tol=1e-10), strengths=None, param_grid=grid, cv=cv
    )
    ours.fit(X, THREE)
    by_option = {str(sorted(o.items())): i for i, o in enumerate(theirs.cv_results_["params"])}
    order = [by_option[str(sorted(o.items()))] for o in ours.cv_results_["params"]]
    untimed = {k: v for k, v in theirs.cv_results_.items() if not k.endswith("_time")}
    assert ours.cv_results_.keys() == untimed.keys()
    frame = pd.DataFrame(ours.cv_results_)
    for name, values in untimed.items():
        if name != "params":
            assert_array_equal(frame[name].astype(float), np.array(values)[order].astype(float))
    assert ours.best_score_ == theirs.best_score_
    assert ours.best_estimator_ is ours.estimator_
    without_folds = L.TunedClassifier(L.LogisticRegression(), rule="aic", strengths=3).fit(X, THREE)
    assert not hasattr(without_folds, "cv_results_")
    assert not hasattr(without_folds, "best_score_")


# precomputed kernels inside meta-estimators

K = rbf_kernel(X, gamma=0.3)
NEW = X[::3] + 0.1
K_NEW = rbf_kernel(NEW, X, gamma=0.3)
OUTER = {
    "one_vs_rest": L.OneVsRest,
    "one_vs_one": L.OneVsOne,
    "codes": lambda inner: L.ErrorCorrectingOutputCodes(inner, code="one_vs_one"),
    "calibrated": L.Calibrated,
    "tuned": lambda inner: L.TunedClassifier(inner, strengths=[0.1, 0.01]),
    "tuned_pairs": lambda inner: L.TunedClassifier(
        L.OneVsOne(inner), strengths=None, param_grid={"estimator__strength": [0.1, 0.01]}
    ),
    "calibrated_tuned": lambda inner: L.Calibrated(L.TunedClassifier(inner, strengths=[0.1, 0.01])),
}


@pytest.mark.slow
@each("outer", OUTER)
@each("weights", [None, np.where(np.arange(90) % 7, 1, 0)], ids=["all", "some"])
def test_a_precomputed_kernel_gives_the_same_as_its_rows(outer, weights):
    given, plain = (
        OUTER[outer](L.KernelSVM(kernel=kernel, gamma=0.3))
        for kernel in ("precomputed", "gaussian")
    )
    assert given.__sklearn_tags__().input_tags.pairwise
    assert not plain.__sklearn_tags__().input_tags.pairwise
    given.fit(K, THREE, weights)
    plain.fit(X, THREE, weights)
    expected = plain.decision_function(NEW)
    assert_allclose(given.decision_function(K_NEW), expected, atol=1e-4)
    if hasattr(plain, "predict_proba"):
        assert_allclose(given.predict_proba(K_NEW), plain.predict_proba(NEW), atol=1e-4)


@each("outer", ["one_vs_rest", "one_vs_one", "calibrated"])
@each("frame", [np.asarray, pd.DataFrame], ids=["array", "frame"])
def test_a_precomputed_kernel_reaches_estimators_of_scikit_learn(outer, frame):
    given = OUTER[outer](SVC(kernel="precomputed")).fit(frame(K), TWO)
    plain = OUTER[outer](SVC(gamma=0.3)).fit(X, TWO)
    assert_allclose(given.decision_function(frame(K_NEW)), plain.decision_function(NEW), atol=1e-6)


def test_scikit_learn_slices_a_precomputed_kernel_inside_ours():
    outer = L.OneVsOne(L.KernelSVM(kernel="precomputed"))
    found = cross_val_predict(outer, K, THREE, cv=3)
    plain = cross_val_predict(L.OneVsOne(L.KernelSVM(gamma=0.3)), X, THREE, cv=3)
    assert_array_equal(found, plain)
    with pytest.raises(ValueError, match="X has 60 rows and 90 columns"):
        outer.fit(K[:60], THREE[:60])


# representation and ordered categories


@each("kind", ESTIMATORS)
def test_notebooks_show_a_table_of_all_parameters(kind):
    model = kind()
    shown = re.sub(r"<[^>]*>", " ", html.unescape(model._repr_html_()))
    missing = [p for p in model.get_params(deep=False) if not re.search(rf"\b{p}\b", shown)]
    assert not missing
