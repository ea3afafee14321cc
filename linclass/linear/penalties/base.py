"""The interface of penalties. W is (K, d) or (d,), without the intercept.

The smooth part of a penalty is Σ ½μ_j w_j², with `curvature` μ, one number or one for each feature. Solvers of smooth
objectives use `value` and `curvature`, proximal ones `prox`, duality gaps the conjugate, and degrees of freedom the
`hessian`. A penalty with a kink at 0 is a `KinkedPenalty`: its `steepest` is the subgradient of least norm, which is 0
at a minimum, where solvers stop.
Methods without a default that is right for every penalty raise NotImplementedError.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import is_list
from linclass.base.parts import NamedPart
from linclass.base.suggestions import near_names

Level = float | Array  # one number for all entries of W, or an array that broadcasts to them
EDGE = 1 + 1e-12  # on the boundary of the domain of the conjugate, up to rounding


@dataclass(frozen=True)
class Penalty(NamedPart):
    binds: ClassVar[bool] = True  # False: no penalty, whatever the strength
    prox_by_feature: ClassVar[bool] = False  # whether `prox` takes a t of each feature, too
    entrywise: ClassVar[bool] = False  # Σ κ_j|w_j| + ½μ_j w_j², with κ_j the `kink`
    grouped: ClassVar[bool] = False  # Σ κ_g‖W_g‖, with κ_g of each feature the `kink`
    # a sum over entries that is the same for all of them
    uniform: ClassVar[bool] = False
    kinked: ClassVar[bool] = False  # at W = 0
    strongly_convex: ClassVar[bool] = False  # penalty(W) − c‖W‖² is convex for some c > 0
    # half the jump of the derivative at 0: |g| must exceed it to move an entry from 0
    kink: ClassVar[Level] = 0.0
    curvature: ClassVar[Level] = 0.0  # of the smooth part
    # mask of features without a penalty, if there are any
    unpenalized: ClassVar[Array | None] = None
    intercept: ClassVar[Any] = None  # its factor in the penalty; None does not penalize it
    # (penalty, strength) of a fit that comes first and determines this penalty; None if there is none.
    initial: ClassVar[tuple[Penalty, float] | None] = None

    @property
    def needs_names(self) -> bool:
        """Whether an option is given by the names of features."""
        return False

    def for_features(self, n_features: int, names: Sequence[str] | None) -> Self:
        """The penalty whose options have one entry per column, or ValueError; `names` is None without column names."""
        return self

    def after(self, W: Array) -> Penalty:
        """The penalty, given the weights of the fit that came first."""
        return self

    def value(self, W: Array) -> float:
        raise self._missing("value")

    def hessian(self, W: Array) -> Array:
        """The Hessian (W.size, W.size) while zeros stay zeros."""
        return np.diag(np.broadcast_to(self.curvature, W.shape).ravel())

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        """The element of least norm of  G + t·∂(part with kinks)(W),  for the gradient G of all that is smooth."""
        return G  # without a kink there is no other

    def dual_norm(self, G: Array) -> float:
        """The least t from which on W = 0 minimizes ⟨G, W⟩ + t·penalty(W), where there is a kink."""
        raise self._missing("dual_norm")

    def prox(self, W: Array, t: Level) -> Array:
        """argmin_V  t·penalty(V) + ½‖V − W‖²;  with a t of each feature,  penalty(V) + Σ_j ‖V_j − W_j‖²/2t_j."""
        raise self._missing("prox")

    def sizes(self, W: Array) -> Array:
        """‖W_g‖ of the group of each entry, whose kink is at 0."""
        return np.abs(W)

    def places(self, n_features: int) -> Array:
        """The number of the group of each feature, of a `grouped` penalty."""
        raise self._missing("places")

    def pieces(self, W: Array) -> Array | None:
        """The number of the piece of each entry, 0 of entries that are 0, so that the penalty is linear while all of a
        piece move alike and those stay 0; None if there are no such pieces to use.
        """
        return None

    def conjugate(self, U: Array) -> float:
        """penalty*(U) = sup_W ⟨U, W⟩ − penalty(W)."""
        raise self._missing("conjugate")

    def into_domain(self, U: Array) -> float:
        """The largest factor c ≤ 1 with penalty*(c·U) < ∞."""
        if self.strongly_convex:
            return 1.0
        raise self._missing("into_domain")

    def on(self, features: Array) -> Self:
        """The penalty on some features, with all other weights 0."""
        raise self._missing("on")

    def with_intercept(self, n_features: int) -> Self:
        """The penalty where the intercept is the weight of a last feature, the constant 1."""
        return self

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the options are invalid."""

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(f"the penalty {self.name} has no method {method}; define it.")


PenaltyLike = str | Mapping[str, Any] | Penalty | None  # a name, {name: options} or a penalty


@dataclass(frozen=True)
class KinkedPenalty(Penalty):
    """A penalty with a kink at W = 0, which defines `value`, `steepest`, `dual_norm`, `prox`, `conjugate`,
    `into_domain` and `on`, and `hessian` for AIC and BIC."""

    kinked: ClassVar[bool] = True

    def hessian(self, W: Array) -> Array:
        raise self._missing("hessian")

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        raise self._missing("steepest")


# Options with an entry for each feature, given by the names of features or as a list of labels.
#
# A column `city=Paris`, as one_hot names it, belongs to the feature `city`; any other column is a feature by itself.
# scikit-learn's OneHotEncoder names it `city_Paris`, where the separator is `_`.


def feature_of(column: str, separator: str = "=") -> str:
    """The original feature of a column: what stands before the first `=`, or the last of any other separator.

    A doubled separator separates nothing: in `cat__job_type_clerk` the feature is `cat__job_type`.
    """
    if separator == "=":
        return column.partition("=")[0] or column
    single = f"(?<!{re.escape(separator)}){re.escape(separator)}(?!{re.escape(separator)})"
    places = [match.start() for match in re.finditer(single, column) if match.start()]
    return column[: places[-1]] if places else column


def owners(
    option: str, given: Mapping[Any, Any], names: Sequence[str], separator: str = "="
) -> list[str | None]:
    """The key of `given` that names each column or its feature; None if there is none."""
    owner_keys = list[str | None]()
    for name in map(str, names):
        # the longest key counts, so that a column can differ from the others of its feature
        matching = [key for key in given if name == key or name.startswith(f"{key}{separator}")]
        owner_keys.append(max(matching, key=len, default=None))
    for key in given:
        if key not in owner_keys and key not in names:
            similar = near_names(key, [*map(feature_of, names), *names])
            some = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
            remedy = f"did you mean {similar[0]!r}?" if similar else f"they are {some}."
            raise NotApplicable(f"{option} names {key!r}, which no feature is called; {remedy}")
    return owner_keys


def require_names(option: str, names: Sequence[str] | None) -> Sequence[str]:
    if names is None:
        raise NotApplicable(
            f"{option} are given by feature, but the features have no names; pass a data frame, or give "
            f"{option} as a list with an entry for each column."
        )
    return names


def label_numbers(labels: Any) -> Array:
    """The labels as numbers 0, 1, …, in sorted order."""
    return np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)


def are_labels(given: Any) -> bool:
    """Whether a value is a list of names or numbers of one type."""
    try:
        labelled = is_list(given) and np.asarray(given).ndim == 1
        if labelled:
            label_numbers(given)  # names of several types have no order
    except (TypeError, ValueError):
        return False
    return labelled


def require_one_each(option: str, labels: Any, n_features: int) -> None:
    if len(labels) != n_features:
        raise ValueError(
            f"{option} has {counted(len(labels), 'entry')} for {counted(n_features, 'feature')}; give one for each."
        )
