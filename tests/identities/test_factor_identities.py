"""Support vector machines with a factor for each feature: L2 with factors is plain L2 of columns over √factor."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import LinearClassifier

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
