"""One pass of the perceptron rule over rows in turn.

Scores are computed for many rows ahead, since θ does not change until the next mistake. Where mistakes are frequent,
those of the next rows follow a correction by the products of these rows (linclass/linear/solvers/online/correction.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Protocol

import numpy as np

from linclass.base.arrays import Array
from linclass.base.design_matrix import Design
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.hinge.pocket import Pocket
from linclass.linear.solvers.online.block import ROWS
from linclass.linear.solvers.online.correction import Rule
from linclass.linear.solvers.online.tally import Tally
from linclass.linear.solvers.online.until_right import (
    ManyClassesUntilRight,
    TwoClassesUntilRight,
    visits_of_many,
    visits_of_two,
)

FIRST, AHEAD = 8, 4096  # rows whose scores are computed at once: after a mistake, and at most
FEW = 2  # mistakes among ROWS rows up to which the products of these rows would cost more than they save
WIDE, SPARSE = 60, 20  # one more for each WIDE features, of sparse rows up to SPARSE


class Corrected(Protocol):
    """A loss, of which the rule needs where it corrects and by what."""

    def margins(self, y: Array, z: Array) -> Array: ...
    def slopes(self, y: Array, z: Array) -> Array: ...
    def parted(self, y: Array) -> tuple[Array, Array | None]: ...


@dataclass(frozen=True)
class CountedRows:
    """Rows, and how often each is there."""

    design: Design
    loss: Corrected
    y: Array
    counts: Array
    learning_rate: float  # η

    @classmethod
    def of(cls, objective: Objective, step: float) -> CountedRows:
        return cls(objective.design, objective.loss, objective.y, objective.counts, step)

    def take(self, rows: Array) -> CountedRows:
        """The same in another order."""
        some = self.design.take(rows), self.loss, self.y[rows], self.counts[rows]
        return CountedRows(*some, self.learning_rate)

    def wrong(self, theta: Array) -> float:
        """How many are misclassified."""
        missed = self.loss.margins(self.y, self.design.scores(theta)) <= 0
        return float(self.counts @ missed)

    def correct(self, theta: Array, i: int, z: Array, weight: float) -> float:
        """Visit row i of scores z, which is wrong, so often, but not after it is right; the visits made."""
        y, visits = self.y[i : i + 1], weight
        sizes = -self.loss.slopes(y, z)[..., 0] * weight
        if weight > 1:
            codes, offset = self.loss.parted(y)
            z = (z if offset is None else z + offset)[..., 0]
            move = self.learning_rate * float(self.design.gram_of(slice(i, i + 1))[0, 0])
            if theta.ndim == 1:
                visits = visits_of_two(float(codes[0] * z), move, weight)
                sizes = codes[0] * visits
            else:
                sizes = visits_of_many(z, int(codes[0]), move, weight)
                visits = float(sizes.max())
        columns, values = self.design.row(i)
        if theta.ndim == 1:
            theta[columns] += self.learning_rate * sizes * values
        else:
            theta[:, columns] += (self.learning_rate * sizes)[:, None] * values
        return visits


class PerceptronPass:
    """θ changes at its mistakes."""

    def __init__(self, rows: CountedRows, theta: Array, pocket: Pocket | None):
        self.rows, self.theta, self.pocket = rows, theta, pocket
        self.before = np.append(0.0, np.cumsum(rows.counts))  # weight of the rows before each
        self.mistakes = 0

    def run(self) -> int:
        """Change θ; the number of corrections."""
        rows, design, pocket = self.rows, self.rows.design, self.pocket
        missed, i, ahead = 0, 0, FIRST
        few = FEW + min(design.n_features / WIDE, SPARSE if design.is_sparse else np.inf)
        while i < design.n_rows:
            some = slice(i, min(i + ahead, design.n_rows))
            z = design.scores_of(some, self.theta)
            wrong = rows.loss.margins(rows.y[some], z) <= 0
            first = int(wrong.argmax())
            at = i + first if wrong[first] else some.stop
            right = float(self.before[at] - self.before[i])
            if not wrong[first]:
                if pocket:
                    pocket.right += right
                i, ahead = some.stop, min(2 * ahead, AHEAD)
            elif ROWS * missed > few * i:
                if pocket:
                    pocket.right += right
                block = slice(at, min(at + ROWS, some.stop))
                missed += self._correct_many(block, z[..., first : first + ROWS])
                i, ahead = block.stop, ROWS
            else:
                if pocket and pocket.asks(after=right):
                    pocket.offer(self.theta, rows.wrong(self.theta))
                weight = float(rows.counts[at])
                visits = rows.correct(self.theta, at, z[..., first : first + 1], weight)
                if pocket:
                    pocket.changed(left=weight - visits)
                self.mistakes += ceil(visits)
                missed, i, ahead = missed + 1, at + 1, FIRST
        if pocket and missed:  # else all rows are correct
            pocket.offer(self.theta, rows.wrong(self.theta))
        return self.mistakes

    def _correct_many(self, block: slice, z: Array) -> int:
        """Visit some rows in turn, from their scores before the first; the number of those that were wrong."""
        rows, pocket, theta = self.rows, self.pocket, self.theta
        design, counts, step = rows.design, rows.counts[block], rows.learning_rate
        rule = Rule(0.0, lambda squares, share: (np.inf, step * share))
        codes, offset = rows.loss.parted(rows.y[block])
        z, gram = z if offset is None else z + offset, design.gram_of(block)
        if theta.ndim == 1:
            two = TwoClassesUntilRight(gram, codes > 0, counts, rule)
            found, made = two.correct(z, Tally()), two.made
            missed = np.flatnonzero(found)
        else:
            many = ManyClassesUntilRight(gram, codes, counts, rule)
            found, made = many.correct(z.T, Tally()).T, many.made
            missed = np.flatnonzero(found.any(axis=0))
        before = self.before[block.start : block.stop + 1]
        tested = pocket.visit(missed, (counts - made)[missed], before) if pocket else ()
        for k in tested:
            seen = slice(block.start, block.start + k)
            present = theta + design.pull_of(seen, found[..., :k]) if k else theta
            pocket.offer(present, rows.wrong(present))  # type: ignore[union-attr]
        theta += design.pull_of(block, found)
        self.mistakes += int(np.ceil(made[missed]).sum())
        return len(missed)
