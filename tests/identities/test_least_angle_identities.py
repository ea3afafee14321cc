"""Least angle regression and forward stagewise: equal covariances, the lasso between, least squares at the end."""

from fractions import Fraction

import numpy as np
import pytest
from cases import each
from numpy.testing import assert_allclose
from scipy import sparse

from linclass import ForwardStagewise, Lasso, LeastAngleRegression, LinearRegression

W = np.random.default_rng(9).uniform(0.5, 2, 60)


def numbers(seed=0, d=6):
    """Features so correlated that on the lasso's path some leave, for seeds below 4 (which is asserted below)."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, d)) @ (1.5 * np.eye(d) + rng.standard_normal((d, d))) + 5
    return X, X @ rng.standard_normal(d) + 3 * rng.standard_normal(60)


def diabetes():
    """Efron et al.'s data, columns of mean 0 and length 1."""
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    return X, y


def covariances(X, y, w, coef):
    """x_jᵀ W r of centred columns, with the best intercept."""
    Xc, r = X - np.average(X, axis=0, weights=w), y - X @ coef
    return Xc.T @ (w / w.sum() * (r - np.average(r, weights=w)))


@each("lasso", [False, True])
@each("seed", range(4))
def test_at_every_knot_the_covariances_of_what_joined_are_equal(seed, lasso):
    X, y = numbers(seed)
    model = LeastAngleRegression(lasso=lasso).fit(X, y, W)
    joined = set()
    moves = iter(model.moves_)
    assert len(model.moves_) == len(model.knots_) - 1
    assert any(move < 0 for _, move in model.moves_) == lasso
    assert (np.diff(model.knots_) < 0).all()
    for level, coef in zip(model.knots_[:-1], model.coef_path_, strict=False):
        sizes = np.abs(covariances(X, y, W, coef))
        feature, move = next(moves)
        if move > 0:
            joined.add(feature)
        assert_allclose(sizes[list(joined)], level)
        assert (sizes <= level * (1 + 1e-9)).all()
        if move < 0:
            joined.remove(feature)
            assert coef[feature] == pytest.approx(0, abs=1e-12)
    least_squares = LinearRegression().fit(X, y, W)
    assert_allclose(model.coef_, least_squares.coef_, rtol=1e-8)
    assert_allclose(model.intercept_, least_squares.intercept_, rtol=1e-8)
    assert model.certificate_ < 1e-9


@each("seed", range(4))
def test_modified_least_angle_regression_is_the_lasso_at_and_between_knots(seed):
    X, y = numbers(seed)
    model = LeastAngleRegression(lasso=True).fit(X, y, W)
    middle = np.sqrt(model.knots_[:-2] * model.knots_[1:-1])
    for strength in [*model.knots_[:-1], *middle]:
        lasso = Lasso(strength=strength, solver="quadratic_program", tol=1e-14).fit(X, y, W)
        assert_allclose(model.coef_at(strength), lasso.coef_, atol=1e-6)
        alone = LeastAngleRegression(lasso=True, strength=strength).fit(X, y, W)
        assert_allclose(alone.coef_, lasso.coef_, atol=1e-6)
        assert_allclose(alone.intercept_, lasso.intercept_, atol=1e-8)
    assert not model.coef_at(2 * model.knots_[0]).any()


def test_entries_exits_and_knots_match_the_published_ones():
    """The sequence that R's package lars prints for lars(diabetes$x, diabetes$y), and C of scikit-learn's example
    "Lasso path using LARS" (0.5), whose data were rounded to four digits."""
    X, y = diabetes()
    model = LeastAngleRegression(lasso=True).fit(X, y)
    moves = [(feature + 1) * sign for feature, sign in model.moves_]
    assert moves == [3, 9, 4, 7, 2, 10, 5, 8, 6, 1, -7, 7]
    assert round(model.score(X, y), 3) == 0.518
    printed = [
        949.435260384, 889.315990735, 452.900968908, 316.074052698, 130.130851302, 88.7824298155,
    ]  # fmt: skip
    printed += [
        68.9652212024, 19.9812546781, 5.47747294605, 5.0891788056, 2.18224972883, 1.31043524851,
    ]  # fmt: skip
    assert_allclose(len(y) * model.knots_[:-1], printed, rtol=2e-4)


@each("lasso", [False, True])
def test_sparse_rows_and_more_features_than_rows(lasso):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 80)) * (rng.random((30, 80)) < 0.4)
    y = X[:, :3].sum(axis=1) + rng.standard_normal(30)
    dense = LeastAngleRegression(lasso=lasso).fit(X, y)
    thin = LeastAngleRegression(lasso=lasso).fit(sparse.csr_array(X), y)
    assert_allclose(thin.knots_, dense.knots_, atol=1e-9)
    assert_allclose(thin.coef_path_, dense.coef_path_, atol=1e-7)
    assert_allclose(dense.predict(X), y, atol=1e-6)  # at λ = 0
    early = LeastAngleRegression(lasso=lasso, n_steps=4).fit(X, y)
    assert_allclose(early.coef_path_, dense.coef_path_[:5])


def test_a_copy_of_a_feature_joins_only_once():
    X, y = numbers()
    model = LeastAngleRegression().fit(np.hstack([X, X[:, :2]]), y)
    assert_allclose(
        model.predict(np.hstack([X, X[:, :2]])), LinearRegression().fit(X, y).predict(X)
    )


# forward stagewise


def test_every_step_moves_the_largest_correlation_and_lowers_the_loss():
    X, y = numbers()
    deviation = np.sqrt(np.average((X - np.average(X, axis=0, weights=W)) ** 2, axis=0, weights=W))
    spread = np.sqrt(np.average((y - np.average(y, weights=W)) ** 2, weights=W))
    model = ForwardStagewise(learning_rate=0.02).fit(X, y, W)
    assert_allclose(model.learning_rate_, 0.02 * spread / deviation)
    coef, before = np.zeros(6), np.inf
    for k, (feature, sign) in enumerate(zip(model.features_, model.signs_, strict=True)):
        c = covariances(X, y, W, coef) / deviation
        assert abs(c[feature]) == pytest.approx(np.abs(c).max())
        assert sign == np.sign(c[feature])
        r = y - X @ coef
        loss = np.average((r - np.average(r, weights=W)) ** 2, weights=W) / 2
        assert before - loss >= 0.02**2 * spread**2 / 2 * (1 - 1e-9)
        before = loss
        coef = coef + model.learning_rate_ * sign * np.eye(6)[feature]
        assert_allclose(model.coef_after(k + 1), coef, atol=1e-12)
    assert_allclose(model.coef_, coef)
    left = np.abs(covariances(X, y, W, coef)) / deviation
    assert (left <= 0.02 * spread * (1 + 1e-9)).all()
    few = ForwardStagewise(learning_rate=0.02, n_steps=10).fit(X, y, W)
    assert_allclose(few.coef_, model.coef_after(10))


def test_constant_features_or_a_constant_target_give_zero_weights():
    X, y = numbers()
    assert ForwardStagewise().fit(X, np.full(60, 0.1)).n_iter_ == 0
    assert ForwardStagewise().fit(np.full((60, 2), 0.1), y).n_iter_ == 0
    with_one = np.column_stack([X, np.full(60, 1e6)])
    assert np.array_equal(
        ForwardStagewise().fit(with_one, y).features_, ForwardStagewise().fit(X, y).features_
    )


def test_the_steps_of_a_path_are_those_that_were_made():
    X, y = numbers()
    made = ForwardStagewise(n_steps=9).fit(X, y)
    assert_allclose(made.coef_after(9), made.coef_)
    for wrong in (-1, 10, 2.5):
        with pytest.raises(
            ValueError, match=f"steps is {wrong}; it must be a whole number from 0 to 9"
        ):
            made.coef_after(wrong)


@each("lasso", [False, True])
@each("seed", range(3))
def test_no_knot_is_at_the_level_of_rounding(seed, lasso):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((20, 50))
    y = X[:, 0] + rng.standard_normal(20)
    found = LeastAngleRegression(lasso=lasso).fit(X, y)
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
    U, V = (
        np.linalg.qr(rng.standard_normal((n, d)))[0],
        np.linalg.qr(rng.standard_normal((d, d)))[0],
    )
    X = 5 * U * np.geomspace(1, 1 / condition, d) @ V
    y = X @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n)
    model = LeastAngleRegression(lasso=True, fit_intercept=False).fit(X, y)
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


@each("make", [np.asarray, sparse.csr_array])
def test_rows_and_targets_far_from_0_have_the_path_of_centred_ones(make):
    """X + c and y + c are exact. Once all covariances were taken for rounding: weights 0, with a certificate of 0."""
    X, y = (np.round(256 * part) / 256 for part in numbers())
    X = np.column_stack([X, np.full(60, 0.1)])  # whose covariance is rounding
    near = LeastAngleRegression().fit(X, y)
    far = LeastAngleRegression().fit(make(X + np.r_[np.full(6, 2.0**20), 1e6]), y + 2.0**27)
    assert far.status_ == "converged"
    assert_allclose(far.coef_, near.coef_, rtol=1e-6)
    assert far.coef_[-1] == near.coef_[-1] == 0


@each("d", [2, 5, 8])
@each("seed", range(5))
def test_the_path_of_the_lasso_through_as_many_rows_as_features_ends_in_the_exact_fit(seed, d):
    """Without an intercept; where a feature left all d, the path ended in an error of SciPy."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((d, d)), rng.standard_normal(d)
    model = LeastAngleRegression(lasso=True, fit_intercept=False).fit(X, y)
    assert_allclose(model.coef_, np.linalg.solve(X, y), rtol=1e-6)
