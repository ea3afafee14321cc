"""Average precision: the mean, over the rows of the class, of the precision among all rows that score at least as high.

    AP = Σ_i (R_i − R_{i−1}) P_i,      R = TP/P and P = TP/(TP + FP) at the i-th score from the top,

the area under the precision–recall curve as a step function; linear interpolation would overestimate it. Two classes:
of the positive one. More: the mean over the classes with rows, each against the rest. NaN if no row is of the class;
guessing gives the frequency of the class.   Davis & Goadrich (2006)
"""

import numpy as np

from linclass.evaluation.metrics.curves import Curve, mean_over_classes
from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio


def average_precision(p: Predictions) -> Array:
    return mean_over_classes(p, area_under_precision_recall)


def area_under_precision_recall(found: Curve) -> Array:
    tp, fp, positives, _ = found
    named = tp + fp
    precision = np.divide(tp, named, out=np.zeros(tp.shape), where=named > 0)
    precision *= np.diff(tp, prepend=0)
    return np.minimum(defined_ratio(precision.sum(axis=-1), positives), 1)  # rounding of weights


METRICS = {"average_precision": average_precision}
GREATER_IS_BETTER = True
BOUNDS = (0.0, 1.0)
