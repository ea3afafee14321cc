"""Laws of the online classifiers: their update rules, row by row, statuses and errors."""

import numpy as np
import pytest
from cases import each, with_peak_memory
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import linclass as L
from linclass.base import messages
from linclass.base.messages import NotApplicable
from linclass.linear.solvers.corrections import Corrections
from linclass.online import online_classifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

# τ of a row of margin m and squared length k
RULES = {
    "perceptron": (L.AveragedPerceptron(), lambda m, k: float(m <= 0)),
    "PA": (L.PassiveAggressive(variant="PA"), lambda m, k: max(0, 1 - m) / k),
    "PA-I": (L.PassiveAggressive(aggressiveness=0.1), lambda m, k: min(0.1, max(0, 1 - m) / k)),
    "PA-II": (L.PassiveAggressive(variant="PA-II", aggressiveness=0.1), lambda m, k: max(0, 1 - m) / (k + 5)),
    "underrelaxation": (L.Relaxation(margin=2.0, learning_rate=0.5), lambda m, k: 0.5 * max(0, 2 - m) / k),
    "overrelaxation": (L.Relaxation(learning_rate=1.6), lambda m, k: 1.6 * max(0, 1 - m) / k),
}  # fmt: skip
MODELS = {name: model for name, (model, _) in RULES.items()} | {
    "adaline": L.Adaline(learning_rate=0.02),
    "winnow": L.BalancedWinnow(),
}
FORMS = each("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])


def rows(K, n=200, overlap=1.0):
    """More rows than a block has, of which many entries are 0; visits to each."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, K, n)
    X = rng.normal(size=(K, 6))[y] * 2 + overlap * rng.normal(size=(n, 6))
    return X * (rng.random(X.shape) < 0.6), y, np.random.default_rng(1).integers(0, 4, n)


def visited(X, y, visits):
    """Each visit to a row [x 1] and its class."""
    rows_, classes = np.repeat(X, visits, axis=0), np.repeat(y, visits)
    return zip(np.column_stack([rows_, np.ones(len(rows_))]), classes, strict=True)


def opposed(z, k):
    """(1 for the class and −1 for its rival, or of two classes the sign of the second; their margin)"""
    signs = np.eye(len(z))[k]
    if len(z) == 2:
        signs = np.array([0.0, 2 * k - 1])
    else:
        signs[np.argmax(np.where(signs == 1, -np.inf, z))] = -1
    return signs, signs @ z


def row_by_row(X, y, visits, rule):
    """One pass, as in the books: Θ after each visit."""
    theta, met = np.zeros((y.max() + 1, X.shape[1] + 1)), []
    for x, k in visited(X, y, visits):
        signs, margin = opposed(theta @ x, k)
        theta += rule(margin, signs @ signs * x @ x) * np.outer(signs, x)
        met.append(theta.copy())
    return np.array(met)


def fresh(model, **params):
    return type(model)(**(model.get_params() | {"order": "cyclic"} | params))


def assert_theta(model, expected, **digits):
    found = np.column_stack([model.coef_, model.intercept_])
    assert_allclose(found, expected[-len(found) :], **({"atol": 1e-9} | digits))


@pytest.mark.parametrize("density", [1.0, 0.2, pytest.param(0.01, marks=pytest.mark.full)])
@pytest.mark.parametrize("model", [
    L.Adaline(learning_rate=1e-4),
    *(
        pytest.param(kind(), marks=pytest.mark.full)
        for kind in (L.AveragedPerceptron, L.BalancedWinnow, L.SecondOrderPerceptron)
    ),
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
    if isinstance(model, L.Adaline):  # means and variances of the rows given
        others += 3 * (X.nbytes if density == 1 else (X.data.nbytes + X.indices.nbytes))
    assert part <= asked[1] + others
    assert asked[1] < asked[0]
    monkeypatch.undo()
    monkeypatch.setattr(messages, "_memory", lambda: (asked[1] // 2, 0))
    for learn in (fresh(model).fit, fresh(model).partial_fit):
        with pytest.raises(NotApplicable, match=rf"\d+ (dense|sparse) rows of {d} features"):
            learn(X, y)


@FORMS
@each("K", [2, 4])
@each("name", RULES)
def test_blocks_of_rows_follow_the_rule_row_by_row(name, K, kind):
    X, y, visits = rows(K)
    model, rule = RULES[name]
    after = row_by_row(X, y, visits, rule)
    expected = after.mean(axis=0) if isinstance(model, L.AveragedPerceptron) else after[-1]
    assert_theta(fresh(model, max_iter=1).fit(kind(X), y, sample_weight=visits), expected)


@FORMS
@each("K", [2, 4])
def test_a_block_of_least_mean_squares_is_the_rule_row_by_row(K, kind):
    X, y, visits = rows(K)
    theta = np.zeros((K, X.shape[1] + 1))
    for x, k in visited(X, y, visits):
        theta += 0.02 * np.outer(2 * np.eye(K)[k] - 1 - theta @ x, x)
    model = fresh(MODELS["adaline"], max_iter=1)
    assert_theta(model.fit(kind(X), y, sample_weight=visits), theta)


@FORMS
@each("K", [2, 4])
def test_balanced_winnow_multiplies_row_by_row(K, kind):
    X, y, visits = rows(K)
    u, v, mistakes = np.ones((K, 7)), np.ones((K, 7)), 0
    for x, k in visited(X, y, visits):
        signs, margin = opposed((u - v) @ x, k)
        if margin <= 0:
            mistakes += 1
            u *= np.exp(0.1 * signs[:, None] * x)
            v *= np.exp(-0.1 * signs[:, None] * x)
    model = fresh(L.BalancedWinnow(), max_iter=1).fit(kind(X), y, sample_weight=visits)
    assert model.n_mistakes_ == mistakes > 10
    assert_theta(model, u - v, rtol=1e-9, atol=1e-12)


@FORMS
def test_the_second_order_perceptron_is_ridge_regression_on_its_mistakes(kind):
    X, y, visits = rows(2, overlap=3.0)
    A, v, w, mistakes = 0.5 * np.eye(7), np.zeros(7), np.zeros(7), 0
    for x, k in visited(X, y, visits):
        sign = 2 * k - 1
        if sign * w @ x <= 0:
            mistakes += 1
            A, v = A + np.outer(x, x), v + sign * x
            w = np.linalg.solve(A, v)
    model = fresh(L.SecondOrderPerceptron(ridge=0.5), max_iter=1)
    model.fit(kind(X), y, sample_weight=visits)
    assert model.n_mistakes_ == mistakes > 10
    assert_theta(model, w[None], atol=1e-10)


@FORMS
@each("K", [2, 4])
def test_the_voted_perceptron_counts_the_votes_of_all_weights(K, kind):
    X, y, visits = rows(K)
    voters = row_by_row(X, y, visits, RULES["perceptron"][1])
    model = fresh(L.VotedPerceptron(), max_iter=1).fit(kind(X), y, sample_weight=visits)
    scores = np.einsum("tkd,nd->ntk", voters, np.column_stack([X, np.ones(len(y))]))
    votes = np.sign(scores[:, :, 1]) if K == 2 else np.eye(K)[scores.argmax(axis=2)]
    assert_allclose(model.decision_function(kind(X)), votes.mean(axis=1), atol=1e-12)
    assert model.votes_.sum() == visits.sum()
    averaged = fresh(L.AveragedPerceptron(), max_iter=1).fit(kind(X), y, sample_weight=visits)
    assert model.n_mistakes_ == len(model.votes_) == averaged.n_mistakes_


@each("name", MODELS)
def test_parts_are_passes_in_the_order_given_and_refuse_unknown_classes(name):
    X, y, _ = rows(4)
    model = MODELS[name]
    whole, parts = fresh(model, max_iter=2).fit(X, y), fresh(model)
    for part in np.array_split(np.arange(len(y)), 3) * 2:
        parts.partial_fit(X[part], y[part], classes=range(4))
    theta = np.column_stack([whole.coef_, whole.intercept_])
    assert_theta(parts, theta)
    shuffled = type(model)(**model.get_params())
    thin = type(model)(**model.get_params()).fit(sparse.csr_array(X), y)
    shuffled.fit(X, y)
    assert_theta(thin, np.column_stack([shuffled.coef_, shuffled.intercept_]), atol=1e-8)
    begun = fresh(model).partial_fit(X, y, classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match=r"y holds 4, but the classes are \[0, 1, 2, 3\]"):
        begun.partial_fit(X, y + 1)
    with pytest.raises(ValueError, match="not the same as on last call"):
        begun.partial_fit(X, y, classes=[0, 1])
    new = fresh(model)
    for labels, given, words in [
        (y[:1], {}, "classes must be passed on the first call"),
        (np.where(y > 0, "a", None), {}, f"{np.sum(y == 0)} missing labels"),
        (np.array(["a", 1], object)[y % 2], {}, "y mixes int and str"),
        (y, {"classes": [0, np.nan]}, r"classes is \[0, nan\], with a missing label"),
        (y, {"classes": 3}, "classes is 3; give all classes in a list"),
    ]:
        with pytest.raises(ValueError, match=words):
            new.partial_fit(X[: len(labels)], labels, **given)
    with pytest.raises(NotFittedError):
        new.predict(X)
    new.partial_fit(X[:, :1], y)  # of other features, as nothing had begun
    assert new.n_features_in_ == 1


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize(
    "model", [L.PassiveAggressive(), L.Relaxation(learning_rate=0.5)], ids=repr
)
def test_a_heavy_row_is_not_visited_again_for_a_rounding_error(model, K, monkeypatch):
    """Each visit halves what is missing of the margin to a rival, or adds all of it; after 60 nothing is left."""
    (X, y, _), visits, again = rows(K), [], Corrections._size_again

    def counted(*args):
        visits.append(args[1])
        return again(*args)

    monkeypatch.setattr(Corrections, "_size_again", counted)
    heavy = fresh(model, max_iter=1).fit(X, y, sample_weight=np.full(len(y), 1e4))
    assert np.bincount(visits).max() <= 60 * K
    lighter = fresh(model, max_iter=1).fit(X, y, sample_weight=np.full(len(y), 1e3))
    assert_theta(heavy, np.column_stack([lighter.coef_, lighter.intercept_]), rtol=1e-9, atol=0)


def test_winnow_refuses_unsuitable_features_and_its_weights_do_not_overflow():
    X, y, _ = rows(2)
    far = L.BalancedWinnow(learning_rate=200.0, max_iter=20).fit(X, y)
    assert np.isfinite(far.coef_).all()
    assert far.score(X, y) > 0.5
    for rows_, labels, words in [
        (X, y, r"Negative values .* Use BalancedWinnow"),
        (np.abs(X), np.arange(len(y)) % 4, r"4 classes. Use BalancedWinnow"),
        (np.abs(X) * 1e5, y, r"to this power overflows; scale the features"),
    ]:
        with pytest.raises(ValueError, match=words):
            L.Winnow().fit(rows_, labels)
    fitted = L.Winnow(max_iter=5).fit(np.abs(X) * 50, y)
    assert np.isfinite(fitted.decision_function(np.abs(X))).all()


# Statuses and errors

CORRECTING = [
    L.AveragedPerceptron, L.VotedPerceptron, L.PassiveAggressive, L.Relaxation, L.SecondOrderPerceptron,
    L.BalancedWinnow,
]  # fmt: skip
X = np.random.default_rng(0).normal(size=(200, 5))
Y = (X[:, 0] + 0.5 * np.random.default_rng(1).normal(size=200) > 0).astype(int)


@each("step", [0.3, 0.5, 1.0, 3.0, 1e9])
def test_adaline_reports_a_step_that_is_too_large(step):
    with pytest.warns(ConvergenceWarning, match="is too large.*smaller learning_rate"):
        model = L.Adaline(learning_rate=step).fit(X, Y)
    assert model.status_ == "max_iter"
    assert np.isfinite(model.decision_function(X)).all()


def test_a_step_that_only_turns_errors_round_has_not_converged():
    """η‖x‖² = 2, twice at each row: a pass leaves any weights as they are, but corrects nothing."""
    model = L.Adaline(learning_rate=2.0, fit_intercept=False)
    model.fit([[1.0], [-1.0], [1.0]], [0, 1, 1], sample_weight=[2, 2, 2])
    assert model.status_ == "max_iter"


@each("step", [1e-6, 1e-3, 1e-2, None])
def test_each_class_of_converged_adaline_has_settled(step):
    """Also one whose errors are much smaller than those of the others."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    Z = rng.normal(size=(300, 3))
    Z[:, 0] = labels == 1
    model = L.Adaline(learning_rate=step, order="cyclic", max_iter=5000).fit(Z, labels)
    assert (model.status_ == "converged") == (step != 1e-6)
    if step != 1e-6:
        old = np.column_stack([model.coef_, model.intercept_])
        before = 2 * np.eye(3)[labels] - 1 - model.decision_function(Z)
        model.partial_fit(Z, labels)
        drift = np.abs(np.column_stack([model.coef_, model.intercept_]) - old)[:, 1:].max(axis=1)
        own = np.sqrt((before**2).mean(axis=0))
        assert (drift <= 3e-3 * model.learning_rate_ * 300 * np.maximum(own, 1e-3)).all()


@each("hard", [False, True], ids=["separable", "overlapping"])
@each("model", [*CORRECTING, L.Winnow, L.Perceptron])
def test_converged_update_rules_make_no_further_corrections(model, hard):
    """One more pass meets no mistake, and no loss; on overlapping classes none has converged."""
    Z, threshold = (np.abs(X), 2.5) if model is L.Winnow else (X, 0)
    scores = Z @ [1, 1, 0.5, 0, 0] - threshold
    labels, far = (Y, scores < np.inf) if hard else ((scores > 0).astype(int), np.abs(scores) > 0.5)
    fitted = model(max_iter=20 if hard else 3000).fit(Z[far], labels[far])
    assert (fitted.status_ == "converged") == (not hard)
    if not hard:
        fitted.partial_fit(Z[far], labels[far])
        assert fitted.n_mistakes_ == 0
        assert getattr(fitted, "squared_loss_", 0) <= 1e-6 * far.sum()


@each("seed", range(10))
def test_adaline_with_its_default_step_never_diverges(seed):
    """Classes that hardly differ: the errors met in a pass may be larger than those at θ = 0."""
    Z, labels = np.random.default_rng(seed).normal(size=(40, 4)), np.arange(40) % 2
    assert L.Adaline().fit(Z, labels).status_ == "converged"


@each("intercept", [True, False])
@each("shift", [0, 3, 100])
def test_converged_adaline_is_near_the_least_squares(shift, intercept):
    """And if its steps are too small for that in `max_iter` passes, it has not converged."""
    Z, t = X + shift, 2.0 * Y - 1
    A = np.column_stack([Z, np.ones(200)]) if intercept else Z
    least = np.mean((t - A @ np.linalg.lstsq(A, t, rcond=None)[0]) ** 2)
    model = L.Adaline(fit_intercept=intercept).fit(Z, Y)
    assert (model.status_ == "converged") == (shift < 100)
    if shift < 100:  # steps of a tenth leave about that share more
        assert np.mean((t - model.decision_function(Z)) ** 2) < 1.15 * least


@each("model", [*CORRECTING, L.Winnow])
def test_the_visits_to_a_row_of_zeros_are_counted_and_not_made(model):
    Z = np.abs(X[:20, :3])
    Z[-1] = 0
    labels, weights = np.repeat([0, 1], 10), np.ones(20)
    params = {} if model is L.Winnow else {"fit_intercept": False}
    counts = []
    for weights[-1] in (1, 1e9):
        fitted = model(max_iter=1, order="cyclic", **params).fit(Z, labels, sample_weight=weights)
        counts.append(fitted.n_mistakes_)
    assert counts[1] == counts[0] + 10**9 - 1


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [0.01, 0.5, 1.5])
def test_mistakes_of_the_voted_perceptron_are_a_share(weight):
    """Of the visits, a fraction of a visit being that fraction."""
    model = L.VotedPerceptron(max_iter=1).fit(X, Y, sample_weight=np.full(200, weight))
    assert model.certificate_ is not None
    assert 0 < model.certificate_ < 1
    if weight < 1:  # the scale of w does not matter
        whole = L.VotedPerceptron(max_iter=1).fit(X, Y)
        assert model.certificate_ == pytest.approx(whole.certificate_)


@each("first", ["fit", "partial_fit"])
@each("model", [*CORRECTING, L.Adaline])
def test_partial_fit_refuses_a_changed_intercept_option_and_products_that_overflow(model, first):
    fitted = getattr(model(), first)(X, Y).set_params(fit_intercept=False)
    with pytest.raises(ValueError, match=r"fit_intercept was True .* and is False; call fit"):
        fitted.partial_fit(X, Y)
    fitted.fit(X, Y).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"entries of size .* standardize the features"):
        fitted.partial_fit(X * 1e160, Y)


def test_steps_and_thresholds_change_while_learning():
    adaline = L.Adaline().partial_fit(X, Y).set_params(learning_rate=1e-4)
    assert adaline.partial_fit(X, Y).learning_rate_ == 1e-4
    winnow = L.Winnow().partial_fit(np.abs(X), Y).set_params(threshold=2.0)
    assert winnow.partial_fit(np.abs(X), Y).intercept_ == -2
    with pytest.raises(ValueError, match=r"entries of size .* standardize the features"):
        winnow.partial_fit(np.abs(X) * 1e160, Y)
