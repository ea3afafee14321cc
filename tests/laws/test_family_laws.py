"""What makes a family exponential. A new family is found by its file; EXAMPLES says where it lives."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

import linclass.families
from linclass.families.base import Family
from linclass.families.gaussian import Gaussian, TiedGaussian
from linclass.spread import Spread

COVARIANCE = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 0.5]])
TIED = Spread.of_covariance(COVARIANCE, np.zeros(3))


def reals(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.normal(rng.normal(size=d), rng.uniform(0.5, 2, size=d), size=(n, d))


ROWS: dict[str, Callable[..., np.ndarray]] = {"reals": reals}
EXAMPLES: dict[type[Family], list[tuple[Family, int]]] = {
    Gaussian: [(Gaussian(), 1), (Gaussian(), 3), (Gaussian(origin=np.array([5.0, -2.0])), 2)],
    TiedGaussian: [
        (TiedGaussian(TIED), 3),
        (TiedGaussian(Spread.of_covariance(np.array([[4.0]]), np.zeros(1))), 1),
    ],
}
CASES = [
    pytest.param(family, d, id=f"{type(family).__name__}-{i}")
    for examples in EXAMPLES.values()
    for i, (family, d) in enumerate(examples)
]


def members(family: Family, d: int, K: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """(means of T of K samples of rows from the family's support, the θ that have them)."""
    rng = np.random.default_rng(d)
    samples = [ROWS[family.support](rng, 30, d) for _ in range(K)]
    means = np.array([statistic(family, X).mean(axis=0) for X in samples])
    return means, family.natural(means)


def statistic(family: Family, X: np.ndarray) -> np.ndarray:
    return np.hstack(list(family.statistic(X)))


def test_every_family_has_an_example() -> None:
    files = Path(linclass.families.__path__[0]).glob("[!_]*.py")
    modules = [import_module(f"linclass.families.{file.stem}") for file in files]
    found = {
        value
        for module in modules
        for value in vars(module).values()
        if inspect.isclass(value) and issubclass(value, Family) and value is not Family
    }
    assert found == set(EXAMPLES)


@pytest.mark.parametrize(("family", "d"), CASES)
def test_the_gradient_of_the_log_normalizer_is_the_mean_of_t(family: Family, d: int) -> None:
    means, thetas = members(family, d)
    for mean, theta in zip(means, thetas, strict=True):
        steps = 1e-6 * np.maximum(np.abs(theta), 1e-2)[:, None] * np.eye(len(theta))
        rise = family.log_normalizer(theta + steps) - family.log_normalizer(theta - steps)
        np.testing.assert_allclose(rise / (2 * steps.diagonal()), mean, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("family", "d"), CASES)
def test_the_log_normalizer_is_convex(family: Family, d: int) -> None:
    _, theta = members(family, d)
    middle = family.log_normalizer((theta[:2] + theta[2:]) / 2)
    ends = (family.log_normalizer(theta[:2]) + family.log_normalizer(theta[2:])) / 2
    assert (middle <= ends + 1e-12).all()


@pytest.mark.parametrize(("family", "d"), CASES)
def test_no_neighbour_is_likelier_than_the_estimate(family: Family, d: int) -> None:
    rng = np.random.default_rng(1)
    X = ROWS[family.support](rng, 50, d)
    best = family.natural(statistic(family, X).mean(axis=0)[None])
    others = best * (1 + 1e-3 * rng.normal(size=(200, best.shape[1])))
    likelihood = family.log_density(X, np.vstack([best, others])).sum(axis=0)
    assert likelihood[0] >= likelihood.max()


@pytest.mark.parametrize(("family", "d"), CASES)
def test_natural_parameters_lead_back_to_their_mean(family: Family, d: int) -> None:
    _, theta = members(family, d)
    X = family.sample(theta[0], 40_000, np.random.default_rng(2))
    T = statistic(family, X)
    mean, error = T.mean(axis=0), T.std(axis=0) / np.sqrt(len(T))
    step = 1e-6 * np.maximum(np.abs(theta[0]), 1e-2)
    rise = family.log_normalizer(theta[0] + np.diag(step)) - family.log_normalizer(
        theta[0] - np.diag(step)
    )
    assert (np.abs(mean - rise / (2 * step)) < 5 * error + 1e-6).all()


@pytest.mark.parametrize(("family", "d"), [case for case in CASES if case.values[1] == 1])
def test_densities_integrate_to_one(family: Family, d: int) -> None:
    _, theta = members(family, d)
    for k in range(len(theta)):

        def density(x: float, k: int = k) -> float:
            return float(np.exp(family.log_density(np.array([[x]]), theta)[0, k]))

        assert quad(density, -50, 50, points=[-2, 0, 2])[0] == pytest.approx(1, rel=1e-7)


def test_gaussian_is_the_product_of_normal_densities() -> None:
    rng = np.random.default_rng(3)
    mean, variance = rng.normal(size=(2, 4)), rng.uniform(0.1, 3, size=(2, 4))
    X = rng.normal(size=(20, 4))
    family = Gaussian(origin=rng.normal(size=4))
    expected = [
        norm.logpdf(X, m, np.sqrt(v)).sum(axis=1) for m, v in zip(mean, variance, strict=True)
    ]
    found = family.log_density(X, family.of_moments(mean, variance))
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-11)


def test_tied_gaussian_is_the_normal_density_of_its_covariance() -> None:
    rng = np.random.default_rng(4)
    mean, X = rng.normal(size=(2, 3)), rng.normal(size=(20, 3))
    family = TiedGaussian(TIED)
    expected = [multivariate_normal.logpdf(X, m, COVARIANCE) for m in mean]
    found = family.log_density(X, family.natural(mean))
    np.testing.assert_allclose(found, np.transpose(expected), rtol=1e-11)


def test_inner_products_of_sparse_rows_are_those_of_dense_rows() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30, 6)) * (rng.random((30, 6)) < 0.3)
    theta = rng.normal(size=(3, 12))
    np.testing.assert_allclose(
        Gaussian().inner(sp.csr_array(X), theta), Gaussian().inner(X, theta), atol=1e-12
    )


def test_squares_far_from_the_origin_do_not_overflow() -> None:
    theta = Gaussian().of_moments(np.zeros((1, 2)), np.ones((1, 2)))
    Z = Gaussian().inner(np.full((1, 2), 1e300), theta)
    assert np.isfinite(Z).all()
