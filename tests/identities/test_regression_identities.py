"""The Dantzig selector, least angle regression, forward stagewise and partial least squares against definitions."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.cross_decomposition import PLSRegression
from sklearn.metrics import r2_score

import linclass as L
from linclass.linear.dantzig_selector import Limits

N = 60
W = np.random.default_rng(9).uniform(0.5, 2, N)


def numbers(d=6, seed=0, m=None):
    """Features so correlated that of a lasso's path some leave, for seeds below 4; y, or a table of m targets."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, d)) @ (1.5 * np.eye(d) + rng.standard_normal((d, d)))
    Y = X @ rng.standard_normal((d, m or 1)) + 3 * rng.standard_normal((N, m or 1))
    return X + 5, Y if m else Y[:, 0]


def moments(X, y, w=W, intercept=True):
    """(G, c) of columns that are centred, if there is an intercept."""
    w = w / w.sum()
    if intercept:
        X, y = X - w @ X, y - w @ y
    return X.T @ (w[:, None] * X), X.T @ (w * y)


REGRESSORS = [
    L.DantzigSelector(strength=0.1), L.LeastAngleRegression(), L.LeastAngleRegression(lasso=True), L.ForwardStagewise(),
    L.PartialLeastSquares(3),
]  # fmt: skip


@each("form", [np.asarray, sparse.csr_array])
@each("model", REGRESSORS, ids=repr)
def test_rows_and_targets_far_from_0_have_the_coefficients_of_centred_ones(model, form):
    """X + c and y + c are exact. Once all covariances were taken for rounding: weights 0, with a certificate of 0."""
    X, y = (np.round(256 * part) / 256 for part in numbers())
    X = np.column_stack([X, np.full(N, 0.1)])  # whose covariance is rounding
    near = clone(model).fit(X, y)
    far = clone(model).fit(form(X + np.r_[np.full(6, 2.0**20), 1e6]), y + 2.0**27)
    assert far.status_ == "converged"
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    assert far.coef_[-1] == near.coef_[-1] == 0


@each("model", REGRESSORS, ids=repr)
def test_constant_features_or_a_constant_target_give_zero_weights(model):
    X, y = numbers()
    for constant in (0.1, 1e5):
        for rows, target in [(np.full((N, 3), constant), y), (X, np.full(N, constant))]:
            alone = clone(model).fit(rows, target, W)
            assert (alone.status_, alone.coef_.any()) == ("converged", False)
            assert_allclose(alone.predict(rows), np.average(target, weights=W), rtol=1e-12)


@each("model", REGRESSORS[:3], ids=repr)
def test_copies_of_features_change_no_prediction(model):
    X, y = numbers()
    twice = np.column_stack([X, X[:, :2]])
    one, other = clone(model).fit(X, y), clone(model).fit(twice, y)
    assert_allclose(other.predict(twice), one.predict(X), rtol=1e-8)


# The Dantzig selector


def plain(G, c, strength):
    """min Σ (w⁺ + w⁻) subject to −strength ≤ c − G(w⁺ − w⁻) ≤ strength."""
    limits = np.concatenate([c + strength, strength - c])
    return linprog(np.ones(2 * len(c)), A_ub=np.block([[G, -G], [-G, G]]), b_ub=limits)


@each("intercept", [True, False])
@each("d", [6, 80])
def test_the_dantzig_selector_is_its_linear_program(d, intercept):
    X, y = numbers(d)
    G, c = moments(X, y, intercept=intercept)
    for share in (1.0, 0.5, 0.1, 0.01):  # of the largest strength
        strength = share * np.abs(c).max()
        model = L.DantzigSelector(strength=strength, fit_intercept=intercept).fit(X, y, W)
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
        model = L.DantzigSelector(strength=strength).fit(X, y, W)
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
        model = L.DantzigSelector(strength=factor * largest).fit(X, y, W)
        assert not model.coef_.any()
        assert (model.certificate_, model.n_iter_) == (0, 0)
        assert model.intercept_ == pytest.approx(np.average(y, weights=W))
    assert np.count_nonzero(L.DantzigSelector(strength=0.999 * largest).fit(X, y, W).coef_) == 1


def test_the_dantzig_selector_at_strength_zero_is_minimum_l1_least_squares():
    X, y = numbers()
    assert_allclose(
        L.DantzigSelector(strength=0).fit(X, y, W).coef_,
        L.LinearRegression().fit(X, y, W).coef_,
        rtol=1e-6,
    )
    X, y = numbers(90)
    model = L.DantzigSelector(strength=0).fit(X, y, W)
    assert_allclose(model.predict(X), y, atol=1e-6)
    through = np.hstack([X - W @ X / W.sum(), W @ X / W.sum() - X])
    least = linprog(np.ones(180), A_eq=through, b_eq=y - W @ y / W.sum())
    assert model.objective_ == pytest.approx(least.fun, rel=1e-6)


def test_a_path_is_the_fits_one_by_one():
    X, y = numbers(80)
    strengths = [0.3, 1.5, 0.6]
    path = L.DantzigSelector().path(X, y, strengths, W)
    assert path.strengths.tolist() == strengths
    for model in path:
        alone = L.DantzigSelector(strength=model.strength).fit(X, y, W)
        assert_allclose(model.objective_, alone.objective_, rtol=1e-9)
        assert_allclose(model.predict(X), alone.predict(X), rtol=1e-6)
        assert model.status_ == "converged"
    with pytest.raises(ValueError, match="on a path every strength is finite and above 0"):
        L.DantzigSelector().path(X, y, [0.0])


def test_strengths_of_the_dantzig_selector_are_those_of_the_lasso():
    X, y = numbers()
    tuned = L.TunedRegressor(L.DantzigSelector(), strengths=6, cv=3).fit(X, y)
    lasso = L.TunedRegressor(L.Lasso(), strengths=6, cv=3).fit(X, y)
    assert_allclose(tuned.path_.strengths, lasso.path_.strengths)
    assert not tuned.path_[0].coef_.any()
    best = tuned.strength_
    assert tuned.set_params(rule="one_standard_error").fit(X, y).strength_ >= best
    with pytest.raises(ValueError, match="rule is 'bic', which needs a likelihood"):
        L.TunedRegressor(L.DantzigSelector(), rule="bic").fit(X, y)


def test_a_linear_program_without_a_solution_is_not_a_converged_fit(monkeypatch):
    X, y = numbers()
    ended = SimpleNamespace(x=None, nit=3, status=1)
    monkeypatch.setattr(Limits, "_program", lambda *_: ended)
    with pytest.warns(match="HiGHS gave up"):
        model = L.DantzigSelector(strength=0.1).fit(X, y)
    assert model.status_ == "max_iter"
    assert model.certificate_ > 0.1


# Least angle regression


@each("lasso", [False, True])
@each("seed", range(4))
def test_at_every_knot_the_covariances_of_what_joined_are_equal(seed, lasso):
    X, y = numbers(seed=seed)
    model = L.LeastAngleRegression(lasso=lasso).fit(X, y, W)
    joined = set()
    moves = iter(model.moves_)
    assert len(model.moves_) == len(model.knots_) - 1
    assert any(move < 0 for _, move in model.moves_) == lasso
    assert (np.diff(model.knots_) < 0).all()
    for level, coef in zip(model.knots_[:-1], model.coef_path_, strict=False):
        sizes = np.abs(moments(X, y - X @ coef)[1])
        feature, move = next(moves)
        if move > 0:
            joined.add(feature)
        assert_allclose(sizes[list(joined)], level)
        assert (sizes <= level * (1 + 1e-9)).all()
        if move < 0:
            joined.remove(feature)
            assert coef[feature] == pytest.approx(0, abs=1e-12)
    least_squares = L.LinearRegression().fit(X, y, W)
    assert_allclose(model.coef_, least_squares.coef_, rtol=1e-8)
    assert_allclose(model.intercept_, least_squares.intercept_, rtol=1e-8)
    assert model.certificate_ < 1e-9


@each("seed", range(4))
def test_modified_least_angle_regression_is_the_lasso_at_and_between_knots(seed):
    X, y = numbers(seed=seed)
    model = L.LeastAngleRegression(lasso=True).fit(X, y, W)
    middle = np.sqrt(model.knots_[:-2] * model.knots_[1:-1])
    for strength in [*model.knots_[:-1], *middle]:
        lasso = L.Lasso(strength=strength, solver="quadratic_program", tol=1e-14).fit(X, y, W)
        assert_allclose(model.coef_at(strength), lasso.coef_, atol=1e-6)
        alone = L.LeastAngleRegression(lasso=True, strength=strength).fit(X, y, W)
        assert_allclose(alone.coef_, lasso.coef_, atol=1e-6)
        assert_allclose(alone.intercept_, lasso.intercept_, atol=1e-8)
    assert not model.coef_at(2 * model.knots_[0]).any()


@each("lasso", [False, True])
def test_sparse_rows_and_more_features_than_rows(lasso):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 80)) * (rng.random((30, 80)) < 0.4)
    y = X[:, :3].sum(axis=1) + rng.standard_normal(30)
    dense = L.LeastAngleRegression(lasso=lasso).fit(X, y)
    thin = L.LeastAngleRegression(lasso=lasso).fit(sparse.csr_array(X), y)
    assert_allclose(thin.knots_, dense.knots_, atol=1e-9)
    assert_allclose(thin.coef_path_, dense.coef_path_, atol=1e-7)
    assert_allclose(dense.predict(X), y, atol=1e-6)  # at λ = 0
    early = L.LeastAngleRegression(lasso=lasso, n_steps=4).fit(X, y)
    assert_allclose(early.coef_path_, dense.coef_path_[:5])


# forward stagewise


def test_every_step_moves_the_largest_correlation_and_lowers_the_loss():
    X, y = numbers()
    deviation = np.sqrt(np.average((X - np.average(X, axis=0, weights=W)) ** 2, axis=0, weights=W))
    spread = np.sqrt(np.average((y - np.average(y, weights=W)) ** 2, weights=W))
    model = L.ForwardStagewise(learning_rate=0.02).fit(X, y, W)
    assert_allclose(model.learning_rate_, 0.02 * spread / deviation)
    coef, before = np.zeros(6), np.inf
    for k, (feature, sign) in enumerate(zip(model.features_, model.signs_, strict=True)):
        c = moments(X, y - X @ coef)[1] / deviation
        assert abs(c[feature]) == pytest.approx(np.abs(c).max())
        assert sign == np.sign(c[feature])
        r = y - X @ coef
        loss = np.average((r - np.average(r, weights=W)) ** 2, weights=W) / 2
        assert before - loss >= 0.02**2 * spread**2 / 2 * (1 - 1e-9)
        before = loss
        coef = coef + model.learning_rate_ * sign * np.eye(6)[feature]
        assert_allclose(model.coef_after(k + 1), coef, atol=1e-12)
    assert_allclose(model.coef_, coef)
    left = np.abs(moments(X, y - X @ coef)[1]) / deviation
    assert (left <= 0.02 * spread * (1 + 1e-9)).all()
    few = L.ForwardStagewise(learning_rate=0.02, n_steps=10).fit(X, y, W)
    assert_allclose(few.coef_, model.coef_after(10))


@each("lasso", [False, True])
@each("seed", range(3))
def test_no_knot_is_at_the_level_of_rounding(seed, lasso):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 50))
    y = X[:, 0] + rng.standard_normal(20)
    found = L.LeastAngleRegression(lasso=lasso).fit(X, y)
    assert found.knots_[-1] == 0
    assert (found.knots_[:-1] > 1e-12 * found.knots_[0]).all()
    assert_allclose(found.predict(X), y, atol=1e-8)
    assert found.status_ == "converged"


def solved(G, b):
    """Gauss and Jordan's elimination in rational numbers."""
    rows, n = [[*row, value] for row, value in zip(G, b, strict=True)], len(b)
    for i in range(n):
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(n):
            if k != i:
                factor = rows[k][i]
                rows[k] = [a - factor * p for a, p in zip(rows[k], rows[i], strict=True)]
    return [row[n] for row in rows]


@each("condition", [1.0, 1e3, 1e6])
def test_ill_conditioned_features_keep_their_digits(condition):
    """The conditions of the lasso at every knot, and its weights there, in rational numbers."""
    rng = np.random.default_rng(0)
    n, d = 24, 5
    U, V = (np.linalg.qr(rng.standard_normal((m, d)))[0] for m in (n, d))
    X = 5 * U * np.geomspace(1, 1 / condition, d) @ V
    y = X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n)
    model = L.LeastAngleRegression(lasso=True, fit_intercept=False).fit(X, y)
    rows, target = [[Fraction(v) for v in row] for row in X.tolist()], map(Fraction, y.tolist())
    columns, target = list(zip(*rows, strict=True)), list(target)

    def mean(a, b):
        return sum((p * q for p, q in zip(a, b, strict=True)), Fraction()) / n

    G, c = [[mean(a, b) for b in columns] for a in columns], [mean(a, target) for a in columns]
    assert len(model.knots_) > d
    for level, weights in zip(model.knots_.tolist(), model.coef_path_, strict=True):
        w, A = [Fraction(v) for v in weights.tolist()], np.flatnonzero(weights).tolist()
        slopes = [c[j] - sum(g * v for g, v in zip(G[j], w, strict=True)) for j in range(d)]
        off = [slopes[j] - Fraction(level) * int(np.sign(weights[j])) for j in A]
        off += [max(abs(s) - Fraction(level), Fraction()) for s in slopes]
        assert max(map(abs, off)) <= 1e-10 * model.knots_[0]
        signed = [c[j] - Fraction(level) * int(np.sign(weights[j])) for j in A]
        exact = solved([[G[i][j] for j in A] for i in A], signed)
        errors = [abs(v - w[j]) for v, j in zip(exact, A, strict=True)]
        assert max(errors, default=0) <= 1e-14 * condition * max(map(abs, exact), default=0) * 10


@each("d", [2, 5, 8])
@each("seed", range(5))
def test_the_path_of_the_lasso_through_as_many_rows_as_features_ends_in_the_exact_fit(seed, d):
    """Without an intercept; where a feature left all d, the path ended in an error of SciPy."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((d, d)), rng.standard_normal(d)
    model = L.LeastAngleRegression(lasso=True, fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, np.linalg.solve(X, y), rtol=1e-6)


PLS = L.PartialLeastSquares
# Partial least squares


@each("m", [None, 3])
def test_partial_least_squares_are_scikit_learns(m):
    """Whose directions of several targets are those of a power iteration, to its tolerance."""
    X, Y = numbers(m=m)
    for M in (1, 2, 4):
        ours = PLS(M).fit(X, Y)
        theirs = PLSRegression(M, scale=False, tol=1e-15, max_iter=5000).fit(X, Y)
        assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)
        assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), atol=1e-5)
        assert ours.score(X, Y) == pytest.approx(theirs.score(X, Y), abs=1e-6)
        assert_allclose(ours.transform(sparse.csr_array(X)), ours.transform(X), atol=1e-8)


@pytest.mark.filterwarnings("ignore:LinearRegression ended rank_deficient")
@each("d", [30, 90])
def test_the_number_of_components_is_at_most_the_rank(d):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4)) @ rng.standard_normal((4, d)) + 1
    y = rng.standard_normal(N)
    model = PLS(None).fit(X, y)
    assert model.scalings_.shape == (d, 4)
    least_norm = L.LinearRegression().fit(X, y)
    assert_allclose(model.coef_, least_norm.coef_, rtol=1e-8, atol=1e-11)
    assert_allclose(model.predict(X), least_norm.predict(X), rtol=1e-9)


@each("form", [np.asarray, sparse.csr_array])
def test_all_components_through_the_origin_are_least_squares_through_the_origin(form):
    X, y = numbers()
    model = PLS(None, fit_intercept=False).fit(form(X), y, W)
    least_squares = L.LinearRegression(fit_intercept=False).fit(X, y, W)
    assert_allclose(model.coef_, least_squares.coef_, rtol=1e-6)
    assert (model.centre_.any(), model.intercept_) == (False, 0)


@each("constant", [0.1, 1e5])
def test_constant_features_or_targets_leave_the_mean_of_each_target(constant):
    X, Y = numbers(m=2)
    for rows, target in [(np.full((N, 3), constant), Y), (X, np.full((N, 2), constant))]:
        model = PLS().fit(rows, target, W)
        assert (model.transform(rows).shape, model.coef_.any()) == ((N, 0), False)
        mean = np.average(target, axis=0, weights=W)
        assert_allclose(model.predict(rows), np.tile(mean, (N, 1)), rtol=1e-13)


def test_several_targets_have_one_table():
    X, Y = numbers(m=3)
    model = PLS().fit(X, Y)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 6), (3,))
    assert model.loadings_.shape == (2, 3)
    assert model.score(X, Y) == pytest.approx(r2_score(Y, model.predict(X)))
    one, column = PLS().fit(X, Y[:, 0]), PLS().fit(X, Y[:, :1])
    assert_allclose(column.predict(X)[:, 0], one.predict(X), rtol=1e-12)
    words = r"y has shape \(60,\); give the \(60, 3\) that is predicted"
    with pytest.raises(ValueError, match=words):
        model.score(X, Y[:, 0])
    with pytest.raises(ValueError, match="y should be a 1d array, got an array of shape"):
        L.LinearRegression().fit(X, Y)
