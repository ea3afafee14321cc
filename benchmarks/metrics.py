"""Metrics of many folds at once side by side with scikit-learn's, which are called once per fold and metric.

    python benchmarks/metrics.py                    every case
    python benchmarks/metrics.py results.csv auc    some, kept as CSV
    python benchmarks/metrics.py --profile all      where our time goes

The shape is that of 100 methods × 50 folds × 10,000 rows of two classes; METHODS of the hundred are computed, since
both sides take time in proportion to it. What scikit-learn has no function for is worked out from what
it has, as a user would. `off` is the largest difference to scikit-learn's values.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from harness import Case  # sets one BLAS thread, so it comes before NumPy

import numpy as np  # isort: skip
from harness import run as compare_all
from sklearn import metrics as theirs
from sklearn.calibration import calibration_curve

from linclass.evaluation.metrics.predictions import Predictions, measure
from linclass.evaluation.metrics.probabilities import BINS

METHODS, FOLDS, ROWS = 5, 50, 10_000
COSTS = np.array([[0.0, 5.0], [1.0, 0.0]])
Of = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], float]  # y, predicted, score, p


def calibration_error(
    y: np.ndarray, predicted: np.ndarray, score: np.ndarray, p: np.ndarray
) -> float:
    share, mean = calibration_curve(y, p, n_bins=BINS)
    rows, _ = np.histogram(p, BINS, (0, 1))
    return float(np.abs(share - mean) @ rows[rows > 0] / len(y))


def expected_cost(y: np.ndarray, predicted: np.ndarray, score: np.ndarray, p: np.ndarray) -> float:
    return float((theirs.confusion_matrix(y, predicted) * COSTS.T).sum() / len(y))


# metric: (scikit-learn's, its name, target). What sorts the scores has AUC's target.
PEERS: dict[str, tuple[Of, str, float]] = {
    "accuracy": (lambda y, a, s, p: theirs.accuracy_score(y, a), "accuracy_score", 0.02),
    "precision": (lambda y, a, s, p: theirs.precision_score(y, a), "precision_score", 0.02),
    "recall": (lambda y, a, s, p: theirs.recall_score(y, a), "recall_score", 0.02),
    "specificity": (
        lambda y, a, s, p: theirs.recall_score(y, a, pos_label=0),
        "recall_score of the rest",
        0.02,
    ),
    "f1": (lambda y, a, s, p: theirs.f1_score(y, a), "f1_score", 0.02),
    "negative_predictive_value": (
        lambda y, a, s, p: theirs.precision_score(y, a, pos_label=0),
        "precision_score of the rest",
        0.02,
    ),
    "false_discovery_rate": (
        lambda y, a, s, p: 1 - theirs.precision_score(y, a),
        "1 − precision_score",
        0.02,
    ),
    "false_omission_rate": (
        lambda y, a, s, p: 1 - theirs.precision_score(y, a, pos_label=0),
        "1 − precision_score of the rest",
        0.02,
    ),
    "balanced_accuracy": (
        lambda y, a, s, p: theirs.balanced_accuracy_score(y, a),
        "balanced_accuracy_score",
        0.02,
    ),
    "matthews": (lambda y, a, s, p: theirs.matthews_corrcoef(y, a), "matthews_corrcoef", 0.02),
    "auc": (lambda y, a, s, p: theirs.roc_auc_score(y, s), "roc_auc_score", 0.15),
    "average_precision": (
        lambda y, a, s, p: theirs.average_precision_score(y, s),
        "average_precision_score",
        0.15,
    ),
    "log_loss": (lambda y, a, s, p: theirs.log_loss(y, p), "log_loss", 0.02),
    "brier": (lambda y, a, s, p: theirs.brier_score_loss(y, p), "brier_score_loss", 0.02),
    "calibration_error": (calibration_error, "calibration_curve", 0.02),
    "expected_cost": (expected_cost, "confusion_matrix", 0.02),
}


def stack() -> Predictions:
    """Overlapping classes, a third of them positive; methods that differ in noise, on the same folds."""
    rng = np.random.default_rng(0)
    y = (rng.random((FOLDS, ROWS)) < 1 / 3).astype(np.int32)
    z = np.concatenate(
        [2.5 * y - 1 + (1 + m / 5) * rng.standard_normal(y.shape) for m in range(METHODS)]
    )
    score = np.stack([-z / 2, z / 2], axis=-1)
    truth = np.tile(y, (METHODS, 1))
    return Predictions(
        truth, (z > 0).astype(np.int32), score, -np.logaddexp(0, -2 * score), 1, costs=COSTS
    )


def each(p: Predictions, names: list[str]) -> dict[str, np.ndarray]:
    """Fold by fold and metric by metric."""
    score, proba = p.score[..., 1].copy(), np.exp(p.log_proba[..., 1])  # type: ignore[index]
    return {
        name: np.array(
            [PEERS[name][0](*fold) for fold in zip(p.y_true, p.y_pred, score, proba, strict=True)]
        )
        for name in names
    }


def cases() -> Iterator[Case]:
    p = stack()
    for name in [*PEERS, "all"]:
        names = list(PEERS) if name == "all" else [name]
        expected = each(p, names)

        def off(found: Any, expected: Any = expected) -> float:
            return max(float(np.abs(found[key] - expected[key]).max()) for key in expected)

        yield Case(
            name,
            f"all {len(PEERS)}" if name == "all" else PEERS[name][1],
            lambda names=names: measure(p, names),  # type: ignore[misc]
            lambda names=names: each(p, names),  # type: ignore[misc]
            off,
            0.06 if name == "all" else PEERS[name][2],
            within=1e-12,
            pairs=3 if name == "all" else 5,
        )


if __name__ == "__main__":
    print(f"{METHODS} methods × {FOLDS} folds × {ROWS:,} rows")
    sys.exit(compare_all(cases(), sys.argv[1:]))
