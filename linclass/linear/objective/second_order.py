"""Second derivatives of an objective: ∇²P = Σ w_i x_i x_iᵀ ⊗ ∂²ℓ_i/∂z² + strength · ∇²penalty.

The Hessian is formed if it is small, and otherwise applied to vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import iadd

import numpy as np

from linclass.base.arrays import BLOCK, Array, diagonal, empty_arrays
from linclass.base.messages import require_memory
from linclass.linear.objective.point import PenalizedLoss, Point
from linclass.linear.penalties.base import Level

IN_CACHE = 100_000  # entries of X up to which single precision saves no memory traffic


class SecondOrder(PenalizedLoss):
    """Base of `Objective`: its Hessian, formed or applied."""

    def hessian_at(self, point: Point) -> Array:
        """∇²P at a point, dense, over theta.ravel()."""
        self._require_memory()
        design, w, curvatures = self.design, self.weights, point.curvatures
        if len(self.shape) == 1:
            D = w * curvatures
            if design.is_sparse or design.n_rows <= self.block or (D[0] == D).all():
                H = design.gram(D)
                if not point.theta.any() and (curvatures == curvatures[0]).all() and curvatures[0]:
                    norms = np.sqrt(np.diag(H) / curvatures[0])  # Σ w_i x_ij² need no other pass
                    vars(self).setdefault("column_norms", norms)
                return self._penalized(H)
        parts = (
            self.loss.hessian(B, w[rows], curvatures[..., rows])
            for rows, B in design.blocks(self.block)
        )
        return self._penalized(reduce(iadd, parts))

    def in_one_pass(self, theta: Array, hessian: bool = False) -> Point:
        """Value, gradient and, if asked for, Hessian, block by block of dense rows.

        Blocks of [X 1] stay in the cache from their scores to their part of the Hessian.
        """
        design, one, p = self.design, len(self.shape) == 1, self.n_parameters
        if hessian:
            self._require_memory()
        H = np.zeros((p, p)) if hessian else None
        K = self.shape[:-1]
        scores, slopes, curvatures, values = empty_arrays(design.n_rows, K, K, K, ())
        g = np.zeros(self.shape)
        for rows, B in design.blocks(self.block, filled=not one):
            w = self.weights[rows]
            z = scores[..., rows] = design.scores_of(rows, theta) if one else theta @ B.T
            jet = self.loss.jet(self.y[..., rows], z)
            values[rows], slopes[..., rows], curvatures[..., rows] = jet
            slope, curvature = jet[1:]
            g += design.pull_of(rows, w * slope) if one else (w * slope) @ B
            if H is None:
                continue
            assert curvature is not None
            if one:  # H from √(w ℓ″) [X 1] alone (syrk: half the work)
                root = np.sqrt(w * curvature)[:, None]
                np.multiply(design.X[rows], root, out=B[:, : design.n_features])
                B[:, design.n_features :] = root
                H += B.T @ B
            else:
                H += self.loss.hessian(B, w, curvature)
        design.passes += 1
        value = self.weights @ values
        value += self.strength * self.penalty.value(self.weight_part(theta))
        g = self.with_penalty_gradient(g, theta)
        known = {"value": float(value), "gradient": g, "_jet": (values, slopes, curvatures)}
        point = Point(self, theta, scores).with_known(**known)
        return point if H is None else point.with_known(hessian=self._penalized(H))

    def _require_memory(self) -> None:
        p = self.n_parameters
        if p > 1000:  # querying the memory costs more than a small Hessian
            require_memory(24 * p * p, f"newton needs a dense {p} × {p} Hessian")

    def hessian_under(self, point: Point) -> Array:
        """∇²P at a point whose Hessian is known for another strength."""
        return self._add_to_diagonal(
            point.hessian.copy(), self.curvature - point.objective.curvature
        )

    def _penalized(self, H: Array) -> Array:
        """H with the penalty's curvature on the diagonal, where W is."""
        strict = self.strongly_convex or not self.uniform
        return self._add_to_diagonal(H, self.curvature) if strict else H

    def _add_to_diagonal(self, H: Array, curvature: Level) -> Array:
        self.weight_part(diagonal(H).reshape(self.shape))[...] += curvature
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

    def shared_hessian(self) -> Array:
        """XᵀWX/K + the penalty's curvature, one block of ∇²P if all K classes were equally likely."""
        H = np.zeros((self.design.width, self.design.width))
        for rows, B in self.design.blocks():
            B *= np.sqrt(self.weights[rows])[:, None]
            H += B.T @ B
        H /= self.shape[0]
        ridge = np.full(len(H), np.mean(self.curvature))
        ridge[: self.design.n_features] = self.curvature
        diagonal(H)[...] += ridge
        return H

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
