"""AUC: the probability that a row of the class scores higher than a row of another; ties are half.

P(s₊ > s₋) + ½ P(s₊ = s₋) over all pairs, which is the area under the ROC curve:  ∫ TP dFP / (P N), by trapezoids.
Two classes: of the positive one. More: the mean over the classes that have rows, each against the rest.
NaN where all rows are of one class.   Hanley & McNeil (1982)
"""

import numpy as np

from linclass.evaluation.metrics.curves import Curve, mean_over_classes
from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio


def auc(p: Predictions) -> Array:
    return mean_over_classes(p, area_under_roc)


def area_under_roc(found: Curve) -> Array:
    tp, fp, positives, negatives = found
    width, height = np.diff(fp, prepend=0), np.diff(tp, prepend=0)
    twice = (width * (2 * tp - height)).sum(axis=-1)
    return np.minimum(defined_ratio(twice, 2 * positives * negatives), 1)  # rounding of weights


METRICS = {"auc": auc}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
