"""Every answer on separability has a proof, and the linear program gives the same answer."""

import numpy as np
import pytest
from cases import each
from scipy import sparse

import linclass as L
from linclass import HoKashyap, separability
from linclass.separation.zero_one_classifier import ZeroOneClassifier

KINDS = ["gaussian", "grid", "twin feature", "constant feature", "repeated rows", "on a plane"]


def problem(kind, seed):
    """Small rows, on a grid so that ties are exact, at about even odds of each answer."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 7))
    X = rng.integers(-2, 3, (n, d)).astype(float)
    if kind == "gaussian":
        X = rng.standard_normal((n, d))
    noise = rng.choice([0, 0, 0.5]) * rng.standard_normal(n)
    y = (X @ rng.standard_normal(d) + noise > rng.choice([0, 0.1])).astype(int)
    if kind == "twin feature":
        X = np.column_stack([X, X[:, 0]])
    elif kind == "constant feature":
        X = np.column_stack([X, np.full(n, 0.1)])
    elif kind == "repeated rows":
        X, y = np.vstack([X, X[:3]]), np.r_[y, 1 - y[:3]]
    elif kind == "on a plane":
        X = X @ rng.integers(-1, 2, (d, d + 2))
    y[0], y[-1] = 0, 1
    return X, y


@each("overlap", [False, True])
@each("rows", [4, 20_000])
@each("value", [1.0, 0.0015, -7.3, 1e-300, 1e150])
def test_neighbouring_floats_of_one_feature_are_separable_unless_they_overlap(value, rows, overlap):
    """No float lies between them, so w = 1 has no intercept; 20,000 rows are too many for integers."""
    above = np.nextafter(value, np.inf)
    size = abs(value) * np.arange(1, rows // 2)
    X = np.r_[value - size, value, above, above + size][:, None]
    y = np.repeat([0, 1], rows // 2)
    if overlap:
        y[rows // 2 - 1 : rows // 2 + 1] = 1, 0
    for labels in (y, 1 - y):
        found = separability(X, labels)
        assert found.kind == ("none" if overlap else "complete")
        assert found.holds(X, labels)
        if overlap:
            assert (found.multipliers > 0).all()
        else:
            assert found.margin == pytest.approx((above - value) / 2, rel=1)
    assert separability(sparse.csr_array(X), y).kind == found.kind


def test_a_row_of_zeros_does_not_change_a_fit_to_rows_of_very_different_lengths():
    """Scores of 1 and 10¹³ are Z w ≥ 1, but 1 is rounding beside 10¹³: no λ is left then, and w is proved."""
    X, y = np.array([[0.0], [-1e-13], [-2.0]]), np.array([1, 0, 0])
    found = separability(X, y, "none")
    assert found.kind == "quasi-complete"
    assert found.holds(X, y)
    rows = np.array([2 - 1e-13, -1 + 1e-13, -1e-13, -2, -2, -2 - 1e-13, 0])[:, None]
    fewest = ZeroOneClassifier(fit_intercept=False).fit(rows, [0, 0, 0, 0, 0, 0, 1])
    assert (fewest.n_errors_, fewest.exact_) == (2, True)  # w = 1: the first row, and the zero


@each("intercept", ["none", "free"])
@each("kind", KINDS, quick=3)
def test_newton_and_the_linear_program_agree_with_proofs(kind, intercept):
    kinds = set()
    for seed in range(60):
        X, y = problem(kind, seed)
        fast = separability(X, y, intercept)
        slow = separability(X, y, intercept, method="linear_program")
        assert fast.kind == slow.kind, seed
        assert fast.holds(X, y), seed
        assert slow.holds(X, y), seed
        kinds.add(fast.kind)
    assert len(kinds) > 1


@each("kind", KINDS)
def test_separability_of_sparse_moved_and_stretched_rows(kind):
    """The definitions, in plain NumPy: signs of scores, and points of both hulls that coincide."""
    for seed in range(30):
        X, y = problem(kind, seed)
        found, thin = separability(X, y), sparse.csr_array(X)
        assert separability(thin, y).kind == found.kind
        assert separability(thin, y).holds(thin, y)
        if seed < 20:
            stretched = X * 10.0 ** np.arange(X.shape[1])
            assert separability(1000 + stretched, y).kind == found.kind
            of_none = (separability(Z, y, "none").kind for Z in (stretched, X))
            assert len({*of_none}) == 1
        if found.kind != "none":
            z = (2 * y - 1) * (X @ found.weights + found.intercept)
            assert z.min() > (0 if found.separable else -1e-9 * z.max())
            assert z.max() > 0
        if found.separable:
            assert found.margin == pytest.approx(z.min() / np.linalg.norm(found.weights))
            assert not found.multipliers.any()
        else:
            own, other = found.multipliers * y, found.multipliers * (1 - y)
            assert (found.multipliers >= 0).all()
            np.testing.assert_allclose([own.sum(), other.sum()], 1, atol=1e-9)
            np.testing.assert_allclose(own @ X, other @ X, atol=1e-9)
            assert found.margin == 0
            assert found.multipliers.all() or found.kind != "none"


def test_quasi_complete_separation_reports_which_rows_lie_on_the_hyperplane():
    """Overlap on the plane x₂ = 0, and one class alone above it."""
    x = np.array([0.0, 1.0, 2.0, 3.0])
    X = np.column_stack([np.r_[x, 1.0, 2.0], np.r_[np.zeros(4), 1.0, 2.0]])
    y = np.array([0, 1, 0, 1, 1, 1])
    found = separability(X, y)
    assert found.kind == "quasi-complete"
    assert np.array_equal(found.multipliers > 0, [True] * 4 + [False] * 2)
    z = X @ found.weights + found.intercept
    np.testing.assert_allclose(z[:4], 0, atol=1e-12)
    assert (z[4:] > 0.1 * np.abs(z).max()).all()


def assert_proved(X, y, kind):
    found = separability(X, y)
    assert found.kind == kind
    assert found.holds(X, y)
    return found


def test_separability_of_many_rows_is_decided_by_few_and_checked_by_all():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30_000, 20))
    w = rng.standard_normal(20)
    clear = np.abs(X @ w - 0.3) > 0.01
    X, y = X[clear], (X[clear] @ w > 0.3).astype(int)
    assert_proved(X, y, "complete")
    y[17] = 1 - y[17]
    assert_proved(X, y, "none")
    wide = np.column_stack([X, X[:, 3] - X[:, 5], y * (np.arange(len(y)) % 7 == 0)])
    assert_proved(wide, y, "quasi-complete")


def test_wide_sparse_rows_touching_in_one_place_are_quasi_complete():
    """More features than rows: all is separable but for one row that is there in both classes."""
    rng = np.random.default_rng(2)
    X = sparse.random_array((300, 2000), density=0.02, format="csr", rng=rng)
    y = rng.integers(0, 2, 300)
    assert_proved(X, y, "complete")
    both, y = sparse.csr_array(sparse.vstack([X, X[:1]])), np.r_[y, 1 - y[0]]
    found = assert_proved(both, y, "quasi-complete")
    assert np.array_equal(np.flatnonzero(found.multipliers), [0, 300])


def test_every_pair_of_three_classes_is_answered():
    X = np.array([[0.0], [1.0], [2.0], [2.0], [3.0], [4.0]])
    y = np.array(["a", "a", "b", "c", "c", "b"])
    found = separability(X, y)
    assert {pair: s.kind for pair, s in found.items()} == {
        ("a", "b"): "complete",
        ("a", "c"): "complete",
        ("b", "c"): "none",
    }
    own = y != "c"
    assert found["a", "b"].holds(X[own], y[own])


@each(("loss", "word"), [
    ("exponential", "loss has no minimum"), ("probit", "likelihood has no maximum"),
])  # fmt: skip
def test_losses_that_only_tend_to_zero_have_no_minimum_on_separable_rows(loss, word):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((12, int(rng.integers(1, 8)))), np.arange(12) % 2
        models = [L.LinearClassifier(loss=name, penalty=None) for name in (loss, "logistic")]
        one, other = (model.fit(X, y) for model in models)
        assert one.status_ == other.status_ in ("separable", "converged")
        if one.status_ == "separable":
            z = X @ one.separating_direction_ + one.separating_intercept_
            assert (np.where(y, 1, -1) * z).min() >= -1e-9
            assert word in one.reason_


# The Ho–Kashyap procedure: its result on separability is proved, and agrees with `separability`

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rows(seed, apart, n=60):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + apart * y[:, None] + 50, y


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("apart", [0.3, 1.0, 2.0, 4.0])
@each("seed", range(4))
def test_ho_kashyap_reports_separability_correctly(seed, apart, kind):
    X, y = rows(seed, apart)
    model = HoKashyap(max_iter=20_000).fit(kind(X), y)
    truth = separability(X, y)
    (output,) = model.separable_
    assert output is not None
    assert output == truth.separable
    assert (model.status_, model.score(X, y) == 1) == ("converged", output)
    multipliers = model.multipliers_[0]
    assert multipliers.any() != output
    if not output:  # a convex combination of each class, and they are the same point
        for k in (0, 1):
            assert multipliers[y == k].sum() == pytest.approx(0.5, abs=1e-9)
        assert (multipliers >= 0).all()
        first, second = (2 * multipliers[y == k] @ X[y == k] for k in (0, 1))
        np.testing.assert_allclose(first, second, atol=1e-9)


def test_touching_and_crossing_classes_are_proved_inseparable_one_by_one():
    """Quasi-complete separation: one point has both classes. On a line the middle class cannot be separated from the
    others.
    """
    model = HoKashyap().fit(np.array([[0.0], [1], [1], [2]]), [0, 0, 1, 1])
    assert model.separable_ == [False]
    assert np.flatnonzero(model.multipliers_[0]).tolist() == [1, 2]
    model = HoKashyap().fit(np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1])
    assert model.separable_ == [False]
    np.testing.assert_allclose(model.multipliers_, 0.25)
    X, y = np.array([[0.0], [1], [5], [6], [10], [11]]), np.array([0, 0, 1, 1, 2, 2])
    model = HoKashyap(max_iter=20_000).fit(X, y)
    assert model.separable_ == [True, False, True]
    margins = np.where(y[:, None] == [0, 2], 1, -1) * model.decision_function(X)[:, [0, 2]]
    assert margins.min() > 0


def test_the_first_step_is_least_squares_on_signs():
    X, y = rows(1, 0.3)
    first = HoKashyap(max_iter=1).fit(X, y)
    other = L.LeastSquaresClassifier().fit(X, y)
    assert np.array_equal(first.predict(X), other.predict(X))


def test_the_order_of_rows_does_not_matter_to_dependent_features():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y, order = rng.integers(0, 2, (8, 25)) * 1.0, np.arange(8) % 2, rng.permutation(8)
        new = rng.standard_normal((5, 25))
        one, other = HoKashyap().fit(X, y), HoKashyap().fit(X[order], y[order])
        Z = other.decision_function(new)
        np.testing.assert_allclose(one.decision_function(new), Z, rtol=1e-6, atol=1e-8)
