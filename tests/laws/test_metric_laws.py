"""What every metric must do, from its definition; the registry finds a new one by itself."""

import numpy as np
import pytest

from linclass import metrics
from linclass.metrics.predictions import Predictions

NAMES = metrics.names()
BASES = sorted({metrics.file_of(name).rpartition(".")[2] for name in NAMES})


def predictions(K: int, n: int = 300, seed: int = 0, positive: int | None = None) -> Predictions:
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
    return Predictions(y, score.argmax(axis=1), score, log_proba, positive)


def perfect(K: int) -> Predictions:
    y = np.arange(60) % K
    log_proba = np.where(np.eye(K)[y] == 1, 0, -np.inf)
    return Predictions(y, y, np.eye(K)[y], log_proba, K - 1)


def value(name: str, p: Predictions) -> float:
    found = metrics.find(name)(p)
    assert isinstance(found, float)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_metrics_name_begins_with_its_files_name(name: str) -> None:
    stem = metrics.file_of(name).rpartition(".")[2]
    assert name == stem or name.startswith(f"{stem}_")


@pytest.mark.parametrize("K", [2, 3, 6])
@pytest.mark.parametrize("name", NAMES)
def test_no_predictions_are_better_than_perfect_ones(name: str, K: int) -> None:
    best, some = value(name, perfect(K)), value(name, predictions(K))
    assert best == (1 if metrics.greater_is_better(name) else 0)
    assert some < best if metrics.greater_is_better(name) else some > best


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_rows_does_not_matter(name: str, K: int) -> None:
    p = predictions(K)
    order = np.random.default_rng(1).permutation(len(p.y_true))
    assert p.log_proba is not None
    q = Predictions(
        p.y_true[order], p.y_pred[order], p.score[order], p.log_proba[order], p.positive
    )
    assert value(name, p) == pytest.approx(value(name, q), rel=1e-13)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("name", NAMES)
def test_the_names_of_the_classes_do_not_matter(name: str, K: int) -> None:
    p = predictions(K)
    new = np.random.default_rng(2).permutation(K)  # class k is now called new[k]
    old = np.argsort(new)
    assert p.log_proba is not None
    q = Predictions(
        new[p.y_true], new[p.y_pred], p.score[:, old], p.log_proba[:, old], int(new[p.positive])
    )
    assert value(name, p) == pytest.approx(value(name, q), rel=1e-13)


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_have_no_value(name: str) -> None:
    none = np.empty(0, dtype=int)
    empty = Predictions(none, none, np.empty((0, 2)), np.empty((0, 2)), 1)
    assert metrics.find(name)(empty) is None


@pytest.mark.parametrize("name", ["log_loss", "brier"])
def test_metrics_of_probabilities_are_absent_without_them(name: str) -> None:
    p = predictions(3)
    assert metrics.find(name)(Predictions(p.y_true, p.y_pred, p.score, None, 2)) is None


def test_an_unknown_metric_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match="'f1_makro'; did you mean 'f1_macro'"):
        metrics.find("f1_makro")


def pairs(score: np.ndarray, member: np.ndarray) -> float:
    """P(s₊ > s₋) + ½ P(s₊ = s₋), every pair looked at."""
    above = score[member][:, None] - score[~member]
    return float(((above > 0) + 0.5 * (above == 0)).mean())


@pytest.mark.parametrize("positive", [0, 1])
def test_auc_equals_the_probability_of_a_correct_order(positive: int) -> None:
    p = predictions(2, positive=positive)
    expected = pairs(p.score[:, positive], p.y_true == positive)
    assert value("auc", p) == pytest.approx(expected, rel=1e-13)


def test_auc_of_many_classes_is_the_mean_of_each_against_the_rest() -> None:
    p = predictions(4)
    assert p.log_proba is not None
    each = [pairs(p.log_proba[:, k], p.y_true == k) for k in range(4)]
    assert value("auc", p) == pytest.approx(np.mean(each), rel=1e-13)


def test_auc_of_scores_without_probabilities_is_of_the_scores() -> None:
    p = predictions(4)
    bare = Predictions(p.y_true, p.y_pred, p.score, None, p.positive)
    each = [pairs(p.score[:, k], p.y_true == k) for k in range(4)]
    assert value("auc", bare) == pytest.approx(np.mean(each), rel=1e-13)


def test_auc_of_the_reversed_order_is_the_complement() -> None:
    p = predictions(2)
    reversed_ = Predictions(p.y_true, p.y_pred, -p.score, None, p.positive)
    assert value("auc", reversed_) == pytest.approx(1 - value("auc", p), rel=1e-13)


def test_auc_of_a_constant_is_one_half() -> None:
    p = predictions(2)
    assert value("auc", Predictions(p.y_true, p.y_pred, 0 * p.score, None, 1)) == 0.5


def test_auc_is_the_same_for_any_increasing_map_of_the_scores() -> None:
    p = predictions(2)
    cubed = Predictions(p.y_true, p.y_pred, p.score**3, None, p.positive)
    assert value("auc", cubed) == pytest.approx(value("auc", p), rel=1e-13)


def test_auc_needs_both_classes() -> None:
    p = predictions(2)
    one = Predictions(np.zeros_like(p.y_true), p.y_pred, p.score, None, 1)
    assert metrics.find("auc")(one) is None


def test_f1_is_the_harmonic_mean_of_precision_and_recall() -> None:
    p = predictions(2)
    precision, recall = value("precision", p), value("recall", p)
    assert value("f1", p) == pytest.approx(2 / (1 / precision + 1 / recall), rel=1e-13)


@pytest.mark.parametrize("base", ["precision", "recall", "f1"])
def test_macro_is_the_mean_of_the_classes_taken_as_positive_in_turn(base: str) -> None:
    p = predictions(3)
    each, share = [], []
    for k in range(3):
        member, named = (p.y_true == k).astype(int), (p.y_pred == k).astype(int)
        score = np.column_stack([-p.score[:, k], p.score[:, k]])
        each.append(value(base, Predictions(member, named, score, None, 1)))
        share.append(member.mean())
    assert value(f"{base}_macro", p) == pytest.approx(np.mean(each), rel=1e-13)
    assert value(base, p) == value(f"{base}_macro", p)
    assert value(f"{base}_weighted", p) == pytest.approx(np.dot(each, share), rel=1e-13)


@pytest.mark.parametrize("base", ["precision", "recall", "f1"])
def test_micro_of_one_label_a_row_is_accuracy(base: str) -> None:
    p = predictions(4)
    assert value(f"{base}_micro", p) == pytest.approx(value("accuracy", p), rel=1e-13)


def test_recall_of_one_class_is_the_others_false_alarm_complement() -> None:
    p, q = predictions(2, positive=1), predictions(2, positive=0)
    both = (value("recall", p) + value("recall", q)) / 2
    assert value("balanced_accuracy", p) == pytest.approx(both, rel=1e-13)


@pytest.mark.parametrize("K", [2, 5])
def test_a_constant_prediction_earns_what_guessing_earns(K: int) -> None:
    y = np.repeat(np.arange(K), np.arange(10, 10 + K))
    uniform = np.full((len(y), K), -np.log(K))
    p = Predictions(y, np.zeros_like(y), uniform, uniform, K - 1)
    assert value("balanced_accuracy", p) == pytest.approx(1 / K)
    assert value("matthews", p) == 0
    assert value("auc", p) == 0.5
    assert value("log_loss", p) == pytest.approx(np.log(K))
    # Σ_k (1/K − δ)² = (1 − 1/K)² + (K − 1)/K² = 1 − 1/K, and half of it for two classes
    assert value("brier", p) == pytest.approx((1 - 1 / K) / (2 if K == 2 else 1))


def test_a_class_never_predicted_has_precision_zero() -> None:
    y = np.array([0, 0, 1, 1])
    p = Predictions(y, np.zeros_like(y), np.zeros((4, 2)), None, 1)
    assert value("precision", p) == value("recall", p) == value("f1", p) == 0


def test_matthews_of_two_classes_is_pearsons_correlation() -> None:
    p = predictions(2)
    assert value("matthews", p) == pytest.approx(np.corrcoef(p.y_true, p.y_pred)[0, 1], rel=1e-12)


def test_a_certain_error_costs_36_nats_not_infinity() -> None:
    p = perfect(2)
    wrong = Predictions(1 - p.y_true, p.y_pred, p.score, p.log_proba, 1)
    assert value("log_loss", wrong) == pytest.approx(52 * np.log(2))  # −ln 2⁻⁵²


def test_brier_of_two_classes_is_the_squared_error_of_the_positive_class() -> None:
    p = predictions(2)
    assert p.log_proba is not None
    error = np.exp(p.log_proba[:, 1]) - p.y_true
    assert value("brier", p) == pytest.approx(np.mean(error**2), rel=1e-12)


def test_an_action_that_is_no_class_is_never_right() -> None:
    # a reject option: actions 0, 1 and 2 = refer
    y, a = np.array([0, 1, 0, 1]), np.array([0, 1, 2, 2])
    p = Predictions(y, a, np.zeros((4, 2)), None, 1)
    assert value("accuracy", p) == 0.5
    assert value("precision", p) == 1
    assert value("recall", p) == 0.5
