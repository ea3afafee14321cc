"""The interface of losses: ℓ(y, z) of a score z, its slope and curvature in z, its conjugate.

Margin losses are functions of m = y·z with y = ±1, residual losses of r = z − y; the others (softmax, Kesler's, Crammer
and Singer's) are of K scores and a class code y."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import block_diag

from linclass.base.arrays import Array
from linclass.base.parts import NamedPart

# each includes the properties of the previous ones
KINDS = ("discrete", "convex", "smooth", "twice-smooth")


class Loss(NamedPart):
    """Value, derivatives and conjugate, vectorized over rows."""

    kind: ClassVar[str] = "twice-smooth"
    convex: ClassVar[bool] = True  # else a stationary point may be one of several minima
    smoothness: float = np.inf  # sup |ℓ″|: steps of 1/(smoothness·‖X‖²) always descend
    probabilistic: ClassVar[bool] = False  # a negative log-likelihood: scores give probabilities
    vanishes: ClassVar[bool] = True  # at finite scores; a likelihood only tends to 0
    canonical: ClassVar[bool] = False  # of a likelihood: ∂²ℓ/∂z² does not depend on y
    certain: ClassVar[float] = 5.0  # of a likelihood: the score from which its slope is below 1 %
    quadratic: ClassVar[bool] = False
    mistake_driven: ClassVar[bool] = False  # only misclassified rows have a loss
    piecewise_linear: ClassVar[bool] = False
    piecewise_quadratic: ClassVar[bool] = False  # ℓ″ is 0 or a constant: Newton's method is finite
    simplicial: ClassVar[bool] = False  # K slopes p − e_y, p on the simplex
    binary: ClassVar[str | None] = None  # name of the loss for two classes, for a loss of K scores
    joint: ClassVar[str | None] = None  # name of the joint loss for K > 2 classes, if one exists
    has_conjugate: ClassVar[bool] = True
    n_scores: int = 1
    n_classes: int = 2  # that the scores distinguish
    shift_invariant: bool = False  # invariant to a common shift of all scores

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the options are invalid."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"

    def values(self, y: Array, z: Array) -> Array:
        """ℓ of each row."""
        raise self._missing("values")

    def slopes(self, y: Array, z: Array) -> Array:
        """∂ℓ/∂z, of the shape of z (a subgradient where ℓ is not differentiable)."""
        raise self._missing("slopes")

    def curvatures(self, y: Array, z: Array) -> Array:
        """∂²ℓ/∂z²; for K scores what `curve` needs instead."""
        raise self._missing("curvatures")

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        """Value, slope and curvature at once; a loss that can share work among them overrides it."""
        curvatures = self.curvatures(y, z) if self.kind == "twice-smooth" else None
        return self.values(y, z), self.slopes(y, z), curvatures

    def jet_at_zero(self, y: Array) -> tuple[Array, Array, Array | None] | None:
        """The jet at scores of 0, if rows are so alike there that it need not be computed of each; else None."""
        return None

    def normal_fit(self, mean: Any, explained: Any) -> tuple[Any, Any] | None:
        """(k, z̄) of the fit to normal features, if a formula is known: its weights are k times those of Newton's first
        step from 0, its mean score is z̄. Of the variance of y = ±1 about `mean` least squares explains `explained`.
        """
        return None

    def curve(self, curvatures: Array, v: Array) -> Array:
        """(∂²ℓ/∂z²) v, row by row."""
        return curvatures * v

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """Σ_i w_i ∂²ℓ_i ⊗ x_i x_iᵀ over the rows x_i of B, which may be overwritten.

        For one score it is a product of a matrix with its transpose (syrk: half the work).
        """
        B *= np.sqrt(weights * curvatures)[:, None]
        return B.T @ B

    def hessian_among(self, B: Array, weights: Array, curvatures: Array, free: Array) -> Array:
        """The rows and columns of `hessian` for the parameters that `free` marks."""
        H = self.hessian(B, weights, curvatures)
        return H if free.all() else H[np.ix_(free.ravel(), free.ravel())]

    def conjugates(self, y: Array, s: Array) -> Array:
        """ℓ*(s) = sup_z s·z − ℓ(y, z), at slopes s."""
        raise self._missing("conjugates")

    def nearest_slopes(self, y: Array, v: Array, reach: float | Array) -> tuple[Array, Array]:
        """argmin_s ℓ*(s) + (s − v)²/(2·reach), the prox of ℓ*, and where it varies with v; `reach` is a number, or one
        for each row. Piecewise linear and piecewise quadratic losses have it.
        """
        raise self._missing("nearest_slopes")

    def pieces(self, y: Array) -> tuple[Array, Array]:
        """(a, c), both (pieces, n):  ℓ(y, z) = max(0, max_p a_p z + c_p).  Piecewise linear losses have it."""
        raise self._missing("pieces")

    def middle(self, y: Array) -> Array:
        """The middle of the conjugate's domain: initial slopes without other information."""
        raise self._missing("middle")

    def scale(self, y: Array) -> float:
        """Scale of the scores; margin losses have their kink at m = 1."""
        return 1.0

    def margins(self, y: Array, z: Array) -> Array:
        """Margin of each row: positive if it is classified correctly."""
        return y * z

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """A simple projection of slopes s to the conjugate's domain with Σ weights·s = 0, which an unpenalized
        intercept requires exactly of a dual point.
        """
        raise self._missing("balance")

    def _missing(self, method: str) -> NotImplementedError:
        return NotImplementedError(
            f"the loss {type(self).__name__} has no method {method}; define it."
        )


LossLike = str | Mapping[str, Any] | Loss  # a name, {name: options} or a loss


class LossByJet(Loss):
    """A loss that computes value, slope and curvature at once: it defines `jet`."""

    def values(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[0]

    def slopes(self, y: Array, z: Array) -> Array:
        return self.jet(y, z)[1]

    def curvatures(self, y: Array, z: Array) -> Any:
        return self.jet(y, z)[2]


class LossOfNumber(Loss):
    """A loss of one number, margin or residual, of which a subclass defines these functions."""

    def value(self, m: Array) -> Array:
        raise self._missing("value")

    def slope(self, m: Array) -> Array:
        raise self._missing("slope")

    def curvature(self, m: Array) -> Array:
        raise self._missing("curvature")

    def conjugate(self, s: Array) -> Array:
        raise self._missing("conjugate")


JETS_AT_ZERO: dict[type, tuple[Array, Array, Array | None]] = {}  # of margin losses without options


class MarginLoss(LossOfNumber):
    """ℓ(m) of the margin m = y·z, y ∈ {−1, +1}.

    `conjugate` is ℓ*(−a), +∞ outside its domain, which begins at a = 0.
    """

    # ℓ′(m) = outer·f(inner·m) with a ufunc f, as (f, inner, outer): an objective prepares steps that allocate nothing
    slope_as_ufunc: ClassVar[tuple[np.ufunc, float, float] | None] = None

    def values(self, y: Array, z: Array) -> Array:
        return self.value(y * z)

    def slopes(self, y: Array, z: Array) -> Array:
        return y * self.slope(y * z)

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.curvature(y * z)  # y² = 1

    def jet_at_zero(self, y: Array) -> tuple[Array, Array, Array | None]:
        """All margins are 0."""
        if (jet := None if vars(self) else JETS_AT_ZERO.get(type(self))) is None:
            jet = self.jet(np.ones(1), np.zeros(1))
            if not vars(self):
                JETS_AT_ZERO[type(self)] = jet
        value, slope, curvature = jet
        n = len(y)
        every = None if curvature is None else np.full(n, curvature[0])
        return np.full(n, value[0]), slope * y, every

    def conjugates(self, y: Array, s: Array) -> Array:
        return self.conjugate(-y * s)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Slopes of the sign with the larger sum are shrunk, so that no slope grows or leaves the domain."""
        push = weights * s
        up, down = push[s > 0].sum(), -push[s < 0].sum()
        by_sign = min(1.0, down / up if up else 1), min(1.0, up / down if down else 1)
        return s * np.where(s > 0, *by_sign)


class ResidualLoss(LossOfNumber):
    """ℓ(r) of the residual r = z − y, with y a real number (or one for each of several scores).

    `conjugate` is ℓ*(s) for y = 0; another y adds s·y.
    """

    def values(self, y: Array, z: Array) -> Array:
        return of_rows(self.value(z - y))

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        r = z - y
        curvature = self.curvature(r) if self.kind == "twice-smooth" else None
        return of_rows(self.value(r)), self.slope(r), curvature

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        if curvatures.ndim == 1:
            return super().hessian(B, weights, curvatures)
        blocks = [super(ResidualLoss, self).hessian(B.copy(), weights, c) for c in curvatures]
        return block_diag(*blocks)

    def slopes(self, y: Array, z: Array) -> Array:
        return self.slope(z - y)

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.curvature(z - y)

    def conjugates(self, y: Array, s: Array) -> Array:
        return of_rows(self.conjugate(s) + s * y)

    def scale(self, y: Array) -> float:
        """The mean absolute deviation of the targets."""
        return float(np.abs(y - np.median(y)).mean()) or 1.0

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return s - (s @ weights)[..., None] / weights.sum()


def of_rows(values: Array) -> Array:
    """The value of each row: the sum over its scores."""
    return values if values.ndim == 1 else values.sum(axis=0)
