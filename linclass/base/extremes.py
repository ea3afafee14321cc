"""Entries so large or so small that their products are no longer numbers."""

import numpy as np
import scipy.sparse as sp

from linclass.base.annotations import Matrix
from linclass.base.applicability import NotApplicable
from linclass.base.numerics.arrays import BLOCK

HUGE, TINY = 1e110, 1e-110  # between them products are floats, also with weights


def refuse_extremes(X: Matrix, names: np.ndarray | None) -> None:
    """Raise NotApplicable for a column whose largest entry is above HUGE, or below TINY but not 0."""
    largest = _largest_entries(X)
    for happens, bad in (
        ("overflow", largest > HUGE),
        ("underflow", (largest > 0) & (largest < TINY)),
    ):
        if bad.any():
            column = int(bad.argmax())
            name = column if names is None else repr(str(names[column]))
            raise NotApplicable(
                f"X has entries of size {largest[column]:g} in column {name}, whose products "
                f"{happens}; standardize the features."
            )


def _largest_entries(X: Matrix) -> np.ndarray:
    """max_i |x_ij| of each column; of dense rows block by block, without a copy of them."""
    if sp.issparse(X):
        return abs(X).max(axis=0).toarray().ravel()
    largest = np.zeros(X.shape[1])
    for start in range(0, len(X), BLOCK):
        np.maximum(largest, np.abs(X[start : start + BLOCK]).max(axis=0), out=largest)
    return largest


def refuse_tiny_classes(classes: np.ndarray, mass: np.ndarray) -> None:
    """Raise NotApplicable for a class whose total weight is so small that dividing by it overflows."""
    if (mass < TINY).any():
        k = int(mass.argmin())
        raise NotApplicable(
            f"the rows of class {classes.tolist()[k]!r} have the total weight {mass[k]:g}, by which sums are divided; "
            "leave the class out, or give it more weight."
        )


def refuse_extreme_sizes(values: np.ndarray, what: str, remedy: str) -> None:
    """Raise NotApplicable for targets or weights whose largest is above HUGE, or below TINY but not 0."""
    largest = np.abs(values).max(initial=0)
    if largest > HUGE or 0 < largest < TINY:
        happens = "overflow" if largest > HUGE else "underflow"
        raise NotApplicable(
            f"{what} has sizes up to {largest:g}, whose products {happens}; {remedy}."
        )
