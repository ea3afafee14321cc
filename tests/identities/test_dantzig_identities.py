"""The Dantzig selector: its linear program, the dual program, and the lasso, which satisfies its constraints."""

from types import SimpleNamespace

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog

from linclass import DantzigSelector, Lasso, LinearRegression, TunedRegressor
from linclass.linear.dantzig_selector import Limits

N = 60
W = np.random.default_rng(9).uniform(0.5, 2, N)
SHARES = [1.0, 0.5, 0.1, 0.01]  # of the largest strength


def numbers(d=6, seed=0):
    """Features so correlated that the selector is not the lasso."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, d)) @ (1.5 * np.eye(d) + rng.standard_normal((d, d)) / np.sqrt(d))
    return X + 5, X[:, :4].sum(axis=1) + 3 * rng.standard_normal(N)


def moments(X, y, w=W, intercept=True):
    """(G, c) of columns that are centred, if there is an intercept."""
    w = w / w.sum()
    if intercept:
        X, y = X - w @ X, y - w @ y
    return X.T @ (w[:, None] * X), X.T @ (w * y)


def plain(G, c, strength):
    """min Σ (w⁺ + w⁻) subject to −strength ≤ c − G(w⁺ − w⁻) ≤ strength."""
    limits = np.concatenate([c + strength, strength - c])
    return linprog(np.ones(2 * len(c)), A_ub=np.block([[G, -G], [-G, G]]), b_ub=limits)


@each("intercept", [True, False])
@each("d", [6, 80])
def test_the_dantzig_selector_is_its_linear_program(d, intercept):
    X, y = numbers(d)
    G, c = moments(X, y, intercept=intercept)
    for share in SHARES:
        strength = share * np.abs(c).max()
        model = DantzigSelector(strength=strength, fit_intercept=intercept).fit(X, y, W)
        found = plain(G, c, strength)
        assert model.objective_ == pytest.approx(found.fun, rel=1e-8, abs=1e-12)
        assert model.objective_ == pytest.approx(np.abs(model.coef_).sum())
        assert (model.status_, model.certificate_kind_) == ("converged", "duality_gap")
        residual = y - model.predict(X)
        sums = X.T @ (W * residual) / W.sum()
        if intercept:
            assert W @ residual == pytest.approx(0, abs=1e-9)
        assert np.abs(sums).max() <= strength * (1 + 1e-6)
        if d == 6:  # one solution
            up, down = np.split(found.x, 2)
            assert_allclose(model.coef_, up - down, atol=1e-7)


@each("d", [6, 80, 600])
def test_the_gap_is_that_of_the_dual_variables(d):
    X, y = numbers(d)
    G, c = moments(X, y)
    rng = np.random.default_rng(0)
    for share in (0.5, 0.1):
        strength = share * np.abs(c).max()
        model = DantzigSelector(strength=strength).fit(X, y, W)
        u = model.dual_variables_
        assert np.abs(G @ u).max() <= 1 + 1e-9
        bound = c @ u - strength * np.abs(u).sum()
        assert bound == pytest.approx(model.objective_, rel=1e-8)
        assert 0 <= model.certificate_ <= 1e-8
        at_limit = np.abs(c - G @ model.coef_) > strength * (1 - 1e-6)
        assert at_limit[np.abs(u) > 1e-9 * np.abs(u).max()].all()
        for _ in range(5):  # whatever obeys the limits of the dual is a lower bound
            v = u + rng.standard_normal(d) * np.abs(u).max()
            v /= np.abs(G @ v).max()
            assert c @ v - strength * np.abs(v).sum() <= model.objective_ * (1 + 1e-9)


def test_all_weights_are_zero_from_the_largest_strength_of_the_lasso():
    X, y = numbers()
    largest = np.abs(moments(X, y)[1]).max()
    for factor in (1 + 1e-12, 3.0):
        model = DantzigSelector(strength=factor * largest).fit(X, y, W)
        assert not model.coef_.any()
        assert (model.certificate_, model.n_iter_) == (0, 0)
        assert model.intercept_ == pytest.approx(np.average(y, weights=W))
    assert np.count_nonzero(DantzigSelector(strength=0.999 * largest).fit(X, y, W).coef_) == 1


def test_the_dantzig_selector_at_strength_zero_is_minimum_l1_least_squares():
    X, y = numbers()
    assert_allclose(
        DantzigSelector(strength=0).fit(X, y, W).coef_,
        LinearRegression().fit(X, y, W).coef_,
        rtol=1e-6,
    )
    X, y = numbers(90)
    model = DantzigSelector(strength=0).fit(X, y, W)
    assert_allclose(model.predict(X), y, atol=1e-6)
    through = np.hstack([X - W @ X / W.sum(), W @ X / W.sum() - X])
    least = linprog(np.ones(180), A_eq=through, b_eq=y - W @ y / W.sum())
    assert model.objective_ == pytest.approx(least.fun, rel=1e-6)


def test_a_path_is_the_fits_one_by_one():
    X, y = numbers(80)
    strengths = [0.3, 1.5, 0.6]
    path = DantzigSelector().path(X, y, strengths, W)
    assert path.strengths.tolist() == strengths
    for model in path:
        alone = DantzigSelector(strength=model.strength).fit(X, y, W)
        assert_allclose(model.objective_, alone.objective_, rtol=1e-9)
        assert_allclose(model.predict(X), alone.predict(X), rtol=1e-6)
        assert model.status_ == "converged"
    with pytest.raises(ValueError, match="on a path every strength is finite and above 0"):
        DantzigSelector().path(X, y, [0.0])


def test_strengths_of_the_dantzig_selector_are_those_of_the_lasso():
    X, y = numbers()
    tuned = TunedRegressor(DantzigSelector(), strengths=6, cv=3).fit(X, y)
    lasso = TunedRegressor(Lasso(), strengths=6, cv=3).fit(X, y)
    assert_allclose(tuned.path_.strengths, lasso.path_.strengths)
    assert not tuned.path_[0].coef_.any()
    best = tuned.strength_
    assert tuned.set_params(rule="one_standard_error").fit(X, y).strength_ >= best
    with pytest.raises(ValueError, match="rule is 'bic', which needs a likelihood"):
        TunedRegressor(DantzigSelector(), rule="bic").fit(X, y)


@each("form", [np.asarray, sparse.csr_array])
def test_a_feature_far_from_zero_is_as_the_centred_one(form):
    X, y = numbers()
    X[:, 3] = np.round(16 * X[:, 3])  # whole numbers: the shift rounds nothing
    far = X + 1e6 * (np.arange(6) == 3)
    near, moved = (DantzigSelector(strength=0.1).fit(form(Z), y) for Z in (X, far))
    assert moved.coef_[3] != 0
    assert_allclose(moved.coef_, near.coef_, rtol=1e-6)


def test_copies_and_constant_features_change_no_prediction():
    X, y = numbers()
    more = np.column_stack([X, X[:, :2], np.full(N, 1e6)])
    one, other = DantzigSelector(strength=0.1).fit(X, y), DantzigSelector(strength=0.1).fit(more, y)
    assert_allclose(other.predict(more), one.predict(X), rtol=1e-8)
    assert other.coef_[-1] == 0
    for rows, target in [(np.full((N, 2), 0.1), y), (X, np.full(N, 0.1))]:
        alone = DantzigSelector(strength=0).fit(rows, target, W)
        assert (alone.status_, alone.coef_.any()) == ("converged", False)
        assert_allclose(alone.predict(rows), np.average(target, weights=W), rtol=1e-12)


def test_a_linear_program_without_a_solution_is_not_a_converged_fit(monkeypatch):
    X, y = numbers()
    ended = SimpleNamespace(x=None, nit=3, status=1)
    monkeypatch.setattr(Limits, "_program", lambda *_: ended)
    with pytest.warns(match="HiGHS gave up"):
        model = DantzigSelector(strength=0.1).fit(X, y)
    assert model.status_ == "max_iter"
    assert model.certificate_ > 0.1
