"""The fused lasso: its norm against definitions and other solvers, and special cases that are other fits."""

import numpy as np
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog

from linclass import LinearClassifier, LogisticRegression
from linclass.linear.penalties.fused_lasso import Chain, denoised

SEEDS = range(12)
TIED = np.array([1.5, 1.5, 0.0, 0.0, 0.0, -2.0, -2.0, -1.0, 0.5, 0.5])


def chain(seed, d=8):
    """With links of 0, and all factors equal for even seeds."""
    rng = np.random.default_rng(seed)
    links = rng.exponential(size=d - 1) * (rng.uniform(size=d - 1) < 0.8)
    return Chain(rng.uniform(0.5, 2, d) if seed % 2 else np.ones(d), links)


def data(classes=2, n=90, d=12):
    rng = np.random.default_rng(3)
    W = np.zeros((classes, d))
    for k in range(classes):
        W[k, 3 * k : 3 * k + 4] = 1.5
    X = rng.standard_normal((n, d))
    return X, (X @ W.T + rng.gumbel(size=(n, classes))).argmax(axis=1)


def fused(strength=0.02, **options):
    return LogisticRegression(penalty={"fused_lasso": options}, strength=strength, tol=1e-11)


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


@each(
    ("loss", "classes"),
    [("logistic", 2), ("squared", 2), ("huber", 2), ("squared_hinge", 2), ("logistic", 3)],
)
def test_the_fused_lasso_is_the_lasso_without_fusion_or_neighbours(loss, classes):
    X, y = data(classes)
    fits = [
        LinearClassifier(loss=loss, penalty=penalty, strength=0.03, tol=1e-11).fit(X, y)
        for penalty in (
            "l1",
            {"fused_lasso": {"fusion": 0}},
            {"fused_lasso": {"chains": list(range(12))}},
        )
    ]
    assert (fits[0].coef_ == 0).any()
    for fit in fits[1:]:
        assert fit.status_ == "converged"
        assert_allclose(fit.coef_, fits[0].coef_, atol=1e-5)


@each("classes", [2, 3])
@each("thin", [False, True])
def test_a_fit_satisfies_its_conditions_in_any_units(classes, thin):
    """−∂loss/∂W = strength·U with ⟨U, W⟩ = Ω(W), and no interval of U beyond its bound; equal weights are equal."""
    X, y = data(classes)
    X = X * np.repeat([1, 30, 0.1], 4) + np.repeat([0, 100, 5], 4)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    chains = np.repeat([1, 2, 3], 4).tolist()
    model = fused(chains=chains, fusion=0.5, strength=0.01)
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
