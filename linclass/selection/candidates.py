"""The fits of an estimator with several settings of its parameters, for less than the sum of their costs.

Settings that differ in their strength alone are fitted along a path (linclass/batches/regularization_path.py), folds ×
settings in one batch where the estimator has `fit_many`; any other estimator is fitted once for each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from linclass.annotations import EstimatorLike, MatrixLike
from linclass.applicability import NotApplicable
from linclass.conventions.cloned import cloned
from linclass.conventions.meta_estimator import Given, fit_inside, some_rows
from linclass.conventions.offsets import offset_for, require_columns_of_classes
from linclass.conventions.parameters import key_of
from linclass.input.given_rows import caller_rows
from linclass.numerics.arrays import Array

Option = dict[str, Any]


def fits_of(
    estimator: EstimatorLike,
    options: Sequence[Option],
    X: MatrixLike,
    y: Array,
    given: Given,
) -> list[Any]:
    """A fit to these rows for each option."""
    weights, _, offset = given
    fits: list[Any] = [None] * len(options)
    for members in _along_paths(options):
        first = cloned(estimator).set_params(**options[members[0]])
        strengths = [options[i].get("strength", 0) for i in members]
        if len(members) > 1 and min(strengths) > 0 and hasattr(first, "path") and has_path(first):
            of_path = offset_for(first.path, offset)
            own: Sequence[Any] = first.path(
                caller_rows(X), y, strengths, sample_weight=weights, **of_path
            )
        else:
            models = [cloned(estimator).set_params(**options[i]) for i in members]
            own = [fit_inside(model, X, y, given) for model in models]
        for i, fit in zip(members, own, strict=True):
            fits[i] = fit
    return fits


def has_path(estimator: EstimatorLike) -> bool:
    """Whether its strength matters: without a penalty the fits at all strengths are one."""
    return not hasattr(estimator, "_penalty") or bool(estimator._penalty().binds)


def fits_on_folds(
    estimator: EstimatorLike,
    options: Sequence[Option],
    X: MatrixLike,
    y: Array,
    given: Given,
    held_out: Sequence[Array],
) -> Iterator[list[Any]]:
    """For each fold the fits to the rows that it does not hold out."""
    if hasattr(estimator, "fit_many"):
        own = offset_for(estimator.fit_many, given.offset)
        try:
            yield from cloned(estimator).fit_many(
                caller_rows(X), y, held_out, list(options), sample_weight=given.weights, **own
            )
        except NotApplicable:  # fold by fold, then
            pass
        else:
            return
    for rows in held_out:
        kept = np.ones(len(y), dtype=bool)
        kept[rows] = False
        require_columns_of_classes(given.offset, y, kept)
        yield fits_of(estimator, options, some_rows(X, kept), y[kept], given.at(kept))


def _along_paths(options: Sequence[Option]) -> Iterator[list[int]]:
    """Numbers of the options that agree in everything but the strength."""
    groups: dict[str, list[int]] = {}
    for i, option in enumerate(options):
        others = {name: value for name, value in option.items() if name != "strength"}
        groups.setdefault(key_of(others), []).append(i)
    yield from groups.values()
