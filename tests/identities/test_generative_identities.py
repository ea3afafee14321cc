"""Theorems of generative classifiers: their limiting cases, their definitions, and classifiers that are equal."""

import numpy as np
import pytest
import scipy.linalg
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import log_softmax, logsumexp
from scipy.stats import multivariate_normal
from sklearn.linear_model import LinearRegression as Theirs
from sklearn.neighbors import KNeighborsRegressor

import linclass as L


def problem(K, n=150, d=4):
    """Classes of unequal covariances, the first of which is twice as frequent as the others."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)
    A = rng.normal(size=(K, d, d))
    Z = np.einsum("ij,ijk->ik", rng.normal(size=(n, d)), A[y])
    return Z + rng.normal(size=(K, d))[y] + 5, y


def means_of(X, y):
    return np.array([X[y == k].mean(axis=0) for k in range(y.max() + 1)])


def levels(K):
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 300)
    X = np.column_stack([rng.integers(0, 2 + y), rng.integers(0, 3, 300), rng.poisson(y)])
    return X.astype(float), y


EQUAL = [
    *((L.FlexibleDiscriminantAnalysis(priors=p, ddof=ddof), L.LinearDiscriminantAnalysis(p, ddof), 1e-9)
      for p in (None, "uniform") for ddof in (1, 0)),
    (L.FlexibleDiscriminantAnalysis(L.PartialLeastSquares(None)), L.LinearDiscriminantAnalysis(), 1e-8),
    *((L.FlexibleDiscriminantAnalysis(n_components=q), L.ReducedRankLDA(q), 1e-9) for q in (1, 2)),
    *((L.MixtureDiscriminantAnalysis(1, priors=p, shrinkage=s), L.LinearDiscriminantAnalysis(p, 0, shrinkage=s), 1e-10)
      for p in (None, "uniform") for s in (0.0, 0.3, 1.0)),
    (L.QuadraticDiscriminantAnalysis(ddof=0), L.ExponentialFamilyNB(families="multivariate_gaussian"), 1e-11),
    (L.PoissonNB(), L.ExponentialFamilyNB(families="poisson"), 1e-11),
    (L.BernoulliNB(), L.ExponentialFamilyNB(families="bernoulli"), 1e-11),
]  # fmt: skip


@each("K", [2, 3, 7])  # 7: of six scores, four features explain four
@each(("one", "other", "tol"), EQUAL)
def test_equal_classifiers_have_equal_probabilities(one, other, tol, K):
    X, y = problem(K)
    if isinstance(one, L.PoissonNB | L.BernoulliNB):
        X = np.floor(np.abs(X)) if isinstance(one, L.PoissonNB) else (X > 5).astype(float)
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    expected = other.fit(X, y, w).predict_log_proba(X)
    assert_allclose(one.fit(X, y, w).predict_log_proba(X), expected, rtol=tol, atol=tol)
    assert one.status_ == other.status_ == "converged"
    if isinstance(one, L.FlexibleDiscriminantAnalysis):
        assert one.certificate_kind_ == ("closed_form" if one.regressor else "gradient_cosine")
    if hasattr(one, "coef_"):
        Z = X @ one.coef_.T + one.intercept_
        assert_allclose(one.decision_function(X), Z[:, 0] if K == 2 else Z, atol=1e-10)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rda_has_a_covariance_for_a_class_of_one_row_and_for_few_rows():
    X, y = problem(3)
    y[y == 2] = 0
    y[5] = 2
    model = L.RegularizedDiscriminantAnalysis().fit(X, y)
    assert model.status_ == "converged"
    assert np.isfinite(model.decision_function(X)).all()
    wide = np.random.default_rng(0).normal(size=(12, 30))
    labels = np.arange(12) % 3
    assert L.RegularizedDiscriminantAnalysis().fit(wide, labels).status_ == "converged"
    bare = L.RegularizedDiscriminantAnalysis(shrinkage=0.0).fit(wide, labels)
    assert (bare.status_, "shrinkage above 0" in bare.reason_) == ("rank_deficient", True)


@each("K", [2, 3])
def test_diagonal_lda_and_qda_are_bayes_rule_with_uncorrelated_features(K):
    X, y = problem(K)
    M, share = means_of(X, y), np.bincount(y) / len(y)
    R = X - M[y]
    pooled = (R**2).sum(axis=0) / (len(y) - K)
    for model, variances in [
        (L.LinearDiscriminantAnalysis(covariance_type="diag"), [pooled] * K),
        (L.GaussianNB(tied=True, var_smoothing=0), [pooled * (len(y) - K) / len(y)] * K),
        (L.GaussianNB(var_smoothing=0), [(R[y == k] ** 2).mean(axis=0) for k in range(K)]),
    ]:
        joint = [
            multivariate_normal.logpdf(X, M[k], np.diag(variances[k])) + np.log(share[k])
            for k in range(K)
        ]
        expected = log_softmax(np.column_stack(joint), axis=1)
        found = model.fit(X, y).predict_log_proba(X)
        assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


# nearest shrunken centroids


def test_nearest_shrunken_centroids_have_the_probabilities_of_their_definition():
    X, y = problem(3)
    model = L.NearestShrunkenCentroids(threshold=1.0).fit(X, y)
    M, n = means_of(X, y), np.bincount(y)
    s = np.sqrt(((X - M[y]) ** 2).sum(axis=0) / (len(y) - 3))
    s += np.median(s)
    unit = np.sqrt(1 / n - 1 / len(y))[:, None] * s
    d = (M - X.mean(axis=0)) / unit
    shrunken = X.mean(axis=0) + unit * np.sign(d) * np.maximum(np.abs(d) - 1, 0)
    distance = (((X[:, None] - shrunken) / s) ** 2).sum(axis=2)
    expected = log_softmax(-0.5 * distance + np.log(n / len(y)), axis=1)
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-10)


def test_a_path_of_thresholds_is_separate_fits_and_loses_features_on_the_way():
    X, y = problem(3)
    thresholds = [0.0, 2.0, 0.5, 1.0]
    path = L.NearestShrunkenCentroids(spread_offset=0.1).path(X, y, thresholds)
    assert path.strengths.tolist() == thresholds
    for threshold, model in zip(thresholds, path, strict=True):
        alone = L.NearestShrunkenCentroids(threshold, 0.1).fit(X, y)
        np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    counts = path.selected_.sum(axis=1)
    assert counts[0] >= counts[2] >= counts[3] >= counts[1]
    assert "thresholds 0 … 2" in repr(path)
    with pytest.raises(ValueError, match="threshold is -1"):
        L.NearestShrunkenCentroids().path(X, y, [1.0, -1.0])


# reduced-rank LDA


@each("priors", [None, [0.1, 0.2, 0.3, 0.4]])
def test_reduced_rank_lda_is_lda_of_its_own_coordinates(priors):
    X, y = problem(4)
    model = L.ReducedRankLDA(2, priors).fit(X, y)
    lda = L.LinearDiscriminantAnalysis(priors).fit(model.transform(X), y)
    expected = lda.predict_log_proba(model.transform(X))
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-10)


def test_directions_of_reduced_rank_lda_solve_the_eigenproblem_of_the_weighted_means():
    X, y = problem(4)
    priors = np.array([0.1, 0.2, 0.3, 0.4])
    model = L.ReducedRankLDA(None, priors.tolist()).fit(X, y)
    M = means_of(X, y)
    S = (X - M[y]).T @ (X - M[y]) / (len(y) - 4)
    D = M - priors @ M
    values = scipy.linalg.eigh((D * priors[:, None]).T @ D, S, eigvals_only=True)[::-1]
    assert_allclose(model.ratios_, values[:3], rtol=1e-9)
    V = model.scalings_
    assert_allclose(V.T @ S @ V, np.eye(3), atol=1e-10)


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [0.001, 0.016, 0.5, 10.0])
def test_fishers_ratios_depend_on_no_unit_of_weights_and_no_class_without_rows(weight):
    """Both covariances of the ratio are sums over rows."""
    X, y = problem(3)
    weights, ratios = np.full(len(y), weight), L.FisherDiscriminant().fit(X, y).ratios_
    for model in (
        L.FisherDiscriminant().fit(X, y, weights),
        L.FisherDiscriminant().partial_fit(X, y, sample_weight=weights),
        L.FisherDiscriminant().partial_fit(X, y, classes=range(5), sample_weight=weights),
    ):
        assert_allclose(model.ratios_, ratios, rtol=1e-9)


@each("q", [1, 2, 3])
def test_rows_go_to_the_nearest_projected_mean(q):
    X, y = problem(5)
    model = L.FisherDiscriminant(n_components=q).fit(X, y)
    P = model.transform(X)
    assert P.shape == (len(y), q)
    distance = ((P[:, None] - means_of(P, y)) ** 2).sum(axis=2)
    assert np.array_equal(model.predict(X), distance.argmin(axis=1))


@each("shrinkage", [0.0, 0.3, 1.0])
def test_qda_scores_are_its_stated_quadratic_function(shrinkage):
    X, y = problem(3)
    model = L.QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    Z = np.einsum("ni,kij,nj->nk", X, model.A_, X) + X @ model.beta_.T + model.gamma_
    assert_allclose(model.decision_function(X), Z, rtol=1e-9, atol=1e-9)


def test_a_spherical_covariance_and_equal_priors_are_the_nearest_mean():
    X, y = problem(3)
    lda = L.LinearDiscriminantAnalysis(covariance_type="spherical", priors="uniform").fit(X, y)
    assert np.array_equal(lda.predict(X), L.NearestMean().fit(X, y).predict(X))


@each("K", [2, 3])
def test_categorical_naive_bayes_is_linear_in_the_one_hot_vector(K):
    X, y = levels(K)
    model = L.CategoricalNB().fit(X, y)
    one_hot = np.hstack([np.arange(x.max() + 1) == x[:, None] for x in X.T])
    Z = one_hot @ model.natural_[0].T + model.intercept_
    expected = Z if K > 2 else Z[:, 1] - Z[:, 0]
    assert_allclose(model.decision_function(X), expected, rtol=1e-12)


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
    mixed = L.ExponentialFamilyNB(families=names).fit(frame, y)
    odds = np.log(np.mean(y == 1) / np.mean(y == 0))
    total = np.full(len(y), odds)
    for name, family in names.items():
        one = L.ExponentialFamilyNB(families=family).fit(frame[[name]], y)
        total += one.decision_function(frame[[name]]) - odds
    assert_allclose(mixed.decision_function(frame), total, rtol=1e-10)
    by_number = dict(enumerate(names.values()))
    found = L.ExponentialFamilyNB(families=by_number).fit(frame.to_numpy(), y)
    assert_allclose(found.decision_function(frame.to_numpy()), total, rtol=1e-10)
    with pytest.raises(ValueError, match="column 'height', which the rows do not have; they are a"):
        L.ExponentialFamilyNB(families={"height": "gamma"}).fit(frame, y)


FDA = L.FlexibleDiscriminantAnalysis


# flexible discriminant analysis


@each("K", [2, 3, 7])
def test_coordinates_of_flexible_discriminant_analysis_are_fishers(K):
    X, y = problem(K)
    ours, fisher = FDA().fit(X, y), L.FisherDiscriminant().fit(X, y)
    assert_allclose(ours.transform(X), fisher.transform(X), atol=1e-9)
    assert ours.get_feature_names_out()[0] == "flexiblediscriminantanalysis0"
    # the ratio of variances between and within, from the share that is between: α²/(1 − α²)
    between = ours.explained_ / (1 - ours.explained_)
    assert_allclose(between, fisher.ratios_, rtol=1e-9)


@each("K", [2, 3])
@each("strength", [0.01, 3.0])
def test_flexible_discriminant_analysis_with_ridge_is_penalized_discriminant_analysis(K, strength):
    """Hastie, Buja & Tibshirani (1995): Σ + λI in the place of Σ."""
    X, y = problem(K)
    model = FDA(L.Ridge(strength=strength), ddof=0).fit(X, y)
    M, share = means_of(X, y), np.bincount(y) / len(y)
    R = X - M[y]
    A = np.linalg.inv(R.T @ R / len(y) + strength * np.eye(4))
    Z = X @ A @ M.T - 0.5 * np.einsum("kj,jl,kl->k", M, A, M) + np.log(share)
    expected = log_softmax(Z, axis=1)
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-8)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("form", [np.asarray, sparse.csr_array])
def test_classes_that_are_predicted_exactly_are_reported_and_ridge_is_the_remedy(form):
    rng = np.random.default_rng(0)
    X, y = form(rng.normal(size=(12, 40))), np.arange(12) % 3
    exact = FDA().fit(X, y)
    assert exact.status_ == "rank_deficient"
    assert exact.score(X, y) == 1
    ridge = FDA(L.Ridge(strength=0.1)).fit(X, y)
    assert ridge.status_ == "converged"
    assert np.isfinite(ridge.predict_log_proba(X)).all()
    perfect = FDA(KNeighborsRegressor(1)).fit(X, y)
    assert "predicts the classes exactly along 2 of 2 coordinates" in perfect.reason_
    one = FDA(n_components=1).fit(X, y).transform(X)  # of two that are equally good
    assert_allclose(FDA(n_components=1).fit(X[:, ::-1], y).transform(X[:, ::-1]), one, rtol=1e-5)


def test_a_regressor_that_holds_rows_out_gets_the_groups():
    X, y = problem(3)
    groups = np.arange(len(y)) // 4
    model = FDA(L.TunedRegressor(cv=3)).fit(X, y, groups=groups)
    for regressor in model.regressors_:
        assert all(len(np.unique(regressor.fold_[groups == g])) == 1 for g in range(groups.max()))
    weights = np.where(np.arange(len(y)) < 8, 0.0, 1.0)
    left_out = FDA(L.TunedRegressor(cv=3)).fit(X, y, weights, groups)
    alone = FDA(L.TunedRegressor(cv=3)).fit(X[8:], y[8:], weights[8:], groups=groups[8:])
    assert_allclose(left_out.coef_, alone.coef_, rtol=1e-10)


class WithItsOwnStatus(Theirs):
    """What a foreign attribute of this name means is not known."""

    status_, certificate_kind_ = "ok", None


def test_a_status_of_another_library_is_not_taken_over():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 3
    model = L.FlexibleDiscriminantAnalysis(WithItsOwnStatus()).fit(X, y)
    assert (model.status_, model.reason_) == ("converged", "")
    plain = L.FlexibleDiscriminantAnalysis(Theirs()).fit(X, y)
    assert_allclose(model.decision_function(X), plain.decision_function(X))


# mixture discriminant analysis

MDA = L.MixtureDiscriminantAnalysis


def mixtures(K, n=150, d=3):
    """Two overlapping subclasses in each class, of unequal size."""
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)
    centres = 2 * rng.normal(size=(K, 2, d))
    part = (rng.random(n) < 0.3).astype(int)
    return centres[y, part] + rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) / 2 + 3, y


def within(model, X, y, w):
    """Σ of the subclasses by the textbook: weighted scatter about their means, by memberships."""
    M = np.array([np.average(X[y == k], axis=0, weights=w[y == k]) for k in range(y.max() + 1)])
    S = ((X - M[y]).T * w) @ (X - M[y]) / w.sum()
    p = model.mixing_ * np.array([w[y == k].sum() for k in model.subclass_of_]) / w.sum()
    D = model.means_ - M[model.subclass_of_]
    return S - (D.T * p) @ D


def log_densities(model, X, S):
    """ln π_kr φ(x; μ_kr, Σ) for each subclass (n, R)."""
    each = [multivariate_normal.logpdf(X, m, S) for m in model.means_]
    return np.column_stack(each) + np.log(model.mixing_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@each("shrinkage", [0.0, 0.4, 1.0])
@each("subclasses", [2, 3, 6])
@each("K", [2, 3, 5])
def test_the_objective_of_mda_falls_at_every_step(K, subclasses, shrinkage):
    X, y = mixtures(K)
    options = {"shrinkage": shrinkage, "n_init": 1, "tol": 1e-8, "max_iter": 100}
    for seed in range(3):
        model = MDA(subclasses, random_state=seed, **options).fit(X, y)
        values = model.objectives_
        assert len(values) == model.n_iter_ + 1 > 1
        assert (np.diff(values) <= 1e-13 * np.abs(values[-1])).all()
        assert model.objective_ == values[-1]
        assert (model.certificate_ <= 1e-8) == (model.status_ == "converged")


@each("weighted", [False, True])
@each("K", [2, 3])
def test_the_solution_of_mda_solves_the_equations_of_em(K, weighted):
    """Hastie, Tibshirani & Friedman (2009), (12.62)-(12.63), in the features as they are."""
    X, y = mixtures(K)
    rng = np.random.default_rng(1)
    w = rng.uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    model = MDA(2, tol=1e-11, max_iter=5000).fit(X, y, w)
    assert model.status_ == "converged"
    S = within(model, X, y, w)
    joint = np.where(model.subclass_of_ == y[:, None], log_densities(model, X, S), -np.inf)
    density = logsumexp(joint, axis=1)
    assert model.objective_ == pytest.approx(-np.average(density, weights=w), rel=1e-10)
    Q = np.exp(joint - density[:, None]) * w[:, None]
    assert_allclose(model.means_, Q.T @ X / Q.sum(axis=0)[:, None], atol=1e-7)
    mass = np.array([w[y == k].sum() for k in model.subclass_of_])
    assert_allclose(model.mixing_, Q.sum(axis=0) / mass, atol=1e-8)
    scatter = (
        sum(((X - m).T * q) @ (X - m) for m, q in zip(model.means_, Q.T, strict=True)) / w.sum()
    )
    assert_allclose(S, scatter, atol=1e-7)


@each("priors", [None, "uniform", [0.1, 0.2, 0.7]])
def test_probabilities_of_mda_are_bayes_rule_with_its_mixtures(priors):
    X, y = mixtures(3)
    model = MDA(3, priors=priors).fit(X, y)
    joint = log_densities(model, X, within(model, X, y, np.ones(len(y))))
    Z = np.column_stack([logsumexp(joint[:, model.subclass_of_ == k], axis=1) for k in range(3)])
    expected = log_softmax(Z + np.log(model.priors_), axis=1)
    assert_allclose(model.predict_log_proba(X), expected, atol=1e-7)


def test_shrinkage_maximizes_the_likelihood_with_a_prior_of_the_covariance():
    """mean ln density − ½ a/(1 − a) (ln det Σ + tr Σ⁻¹T), T = (tr Σ_w/d) I, in the features as they are."""
    X, y = mixtures(2)
    a, w = 0.3, np.ones(len(y))
    model = MDA(2, shrinkage=a, tol=1e-10, max_iter=5000).fit(X, y)
    M = means_of(X, y)
    T = ((X - M[y]) ** 2).sum() / X.size * np.eye(3)
    S = (1 - a) * within(model, X, y, w) + a * T

    def objective(S):
        joint = np.where(model.subclass_of_ == y[:, None], log_densities(model, X, S), -np.inf)
        prior = np.linalg.slogdet(S)[1] + np.trace(np.linalg.solve(S, T))
        return -logsumexp(joint, axis=1).mean() + 0.5 * a / (1 - a) * prior

    assert model.objective_ == pytest.approx(objective(S), rel=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(10):
        B = rng.normal(size=(3, 3))
        assert objective(S + 1e-3 * (B + B.T)) > objective(S)


def test_each_class_may_have_its_own_number_of_subclasses():
    X, y = mixtures(3)
    assert MDA([1, 3, 2]).fit(X, y).subclass_of_.tolist() == [0, 1, 1, 1, 2, 2]
    assert MDA(1).fit(X, y).n_iter_ == 0
    X[y == 0] = X[0]  # no two rows differ
    assert MDA(2).fit(X, y).subclass_of_.tolist() == [0, 1, 1, 2, 2]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_covariance_that_collapses_is_reported_and_shrinkage_is_the_remedy():
    rng = np.random.default_rng(0)
    X, y = np.repeat(rng.normal(size=(3, 5)), 10, axis=0), np.arange(30) % 2
    X += 1e-7 * rng.normal(size=X.shape)  # three points in each class
    bare = MDA(3).fit(X, y)
    assert bare.status_ == "rank_deficient"
    assert "has collapsed" in bare.reason_
    assert "shrinkage above 0" in bare.reason_
    assert np.isfinite(bare.predict_log_proba(X)).all()
    assert MDA(3, shrinkage=0.1).fit(X, y).status_ == "converged"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_dependent_features_and_early_ends_are_reported():
    X, y = mixtures(3)
    twice = MDA(2).fit(np.column_stack([X, X @ [1.0, 2, 3]]), y)
    assert (twice.status_, twice.rank_) == ("rank_deficient", 3)
    expected = MDA(2).fit(X, y).predict_proba(X)
    assert_allclose(
        twice.predict_proba(np.column_stack([X, X @ [1.0, 2, 3]])).argmax(1), expected.argmax(1)
    )
    early = MDA(2, max_iter=1).fit(X, y)
    assert (early.status_, early.n_iter_) == ("max_iter", 1)
    assert "Raise max_iter" in early.reason_
