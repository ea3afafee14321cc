"""How several fits ended together: the worst of their statuses, and numbers that all of them have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linclass.base.annotations import EstimatorLike

WORST_LAST = ("converged", "rank_deficient", "max_iter", "separable")


def known_status(fit: EstimatorLike, otherwise: str) -> str:
    """The status of a fit if it is one of ours; a foreign attribute may mean anything."""
    status = getattr(fit, "status_", None)
    return status if isinstance(status, str) and status in WORST_LAST else otherwise


def over_fits(name: str, estimators: Sequence[Any], together: Any) -> float | None:
    values: list[Any] = [getattr(estimator, name, None) for estimator in estimators]
    try:
        return float(together([float(np.max(value)) for value in values]))
    except (TypeError, ValueError):  # missing in one, or not a number
        return None
