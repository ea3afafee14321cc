"""One visit to each row of a block, and a correction of size τ where its margin m is at most `reach`.

    two classes   m = y z             θ ← θ + τ y x
    K classes     m = z_y − max z_r   θ_y ← θ_y + τ x,  θ_r ← θ_r − τ x,  r the best of the other classes

The second is the first in the space of Kesler's construction, where the row has length √2 ‖x‖, so bounds on mistakes
hold for K classes, too. A row of weight w is visited w times in succession, the last time by the fraction left.
Duda, Hart & Stork (2001), §5.12; Crammer et al. (2006), JMLR 7, §7
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass
class Tally:
    """What happened in a number of visits."""

    visits: float = 0.0
    mistakes: int = 0  # visits to rows of margin at most 0
    corrections: int = 0
    squared_loss: float = 0.0  # Σ (reach − m)² over the visits, before their corrections
    least_margin: float = np.inf

    def add(self, later: Tally) -> None:
        self.visits = later.visits
        self.mistakes += later.mistakes
        self.corrections += later.corrections
        self.squared_loss += later.squared_loss
        self.least_margin = min(self.least_margin, later.least_margin)


def correct(
    block: Block, z: Array, codes: Array, weights: Array, rule: Rule, tally: Tally
) -> tuple[Array, Array]:
    """(a, late): the coefficients of the rows in θ, and Σ a·(visits before) for the average over visits."""
    game = TwoClasses(block, z, codes) if z.ndim == 1 else ManyClasses(block, z, codes)
    late = np.zeros_like(game.coefficients)
    before = tally.visits + np.concatenate([[0.0], np.cumsum(weights)])
    i, n = game.next(0, rule.reach), len(weights)
    while i < n:
        left, done = float(weights[i]), float(before[i])
        while left > 0:
            m, visit = game.margin(i), min(left, 1.0)
            if m > rule.reach:
                break
            tally.mistakes += m <= 0
            tally.squared_loss += visit * (rule.reach - m) ** 2
            tally.least_margin = min(tally.least_margin, m)
            size = rule.size(m, game.squared_length(i), visit)
            if size <= 0:
                break
            tally.corrections += 1
            game.correct(i, size, late, done)
            left, done = left - visit, done + visit
        i = game.next(i + 1, rule.reach)
    tally.visits = float(before[-1])
    return game.coefficients, late


class TwoClasses:
    """Margins of the rows of a block, all of them up to date."""

    def __init__(self, block: Block, z: Array, codes: Array):
        self.y = np.where(codes, 1.0, -1.0)
        self.norms = block.norms
        self.m = self.y * z
        self.changes = block.gram * self.y * self.y[:, None]  # of all margins, by a row
        self.coefficients = np.zeros(len(z))

    def next(self, i: int, reach: float) -> int:
        """The first row from i on within reach, or the number of rows."""
        if i >= len(self.m):
            return i
        within = self.m[i:] <= reach
        ahead = int(within.argmax())
        return i + ahead if within[ahead] else len(self.m)

    def margin(self, i: int) -> float:
        return float(self.m[i])

    def squared_length(self, i: int) -> float:
        return float(self.norms[i])

    def correct(self, i: int, size: float, late: Array, done: float) -> None:
        self.m += size * self.changes[i]
        push = size * self.y[i]
        self.coefficients[i] += push
        late[i] += push * done


class ManyClasses:
    """Scores of the true class of each row, and of the others."""

    def __init__(self, block: Block, z: Array, codes: Array):
        n, K = z.shape
        self.codes, self.gram, self.norms = codes, block.gram, block.norms
        self.own = z[np.arange(n), codes].copy()
        self.others = z.copy()
        self.others[np.arange(n), codes] = -np.inf
        self.is_class = codes == np.arange(K)[:, None]
        self.coefficients = np.zeros((n, K))

    def next(self, i: int, reach: float) -> int:
        n = len(self.own)
        if i >= n:
            return i
        within = self.own[i:] - self.others[i:].max(axis=1) <= reach
        ahead = int(within.argmax())
        return i + ahead if within[ahead] else n

    def margin(self, i: int) -> float:
        return float(self.own[i] - self.others[i].max())

    def squared_length(self, i: int) -> float:
        return 2 * float(self.norms[i])

    def correct(self, i: int, size: float, late: Array, done: float) -> None:
        true, rival = int(self.codes[i]), int(self.others[i].argmax())
        change = size * self.gram[i]
        self.own[self.is_class[true]] += change[self.is_class[true]]
        self.own[self.is_class[rival]] -= change[self.is_class[rival]]
        self.others[:, true] += change
        self.others[:, rival] -= change
        for k, push in ((true, size), (rival, -size)):
            self.coefficients[i, k] += push
            late[i, k] += push * done
