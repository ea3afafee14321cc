"""What every loss offers: ℓ(y, z) of a score z, its slope and curvature in z, its conjugate.

Three kinds differ in how the truth y meets the score z:
margin losses see m = y·z with y = ±1, residual losses r = z − y, softmax K scores and a code.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.linalg import block_diag

from linclass.numerics import Array

KINDS = ("discrete", "convex", "smooth", "twice-smooth")  # each can do what those before it can


class Loss:
    kind: ClassVar[str] = "twice-smooth"
    smoothness: ClassVar[float] = np.inf  # sup ℓ″: a step of 1/(smoothness·‖X‖²) always descends
    probabilistic: ClassVar[bool] = False  # minus a log likelihood: scores turn into probabilities
    quadratic: ClassVar[bool] = False
    mistake_driven: ClassVar[bool] = False  # only rows on the wrong side cost anything
    piecewise_linear: ClassVar[bool] = False
    piecewise_quadratic: ClassVar[bool] = False  # ℓ″ is 0 or one number: Newton ends by itself
    binary: ClassVar[str | None] = None  # of a loss of K scores, what it is for two classes
    joint: ClassVar[str | None] = None  # the loss that does K > 2 classes at once, where one exists
    has_conjugate: ClassVar[bool] = True
    n_scores: int = 1
    shift_invariant: bool = False  # the same number added to all scores changes nothing

    def values(self, y: Array, z: Array) -> Array:
        """ℓ of each row."""
        raise NotImplementedError

    def slopes(self, y: Array, z: Array) -> Array:
        """∂ℓ/∂z, of the shape of z (a subgradient where ℓ has a kink)."""
        raise NotImplementedError

    def curvatures(self, y: Array, z: Array) -> Array:
        """∂²ℓ/∂z², or for softmax what `curve` needs in its place."""
        raise NotImplementedError

    def jet(self, y: Array, z: Array) -> tuple[Array, Array, Array | None]:
        """Value, slope and curvature at once: a loss that shares work among them overrides this."""
        curvatures = self.curvatures(y, z) if self.kind == "twice-smooth" else None
        return self.values(y, z), self.slopes(y, z), curvatures

    def curve(self, curvatures: Array, v: Array) -> Array:
        """(∂²ℓ/∂z²) v, row by row."""
        return curvatures * v

    def second(self, curvatures: Array, k: int, l: int) -> Array:
        """∂²ℓ/∂z_k∂z_l of each row."""
        return curvatures if curvatures.ndim == 1 else (k == l) * curvatures[k]

    def hessian(self, B: Array, weights: Array, curvatures: Array) -> Array:
        """Σ_i w_i ∂²ℓ_i ⊗ x_i x_iᵀ over rows x_i of B, which may be overwritten.

        One score: the same factor on both sides halves the work (syrk).
        """
        B *= np.sqrt(weights * curvatures)[:, None]
        return B.T @ B

    def conjugates(self, y: Array, s: Array) -> Array:
        """ℓ*(s) = sup_z s·z − ℓ(y, z), at slopes s."""
        raise NotImplementedError

    def nearest_slopes(self, y: Array, v: Array, reach: Any) -> tuple[Array, Array]:
        """argmin_s ℓ*(s) + (s − v)²/(2·reach), the prox of ℓ*, and where it moves with v.

        `reach` is a number, or one for each row. Losses with kinks, or of parabolas, have it.
        """
        raise NotImplementedError

    def middle(self, y: Array) -> Array:
        """The middle of the conjugate's domain: slopes to begin with when nothing is known."""
        raise NotImplementedError

    def scale(self, y: Array) -> float:
        """How far scores lie apart: margin losses have their kink at m = 1."""
        return 1.0

    def margins(self, y: Array, z: Array) -> Array:
        """How far each row is on its own side: positive where it is classified correctly."""
        return y * z

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """The nearest simple slopes s in the conjugate's domain with Σ weights·s = 0.

        A free intercept asks this of every dual point. Being exact, not merely near, is what
        makes a duality gap a proof.
        """
        raise NotImplementedError


class MarginLoss(Loss):
    """ℓ(m) of the margin m = y·z, y ∈ {−1, +1}: subclasses write functions of m alone."""

    # ℓ′(m) = outer·f(inner·m) with a ufunc f, given as (f, inner, outer), lets an objective prepare
    # steps that allocate nothing.
    slope_as_ufunc: ClassVar[tuple[np.ufunc, float, float] | None] = None

    def value(self, m: Array) -> Array:
        raise NotImplementedError

    def slope(self, m: Array) -> Array:
        raise NotImplementedError

    def curvature(self, m: Array) -> Array:
        raise NotImplementedError

    def conjugate(self, a: Array) -> Array:
        """ℓ*(−a); +∞ outside its domain, which begins at a = 0."""
        raise NotImplementedError

    def values(self, y: Array, z: Array) -> Array:
        return self.value(y * z)

    def slopes(self, y: Array, z: Array) -> Array:
        return y * self.slope(y * z)

    def curvatures(self, y: Array, z: Array) -> Array:
        return self.curvature(y * z)  # y² = 1

    def conjugates(self, y: Array, s: Array) -> Array:
        return self.conjugate(-y * s)

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        """Shrinks the heavier class; every domain here is an interval that begins at 0."""
        push = weights * s
        up, down = -push[y > 0].sum(), push[y < 0].sum()
        shrink = np.where(
            y > 0, min(1.0, down / up if up else 1), min(1.0, up / down if down else 1)
        )
        return s * shrink


class ResidualLoss(Loss):
    """ℓ(r) of the residual r = z − y, y a real number (or one for each of several scores)."""

    def value(self, r: Array) -> Array:
        raise NotImplementedError

    def slope(self, r: Array) -> Array:
        raise NotImplementedError

    def curvature(self, r: Array) -> Array:
        raise NotImplementedError

    def conjugate(self, s: Array) -> Array:
        """ℓ*(s) for y = 0; another y adds s·y."""
        raise NotImplementedError

    def values(self, y: Array, z: Array) -> Array:
        values = self.value(z - y)
        return values if values.ndim == 1 else values.sum(axis=0)

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
        values = self.conjugate(s) + s * y
        return values if values.ndim == 1 else values.sum(axis=0)

    def scale(self, y: Array) -> float:
        """The mean absolute deviation of the targets."""
        return float(np.abs(y - np.median(y)).mean()) or 1.0

    def balance(self, y: Array, s: Array, weights: Array) -> Array:
        return s - (s @ weights)[..., None] / weights.sum()
