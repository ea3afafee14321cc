"""Weights that are changed by factors, kept as logarithms L, and the corrections of rows that change them.

    positive  w = e^L           signed  w = e^L − e^−L = 2 sinh L

A correction adds ± ρ x to L, so feature j gets the factor e^{± ρ x_j}. Signed weights are stored relative to e^M for
some M, which grows so that none overflows; scores without a threshold have no unit.

The rows of a block are visited one by one, because after a correction no scores are known: they do not change by
products of rows, as those of additive rules do. Dense blocks are scored together up to their first mistake.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.losses.multiclass import lead
from linclass.linear.solvers.corrections import Block, SparseBlock, Tally

RANGE = 300.0  # e^300 and e^−300 are floats


class LogWeights:
    """Weights `values` (scores, d) of features x, one score for two classes and K for more."""

    def __init__(self, scores: int, d: int, signed: bool):
        self.signed, self.bound = signed, 0.0  # at least the largest logarithm
        self.logs = np.zeros((scores, 1 + signed, d))  # L; of signed weights L − M and −L − M
        self.values = np.zeros((scores, d)) if signed else np.ones((scores, d))

    def push(self, k: int, at: Any, x: Array, size: float, largest: float) -> None:
        """L ← L + size·x of the score k and the features `at`; |size·x| ≤ largest."""
        logs, values, change = self.logs[k], self.values[k], size * x
        if self.signed:
            logs[:, at] += (change, -change)
            self.bound += largest
            if self.bound > RANGE:
                self.bound = float(self.logs.max(initial=0))
            if self.bound > RANGE:
                self.logs -= self.bound
                self.bound = 0.0
                logs, values, at = self.logs, self.values, slice(None)
            factors = np.exp(logs[..., at])
            values[..., at] = factors[..., 0, :] - factors[..., 1, :]
        else:
            logs[0, at] += change
            values[at] = np.exp(logs[0, at])


def correct_by_factors(
    block: Block,
    w: LogWeights,
    codes: Array,
    weights: Array,
    rate: float,
    threshold: float,
    tally: Tally,
) -> None:
    """Visit the rows of a block in turn, a row of weight two twice, and correct those of margin at most 0."""
    is_sparse, first = isinstance(block, SparseBlock), 0
    values = w.values[0] if len(w.values) == 1 else w.values
    stored = block.rows.data if is_sparse else block.rows
    largest = rate * float(np.abs(stored).max(initial=0))
    if not is_sparse:
        z = block.scores(values.T) - threshold
        low = (np.where(codes, z, -z) if z.ndim == 1 else lead(codes, z.T)) <= 0
        first = int(low.argmax()) if low.any() else len(codes)
    occurring, features, times = values, slice(None), weights.tolist()
    for i, k in enumerate(codes[first:].tolist(), first):
        if is_sparse:
            features, x = block.row(i)
            occurring = values[..., features]
        else:
            x = stored[i]
        z, left = occurring.dot(x), times[i]
        while left > 0 and (wrong := corrections(z, k, threshold)):
            before = w.logs.copy() if left > 1 else w.logs
            for score, sign in wrong:
                w.push(score, features, x, sign * rate * min(left, 1.0), largest)
            tally.mistakes += 1
            left -= 1
            if left > 0:
                if np.array_equal(w.logs, before):
                    tally.mistakes += ceil(left)  # nor would further visits change anything
                    break
                z = values[..., features].dot(x)
    tally.visits += float(weights.sum())


def corrections(z: Any, k: int, threshold: float) -> list[tuple[int, int]]:
    """(score, sign) of the corrections of a row of class k; none if its margin is above 0."""
    if z.ndim == 0:
        right = z > threshold if k else z < threshold
        return [] if right else [(0, 1 if k else -1)]
    true_score = z.item(k)
    z[k] = -np.inf
    rival = int(z.argmax())
    return [] if true_score > z.item(rival) else [(k, 1), (rival, -1)]
