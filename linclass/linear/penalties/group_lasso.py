"""Group lasso  Σ_g √p_g ‖W_g‖,  where W_g holds the weights of the p_g features of a group, in all K scores.

Its kink is at W_g = 0: a group enters or stays out as a whole, such as the indicators of one category. Without groups
each feature is one, with its weights in all scores: the multi-task lasso, and glmnet's grouped multinomial. The
conjugate is 0 if all ‖U_g‖ ≤ √p_g, and +∞ otherwise.   Yuan & Lin (2006), J. Royal Statistical Society B 68;
Obozinski, Taskar & Jordan (2010), Statistics and Computing 20
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import warn_caller
from linclass.linear.penalties.base import (
    EDGE,
    KinkedPenalty,
    Level,
    are_labels,
    feature_of,
    label_numbers,
    owners,
    require_names,
    require_one_each,
)

NEWTON = 100  # steps at most; few are needed
LENGTH_ROUNDING = 1e-14


@dataclass(frozen=True)
class GroupLasso(KinkedPenalty):
    """Σ_g √p_g ‖W_g‖.

    Parameters
    ----------
    groups : array of shape (d,), 'feature', dict or None, default=None
        Group of each feature: a name or a number. None makes each feature a group of its own. 'feature' makes the
        columns that one_hot makes of a feature a group, `city=Paris` and `city=Rome`. A dict has groups by name of
        feature; features that it does not name are groups as with 'feature' and '='.
    separator : str, default='='
        Separator of feature and category in the name of a column: '_' for scikit-learn's OneHotEncoder,
        `city_Paris`. The feature is what stands before the first '=', or the last of another separator.
    """

    groups: Any = None
    separator: str = "="

    prox_by_feature: ClassVar[bool] = True
    grouped: ClassVar[bool] = True

    @property
    def kink(self) -> Any:  # type: ignore[override]
        return self._roots

    @property
    def needs_names(self) -> bool:
        return self._by_feature or isinstance(self.groups, Mapping)

    @property
    def _by_feature(self) -> bool:
        return isinstance(self.groups, str) and self.groups == "feature"

    def for_features(self, n_features: int, names: Sequence[str] | None) -> Self:
        if not self.needs_names:
            if self.groups is not None:
                require_one_each("groups", self.groups, n_features)
            return self
        names = require_names("groups", names)
        named = {} if self._by_feature else self.groups
        keys = owners("groups", named, names, self.separator)
        separator = self.separator if self._by_feature else "="
        group_of = [  # a group that the user names differs from a feature of that name
            ("feature", feature_of(name, separator)) if key is None else ("group", named[key])
            for key, name in zip(keys, names, strict=True)
        ]
        if len(set(group_of)) == len(names) > 1:
            warn_caller(
                f"groups is {self.groups!r}, but each of the {len(names)} groups has one column, such as "
                f"{names[0]!r} and {names[-1]!r}; set the separator of features and categories in their "
                "names, as {'groups': 'feature', 'separator': '_'} for scikit-learn's OneHotEncoder."
            )
        place = {group: number for number, group in enumerate(dict.fromkeys(group_of))}
        return replace(self, groups=[place[group] for group in group_of])

    def value(self, W: Array) -> float:
        norms = self._norms(W)
        return float(norms.sum() if self.groups is None else (norms / self._sizes) @ self._roots)

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        """G + t√p W_g/‖W_g‖; where W_g = 0, the excess of ‖G_g‖ over t√p."""
        norms, kinks = self._norms(W), t * self._roots
        inward = kinks * W / np.where(norms > 0, norms, 1)
        return np.where(norms > 0, G + inward, self.prox(G, t))

    def hessian(self, W: Array) -> Array:
        """√p (I − W_g W_gᵀ/‖W_g‖²)/‖W_g‖ of each group."""
        place = np.arange(W.shape[-1]) if self.groups is None else self._place
        norms = np.where((norms := self._norms(W)) > 0, norms, np.inf)
        v, place = (W / norms).ravel(), np.broadcast_to(place, W.shape).ravel()
        each = np.broadcast_to(self._roots / norms, W.shape).ravel()
        bend: Array = each * (np.eye(W.size) - np.outer(v, v))
        return np.where(place[:, None] == place, bend, 0.0)

    def sizes(self, W: Array) -> Array:
        return np.broadcast_to(self._norms(W), W.shape)

    def places(self, n_features: int) -> Array:
        return np.arange(n_features) if self.groups is None else self._place

    def dual_norm(self, G: Array) -> float:
        return float((self._norms(G) / self._roots).max(initial=0))

    def prox(self, W: Array, t: Level) -> Array:
        """Every W_g is shortened by t√p; if t differs within groups, w_j to w_j ν/(ν + t_j√p), where ν is its norm."""
        norms = self._norms(W)
        if self.groups is None or np.ndim(t) == 0:
            return W * np.maximum(1 - t * self._roots / np.where(norms > 0, norms, np.inf), 0)
        place, kinks = self._place, t * self._roots
        squares = (W * W).reshape(-1, W.shape[-1]).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            moves = np.flatnonzero(np.bincount(place, squares / kinks**2)[place] > 1)
        _, place = np.unique(place[moves], return_inverse=True)
        kinks = kinks[moves]
        length = lengths(squares[moves], np.ones(len(moves)), kinks, place)[place]
        V = np.zeros_like(W)
        V[..., moves] = W[..., moves] * (length / (length + kinks))
        return V

    def conjugate(self, U: Array) -> float:
        return 0.0 if self.dual_norm(U) <= EDGE else np.inf

    def into_domain(self, U: Array) -> float:
        return 1 / max(1.0, self.dual_norm(U))

    def on(self, features: Array) -> Self:
        """The factor √p of a group stays that of all its features."""
        if self.groups is None:
            return self
        part = replace(self, groups=np.asarray(self.groups)[features])
        vars(part)["_roots"] = self._roots[features]
        return part

    def check(self) -> None:
        if not (isinstance(self.separator, str) and self.separator):
            raise ValueError(f"separator is {self.separator!r}; give a string such as '=' or '_'.")
        if self.needs_names:
            return
        if self.groups is not None and not are_labels(self.groups):
            raise ValueError(
                f"groups is {self.groups!r}; give the group of each feature in a list, all of one type, or 'feature'."
            )

    @cached_property
    def _place(self) -> Array:
        """Number of the group of each feature."""
        return label_numbers(self.groups)

    @cached_property
    def _sizes(self) -> Array:
        """p_g of the group of each feature."""
        return np.bincount(self._place)[self._place]

    @cached_property
    def _roots(self) -> Any:
        """√p_g of the group of each feature."""
        return 1.0 if self.groups is None else np.sqrt(self._sizes)

    def _norms(self, W: Array) -> Array:
        """‖W_g‖ of the group of each feature."""
        squares = (W * W).reshape(-1, W.shape[-1]).sum(axis=0)
        if self.groups is not None:
            squares = np.bincount(self._place, squares)[self._place]
        return np.sqrt(squares)


def lengths(squares: Array, scales: Array, kinks: Array, place: Array) -> Array:
    """The length ν ≥ 0 of each group with  Σ_j b_j²/(a_j ν + κ_j)² = 1  over its entries j, where the sum exceeds 1 at
    ν = 0, for the squares b_j², scales a_j and kinks κ_j > 0. `place` has the group of each entry.

    To the power −½ the sum is concave in ν, so Newton's method from 0 never passes the root.
    """
    length = np.zeros(place.max(initial=-1) + 1)
    for _ in range(NEWTON):
        sizes = scales * length[place] + kinks
        terms = squares / sizes**2
        f, g = (np.bincount(place, v, len(length)) for v in (terms, terms * scales / sizes))
        step = f * (np.sqrt(f) - 1) / g
        length += step
        if (step <= LENGTH_ROUNDING * length).all():
            break
    return length
