"""Laws of the online classifiers: their update rules, row by row, and their mistake bounds."""

import numpy as np
import pytest
from cases import each, with_peak_memory
from scipy import sparse
from sklearn.exceptions import NotFittedError

from linclass import (
    Adaline,
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Relaxation,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
    largest_margin,
)
from linclass.base import messages
from linclass.base.messages import NotApplicable
from linclass.linear.solvers.corrections import Corrections
from linclass.online import online_classifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# τ of a row of margin m and squared length k
RULES = {
    "perceptron": (AveragedPerceptron(), lambda m, k: float(m <= 0)),
    "PA": (PassiveAggressive(variant="PA"), lambda m, k: max(0, 1 - m) / k),
    "PA-I": (PassiveAggressive(aggressiveness=0.1), lambda m, k: min(0.1, max(0, 1 - m) / k)),
    "PA-II": (PassiveAggressive(variant="PA-II", aggressiveness=0.1), lambda m, k: max(0, 1 - m) / (k + 5)),
    "underrelaxation": (Relaxation(margin=2.0, learning_rate=0.5), lambda m, k: 0.5 * max(0, 2 - m) / k),
    "overrelaxation": (Relaxation(learning_rate=1.6), lambda m, k: 1.6 * max(0, 1 - m) / k),
}  # fmt: skip
MODELS = {name: model for name, (model, _) in RULES.items()} | {
    "adaline": Adaline(learning_rate=0.02),
    "winnow": BalancedWinnow(),
}


def rows(K, n=200, overlap=1.0, seed=0):
    """More rows than a block has, of which many entries are 0."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    X = rng.normal(size=(K, 6))[y] * 2 + overlap * rng.normal(size=(n, 6))
    return X * (rng.random(X.shape) < 0.6), y


def row_by_row(X, y, visits, rule):
    """One pass, as in the books: (Θ after each visit, the loss of perceptrons)."""
    K = y.max() + 1
    theta, met = np.zeros((K, X.shape[1] + 1)), []
    for x, k in zip(np.repeat(X, visits, axis=0), np.repeat(y, visits), strict=True):
        x = np.append(x, 1.0)
        if K == 2:
            sign = 2 * k - 1
            theta[1] += rule(sign * theta[1] @ x, x @ x) * sign * x
        else:
            z = theta @ x
            rival = int(np.argmax(np.where(np.arange(K) == k, -np.inf, z)))
            size = rule(z[k] - z[rival], 2 * x @ x)
            theta[k] += size * x
            theta[rival] -= size * x
        met.append(theta.copy())
    return np.array(met)


def fresh(model, **params):
    return type(model)(**(model.get_params() | {"order": "cyclic"} | params))


def theta_of(model):
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize("density", [1.0, 0.2, pytest.param(0.01, marks=pytest.mark.full)])
@pytest.mark.parametrize("model", [
    Adaline(learning_rate=1e-4),
    *(
        pytest.param(kind(), marks=pytest.mark.full)
        for kind in (AveragedPerceptron, BalancedWinnow)
    ),
    pytest.param(SecondOrderPerceptron(), marks=pytest.mark.full),
], ids=lambda model: type(model).__name__)  # fmt: skip
def test_memory_is_checked_before_rows_are_copied(model, density, monkeypatch):
    """Sparse rows with many entries become dense, and `fit` keeps all blocks."""
    n, d = 3000, 100
    X = sparse.random_array((n, d), density=density, format="csr", rng=0)
    X, y = X.toarray() if density == 1 else X, np.arange(n) % 2
    asked = []
    monkeypatch.setattr(online_classifier, "require_memory", lambda size, _: asked.append(size))
    _, whole = with_peak_memory(lambda: fresh(model, max_iter=1).fit(X, y))
    _, part = with_peak_memory(lambda: fresh(model).partial_fit(X, y))
    others = 200 * n  # classes, orders, scores
    assert whole <= asked[0] + others
    if isinstance(model, Adaline):  # means and variances of the rows given
        others += 3 * (X.nbytes if density == 1 else (X.data.nbytes + X.indices.nbytes))
    assert part <= asked[1] + others
    assert asked[1] < asked[0]
    monkeypatch.undo()
    monkeypatch.setattr(messages, "_memory", lambda: (asked[1] // 2, 0))
    for learn in (fresh(model).fit, fresh(model).partial_fit):
        with pytest.raises(NotApplicable, match=rf"\d+ (dense|sparse) rows of {d} features"):
            learn(X, y)


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 4])
@each("name", RULES)
def test_blocks_of_rows_follow_the_rule_row_by_row(name, K, kind):
    X, y = rows(K)
    visits = np.random.default_rng(1).integers(0, 4, len(y))
    model, rule = RULES[name]
    after = row_by_row(X, y, visits, rule)
    expected = after.mean(axis=0) if isinstance(model, AveragedPerceptron) else after[-1]
    fitted = fresh(model, max_iter=1).fit(kind(X), y, sample_weight=visits)
    np.testing.assert_allclose(theta_of(fitted), expected[1:] if K == 2 else expected, atol=1e-9)


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 4])
def test_a_block_of_least_mean_squares_is_the_rule_row_by_row(K, kind):
    X, y = rows(K)
    visits = np.random.default_rng(1).integers(0, 4, len(y))
    theta = np.zeros((K, X.shape[1] + 1))
    for x, k in zip(np.repeat(X, visits, axis=0), np.repeat(y, visits), strict=True):
        x = np.append(x, 1.0)
        target = np.where(np.arange(K) == k, 1.0, -1.0)
        theta += 0.02 * np.outer(target - theta @ x, x)
    fitted = fresh(MODELS["adaline"], max_iter=1).fit(kind(X), y, sample_weight=visits)
    np.testing.assert_allclose(theta_of(fitted), theta[1:] if K == 2 else theta, atol=1e-9)


@each("name", MODELS)
def test_parts_are_passes_in_the_order_given_and_refuse_unknown_classes(name):
    X, y = rows(4)
    whole = fresh(MODELS[name], max_iter=2).fit(X, y)
    parts = fresh(MODELS[name])
    for _ in range(2):
        for part in np.array_split(np.arange(len(y)), 3):
            parts.partial_fit(X[part], y[part], classes=range(4))
    np.testing.assert_allclose(theta_of(parts), theta_of(whole), atol=1e-9)
    model = fresh(MODELS[name]).partial_fit(X, y, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"y holds 4, but the classes are \[0, 1, 2, 3\]"):
        model.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        fresh(MODELS[name]).partial_fit(X[:1], y[:1])
    model, missing = fresh(MODELS[name]), np.where(y > 0, "a", None)
    with pytest.raises(ValueError, match=f"{np.sum(y == 0)} missing labels"):
        model.partial_fit(X, missing)
    with pytest.raises(ValueError, match="y mixes int and str"):
        model.partial_fit(X, np.array(["a", 1], object)[y % 2])
    with pytest.raises(ValueError, match=r"classes is \[0, nan\], with a missing label"):
        model.partial_fit(X, y, classes=[0, np.nan])
    with pytest.raises(ValueError, match="classes is 3; give all classes in a list"):
        model.partial_fit(X, y, classes=3)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert fresh(MODELS[name]).partial_fit(X, y).n_features_in_ == X.shape[1]
    model.partial_fit(X[:, :1], y)  # of other features, as nothing had begun
    dense = type(MODELS[name])(**MODELS[name].get_params()).fit(X, y)
    other = type(MODELS[name])(**MODELS[name].get_params()).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(theta_of(other), theta_of(dense), atol=1e-8)


def homogeneous_margin(X, y):
    """R and γ of the rows [x 1] for the separating hyperplane through the origin."""
    found = largest_margin(X, y, intercept="feature")
    return float(np.sqrt((X**2).sum(axis=1) + 1).max()), found.margin


def separable(seed, n=300):
    rng = np.random.default_rng(seed)
    w, X = rng.normal(size=5), rng.normal(size=(n, 5))
    z = X @ w
    kept = np.abs(z) > 0.3
    return X[kept], (z[kept] > 0).astype(int)


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 4])
def test_balanced_winnow_multiplies_row_by_row(K, kind):
    X, y = rows(K)
    u, v = np.ones((K, 7)), np.ones((K, 7))  # for two classes the second of each is used
    visits = np.random.default_rng(1).integers(0, 4, len(y))
    mistakes = 0
    for x, k in zip(np.repeat(X, visits, axis=0), np.repeat(y, visits), strict=True):
        x = np.append(x, 1.0)
        z = (u - v) @ x
        signs = np.zeros(K)
        if K == 2:
            signs[1] = 2 * k - 1
            wrong = signs[1] * z[1] <= 0
        else:
            rival = int(np.argmax(np.where(np.arange(K) == k, -np.inf, z)))
            signs[k], signs[rival] = 1, -1
            wrong = z[k] <= z[rival]
        if wrong:
            mistakes += 1
            u *= np.exp(0.1 * signs[:, None] * x)
            v *= np.exp(-0.1 * signs[:, None] * x)
    model = fresh(BalancedWinnow(), max_iter=1).fit(kind(X), y, sample_weight=visits)
    assert model.n_mistakes_ == mistakes > 10
    w = (u - v)[1:] if K == 2 else u - v
    np.testing.assert_allclose(theta_of(model), w, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("model", [PassiveAggressive(), Relaxation(learning_rate=0.5)], ids=repr)
def test_a_heavy_row_is_not_visited_again_for_a_rounding_error(model, K, monkeypatch):
    """Each visit halves what is missing of the margin to a rival, or adds all of it; after 60 nothing is left."""
    (X, y), visits = rows(K), []
    again = Corrections._size_again
    monkeypatch.setattr(
        Corrections, "_size_again", lambda *args: visits.append(args[1]) or again(*args)
    )
    heavy = fresh(model, max_iter=1).fit(X, y, sample_weight=np.full(len(y), 1e4))
    assert np.bincount(visits).max() <= 60 * K
    lighter = fresh(model, max_iter=1).fit(X, y, sample_weight=np.full(len(y), 1e3))
    np.testing.assert_allclose(theta_of(heavy), theta_of(lighter), rtol=1e-9)


def test_weights_of_balanced_winnow_do_not_overflow():
    X, y = rows(2)
    far = BalancedWinnow(learning_rate=200.0, max_iter=20).fit(X, y)
    assert np.isfinite(far.coef_).all()
    assert far.score(X, y) > 0.5


def test_winnow_refuses_unsuitable_features():
    X, y = rows(2)
    with pytest.raises(ValueError, match=r"Negative values .* Use BalancedWinnow"):
        Winnow().fit(X, y)
    with pytest.raises(ValueError, match=r"4 classes. Use BalancedWinnow"):
        Winnow().fit(np.abs(X), np.arange(len(y)) % 4)


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@each("K", [2, 4])
def test_the_voted_perceptron_counts_the_votes_of_all_weights(K, kind):
    X, y = rows(K)
    visits = np.random.default_rng(1).integers(0, 4, len(y))
    voters = row_by_row(X, y, visits, RULES["perceptron"][1])
    model = fresh(VotedPerceptron(), max_iter=1).fit(kind(X), y, sample_weight=visits)
    scores = np.einsum("tkd,nd->ntk", voters, np.column_stack([X, np.ones(len(y))]))
    votes = np.sign(scores[:, :, 1]) if K == 2 else np.eye(K)[scores.argmax(axis=2)]
    expected = votes.mean(axis=1)
    np.testing.assert_allclose(model.decision_function(kind(X)), expected, atol=1e-12)
    assert model.votes_.sum() == visits.sum()
    assert model.n_mistakes_ == len(model.votes_)


def test_the_voted_perceptron_makes_the_mistakes_of_the_averaged_one():
    X, y = separable(1)
    R, margin = homogeneous_margin(X, y)
    voted = VotedPerceptron(max_iter=10_000).fit(X, y)
    assert voted.n_mistakes_ == AveragedPerceptron(max_iter=10_000).fit(X, y).n_mistakes_
    assert voted.n_mistakes_ <= (R / margin) ** 2


@each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_second_order_perceptron_is_ridge_regression_on_its_mistakes(kind):
    X, y = rows(2, overlap=3.0)
    visits = np.random.default_rng(1).integers(0, 4, len(y))
    A, v, w = 0.5 * np.eye(7), np.zeros(7), np.zeros(7)
    mistakes = 0
    for x, k in zip(np.repeat(X, visits, axis=0), np.repeat(y, visits), strict=True):
        x, sign = np.append(x, 1.0), 2 * k - 1
        if sign * w @ x <= 0:
            mistakes += 1
            A, v = A + np.outer(x, x), v + sign * x
            w = np.linalg.solve(A, v)
    model = fresh(SecondOrderPerceptron(ridge=0.5), max_iter=1)
    model.fit(kind(X), y, sample_weight=visits)
    assert model.n_mistakes_ == mistakes > 10
    np.testing.assert_allclose(theta_of(model)[0], w, atol=1e-10)
