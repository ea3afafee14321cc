"""Weights that are changed by factors, kept as logarithms L, and the corrections of rows that change them.

    positive  w = e^L           signed  w = e^L − e^−L = 2 sinh L

A correction adds ± ρ x to L, so feature j gets the factor e^{± ρ x_j}. Signed weights are stored relative to e^M for
some M ≥ max |L| − RANGE, so that none overflows; scores without a threshold have no unit.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.linear.losses.multiclass import lead
from linclass.linear.solvers.corrections import Block, Tally

RANGE = 300.0  # e^300 and e^−300 are floats


class LogWeights:
    def __init__(self, shape: Any, signed: bool):
        self.signed = signed
        self.logs, self.scale = np.zeros(shape), 0.0
        self.values = self._values(self.logs)

    def push(self, at: Any, change: Array) -> None:
        """Add to some logarithms."""
        self.logs[at] += change
        changed = self.logs[at]
        largest = float(np.abs(changed).max(initial=0))
        if self.signed and largest > self.scale + RANGE:
            self.scale = largest
            self.values = self._values(self.logs)
        else:
            self.values[at] = self._values(changed)

    def _values(self, logs: Array) -> Array:
        return (
            np.exp(logs - self.scale) - np.exp(-logs - self.scale) if self.signed else np.exp(logs)
        )


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
    i, n = 0, len(codes)
    while i < n:
        m = margins(block.scores(w.values)[i:] - threshold, codes[i:])
        wrong = m <= 0
        i += int(wrong.argmax()) if wrong.any() else n
        if i >= n:
            break
        features, x = block.row(i)
        left = float(weights[i])
        while left > 0:
            z = x @ w.values[features] - threshold
            if margins(z[None], codes[i : i + 1])[0] > 0:
                break
            before = w.logs[features].copy()
            change, k = rate * min(left, 1.0) * x, int(codes[i])
            if w.logs.ndim == 1:
                w.push(features, change if k else -change)
            else:
                z[k] = -np.inf
                w.push((features, k), change)
                w.push((features, int(z.argmax())), -change)
            unchanged = np.array_equal(w.logs[features], before)  # nor would further visits
            tally.mistakes += ceil(left) if unchanged else 1
            left = 0.0 if unchanged else left - 1
        i += 1
    tally.visits += float(weights.sum())


def margins(z: Array, codes: Array) -> Array:
    """y z, or for K classes the score of the true class minus the largest of the others."""
    return np.where(codes, z, -z) if z.ndim == 1 else lead(codes, z.T)
