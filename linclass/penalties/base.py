"""The interface of penalties. W is (K, d) or (d,), without the intercept.

Smooth solvers ask for `value`, `gradient` and `curvature`; proximal ones for `prox`; `steepest` is the distance from
0 to the subgradients, by which all of them stop; the conjugate gives duality gaps. A penalty that is a sum over
entries, Σ κ_j|w_j| + ½μ_j w_j², also has `kink` κ and `curvature` μ, one number or one for each feature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from linclass.named_part import NamedPart
from linclass.numerics import Array

Level = float | Array  # one number for all entries of W, or an array that broadcasts to them


@dataclass(frozen=True)
class Penalty(NamedPart):
    binds: ClassVar[bool] = True  # False: no penalty, whatever the strength
    entrywise: ClassVar[bool] = True  # a sum over entries of W
    # (penalty, strength) of a fit that comes first and determines this penalty; None if there is none.
    initial: ClassVar[tuple[Penalty, float] | None] = None

    @property
    def free(self) -> Array | None:
        """Mask of the features without a penalty; None if there are none."""
        return None

    @property
    def kink(self) -> Level:
        """Half the jump of the derivative at 0: |g| must exceed it to move an entry from 0."""
        return 0.0

    @property
    def curvature(self) -> Level:
        """Curvature of the smooth part."""
        return 0.0

    @property
    def kinked(self) -> bool:
        """Whether the penalty has a kink at W = 0."""
        return False

    @property
    def curved(self) -> bool:
        """Whether the curvature is positive for every entry."""
        return False

    @property
    def uniform(self) -> bool:
        """Whether the penalty is the same for all entries."""
        return True

    def after(self, W: Array) -> Penalty:
        """The penalty, given the weights of the fit that came first."""
        return self

    def value(self, W: Array) -> float:
        raise NotImplementedError

    def value_at(self, point: Any) -> float:
        """The value at a point of an objective, whose scores may help."""
        return self.value(point.objective.weight_part(point.theta))

    def gradient(self, W: Array) -> Array:
        """Gradient of the smooth part."""
        return self.curvature * W

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        """The element of least norm of  G + t·∂(part with kinks)(W),  for the gradient G of all that is smooth."""
        return G

    def dual_norm(self, G: Array) -> float:
        """The least t from which on W = 0 minimizes ⟨G, W⟩ + t·penalty(W), where there is a kink."""
        return 0.0

    def prox(self, W: Array, t: float) -> Array:
        """argmin_V  t·penalty(V) + ½‖V − W‖²."""
        raise NotImplementedError

    def conjugate(self, U: Array) -> float:
        """penalty*(U) = sup_W ⟨U, W⟩ − penalty(W)."""
        raise NotImplementedError

    def into_domain(self, U: Array) -> float:
        """The largest factor c ≤ 1 with penalty*(c·U) < ∞."""
        return 1.0

    def on(self, features: Array) -> Self:
        """The same for some features, with all other weights 0."""
        return self

    def with_intercept(self, n_features: int) -> Self:
        """The penalty where the intercept is the weight of a last feature, the constant 1."""
        return self

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the options are invalid."""

    def check_features(self, n_features: int) -> None:
        """Raise ValueError, with one sentence, if the options do not fit so many features."""
