"""Laws of the solvers for nonsmooth losses on problems of any shape: the gap is a valid bound and tends to zero."""

from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog

from linclass import LinearClassifier
from linclass.base.design_matrix import DesignMatrix
from linclass.base.parts import find, names
from linclass.kernels.functions import Gaussian
from linclass.kernels.kernel_design import KernelDesign, KernelNorm
from linclass.linear.losses.base import MarginLoss
from linclass.linear.losses.margin import Hinge
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.losses.wrapped import envelope
from linclass.linear.objective.certificate import duality_gap
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2, ElasticNet
from linclass.linear.solvers import block_pivoting as pivoting
from linclass.linear.solvers import finite_newton
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian, SemismoothNewton
from linclass.linear.solvers.block_pivoting import ConjugateGradientEquations
from linclass.linear.solvers.starts import STRAIGHT_SLOPE, best_intercept

STRAIGHT = [n for n in names("losses") if find("losses", n).piecewise_linear]
PIECES = [n for n in names("losses") if find("losses", n).piecewise_quadratic]


def objective(loss, n, d, strength, thin=False, intercept=True):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X = np.where(np.abs(X) > 1, X, 0) if thin else X
    z = X @ rng.standard_normal(d) + 2 * rng.standard_normal(n)
    y = np.where(z > 0, 1.0, -1.0) if issubclass(find("losses", loss), MarginLoss) else z
    design = DesignMatrix(sparse.csr_array(X) if thin else X, intercept)
    return Objective(design, find("losses", loss)(), y, rng.uniform(0.1, 2, n), L2(), strength)


def machine(X, y, strength=1e-3, loss=None, weights=None):
    """With the hinge loss, and signs for y."""
    return Objective(DesignMatrix(X), loss or Hinge(), y, weights, L2(), strength)


def solver(loss, **options):
    return find("solvers", "semismooth_newton" if loss in STRAIGHT else "finite_newton")(**options)


@each("thin", [False, True])
@each(("shape", "strength"), [
    *product([(2, 1), (30, 2), (200, 5), (40, 60)], [1e3, 1.0, 1e-2, 1e-4]),
    ((20_000, 3), 1e-3),  # a start from few rows, rounds on those that may move
])  # fmt: skip
@each("loss", [*STRAIGHT, *PIECES])
def test_the_gap_goes_to_zero_for_every_shape_and_strength(loss, shape, strength, thin):
    P, tol = objective(loss, *shape, strength, thin=thin), 1e-10 if shape[0] > 1000 else 1e-9
    solution = solver(loss, tol=tol).solve(P, P.zero())
    assert solution.converged
    assert solution.slopes is not None
    gap = duality_gap(P.at(solution.theta), solution.slopes) / abs(solution.objective)
    assert 0 <= gap <= tol


@each("offset", [2.0**17, 2.0**30])
@each("loss", [*STRAIGHT, *PIECES])
def test_shifting_the_rows_changes_only_the_intercept(loss, offset):
    """Moved by a power of 2, rows of few binary digits are the same rows exactly, but scores have rounding errors."""
    near = objective(loss, 200, 4, 1e-3)
    X = np.round(near.design.X * 1024) / 1024
    moved = [machine(X + c, near.y, 1e-3, near.loss) for c in (0, offset)]
    here, there = (solver(loss, tol=1e-9).solve(P, P.zero()) for P in moved)
    rounding = offset * 2.0**-52
    assert there.certificate <= max(1e-9, rounding)
    assert there.converged == (there.certificate <= 1e-9)
    assert here.objective == pytest.approx(there.objective, rel=2e-9 + rounding)


@each("seed", range(20, 32))
def test_the_minimum_for_distant_classes_is_found(seed):
    """Their hulls are nearly as far apart as their means, so the least objective is tiny, and found."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    X = rng.standard_normal((80, 5)) + 20 * y[:, None] * [1, 0, 0, 0, 0]
    P = machine(X + 5 * rng.standard_normal(5), 2.0 * y - 1)
    solution = SemismoothNewton().solve(P, P.zero())
    assert solution.converged
    apart = X[y == 1, 0].min() - X[y == 0, 0].max()  # the margin is at least half of that
    assert solution.objective <= 1e-3 / 2 / (apart / 2) ** 2


@each("loss", [*STRAIGHT, *PIECES])
def test_a_fit_that_did_not_converge_is_not_worse_than_the_best_constant(loss):
    near = objective(loss, 300, 4, 1e-6, thin=True)
    far = near.design.X + sparse.csr_array(np.full((300, 4), 1e6))
    P = machine(far, near.y, 1e-6, near.loss, near.weights)
    solution = solver(loss, max_iter=1).solve(P, P.zero())
    constants = [P.at(np.r_[np.zeros(4), b]).value for b in np.r_[P.y, np.linspace(-9, 9, 99)]]
    assert solution.objective <= min(constants) * (1 + 1e-12)


@pytest.mark.parametrize("system", ["FeatureSystem", "RowSystem", "ProductSystem"])
def test_all_systems_lead_to_the_same_optimum(system, monkeypatch):
    P = objective("hinge", 60, 4, 0.01)
    expected = SemismoothNewton(tol=1e-11).solve(P, P.zero())
    chosen = getattr(finite_newton, system)
    monkeypatch.setattr("linclass.linear.solvers.augmented_lagrangian.newton_system", chosen)
    found = SemismoothNewton(tol=1e-11).solve(P, P.zero())
    assert_allclose(found.theta, expected.theta, atol=1e-6)


@each("strength", [1e-3, 1.0, 1e4])
@each("n", [60, 3000])
def test_a_class_of_one_row_is_given_up_and_certified(n, strength):
    """The other class takes the constant −1, so the least loss is at most 2/n; no row need be at a
    kink on the way, where only the intercept moves."""
    X, y = np.random.default_rng(0).standard_normal((n, 5)), np.where(np.arange(n) == 3, 1.0, -1.0)
    P = machine(X, y, strength)
    solution = SemismoothNewton().solve(P, P.zero())
    assert solution.converged
    assert solution.objective <= 2 / n * (1 + 1e-6)


def test_a_strength_below_rounding_errors_ends_rounds_instead_of_repeating_steps():
    """Rows times 10³⁰ are a strength of 10⁻⁶³: gradients are rounding errors, and no step lowers them."""
    P = objective("hinge", 200, 3, 1e-3)
    huge = machine(P.design.X * 1e30, P.y, weights=P.weights)
    solution = SemismoothNewton().solve(huge, huge.zero())
    assert solution.n_iter < 100
    assert solution.converged == (solution.certificate <= 1e-6)


# The augmented Lagrangian for nonsmooth losses with nonsmooth penalties: the doubly regularized SVM

OF_TWO_CLASSES = [name for name in STRAIGHT if not find("losses", name).mistake_driven]
SQUARE, ALL = 40, 45  # seeds of problems of any shape, and of all


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
    return Objective(design, find("losses", loss)(), y, weights, penalty, strength)


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
    return Objective(design, CrammerSinger(K), y, weights, penalty, strength)


@each("loss", [*OF_TWO_CLASSES, "crammer_singer"])
def test_dual_slopes_certify_the_minimum_of_every_fit(loss):
    """D(s) = −Σ w ℓ*(s) − strength·Σ max(|u| − ρ, 0)²/(2(1 − ρ)), with ℓ*(s) = y s for the hinge, and with
    ℓ*(p − e_y) = p_y − 1 for any distributions p for Crammer and Singer's loss."""
    several = loss == "crammer_singer"
    for seed in range(12 if several else ALL):
        P = problem_of_classes(seed) if several else problem(loss, seed)
        found, penalty = AugmentedLagrangian().solve(P, P.zero()), P.chosen_penalty
        assert found.converged
        assert found.slopes is not None
        s, w = found.slopes, P.weights
        if P.design.intercept:
            s = P.loss.balance(P.y, s, w)
            assert_allclose(s @ w, 0, atol=1e-12)
        if several:
            own = P.y, np.arange(len(P.y))
            p = s.copy()
            p[own] += 1
            assert p.min() >= -1e-12
            assert_allclose(p.sum(axis=0), 1)
            conjugates = p[own] - 1
        else:
            assert (np.abs(s) <= 1).all()
            conjugates = P.y * s + (0.1 * np.abs(s) if loss == "epsilon_insensitive" else 0)
        beyond = np.maximum(np.abs((w * s) @ P.design.X) / P.strength - penalty.l1, 0)
        dual = -w @ conjugates - P.strength * (beyond**2).sum() / (2 * penalty.l2)
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
    for P in map(problem_of_classes, range(40)):
        if P.design.intercept:
            slopes = P.loss.nearest_slopes(P.y, 0.25 * P.at(P.zero()).scores, 0.25)[0]
            smooth = P.envelope(slopes, 4.0)
            left = best_intercept(smooth).slopes @ P.weights
            assert np.abs(left).max() <= STRAIGHT_SLOPE


# Block pivoting, for few rows or a kernel alone: every answer is certified


@pytest.mark.parametrize("system", [None, ConjugateGradientEquations])
@pytest.mark.parametrize("loss", [*STRAIGHT, *PIECES])
def test_pivoting_proves_the_optimum_in_a_few_guesses(loss, system, monkeypatch):
    """By either way to solve the equations, with and without an intercept; a start at the optimum only needs a look."""
    if system:
        monkeypatch.setattr(pivoting, "equations_of", system)
    for strength, intercept in product([1e-8, 1e-3, 1e-2], [True, False]):
        P = objective(loss, 60, 300, strength, thin=True, intercept=intercept)
        found = pivoting.pivot(P, P.zero(), 1e-6, 100)
        case = strength, intercept
        assert found.n_iter <= 20, case
        assert found.certificate <= 1e-6, case
        gap = duality_gap(P.at(found.point.theta), found.slopes) / found.point.value
        assert gap <= 1.0001e-6, case
    if system is None:
        there = pivoting.pivot(P, P.zero(), 1e-10, 100)
        again = pivoting.pivot(P, there.point.theta, 1e-6, 100)
        assert again.n_iter <= 2
        assert again.certificate <= 1e-6


@each("loss", [name for name in (*STRAIGHT, *PIECES) if name != "epsilon_insensitive"])
def test_a_kernel_that_is_positive_definite_needs_a_few_guesses(loss):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 3))
    K = Gaussian(1.0).matrix(X)
    y = np.where(X[:, 0] + rng.standard_normal(120) > 0, 1.0, -1.0)
    P = Objective(KernelDesign(K), find("losses", loss)(), y, None, KernelNorm(K), 1e-3)
    found = pivoting.pivot(P, P.zero(), 1e-9, 100)
    assert found.n_iter <= 20
    assert found.certificate <= 1e-9


@each("shape", [(5, 6), (5, 9), (59, 3)])
@each("intercept", [None, 2.0])
def test_under_a_strong_penalty_all_rows_are_inside_the_margin(shape, intercept):
    """Then each pulls with its whole weight, w = Σ ω_i y_i x_i/strength with Σ ω_i = 1, and none is at the kink."""
    X, y = np.random.default_rng(0).standard_normal(shape), np.arange(shape[0]) % 2
    sign, strength = np.where(y, 1.0, -1.0), 1e3
    options = {"strength": strength, "fit_intercept": intercept is not None}
    penalty = {"l2": {"intercept": intercept}} if intercept else "l2"
    model = LinearClassifier(loss="hinge", penalty=penalty, **options).fit(X, y)
    assert model.status_ == "converged"
    assert_allclose(model.coef_[0], (sign[:, None] * X).mean(axis=0) / strength, rtol=1e-9)
    b = sign.mean() / (strength * intercept) if intercept else 0.0
    assert_allclose(model.intercept_, b, rtol=1e-9)


@each("rows", [109, 211, 2001])
def test_nearly_equal_classes_converge_under_any_penalty(rows):
    """Rounds once ended while slopes were not balanced: a thirtieth of these fits gave up, with gaps up to 1."""
    X = np.random.default_rng(rows).normal(size=(rows, 4))
    y = np.where(np.arange(rows) % 2 == 1, 1.0, -1.0)
    for strength in np.geomspace(1, 1e4, 20):
        P = machine(X, y, strength=strength)
        solution = SemismoothNewton(1e-8).solve(P, P.zero())
        assert solution.converged, (strength, solution.certificate)


@each("sparse_rows", [False, True])
@each("loss", ["hinge", "squared_hinge"])
def test_a_row_twice_is_a_row_of_weight_two_to_rounding(loss, sparse_rows):
    rng = np.random.default_rng(5)
    X, y = rng.random((15, 60)), np.arange(15) % 3
    times = rng.integers(1, 5, 15)
    rows = sparse.csr_array(X) if sparse_rows else X
    weighted = LinearClassifier(loss=loss).fit(rows, y, sample_weight=times)
    many = np.repeat(np.arange(15), times)
    repeated = LinearClassifier(loss=loss).fit(rows[many], y[many])
    assert repeated.certificate_ < 1e-9
    assert_allclose(repeated.coef_, weighted.coef_, rtol=1e-9, atol=1e-12)
