"""Metrics of probabilities; NaN for a method that has none.

    log_loss            mean of −ln p(y | x), in nats, with p bounded below by 2.2·10⁻¹⁶: without the bound a single row
                        that is wrong with certainty would make the mean infinite; with it such a row costs 36 nats
    brier               mean squared error, (1/n) Σ_i Σ_k (p_ik − 1[y_i = k])², in [0, 2]; for two classes half of it,
                        the error of the positive class alone, in [0, 1]
    calibration_error   expected calibration error, Σ_b (n_b/n) |mean p − frequency of the class|, over 15 bins of p of
                        equal width, (0, 1/15], …, (14/15, 1]: of the probability of the positive class, or for more
                        than two classes the mean over classes, each by its own probability (the classwise error)

The calibration error is 0 in the limit for the true probabilities; with few rows it is positive for any, because the
frequencies in the bins are random, so compare it only on folds of equal size.
Brier (1950); Naeini, Cooper & Hauskrecht (2015), AAAI; Kull et al. (2019), NeurIPS 32
"""

import math

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Metric, Predictions, defined_ratio

FLOOR = np.log(np.finfo(np.float64).eps)
BINS = 15


def log_loss(p: Predictions) -> Array:
    if p.log_proba is None:
        return p.undefined
    return -p.mean(np.maximum(p.log_proba.reshape(-1).take(p.of_truth), FLOOR))


def brier(p: Predictions) -> Array:
    if p.log_proba is None:
        return p.undefined
    if p.n_classes == 2:
        error = p.log_proba[..., p.positive].copy()  # in place: half the time
        np.exp(error, out=error)
        error -= p.y_true == p.positive
        error *= error
        return p.mean(error)
    error = np.exp(p.log_proba, order="C")
    error.reshape(-1)[p.of_truth] -= 1
    return p.mean((error * error).sum(axis=-1))


def calibration_error(p: Predictions) -> Array:
    if p.log_proba is None:
        return p.undefined
    classes = np.array([p.positive]) if p.n_classes == 2 else np.arange(p.n_classes)
    gap = p.log_proba[..., classes[0] : classes[-1] + 1].copy()  # in place: half the time
    np.exp(gap, out=gap)
    bins = np.ceil(gap * BINS)
    np.fmin(np.fmax(bins, 1, out=bins), BINS, out=bins)  # 0 is in the first bin
    cell = bins.astype(np.int64)
    cell += (p.place[..., None] * len(classes) + np.arange(len(classes))) * BINS - 1
    gap -= p.y_true[..., None] == classes
    if p.weight is not None:
        gap *= p.weight[..., None]
    cells = p.place.size * len(classes) * BINS
    gaps = np.bincount(cell.ravel(), gap.ravel(), cells).reshape(*p.shape, len(classes) * BINS)
    return defined_ratio(np.abs(gaps).sum(axis=-1), p.total * len(classes))


METRICS = {
    "log_loss": Metric(log_loss, greater_is_better=False, bounds=(0.0, math.inf)),
    "brier": Metric(brier, greater_is_better=False, bounds=(0.0, 2.0)),
    "calibration_error": Metric(calibration_error, greater_is_better=False),
}
