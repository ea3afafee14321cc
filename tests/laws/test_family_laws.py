"""Laws of exponential families. EXAMPLES gives it parameters."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats as st
from cases import each, with_peak_memory
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.special import digamma, gammaln

from linclass import ExponentialFamilyNB
from linclass.base.arrays import BLOCK
from linclass.base.messages import NotApplicable
from linclass.naive_bayes.families import positive
from linclass.naive_bayes.families.discrete import (
    Bernoulli,
    Categorical,
    Geometric,
    Multinomial,
    Poisson,
)
from linclass.naive_bayes.families.gaussian import Gaussian, MultivariateGaussian, SphericalGaussian
from linclass.naive_bayes.families.positive import (
    Beta,
    Dirichlet,
    Exponential,
    Gamma,
    dirichlet_parameters,
    gamma_shape,
)

ORIGIN = np.array([5.0, -2.0])
GAUSSIANS = Gaussian, MultivariateGaussian, SphericalGaussian
DRAWS = 5
ROWS = {
    "reals": lambda rng, n, d: rng.normal(rng.normal(size=d), rng.uniform(0.5, 2, d), size=(n, d)),
    "bits": lambda rng, n, d: (rng.random((n, d)) < rng.uniform(0.2, 0.8, d)).astype(float),
    "levels": lambda rng, n, d: np.minimum(rng.poisson(rng.uniform(0.7, 1.5, d), (n, d)), 2.0),
    "shares of a total": lambda rng, n, d: rng.multinomial(DRAWS, rng.dirichlet(np.full(d, 9)), n),
    "counts": lambda rng, n, d: rng.poisson(rng.uniform(0.5, 3, d), size=(n, d)).astype(float),
    "times": lambda rng, n, d: rng.exponential(rng.uniform(0.5, 3, d), size=(n, d)),
    "positive": lambda rng, n, d: rng.gamma(rng.uniform(0.5, 4, d), size=(n, d)) + 1e-3,
    "unit interval": lambda rng, n, d: rng.beta(*rng.uniform(0.7, 4, (2, d)), size=(n, d)),
    "simplex": lambda rng, n, d: rng.dirichlet(rng.uniform(1, 5, d), size=n),
}
EXAMPLES = {  # a family and the number of features
    Gaussian: [(Gaussian(), 1), (Gaussian(), 3), (Gaussian(ORIGIN), 2)],
    MultivariateGaussian: [(MultivariateGaussian(), 1), (MultivariateGaussian(), 3),
        (MultivariateGaussian(ORIGIN), 2)],
    SphericalGaussian: [(SphericalGaussian(), 1), (SphericalGaussian(), 3), (SphericalGaussian(ORIGIN), 2)],
    Bernoulli: [(Bernoulli(), 1), (Bernoulli(), 4)],
    Categorical: [(Categorical(3), 1), (Categorical(3), 2)],
    Multinomial: [(Multinomial(DRAWS), 3)],
    Dirichlet: [(Dirichlet(), 2), (Dirichlet(), 3)],
    **{kind: [(kind(), 1), (kind(), 3)] for kind in (Poisson, Geometric, Exponential, Gamma, Beta)},
}  # fmt: skip
CASES = each(("family", "d"), [
    pytest.param(*example, id=f"{kind.__name__}-{i}")
    for kind, examples in EXAMPLES.items()
    for i, example in enumerate(examples)
])  # fmt: skip


def members(family, d, K=4):
    """(means of T of K samples of rows from the family's support, the θ that have them)."""
    rng = np.random.default_rng(d)
    samples = [ROWS[family.support](rng, 60, d) for _ in range(K)]
    means = np.array([statistic(family, X).mean(axis=0) for X in samples])
    return means, family.natural(means)


CARRIERS = {  # ln h, 0 of the other families
    **dict.fromkeys(GAUSSIANS, lambda X: -0.5 * np.log(2 * np.pi) * X.shape[1]),
    Multinomial: lambda X: gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1),
    Poisson: lambda X: -gammaln(X + 1).sum(axis=1),
    Gamma: lambda X: -np.log(X).sum(axis=1),
    Beta: lambda X: -(np.log(X) + np.log1p(-X)).sum(axis=1),
    Dirichlet: lambda X: -np.log(X).sum(axis=1),
}


def log_density(family, X, theta):
    """ln p(x | θ_k), (n, K)."""
    rows = X.toarray() if sp.issparse(X) else X
    carrier = np.zeros(len(rows)) + CARRIERS.get(type(family), lambda X: 0.0)(rows)
    return family.inner(X, theta) - family.log_normalizer(theta) + carrier[:, None]


def statistic(family, X):
    return sp.hstack([sp.csr_array(T) for T in family.statistic(X)]).toarray()


@CASES
def test_natural_parameters_and_means_lead_to_each_other(family, d):
    means, thetas = members(family, d)
    for mean, theta in zip(means, thetas, strict=True):
        steps = 1e-6 * np.maximum(np.abs(theta), 1e-2)[:, None] * np.eye(len(theta))
        rise = family.log_normalizer(theta + steps) - family.log_normalizer(theta - steps)
        assert_allclose(rise / (2 * steps.diagonal()), mean, rtol=1e-6, atol=1e-7)


@CASES
def test_estimates_maximize_the_likelihood(family, d):
    X = ROWS[family.support](np.random.default_rng(1), 50, d)
    mean = statistic(family, X).mean(axis=0)
    estimate = family.natural(mean[None])[0]

    def cost(theta):
        value = -log_density(family, X, theta[None]).mean()
        return value if np.isfinite(value) else 1e10

    start = estimate + 0.05 * np.abs(estimate) * np.random.default_rng(2).uniform(-1, 1, len(mean))
    with np.errstate(all="ignore"):
        found = minimize(cost, start, method="BFGS", options={"gtol": 1e-7})
    assert cost(estimate) <= found.fun + 1e-9
    assert found.fun <= cost(estimate) + 1e-6  # it got there: there is one optimum


THEIRS = {
    **dict.fromkeys(GAUSSIANS, lambda X, t: st.norm.logpdf(X, -t[0] / (2 * t[1]), np.sqrt(-0.5 / t[1]))),
    Bernoulli: lambda X, t: st.bernoulli.logpmf(X, 1 / (1 + np.exp(-t[0]))),
    Poisson: lambda X, t: st.poisson.logpmf(X, np.exp(t[0])),
    Geometric: lambda X, t: st.geom.logpmf(X + 1, 1 - np.exp(t[0])),
    Exponential: lambda X, t: st.expon.logpdf(X, scale=-1 / t[0]),
    Gamma: lambda X, t: st.gamma.logpdf(X, t[0], scale=-1 / t[1]),
    Beta: lambda X, t: st.beta.logpdf(X, t[0], t[1]),
}  # fmt: skip


@each("kind", THEIRS)
def test_one_feature_has_the_density_of_the_textbook(kind):
    family = kind()
    _, theta = members(family, 1)
    X = ROWS[family.support](np.random.default_rng(4), 40, 1)
    expected = np.column_stack([THEIRS[kind](X[:, 0], t) for t in theta])
    assert_allclose(log_density(family, X, theta), expected, rtol=1e-10, atol=1e-12)


def test_rows_of_shares_and_of_draws_have_the_density_of_the_textbook():
    rng = np.random.default_rng(5)
    X, alpha = rng.dirichlet([2.0, 3.0, 4.0], size=9), np.array([[1.5, 2.0, 0.7]])
    expected = [st.dirichlet.logpdf(x, alpha[0]) for x in X]
    assert_allclose(log_density(Dirichlet(), X, alpha)[:, 0], expected, rtol=1e-10)
    counts, p = rng.poisson(2, size=(9, 3)).astype(float), np.array([0.2, 0.3, 0.5])
    expected = [st.multinomial.logpmf(x, x.sum(), p) for x in counts]
    found = log_density(Multinomial(), counts, np.log(p)[None])
    assert_allclose(found[:, 0], expected, rtol=1e-10, atol=1e-12)
    sparse = log_density(Multinomial(), sp.csr_array(counts), np.log(p)[None])
    assert_allclose(sparse, found, atol=1e-12)


@each("a", [1e-3, 0.1, 1.0, 29.9, 30.1, 1e3, 1e6, 1e12])
def test_the_shape_of_a_gamma_solves_its_equation_to_the_last_digits(a):
    # ln a − ψ(a) by its series, exact to 1e-17 where subtraction would leave no digits
    s = np.log(a) - digamma(a) if a < 10 else 1 / (2 * a) + 1 / (12 * a**2) - 1 / (120 * a**4)
    s += 0 if a < 10 else 1 / (252 * a**6) - 1 / (240 * a**8) + 1 / (132 * a**10)
    assert_allclose(gamma_shape(np.array([s])), a, rtol=5e-14)


@each("m", [2, 3, 40])
@each("size", [1e-2, 1.0, 1e2, 1e4, 1e8])
def test_dirichlets_equations_are_solved_to_the_last_digits(size, m):
    alpha = size * np.random.default_rng(m).uniform(0.2, 3, size=(20, m))
    g = digamma(alpha) - digamma(alpha.sum(axis=1, keepdims=True))
    found = dirichlet_parameters(g)
    again = digamma(found) - digamma(found.sum(axis=1, keepdims=True))
    assert_allclose(again, g, rtol=3e-14)


def test_levels_that_are_alone_added_or_missing_count_as_zero():
    """p = 1, so its part of the density is 1: A is 0 and not the logarithm of the number of levels."""
    family = Categorical(5)
    theta = family.natural(np.array([[1.0, 0, 0, 0, 0, 0.1, 0.2, 0.3, 0.15, 0.25]]))
    X = np.array([[0.0, 3.0], [0.0, 1.0]])
    found = log_density(family, X, theta)[:, 0]
    assert_allclose(found, np.log([0.15, 0.2]), rtol=1e-14)
    X = np.array([[0.0, 1.0], [1.0, 1.0]])
    few, many = Categorical(2), Categorical(np.array([2, 4]))
    np.testing.assert_array_equal(few.joined(many).levels, many.levels)
    sums = statistic(few, X).sum(axis=0)[None]
    expected = statistic(many, X).sum(axis=0)[None]
    np.testing.assert_array_equal(few.rebased(many, np.array([2.0]), sums), expected)
    X = np.random.default_rng(0).integers(0, 9, size=(200, 3)).astype(float)
    y, gap = np.arange(200) % 2, np.where(np.arange(9) == 8, 300, np.arange(9))
    near, far = (
        ExponentialFamilyNB("categorical", smoothing=0).fit(Z, y).decision_function(Z)
        for Z in (X, gap[X.astype(int)])
    )  # without smoothing, levels between that nobody has are as if they were not
    assert_allclose(far, near, rtol=1e-9)


@each("family", [kind() for kind in EXAMPLES])
def test_rows_without_spread_are_reported_and_the_others_are_unchanged(family):
    """Rows without any spread have no finite estimate; varying rows are unchanged."""
    rng = np.random.default_rng(7)
    varied = ROWS[family.support](rng, 40, 3)
    family = family.fitted(varied)
    still = np.tile(varied[:1], (40, 1)) if family.support != "shares of a total" else [[0, 0, 5]]
    means = np.array([statistic(family, X).mean(axis=0) for X in (varied, np.asarray(still))])
    inner, edge = family.inside(means)
    assert not edge[0].any()
    assert_allclose(inner[0], means[0], rtol=1e-7)
    if family.support not in ("counts", "times"):  # whose edge is 0, and not being constant
        assert edge[1].any()
    theta = family.natural(family.inside(np.stack([means[0], 0 * means[0] + means[1]]))[0])
    assert np.isfinite(theta).all()
    assert np.isfinite(family.log_normalizer(theta)).all()


@each("family", [Poisson(), Geometric(), Exponential()])
def test_a_count_that_never_occurs_in_a_class_is_reported(family):
    mean, edge = family.inside(np.array([[0.0, 2.0, 0.0], [3.0, 2.0, 0.0]]))
    assert edge.tolist() == [[True, False, False], [False] * 3]  # nowhere is no difference
    assert np.isfinite(family.natural(mean)).all()


@each("family", [Bernoulli(), Poisson(), Geometric(), Exponential(), Gamma()])
def test_strong_smoothing_makes_all_classes_equal(family):
    rng, mass = np.random.default_rng(8), np.array([30.0, 50.0])
    samples = [ROWS[family.support](rng, int(n), 2) for n in mass]
    sums = np.array([statistic(family, X).sum(axis=0) for X in samples])
    none, much = (family.smoothed(mass, sums, s) for s in (0.0, 1e9))
    assert_allclose(none, sums / mass[:, None], rtol=1e-14)
    pulled = sums.sum(axis=0) / mass.sum() if family.support != "bits" else 0.5
    assert_allclose(much, np.broadcast_to(pulled, much.shape), atol=1e-6)


@each(("family", "wrong"), [
    (Bernoulli(), 2.0), (Poisson(), -1.0), (Categorical(), 0.5), (Gamma(), 0.0), (Beta(), 1.0), (Dirichlet(), 0.9),
])  # fmt: skip
def test_values_outside_the_support_are_refused_with_their_place(family, wrong):
    X = np.full((3, 2), 0.5) if family.support in ("simplex", "unit interval") else np.ones((3, 2))
    X[1, 1] = wrong
    words = f"'b' holds {wrong:g} in row 1" if wrong != 0.9 else "row 1 sums to 1.4"
    with pytest.raises(NotApplicable, match=words):
        family.check_rows(X, ["a", "b"], "SomeNB")


@CASES
def test_scores_of_sparse_rows_are_those_of_dense_rows(family, d):
    """Also of many, and of those without a zero, which some families do not have."""
    X = ROWS[family.support](np.random.default_rng(5), 2 * BLOCK + 3, d).astype(float)
    if family.contains(np.zeros(1))[0] and family.support != "shares of a total":
        X[::2] *= np.random.default_rng(6).random(X[::2].shape) < 0.3
    _, theta = members(family, d)
    thin = sp.csr_array(X)
    family.check_rows(thin, list(range(d)), "SomeNB")
    expected = family.inner(X, theta)
    assert_allclose(family.inner(thin, theta), expected, rtol=1e-12, atol=1e-12)


def test_temporary_arrays_are_at_most_a_block_of_rows():
    """T of multivariate rows has d² columns, and centres of classes had an n × K matrix."""
    rng = np.random.default_rng(8)
    X, y = sp.csr_array(rng.random((20 * BLOCK, 10)) < 0.1, dtype=float), np.arange(20 * BLOCK)
    theta = rng.normal(size=(2, 110))
    for call in (
        lambda: MultivariateGaussian().inner(X, theta),
        lambda: Gaussian().fitted_to(X, y % 200, np.ones(len(y)), 200),
    ):
        assert with_peak_memory(call)[1] < 8 * len(y) * 50


def test_a_column_of_many_levels_adds_none_to_the_others():
    rng, many = np.random.default_rng(0), 100_000
    X, y = rng.integers(0, 2, size=(200, 30)).astype(float), np.arange(200) % 2
    X[0, 0] = many - 1
    model, peak = with_peak_memory(lambda: ExponentialFamilyNB("categorical").fit(X, y))
    assert model.natural_[0].shape == (2, many + 29 * 2)
    assert peak < 8 * many * 2 * 10


POSITIVE = {
    "gamma": np.random.default_rng(0).gamma(0.7, size=(40, 3)),
    "beta": np.random.default_rng(0).beta(0.4, 3, (40, 3)),
    "dirichlet": np.random.default_rng(0).dirichlet([0.5, 2.0, 4.0], size=40),
}


@pytest.mark.parametrize("family", POSITIVE)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_estimate_that_has_not_converged_is_reported(family, monkeypatch):
    X, y = POSITIVE[family], np.arange(40) % 2
    full = ExponentialFamilyNB(family).fit(X, y)
    assert (full.status_, full.certificate_kind_) == ("converged", "newton_step")
    assert full.certificate_ <= 1e-10
    monkeypatch.setattr(positive, "MAX_STEPS", 1)
    early = ExponentialFamilyNB(family).fit(X, y)
    assert early.status_ == "max_iter"
    assert early.certificate_ > 1e-7
    assert "Newton step" in early.reason_
    moved = np.abs(np.log(np.abs(np.array(early.natural_) / np.array(full.natural_)))).max()
    assert 0.3 * moved < early.certificate_ < 3 * moved


def test_families_with_a_closed_form_do_not_iterate():
    X, y = POSITIVE["gamma"], np.arange(40) % 2
    model = ExponentialFamilyNB({0: "gamma", 1: "exponential"}).fit(X, y)
    assert model.certificate_kind_ == "newton_step"
    model = ExponentialFamilyNB({0: "exponential"}).fit(X, y)
    assert (model.certificate_kind_, model.certificate_) == ("closed_form", None)


@each("kind", GAUSSIANS)
def test_sums_are_rebased_to_another_origin(kind):
    family, other = kind(np.array([1.0, 2.0])), kind(np.array([-3.0, 0.5]))
    X = np.random.default_rng(6).normal(size=(3, 7, 2))
    of = [np.array([statistic(f, rows).sum(axis=0) for rows in X]) for f in (family, other)]
    assert_allclose(family.rebased(other, np.full(3, 7.0), of[0]), of[1], atol=1e-12)
