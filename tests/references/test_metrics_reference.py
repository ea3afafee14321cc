"""Metrics against scikit-learn's."""

from dataclasses import replace

import numpy as np
import pytest
from cases import each
from sklearn import metrics as reference
from sklearn.calibration import calibration_curve

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions


def predictions(K, seed, weighted=False):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, 200)])
    Z = np.round(2 * rng.normal(size=(len(y), K)) + np.eye(K)[y], 1)
    log_proba = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    z = log_proba[:, -1] - log_proba[:, 0]
    score = np.column_stack([-z / 2, z / 2]) if K == 2 else Z
    positive, costs = int(rng.integers(K)), rng.uniform(size=(K, K))
    weight = rng.exponential(size=len(y)) if weighted else None
    return Predictions(y, score.argmax(axis=1), score, log_proba, positive, weight, costs)


def of_labels(function, average=None):
    def measure(p):
        of_all = average or p.n_classes > 2
        how = {"average": average or "macro"} if of_all else {"pos_label": p.positive}
        return function(p.y_true, p.y_pred, sample_weight=p.weight, zero_division=0, **how)

    return measure


def of_rest(function):
    """Of each class as the negative one; of two classes, of the one that is not positive."""

    def measure(p):
        of_each = [
            function(p.y_true != k, p.y_pred != k, sample_weight=p.weight, zero_division=0)
            for k in range(p.n_classes)
        ]
        return of_each[p.positive] if p.n_classes == 2 else float(np.mean(of_each))

    return measure


def proba(p):
    assert p.log_proba is not None
    return np.exp(p.log_proba)


def over_classes(function):
    """Of scores for two classes, of probabilities each against the rest for more."""

    def measure(p):
        two = p.n_classes == 2
        S, classes = (p.score, [p.positive]) if two else (proba(p), range(p.n_classes))
        values = [function(p.y_true == k, S[:, k], sample_weight=p.weight) for k in classes]
        return float(np.mean(values))

    return measure


def auc(p):
    if (
        p.n_classes == 2 or p.weight is not None
    ):  # scikit-learn has no weights for one-vs-rest of many
        return over_classes(reference.roc_auc_score)(p)
    return reference.roc_auc_score(p.y_true, proba(p), multi_class="ovr")


def brier(p):
    if p.n_classes == 2:
        return reference.brier_score_loss(p.y_true, proba(p)[:, 1], sample_weight=p.weight)
    errors = ((proba(p) - np.eye(p.n_classes)[p.y_true]) ** 2).sum(axis=1)
    return float(np.average(errors, weights=p.weight))


def calibration_error(p):
    """calibration_curve has no weights: rows are repeated as often as their weights in hundredths say."""
    weight = np.ones(len(p.y_true)) if p.weight is None else p.weight
    times = np.round(100 * weight).astype(int)
    errors = []
    for k in [p.positive] if p.n_classes == 2 else range(p.n_classes):
        member, output = np.repeat(p.y_true == k, times), np.repeat(proba(p)[:, k], times)
        share, mean = calibration_curve(member, output, n_bins=15)
        rows, _ = np.histogram(output, np.linspace(0, 1, 16))
        errors.append(np.abs(share - mean) @ rows[rows > 0] / len(output))
    return float(np.mean(errors))


def expected_cost(p):
    C = reference.confusion_matrix(p.y_true, p.y_pred, sample_weight=p.weight)
    return float((C * np.asarray(p.costs).T).sum() / C.sum())


def plain(function):
    return lambda p: function(p.y_true, p.y_pred, sample_weight=p.weight)


RATIOS = {
    "precision": reference.precision_score,
    "recall": reference.recall_score,
    "f1": reference.f1_score,
}
WITNESSES = {
    "accuracy": plain(reference.accuracy_score),
    "balanced_accuracy": plain(reference.balanced_accuracy_score),
    "matthews": plain(reference.matthews_corrcoef),
    "specificity": of_rest(reference.recall_score),
    "negative_predictive_value": of_rest(reference.precision_score),
    "false_discovery_rate": lambda p: 1 - of_labels(reference.precision_score)(p),
    "false_omission_rate": lambda p: 1 - of_rest(reference.precision_score)(p),
    "auc": auc,
    "average_precision": over_classes(reference.average_precision_score),
    "log_loss": lambda p: reference.log_loss(p.y_true, proba(p), sample_weight=p.weight),
    "brier": brier,
    "calibration_error": calibration_error,
    "expected_cost": expected_cost,
} | {
    f"{name}_{average}" if average else name: of_labels(function, average)
    for name, function in RATIOS.items()
    for average in (None, "macro", "micro", "weighted")
}


@each(("seed", "weighted"), [(0, False), (1, True), (2, False)])
@each("K", [2, 3, 7])
@each("name", metrics.names())
def test_the_metric_is_scikit_learns(name, K, seed, weighted):
    p = predictions(K, seed, weighted)
    if weighted and name == "calibration_error":
        assert p.weight is not None
        p = replace(p, weight=np.round(p.weight, 2))
    assert metrics.find(name)(p) == pytest.approx(WITNESSES[name](p), rel=1e-12)


def test_log_loss_has_scikit_learns_floor():
    y = np.array([0, 1, 1])
    log_proba = np.array([[0.0, -800.0], [0.0, -np.inf], [-1000.0, 0.0]])
    p = Predictions(y, y, log_proba, log_proba, 1)
    expected = reference.log_loss(y, np.exp(log_proba))
    assert metrics.find("log_loss")(p) == pytest.approx(expected, rel=1e-12)


@each("base", ["precision", "recall", "f1"])
@each("average", ["macro", "weighted"])
def test_classes_that_do_not_occur_are_treated_as_scikit_learn_does(base, average):
    y_true, y_pred = np.array([0, 0, 2, 2, 3]), np.array([0, 1, 2, 1, 0])  # of five classes
    p = Predictions(y_true, y_pred, np.zeros((5, 5)), None, 4)
    expected = RATIOS[base](y_true, y_pred, average=average, zero_division=0)
    assert metrics.find(f"{base}_{average}")(p) == pytest.approx(expected, rel=1e-12)
