"""The rows of a call of `partial_fit`: checked, of classifiers coded by the classes of the first call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from linclass.base import validation
from linclass.base.arrays import Array, ArrayLike, MatrixLike
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass.base.messages import NotApplicable
from linclass.base.parameters import is_list
from linclass.base.regressor import Regressor
from linclass.base.validation import is_missing
from linclass.base.weights import class_weights


def rows_of_call(
    model: Classifier,
    begins: bool,
    X: MatrixLike,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[Any, Array, Array]:
    """(X, codes, weights > 0). The first call sets the classes and the features, and nothing if it is refused."""
    with nothing_if_refused(model, begins):
        return _rows_of_call(model, begins, X, y, classes, sample_weight)


def rows_with_targets(
    model: Regressor, begins: bool, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[Any, Array, Array]:
    """(X, y, weights > 0). The first call sets the features, and nothing if it is refused."""
    with nothing_if_refused(model, begins):
        model.check()
        X = _checked(model, begins, X)
        y = validation.targets(y, X.shape[0], type(model).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        return _of_weight(X, y, weights)


@contextmanager
def nothing_if_refused(model: Estimator, begins: bool) -> Iterator[None]:
    """Context of a call; what a first one has set is removed if it is refused."""
    try:
        yield
    except (ValueError, TypeError):
        if begins:
            model._forget("classes_", "n_features_in_", "feature_names_in_")
        raise


def _checked(model: Estimator, begins: bool, X: MatrixLike) -> Any:
    if begins:
        return validation.rows_to_learn(model, X)
    _refuse_changes(model)
    return model._check_rows(X, products=True)


def _rows_of_call(
    model: Classifier,
    begins: bool,
    X: MatrixLike,
    y: ArrayLike,
    classes: ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> tuple[Any, Array, Array]:
    model.check()
    balance = getattr(model, "class_weight", None)
    if isinstance(balance, str):
        raise ValueError(
            f"class_weight is {balance!r}, which needs all rows, but partial_fit sees some; give a dict "
            "of weights, or sample_weight."
        )
    X = _checked(model, begins, X)
    y = validation.labels(y, X.shape[0], type(model).__name__)
    weights = validation.row_weights(sample_weight, X.shape[0])
    found = _classes(y, classes) if begins else model.classes_
    if len(found) > 2 and model.for_more_classes:
        raise model._too_many_classes(found)
    codes = _codes(found, y, classes)
    if balance is not None:
        weights *= class_weights(balance, found, np.ones(len(found)))[codes]
    model.classes_ = found  # at last: without them the next call begins anew
    return _of_weight(X, codes, weights)


def _of_weight(X: Any, y: Array, weights: Array) -> tuple[Any, Array, Array]:
    """The rows of positive weight; no copy if all have some."""
    kept = weights > 0
    return (X, y, weights) if kept.all() else (X[kept], y[kept], weights[kept])


def begin_with(model: Estimator, names: Sequence[str]) -> None:
    """Keep the parameters that the state of the model depends on."""
    model._begun = {name: getattr(model, name) for name in names}


def _refuse_changes(model: Estimator) -> None:
    for name, old in getattr(model, "_begun", {}).items():
        if (new := getattr(model, name)) != old:
            raise ValueError(
                f"{name} was {old!r} when this {type(model).__name__} began, and is {new!r}; "
                "call fit to begin anew."
            )


def _classes(y: Array, given: Any) -> Array:
    classes = validation.encode(y)[0] if given is None else _named(given)
    if len(classes) < 2:
        raise NotApplicable(
            f"y has 1 class so far: {classes.tolist()[0]!r}; classes must be passed on the first "
            "call, classes=[…]."
        )
    return classes


def _named(given: Any) -> Array:
    """The classes that a call names, sorted."""
    if not is_list(given):
        raise ValueError(f"classes is {given!r}; give all classes in a list.")
    if any(map(is_missing, np.asarray(given).tolist())):
        raise ValueError(f"classes is {given!r}, with a missing label; leave it out.")
    return validation.encode(np.asarray(given))[0]


def _codes(classes: Array, y: Array, given: Any) -> Array:
    """`given`, if it is not None, must repeat the classes of the first call."""
    if given is not None and not np.array_equal(_named(given), classes):
        raise ValueError(
            f"`classes={given!r}` is not the same as on last call to partial_fit, was: {classes!r}."
        )
    known = np.isin(y, classes)
    if not known.all():
        raise ValueError(
            f"y holds {y[~known].tolist()[0]!r}, but the classes are {classes.tolist()}; name all of "
            "them in the first call, classes=[…]."
        )
    return np.searchsorted(classes, y)
