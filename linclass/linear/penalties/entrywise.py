"""Penalties that are sums over the entries of W:  Σ_j f_j (l1·|w_j| + l2·½w_j²).

The factors f_j ≥ 0 are 1, or one for each feature: a feature with factor 2 is penalized twice as much, one with
factor 0 not at all. They are not rescaled.   Friedman, Hastie & Tibshirani (2010), J. Statistical Software 33(1), §2.6
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import Array, soft_threshold
from linclass.base.documentation import documented
from linclass.base.messages import counted
from linclass.base.parameters import require_nonnegative
from linclass.linear.penalties.base import (
    EDGE,
    KinkedPenalty,
    Level,
    Penalty,
    owners,
    require_names,
)


@dataclass(frozen=True)
class Unpenalized(Penalty):
    """No penalty: maximum likelihood, ordinary least squares.

    Its conjugate is 0 at 0 and +∞ elsewhere. No dual point is exactly feasible, so the certificate is the gradient
    and not a gap.
    """

    binds: ClassVar[bool] = False
    prox_by_feature: ClassVar[bool] = True
    entrywise: ClassVar[bool] = True
    uniform: ClassVar[bool] = True

    def value(self, W: Array) -> float:
        return 0.0

    def prox(self, W: Array, t: Level) -> Array:
        return W

    def conjugate(self, U: Array) -> float:
        return 0.0 if not np.any(U) else np.inf

    def into_domain(self, U: Array) -> float:
        return 1.0 if not np.any(U) else 0.0

    def on(self, features: Array) -> Self:
        return self


@dataclass(frozen=True)
class Entrywise(KinkedPenalty):
    """Σ_j f_j (l1·|w_j| + l2·½w_j²).

    Parameters
    ----------
    factors : array of shape (d,), dict or None, default=None
        Factor f_j ≥ 0 of each feature in the penalty; 0 does not penalize it. None is 1 for all. A dict has factors
        by name, 1 for features that it does not name; that of `city` holds for the columns `city=…` of one_hot.
    intercept : float or None, default=None
        Factor of the intercept in the penalty, above 0. None does not penalize it.
    """

    factors: Sequence[float] | Array | Mapping[str, float] | None = field(
        default=None, kw_only=True
    )
    intercept: Any = field(default=None, kw_only=True)  # type: ignore[misc]

    prox_by_feature: ClassVar[bool] = True
    entrywise: ClassVar[bool] = True
    _factors: ClassVar[Level] = 1.0
    l1: ClassVar[float] = 0.0  # factor of |w|
    l2: ClassVar[float] = 0.0  # factor of ½w²

    def __post_init__(self) -> None:
        """Set the attributes that solvers use, unless an option is one that `check` refuses."""
        chosen, zero = self.factors, np.array(False)
        factors: Level = 1.0
        try:
            if chosen is not None:  # of a dict, before the fit: each once, and 1 of other features
                values = [*chosen.values(), 1.0] if isinstance(chosen, Mapping) else chosen
                factors = np.asarray(values, float)
                zero = np.equal(np.atleast_2d(factors), 0).all(axis=0)
            vars(self).update(
                _factors=factors,
                kink=self.l1 * factors if self.l1 else 0.0,
                curvature=self.l2 * factors if self.l2 else 0.0,
                kinked=self.l1 > 0,
                strongly_convex=self.l2 > 0 and not zero.any(),
                uniform=chosen is None and self.intercept in (None, 1),
                unpenalized=zero if zero.any() else None,
            )
        except (TypeError, ValueError):
            pass

    @property
    def needs_names(self) -> bool:
        return isinstance(self.factors, Mapping)

    def for_features(self, n_features: int, names: Sequence[str] | None) -> Self:
        if self.factors is None:
            return self
        if isinstance(self.factors, Mapping):
            keys = owners("factors", self.factors, require_names("factors", names))
            penalty = replace(self, factors=[1.0 if k is None else self.factors[k] for k in keys])
            penalty.check()
            return penalty
        if len(self.factors) != n_features:
            raise ValueError(
                f"factors has {counted(len(self.factors), 'number')} for {counted(n_features, 'feature')}; give one "
                "for each."
            )
        return self

    def value(self, W: Array) -> float:
        value = float((self.kink * np.abs(W)).sum()) if self.l1 else 0.0
        return value + 0.5 * float(np.vdot(W, self.curvature * W)) if self.l2 else value

    hessian = Penalty.hessian

    def steepest(self, W: Array, G: Array, t: float) -> Array:
        """The subgradient of least norm; at w = 0 the penalty has all those in ±t·kink: the excess of |G| is left."""
        if not self.l1:
            return G
        kink = t * self.kink
        return np.where(W == 0, soft_threshold(G, kink), G + kink * np.sign(W))

    def dual_norm(self, G: Array) -> float:
        if not self.l1:
            return 0.0
        kink = np.where(np.greater(self.kink, 0), self.kink, np.inf)
        return float((np.abs(G) / kink).max(initial=0))

    def prox(self, W: Array, t: Level) -> Array:
        V = soft_threshold(W, t * self.kink) if self.l1 else W
        return V / (1 + t * self.curvature) if self.l2 else V

    def conjugate(self, U: Array) -> float:
        """Σ max(|u_j| − κ_j, 0)²/(2μ_j) with kinks κ and curvatures μ; where μ_j = 0 it is 0, or ∞ beyond κ_j."""
        if not self.l2:
            return 0.0 if (np.abs(U) <= EDGE * self.kink).all() else np.inf
        unbounded = np.equal(self.curvature, 0)
        if np.any(unbounded) and np.any(U[np.broadcast_to(unbounded, U.shape)]):
            return np.inf
        beyond = np.maximum(np.abs(U) - self.kink, 0) if self.l1 else U
        return 0.5 * float(np.vdot(beyond, beyond / np.where(unbounded, 1, self.curvature)))

    def into_domain(self, U: Array) -> float:
        if self.strongly_convex:
            return 1.0
        size, kink = np.abs(U), self.kink
        if self.l2:  # only features with factor 0 have a bound
            size, kink = np.where(self._factors > 0, 0, size), 0.0
        over = np.divide(size, kink, out=np.where(size > 0, np.inf, 0.0), where=np.greater(kink, 0))
        return 1 / max(1.0, float(over.max(initial=0)))

    def on(self, features: Array) -> Self:
        return self if self.factors is None else replace(self, factors=self._factors[..., features])  # type: ignore[index]

    def with_intercept(self, n_features: int) -> Self:
        """The penalty where the intercept is the weight of a last feature, the constant 1."""
        factors = np.ones(n_features) if self.factors is None else np.asarray(self.factors, float)
        same = self.factors is None and self.intercept == 1
        return replace(self, factors=None if same else np.append(factors, self.intercept))

    def check(self) -> None:
        b = self.intercept
        if b is not None and not (isinstance(b, (int, float, np.number)) and 0 < b < np.inf):
            raise ValueError(f"intercept is {b!r}; its factor is a number above 0, or None.")
        if self.factors is None:
            return
        factors = np.asarray(self._factors)
        is_vector = "_factors" in vars(self) and factors.ndim == 1
        if not (is_vector and (np.isfinite(factors) & (factors >= 0)).all()):
            raise ValueError(
                f"factors is {self.factors!r}; give one number, at least 0, for each feature."
            )
        if not factors.any():
            raise ValueError("factors are all 0, which is no penalty. Use penalty=None.")


@documented
@dataclass(frozen=True)
class L2(Entrywise):
    """L2, ridge or Tikhonov penalty  ½‖W‖².   Hoerl & Kennard (1970), Technometrics 12"""

    l2: ClassVar[float] = 1.0


@documented
@dataclass(frozen=True)
class L1(Entrywise):
    """L1 or lasso penalty  ‖W‖₁ = Σ|w|,  whose kink at 0 makes entries exactly 0.

    Its conjugate is 0 if all |u| ≤ 1 and +∞ otherwise: a dual point is first scaled into that box.
    Tibshirani (1996), J. Royal Statistical Society B 58

    """

    l1: ClassVar[float] = 1.0


@documented
@dataclass(frozen=True)
class ElasticNet(Entrywise):
    """Elastic net  ρ‖W‖₁ + (1 − ρ)·½‖W‖²  with ρ = l1_ratio: from ridge (0) to lasso (1).

    The quadratic part makes the optimum unique and gives correlated features similar weights (the grouping effect),
    where the lasso may select any one of them.   Zou & Hastie (2005), J. Royal Statistical Society B 67

    Parameters
    ----------
    l1_ratio : float, default=0.5
        ρ, from 0 (ridge) to 1 (lasso).
    """

    l1_ratio: float = 0.5

    @property
    def l1(self) -> float:  # type: ignore[override]
        return self.l1_ratio

    @property
    def l2(self) -> float:  # type: ignore[override]
        return 1 - self.l1_ratio

    def check(self) -> None:
        if not (isinstance(self.l1_ratio, Real) and 0 <= self.l1_ratio <= 1):
            raise ValueError(f"l1_ratio is {self.l1_ratio!r}; it must be a number from 0 to 1.")
        super().check()


LEAST_WEIGHT = 1e-8  # relative to the largest |ŵ|: smaller ones count as this


@documented
@dataclass(frozen=True)
class AdaptiveLasso(Entrywise):
    """Adaptive lasso  Σ |w_kj|/|ŵ_kj|^γ,  in two steps: an initial estimate ŵ, then L1 with these factors.

    Weights that look large are penalized little, so that with more rows the support becomes the true one and the
    others are unbiased, which the lasso cannot have at once. ŵ is the fit of the same loss with L2 at
    `initial_strength`, which also exists where classes can be separated or features depend on each other; at 0 it is
    maximum likelihood or least squares, as in the paper. The factors are not rescaled.   Zou (2006), J. American
    Statistical Association 101

    Parameters
    ----------
    gamma : float, default=1.0
        γ, above 0: how much less the weights are penalized that the initial estimate has large.
    initial_strength : float, default=1e-3
        Strength of L2 in the initial estimate, at least 0.
    """

    gamma: float = 1.0
    initial_strength: float = 1e-3

    l1: ClassVar[float] = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        vars(self)["uniform"] = False

    @property
    def initial(self) -> tuple[Penalty, float]:  # type: ignore[override]
        return (L2() if self.initial_strength else Unpenalized()), self.initial_strength

    def after(self, W: Array) -> Penalty:
        size = np.abs(W)
        size = np.maximum(size, LEAST_WEIGHT * float(size.max(initial=0)) or 1.0)
        return L1(factors=self._factors / size**self.gamma)

    def check(self) -> None:
        super().check()
        if not (isinstance(self.gamma, Real) and 0 < self.gamma < np.inf):
            raise ValueError(f"gamma is {self.gamma!r}; it must be a number above 0.")
        require_nonnegative("initial_strength", self.initial_strength)
