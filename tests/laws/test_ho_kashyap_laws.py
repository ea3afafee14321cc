"""Laws of the Ho–Kashyap procedure: its result on separability is proved, and agrees with `separability`."""

import numpy as np
import pytest
from cases import each
from scipy import sparse

from linclass import HoKashyap, LeastSquaresClassifier, separability

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
    X = np.array([[0.0], [1], [1], [2]])
    model = HoKashyap().fit(X, [0, 0, 1, 1])
    assert model.separable_ == [False]
    assert np.flatnonzero(model.multipliers_[0]).tolist() == [1, 2]
    corners = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]])
    model = HoKashyap().fit(corners, [0, 0, 1, 1])
    assert model.separable_ == [False]
    np.testing.assert_allclose(model.multipliers_, 0.25)
    X = np.array([[0.0], [1], [5], [6], [10], [11]])
    y = np.array([0, 0, 1, 1, 2, 2])
    model = HoKashyap(max_iter=20_000).fit(X, y)
    assert model.separable_ == [True, False, True]
    for k in (0, 2):
        z = np.where(y == k, 1, -1) * model.decision_function(X)[:, k]
        assert z.min() > 0


def test_the_first_step_is_least_squares_on_signs():
    X, y = rows(1, 0.3)
    first = HoKashyap(max_iter=1).fit(X, y)
    other = LeastSquaresClassifier().fit(X, y)
    assert np.array_equal(first.predict(X), other.predict(X))


def test_the_order_of_rows_does_not_matter_to_dependent_features():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X, y, order = rng.integers(0, 2, (8, 25)) * 1.0, np.arange(8) % 2, rng.permutation(8)
        new = rng.standard_normal((5, 25))
        one, other = HoKashyap().fit(X, y), HoKashyap().fit(X[order], y[order])
        Z = other.decision_function(new)
        np.testing.assert_allclose(one.decision_function(new), Z, rtol=1e-6, atol=1e-8)
