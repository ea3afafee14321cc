"""An unfitted copy of an estimator, ours or another's, as scikit-learn's `clone` makes it."""

from __future__ import annotations

import copy

from linclass.base.arrays import EstimatorLike


def cloned(estimator: EstimatorLike) -> EstimatorLike:
    """An unfitted copy, in scikit-learn's way where the estimator has parameters."""
    if not hasattr(estimator, "get_params") or isinstance(estimator, type):
        return copy.deepcopy(estimator)
    params = estimator.get_params(deep=False)
    copied = type(estimator)(**{name: cloned(value) for name, value in params.items()})
    if hasattr(estimator, "_metadata_request"):  # what it asks for is no parameter
        copied._metadata_request = copy.deepcopy(estimator._metadata_request)
    return copied
