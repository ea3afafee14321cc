"""Laws of the augmented Lagrangian for nonsmooth losses with nonsmooth penalties: the doubly regularized SVM."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.losses.wrapped import envelope
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import ElasticNet
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian
from linclass.linear.solvers.starts import STRAIGHT_SLOPE, best_intercept

LOSSES = sorted(
    name
    for name in names("losses")
    if (loss := find("losses", name)).piecewise_linear and not loss.mistake_driven
)
SQUARE, ALL = 40, 45  # seeds of problems of any shape, and of all
EACH = pytest.mark.parametrize("loss", LOSSES)


def problem(loss, seed):
    """Counts or columns of different units, also far from 0; few or many rows; a weak or a strong penalty."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 80)), int(rng.integers(1, 60))
    if seed >= SQUARE:  # fewer rows than features
        d = int(rng.integers(2 * n, 6 * n))
    units = 10.0 ** rng.uniform(-2, 2, d)
    X = rng.standard_normal((n, d)) * units if seed % 2 else rng.integers(0, 3, (n, d)) * 1.0
    X += 100 * (seed % 5 == 0)
    y = np.where(rng.random(n) < rng.choice([0.1, 0.3, 0.5]), 1.0, -1.0)
    y[:2] = -1, 1
    penalty = ElasticNet(l1_ratio=float(rng.choice([0.05, 0.5, 0.95])))
    design = DesignMatrix(sparse.csr_array(X) if seed % 4 == 0 else X, bool(seed % 7))
    weights, strength = rng.integers(1, 4, n) * 1.0, 10.0 ** rng.uniform(-4, 0.5)
    return Objective(design, find("losses", loss)(), y, weights, penalty, strength), penalty


@EACH
def test_dual_slopes_certify_the_minimum_of_every_fit(loss):
    """D(s) = −Σ w ℓ*(s) − strength·Σ max(|u| − ρ, 0)²/(2(1 − ρ)), with ℓ*(s) = y s for the hinge."""
    for seed in range(ALL):
        P, penalty = problem(loss, seed)
        found = AugmentedLagrangian().solve(P, P.zero())
        assert found.converged
        assert found.slopes is not None
        s, w = found.slopes, P.weights
        if P.design.intercept:
            s = P.loss.balance(P.y, s, w)
        assert (np.abs(s) <= 1).all()
        conjugates = P.y * s + (0.1 * np.abs(s) if loss == "epsilon_insensitive" else 0)
        u = (w * s) @ P.design.X / P.strength
        beyond = np.maximum(np.abs(u) - penalty.l1, 0)
        dual = -w @ conjugates - P.strength * (beyond**2).sum() / (2 * penalty.l2)
        assert P.at(found.theta).value - dual + 1e-12 >= 0
        assert P.at(found.theta).value - dual <= 1.01e-6 * found.objective + 1e-12


# Laws of Crammer and Singer's loss with nonsmooth penalties, by the augmented Lagrangian.


def problem_of_classes(seed):
    """Counts or columns of different units; few or many rows; classes of any size; a weak or a strong penalty."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(3, 6))
    n, d = int(rng.integers(3 * K, 60)), int(rng.integers(1, 40))
    X = rng.integers(0, 3, (n, d)) * 1.0
    if seed % 2:
        X = rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-1, 1, d)
    noise = 2 * rng.gumbel(size=(n, K)) + rng.uniform(-2, 2, K)
    y = (X @ rng.standard_normal((d, K)) / (1 + X.std()) + noise).argmax(axis=1)
    y[:K] = np.arange(K)
    penalty = ElasticNet(l1_ratio=float(rng.choice([0.05, 0.5, 0.95])))
    weights, strength = rng.integers(1, 4, n) * 1.0, 10.0 ** rng.uniform(-3, 0)
    design = DesignMatrix(X, bool(seed % 5))
    return Objective(design, CrammerSinger(K), y, weights, penalty, strength), penalty


def test_dual_slopes_certify_the_minimum_of_several_classes():
    """D(p − e_y) = Σ w (1 − p_y) − strength·Σ max(|u| − ρ, 0)²/(2(1 − ρ)), for any distributions p."""
    for seed in range(12):
        P, penalty = problem_of_classes(seed)
        found = AugmentedLagrangian().solve(P, P.zero())
        assert found.converged
        assert found.slopes is not None
        s, w, own = found.slopes, P.weights, (P.y, np.arange(len(P.y)))
        if P.design.intercept:
            s = P.loss.balance(P.y, s, w)
            assert_allclose(s @ w, 0, atol=1e-12)
        p = s.copy()
        p[own] += 1
        assert p.min() >= -1e-12
        assert_allclose(p.sum(axis=0), 1)
        beyond = np.maximum(np.abs((w * s) @ P.design.X) / P.strength - penalty.l1, 0)
        dual = w @ (1 - p[own]) - P.strength * (beyond**2).sum() / (2 * penalty.l2)
        assert -1e-12 <= P.at(found.theta).value - dual <= 1.01e-6 * found.objective + 1e-12


def least_by_linear_program(X, y, strength):
    """min Σ ξ_i/n + strength·Σ (U + V)  with  ξ_i ≥ 1 + z_ik − z_iy,  Z = X(U − V)ᵀ + b,  U, V, ξ ≥ 0."""
    (n, d), K = X.shape, y.max() + 1
    B = np.hstack([X, -X, np.ones((n, 1))])
    rows = []
    for i in range(n):
        for k in set(range(K)) - {y[i]}:
            row = np.zeros((K, 2 * d + 1))
            row[k], row[y[i]] = B[i], -B[i]
            rows.append(np.append(row.ravel(), -np.eye(n)[i]))
    cost = np.tile(np.append(np.full(2 * d, strength), 0.0), K)
    bounds = ([(0, None)] * (2 * d) + [(None, None)]) * K + [(0, None)] * n
    A, c = np.array(rows), np.append(cost, np.full(n, 1 / n))
    return float(linprog(c, A_ub=A, b_ub=-np.ones(len(A)), bounds=bounds).fun)


@each("strength", [0.3, 0.03, 0.003])
def test_l1_ends_where_a_linear_program_does(strength):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 5))
    y = (X[:, :3] + 0.5 * rng.gumbel(size=(40, 3))).argmax(axis=1)
    model = LinearClassifier(loss="crammer_singer", penalty="l1", strength=strength).fit(X, y)
    assert (model.solver_, model.status_) == ("augmented_lagrangian", "converged")
    assert_allclose(model.objective_, least_by_linear_program(X, y, strength), rtol=2e-6)
    assert 0 < np.count_nonzero(model.coef_) < 15


def test_an_envelope_is_a_lower_bound_of_its_loss_with_correct_derivatives():
    rng, part = np.random.default_rng(3), CrammerSinger(4)
    y, z = rng.integers(0, 4, 300), rng.standard_normal((4, 300))
    slopes = part.slopes(y, z)
    smooth, both = envelope(part, y, slopes, 0.7)
    assert_allclose(smooth.values(both, z), part.values(y, z), atol=1e-12)
    other = z + rng.standard_normal(z.shape)
    values, s, curvatures = smooth.jet(both, other)
    assert (values <= part.values(y, other) + 1e-12).all()
    assert_allclose(values + smooth.conjugates(both, s), (s * other).sum(axis=0), atol=1e-12)
    h, v = 1e-6, rng.standard_normal(z.shape)
    rise = (smooth.values(both, other + h * v) - smooth.values(both, other - h * v)) / (2 * h)
    assert_allclose((s * v).sum(axis=0), rise, atol=1e-6)
    turn = (smooth.slopes(both, other + h * v) - smooth.slopes(both, other - h * v)) / (2 * h)
    assert curvatures is not None
    assert_allclose(smooth.curve(curvatures, v), turn, atol=1e-6)
    B, w = rng.standard_normal((300, 3)), rng.random(300)
    D = rng.standard_normal((4, 3))
    H = smooth.hessian(B.copy(), w, curvatures)
    product = (w * smooth.curve(curvatures, D @ B.T)) @ B
    assert_allclose(H @ D.ravel(), product.ravel(), atol=1e-10)


def test_the_best_intercepts_of_k_scores_leave_no_slope():
    """Newton's method stops where the rows of a small class lie in linear regions."""
    for seed in range(40):
        P, _ = problem_of_classes(seed)
        if P.design.intercept:
            slopes = P.loss.nearest_slopes(P.y, 0.25 * P.at(P.zero()).scores, 0.25)[0]
            smooth = P.envelope(slopes, 4.0)
            left = best_intercept(smooth).slopes @ P.weights
            assert np.abs(left).max() <= STRAIGHT_SLOPE
