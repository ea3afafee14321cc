"""Statuses and errors of the online classifiers."""

import numpy as np
import pytest
from cases import each
from sklearn.exceptions import ConvergenceWarning

from linclass import (
    Adaline,
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
    Relaxation,
    SecondOrderPerceptron,
    VotedPerceptron,
    Winnow,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RULES = [AveragedPerceptron, VotedPerceptron, PassiveAggressive, Relaxation, SecondOrderPerceptron]
ALL = [*RULES, Adaline, BalancedWinnow]
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)


def squared_error(model, X):
    return float(np.mean((2 * y - 1 - model.decision_function(X)) ** 2))


@each("step", [0.3, 0.5, 1.0, 3.0, 1e9])
def test_adaline_reports_a_step_that_is_too_large(step):
    with pytest.warns(ConvergenceWarning, match="is too large.*smaller learning_rate"):
        model = Adaline(learning_rate=step).fit(X, y)
    assert model.status_ == "max_iter"
    assert np.isfinite(model.decision_function(X)).all()


def test_a_step_that_only_turns_errors_round_has_not_converged():
    """η‖x‖² = 2, twice at each row: a pass leaves any weights as they are, but corrects nothing."""
    model = Adaline(learning_rate=2.0, fit_intercept=False)
    model.fit([[1.0], [-1.0], [1.0]], [0, 1, 1], sample_weight=[2, 2, 2])
    assert model.status_ == "max_iter"


@each("step", [1e-6, 1e-3, 1e-2, None])
def test_each_class_of_converged_adaline_has_settled(step):
    """Also one whose errors are much smaller than those of the others."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 300)
    Z = rng.normal(size=(300, 3))
    Z[:, 0] = labels == 1
    model = Adaline(learning_rate=step, order="cyclic", max_iter=5000).fit(Z, labels)
    assert (model.status_ == "converged") == (step != 1e-6)
    if step != 1e-6:
        old = np.column_stack([model.coef_, model.intercept_])
        before = np.where(labels[:, None] == np.arange(3), 1, -1) - model.decision_function(Z)
        model.partial_fit(Z, labels)
        drift = np.abs(np.column_stack([model.coef_, model.intercept_]) - old)[:, 1:].max(axis=1)
        own = np.sqrt((before**2).mean(axis=0))
        assert (drift <= 3e-3 * model.learning_rate_ * 300 * np.maximum(own, 1e-3)).all()


@each("hard", [False, True], ids=["separable", "overlapping"])
@each("model", [*RULES, BalancedWinnow, Winnow, Perceptron])
def test_converged_update_rules_make_no_further_corrections(model, hard):
    """One more pass meets no mistake, and no loss; on overlapping classes none has converged."""
    Z = np.abs(X) if model is Winnow else X
    labels = y if hard else ((2.5 if model is Winnow else 0) < Z @ [1, 1, 0.5, 0, 0]).astype(int)
    far = hard | (np.abs(Z @ [1, 1, 0.5, 0, 0] - (2.5 if model is Winnow else 0)) > 0.5)
    fitted = model(max_iter=3000 if not hard else 20).fit(Z[far], labels[far])
    assert (fitted.status_ == "converged") == (not hard)
    if not hard:
        fitted.partial_fit(Z[far], labels[far])
        assert fitted.n_mistakes_ == 0
        assert getattr(fitted, "squared_loss_", 0) <= 1e-6 * far.sum()


@each("seed", range(10))
def test_adaline_with_its_default_step_never_diverges(seed):
    """Classes that hardly differ: the errors met in a pass may be larger than those at θ = 0."""
    Z, labels = np.random.default_rng(seed).normal(size=(40, 4)), np.arange(40) % 2
    assert Adaline().fit(Z, labels).status_ == "converged"


@each("intercept", [True, False])
@each("shift", [0, 3, 100])
def test_converged_adaline_is_near_the_least_squares(shift, intercept):
    """And if its steps are too small for that in `max_iter` passes, it has not converged."""
    Z = X + shift
    A = np.column_stack([Z, np.ones(200)]) if intercept else Z
    t = 2.0 * y - 1
    least = float(np.mean((t - A @ np.linalg.lstsq(A, t, rcond=None)[0]) ** 2))
    model = Adaline(fit_intercept=intercept).fit(Z, y)
    assert (model.status_ == "converged") == (shift < 100)
    if shift < 100:  # steps of a tenth leave about that share more
        assert squared_error(model, Z) < 1.15 * least


@each("model", [*RULES, BalancedWinnow, Winnow])
def test_the_visits_to_a_row_of_zeros_are_counted_and_not_made(model):
    Z = np.abs(rng.normal(size=(20, 3)))
    Z[-1] = 0
    labels, weights = np.repeat([0, 1], 10), np.ones(20)
    params = {"max_iter": 1, "order": "cyclic"} | (
        {} if model is Winnow else {"fit_intercept": False}
    )
    once = model(**params).fit(Z, labels, sample_weight=weights).n_mistakes_
    weights[-1] = 1e9
    assert model(**params).fit(Z, labels, sample_weight=weights).n_mistakes_ == once + 10**9 - 1


@pytest.mark.filterwarnings("ignore:sample_weight sums to")
@each("weight", [0.01, 0.5, 1.5])
def test_mistakes_of_the_voted_perceptron_are_a_share(weight):
    """Of the visits, a fraction of a visit being that fraction."""
    model = VotedPerceptron(max_iter=1).fit(X, y, sample_weight=np.full(200, weight))
    assert model.certificate_ is not None
    assert 0 < model.certificate_ < 1
    if weight < 1:  # the scale of w does not matter
        whole = VotedPerceptron(max_iter=1).fit(X, y)
        assert model.certificate_ == pytest.approx(whole.certificate_)


@each("first", ["fit", "partial_fit"])
@each("model", ALL)
def test_partial_fit_refuses_a_changed_intercept_option(model, first):
    fitted = getattr(model(), first)(X, y).set_params(fit_intercept=False)
    with pytest.raises(ValueError, match=r"fit_intercept was True .* and is False; call fit"):
        fitted.partial_fit(X, y)
    fitted.fit(X, y).partial_fit(X, y)


def test_steps_and_thresholds_change_while_learning():
    assert (
        Adaline().partial_fit(X, y).set_params(learning_rate=1e-4).partial_fit(X, y).learning_rate_
        == 1e-4
    )
    winnow = Winnow().partial_fit(np.abs(X), y).set_params(threshold=2.0)
    assert winnow.partial_fit(np.abs(X), y).intercept_ == -2


@each("model", [*ALL, Winnow])
def test_rows_whose_products_overflow_are_refused(model):
    with pytest.raises(ValueError, match=r"entries of size .* standardize the features"):
        model().fit(np.abs(X) * 1e160, y)
    with pytest.raises(ValueError, match=r"entries of size .* standardize the features"):
        model().partial_fit(np.abs(X) * 1e160, y)
    if model is not Winnow:
        assert np.isfinite(model(max_iter=2).fit(X * 1e90, y).decision_function(X * 1e90)).all()


def test_winnow_refuses_features_whose_factor_overflows():
    with pytest.raises(ValueError, match=r"to this power overflows; scale the features"):
        Winnow().fit(np.abs(X) * 1e5, y)
    fitted = Winnow(max_iter=5).fit(np.abs(X) * 150, y)
    assert np.isfinite(fitted.decision_function(np.abs(X))).all()
