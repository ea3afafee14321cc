"""Laws of nonsmooth penalties, and of every solver that accepts them."""

from itertools import product

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from problems import CONVEX, PENALTIES, objective, penalty_called
from scipy import sparse

from linclass import ElasticNet, Lasso, LinearClassifier, LogisticRegression, Ridge
from linclass.base.parts import find, names
from linclass.linear.losses.base import KINDS
from linclass.linear.objective.certificate import duality_gap
from linclass.linear.penalties.entrywise import L1
from linclass.linear.penalties.entrywise import ElasticNet as Net
from linclass.linear.solvers.base import Trace
from linclass.linear.solvers.compatibility import mismatch, takes_penalty

KINKED = [name for name in PENALTIES if penalty_called(name).kinked]
NAMED = [name for name in KINKED if name in names("penalties")]
SMOOTH = [n for n in CONVEX if KINDS.index(find("losses", n).kind) >= KINDS.index("smooth")]


def able(solver, loss, penalty):
    kind = find("solvers", solver)()
    fits = takes_penalty(kind, penalty_called(penalty))
    return fits and mismatch(kind, find("losses", loss)) is None


CASES = [(s, l, p) for s in names("solvers") for l in SMOOTH for p in KINKED if able(s, l, p)]


def made(name, **more):
    return find("solvers", name)(**({"tol": 1e-9} | more))


def of_features(penalty):
    return "proximal_newton" if penalty.entrywise else "proximal_gradient"


def test_nonsmooth_penalties_and_their_solvers_are_tested():
    assert {"l1", "elastic_net"} <= set(KINKED)
    assert {s for s, *_ in CASES} == {*SOLVERS_OF_LASSO}


@each("intercept", [True, False], quick=1)
@each(("solver", "loss", "penalty"), CASES)
def test_every_solver_proves_the_same_optimum(solver, loss, penalty, intercept):
    P = objective(loss, penalty, strength=0.05, intercept=intercept)
    optimum = made("proximal_gradient", tol=1e-12).solve(P, P.zero())
    solution = made(solver).solve(P, P.zero())
    assert solution.converged
    assert solution.certificate_kind == "duality_gap"
    gap = solution.objective - optimum.objective
    assert abs(gap) <= 2e-9 * optimum.objective
    assert_allclose(solution.objective, P.at(solution.theta).value, rtol=1e-12)
    assert_allclose(solution.theta, optimum.theta, atol=1e-3)


@each(("solver", "loss", "penalty"), CASES)
def test_from_the_largest_slope_on_every_weight_is_exactly_zero(solver, loss, penalty):
    """max_j |∂loss/∂w_j|/kink at the best intercept alone: from there on W = 0, but for features without a penalty."""
    P = objective(loss, penalty)
    free, none = P.penalty.unpenalized, P.with_strength(1e9)
    penalized = np.ones(3, bool) if free is None else ~free
    solution = made(of_features(P.penalty), tol=1e-14).solve(none, P.zero())
    assert not P.weight_part(solution.theta)[..., penalized].any()
    edge = P.penalty.dual_norm(P.weight_part(P.at(solution.theta).loss_gradient))
    for strength, empty in [(1.0001 * edge, True), (0.99 * edge, False)]:
        at = P.with_strength(strength)
        W = P.weight_part(made(solver).solve(at, P.zero()).theta)
        assert np.any(W[..., penalized]) != empty


@each("intercept", [True, False])
@each("classes", [2, 3])
@each("solver", ["proximal_newton", "proximal_gradient"])
def test_the_largest_slope_beside_the_shares_of_classes_is_where_weights_end(
    solver, classes, intercept
):
    """Alone, intercepts give each class its share p̄_k of the weight, or 1/K where there are none:

    λ_max = max |Σ w_i (p̄_k − [y_i = k]) x_ij|.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((250, 9)) * [1, 1, 1, 1e3, 1e-3, 1, 1, 1, 1]
    X[:, 4:7] = np.column_stack([X[:, 0], np.full(250, 5.0), 100 + X[:, 1]])
    y = rng.choice(classes, 250, p=[0.9, 0.1] if classes == 2 else [0.6, 0.3, 0.1])
    w, is_class = rng.uniform(0.5, 2, 250), np.eye(classes)[y]
    share = w @ is_class / w.sum() if intercept else np.full(classes, 1 / classes)
    edge = np.abs((w / w.sum() * (share - is_class).T) @ X).max()
    for over, tol in product((1e-12, 1e-9, 1e-7, 1.0, -0.01), (1e-3, 1e-6, 1e-10)):
        options = {"solver": solver, "tol": tol, "fit_intercept": intercept}
        model = LogisticRegression(penalty="l1", strength=edge * (1 + over), **options).fit(X, y, w)
        assert model.coef_.any() == (over < 0), (over, tol)
        assert model.status_ == "converged", (over, tol)


@pytest.fixture(params=["formed", "by products"])
def hessian(request, monkeypatch):
    """Quadratic programs on a Hessian that is formed, or conjugate gradients."""
    if request.param == "by products":
        for limit in ("MAX_JOINT_HESSIAN", "MAX_HESSIAN"):
            monkeypatch.setattr(f"linclass.linear.solvers.proximal_newton.{limit}", 0)


@pytest.mark.usefixtures("hessian")
@pytest.mark.parametrize("classes", [2, 3])
def test_units_of_all_features_are_those_of_the_strength(classes):
    """X·s at strength·s has the minimum of X at strength, with weights W/s."""
    X, y = data(classes)
    model = LogisticRegression(penalty="l1", strength=0.02).fit(X, y)
    for s in (1e-6, 1e-3, 1e3, 1e6):
        other = LogisticRegression(penalty="l1", strength=0.02 * s).fit(s * X, y)
        assert other.status_ == "converged"
        assert other.n_iter_ <= model.n_iter_ + 2
        assert_allclose(other.objective_, model.objective_, rtol=1e-6)
        assert_allclose(s * other.coef_, model.coef_, atol=1e-8)


@pytest.mark.usefixtures("hessian")
@pytest.mark.parametrize("penalty", [name for name in NAMED if penalty_called(name).entrywise])
@pytest.mark.parametrize("classes", [2, 3])
def test_shifting_features_changes_only_the_intercept(penalty, classes):
    X, y = data(classes)
    model = LogisticRegression(penalty=penalty, strength=0.02).fit(X, y)
    for far in ([30] * 5, [1e4] * 5, [0, 1e6, 0, -1e3, 0]):
        for rows in (X + far, sparse.csr_array(X + far)):
            other = LogisticRegression(penalty=penalty, strength=0.02).fit(rows, y)
            assert other.status_ == "converged"
            assert_allclose(other.objective_, model.objective_, rtol=1e-6)
            assert_allclose(other.coef_, model.coef_, atol=5e-3)


@pytest.mark.usefixtures("hessian")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_columns_of_all_sizes_are_certified_as_optimal(intercept, classes):
    X, y = data(classes)
    year_and_income = X * [10, 2e4, 1, 1, 1] + [2000, 6e4, 0, 0, 0]
    one_large, constant = X * [1e5, 1, 1, 1, 1], X * [1, 1, 1, 1, 0] + [0, 0, 0, 0, 1e3]
    for rows in (year_and_income, one_large, constant):
        fit = fitter(penalty="l1", strength=0.01, tol=1e-6, fit_intercept=intercept)
        model = fit(rows, y)
        assert model.status_ == "converged"
        assert model.n_iter_ <= 100
        assert fit(rows[:, ::-1], y).objective_ == pytest.approx(model.objective_, rel=2e-6)


SOLVERS_OF_LASSO = ("homotopy", "proximal_gradient", "proximal_newton", "quadratic_program")


@each("shape", [(20, 3), (10, 20)])
@each("model", [
    Ridge(), Ridge(strength=0.01), ElasticNet(l1_ratio=0), *(Lasso(solver=s) for s in SOLVERS_OF_LASSO),
], ids=repr)  # fmt: skip
def test_a_constant_target_is_fitted_and_certified(model, shape):
    """P = 0 to rounding: there is nothing that a gap could be relative to."""
    X = np.random.default_rng(0).standard_normal(shape)
    for y in (3.3, 0.1, 1e-8, 1e8, 0.0):
        model.fit(X, np.full(len(X), y))
        assert model.status_ == "converged"
        assert_allclose(model.coef_, 0, atol=1e-12 * y)
        assert_allclose(model.intercept_, y, rtol=1e-12)


@each("penalty", KINKED)
@each("loss", SMOOTH)
def test_the_gap_is_a_bound_anywhere_and_vanishes_at_the_optimum(loss, penalty):
    P, rng = objective(loss, penalty), np.random.default_rng(0)
    points = [P.at(s * rng.standard_normal(P.shape)) for s in (0, 0.1, 0.5, 2)]
    optimum, trace = made(of_features(P.penalty), tol=1e-13).solve(P, P.zero()), Trace()
    assert optimum.certificate <= 1e-13
    for point in points:
        assert point.value - duality_gap(point) <= optimum.objective + 1e-12
    made("proximal_gradient", tol=1e-10).solve(P, points[2].theta, trace)
    gaps = [row["gradient_norm"] for row in trace.rows]
    assert gaps[-1] < 1e-4 * gaps[0]


@each("classes", [2, 3])
@each("penalty", NAMED)
@each("solver", ["auto", "proximal_gradient"])
def test_rows_weights_and_storage_are_the_same_thing_said_otherwise(solver, penalty, classes):
    X, y = data(classes)
    fit = fitter(solver=solver, penalty=penalty, tol=1e-13)
    W = fit(X, y).coef_
    assert (W == 0).any()
    assert (W != 0).any()
    twice = np.arange(len(y)) % 3 == 0
    repeated = fit(np.vstack([X, X[twice]]), np.r_[y, y[twice]])
    assert_allclose(fit(X, y, 1.0 + twice).coef_, repeated.coef_, atol=1e-8)
    rows = np.random.default_rng(0).permutation(len(y))
    assert_allclose(fit(X[rows], y[rows]).coef_, W, atol=1e-8)
    columns = np.array([4, 3, 2, 1, 0] if penalty == "fused_lasso" else [3, 1, 0, 4, 2])
    assert_allclose(fit(X[:, columns], y).coef_, W[:, columns], atol=1e-8)
    assert_allclose(fit(sparse.csr_array(X), y).coef_, W, atol=2e-5)
    other = fit(X, classes - 1 - y).coef_
    assert_allclose(other, -W if classes == 2 else W[::-1], atol=1e-8)
    balanced = fitter(solver=solver, penalty=penalty, tol=1e-13, class_weight="balanced")(X, y)
    by_hand = fit(X, y, (len(y) / (classes * np.bincount(y)))[y])
    assert_allclose(balanced.coef_, by_hand.coef_, atol=1e-8)


def data(classes, n=150):
    """The last two of five features are uninformative."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, 5)) * [1, 2, 0.5, 1, 1]
    Z = X[:, :3] @ rng.standard_normal((3, classes)) + rng.gumbel(size=(n, classes))
    return X, Z.argmax(axis=1)


def fitter(**params):
    def fit(X, y, w=None):
        return LogisticRegression(**{"strength": 0.08, "tol": 1e-11} | params).fit(X, y, w)

    return fit


@each("copies", [1, 8, 9, 50])
@each("intercept", [True, False])
@each("loss", ["logistic", "squared_hinge"])
def test_copies_of_a_feature_change_no_minimum(loss, intercept, copies):
    """Their slopes are equal. From nine on none of them joined: W = 0, or an error."""
    x, y = np.array([[1.0, 2, 3, 5, -1, 0, 2, 4]]).T, np.array([0, 1, 0, 1, 0, 0, 1, 1])
    options = {"penalty": "l1", "strength": 0.02, "fit_intercept": intercept, "tol": 1e-9}
    fits = [LinearClassifier(loss=loss, **options).fit(np.tile(x, (1, k)), y) for k in (1, copies)]
    one, many = fits
    assert many.status_ == "converged"
    assert_allclose(many.objective_, one.objective_, rtol=1e-8)
    assert_allclose(many.coef_.sum(), one.coef_.sum(), rtol=1e-4)


@each("n", [30, 400])
@each("sparse_rows", [False, True])
def test_a_wide_lasso_is_found_from_few_columns_of_its_gram_matrix(n, sparse_rows):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 600)) * (rng.uniform(size=(n, 600)) < 0.3)
    y = X[:, :5] @ [3, -2, 2, 1, -1] + 0.1 * rng.standard_normal(n) + 4
    X = sparse.csr_array(X) if sparse_rows else X
    for model in (Lasso(strength=0.05), ElasticNet(strength=0.05, l1_ratio=0.7)):
        one = model.set_params(tol=1e-10).fit(X, y)
        other = type(model)(**model.get_params() | {"solver": "proximal_gradient"}).fit(X, y)
        assert one.certificate_ <= 1e-10
        assert_allclose(one.objective_, other.objective_, rtol=1e-9)
        assert 5 <= np.count_nonzero(one.coef_) < 200


def test_a_penalty_may_bring_its_options_or_be_ready_made():
    X, y = data(2)
    named = LogisticRegression(penalty="elastic_net", l1_ratio=0.2, strength=0.1).fit(X, y)
    for penalty in ({"elastic_net": {"l1_ratio": 0.2}}, Net(0.2)):
        model = LogisticRegression(penalty=penalty, strength=0.1).fit(X, y)
        assert (model.coef_ == named.coef_).all()
    assert (LogisticRegression(penalty=L1(), strength=0.1).fit(X, y).coef_ == 0).any()


def off_the_optimum(model, X, y, l1_ratio):
    """How far slopes are from where they must be at the minimum, in strengths."""
    w = model.coef_
    slopes = X.T @ (y - X @ w - model.intercept_) / len(y) / model.strength - (1 - l1_ratio) * w
    kink = np.where(w != 0, np.abs(slopes - l1_ratio * np.sign(w)), np.abs(slopes) - l1_ratio)
    return float(kink.max())


@each(("n", "d"), [(3, 4), (20, 25), (100, 120), (700, 510)])
def test_every_feature_may_end_in_the_support(n, d):
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d)
    for strength, l1_ratio in [(1e-2, 0.01), (1e-3, 0.1)]:
        model = ElasticNet(strength=strength, l1_ratio=l1_ratio, tol=1e-10).fit(X, y)
        assert model.status_ == "converged"
        assert off_the_optimum(model, X, y, l1_ratio) < 1e-3
    for model in Lasso().path(X, y, np.logspace(0, -3, 7)):
        assert model.status_ == "converged"
        assert off_the_optimum(model, X, y, 1.0) < 1e-2


@each("seed", range(10, 14))
def test_a_long_walk_through_dependent_features_ends_at_the_optimum(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(40, 60))
    X = rng.standard_normal((4 * d, 3)) @ rng.standard_normal((3, d))
    X += 0.1 * rng.standard_normal(X.shape)
    y = X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(4 * d)
    path = Lasso(solver="homotopy").path(X, y, np.logspace(-6, 1, 40))
    assert set(path.status_) == {"converged"}
    assert max(off_the_optimum(model, X, y, 1.0) for model in path) < 1e-2


@each(("far", "weight"), [(1e10, 1e-22), (1e8, 1e-20), (1e6, 1e-12)])
def test_a_distant_row_of_tiny_weight_costs_no_digits(far, weight):
    """With or without it the optimum is the same to far² · weight, but for rounding."""
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((100, 3)), np.ones(100)
    X[0], w[0] = far, weight
    y = X[:, 0] + rng.standard_normal(100)
    y[0] = 0
    model = Lasso(strength=0.1).fit(X, y, sample_weight=w)
    without = Lasso(strength=0.1).fit(X[1:], y[1:])
    assert model.status_ == "converged"
    r = y - X @ model.coef_ - model.intercept_
    value = 0.5 * (w @ r**2) / w.sum() + 0.1 * np.abs(model.coef_).sum()
    assert_allclose(model.objective_, value, rtol=1e-6)
    assert_allclose(model.coef_, without.coef_, atol=5 * far**2 * weight + 1e-6)


@each("loss", ["logistic", "squared", "squared_hinge"])
@each("penalty", ["l1", "l2", "elastic_net"])
def test_features_without_a_penalty_are_fitted_as_the_intercept_is(loss, penalty):
    """A constant feature of factor 0 is the intercept."""
    X, y = data(2)
    options = {"loss": loss, "strength": 0.05, "tol": 1e-11}
    named = LinearClassifier(penalty=penalty, **options).fit(X, y)
    free = {penalty: {"factors": [1.0] * 5 + [0.0]}}
    rows = np.column_stack([X, np.ones(len(X))])
    for some in (rows, sparse.csr_array(rows)):
        model = LinearClassifier(penalty=free, fit_intercept=False, **options).fit(some, y)
        assert model.status_ == "converged"
        assert model.certificate_kind_ == "duality_gap"
        assert_allclose(model.coef_[0], np.append(named.coef_, named.intercept_), atol=1e-5)
        assert_allclose(model.objective_, named.objective_, rtol=1e-10)
