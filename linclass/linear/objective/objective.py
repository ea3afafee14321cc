"""The objective  P(W, b) = (1/Σw_i) Σ w_i loss(y_i, z_i) + strength · penalty(W),  Z = X Wᵀ + b.

It is normalized by the sum of the row weights, and the intercept is not penalized. Both are decided here; nothing that
minimizes the objective divides by that sum again. In scikit-learn's terms C = 1/(Σw·strength) for sums of losses,
alpha = Σw·strength for Ridge and alpha = strength for Lasso and SGD; see `strength_of_C`.

Solvers evaluate an `Objective` at `Point`s. Its second derivatives are ∇²P = Σ w_i x_i x_iᵀ ⊗ ∂²ℓ_i/∂z² + strength ·
∇²penalty; the Hessian is formed if it is small, and otherwise applied to vectors."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import reduce
from operator import iadd
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import BLOCK, Array, Index, by_blocks, diagonal, empty_arrays, once
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import require_memory
from linclass.base.parameters import require_positive
from linclass.linear.losses.base import Loss, MarginLoss
from linclass.linear.losses.wrapped import WithOffset, envelope
from linclass.linear.penalties.base import Level, Penalty
from linclass.linear.penalties.entrywise import Unpenalized

# Columns far from 0, which hardly differ from the intercept's:  |x̄_j| > 100 standard deviations.
#
# Their deviations x_j − x̄_j have the digits that x_j itself loses.

FAR_DEVIATIONS = 100  # standard deviations from 0
CONSTANT_BELOW = 1e-12  # of the norm of a column: a deviation from its mean below it is rounding
MOST_COMPARED = 3000  # rows up to which equal ones are searched for
BLOCK_ENTRIES = 160_000  # entries of a block of one score, whose arithmetic should cost more than its calls of NumPy
LARGE = 1000  # parameters from which on a Hessian costs more than a query of the memory
IN_CACHE = 100_000  # entries of X up to which single precision saves no memory traffic
UNPENALIZED = Unpenalized()


class FarColumns(NamedTuple):
    """Column numbers, means, and  √(Σ w_i (x_ij − x̄_j)²),  0 for columns that are constant up to rounding."""

    columns: Array
    mean: Array
    deviations: Array


def is_far(mean: Array, squares: Array) -> Array:
    """Mask of the columns that are far from 0, whose Σ w_i x_ij² are the squares, for weights that sum to 1."""
    return mean * mean * (1 + FAR_DEVIATIONS**-2) > squares  # x̄² + variance


class Objective:
    """The loss of given rows plus the penalty, as a function of theta."""

    def __init__(
        self,
        design: DesignMatrix,
        loss: Loss,
        y: Array,
        weights: Array | None = None,
        penalty: Penalty = UNPENALIZED,
        strength: float = 0.0,
    ):
        self.design, self.loss, self.y = design, loss, y
        weights = np.ones(design.n_rows) if weights is None else weights
        self.counts = weights  # as given to fit; objectives derived from this one have shares only
        self.weights = weights / weights.sum()
        self.chosen_penalty = penalty
        self._set_strength(strength)
        scores = loss.n_scores if y.ndim == 1 else len(y)
        many = scores > 1 or y.ndim == 2
        self.shape = (scores, design.width) if many else (design.width,)
        self.n_parameters = math.prod(self.shape)
        # rows at a time, so that their scores and slopes stay in the cache
        narrow = min(4 * BLOCK, BLOCK_ENTRIES // design.width)
        self.block = max(64, BLOCK // scores) if many else max(BLOCK, narrow)

    def _set_strength(self, strength: float) -> None:
        """Set the strength, and the penalty in force: at strength 0 there is none."""
        self.strength = float(strength) if self.chosen_penalty.binds else 0.0
        self.penalty = penalty = self.chosen_penalty if self.strength else UNPENALIZED
        self.curvature: Level = self.strength * penalty.curvature
        self.kink: Level = self.strength * penalty.kink
        self.kinked, self.strongly_convex = penalty.kinked, penalty.strongly_convex
        self.uniform, self.unpenalized = penalty.uniform, penalty.unpenalized
        smooth = self.unpenalized is None or self.loss.kind == "twice-smooth"
        has_gap = self.strength and self.loss.has_conjugate and smooth
        # a duality gap bounds (P − min P)/P; a cosine is not a bound
        self.certificate_kind = "duality_gap" if has_gap else "gradient_cosine"
        # whatever the rows, if the loss can be 0, or is convex with a penalty on every feature
        penalized = self.strength > 0 and self.unpenalized is None
        self.has_minimum = self.loss.vanishes or (penalized and self.loss.convex)
        self.columns_without_penalty: Array | slice = slice(self.design.n_features, None)
        if self.unpenalized is not None:
            intercept = np.arange(self.design.n_features, self.design.width)
            free = np.append(np.flatnonzero(self.unpenalized), intercept)
            self.columns_without_penalty = free

    # Points

    def zero(self) -> Array:
        return np.zeros(self.shape)

    def at(self, theta: Array) -> Point:
        return Point(self, theta, self.design.scores(theta))

    def at_with_gradient(self, theta: Array) -> Point:
        """The point at theta; for one score and many dense rows, with its gradient from one pass over the rows."""
        if len(self.shape) > 1 or self.design.is_sparse or self.design.n_rows <= self.block:
            return Point(self, theta, self.design.scores(theta))
        return self._in_one_pass(theta, hessian=False)

    def at_with_hessian(self, theta: Array) -> Point:
        """The point at theta; for many rows, with its gradient and Hessian from one pass over the rows."""
        jet = None
        if alike := isinstance(self.loss, MarginLoss) and not theta.any():
            jet = self.loss.jet_at_zero(self.y)
        few_entries = len(self.shape) == 1 and self.design.is_sparse
        if alike or few_entries or self.design.n_rows <= self.block:
            return Point(self, theta, self.design.scores(theta), jet)
        return self._in_one_pass(theta, hessian=True)

    def _in_one_pass(self, theta: Array, hessian: bool) -> Point:
        """The point at theta. Blocks of [X 1] stay in the cache from their scores to their part of the Hessian."""
        design, one_score, p = self.design, len(self.shape) == 1, self.n_parameters
        per_row = self.shape[:-1]  # () or (K,)
        if hessian and p > LARGE:
            require_memory_for(p)
        H = np.zeros((p, p)) if hessian else None
        scores, slopes, curvatures = empty_arrays(design.n_rows, *[per_row] * 3)
        g, total = np.zeros(self.shape), 0.0
        for rows, B in design.blocks(self.block, filled=not one_score):
            w = self.weights[rows]
            z = scores[..., rows] = design.scores_of(rows, theta) if one_score else theta @ B.T
            values, slope, curvature = self.loss.jet(self.y[..., rows], z)
            total += float(w @ values)
            slopes[..., rows], curvatures[..., rows] = slope, curvature
            g += design.pull_of(rows, w * slope) if one_score else (w * slope) @ B
            if H is None:
                continue
            assert curvature is not None
            if one_score:  # H from √(w ℓ″) [X 1] alone (syrk: half the work)
                root = np.sqrt(w * curvature)[:, None]
                np.multiply(design.X[rows], root, out=B[:, : design.n_features])
                B[:, design.n_features :] = root
                H += B.T @ B
            else:
                H += self.loss.hessian(B, w, curvature)
        design.passes += 1
        jet = None, slopes, curvatures  # of the values of many rows only the sum is kept
        known: dict[str, Any] = {"jet": jet, "loss_value": total, "loss_gradient": g}
        if H is not None:
            known["hessian"] = self._penalized(H)
        return Point(self, theta, scores, **known)

    # Derived objectives

    def _with(self, **changed: Any) -> Objective:
        parts = {
            "design": self.design,
            "loss": self.loss,
            "y": self.y,
            "weights": self.weights,
            "penalty": self.chosen_penalty,
            "strength": self.strength,
        }
        return Objective(**parts | changed)

    def take(self, rows: Index, weights: Array | None = None) -> Objective:
        """The objective on some rows, with their weights or others. The loss is a mean, so the strength stays."""
        weights = self.weights[rows] if weights is None else weights
        return self._with(design=self.design.take(rows), y=self.y[..., rows], weights=weights)

    def with_strength(self, strength: float) -> Objective:
        """The objective with another strength, which shares what depends on the rows alone."""
        other = copy.copy(self)
        other._set_strength(strength)
        return other

    def with_penalty(self, penalty: Penalty, strength: float) -> Objective:
        """The objective with another penalty."""
        return self._with(penalty=penalty, strength=strength)

    def envelope(self, slopes: Array, reach: float) -> Objective:
        """The objective with the Moreau envelopes of its piecewise linear loss around slopes."""
        other = copy.copy(self)  # sharing what depends on X alone
        other.loss, other.y = envelope(self.loss, self.y, slopes, reach)
        for name in ("value_at_zero", "slopes_at_zero", "merged"):
            vars(other).pop(name, None)
        other._set_strength(self.strength)
        return other

    @property
    def without_offset(self) -> Objective:
        """The objective without offsets, which has the same separating directions."""
        if not isinstance(self.loss, WithOffset):
            return self
        return self._with(loss=self.loss.loss, y=self.y["target"])

    def on_features(self, features: Array) -> Objective:
        """The objective on some features, with all other weights 0."""
        penalty = self.chosen_penalty.on(features)
        return self._with(design=self.design.take_features(features), penalty=penalty)

    # Parts of theta, and first derivatives

    def weight_part(self, theta: Array) -> Array:
        """W without the intercept, as a view."""
        return theta[..., : self.design.n_features]

    def batch_gradient(self, rows: slice, theta: Array) -> Array:
        """An unbiased estimate of ∇P from a few rows."""
        z = self.design.scores_of(rows, theta)
        scale = self.design.n_rows / (rows.stop - rows.start)
        slopes = self.loss.slopes(self.y[..., rows], z)
        g = self.design.pull_of(rows, scale * self.weights[rows] * slopes)
        if self.strength:
            W = self.weight_part(theta)
            self.weight_part(g)[...] += self.strength * (self.penalty.curvature * W)
        return g

    # Second derivatives

    def hessian(self, curvatures: Array) -> Array:
        """∇²P, dense, over theta.ravel(), where the losses have these curvatures."""
        if self.n_parameters > LARGE:
            require_memory_for(self.n_parameters)
        design, w = self.design, self.weights
        if len(self.shape) == 1:
            D = w * curvatures
            if design.is_sparse or design.n_rows <= self.block or (D[0] == D).all():
                return self._penalized(design.gram(D))
        parts = (
            self.loss.hessian(B, w[rows], curvatures[..., rows])
            for rows, B in design.blocks(self.block)
        )
        return self._penalized(reduce(iadd, parts))

    def hessian_under(self, point: Point) -> Array:
        """∇²P at a point whose Hessian is known for another strength."""
        H = point.hessian.copy()
        of_weights = self.weight_part(diagonal(H).reshape(self.shape))
        of_weights += self.curvature - point.objective.curvature
        return H

    def _penalized(self, H: Array) -> Array:
        """H with the penalty's curvature on the diagonal, where W is."""
        if self.strongly_convex or not self.uniform:
            by_parameter = diagonal(H).reshape(self.shape)
            by_parameter[..., : self.design.n_features] += self.curvature
        return H

    def hessian_times(
        self, point: Point, exact: bool = True
    ) -> Callable[[Array], tuple[Array, Array | None]]:
        """s ↦ (H s, X s) at a point; X s is a by-product that makes the line search cheap.

        Unless `exact`, H s for K scores of many dense rows is computed in single precision, without X s.
        """
        curvatures, w, design = point.curvatures, self.weights, self.design
        many = design.n_rows * design.width > IN_CACHE and len(self.shape) == 2
        if many and not exact and not design.is_sparse:
            return self._hessian_times_in_single(curvatures)

        def times(s: Array) -> tuple[Array, Array]:
            Xs = design.scores(s)
            Hs = design.pull(w * self.loss.curve(curvatures, Xs))
            if self.strongly_convex or not self.uniform:
                self.weight_part(Hs)[...] += self.curvature * self.weight_part(s)
            return Hs, Xs

        return times

    def _hessian_times_in_single(self, curvatures: Array) -> Callable[[Array], tuple[Array, None]]:
        """H s for K dense scores, in blocks that stay in the cache and in single precision.

        Steps need no more digits: gradients and objectives, which decide the accuracy, are in double precision.
        """
        design, loss = self.design, self.loss
        C, w = curvatures.astype(np.float32), self.weights.astype(np.float32)
        size = max(64, 8 * BLOCK // len(C))
        blocks = [slice(i, i + size) for i in range(0, design.n_rows, size)]

        def times(s: Array) -> tuple[Array, None]:
            single, Hs = s.astype(np.float32), np.zeros_like(s)
            np.multiply(self.curvature, self.weight_part(s), out=self.weight_part(Hs))
            for rows in blocks:
                B = design.single[rows]
                V = loss.curve(C[:, rows], single @ B.T)
                V *= w[rows]
                Hs += V @ B
            design.passes += 1
            return Hs, None

        return times

    def shared_hessian(self) -> Array:
        """XᵀWX/K + the penalty's curvature, one block of ∇²P if all K classes were equally likely."""
        H = self.second_moments / self.shape[0]
        ridge = np.full(len(H), np.mean(self.curvature))
        ridge[: self.design.n_features] = self.curvature
        diagonal(H)[...] += ridge
        return H

    @once
    def second_moments(self) -> Array:
        """[X 1]ᵀW[X 1]."""
        return self.design.gram(self.weights)

    # Sizes that certificates and scaled coordinates are relative to

    @once
    def value_at_zero(self) -> float:
        """The mean loss at scores of 0."""
        if (jet := self.loss.jet_at_zero(self.y[..., :1])) is not None:  # all rows are alike
            return float(self.weights.sum() * jet[0][0])
        zeros = np.zeros((*self.shape[:-1], len(self.weights)))
        (values,) = by_blocks(lambda y, z: (self.loss.values(y, z),), self.y, zeros)
        return float(self.weights @ values)

    @once
    def slopes_at_zero(self) -> float:
        """The norm of the slopes at scores of 0."""
        if (jet := self.loss.jet_at_zero(self.y[..., :1])) is not None:
            return float(abs(jet[1][0]) * np.sqrt(self.weights.sum()))
        return self.norm(self.loss.slopes(self.y, np.zeros((*self.shape[:-1], len(self.weights)))))

    def norm(self, slopes: Array) -> float:
        """√(Σ w s²)."""
        return float(np.sqrt((slopes**2 @ self.weights).sum()))

    @once
    def column_norms(self) -> Array:
        return self.design.column_norms(self.weights)

    @once
    def merged(self) -> tuple[Objective, Array] | None:
        """(objective of the distinct rows, index of each row among them); None if all differ or there are too many.

        Equal rows of one label are one row with the sum of their weights. The minimum is the same and every row keeps
        its slope, but K = XXᵀ loses a null direction for each duplicate, and a fit with weight two equals the fit with
        the row twice to rounding.
        """
        design, y = self.design, self.y
        if design.is_kernel or design.n_rows > MOST_COMPARED or y.ndim != 1:
            return None
        distinct = distinct_rows(design.X, y)
        if distinct is None:
            return None
        first, place = distinct
        return self.take(first, np.bincount(place, self.weights)), place

    @once
    def column_means(self) -> Array:
        return self.design.centre(self.weights)

    @once
    def far(self) -> FarColumns | None:
        """The columns of dense rows that are far from 0, where an intercept allows them to be centred."""
        design, weights = self.design, self.weights
        if design.is_kernel or design.is_sparse or not design.intercept or design.is_centred:
            return None
        mean, norms = design.centre(weights), self.column_norms[: design.n_features]
        far = np.flatnonzero(is_far(mean, norms * norms))
        if not len(far):
            return None
        mean, norms = mean[far], norms[far]
        deviations = np.sqrt(weights @ np.square(design.X[:, far] - mean))
        return FarColumns(far, mean, np.where(deviations > CONSTANT_BELOW * norms, deviations, 0.0))


def distinct_rows(X: Any, *labels: Array) -> tuple[Array, Array] | None:
    """(the first of all equal rows, the index of each row among these); None if all differ.

    Rows are sorted by their product with random numbers, then compared.
    """
    r = np.random.default_rng(0).random(X.shape[1])
    is_sparse = sparse.issparse(X)
    # a product of BLAS may round equal rows differently
    products = X @ r if is_sparse else np.einsum("ij,j->i", X, r)
    keys = np.column_stack([products, *labels])
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    if len(first) == len(place):
        return None
    different = X[first[place]] != X
    return None if (different.nnz if is_sparse else different.any()) else (first, place)


def require_memory_for(p: int) -> None:
    require_memory(24 * p * p, f"newton needs a dense {p} × {p} Hessian")


class Point:
    """theta with its scores and the jet of every row: value, slope and curvature of its loss.

    Everything else is computed on demand, once, unless it is `known`.
    """

    values: Any  # an array; None if `loss_value` is known
    slopes: Array
    curvatures: Any  # an array; None if the loss has none

    def __init__(
        self, objective: Objective, theta: Array, scores: Array, jet: Any = None, **known: Any
    ):
        self.objective, self.theta, self.scores = objective, theta, scores
        self.jet = by_blocks(objective.loss.jet, objective.y, scores) if jet is None else jet
        self.values, self.slopes, self.curvatures = self.jet
        vars(self).update(known)

    @once
    def loss_value(self) -> float:
        return float(self.objective.weights @ self.values)

    @once
    def value(self) -> float:
        """P; the penalty of a kernel needs the scores."""
        objective = self.objective
        if not objective.strength:
            return self.loss_value
        if objective.design.is_kernel:
            penalty = objective.penalty.value_at(self)  # type: ignore[attr-defined]
        else:
            penalty = objective.penalty.value(self.theta[..., : objective.design.n_features])
        return self.loss_value + objective.strength * penalty

    @once
    def loss_gradient(self) -> Array:
        objective = self.objective
        return objective.design.pull(objective.weights * self.slopes)

    @once
    def gradient(self) -> Array:
        """∇P, or the gradient of its smooth part when the penalty has a kink."""
        objective, g = self.objective, self.loss_gradient.copy()
        if objective.strength:
            d, curvature = objective.design.n_features, objective.penalty.curvature
            g[..., :d] += objective.strength * (curvature * self.theta[..., :d])
        return g

    @once
    def hessian(self) -> Array:
        """∇²P, dense, over theta.ravel()."""
        return self.objective.hessian(self.curvatures)

    @once
    def steepest(self) -> Array:
        """The subgradient of least norm: 0 exactly at a minimum, and ∇P if there is no kink."""
        objective, g = self.objective, self.gradient.copy()
        if objective.kinked:
            W, G = objective.weight_part(self.theta), objective.weight_part(g)
            G[...] = objective.penalty.steepest(W, G, objective.strength)
        return g

    @property
    def separates(self) -> bool:
        """Whether all rows are right without a penalty, so that a likelihood or exponential loss has no optimum."""
        objective = self.objective
        if objective.strength or objective.loss.vanishes:
            return False
        return bool(objective.loss.margins(objective.y, self.scores).min() > 0)

    def under(self, objective: Objective) -> Point:
        """This point of the objective with another strength, without evaluating the loss again."""
        known = {k: v for k, v in vars(self).items() if k in ("jet", "loss_value", "loss_gradient")}
        if "hessian" in vars(self):
            known["hessian"] = objective.hessian_under(self)
        return Point(objective, self.theta, self.scores, **known)

    def toward(self, direction: Array, scores: Array | None = None) -> Callable[[float], Point]:
        """t ↦ the point at theta + t·direction, using only vectors over the rows."""
        along = self.objective.design.scores(direction) if scores is None else scores

        def step(t: float) -> Point:
            theta, scores = self.theta + t * direction, self.scores + t * along
            return type(self)(self.objective, theta, scores)

        return step


def common_shift(M: Array) -> Array:
    """c = trace(M)/K² for each K × K Hessian M of the intercepts, where a shift of all scores changes no loss: M1 = 0.

    M + c·11ᵀ equals M on all vectors orthogonal to 1, and has the eigenvalue cK = trace(M)/K, the mean of M's, along 1.
    """
    trace: Array = np.einsum("...kk->...", M)[..., None, None]
    return trace / M.shape[-1] ** 2


def without_common_shift(objective: Objective, theta: Array) -> Array:
    """The parameters of the same model whose unpenalized parts sum to 0 over the scores."""
    if objective.loss.shift_invariant:
        free = theta[..., objective.design.n_features :]
        free -= free.mean(axis=0)
        if objective.unpenalized is not None:
            W = objective.weight_part(theta)
            W -= np.where(objective.unpenalized, W.mean(axis=0), 0)
    return theta


def strength_of_C(C: float, n: float) -> float:
    """The strength 1/(n·C) that gives the same fit as scikit-learn's C.

    scikit-learn minimizes C · Σ w_i loss_i + penalty, linclass the mean (1/Σw_i) Σ w_i loss_i + strength · penalty.

    Parameters
    ----------
    C : float
        scikit-learn's parameter, above 0.
    n : float
        Number of training rows; with weights their sum Σw.

    Returns
    -------
    float
        The strength. The same formula converts back: a strength is C = 1/(n·strength).
    """
    require_positive("C", C)
    require_positive("n", n)
    return 1.0 / (C * n)
