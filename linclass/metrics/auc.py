"""AUC: the probability that a row of the class scores higher than a row of another; ties are half.

P(s₊ > s₋) + ½ P(s₊ = s₋) over all pairs, by two sorts and a merge instead of n₊·n₋ comparisons.
Two classes: of the positive one. More: the mean over the classes, each against the rest. There
the rows are ordered by the probability of the class where the model gives one, since the scores of
such models are fixed only up to a constant of each row.   Hanley & McNeil (1982)
"""

import numpy as np

from linclass.metrics.predictions import Predictions


def auc(p: Predictions) -> float | None:
    if p.n_classes == 2:
        return correct_order(p.score[:, p.positive], p.y_true == p.positive)
    S = p.score if p.log_proba is None else p.log_proba
    each = [correct_order(S[:, k], p.y_true == k) for k in range(p.n_classes)]
    defined = [value for value in each if value is not None]
    return float(np.mean(defined)) if defined else None


def correct_order(score: np.ndarray, member: np.ndarray) -> float | None:
    """P(s₊ > s₋) + ½ P(s₊ = s₋); None when there are no pairs."""
    inside, outside = np.sort(score[member]), np.sort(score[~member])
    if not len(inside) or not len(outside):
        return None
    below = np.searchsorted(outside, inside, "left").sum()
    not_above = np.searchsorted(outside, inside, "right").sum()
    return float((below + not_above) / (2 * len(inside) * len(outside)))


METRICS = {"auc": auc}
GREATER_IS_BETTER = True
