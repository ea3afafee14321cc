"""Offsets of likelihoods, z + o in place of z: values and conjugates; and every solver."""

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import LinearClassifier
from linclass.base.messages import NotApplicable
from linclass.base.parts import find, names

LIKELIHOODS = [name for name in names("losses") if find("losses", name).probabilistic]
LOSSES = [name for name in LIKELIHOODS if find("losses", name).binary is None]
EXACT = [  # solvers that end at the minimum, each of some losses and penalties
    "auto", "newton", "newton_cg", "quasi_newton", "irls", "finite_newton", "least_squares", "proximal_newton",
    "proximal_gradient", "quadratic_program", "homotopy", "semismooth_newton", "multipliers", "linear_program",
]  # fmt: skip
PENALTIES = [
    {"penalty": "l2", "strength": 0.05},
    {"penalty": "l1", "strength": 0.05},
    {"penalty": {"l2": {"factors": [0.5, 2, 1]}}, "strength": 0.05},
    {"penalty": {"l2": {"intercept": 1.0}}, "strength": 0.05},
]


def rows(K, n=60, d=3):
    """(X, y, offset), with a row that is there twice, at two offsets, and one at one."""
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    X, offset = rng.normal(size=(n, d)) + 0.6 * y[:, None], 1.5 * rng.normal(size=(n, K))
    X[K : 2 * K], offset[K] = X[:K], offset[0]
    return X, y, offset[:, 1] - offset[:, 0] if K == 2 else offset


def losses_of(model, y, Z):
    """Of each row, at scores with their offsets; of one class against the rest the sum."""
    K, named = len(model.classes_), find("losses", model.loss)
    if K == 2:
        return find("losses", named.binary or model.loss)().values(2.0 * y - 1, Z)
    if named.simplicial or named.joint:
        return find("losses", named.joint or model.loss)(K).values(y, Z.T)
    return sum(named().values(np.where(y == k, 1.0, -1.0), Z[:, k]) for k in range(K))


def penalty_of(model):
    W, b = model.coef_, model.intercept_
    if model.penalty == "l1":
        return float(np.abs(W).sum())
    options = model.penalty["l2"] if isinstance(model.penalty, dict) else {}
    own = (options.get("factors", 1.0) * W**2).sum() + options.get("intercept", 0.0) * (b**2).sum()
    return float(own / 2)


@each("K", [2, 3])
@each("loss", LOSSES)
def test_every_solver_finds_the_minimum_with_offsets(loss, K):
    """The objective is that of scores with offsets, and a gap bounds how far it is from the least that any finds."""
    X, y, offset = rows(K)
    w = np.arange(len(y)) % 3 + 0.5
    for options in PENALTIES:
        found = {}
        for solver in EXACT:
            model = LinearClassifier(loss=loss, solver=solver, tol=1e-8, **options)
            try:
                model.fit(X, y, w, offset)
            except (ValueError, NotApplicable):  # a solver of other losses
                continue
            of_rows = losses_of(model, y, model.decision_function(X, offset))
            by_hand = np.average(of_rows, weights=w) + 0.05 * penalty_of(model)
            assert model.status_ == "converged", (solver, options)
            assert model.objective_ == pytest.approx(by_hand, rel=1e-9), (solver, options)
            assert 0 <= model.certificate_ <= 1e-8
            found[solver] = by_hand
        assert found
        for value in found.values():
            assert value <= min(found.values()) * (1 + 3e-8), (options, found)


@pytest.mark.filterwarnings("ignore:.*ended max_iter")
@each("K", [2, 3])
@each("solver", ["gradient_descent", "stochastic_gradient"])
def test_solvers_by_steps_report_the_objective_with_offsets(solver, K):
    X, y, offset = rows(K)
    model = LinearClassifier(solver=solver, max_iter=30, random_state=0, **PENALTIES[0])
    model.fit(X, y, offset=offset)
    Z = model.decision_function(X, offset)
    by_hand = losses_of(model, y, Z).mean() + 0.05 * penalty_of(model)
    assert model.objective_ == pytest.approx(by_hand, rel=1e-9)
    assert 0 <= model.certificate_ <= 1
    assert model.objective_ < losses_of(model, y, offset).mean()


@each("K", [2, 3])
@each("loss", LOSSES)
def test_few_rows_far_rows_and_sparse_rows(loss, K):
    """Fewer rows than features, of which some are equal, and columns far from 0."""
    X, y, offset = rows(K, n=30, d=40)
    few, far, sparsely = (
        X,
        X[:, :3] + [1e4, 0, 0],
        sparse.csr_array(np.where(X[:, :5] > 0, X[:, :5], 0)),
    )
    for some in (few, far, sparsely):
        model = LinearClassifier(loss=loss, strength=0.05).fit(some, y, offset=offset)
        of_rows = losses_of(model, y, model.decision_function(some, offset))
        assert model.status_ == "converged"
        assert model.objective_ == pytest.approx(
            of_rows.mean() + 0.05 * penalty_of(model), rel=1e-6
        )
        moved = model.coef_.copy()
        for j in range(moved.shape[1]):  # no weight can be changed for the better
            model.coef_ = moved.copy()
            model.coef_[:, j] += 0.03
            near = losses_of(model, y, model.decision_function(some, offset))
            assert near.mean() + 0.05 * penalty_of(model) > model.objective_ * (1 - 1e-6)
