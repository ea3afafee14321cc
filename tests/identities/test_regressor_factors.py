"""Ridge, lasso and elastic net with a factor for each feature satisfy the conditions of their optimum."""

import numpy as np
import pandas as pd
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from linclass import ElasticNet, Lasso, Ridge, TunedRegressor

FACTORS = [1.0, 0.0, 3.0, 0.2, 1.0, 2.0]
NAMES = ["a", "b", "c", "d", "e", "f"]
STRENGTH = 0.1
RATIO = {"Ridge": 0.0, "Lasso": 1.0, "ElasticNet": 0.6}
MODELS = [
    Ridge(strength=STRENGTH, factors=FACTORS, tol=1e-12),
    Lasso(strength=STRENGTH, factors=FACTORS, tol=1e-12),
    ElasticNet(strength=STRENGTH, factors=FACTORS, l1_ratio=0.6, tol=1e-12),
]


def data():
    rng = np.random.default_rng(2)
    X = rng.normal([0, 4, 0, 0, 0, -2], size=(80, 6))
    y = X @ [1.0, 0.5, 0.6, 0.3, 0.02, 0.0] + rng.standard_normal(80)
    return X, y, rng.uniform(0.5, 2, 80)


def assert_optimal(model, X, y, w):
    residual = w * (X @ model.coef_ + model.intercept_ - y) / w.sum()
    slope, share, W = X.T @ residual, RATIO[type(model).__name__], model.coef_
    f = model.strength * np.array(FACTORS)
    assert abs(residual.sum()) < 1e-6
    moved = W != 0
    at_end = slope + f * (share * np.sign(W) + (1 - share) * W)
    assert_allclose(at_end[moved], 0, atol=2e-6)
    assert (np.abs(slope) <= share * f + 1e-6)[~moved].all()
    assert moved[1]  # factor 0


@each("thin", [False, True])
@each("model", MODELS, ids=lambda model: type(model).__name__)
def test_factors_satisfy_the_conditions_of_the_optimum(model, thin):
    X, y, w = data()
    rows = sparse.csr_array(X) if thin else X
    fit = clone(model).fit(rows, y, w)
    assert (fit.status_, fit.certificate_kind_) == ("converged", "duality_gap")
    assert fit.certificate_ <= 1e-12
    assert_optimal(fit, X, y, w)
    for one in clone(model).path(rows, y, [1.0, 0.1, 0.01], sample_weight=w):
        assert_optimal(one, X, y, w)


@each("solver", ["quadratic_program", "proximal_newton", "proximal_gradient"])
def test_every_solver_of_the_lasso_that_takes_factors_finds_them(solver):
    X, y, w = data()
    model = clone(MODELS[1]).set_params(solver=solver, max_iter=100_000)
    assert_optimal(model.fit(X, y, w), X, y, w)


def test_homotopies_need_equal_factors_and_wrong_ones_are_one_line():
    with pytest.raises(ValueError, match="Try solver='quadratic_program'"):
        clone(MODELS[1]).set_params(solver="homotopy").fit(*data())
    X, y, _ = data()
    with pytest.raises(ValueError, match="factors has 2 numbers for 6 features; give one for each"):
        Ridge(factors=[1, 2]).fit(X, y)
    with pytest.raises(ValueError, match="give one number, at least 0, for each feature"):
        Lasso(factors=[-1] * 6).fit(X, y)


@each("model", MODELS, ids=lambda model: type(model).__name__)
def test_factors_by_name_are_those_by_number(model):
    X, y, w = data()
    frame = pd.DataFrame(X, columns=NAMES)
    named = dict(zip(NAMES, FACTORS, strict=True))
    assert named.pop("a") == named.pop("e") == 1
    by_name = clone(model).set_params(factors=named)
    assert_array_equal(by_name.fit(frame, y, w).coef_, clone(model).fit(X, y, w).coef_)
    tuned = [TunedRegressor(one, strengths=[0.1, 0.01]).fit(frame, y) for one in (by_name, model)]
    assert_array_equal(*(one.coef_ for one in tuned))
