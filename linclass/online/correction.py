"""One visit to each row of a block, and a correction of size τ where its margin m is at most `reach`.

    two classes   m = y z             θ ← θ + τ y x
    K classes     m = z_y − max z_r   θ_y ← θ_y + τ x,  θ_r ← θ_r − τ x,  r the best of the other classes

The second is the first in the space of Kesler's construction, where the row has length √2 ‖x‖, so bounds on mistakes
hold for K classes, too. A row of weight w is visited w times in succession, the last time by the fraction left; one of
length 0 once, which counts as all, because further visits change nothing.
Duda, Hart & Stork (2001), §5.12; Crammer et al. (2006), JMLR 7, §7
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

import numpy as np

from linclass.numerics import Array
from linclass.online.block import Block

# (margin, squared length, share of a visit) ↦ τ, at least 0
Size = Callable[[float, float, float], float]


@dataclass(frozen=True)
class Rule:
    """Rows whose margin is at most `reach` are corrected by `size`."""

    reach: float
    size: Size


class Push(NamedTuple):
    """θ_k ← θ_k + size·x_i; two classes have k = 0 and the sign of y in the size."""

    row: int
    k: int
    size: float
    visits_before: float


@dataclass
class Tally:
    """What happened in a number of visits."""

    visits: float = 0.0
    mistakes: int = 0  # visits to rows of margin at most 0
    mistaken: float = 0.0  # the same, the fraction of a visit as a fraction
    corrections: int = 0
    squared_loss: float = 0.0  # Σ (reach − m)² over the visits, before their corrections
    least_margin: float = np.inf

    def add(self, later: Tally) -> None:
        self.visits = later.visits
        self.mistakes += later.mistakes
        self.mistaken += later.mistaken
        self.corrections += later.corrections
        self.squared_loss += later.squared_loss
        self.least_margin = min(self.least_margin, later.least_margin)


def correct(
    block: Block,
    z: Array,
    codes: Array,
    weights: Array,
    rule: Rule,
    tally: Tally,
    log: list[Push] | None = None,
) -> Array:
    """The coefficients of the rows in θ; a `log` gets the corrections one by one."""
    margins = TwoClasses(block, z, codes) if z.ndim == 1 else ManyClasses(block, z, codes)
    m, reach, i, n = margins.m, rule.reach, 0, len(weights)
    before = weights if log is None else tally.visits + np.cumsum(weights) - weights
    while i < n:
        i += int((m[i:] <= reach).argmax())
        margin, left = float(m[i]), float(weights[i])
        if margin > reach:
            break  # no row is left
        done = float(before[i])
        while left > 0 and margin <= reach:
            visit, k2 = min(left, 1.0), margins.squared_lengths[i]
            met = left if k2 == 0 else visit
            if margin <= 0:
                tally.mistakes += ceil(met)
                tally.mistaken += met
            tally.squared_loss += met * (reach - margin) * (reach - margin)  # ∞, not OverflowError
            tally.least_margin = min(tally.least_margin, margin)
            size = rule.size(margin, k2, visit)
            if size <= 0:
                break
            tally.corrections += 1
            for k, push in margins.correct(i, size):
                if log is not None:
                    log.append(Push(i, k, push, done))
            margin, left, done = float(m[i]), left - met, done + met
        i += 1
    tally.visits += float(weights.sum())
    return margins.coefficients


class TwoClasses:
    """Margins m of the rows of a block, all of them up to date."""

    def __init__(self, block: Block, z: Array, codes: Array):
        if block.response is None:
            y = np.where(codes, 1.0, -1.0)
            block.response = y, block.gram * y * y[:, None], block.norms.tolist()
        self.y, self.changes, self.squared_lengths = block.response
        self.m = self.y * z
        self.coefficients = np.zeros(len(z))

    def correct(self, i: int, size: float) -> tuple[tuple[int, float], ...]:
        self.m += size * self.changes[i]
        push = size * float(self.y[i])
        self.coefficients[i] += push
        return ((0, push),)


class ManyClasses:
    """The same by the scores of the true class of each row, and of the others, (K, b)."""

    def __init__(self, block: Block, z: Array, codes: Array):
        n, K = z.shape
        if block.response is None:
            is_class = (codes == np.arange(K)[:, None]).astype(float)
            block.response = is_class, (2 * block.norms).tolist()
        self.is_class, self.squared_lengths = block.response
        self.codes, self.gram = codes, block.gram
        self.others = np.ascontiguousarray(z.T)
        self.own = self.others[codes, np.arange(n)]
        self.others[codes, np.arange(n)] = -np.inf
        self.m = self.own - self.others.max(axis=0)
        self.coefficients = np.zeros((n, K))

    def correct(self, i: int, size: float) -> tuple[tuple[int, float], ...]:
        true, rival = int(self.codes[i]), int(self.others[:, i].argmax())
        change = size * self.gram[i]
        self.own += change * (self.is_class[true] - self.is_class[rival])
        self.others[true] += change
        self.others[rival] -= change
        np.subtract(self.own, self.others.max(axis=0), out=self.m)
        self.coefficients[i, true] += size
        self.coefficients[i, rival] -= size
        return (true, size), (rival, -size)
