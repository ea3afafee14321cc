"""Fits of an estimator with several settings of its parameters, which share work where possible.

Settings that differ only in their strength are fitted along a path (linclass/base/many_fits.py), folds × settings in
one batch if the estimator has `fit_many`. A meta-estimator with `_fits_with`, such as OneVsOne, does so for settings
of its base estimator. Any other estimator is fitted once for each setting.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from linclass.base.arrays import Array, EstimatorLike, MatrixLike
from linclass.base.messages import NotApplicable
from linclass.base.meta_estimator import Given, caller_rows, fit_inside, some_rows, with_messages
from linclass.base.parameters import key_of
from linclass.tuning.folds import Split
from linclass.tuning.selection import Option

INSIDE = "estimator__"  # parameters of the base estimator of another that has `_fits_with`


def fits_of(
    estimator: EstimatorLike, options: Sequence[Option], X: MatrixLike, y: Array, given: Given
) -> list[Any]:
    """A fit to these rows for each option."""
    inner = [{k.removeprefix(INSIDE): v for k, v in option.items()} for option in options]
    inside = all(k.startswith(INSIDE) for option in options for k in option)
    if hasattr(estimator, "_fits_with") and inside:
        fits: list[Any] = clone(estimator)._fits_with(inner, X, y, given)
        return fits
    fits = [None] * len(options)
    name = getattr(estimator, "path_parameter", "strength")
    for members in _along_paths(options, name):
        first, some = _changed(estimator, options[members[0]]), [options[i] for i in members]
        if goes_along_paths(first, some):
            values = [option[name] for option in some]
            new: Sequence[Any] = first.path(caller_rows(X), y, values, sample_weight=given.weights)
        else:
            models = [_changed(estimator, options[i]) for i in members]
            new = [fit_inside(model, X, y, given) for model in models]
        for i, fit in zip(members, new, strict=True):
            fits[i] = fit
    return fits


def fits_with_messages(
    estimator: EstimatorLike, options: Sequence[Option], X: MatrixLike, y: Array, given: Given
) -> tuple[list[Any], list[list[str]]]:
    """`fits_of`, and for each fit the messages of other libraries' warnings about convergence."""
    joint = hasattr(estimator, "_fits_with") or goes_along_paths(estimator, options)
    fits, messages = list[Any](), list[list[str]]()
    for part in [options] if joint else [[option] for option in options]:
        new, warned = with_messages(partial(fits_of, estimator, part, X, y, given))
        fits += new
        messages += [warned] * len(part)
    return fits, messages


def _changed(estimator: EstimatorLike, option: Option) -> Any:
    """An unfitted copy; one without `set_params` serves where nothing is set."""
    model = clone(estimator)
    return model.set_params(**option) if option else model


def goes_along_paths(estimator: EstimatorLike, options: Sequence[Option]) -> bool:
    """Whether `fits_of` shares work among these options."""
    inside = getattr(estimator, "estimator", None)
    if hasattr(estimator, "_fits_with") and inside is not None:
        inner = [{k.removeprefix(INSIDE): v for k, v in option.items()} for option in options]
        return goes_along_paths(inside, inner)
    if not callable(getattr(estimator, "path", None)) or not has_path(estimator):
        return False
    name = getattr(estimator, "path_parameter", "strength")
    several = any(len(members) > 1 for members in _along_paths(options, name))
    unpenalized = name == "strength" and any(not option.get(name, 0) > 0 for option in options)
    return several and not unpenalized and all(name in option for option in options)


def has_path(estimator: EstimatorLike) -> bool:
    """Whether the strength of an estimator matters; without a penalty it does not."""
    return bool(getattr(estimator, "strength_matters", True))


def fits_on_folds(
    estimator: EstimatorLike,
    options: Sequence[Option],
    X: MatrixLike,
    y: Array,
    given: Given,
    splits: Sequence[Split],
) -> Iterator[list[Any]]:
    """Fits to the training rows of each split, one for each option."""
    every = np.arange(len(y))
    once = all(np.array_equal(np.sort(np.concatenate(split)), every) for split in splits)
    if once and hasattr(estimator, "fit_many"):
        held_out = [split.held_out for split in splits]
        try:
            yield from clone(estimator).fit_many(
                caller_rows(X), y, held_out, list(options), sample_weight=given.weights
            )
        except NotApplicable:  # fold by fold, then
            pass
        else:
            return
    for train, _ in splits:
        rows = some_rows(X, train, estimator)
        yield fits_of(estimator, options, rows, y[train], given.at(train))


def _along_paths(options: Sequence[Option], name: str) -> Iterator[list[int]]:
    """Numbers of the options that agree in everything but this parameter."""
    groups: dict[Hashable, list[int]] = {}
    for i, option in enumerate(options):
        groups.setdefault(key_of({**option, name: None}), []).append(i)
    yield from groups.values()
