"""Theorems that tie the generative classifiers to each other and to Bayes' rule."""

from typing import Any

import numpy as np
import pytest
import scipy.linalg
from cases import each
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from linclass import (
    BernoulliNB,
    CategoricalNB,
    ExponentialFamilyNB,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    MajorityClass,
    MultinomialNB,
    NearestMean,
    PoissonNB,
    QuadraticDiscriminantAnalysis,
)
from linclass.discriminant.statistics.spread import Spread
from linclass.naive_bayes.families.tied_gaussian import TiedGaussian


def problem(K: int, n: int = 200, d: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = rng.permutation(np.arange(n) % (K + 1) % K)  # class 0 is twice as frequent
    return rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + rng.normal(size=(K, d))[y], y


def within(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(class means, pooled covariance over N − K), from the definitions."""
    M = np.array([X[y == k].mean(axis=0) for k in np.unique(y)])
    R = X - M[y]
    return M, R.T @ R / (len(y) - len(M))


def contrasts(Z: np.ndarray) -> np.ndarray:
    """What decides: the differences of the classes' scores."""
    return Z if Z.ndim == 1 else np.diff(Z, axis=1)


def posterior(joint: np.ndarray) -> np.ndarray:
    return joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)


@each("priors", ["estimated", "given"])
@each("K", [2, 3, 5])
def test_lda_is_bayes_rule_for_gaussians_of_one_covariance(K: int, priors: str) -> None:
    X, y = problem(K)
    rng = np.random.default_rng(0)
    M, S = within(X, y)
    pi = np.bincount(y) / len(y) if priors == "estimated" else rng.dirichlet(np.ones(K))
    joint = np.column_stack([multivariate_normal.logpdf(X, m, S) for m in M]) + np.log(pi)
    model = LinearDiscriminantAnalysis(priors=None if priors == "estimated" else pi.tolist())
    found = model.fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(found, posterior(joint), rtol=1e-9, atol=1e-10)


@each("K", [2, 3])
def test_naive_bayes_is_bayes_rule_for_independent_gaussians(K: int) -> None:
    X, y = problem(K)
    prior = np.log(np.bincount(y) / len(y))
    joint = [norm.logpdf(X, X[y == k].mean(0), X[y == k].std(0)).sum(1) for k in range(K)]
    found = GaussianNB(var_smoothing=0).fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(found, posterior(np.column_stack(joint) + prior), atol=1e-10)


def test_lda_with_equal_priors_has_fishers_threshold_midway_between_the_means() -> None:
    X, y = problem(2)
    model = LinearDiscriminantAnalysis(priors="uniform").fit(X, y)
    assert model.decision_function([model.means_.mean(axis=0)])[0] == pytest.approx(0, abs=1e-10)


def test_priors_move_the_boundary_by_their_log_odds_and_nothing_else() -> None:
    X, y = problem(2)
    equal = LinearDiscriminantAnalysis(priors="uniform").fit(X, y)
    skewed = LinearDiscriminantAnalysis(priors=[0.2, 0.8]).fit(X, y)
    np.testing.assert_array_equal(skewed.coef_, equal.coef_)
    np.testing.assert_allclose(skewed.intercept_ - equal.intercept_, np.log(0.8 / 0.2), rtol=1e-9)


def test_maximum_likelihood_covariance_scales_the_direction_by_n_over_n_minus_k() -> None:
    X, y = problem(3)
    unbiased = LinearDiscriminantAnalysis().fit(X, y)
    likeliest = LinearDiscriminantAnalysis(covariance="maximum_likelihood").fit(X, y)
    ratio = len(y) / (len(y) - 3)
    np.testing.assert_allclose(likeliest.coef_, ratio * unbiased.coef_, rtol=1e-9)


@each("K", [2, 4])
def test_lda_does_not_depend_on_the_coordinates(K: int) -> None:
    X, y = problem(K)
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)
    plain = LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    moved = LinearDiscriminantAnalysis().fit(X @ A + b, y).predict_log_proba(X @ A + b)
    np.testing.assert_allclose(moved, plain, atol=1e-8)


@each("K", [2, 4])
def test_lda_with_equal_priors_is_the_nearest_mean_in_whitened_coordinates(K: int) -> None:
    X, y = problem(K)
    _, S = within(X, y)
    white = Spread.of_covariance(S, np.zeros(4)).whitener
    lda = LinearDiscriminantAnalysis(priors="uniform").fit(X, y).decision_function(X)
    nearest = NearestMean().fit(X @ white, y).decision_function(X @ white)
    np.testing.assert_allclose(contrasts(lda), contrasts(nearest), rtol=1e-9, atol=1e-9)


def test_the_nearest_mean_is_the_tied_gaussian_of_the_identity() -> None:
    X, y = problem(3)
    M, _ = within(X, y)
    family = TiedGaussian(Spread(np.eye(4), np.eye(4)))
    density = family.log_density(X, family.natural(M))
    Z = NearestMean().fit(X, y).decision_function(X)
    np.testing.assert_allclose(np.diff(Z, axis=1), np.diff(density, axis=1), atol=1e-10)


def test_the_boundary_of_the_nearest_mean_bisects_the_segment_between_the_means() -> None:
    X, y = problem(2)
    model = NearestMean().fit(X, y)
    assert model.signed_distance([model.means_.mean(axis=0)])[0] == pytest.approx(0, abs=1e-12)
    half = np.linalg.norm(model.means_[1] - model.means_[0]) / 2
    np.testing.assert_allclose(model.signed_distance(model.means_), [-half, half], rtol=1e-10)


def test_naive_bayes_with_equal_variances_is_linear() -> None:
    rng = np.random.default_rng(0)
    # each class is the same cloud moved, so variances agree and the squares cancel
    cloud = rng.normal(size=(50, 3))
    X, y = np.vstack([cloud, cloud + np.array([1.0, -2.0, 0.5])]), np.repeat([0, 1], 50)
    model = GaussianNB(var_smoothing=0).fit(X, y)
    z = model.decision_function
    a, b = rng.normal(size=(2, 10, 3))
    np.testing.assert_allclose(z((a + b) / 2), (z(a) + z(b)) / 2, atol=1e-10)
    np.testing.assert_allclose(model.natural_[:, 3:], 0, atol=1e-10)


def test_lda_with_uncorrelated_features_is_naive_bayes() -> None:
    # a full factorial cloud has an exactly diagonal covariance, over N in both
    grid = np.array(np.meshgrid([-1.0, 1], [-2.0, 2], [-0.5, 0.5])).reshape(3, -1).T
    X, y = np.vstack([grid, grid + 1]), np.repeat([0, 1], 8)
    lda = LinearDiscriminantAnalysis(covariance="maximum_likelihood").fit(X, y)
    nb = GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(lda.decision_function(X), nb.decision_function(X), atol=1e-12)


@each("K", [2, 3])
def test_the_majority_is_the_likeliest_constant(K: int) -> None:
    X, y = problem(K)
    model = MajorityClass().fit(X, y)
    frequencies = np.bincount(y) / len(y)
    np.testing.assert_allclose(model.predict_proba(X[:3]), np.tile(frequencies, (3, 1)), rtol=1e-14)
    assert (model.predict(X) == frequencies.argmax()).all()
    # entropy is the least log loss of a constant: any other has Kullback–Leibler more
    loss = -model.predict_log_proba(X)[np.arange(len(y)), y].mean()
    assert loss == pytest.approx(-(frequencies * np.log(frequencies)).sum(), rel=1e-12)


@each("kind", [GaussianNB, LinearDiscriminantAnalysis])
def test_known_gaussians_are_learned_up_to_the_bayes_error(kind: Any) -> None:
    # classes N((0,0), I) and N((2,2), I): Bayes error Φ(−‖μ‖/2) = Φ(−√2)
    rng = np.random.default_rng(1)
    y = np.arange(40_000) % 2
    X = rng.normal(size=(40_000, 2)) + 2 * y[:, None]
    error = 1 - kind().fit(X[:20_000], y[:20_000]).score(X[20_000:], y[20_000:])
    bayes = norm.cdf(-np.sqrt(2))
    assert abs(error - bayes) < 4 * np.sqrt(bayes * (1 - bayes) / 20_000)


# Fisher's discriminant


@each("K", [2, 3, 5])
def test_fishers_rule_is_lda_with_equal_priors(K: int) -> None:
    X, y = problem(K)
    fisher = FisherDiscriminant().fit(X, y).decision_function(X)
    lda = LinearDiscriminantAnalysis(priors="uniform").fit(X, y).decision_function(X)
    np.testing.assert_allclose(contrasts(fisher), contrasts(lda), rtol=1e-9, atol=1e-9)


def test_fisher_of_two_classes_has_its_threshold_at_the_midpoint_of_the_projected_means() -> None:
    X, y = problem(2)
    M, S = within(X, y)
    model = FisherDiscriminant().fit(X, y)
    w = np.linalg.solve(S, M[1] - M[0])
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-9)
    assert -model.intercept_[0] == pytest.approx((M @ w).mean(), rel=1e-9)


@each("K", [2, 3, 5])
def test_fishers_directions_solve_the_generalized_eigenproblem(K: int) -> None:
    X, y = problem(K, d=6)
    M, S = within(X, y)
    D = M - X.mean(axis=0)
    between = (D.T * np.bincount(y)) @ D / (len(y) - K)
    model = FisherDiscriminant().fit(X, y)
    V = model.scalings_
    assert V.shape == (6, K - 1)
    np.testing.assert_allclose(between @ V, S @ V * model.ratios_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(V.T @ S @ V, np.eye(K - 1), atol=1e-9)
    assert (np.diff(model.ratios_) <= 0).all()
    top = scipy.linalg.eigh(between, S, eigvals_only=True)[::-1][: K - 1]
    np.testing.assert_allclose(model.ratios_, top, rtol=1e-9)


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [0.001, 0.016, 0.5, 10.0])
def test_fishers_ratios_depend_on_no_unit_of_weights_and_no_class_without_rows(
    weight: float,
) -> None:
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
def test_rows_go_to_the_nearest_projected_mean(q: int) -> None:
    X, y = problem(5)
    model = FisherDiscriminant(n_components=q).fit(X, y)
    P = model.transform(X)
    means = np.array([P[y == k].mean(axis=0) for k in range(5)])
    assert P.shape == (len(y), q)
    distance = ((P[:, None] - means) ** 2).sum(axis=2)
    assert np.array_equal(model.predict(X), distance.argmin(axis=1))


def test_no_direction_separates_two_classes_better_than_fishers() -> None:
    X, y = problem(2)
    M, S = within(X, y)
    w = FisherDiscriminant().fit(X, y).scalings_[:, 0]
    others = np.random.default_rng(0).normal(size=(4, 2000))

    def ratio(v: np.ndarray) -> np.ndarray:
        return ((M[1] - M[0]) @ v) ** 2 / np.einsum("i...,ij,j...->...", v, S, v)

    assert ratio(w) >= ratio(others).max()


# least squares, quadratic discriminants, masking


@each("K", [2, 3])
def test_qda_with_tied_covariances_is_lda(K: int) -> None:
    X, y = problem(K)
    qda = QuadraticDiscriminantAnalysis(shrinkage=1.0).fit(X, y).predict_log_proba(X)
    lda = LinearDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(qda, lda, rtol=1e-9, atol=1e-10)


@each("K", [2, 4])
def test_qda_is_bayes_rule_for_gaussians(K: int) -> None:
    X, y = problem(K, n=300)
    joint = [
        multivariate_normal.logpdf(X, X[y == k].mean(axis=0), np.cov(X[y == k].T))
        + np.log(np.mean(y == k))
        for k in range(K)
    ]
    found = QuadraticDiscriminantAnalysis().fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(found, posterior(np.column_stack(joint)), atol=1e-9)


@each("shrinkage", [0.0, 0.3, 1.0])
def test_qda_is_the_quadratic_that_it_shows(shrinkage: float) -> None:
    X, y = problem(3)
    model = QuadraticDiscriminantAnalysis(shrinkage=shrinkage).fit(X, y)
    Z = np.einsum("ni,kij,nj->nk", X, model.A_, X) + X @ model.beta_.T + model.gamma_
    np.testing.assert_allclose(model.decision_function(X), Z, rtol=1e-9, atol=1e-9)


def test_qda_is_the_full_gaussian_family_in_each_class() -> None:
    X, y = problem(3)
    qda = QuadraticDiscriminantAnalysis(covariance="maximum_likelihood").fit(X, y)
    family = ExponentialFamilyNB(families="multivariate_gaussian").fit(X, y)
    np.testing.assert_allclose(family.predict_log_proba(X), qda.predict_log_proba(X), atol=1e-8)


def test_lda_of_quadratic_features_is_nearly_qda() -> None:
    """Hastie et al. (2009), §4.3: the two ways to quadratic boundaries differ little."""
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3
    roots = np.array([[[1, 0.5], [0, 1]], [[1.5, 0], [-0.7, 0.6]], [[0.6, 0], [0.3, 1.2]]])
    X = np.einsum("nij,nj->ni", roots[y], rng.normal(size=(3000, 2)))
    X += np.array([[0, 0], [2.5, 0.5], [0, 3]])[y]
    augmented = np.column_stack([X, X**2, X[:, 0] * X[:, 1]])
    qda = QuadraticDiscriminantAnalysis().fit(X, y).predict(X)
    lda = LinearDiscriminantAnalysis().fit(augmented, y).predict(augmented)
    assert np.mean(qda == lda) > 0.95
    assert abs(np.mean(qda == y) - np.mean(lda == y)) < 0.01


def test_indicator_least_squares_masks_the_middle_of_three_classes_on_a_line() -> None:
    """Hastie et al. (2009), figure 4.2: the middle class never has the largest fitted value."""
    rng = np.random.default_rng(0)
    y = np.arange(30_000) % 3  # so many that the noise of the fit does not let it win by chance
    X = rng.normal(size=(30_000, 2)) + 6 * y[:, None]

    def recall_of_the_middle(kind: Any) -> float:
        return float(np.mean(kind().fit(X, y).predict(X[y == 1]) == 1))

    assert recall_of_the_middle(LeastSquaresClassifier) < 0.05
    for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis, FisherDiscriminant):
        assert recall_of_the_middle(kind) > 0.9


# naive Bayes


@each("K", [2, 3])
def test_tied_gaussian_naive_bayes_is_lda_with_a_diagonal_covariance(K: int) -> None:
    X, y = problem(K)
    nb = GaussianNB(tied=True, var_smoothing=0).fit(X, y)
    lda = LinearDiscriminantAnalysis(shape="diagonal", covariance="maximum_likelihood").fit(X, y)
    np.testing.assert_allclose(
        contrasts(nb.decision_function(X)), contrasts(lda.decision_function(X)), atol=1e-10
    )


def test_tied_gaussian_naive_bayes_gives_a_logistic_posterior() -> None:
    """Closed forms: π_k = n_k/n, μ_kj the class means, σ_j² the pooled variance; w = (μ₁ − μ₀)/σ²."""
    X, y = problem(2)
    M = np.array([X[y == k].mean(axis=0) for k in range(2)])
    variance = ((X - M[y]) ** 2).mean(axis=0)
    w = (M[1] - M[0]) / variance
    b = np.log(np.mean(y == 1) / np.mean(y == 0)) - ((M[1] ** 2 - M[0] ** 2) / variance).sum() / 2
    model = GaussianNB(tied=True, var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(X @ w + b), rtol=1e-10)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-12)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-10)
    assert model.signed_distance(X[:1])[0] == pytest.approx(
        (X[0] @ w + b) / np.linalg.norm(w), rel=1e-10
    )


def test_a_spherical_covariance_and_equal_priors_are_the_nearest_mean() -> None:
    X, y = problem(3)
    lda = LinearDiscriminantAnalysis(shape="spherical", priors="uniform").fit(X, y)
    assert np.array_equal(lda.predict(X), NearestMean().fit(X, y).predict(X))


def levels(K: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, 300)
    X = np.column_stack([rng.integers(0, 2 + y), rng.integers(0, 3, 300), rng.poisson(y)])
    return X.astype(float), y


@each("K", [2, 3])
def test_categorical_naive_bayes_is_linear_in_the_one_hot_vector(K: int) -> None:
    X, y = levels(K)
    model = CategoricalNB().fit(X, y)
    one_hot = np.hstack([level == X for level in range(int(X.max()) + 1)])
    Z = one_hot @ model.natural_[0].T + model.intercept_
    expected = Z if K > 2 else Z[:, 1] - Z[:, 0]
    np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-12)


def test_categorical_naive_bayes_multiplies_frequencies() -> None:
    X, y = levels(3)
    joint = np.zeros((len(y), 3))
    for k in range(3):
        joint[:, k] = np.log(np.mean(y == k))
        for j in range(3):
            L = int(X[:, j].max()) + 1
            counts = np.bincount(X[y == k, j].astype(int), minlength=L) + 0.5
            joint[:, k] += np.log(counts / counts.sum())[X[:, j].astype(int)]
    model = CategoricalNB(smoothing=0.5).fit(X, y)
    np.testing.assert_allclose(model.predict_log_proba(X), posterior(joint), atol=1e-12)


@each("K", [2, 3])
@each(("kind", "family"), [(PoissonNB, "poisson"), (BernoulliNB, "bernoulli")])
def test_the_named_classifiers_are_their_families(kind: Any, family: str, K: int) -> None:
    X, y = levels(K)
    X = X if family == "poisson" else (X > 0).astype(float)
    named, general = kind().fit(X, y), ExponentialFamilyNB(families=family).fit(X, y)
    np.testing.assert_allclose(named.decision_function(X), general.decision_function(X), atol=1e-11)
    Z = X @ named.coef_.T + named.intercept_
    np.testing.assert_allclose(named.decision_function(X), Z[:, 0] if K == 2 else Z, atol=1e-12)


def test_poisson_naive_bayes_of_rows_with_one_total_is_multinomial() -> None:
    """Given their sum, independent Poisson counts are multinomial with shares λ_j/Σλ."""
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = np.array([rng.multinomial(12, p) for p in np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])[y]])
    poisson = PoissonNB(smoothing=0).fit(X, y).predict_log_proba(X)
    multinomial = MultinomialNB(smoothing=0).fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(poisson, multinomial, atol=1e-10)


def test_columns_of_several_families_add_their_log_odds() -> None:
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    columns = {
        "age": rng.normal(y, 2),
        "housing": rng.integers(0, 2 + y).astype(float),
        "visits": rng.poisson(1 + y).astype(float),
        "wait": rng.gamma(2, 1 + y),
    }
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


def test_the_geometry_of_naive_bayes_is_that_of_its_scores() -> None:
    X, y = levels(2)
    model = PoissonNB().fit(X, y)
    on_boundary = model.project(X)
    np.testing.assert_allclose(on_boundary @ model.coef_[0] + model.intercept_[0], 0, atol=1e-10)
