"""Margins: optimality conditions, published margins, machines of several classes, and kernel machines."""

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import linclass as L
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import NotApplicable
from linclass.linear.losses.multiclass import CrammerSinger
from linclass.linear.losses.regression import Huber
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L2
from linclass.linear.solvers import multipliers
from linclass.linear.solvers.augmented_lagrangian import AugmentedLagrangian
from linclass.linear.solvers.multipliers import Multipliers
from linclass.separation.separability import separability

# Theorems of margins: optimality conditions row by row, and equivalent fits

EXACT = 1e-11


def overlapping(n=90, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * np.array([1, 2, 0.5])[:d]
    return X, (X @ np.arange(1, d + 1) + 1.5 * rng.standard_normal(n) > 0.5).astype(int)


def separable(n=60, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] > 0.2).astype(int)
    X[:, 0] += 0.4 * (2 * y - 1)
    return X, y


def apart(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X, w = rng.standard_normal((n, d)), rng.standard_normal(d)
    y = (X @ w > 0).astype(int)
    return X + 0.1 * np.outer(2 * y - 1, w), y


def quadratic_program(X, y, intercept):
    """min ½‖w‖² with y (w·x + b) ≥ 1 by a general solver, from a feasible start; b counts in ‖w‖ if it is a feature."""
    A = X if intercept == "none" else np.column_stack([X, np.ones(len(X))])
    Z, counts = A * (2 * y - 1)[:, None], np.ones(A.shape[1])
    counts[-1] = intercept != "free"
    start = separability(X, y, intercept)
    start = np.r_[start.weights, [] if intercept == "none" else start.intercept]
    return minimize(
        lambda v: 0.5 * counts @ v**2,
        start / (Z @ start).min(),
        jac=lambda v: counts * v,
        constraints={"type": "ineq", "fun": lambda v: Z @ v - 1, "jac": lambda v: Z},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    ).x


@each("intercept", ["none", "feature", "free"])
def test_the_largest_margin_is_that_of_an_independent_quadratic_program(intercept):
    for X, y in (*map(apart, range(8)), *[separable()] * (intercept == "free")):
        found, expected = L.largest_margin(X, y, intercept), quadratic_program(X, y, intercept)
        length = np.linalg.norm(expected[:-1] if intercept == "free" else expected)
        assert found.margin == pytest.approx(1 / length, rel=1e-5)
        any_margin = separability(X, y, intercept).margin
        assert any_margin <= found.margin * (1 + 1e-9) <= found.bound * (1 + 1e-8)
        if intercept == "free":
            model = L.LinearSVM(hard_margin=True, tol=1e-12).fit(X, y)
            assert_allclose(model.coef_[0], expected[:-1], rtol=1e-6)
            assert_allclose(model.intercept_, expected[-1:], rtol=1e-6)
            assert_allclose(model.margin_, 1 / length, rtol=1e-7)
            assert set(model.roles_) == {"beyond", "on margin"}


def test_a_weak_enough_penalty_gives_the_hard_margin():
    X, y = separable()
    hard = L.LinearSVM(hard_margin=True, tol=1e-12).fit(X, y)
    C = 2 * hard.dual_variables_.max()  # no dual variable is at its limit
    soft = L.LinearSVM(strength=1 / (len(y) * C), tol=EXACT).fit(X, y)
    assert_allclose(soft.coef_, hard.coef_, rtol=1e-8)
    assert_allclose(L.LinearSVM(strength=0.0, tol=1e-12).fit(X, y).coef_, hard.coef_)


def test_inseparable_classes_are_refused_with_a_proof():
    """1 and 2 are separable, but not through the origin: 2·1 = 1·2."""
    X, y = overlapping()
    with pytest.raises(NotApplicable, match="no hyperplane separates") as caught:
        L.LinearSVM(hard_margin=True).fit(X, y)
    weights = caught.value.weights  # type: ignore[attr-defined]
    assert (weights >= 0).all()
    for k in (0, 1):
        assert_allclose(weights[y == k].sum(), 1, rtol=1e-9)
    first, second = (weights[y == k] @ X[y == k] for k in (0, 1))
    assert_allclose(first, second, atol=1e-8)
    with pytest.raises(NotApplicable, match="through the origin") as caught:
        L.LinearSVM(hard_margin=True, fit_intercept=False).fit([[1.0], [2.0]], [0, 1])
    weights = caught.value.weights  # type: ignore[attr-defined]
    assert_allclose(weights / weights[1], [2, 1])
    assert "convex" not in str(caught.value)
    with pytest.raises(NotApplicable, match="no hyperplane separates"):
        L.LinearSVM(hard_margin=True).fit(np.full((4, 1), 0.1), [0, 1, 1, 1])


@each("near", [1e-7, 1e-8, 1e-9, 1e-11])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_hard_margin_near_degeneracy_ends(near):
    rng = np.random.default_rng(3)
    here = np.c_[rng.random((5, 3)), np.zeros(5)]
    X = np.r_[here, here + np.c_[np.zeros((5, 3)), near * (1 + rng.random(5))]]
    model = L.LinearSVM(hard_margin=True).fit(X, np.repeat([0, 1], 5))
    assert (model.predict(X) == np.repeat([0, 1], 5)).all()
    assert model.n_iter_ <= 1000


@each("C", [0.01, 1.0, 100.0])
def test_the_conditions_of_the_optimum_hold_row_by_row_with_their_roles(C):
    X, y = overlapping()
    model = L.LinearSVM(strength=1 / (len(y) * C), tol=EXACT).fit(X, y)
    assert_allclose(model.C_, C)
    t, alpha = 2 * y - 1, model.dual_variables_
    assert_allclose((alpha * t) @ X, model.coef_[0], atol=1e-8 * C)
    assert_allclose(alpha @ t, 0, atol=1e-8 * C)
    m = t * model.decision_function(X)
    assert_allclose(model.slacks_, np.maximum(1 - m, 0), atol=1e-9)
    primal = 0.5 * np.sum(model.coef_**2) + C * model.slacks_.sum()
    dual = alpha.sum() - 0.5 * np.sum(((alpha * t) @ X) ** 2)
    assert_allclose(primal, dual, rtol=1e-8)
    conditions = {
        "beyond": (alpha == 0) & (m > 1),
        "on margin": np.abs(m - 1) < 1e-4,
        "inside": (alpha > (1 - 1e-6) * C) & (m > 0) & (m < 1),
        "on boundary": (alpha > (1 - 1e-6) * C) & (np.abs(m) < 1e-6),
        "misclassified": (alpha > (1 - 1e-6) * C) & (m < 0),
    }
    for role, condition in conditions.items():
        assert condition[model.roles_ == role].all(), role
    assert {"beyond", "on margin", "misclassified"} <= set(model.roles_) or C == 0.01
    assert (model.support_ == np.flatnonzero(alpha)).all()
    assert (model.support_vectors_ == X[model.support_]).all()


def test_a_row_on_the_boundary_has_that_role():
    """Mirrored rows put the boundary at 0, and a heavy penalty leaves every row inside."""
    X = np.array([[-2.0], [-1], [0], [0], [1], [2]])
    model = L.LinearSVM(strength=10.0, tol=1e-13).fit(X, [0, 0, 0, 1, 1, 1])
    assert model.roles_.tolist() == ["inside"] * 2 + ["on boundary"] * 2 + ["inside"] * 2


def test_more_classes_are_as_many_machines_against_the_rest():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    y = X[:, :3].argmax(axis=1)
    model = L.LinearSVM(strength=0.01, tol=EXACT).fit(X, y)
    assert model.roles_.shape == model.dual_variables_.shape == (3, 90)
    for k in range(3):
        alone = L.LinearSVM(strength=0.01, tol=EXACT).fit(X, y == k)
        assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-6)
        assert_allclose(model.margin_[k], alone.margin_, rtol=1e-8)
        assert (model.roles_[k] == alone.roles_).all()


# The Crammer–Singer loss and its solver: two classes are the hinge loss, every gap is a bound


def rows(K, n=80, d=4):
    rng = np.random.default_rng(K)
    y = np.arange(n) % K
    return rng.normal(size=(n, d)) + 1.2 * rng.normal(size=(K, d))[y], y


@pytest.mark.parametrize("n", [200, 3000])
def test_the_minimum_depends_on_neither_solver_nor_start(monkeypatch, n):
    """3000 rows start from a fit to some of them, unless there is a start."""
    X, y = rows(4, n=n, d=5)
    P = Objective(DesignMatrix(X), CrammerSinger(4), y, None, L2(), 0.02)
    found = [Multipliers(tol=1e-8).solve(P, P.zero()), Multipliers(tol=1e-8).solve(P, P.zero() + 1)]
    monkeypatch.setattr(multipliers, "MAX_HESSIAN", 0)  # by conjugate gradients
    found.append(Multipliers(tol=1e-8).solve(P, P.zero()))
    found.append(AugmentedLagrangian(tol=1e-8).solve(P, P.zero()))
    assert all(solution.converged for solution in found)
    assert_allclose([s.objective for s in found], found[0].objective, rtol=2e-8)


def wide(seed):
    rng = np.random.default_rng(seed)
    centres, y = 0.1 * rng.normal(size=(3, 400)), rng.integers(0, 3, 60)
    return centres[y] + rng.normal(size=(60, 400)), y


def overlapping_at_a_small_strength(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(10, size=2000)
    return rng.normal(size=(2000, 10)) + rng.normal(size=(10, 10))[y], y


def uninformative(seed):
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(5), rng.integers(5, size=3))
    return 0.01 * rng.normal(size=(8, 8)), y


@each(("rows", "seed", "params"), [
    (wide, 4, {"strength": 1e-3}),
    (wide, 4, {"strength": 1e-2}),
    (overlapping_at_a_small_strength, 7, {"strength": 5e-5}),
    *((uninformative, seed, {"strength": 0.4, "tol": 1e-4}) for seed in range(4)),
])  # fmt: skip
def test_crammer_singer_fits_of_difficult_rows_converge(rows, seed, params):
    model = L.LinearClassifier(loss="crammer_singer", **params).fit(*rows(seed))
    assert model.status_ == "converged"
    assert model.n_iter_ <= 200


@each("max_iter", [1, 2, 5])
def test_a_fit_that_is_cut_off_is_not_above_weights_of_0(max_iter):
    X, y = np.random.default_rng(4).normal(size=(60, 8)), np.arange(60) % 4
    own = {"strength": 1e-4, "fit_intercept": False, "max_iter": max_iter}
    with pytest.warns(ConvergenceWarning):
        model = L.LinearClassifier(loss="crammer_singer", **own).fit(X, y)
    assert model.n_iter_ == max_iter
    assert model.objective_ <= 1 + 1e-12


# Losses with options: a name, {name: options} or the loss itself; their limits are other losses

Y = np.arange(60) % 2
NOISE = np.random.default_rng(0).standard_normal((60, 3)) + Y[:, None]
HALF = {"huber": {"delta": 0.5}}


@each("K", [2, 3])
def test_the_loss_itself_is_its_name_with_options(K):
    y = np.arange(60) % K
    by_name, itself = L.LinearClassifier(loss=HALF), L.LinearClassifier(loss=Huber(0.5))
    assert_array_equal(by_name.fit(NOISE, y).coef_, itself.fit(NOISE, y).coef_)
    assert_array_equal(by_name.coef_, clone(itself).fit(NOISE, y).coef_)
    assert not np.allclose(by_name.coef_, L.LinearClassifier(loss="huber").fit(NOISE, y).coef_)
    assert repr(itself) == "LinearClassifier(loss=Huber(delta=0.5))"
    assert by_name.parts() == itself.parts()
    likely = L.LinearClassifier(loss={"logistic": {}}).fit(NOISE, y)
    assert_array_equal(
        likely.predict_proba(NOISE), L.LogisticRegression().fit(NOISE, y).predict_proba(NOISE)
    )


@each("order", ["cyclic", "random"])
def test_the_perceptron_keeps_novikoffs_bound(order):
    for seed in range(10):
        X, y = apart(seed)
        bound = L.largest_margin(X, y, "feature").most_mistakes
        kinds = L.Perceptron, L.VotedPerceptron, L.AveragedPerceptron
        models = [kind(order=order, max_iter=100_000, random_state=0).fit(X, y) for kind in kinds]
        assert {model.status_ for model in models} == {"converged"}
        any_order, *in_one_order = (model.n_mistakes_ for model in models)
        assert 0 < any_order <= bound
        assert 0 < in_one_order[0] == in_one_order[1] <= bound
    assert L.largest_margin(X, np.arange(len(y)) % 2, "none").most_mistakes == np.inf
    with pytest.raises(ValueError, match="intercept='feature'"):
        _ = L.largest_margin(X, y, "free").most_mistakes


@each("offset", [0.0, 1e2, 1e4, 1e6])
@each("intercept", ["none", "feature", "free"])
def test_a_margin_is_certified_as_the_largest_or_reported_as_uncertified(intercept, offset):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 4, (40, 3)).astype(float)
    y = (X.sum(axis=1) > 4.5).astype(int)
    for rows in (X + offset, sparse.csr_array(X + offset)):
        found = L.largest_margin(rows, y, intercept)
        assert found.separable or intercept == "none"
        near = found.margin >= found.bound * (1 - 1e-6)
        assert found.margin <= found.bound * (1 + 1e-9)
        assert (found.status == "converged") == (found.gap <= 1e-6) == near
        assert near or "at most" in found.reason
    if intercept == "free":  # which offsets do not change
        assert L.largest_margin(X + offset, y).status == "converged"


# What kernel machines coincide with: linear ones, other libraries, independent optimizers


def rings(n=120, classes=2):
    rng = np.random.default_rng(1)
    y = np.arange(n) % classes
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1 + y + 0.35 * rng.standard_normal(n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def curve(n=80, d=2):
    rng = np.random.default_rng(2)
    X = rng.uniform(-2, 2, (n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, -1] + 0.2 * rng.standard_normal(n)


def test_a_kernel_may_be_a_function_or_a_matrix_of_its_own():
    X, y = rings()
    new = rings(30)[0] * 1.1
    named = L.KernelSVM(gamma=0.5).fit(X, y)

    def gaussian(A, B):
        return np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2))

    own = L.KernelSVM(kernel=gaussian).fit(X, y)
    given = L.KernelSVM(kernel="precomputed").fit(gaussian(X, X), y)
    for model, given_rows in ((own, new), (given, gaussian(new, X))):
        assert_allclose(
            model.decision_function(given_rows), named.decision_function(new), atol=1e-6
        )
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    some = L.KernelSVM(gamma=0.5).fit(X, y, weights)
    given = L.KernelSVM(kernel="precomputed").fit(gaussian(X, X), y, weights)
    assert_allclose(
        given.decision_function(gaussian(new, X)), some.decision_function(new), atol=1e-6
    )
    assert set(some.roles_[weights == 0]) == {"left out"}


@each("classes", [2, 3])
@each("order", ["cyclic", "random"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_perceptron_with_a_linear_kernel_makes_the_same_mistakes(order, classes):
    X, y = overlapping()
    y = y + (X[:, 1] > 1.5) * (classes - 2)
    own = {"order": order, "max_iter": 15, "random_state": 3}
    kernel, linear = L.KernelPerceptron(kernel="linear", **own), L.Perceptron(**own)
    assert kernel.fit(X, y).n_mistakes_ == linear.fit(X, y).n_mistakes_ >= 15
    assert_allclose(kernel.dual_coef_ @ X[kernel.support_], linear.coef_, atol=1e-10)
    assert_allclose(kernel.intercept_, linear.intercept_)
    assert kernel.status_ == linear.status_


def test_kernel_logistic_regression_satisfies_its_stationarity():
    """β_i = −w_i ∂ℓ_i/strength as functions: the gradient in the space of functions vanishes."""
    X, y = rings()
    model = L.KernelLogisticRegression(gamma=0.5, strength=0.05, tol=1e-13).fit(X, y)
    f = model.decision_function(X)
    beta = (y - 1 / (1 + np.exp(-f))) / (len(y) * 0.05)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    assert_allclose(K @ beta + model.intercept_, f, atol=1e-7)
    assert_allclose(beta.sum(), 0, atol=1e-6)
    assert model.score(X, y) > 0.85


@each("kernel", ["linear", "gaussian"])
def test_the_support_vectors_lie_on_or_outside_the_tube(kernel):
    X, y = curve()
    model = L.SupportVectorRegressor(kernel=kernel, epsilon=0.3, strength=0.01, tol=EXACT).fit(X, y)
    r, beta = y - model.predict(X), model.dual_variables_
    assert_allclose(model.slacks_above_, np.maximum(r - 0.3, 0), atol=1e-8)
    assert_allclose(model.slacks_below_, np.maximum(-r - 0.3, 0), atol=1e-8)
    assert_allclose(beta.sum(), 0, atol=1e-8)
    within = np.abs(r) < 0.3 - 1e-4
    assert within.sum() > 10
    assert (beta[within] == 0).all()
    assert_allclose(beta[r > 0.3 + 1e-4], model.C_)
    assert_allclose(beta[r < -0.3 - 1e-4], -model.C_)
    assert np.isin(np.flatnonzero(beta), model.support_).all()


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_few_features_that_represent_a_kernel_give_the_same_machine(loss, monkeypatch):
    """1200 rows in the plane have a matrix of rank 100 or so; with it or without, one optimum.

    |f − f*| ≤ ‖f − f*‖ ≤ √(2·gap/strength), each 3·10⁻⁵ here, where k(x, x) = 1.
    """
    X, y = rings(1200)
    own = {"loss": loss, "gamma": 0.2, "strength": 0.01, "tol": 1e-11}
    short = L.KernelSVM(**own).fit(X, y)
    assert short.status_ == "converged"
    monkeypatch.setattr("linclass.kernels.kernel_machine.few_features", lambda *_: None)
    whole = L.KernelSVM(**own).fit(X, y)
    assert_allclose(short.objective_, whole.objective_, rtol=1e-8)
    assert_allclose(short.decision_function(X), whole.decision_function(X), atol=1e-8)
    beta = np.zeros(len(y))
    beta[short.support_] = short.dual_coef_[0]
    assert_allclose(beta, short.dual_variables_ * (2 * y - 1), atol=1e-12)
    K = np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(axis=2))
    m = (2 * y - 1) * (K @ beta + short.intercept_)
    power = 1 if loss == "hinge" else 2
    primal = np.mean(np.maximum(1 - m, 0) ** power) + 0.005 * beta @ K @ beta
    assert_allclose(primal, short.objective_, rtol=1e-6)


# Kernel machines on rows far from 0: the machine is that of the rows about their mean


def counts(n):
    rng = np.random.default_rng(3)
    X = rng.integers(-300, 300, size=(n, 3)) / 128.0  # exact after a shift by whole numbers
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@each("n", [150, 1200])
def test_a_polynomial_kernel_far_from_0_converges(n):
    X, y = counts(n)
    for degree, far in [(2, 128.0), (3, 32.0)]:
        model = L.KernelSVM(kernel="polynomial", degree=degree, strength=1e-3).fit(X + far, y)
        assert model.status_ == "converged"
        margins = (2 * y - 1) * model.decision_function(X + far)
        norm = 2 * (model.objective_ - np.maximum(1 - margins, 0).mean()) / 1e-3
        beta, made = model.dual_coef_[0], model._made
        K = made.matrix(model.support_vectors_)
        assert_allclose(beta @ K @ beta, norm, rtol=1e-3)


def test_a_polynomial_kernel_too_far_from_0_says_why_and_what_to_do():
    X, y = counts(150)
    with pytest.warns(UserWarning, match="so far from 0 .* standardize the features"):
        L.KernelSVM(kernel="polynomial", strength=1e-3).fit(X + 2.0**20, y)


@each("seed", [23, 35, 131])
def test_a_rare_category_that_predicts_a_rare_class_leaves_the_hinge_bounded(seed):
    """Rows that are left out of a round may be all that bounds the intercept."""
    X, y = np.zeros((1000, 2)), np.ones(1000, int)
    X[:12, 0], X[12:30, 0] = 1, 0.5
    X[:, 1] = np.exp(2 * np.random.default_rng(seed).normal(size=1000))
    y[:10], y[-3:] = 0, 0
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model = L.LinearSVM(strength=0.03).fit(X, y)
    machine = SVC(kernel="linear", C=1 / (0.03 * 1000), tol=1e-8).fit(X, y)
    losses = np.maximum(0, 1 - (2 * y - 1) * machine.decision_function(X))
    assert model.status_ == "converged"
    assert_allclose(model.objective_, losses.mean() + 0.015 * (machine.coef_**2).sum(), rtol=1e-6)
