"""Laws of every metric, found by its file."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cases import each

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions, measure
from linclass_study.pipeline.fitted import Task, measured

NAMES = metrics.names()
PARTS = ("y_true", "y_pred", "score", "log_proba")


def predictions(K, n=300, seed=0, positive=None):
    """Predictions with some skill, some ties, and every class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    Z = np.round(rng.normal(size=(n, K)) + 1.5 * np.eye(K)[y], 1)  # rounded: ties in the scores
    log_proba = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    score = Z
    if K == 2:
        z = Z[:, 1] - Z[:, 0]
        score = np.column_stack([-z / 2, z / 2])
    positive = K - 1 if positive is None else positive
    costs = rng.uniform(1, 3, (K, K)) * (1 - np.eye(K))
    return Predictions(y, score.argmax(axis=1), score, log_proba, positive, costs=costs)


def perfect(K):
    y = np.arange(60) % K
    log_proba = np.where(np.eye(K)[y] == 1, 0, -np.inf)
    return Predictions(y, y, np.eye(K)[y], log_proba, K - 1, costs=1 - np.eye(K))


def value(name, p):
    found = metrics.find(name)(p)
    assert isinstance(found, float)
    return found


@each("K", [2, 3, 6])
@each("name", NAMES)
def test_only_perfect_predictions_have_the_best_value_and_no_rows_have_none(name, K):
    lowest, highest = metrics.bounds(name)
    best, some = value(name, perfect(K)), value(name, predictions(K))
    greater = metrics.greater_is_better(name)
    bound = highest if greater else lowest
    assert best == (1 if greater else 0)
    assert best == bound or np.isinf(bound)
    assert lowest < some < highest
    assert some < best if greater else some > best
    none = np.empty(0, dtype=int)
    empty = Predictions(none, none, np.empty((0, 2)), np.empty((0, 2)), 1)
    assert np.isnan(metrics.find(name)(empty))


def stacked(folds, shape, weight=None):
    arrays = (np.stack([getattr(fold, part) for fold in folds]) for part in PARTS)
    arrays = (array.reshape(*shape, *array.shape[1:]) for array in arrays)
    weight = None if weight is None else weight.reshape(*shape, -1)
    return Predictions(*arrays, folds[0].positive, weight, folds[0].costs)


@pytest.mark.parametrize("block", [1, 1000, 10**9])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("K", [2, 4])
def test_a_stack_has_the_values_of_its_folds_for_any_block_size(K, weighted, block, monkeypatch):
    """To the last bit where the folds are of one size."""
    monkeypatch.setattr("linclass.evaluation.metrics.predictions.BLOCK", block)
    folds = [predictions(K, n=60, seed=seed) for seed in range(6)]
    weight = np.random.default_rng(4).exponential(size=(6, 60)) if weighted else None
    stack, methods = (stacked(folds, shape, weight) for shape in ((6,), (2, 3)))
    unequal = [replace(predictions(K, n=n, seed=n), costs=folds[0].costs) for n in (50, 7, 31)]
    none, no_scores = np.empty(0, dtype=int), np.empty((0, K))
    empty = Predictions(none, none, no_scores, no_scores, K - 1, costs=folds[0].costs)
    found = measure(stack)
    assert sorted(found) == NAMES
    for name in NAMES:
        one_by_one = [value(name, stack[k]) for k in range(6)]
        assert found[name].tolist() == one_by_one, name
        assert metrics.find(name)(methods).tolist() == [one_by_one[:3], one_by_one[3:]], name
        *some, none = metrics.find(name)(Predictions.stack([*unequal, empty]))
        alone = [value(name, fold) for fold in unequal]
        assert some == pytest.approx(alone, rel=1e-12, nan_ok=True), name
        assert np.isnan(none), name


@each("K", [2, 3])
@each("name", NAMES)
def test_every_case_has_a_value_within_bounds_or_is_undefined(name, K):
    """All truths and predictions of three rows, so every class that is missing somewhere."""
    codes = np.array(list(product(range(K), repeat=3)))
    y, named = (a.reshape(-1, 3) for a in np.broadcast_arrays(codes[:, None], codes[None]))
    score = np.eye(K)[named] - 0.5
    log_proba = np.log(np.eye(K)[named] * 0.8 + 0.2 / K)
    weight = np.random.default_rng(5).exponential(size=y.shape)
    for w in (None, weight):
        p = Predictions(y, named, score, log_proba, K - 1, w, 1 - np.eye(K))
        found = metrics.find(name)(p)
        assert found.shape == (len(y),)
        defined = found[~np.isnan(found)]
        lowest, highest = metrics.bounds(name) if name != "expected_cost" else (0, 1)
        assert len(defined)
        assert defined.min() >= lowest
        assert defined.max() <= highest


def test_an_action_without_a_cost_is_refused():
    p = replace(predictions(2), costs=[[0, 1]])
    with pytest.raises(ValueError, match="y_pred is 1; the risk matrix has 1 actions"):
        metrics.find("expected_cost")(p)


def test_an_action_that_is_not_a_class_is_never_correct_and_has_its_cost():
    y, action = np.array([0, 1, 0, 1]), np.array([0, 0, 2, 2])
    p = Predictions(y, action, np.zeros((4, 2)), None, 1, costs=[[0, 10], [4, 0], [1, 1]])
    assert value("expected_cost", p) == (0 + 10 + 1 + 1) / 4
    assert value("specificity", p) == 0.5  # a row that is referred is not right
    # a reject option: actions 0, 1 and 2 = refer
    y, a = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2])
    p = Predictions(y, a, np.zeros((4, 2)), None, 1)
    assert value("accuracy", p) == 0.5
    assert value("precision", p) == 1
    assert value("recall", p) == 0.5


def test_metrics_without_scores_or_probabilities_or_rows_are_undefined():
    p = predictions(2)
    p.score[3] = np.nan
    assert np.isnan([metrics.find(name)(p) for name in ("auc", "average_precision")]).all()


@each("name", ["log_loss", "brier", "calibration_error"])
def test_metrics_of_probabilities_are_absent_without_them(name):
    p = predictions(3)
    assert np.isnan(metrics.find(name)(Predictions(p.y_true, p.y_pred, p.score, None, 2)))


def test_auc_of_scores_without_probabilities_is_of_the_scores():
    """P(s₊ > s₋) + ½ P(s₊ = s₋), every pair looked at."""
    p, of_each = predictions(4), []
    bare = Predictions(p.y_true, p.y_pred, p.score, None, p.positive)
    for k, score in enumerate(p.score.T):
        above = score[p.y_true == k][:, None] - score[p.y_true != k]
        of_each.append(((above > 0) + 0.5 * (above == 0)).mean())
    assert value("auc", bare) == pytest.approx(np.mean(of_each), rel=1e-13)


def test_tuning_by_expected_cost_uses_the_costs():
    y, predicted = np.array([0, 0, 1, 1]), (np.array([0, 1, 0, 1]), np.zeros((4, 2)), None)
    task = Task(2, positive=1, costs=[[0, 5], [1, 0]], tune_metric="expected_cost")
    assert measured(predicted, y, task) == (1 + 5) / 4
    assert measured(predicted, y, replace(task, costs=None)) is None
