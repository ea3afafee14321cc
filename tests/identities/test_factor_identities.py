"""Support vector machines with a factor for each feature: L2 with factors is plain L2 of columns over √factor."""

import numpy as np
import pandas as pd
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone

from linclass import ElasticNet, Lasso, LinearClassifier, Ridge, TunedRegressor

FACTORS = np.array([1.0, 25.0, 0.04, 3.0, 1.0])
CASES = [
    ("hinge", 2, "semismooth_newton"),
    ("hinge", 3, "semismooth_newton"),
    ("squared_hinge", 2, "finite_newton"),
    ("crammer_singer", 3, "multipliers"),
]


def data(classes, n=600):
    rng = np.random.default_rng(classes)
    X = rng.normal([0, 0, 2, 0, -1], size=(n, 5))
    Z = X @ rng.standard_normal((5, classes)) + rng.gumbel(size=(n, classes))
    return X, Z.argmax(axis=1)


def model(loss, factors, **options):
    return LinearClassifier(
        loss=loss, penalty={"l2": {"factors": factors}}, strength=0.01, **options
    )


@each("thin", [False, True])
@each(("loss", "classes", "solver"), CASES)
def test_factors_are_units_of_the_columns(loss, classes, solver, thin):
    X, y = data(classes)
    rows, units = (sparse.csr_array(A) if thin else A for A in (X, X / np.sqrt(FACTORS)))
    ours = model(loss, FACTORS, tol=1e-8).fit(rows, y)
    plain = LinearClassifier(loss=loss, strength=0.01, tol=1e-8).fit(units, y)
    assert (ours.solver_, ours.status_, ours.certificate_kind_) == (
        solver,
        "converged",
        "duality_gap",
    )
    assert ours.objective_ == pytest.approx(plain.objective_, rel=1e-7)
    assert_allclose(ours.decision_function(rows), plain.decision_function(units), atol=1e-8)
    for one, other in zip(
        ours.path(rows, y, [1.0, 0.01]), plain.path(units, y, [1.0, 0.01]), strict=True
    ):
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-7)


@each(("loss", "classes", "solver"), CASES)
def test_the_objective_and_a_trace_are_in_the_units_of_the_user(loss, classes, solver):
    """P(W, b) from its formula; what a trace watches predicts from rows as they are."""
    X, y = data(classes)
    seen = []
    fit = model(loss, FACTORS, tol=1e-8)
    fit.trace = lambda own: seen.append(own.score(X, y)) or seen[-1]
    fit.fit(X, y)
    Z = X @ fit.coef_.T + fit.intercept_
    if loss == "crammer_singer":
        of_true = Z[np.arange(len(y)), y]
        rival = Z - of_true[:, None] + (np.arange(classes) != y[:, None])
        losses = np.maximum(rival.max(axis=1), 0)
    else:
        signs = np.where(y[:, None] == (np.arange(classes) if classes > 2 else [1]), 1, -1)
        losses = (np.maximum(1 - signs * Z, 0) ** (1 + (loss == "squared_hinge"))).sum(axis=1)
    value = losses.mean() + 0.01 * 0.5 * (FACTORS * fit.coef_**2).sum()
    assert value == pytest.approx(fit.objective_, rel=1e-9)
    if classes == 2 or loss == "crammer_singer":
        assert max(seen) == pytest.approx(fit.score(X, y), abs=0.02)


def test_a_penalized_intercept_is_equivalent_to_a_factor():
    X, y = data(2)
    penalty = {"l2": {"factors": FACTORS, "intercept": 0.25}}
    ours = LinearClassifier(loss="hinge", penalty=penalty, strength=0.01, tol=1e-8).fit(X, y)
    units = np.column_stack([X / np.sqrt(FACTORS), np.full(len(X), 2.0)])
    plain = LinearClassifier(loss="hinge", strength=0.01, fit_intercept=False, tol=1e-8)
    assert ours.solver_ == "semismooth_newton"
    assert ours.objective_ == pytest.approx(plain.fit(units, y).objective_, rel=1e-7)


# Ridge, lasso and elastic net with a factor for each feature satisfy the conditions of their optimum.

OWN_FACTORS = [1.0, 0.0, 3.0, 0.2, 1.0, 2.0]
NAMES = ["a", "b", "c", "d", "e", "f"]
STRENGTH = 0.1
RATIO = {"Ridge": 0.0, "Lasso": 1.0, "ElasticNet": 0.6}
MODELS = [
    Ridge(strength=STRENGTH, factors=OWN_FACTORS, tol=1e-12),
    Lasso(strength=STRENGTH, factors=OWN_FACTORS, tol=1e-12),
    ElasticNet(strength=STRENGTH, factors=OWN_FACTORS, l1_ratio=0.6, tol=1e-12),
]


def targets():
    rng = np.random.default_rng(2)
    X = rng.normal([0, 4, 0, 0, 0, -2], size=(80, 6))
    y = X @ [1.0, 0.5, 0.6, 0.3, 0.02, 0.0] + rng.standard_normal(80)
    return X, y, rng.uniform(0.5, 2, 80)


def assert_optimal(model, X, y, w):
    residual = w * (X @ model.coef_ + model.intercept_ - y) / w.sum()
    slope, share, W = X.T @ residual, RATIO[type(model).__name__], model.coef_
    f = model.strength * np.array(OWN_FACTORS)
    assert abs(residual.sum()) < 1e-6
    moved = W != 0
    at_end = slope + f * (share * np.sign(W) + (1 - share) * W)
    assert_allclose(at_end[moved], 0, atol=2e-6)
    assert (np.abs(slope) <= share * f + 1e-6)[~moved].all()
    assert moved[1]  # factor 0


@each("thin", [False, True])
@each("model", MODELS, ids=lambda model: type(model).__name__)
def test_factors_satisfy_the_conditions_of_the_optimum(model, thin):
    X, y, w = targets()
    rows = sparse.csr_array(X) if thin else X
    fit = clone(model).fit(rows, y, w)
    assert (fit.status_, fit.certificate_kind_) == ("converged", "duality_gap")
    assert fit.certificate_ <= 1e-12
    assert_optimal(fit, X, y, w)
    for one in clone(model).path(rows, y, [1.0, 0.1, 0.01], sample_weight=w):
        assert_optimal(one, X, y, w)


@each("solver", ["quadratic_program", "proximal_newton", "proximal_gradient"])
def test_every_solver_of_the_lasso_that_takes_factors_finds_them(solver):
    X, y, w = targets()
    model = clone(MODELS[1]).set_params(solver=solver, max_iter=100_000)
    assert_optimal(model.fit(X, y, w), X, y, w)


@each("model", MODELS, ids=lambda model: type(model).__name__)
def test_factors_by_name_are_those_by_number(model):
    X, y, w = targets()
    frame = pd.DataFrame(X, columns=NAMES)
    named = dict(zip(NAMES, OWN_FACTORS, strict=True))
    assert named.pop("a") == named.pop("e") == 1
    by_name = clone(model).set_params(factors=named)
    assert_array_equal(by_name.fit(frame, y, w).coef_, clone(model).fit(X, y, w).coef_)
    tuned = [TunedRegressor(one, strengths=[0.1, 0.01]).fit(frame, y) for one in (by_name, model)]
    assert_array_equal(*(one.coef_ for one in tuned))
