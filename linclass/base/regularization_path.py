"""What `path` returns: the fits of one model at several strengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from linclass.base.numerics.arrays import Array

COUNT = 31  # strengths of a path by default


class RegularizationPath(Sequence[Any]):
    """Fitted estimators, one for each strength, in the order in which the strengths were given.

    `path[i]` is an estimator. Attributes ending in `_` are arrays over the path: `coef_`,
    `intercept_`, `objective_`, `certificate_`, `n_iter_`, `status_`.

    Parameters
    ----------
    estimators : iterable of estimators
        Fitted estimators.
    parameter : str, default='strength'
        The parameter in which they differ.

    Attributes
    ----------
    strengths : array of shape (m,)
        Strength of each estimator.
    """

    def __init__(self, estimators: Iterable[Any], parameter: str = "strength"):
        self.estimators = list(estimators)
        self.parameter = parameter

    @overload
    def __getitem__(self, i: int) -> Any: ...
    @overload
    def __getitem__(self, i: slice) -> RegularizationPath: ...
    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return RegularizationPath(self.estimators[i], self.parameter)
        return self.estimators[i]

    def __len__(self) -> int:
        return len(self.estimators)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators)

    def __getattr__(self, name: str) -> Array:
        if not name.endswith("_") or name.startswith("_"):
            raise AttributeError(
                f"a path has no {name!r}; ask one of its estimators: path[i].{name}"
            )
        return np.array([getattr(estimator, name) for estimator in self.estimators])

    @property
    def strengths(self) -> Array:
        """Strength of each estimator, or what else the path goes along."""
        return np.array([getattr(estimator, self.parameter) for estimator in self.estimators])

    def __repr__(self) -> str:
        if not self.estimators:
            return "<RegularizationPath of nothing>"
        s = self.strengths
        endings = ", ".join(f"{n} {status}" for status, n in Counter(self.status_.tolist()).items())
        name = type(self.estimators[0]).__name__
        ends = f"{self.parameter}s {s.min():g} … {s.max():g}"
        return f"<RegularizationPath of {len(self)} × {name}, {ends}: {endings}>"


def check_strengths(strengths: Any) -> list[float]:
    """The strengths as positive floats, at least one; otherwise ValueError with one sentence."""
    try:
        values = np.asarray(strengths, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or not values.size:
        raise ValueError(f"strengths is {strengths!r}; give a list of at least one number.")
    if not (np.isfinite(values) & (values > 0)).all():
        bad = values[~(np.isfinite(values) & (values > 0))][0]
        raise ValueError(
            f"strengths holds {bad:g}; on a path every strength is finite and above 0."
        )
    return values.tolist()
