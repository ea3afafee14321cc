"""Laws of the linear program: its optimum is that of another program and of another library, its gap bounds the
distance from the optimum, and units, copies, offsets and formats of the rows change nothing."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import silently
from linclass.linear.losses.margin import Hinge
from linclass.linear.losses.regression import EpsilonInsensitive
from linclass.linear.objective.objective import UNPENALIZED, Objective
from linclass.linear.penalties.entrywise import L1, L2, ElasticNet, Unpenalized
from linclass.linear.solvers import linear_program
from linclass.linear.solvers.compatibility import takes_penalty
from linclass.linear.solvers.linear_program import LinearProgram

LOSSES = {"hinge": Hinge(), "tube": EpsilonInsensitive(0.3), "deviation": EpsilonInsensitive(0.0)}
PENALTIES = {
    "none": (UNPENALIZED, 0.0),
    "l1": (L1(), 0.05),
    "some": (L1(factors=[0.0, 2.0, 1.0, 0.5]), 0.05),
}


def problem(loss, penalty, intercept=True, n=80):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 4)) * [1, 5, 0.2, 1] + [0, 3, 0, 0]
    z = X @ [0.5, 0.2, 0, 0] + rng.standard_normal(n)
    y = np.where(z > 0.5, 1.0, -1.0) if loss == "hinge" else z
    weights = rng.uniform(0.5, 2, n)
    return Objective(DesignMatrix(X, intercept), LOSSES[loss], y, weights, *PENALTIES[penalty])


def by_slacks(P):
    """The minimum by the primal program over weights, their absolute values and the losses, written anew."""
    X, n, d, p = P.design.dense(), P.design.n_rows, P.design.n_features, P.design.width
    y, zero = P.y[:, None], np.zeros((n, d))
    if isinstance(P.loss, Hinge):
        rows, limits = [np.hstack([-y * X, zero, -np.eye(n)])], [-np.ones(n)]
    else:
        tube = P.loss.epsilon
        rows = [np.hstack([sign * X, zero, -np.eye(n)]) for sign in (1, -1)]
        limits = [tube + P.y, tube - P.y]
    one = np.eye(d, p)
    rows += [np.hstack([sign * one, -np.eye(d), np.zeros((d, n))]) for sign in (1, -1)]
    limits += [np.zeros(d)] * 2
    cost = np.concatenate([np.zeros(p), np.broadcast_to(P.kink, d), P.weights])
    bounds = [(None, None)] * p + [(0, None)] * (d + n)
    found = linprog(cost, A_ub=np.vstack(rows), b_ub=np.concatenate(limits), bounds=bounds)
    assert found.status == 0
    return float(found.fun)


@each("intercept", [True, False])
@each("penalty", PENALTIES)
@each("loss", LOSSES)
def test_the_minimum_is_that_of_the_program_of_slacks(loss, penalty, intercept):
    P = problem(loss, penalty, intercept)
    rows = DesignMatrix(sparse.csr_array(P.design.X), intercept)
    thin = Objective(rows, P.loss, P.y, P.weights, P.chosen_penalty, P.strength)
    assert LinearProgram().solve(thin, P.zero()).objective == pytest.approx(by_slacks(P), rel=1e-8)
    found = LinearProgram().solve(P, P.zero())
    assert found.converged
    assert found.certificate_kind == "duality_gap"
    assert found.certificate <= 1e-10
    assert found.objective == pytest.approx(P.at(found.theta).value, rel=1e-14)
    assert found.objective == pytest.approx(by_slacks(P), rel=1e-8)


def test_a_linear_program_finds_the_median_and_a_perfect_fit():
    y = np.array([3.0, 9.0, -1.0, 4.0, 100.0])
    P = Objective(DesignMatrix(np.zeros((5, 1))), LOSSES["deviation"], y)
    found = LinearProgram().solve(P, P.zero())
    assert_allclose(found.theta, [0, 4])
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 200))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(60)
    P = Objective(DesignMatrix(X), LOSSES["deviation"], y)
    found = LinearProgram().solve(P, P.zero())
    assert found.converged
    assert found.objective <= 1e-12
    assert_allclose(P.at(found.theta).scores, y, atol=1e-12)


@each("penalty", ["none", "l1"])
def test_units_and_the_origin_of_the_rows_change_nothing(penalty):
    P = problem("hinge", penalty)
    X, scale = P.design.dense()[:, :4], np.array([1e-6, 1e4, 1.0, 1e8])
    factors = {"penalty": L1(factors=1 / scale), "strength": P.strength} if P.strength else {}
    moved = Objective(DesignMatrix(X / scale + 1e3 / scale), P.loss, P.y, P.weights, **factors)
    near, far = (LinearProgram().solve(Q, Q.zero()) for Q in (P, moved))
    assert far.converged
    assert far.objective == pytest.approx(near.objective, rel=1e-8)


@each("penalty", [None, "l1", {"l1": {"factors": [0, 1, 1, 2]}}])
@each("classes", [2, 3])
def test_classifiers_choose_the_linear_program_by_default(penalty, classes):
    rng = np.random.default_rng(1)
    y = rng.integers(0, classes, 120)
    X = rng.standard_normal((120, 4)) + 0.8 * np.eye(4)[y]
    strength = {} if penalty is None else {"strength": 0.02}
    model = LinearClassifier(loss="hinge", penalty=penalty, **strength).fit(X, y)
    assert (model.solver_, model.status_) == ("linear_program", "converged")
    assert model.certificate_kind_ == "duality_gap"
    assert model.score(X, y) > 1 / classes


@each("seed", range(8))
def test_separable_classes_have_no_loss(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 60)) * 10.0 ** rng.integers(-3, 4, 60)
    weights = 10.0 ** rng.uniform(-6, 3, 40)
    model = LinearClassifier(loss="hinge", penalty=None).fit(X, np.arange(40) % 2, weights)
    assert model.status_ == "converged"
    assert model.objective_ == 0
    assert model.certificate_ == 0


@each("strength", [0.0, 1e-3])
@each("seed", range(20))
def test_the_error_on_hard_rows_is_at_most_the_certificate(seed, strength):
    """Constant and repeated columns, in all units, far from 0; not all of these programs are solved."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 6)) * 10.0 ** rng.integers(-8, 9, 6)
    X[:, 0], X[:, 1] = 3e8, X[:, 2]
    X += rng.choice([0, 1e6])
    y = rng.permutation(np.repeat([1.0, -1.0], 30))
    penalty = {"l1": {"factors": rng.choice([0, 1, 5], 6)}} if strength else None
    if strength:
        penalty["l1"]["factors"][5] = 1
    with silently():
        model = LinearClassifier(loss="hinge", penalty=penalty, strength=strength).fit(X, y)
    spread = X.std(axis=0)
    rounding = spread <= 1e-12 * np.abs(X.mean(axis=0))  # such columns are constant
    Z = np.where(rounding, 0, (X - X.mean(axis=0)) / np.where(rounding, 1, spread))
    P = Objective(DesignMatrix(Z), Hinge(), y)
    if strength:
        P.kink = strength * np.asarray(penalty["l1"]["factors"]) / np.where(rounding, 1, spread)
    least = by_slacks(P)
    assert model.objective_ * (1 - model.certificate_) <= least * (1 + 1e-7) + 1e-10


@each("loss", LOSSES)
def test_ties_of_repeated_rows_and_indicators_do_not_stop_a_path(loss):
    rng = np.random.default_rng(4)
    levels = rng.integers(0, 3, (150, 2))
    X = np.hstack([np.eye(3)[levels[:, 0]], np.eye(3)[levels[:, 1]], levels])
    y = np.sign(levels.sum(axis=1) - 2 + rng.choice([-0.5, 0.5, 2.5], 150))
    P = Objective(DesignMatrix(X), LOSSES[loss], y, None, L1(), 1.0)
    strengths = np.geomspace(0.5, 1e-4, 12)
    path = LinearProgram().path(P, strengths, P.zero())
    for strength, found in zip(strengths, path, strict=True):
        assert found.certificate <= 1e-6
        assert found.objective == pytest.approx(by_slacks(P.with_strength(strength)), rel=1e-6)


@each("loss", LOSSES)
def test_vertices_and_highs_end_at_the_same_objective(loss, monkeypatch):
    near = problem(loss, "l1")
    rows = DesignMatrix(sparse.csr_array(near.design.dense()[:, :4]))
    P, objectives = Objective(rows, near.loss, near.y, near.weights, L1(), 0.05), []
    for entries in (10_000, 0):
        monkeypatch.setattr(linear_program, "MAX_ENTRIES", entries)
        assert (linear_program.Program(P).vertices() is None) == (entries == 0)
        objectives.append(LinearProgram().solve(P, P.zero()).objective)
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-8)


def test_linear_programs_take_l1_or_no_penalty():
    taken = [L1(), L1(factors=[0, 1]), Unpenalized()]
    assert all(takes_penalty(LinearProgram, penalty) for penalty in taken)
    assert not any(takes_penalty(LinearProgram, penalty) for penalty in (L2(), ElasticNet()))
    for options, words in [
        ({"loss": "hinge"}, "linear_program needs l1 or no penalty; l2 is another"),
        ({"loss": "logistic", "penalty": "l1"}, "linear_program needs a piecewise linear loss"),
    ]:
        with pytest.raises(ValueError, match=words):
            LinearClassifier(solver="linear_program", **options).fit([[0.0], [1.0]], [0, 1])


def test_a_program_that_is_not_finished_says_so():
    P = problem("hinge", "l1")
    found = LinearProgram(max_iter=1).solve(P, P.zero())
    assert not found.converged
    assert found.n_iter <= 1
    assert np.isfinite(found.theta).all()
