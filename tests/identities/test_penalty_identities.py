"""Penalties: factors for features, the fused lasso, and solvers of the lasso and the elastic net."""

import numpy as np
import pandas as pd
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone

from linclass import ElasticNet, Lasso, LinearClassifier, LogisticRegression, Ridge, TunedRegressor
from linclass.base.design_matrix import DesignMatrix
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L1
from linclass.linear.penalties.entrywise import ElasticNet as Net
from linclass.linear.penalties.fused_lasso import Chain, denoised
from linclass.linear.solvers.centred_gram import gram_of
from linclass.linear.solvers.dual_newton import DualNewton
from linclass.linear.solvers.homotopy import Homotopy, Walk
from linclass.linear.solvers.quadratic_program import QuadraticProgram

# Support vector machines with a factor for each feature: L2 with factors is plain L2 of columns over √factor

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


@each("thin", [False, True])
@each(("loss", "classes", "solver"), CASES)
def test_factors_are_units_of_the_columns(loss, classes, solver, thin):
    X, y = data(classes)
    rows, units = (sparse.csr_array(A) if thin else A for A in (X, X / np.sqrt(FACTORS)))
    ours, plain = (
        LinearClassifier(loss=loss, penalty=penalty, strength=0.01, tol=1e-8)
        for penalty in ({"l2": {"factors": FACTORS}}, "l2")
    )
    plain.fit(units, y)
    ours.set_params(trace=lambda own: own.score(rows, y)).fit(rows, y)
    assert (ours.solver_, ours.status_) == (solver, "converged")
    assert ours.certificate_kind_ == "duality_gap"
    if (
        classes == 2 or loss == "crammer_singer"
    ):  # what a trace watches predicts from rows as they are
        best = max(row["watched"] for row in ours.trace_)
        assert best == pytest.approx(ours.score(rows, y), abs=0.02)
    assert ours.objective_ == pytest.approx(plain.objective_, rel=1e-7)
    assert_allclose(ours.decision_function(rows), plain.decision_function(units), atol=1e-8)
    for one, other in zip(
        ours.path(rows, y, [1.0, 0.01]), plain.path(units, y, [1.0, 0.01]), strict=True
    ):
        assert one.objective_ == pytest.approx(other.objective_, rel=1e-7)


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


# The fused lasso: its norm against definitions and other solvers, and special cases that are other fits

SEEDS = range(12)
TIED = np.array([1.5, 1.5, 0.0, 0.0, 0.0, -2.0, -2.0, -1.0, 0.5, 0.5])


def chain(seed, d=8):
    """With links of 0, and all factors equal for even seeds."""
    rng = np.random.default_rng(seed)
    links = rng.exponential(size=d - 1) * (rng.uniform(size=d - 1) < 0.8)
    return Chain(rng.uniform(0.5, 2, d) if seed % 2 else np.ones(d), links)


def neighbours(classes, n=90, d=12):
    rng = np.random.default_rng(3)
    W = np.zeros((classes, d))
    for k in range(classes):
        W[k, 3 * k : 3 * k + 4] = 1.5
    X = rng.standard_normal((n, d))
    return X, (X @ W.T + rng.gumbel(size=(n, classes))).argmax(axis=1)


@each("seed", SEEDS)
def test_total_variation_satisfies_its_conditions_and_has_its_dual_norm(seed):
    """u_j = Σ_{i≤j} a_i(v_i − w_i)  is λ_j·sign(v_{j+1} − v_j), or between ±λ_j where they are equal; u_d = 0. max ⟨g,
    w⟩ for Ω(w) ≤ 1 is a linear program, with bounds p of |w_j| and q of |w_{j+1} − w_j|. No direction D descends
    faster than −S:  ⟨G, D⟩ + tΩ′(W; D) ≥ −‖S‖·‖D‖,  with equality at −S.
    """
    rng, links = np.random.default_rng(seed), chain(seed, 40).links
    w, a = np.round(3 * rng.standard_normal(40), seed % 3), 10 ** rng.uniform(-2, 2, 40)
    v = denoised(w, a, links)
    u, signs = np.cumsum(a * (v - w)), np.sign(np.diff(v))
    assert (signs == 0).any()
    assert_allclose(u[-1], 0, atol=1e-11)
    assert_allclose(u[:-1][signs != 0], (links * signs)[signs != 0], atol=1e-11)
    assert (np.abs(u[:-1]) <= links + 1e-11).all()
    norm, d = chain(seed), 8
    g = np.random.default_rng(seed + 100).standard_normal(d)
    one, change = np.eye(d), np.diff(np.eye(d), axis=0)
    left = np.block(
        [[s * one, -one, np.zeros((d, d - 1))] for s in (1, -1)]
        + [[s * change, np.zeros((d - 1, d)), -np.eye(d - 1)] for s in (1, -1)]
        + [[np.zeros((1, d)), norm.kinks[None], norm.links[None]]]
    )
    right = np.append(np.zeros(len(left) - 1), 1)
    bounds = [(None, None)] * d + [(0, None)] * (2 * d - 1)
    best = linprog(-np.append(g, np.zeros(2 * d - 1)), left, right, bounds=bounds)
    assert_allclose(norm.dual_norm(g), -best.fun, rtol=1e-9)
    assert_allclose(norm.dual_norm(g), by_intervals(norm, g), rtol=1e-14)
    assert_allclose(norm.dual_norm(np.array([g, -3 * g])), 3 * norm.dual_norm(g), rtol=1e-14)
    rng, norm, t, h = np.random.default_rng(seed), chain(seed, len(TIED)), 0.8, 1e-6
    G = rng.standard_normal(len(TIED))
    S = norm.steepest(TIED, G, t)
    length = np.linalg.norm(S)

    def slope(D):
        return float(G @ D + t * (norm.value(TIED + h * D) - norm.value(TIED)) / h)

    assert_allclose(slope(-S), -(length**2), atol=1e-7)
    for _ in range(100):
        D = -S + rng.standard_normal(len(TIED)) * (rng.uniform(size=len(TIED)) < 0.4)
        assert slope(D) >= -length * np.linalg.norm(D) - 1e-7


@each("seed", SEEDS)
@each("by_feature", [False, True])
def test_the_prox_is_where_the_norm_and_its_conjugate_meet(seed, by_feature):
    """U = (W − V)/t has dual norm at most 1 and ⟨U, V⟩ = Ω(V): the first by all intervals, one after another."""
    rng, norm = np.random.default_rng(seed), chain(seed)
    W, t = 3 * rng.standard_normal((2, 8)), rng.uniform(0.2, 1.5, 8) if by_feature else 0.7
    V = norm.prox(W, t)
    U = (W - V) / t
    assert_allclose(np.vdot(U, V), norm.value(V), rtol=1e-12)
    assert by_intervals(norm, U) <= 1 + 1e-12


def by_intervals(norm, G):
    ends, d = np.pad(norm.links, 1), len(norm.kinks)
    return max(
        abs(g[a:b].sum()) / (norm.kinks[a:b].sum() + ends[a] + ends[b])
        for g in np.atleast_2d(G)
        for a in range(d)
        for b in range(a + 1, d + 1)
    )


@each("classes", [2, 3])
@each("thin", [False, True])
def test_a_fit_satisfies_its_conditions_in_any_units(classes, thin):
    """−∂loss/∂W = strength·U with ⟨U, W⟩ = Ω(W), and no interval of U beyond its bound; equal weights are equal."""
    X, y = neighbours(classes)
    X = X * np.repeat([1, 30, 0.1], 4) + np.repeat([0, 100, 5], 4)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    options = {"chains": np.repeat([1, 2, 3], 4).tolist(), "fusion": 0.5}
    model = LogisticRegression(penalty={"fused_lasso": options}, strength=0.01, tol=1e-11)
    model.fit(sparse.csr_array(X) if thin else X, y, sample_weight=weights)
    assert model.certificate_kind_ == "duality_gap"
    assert model.status_ == "converged"
    P, w = model.predict_proba(X), weights / weights.sum()
    G = ((P - np.eye(classes)[y]) * w[:, None]).T @ X
    U = -G[1 if classes == 2 else slice(None)] / 0.01
    norm = Chain(np.ones(12), np.tile([0.5, 0.5, 0.5, 0], 3)[:-1])
    assert by_intervals(norm, U) <= 1 + 1e-3
    assert_allclose(np.vdot(U, model.coef_), norm.value(model.coef_), rtol=1e-4)
    assert (np.diff(model.coef_)[model.coef_[:, 1:] != 0] == 0).any()


# The lasso and the elastic net by their solvers


def regression(n=60, d=6, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) @ (np.eye(d) + 0.4 * rng.standard_normal((d, d))) + 2
    y = X @ np.where(np.arange(d) % 2, 0, 2.0 - np.arange(d)) + rng.standard_normal(n) - 3
    return X, y


@pytest.mark.parametrize("kind", ["plain", "scaled", "dependent"])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.01, 0.5, 1.0])
def test_more_features_than_rows_have_the_same_minimum_by_the_dual_and_by_programs(
    l1_ratio, kind, monkeypatch
):
    """Also from far (a weak penalty, from weights of 0), and for columns that differ in scale or repeat."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 550))
    y = X[:, :5].sum(axis=1) + rng.standard_normal(60)
    if kind == "scaled":
        X = X * np.exp(3 * rng.standard_normal(550)) + 10
    if kind == "dependent":
        X[:, 300:] = -X[:, :250]
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / 60
    rounds, whole = [], DualNewton.round
    monkeypatch.setattr(DualNewton, "round", lambda *given: rounds.append(1) or whole(*given))
    for share in (0.5, 0.05, 0.01):
        strength = share * largest / max(l1_ratio, 0.1)
        P = Objective(DesignMatrix(X), Squared(), y, None, Net(l1_ratio), strength)
        dual = QuadraticProgram(tol=1e-9).solve(P, P.zero())
        factors = Net(l1_ratio, factors=np.ones(550))  # the same, but not known to be uniform
        programs = QuadraticProgram(tol=1e-9).solve(P.with_penalty(factors, strength), P.zero())
        assert dual.converged
        assert programs.converged
        assert_allclose(dual.objective, programs.objective, rtol=3e-9)
    # of a lasso with scales of its own few features join at once, which programs do without the dual
    assert rounds or (kind == "scaled" and l1_ratio == 1)


@each("intercept", [True, False])
def test_the_homotopy_meets_the_quadratic_program_at_every_kink_and_between(intercept):
    X, y = regression(n=40, d=12)
    P = Objective(DesignMatrix(X, intercept), Squared(), y, None, L1(), 1.0)
    gram = gram_of(P)
    walk, kinks = Walk(gram, gram.c[0]), [np.abs(gram.c).max()]
    while walk.next_kink() > 1e-9:
        walk.go()
        kinks.append(walk.level)
    assert len(kinks) >= 12
    strengths = np.sort(np.r_[kinks, np.sqrt(np.array(kinks[1:]) * kinks[:-1])])[::-1]
    exact = Homotopy().path(P, strengths, P.zero())
    for strength, one in zip(strengths, exact, strict=True):
        other = QuadraticProgram(tol=1e-14).solve(P.with_strength(strength), P.zero())
        assert one.converged
        assert_allclose(one.theta, other.theta, atol=1e-8)
    assert (np.diff([s.n_iter for s in exact]) >= 0).all()


@each("kind", ["few_rows", "many_rows", "sparse", "dependent", "factors"])
@each("l1_ratio", [0.5, 1.0], quick=1)
def test_a_path_of_many_features_meets_another_solver(kind, l1_ratio):
    """Programs that grow along the path, the dual, and changes between them; one strength occurs twice."""
    n, d = (150 if kind == "few_rows" else 700), 520
    X, y = regression(n, d)
    if kind == "dependent":
        X[:, 1::2] = X[:, ::2]
    rows = sparse.csr_array(np.where(np.abs(X) > 1, X, 0)) if kind == "sparse" else X
    factors = np.arange(d) % 5 / 2 if kind == "factors" else None
    model = ElasticNet(l1_ratio=l1_ratio, factors=factors, tol=1e-10)
    strengths = np.append(np.geomspace(1, 0.02, 8), 0.3) * np.abs(X.T @ (y - y.mean())).max() / n
    weights = np.arange(n) % 3 + 1.0
    for fit in model.path(rows, y, strengths, sample_weight=weights):
        other = ElasticNet(**fit.get_params() | {"solver": "proximal_newton", "tol": 1e-8})
        assert fit.status_ == "converged"
        assert_allclose(fit.objective_, other.fit(rows, y, weights).objective_, rtol=2e-8)
