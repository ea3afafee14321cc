"""scikit-learn's metrics as the last witness."""

from collections.abc import Callable

import numpy as np
import pytest
from sklearn import metrics as reference

from linclass import metrics
from linclass.metrics.predictions import Predictions


def predictions(K: int, seed: int) -> Predictions:
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, 200)])
    Z = np.round(2 * rng.normal(size=(len(y), K)) + np.eye(K)[y], 1)
    log_proba = Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))
    z = log_proba[:, -1] - log_proba[:, 0]
    score = np.column_stack([-z / 2, z / 2]) if K == 2 else Z
    return Predictions(y, score.argmax(axis=1), score, log_proba, int(rng.integers(K)))


def of_labels(function: Callable[..., float], average: str | None) -> Callable[..., float]:
    def measure(p: Predictions) -> float:
        if average or p.n_classes > 2:
            return function(p.y_true, p.y_pred, average=average or "macro", zero_division=0)
        return function(p.y_true, p.y_pred, pos_label=p.positive, zero_division=0)

    return measure


def auc(p: Predictions) -> float:
    assert p.log_proba is not None
    if p.n_classes == 2:
        return reference.roc_auc_score(p.y_true == p.positive, p.score[:, p.positive])
    return reference.roc_auc_score(p.y_true, np.exp(p.log_proba), multi_class="ovr")


def brier(p: Predictions) -> float:
    assert p.log_proba is not None
    if p.n_classes == 2:
        return reference.brier_score_loss(p.y_true, np.exp(p.log_proba[:, 1]))
    return np.mean(((np.exp(p.log_proba) - np.eye(p.n_classes)[p.y_true]) ** 2).sum(axis=1))


RATIOS = {
    "precision": reference.precision_score,
    "recall": reference.recall_score,
    "f1": reference.f1_score,
}
WITNESSES: dict[str, Callable[[Predictions], float]] = {
    "accuracy": lambda p: reference.accuracy_score(p.y_true, p.y_pred),
    "balanced_accuracy": lambda p: reference.balanced_accuracy_score(p.y_true, p.y_pred),
    "auc": auc,
    "log_loss": lambda p: reference.log_loss(p.y_true, np.exp(p.log_proba)),  # type: ignore[arg-type]
    "brier": brier,
    "matthews": lambda p: reference.matthews_corrcoef(p.y_true, p.y_pred),
} | {
    f"{name}_{average}" if average else name: of_labels(function, average)
    for name, function in RATIOS.items()
    for average in (None, "macro", "micro", "weighted")
}


def test_every_metric_has_a_witness() -> None:
    assert set(WITNESSES) == set(metrics.names())


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("K", [2, 3, 7])
@pytest.mark.parametrize("name", sorted(WITNESSES))
def test_the_metric_is_scikit_learns(name: str, K: int, seed: int) -> None:
    p = predictions(K, seed)
    assert metrics.find(name)(p) == pytest.approx(WITNESSES[name](p), rel=1e-12)


def test_log_loss_has_scikit_learns_floor() -> None:
    y = np.array([0, 1, 1])
    log_proba = np.array([[0.0, -800.0], [0.0, -np.inf], [-1000.0, 0.0]])
    p = Predictions(y, y, log_proba, log_proba, 1)
    assert metrics.find("log_loss")(p) == pytest.approx(
        reference.log_loss(y, np.exp(log_proba)), rel=1e-12
    )


@pytest.mark.parametrize("base", ["precision", "recall", "f1"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_classes_that_do_not_occur_are_treated_as_scikit_learn_does(
    base: str, average: str
) -> None:
    y_true, y_pred = np.array([0, 0, 2, 2, 3]), np.array([0, 1, 2, 1, 0])  # of five classes
    p = Predictions(y_true, y_pred, np.zeros((5, 5)), None, 4)
    expected = RATIOS[base](y_true, y_pred, average=average, zero_division=0)
    assert metrics.find(f"{base}_{average}")(p) == pytest.approx(expected, rel=1e-12)
