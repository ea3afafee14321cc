"""Weights that are changed by factors, kept as logarithms L, and the corrections of rows that change them.

    positive  w = e^L           signed  w = e^L − e^−L = 2 sinh L

A correction adds ± ρ x to L, so feature j gets the factor e^{± ρ x_j}. Signed weights are stored relative to e^M for
some M, which grows so that none overflows; scores without a threshold have no unit.

The rows of a block are visited one by one, because after a correction no scores are known: they do not change by
products of rows, as those of additive rules do. Dense blocks are scored together up to their first mistake.
"""

from __future__ import annotations

from math import ceil
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import daxpy

from linclass.base.arrays import Array
from linclass.linear.losses.multiclass import lead
from linclass.linear.solvers.corrections import Block, SparseBlock, Tally

RANGE = 300.0  # e^300 and e^−300 are floats


class Part(NamedTuple):
    """Views of what belongs to one score."""

    logs: Array  # (1, d), or (2, d) of signed weights: L − M and −L − M
    up: Array
    down: Array
    factors: Array  # where their exponentials are written
    values: Array


class LogWeights:
    """Weights `values` (scores, d) of features x, one score for two classes and K for more."""

    def __init__(self, scores: int, d: int, signed: bool):
        self.signed, self.bound = signed, 0.0  # at least the largest logarithm
        self.logs = np.zeros((scores, 1 + signed, d))
        self.values = np.zeros((scores, d)) if signed else np.ones((scores, d))

    def parts(self) -> list[Part]:
        parts = []
        for logs, values in zip(self.logs, self.values, strict=True):
            factors = np.empty_like(logs) if self.signed else values[None]
            parts.append(Part(logs, logs[0], logs[-1], factors, values))
        return parts

    def push(self, part: Part, at: Any, x: Array, size: float, largest: float) -> None:
        """L ← L + size·x of the features `at`, None for all; |size·x| ≤ largest."""
        change = None if at is None else size * x
        if at is None:
            daxpy(x, part.up, len(x), size)
        else:
            part.up[at] += change
        if not self.signed:
            self._set(part, at)
            return
        if at is None:
            daxpy(x, part.down, len(x), -size)
        else:
            part.down[at] -= change
        self.bound += largest
        if self.bound > RANGE:
            self.bound = float(self.logs.max(initial=0))
            if self.bound > RANGE:
                self.logs -= self.bound
                self.bound = 0.0
                for each in self.parts():
                    self._set(each, None)
                return
        self._set(part, at)

    def _set(self, part: Part, at: Any) -> None:
        if at is None:
            np.exp(part.logs, part.factors)
            if self.signed:
                np.subtract(part.factors[0], part.factors[1], part.values)
        elif self.signed:
            up, down = np.exp(part.logs[:, at])
            part.values[at] = up - down
        else:
            part.values[at] = np.exp(part.up[at])


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
    parts, dense, first = w.parts(), not isinstance(block, SparseBlock), 0
    two = len(parts) == 1
    if block.response is None:  # the largest entry
        stored = block.rows if dense else block.rows.data
        block.response = float(np.abs(stored).max(initial=0))
    if dense:
        z = block.scores(w.values[0] if two else w.values.T) - threshold
        low = margins(z, codes) <= 0
        first = int(low.argmax()) if low.any() else len(codes)
    values, logs, largest = w.values[0] if two else w.values, w.logs, rate * block.response
    true = codes.tolist()
    for i in range(first, len(true)):
        if dense:
            features, x, own = None, block.rows[i], values
        else:
            features, x = block.row(i)
            own = values[..., features]
        z, k = own.dot(x), true[i]
        if two:
            if z > threshold if k else z < threshold:
                continue
            rival = 0
        elif (rival := beaten_by(z, k)) < 0:
            continue
        left = float(weights[i])
        while left > 0:
            before = logs.copy() if left > 1 else logs
            size = rate * min(left, 1.0)
            if two:
                w.push(parts[0], features, x, size if k else -size, largest)
            else:
                w.push(parts[k], features, x, size, largest)
                w.push(parts[rival], features, x, -size, largest)
            tally.mistakes += 1
            left -= 1
            if left <= 0:
                break
            if np.array_equal(logs, before):  # nor would further visits change it
                tally.mistakes += ceil(left)
                break
            z = (values if dense else values[..., features]).dot(x)
            if two and (z > threshold if k else z < threshold):
                break
            if not two and (rival := beaten_by(z, k)) < 0:
                break
    tally.visits += float(weights.sum())


def beaten_by(z: Array, true: int) -> int:
    """The best of the other classes, or −1 if the score of the true one is larger."""
    own = z.item(true)
    z[true] = -np.inf
    rival = int(z.argmax())
    return -1 if own > z.item(rival) else rival


def margins(z: Array, codes: Array) -> Array:
    """y z, or for K classes the score of the true class minus the largest of the others."""
    return np.where(codes, z, -z) if z.ndim == 1 else lead(codes, z.T)
