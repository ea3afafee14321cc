"""The order of the classes, for models of ordered classes: given as `order`, or by the type of y, or sorted.

An ordered categorical of pandas and an Enum of Polars have an order; NumPy's strings have none, so that sorting them is
a guess: 'high' < 'low' < 'mid'.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.annotations import ArrayLike, EstimatorLike
from linclass.base.cloned import cloned
from linclass.base.convergence_warning import warn_user


def class_order(y: ArrayLike, classes: np.ndarray) -> list[Any]:
    """The classes in the order of the type of y, else sorted; of more than two strings that is a guess, and warns."""
    known = classes.tolist()
    if (levels := _levels(y)) is not None:
        return [level for level in levels if level in known]
    if len(known) > 2 and isinstance(known[0], str | bytes):
        warn_user(
            f"the classes are strings, so their order is alphabetical: {' < '.join(map(repr, known))}. Set "
            "order=[...], or give y as an ordered categorical of pandas or an Enum of Polars."
        )
    return known


def _levels(y: ArrayLike) -> list[Any] | None:
    """All categories in their order, where the type of y has one."""
    columns = getattr(y, "columns", None)
    column: Any = y if columns is None else y[columns[0]]  # type: ignore[index]
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(dtype.categories.to_list())  # type: ignore[union-attr]
    return None


def with_class_order(
    model: EstimatorLike, y: ArrayLike, classes: np.ndarray, codes: bool = False
) -> EstimatorLike:
    """`model`, where it or an estimator inside orders classes, with their order, as it will see y without its type.

    `codes`: it will see the classes as 0, 1, …
    """
    if not hasattr(model, "get_params"):
        return model
    inside = {"": model} | {f"{name}__": value for name, value in model.get_params().items()}
    orders: dict[str, Any] = {}
    for name, one in inside.items():
        if getattr(one, "orders_classes", False) and (codes or one.order is None):
            orders[f"{name}order"] = one.order if one.order is not None else class_order(y, classes)
    if codes:
        code = {label: k for k, label in enumerate(classes.tolist())}
        orders = {name: [code.get(c, c) for c in order] for name, order in orders.items()}
    return cloned(model).set_params(**orders) if orders else model
