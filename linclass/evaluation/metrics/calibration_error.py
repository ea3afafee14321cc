"""Expected calibration error: the difference between probabilities and observed frequencies.

    ECE = Σ_b (n_b/n) |mean p − frequency of the class|,   over 15 bins of p of equal width, (0, 1/15], …, (14/15, 1],

with the means taken in each bin. Two classes: of the probability of the positive class. More: the mean over classes,
each by its own probability (the classwise error). It is 0 in the limit for the true probabilities; with few rows it is
positive for any, because the frequencies in the bins are random, so compare it only on folds of equal size.
Naeini, Cooper & Hauskrecht (2015), AAAI; Kull et al. (2019), NeurIPS 32
"""

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio

BINS = 15


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


METRICS = {"calibration_error": calibration_error}
GREATER_IS_BETTER = False
BOUNDS = (0.0, 1.0)
