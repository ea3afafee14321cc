"""Second derivatives of an objective: ∇²P = Σ w_i x_i x_iᵀ ⊗ ∂²ℓ_i/∂z² + strength · ∇²penalty.

Formed where it is small, and otherwise known by what it does to a vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linclass.applicability import require_memory
from linclass.numerics import BLOCK, Array, DesignMatrix
from linclass.point import Point

IN_CACHE = 100_000  # entries of X up to which single precision would save no memory traffic


class SecondOrder:
    """For objectives, whose design, loss, weights and penalty it looks at."""

    design: DesignMatrix
    loss: Any
    y: Array
    weights: Array
    penalty: Any
    strength: float
    curvature: float
    shape: tuple[int, ...]
    n_parameters: Any
    weight_part: Any
    at: Any

    def survey(self, theta: Array) -> Point:
        """The point with value, gradient and Hessian, all rows read once.

        Blocks of [X 1] stay in the cache from their scores to their part of the Hessian; for one
        score of sparse rows a sparse product takes less.
        """
        design, p = self.design, self.n_parameters
        if p > 1000:  # asking the system costs more than a small Hessian
            require_memory(24 * p * p, f"newton needs a dense {p} × {p} Hessian")
        if design.is_sparse and len(self.shape) == 1:
            point = self.at(theta)
            H = design.sparse_gram(self.weights * point.curvatures)
            if self.curvature:
                self._weights_of_diagonal(H)[...] += self.curvature
            return point.with_known(hessian=H)
        one = len(self.shape) == 1
        scores, slopes, curvatures = (np.empty((*self.shape[:-1], design.n_rows)) for _ in range(3))
        values = np.empty(design.n_rows)
        size = BLOCK if one else max(64, BLOCK // self.shape[0])
        g, H = np.zeros(self.shape), np.zeros((p, p))
        for rows, B in design.blocks(size, filled=not one):
            w = self.weights[rows]
            z = scores[..., rows] = design.scores_of(rows, theta) if one else theta @ B.T
            jet = self.loss.jet(self.y[..., rows], z)
            values[rows], slopes[..., rows], curvatures[..., rows] = jet
            slope, curvature = jet[1:]
            if one:  # √(w ℓ″) [X 1], written once, is all that H needs (syrk: half the work)
                g += design.pull_of(rows, w * slope)
                root = np.sqrt(w * curvature)[:, None]
                np.multiply(design.X[rows], root, out=B[:, : design.n_features])
                B[:, design.n_features :] = root
                H += B.T @ B
            else:
                g += (w * slope) @ B
                H += self.loss.hessian(B, w, curvature)
        design.passes += 1
        value = self.weights @ values
        if self.strength and self.penalty is not None:
            W = self.weight_part(theta)
            value += self.strength * self.penalty.value(W)
            self.weight_part(g)[...] += self.strength * self.penalty.gradient(W)
        if self.curvature:
            self._weights_of_diagonal(H)[...] += self.curvature
        known = {"value": float(value), "gradient": g, "hessian": H}
        known["_jet"] = values, slopes, curvatures
        return Point(self, theta, scores).with_known(**known)

    def hessian_times(
        self, point: Point, exact: bool = True
    ) -> Callable[[Array], tuple[Array, Array | None]]:
        """s ↦ (H s, X s) at a point; X s comes for free and makes the line search cheap.

        Unless it must be exact, H s for K scores of many dense rows comes in single precision,
        without X s.
        """
        curvatures, w, design = point.curvatures, self.weights, self.design
        many = design.n_rows * design.width > IN_CACHE and len(self.shape) == 2
        if many and not exact and not design.is_sparse:
            return self._hessian_times_in_single(curvatures)

        def times(s: Array) -> tuple[Array, Array]:
            Xs = design.scores(s)
            Hs = design.pull(w * self.loss.curve(curvatures, Xs))
            if self.curvature:
                self.weight_part(Hs)[...] += self.curvature * self.weight_part(s)
            return Hs, Xs

        return times

    def shared_hessian(self) -> Array:
        """XᵀWX/K + the penalty's curvature, one block of ∇²P if all K classes were as likely."""
        H = np.zeros((self.design.width, self.design.width))
        for rows, B in self.design.blocks():
            B *= np.sqrt(self.weights[rows])[:, None]
            H += B.T @ B
        H /= self.shape[0]
        H[np.diag_indices(len(H))] += self.curvature
        return H

    def _hessian_times_in_single(self, curvatures: Array) -> Callable[[Array], tuple[Array, None]]:
        """H s for K dense scores, in blocks that stay in the cache and in single precision.

        Steps need no more digits: gradients and objectives, which decide, are in double.
        """
        design, loss = self.design, self.loss
        C, w = curvatures.astype(np.float32), self.weights.astype(np.float32)
        size = max(64, 8 * BLOCK // len(C))
        blocks = [slice(i, i + size) for i in range(0, design.n_rows, size)]

        def times(s: Array) -> tuple[Array, None]:
            single, Hs = s.astype(np.float32), self.curvature * s
            if design.intercept:
                Hs[:, -1] = 0
            for rows in blocks:
                B = design.single[rows]
                V = loss.curve(C[:, rows], single @ B.T)
                V *= w[rows]
                Hs += V @ B
            design.passes += 1
            return Hs, None

        return times

    def _weights_of_diagonal(self, H: Array) -> Array:
        """The diagonal of a Hessian where W is, as a view."""
        return self.weight_part(np.einsum("ii->i", H).reshape(self.shape))
