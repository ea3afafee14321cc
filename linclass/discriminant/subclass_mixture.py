"""Mixtures of Gaussians in several classes, with one covariance, by EM.

Rows y are about the mean of their class, in coordinates in which the covariance within the classes is I. With the
shares p_r of the rows and the means δ_r of all components, of which Σ_r p_r δ_r = 0 in each class, that is

    I = Σ + Σ_r p_r δ_r δ_rᵀ,

so the M step has Σ from p and δ, without another pass over the rows, and Σ_i w_i y_iᵀΣ⁻¹y_i / Σw = tr Σ⁻¹. A shrinkage
of Σ to (1 − a)Σ + aT, in coordinates in which the covariance within the classes, equally shrunken, is I, gives

    Σ = I − (1 − a) Σ_r p_r δ_r δ_rᵀ,   objective = mean ln density − ½ a/(1 − a) (ln det Σ + tr Σ⁻¹T),

EM with the conjugate prior of mode T. EM converges linearly; every second step is followed by an extrapolation
(SQUAREM), which is taken only if the objective is no less.
Hastie & Tibshirani (1996), JRSS B 58; Varadhan & Roland (2008), Scand. J. Statist. 35
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix, log_softmax
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import AnySpread, ShrunkSpread, Spread, tied_spread
from linclass.discriminant.row_spreads import SpanSpread

COLLAPSED = 1e-8  # a variance of the components, relative to that within the classes
FARTHEST = 1e4  # extrapolation, in steps of EM
TINY = np.finfo(float).tiny


class Components(NamedTuple):
    """Means δ (R, r) of all components, and logarithms (R,) of their shares of their class."""

    delta: Array
    log_mixing: Array


class Precision(NamedTuple):
    """Σ⁻¹ = I + AᵀHA for Σ = I − AᵀA, with H = (I − AAᵀ)⁻¹: it needs no matrix (r, r)."""

    A: Array
    H: Array

    def times(self, V: Array) -> Array:
        """V Σ⁻¹."""
        return V + (V @ self.A.T) @ self.H @ self.A


class EmStep(NamedTuple):
    """The objective at some components, the precision Σ⁻¹ there, the next components, and the gradient's norm."""

    at: Components
    value: float
    precision: Precision
    next: Components
    gradient: float


class SubclassMixture:
    """The objective for rows and weights of each class, and `sizes`, the numbers of its components."""

    def __init__(
        self, blocks: Sequence[tuple[Array, Array]], sizes: Sequence[int], shrinkage: float
    ):
        self.blocks, self.kept = blocks, 1 - shrinkage
        self.strength = 1 / self.kept if self.kept else 1.0  # Σ is fixed at shrinkage 1
        self.places = [slice(*ends) for ends in pairwise(np.cumsum([0, *sizes]))]
        mass = np.array([weights.sum() for _, weights in blocks])
        self.total = float(mass.sum())
        self.share = np.repeat(mass / self.total, sizes)

    def maximize(
        self, memberships: Sequence[Array], tol: float, max_iter: int
    ) -> tuple[EmStep | None, list[float]]:
        """The last step and the objective after each; None if Σ has collapsed.

        `memberships` (R_k, n_k) of the rows of each class in its components are where EM starts.
        """
        step = self.em_step(self._means(memberships))
        values = [step.value] if step else []
        while step and step.gradient > tol and len(values) <= max_iter:
            step = self._advance(step)
            values += [step.value] if step else []
        return step, values

    def em_step(self, at: Components) -> EmStep | None:
        """An E and an M step."""
        delta, log_mixing = at
        p = np.exp(log_mixing) * self.share
        A = np.sqrt(self.kept * p)[:, None] * delta
        squares, U = np.linalg.eigh(A @ A.T)
        variances = 1 - squares  # of Σ along the means; 1 in all other directions
        if variances[-1] < COLLAPSED:
            return None
        precision = Precision(A, (U / variances) @ U.T)
        theta = precision.times(delta)
        b = log_mixing - 0.5 * (theta * delta).sum(axis=1)
        memberships, fit = [], 0.0
        for (Y, weights), own in zip(self.blocks, self.places, strict=True):
            Z = theta[own] @ Y.T + b[own, None]
            top = Z.max(axis=0)
            Q = np.exp(Z - top)
            sums = Q.sum(axis=0)
            fit += float(weights @ (top + np.log(sums)))
            memberships.append(Q / sums)
        after = self._means(memberships)
        change = after.delta - delta
        moved = (change * precision.times(change)).sum(axis=1)
        shift = np.exp(after.log_mixing) * self.share - p
        gradient = max(p @ moved, 0.0) + (shift**2 / np.maximum(p, TINY)).sum()
        spread = float(np.log(variances).sum() + (1 / variances).sum() + delta.shape[1] - len(p))
        value = fit / self.total - 0.5 * self.strength * spread
        return EmStep(at, value, precision, after, float(np.sqrt(gradient)))

    def _means(self, memberships: Sequence[Array]) -> Components:
        """The M step."""
        delta, log_mixing = [], []
        for (Y, weights), Q in zip(self.blocks, memberships, strict=True):
            Q = weights * Q
            mass = np.maximum(Q.sum(axis=1), TINY)
            delta.append(Q @ Y / mass[:, None])
            log_mixing.append(np.log(mass / weights.sum()))
        return Components(np.vstack(delta), np.concatenate(log_mixing))

    def _advance(self, step: EmStep) -> EmStep | None:
        """Two steps of EM and an extrapolation, if it is no worse."""
        first = self.em_step(step.next)
        if first is None:
            return None
        far = self.em_step(self._extrapolated(step.at, step.next, first.next))
        return far if far and far.value >= first.value else self.em_step(first.next)

    def _extrapolated(self, old: Components, middle: Components, new: Components) -> Components:
        """x₀ + 2s v₁ + s² (v₂ − v₁) with the steps v₁, v₂ of EM and s = ‖v₁‖/‖v₂ − v₁‖, at least 1."""
        first = [b - a for a, b in zip(old, middle, strict=True)]
        bend = [c - b - v for b, c, v in zip(middle, new, first, strict=True)]
        size, curve = (np.sqrt(sum(np.vdot(v, v) for v in parts)) for parts in (first, bend))
        s = min(max(1.0, float(size / max(curve, TINY))), FARTHEST)
        delta, log_mixing = (
            a + 2 * s * v + s**2 * w for a, v, w in zip(old, first, bend, strict=True)
        )
        for own in self.places:
            log_mixing[own] = log_softmax(log_mixing[None, own])[0]
        return Components(delta, log_mixing)


# Rows in the coordinates of mixture discriminant analysis: whitened for EM, in units of the features for k-means


class SubclassRows:
    """The rows of each class in both coordinates, with their weights, for one shrinkage and all numbers of subclasses.

    `spread` factors Σ_w, `along` the same along the directions with variance within the classes.
    """

    def __init__(
        self, X: Matrix, codes: Array, weights: Array, moments: ClassMoments, shrinkage: float
    ):
        self.moments, self.shrinkage = moments, shrinkage
        self.spread, self.along = shrunk_spreads(moments, shrinkage)
        self.weights = [weights[codes == k] for k in range(len(moments.mass))]
        self.white = white_rows(X, codes, moments, self.along)
        self.in_units = in_units(X, codes, moments)


def shrunk_spreads(moments: ClassMoments, a: float) -> tuple[AnySpread, Spread | SpanSpread]:
    """(Σ_w shrunk by a, the same along the directions with variance within the classes)."""
    if not a:
        plain = tied_spread(moments, ddof=0)
        assert isinstance(plain, Spread | SpanSpread), "the form is full, without shrinkage"
        return plain, plain
    values, axes = moments.axes
    N, d = moments.total, axes.shape[1]
    shrunk = ShrunkSpread((1 - a) * values / N, axes, a * values.sum() / (N * d))
    W = shrunk.whiten(axes)
    return shrunk, Spread(shrunk.times(W), W.T)


def white_rows(
    X: Matrix, codes: Array, moments: ClassMoments, along: Spread | SpanSpread
) -> list[Array]:
    """The rows of each class about its mean, whitened."""
    K = len(moments.mass)
    if isinstance(along, SpanSpread):
        Y = along.whitened_rows() / along.R.roots[:, None]
        return [Y[along.R.codes == k] for k in range(K)]
    Y = along.whiten(X) - along.whiten(moments.means)[codes]
    return [Y[codes == k] for k in range(K)]


def in_units(X: Matrix, codes: Array, moments: ClassMoments) -> list[Matrix]:
    """The rows of each class, in units of the deviations within the classes, and without features that have none.

    They are about a common point of their class: its mean, if they are dense.
    """
    squares = moments.squares.sum(axis=0) if moments.form == "rows" else moments.squares
    units = np.sqrt(squares / moments.total)
    units = np.where(units > moments.negligible, units, np.inf)
    classes = range(len(moments.mass))
    if sp.issparse(X) and moments.form == "rows":
        R = moments.scatter.scaled(units)
        R.near.data /= np.repeat(R.roots, np.diff(R.near.indptr))
        return [R.near[R.codes == k] for k in classes]
    X = X.toarray() if sp.issparse(X) else X
    return [(X[codes == k] - moments.means[k]) / units for k in classes]
