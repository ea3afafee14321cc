"""Visits to the rows of a block by the rule of least mean squares (LMS), θ ← θ + η e x, all solved at once.

The errors e at the first visit to each row satisfy the triangular system (I + L S) e = y − z, with z the scores before
the block, L the part of X Xᵀ below the diagonal and S = diag(s): the visits to row i add s_i e_i x_i to θ. That is the
sequential rule, not an approximation of it. Of w visits in succession each leaves 1 − η‖x‖² of the row's error, so
s = (1 − (1 − η‖x‖²)^w)/‖x‖², and their squared errors are r e² in all.
"""

from __future__ import annotations

import copy

import numpy as np
from scipy.linalg.lapack import dtrtrs

from linclass.base.arrays import Array
from linclass.linear.solvers.blocks import Block


class LeastMeanSquares:
    """The rows of a block with their targets, (b, K), for all passes."""

    def __init__(self, block: Block, targets: Array, weights: Array, step: float):
        self.targets, gram = targets, block.gram()
        self.block = copy.copy(block)  # without a reference back, so that both are freed at once
        shares, squares = shares_and_squares(gram.diagonal(), weights, step)
        self.shares, self.squares = shares[:, None], squares
        self.system = (gram * shares).T  # LAPACK reads columns, and here I + L S of them

    def visit(self, theta: Array, targets: Array) -> Array:
        """Change θ, (width, K), and return the errors, (b, K)."""
        errors, _ = dtrtrs(self.system, targets - self.block.scores(theta), 0, 1, 1)
        self.block.add(theta, self.shares * errors)
        return np.asarray(errors)


def shares_and_squares(k: Array, weights: Array, step: float) -> tuple[Array, Array]:
    """(s, r) of rows with ‖x‖² = k."""
    if (weights == 1).all():
        return np.full(len(k), step), weights
    whole = np.floor(weights)
    factor = 1 - step * k
    left = factor**whole * (1 - step * k * (weights - whole))
    rest = factor ** (2 * whole)
    squares = np.divide(1 - rest, 1 - factor**2, out=whole.copy(), where=factor**2 != 1)
    shares = np.divide(1 - left, k, out=step * weights, where=k > 0)
    return shares, squares + rest * (weights - whole)
