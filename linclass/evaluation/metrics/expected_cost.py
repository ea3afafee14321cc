"""Expected cost: the mean cost of the decisions,  (1/n) Σ_i L[a_i, y_i],  under the data set's risk matrix `costs:`.

L[a, k] is the cost of action a when the class is k. NaN if there is no risk matrix.   Duda, Hart & Stork (2001), §2.2
"""

import numpy as np

from linclass.evaluation.metrics.predictions import Array, Predictions, defined_ratio


def expected_cost(p: Predictions) -> Array:
    if p.costs is None:
        return p.undefined
    costs, C = np.asarray(p.costs, dtype=np.float64), p.confusion
    actions = C.shape[-1]
    if actions > len(costs):
        raise ValueError(
            f"y_pred is {actions - 1}; the risk matrix has {len(costs)} actions, 0 … {len(costs) - 1}."
        )
    return defined_ratio((C * costs[:actions].T).sum(axis=(-2, -1)), C.sum(axis=(-2, -1)))


METRICS = {"expected_cost": expected_cost}
GREATER_IS_BETTER = False
