"""The perceptron rule: a row with margin ≤ 0 changes  θ ← θ − η ∂ℓ/∂z [x_i 1],  or w ← w + η y x.

A row of weight w is visited w times in succession, but not after it is right; the last time by the fraction left. The
rows are shuffled for each pass (`random`), taken in order (`cyclic`), or by smallest margin (`largest_violation`, where
a correction is one visit). The random order depends on the contents of the rows; equal ones are neighbours in it.
On rows of whole weights with ‖x‖ ≤ R that some unit vector separates with margin γ it makes at most R²/γ² mistakes, for
any order and η.   Novikoff (1962)

If the rows are sorted by class, `cyclic` forgets one class while it visits the other; the row of smallest margin of
overlapping classes is an outlier, which changes θ much. So, of the θ that are tested on all rows, that whose
misclassified rows weigh least is kept (the pocket with ratchet). Tested are the first θ, the last one of each pass, and
each that had more correct rows in turn than the kept one; with `largest_violation`, every θ.
Gallant (1990), "Perceptron-based learning algorithms"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed, hashes
from linclass.base.design_matrix import Design
from linclass.base.parameters import require_positive
from linclass.linear.losses.base import Loss
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, SolverByPasses, Trace
from linclass.linear.solvers.blocks import BLOCK_ROWS, next_order
from linclass.linear.solvers.corrections import (
    ManyClassesUntilRight,
    Rule,
    Tally,
    TwoClassesUntilRight,
    visits_of_many,
    visits_of_two,
)

# The pocket with ratchet: of the θ that are tested on all rows, that whose misclassified rows weigh least.
#
# A θ is tested if it had more correct rows in turn than the kept one; a row of weight w that is right counts as w rows.
# Gallant (1990), "Perceptron-based learning algorithms"


@dataclass
class Pocket:
    """The tested θ with the least weight of misclassified rows."""

    theta: Array
    wrong: float
    run: float = 0.0  # weight of the correct rows in turn of the kept θ
    right: float = 0.0  # of the present θ
    holds_present: bool = True  # the kept θ is the present one

    def offer(self, theta: Array, wrong: float) -> None:
        if wrong < self.wrong:
            self.theta, self.wrong = theta.copy(), wrong
            self.run, self.holds_present = self.right, True

    def asks(self, after: float) -> bool:
        """Whether the present θ, which is about to change after some more correct rows, should be tested."""
        self.right += after
        if self.holds_present:
            self.run = self.right
        return self.right > self.run

    def changed(self, left: float) -> None:
        """The present θ is another one, and right on what is left of the row that changed it."""
        self.right, self.holds_present = left, False

    def visit(self, missed: Array, left: Array, before: Array) -> Iterator[int]:
        """The mistakes among some rows before which the present θ should be tested, each before the next is made.

        `left` is what `changed` takes, and `before` the weight of the rows before each row and before the end.
        """
        seen = 0
        for k, rest in zip(missed.tolist(), left.tolist(), strict=True):
            if self.asks(after=float(before[k] - before[seen])):
                yield k
            self.changed(rest)
            seen = k + 1
        self.right += float(before[-1] - before[seen])


# One pass of the perceptron rule over rows in turn.
#
# Scores are computed for many rows ahead, since θ does not change until the next mistake. Where mistakes are frequent,
# those of the next rows follow a correction by the products of these rows (linclass/linear/solvers/corrections.py).

FIRST_AHEAD, MOST_AHEAD = (
    8,
    4096,
)  # rows whose scores are computed at once: after a mistake, and at most
FEW_MISTAKES = 2  # mistakes among BLOCK_ROWS rows up to which the products of these rows would cost more than they save
WIDE_ROWS, MOST_FOR_SPARSE = (
    60,
    20,
)  # one more for each WIDE_ROWS features, of sparse rows up to MOST_FOR_SPARSE


@dataclass(frozen=True)
class CountedRows:
    """Rows, and how often each is there."""

    design: Design
    loss: Loss
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
            z = z[..., 0]
            move = self.learning_rate * float(self.design.gram_of(slice(i, i + 1))[0, 0])
            if theta.ndim == 1:
                visits = visits_of_two(float(y[0] * z), move, weight)
                sizes = y[0] * visits
            else:
                sizes = visits_of_many(z, int(y[0]), move, weight)
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
        missed, i, ahead = 0, 0, FIRST_AHEAD
        few = FEW_MISTAKES + min(
            design.n_features / WIDE_ROWS, MOST_FOR_SPARSE if design.is_sparse else np.inf
        )
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
                i, ahead = some.stop, min(2 * ahead, MOST_AHEAD)
            elif BLOCK_ROWS * missed > few * i:
                if pocket:
                    pocket.right += right
                block = slice(at, min(at + BLOCK_ROWS, some.stop))
                missed += self._correct_many(block, z[..., first : first + BLOCK_ROWS])
                i, ahead = block.stop, BLOCK_ROWS
            else:
                if pocket and pocket.asks(after=right):
                    pocket.offer(self.theta, rows.wrong(self.theta))
                weight = float(rows.counts[at])
                visits = rows.correct(self.theta, at, z[..., first : first + 1], weight)
                if pocket:
                    pocket.changed(left=weight - visits)
                self.mistakes += ceil(visits)
                missed, i, ahead = missed + 1, at + 1, FIRST_AHEAD
        if pocket and missed:  # else all rows are correct
            pocket.offer(self.theta, rows.wrong(self.theta))
        return self.mistakes

    def _correct_many(self, block: slice, z: Array) -> int:
        """Visit some rows in turn, from their scores before the first; the number of those that were wrong."""
        rows, pocket, theta = self.rows, self.pocket, self.theta
        design, counts, step = rows.design, rows.counts[block], rows.learning_rate
        rule = Rule(0.0, lambda squares, share: (np.inf, step * share))
        codes, gram = rows.y[block], design.gram_of(block)
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


ORDERS = ("random", "cyclic", "largest_violation")


@dataclass
class Passed:
    """What is left of some passes."""

    theta: Array
    mistakes: int = 0


@dataclass(frozen=True)
class PerceptronRule(SolverByPasses):
    """Corrections at misclassified rows.

    Parameters
    ----------
    tol : float, default=1e-6
        Not used: the rule stops after a pass without mistakes.
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 100 passes (1000 for 'largest_violation').
    learning_rate : float, default=1.0
        Learning rate η, above 0.
    order : {'random', 'cyclic', 'largest_violation'}, default='random'
        Order of the rows: shuffled for each pass, as given, or always the row of smallest margin.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    learning_rate: float = 1.0
    order: str = "random"
    random_state: Seed = None

    needs: ClassVar[str] = "mistake-driven"
    takes: ClassVar[str] = "none"

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        theta, rows = start.copy(), CountedRows.of(objective, self.learning_rate)
        pocket = Pocket(theta.copy(), rows.wrong(theta))
        in_order = self._orders(rows)
        mistakes = 0
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            if self.order == "largest_violation":
                left = self._correct_worst(rows, theta, pocket)
            else:
                left = PerceptronPass(in_order(), theta, pocket).run()
            mistakes += left
            objective.design.passes += 1
            if trace:
                trace(objective.at(theta.copy()))
            if left == 0:
                break
        pocket.offer(theta, rows.wrong(theta))
        return self._solution(objective, pocket.theta, mistakes, n_iter)

    @property
    def can_continue(self) -> bool:
        return self.order != "largest_violation"

    def begin(self, objective: Objective, start: Array) -> Passed:
        return Passed(start.copy())

    def run_through(self, objective: Objective, state: Passed) -> None:
        """Without the pocket, which would need all rows."""
        rows = CountedRows.of(objective, self.learning_rate)
        state.mistakes += PerceptronPass(rows, state.theta, None).run()

    def estimate(self, objective: Objective, state: Passed) -> Solution:
        return self._solution(objective, state.theta.copy(), state.mistakes, 1)

    def _solution(self, objective: Objective, theta: Array, mistakes: int, n_iter: int) -> Solution:
        point = objective.at(theta)
        missed = objective.loss.margins(objective.y, point.scores) <= 0
        wrong = float(np.average(missed, weights=objective.counts))
        kind, extra = "training_mistakes", {"n_mistakes_": mistakes}
        return Solution(theta, point.value, wrong, kind, wrong == 0, n_iter, extra=extra)

    @property
    def max_steps(self) -> int:
        """Limit of passes; for `largest_violation` each is a single correction."""
        patience = 10 if self.order == "largest_violation" else 1
        return self.limit * patience if self.max_iter is None else self.max_iter

    def check(self) -> None:
        super().check()
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; use {', '.join(ORDERS)}.")
        require_positive("learning_rate", self.learning_rate)

    def _orders(self, rows: CountedRows) -> Callable[[], CountedRows]:
        """The rows in the order of the next pass."""
        if self.order != "random":
            return lambda: rows
        rng = np.random.default_rng(self.random_state)
        keys = rows.design.row_keys(rng) + hashes(rows.y[:, None] + 1, rng)
        return lambda: rows.take(next_order(keys, rng))

    def _correct_worst(self, rows: CountedRows, theta: Array, pocket: Pocket) -> int:
        z = rows.design.scores(theta)
        margins = rows.loss.margins(rows.y, z)
        pocket.offer(theta, float(rows.counts @ (margins <= 0)))
        i = int(margins.argmin())
        if margins[i] > 0:
            return 0
        rows.correct(theta, i, z[..., i : i + 1], min(float(rows.counts[i]), 1.0))
        return 1
