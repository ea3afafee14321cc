"""The perceptron rule: a row with margin ≤ 0 changes  θ ← θ − η ∂ℓ/∂z [x_i 1],  or w ← w + η y x.

A row of weight w is visited w times in succession, but not after it is right; the last time by the fraction left. The
rows are shuffled for each pass (`random`) or taken in order (`cyclic`). The random order depends on the contents of the
rows; equal ones are neighbours in it.
On rows of whole weights with ‖x‖ ≤ R that some unit vector separates with margin γ it makes at most R²/γ² mistakes, for
any order and η.   Novikoff (1962)

If the rows are sorted by class, `cyclic` forgets one class while it visits the other. So, of the θ that are tested on
all rows, that whose misclassified rows weigh least is kept (the pocket with ratchet). Tested are the first θ, the last
one of each pass, and each that had more correct rows in turn than the kept one.
Gallant (1990), "Perceptron-based learning algorithms"
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed, hashes
from linclass.base.design_matrix import Design
from linclass.base.documentation import documented
from linclass.base.parameters import require_positive
from linclass.linear.losses.base import Loss
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, SolverByPasses, Trace
from linclass.linear.solvers.corrections import (
    BLOCK_ROWS,
    ManyClassesUntilRight,
    Rule,
    Tally,
    TwoClassesUntilRight,
    next_order,
)

MAX_AHEAD = 4096  # rows whose scores are computed at once


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

    def visit(self, missed: Array, left: Array, before: Array) -> Iterator[int]:
        """The mistakes among some rows before which the present θ should be tested, each before the next is made.

        After a mistake the new θ is right on the weight `left` of its row; `before` is the weight of the rows before
        each row and before the end.
        """
        seen = 0
        for k, rest in zip(missed.tolist(), left.tolist(), strict=True):
            self.right += float(before[k] - before[seen])
            if self.holds_present:
                self.run = self.right
            if self.right > self.run:
                yield k
            self.right, self.holds_present = rest, False
            seen = k + 1
        self.right += float(before[-1] - before[seen])


@dataclass(frozen=True)
class CountedRows:
    """Rows in some order, and how often each is there."""

    design: Design
    loss: Loss
    y: Array
    counts: Array
    learning_rate: float  # η

    def take(self, rows: Array) -> CountedRows:
        design = self.design.take(rows)
        return replace(self, design=design, y=self.y[rows], counts=self.counts[rows])

    def wrong(self, theta: Array) -> float:
        """The number of misclassified rows."""
        missed = self.loss.margins(self.y, self.design.scores(theta)) <= 0
        return float(self.counts @ missed)

    def one_pass(self, theta: Array, pocket: Pocket | None) -> int:
        """Correct θ at its mistakes, row after row, and return the number of corrections.

        Scores are computed for many rows ahead, as θ does not change until the next mistake.
        """
        design, before = self.design, np.append(0.0, np.cumsum(self.counts))
        mistakes, i, ahead = 0, 0, BLOCK_ROWS
        while i < design.n_rows:
            some = slice(i, min(i + ahead, design.n_rows))
            z = design.scores_of(some, theta)
            wrong = self.loss.margins(self.y[some], z) <= 0
            first = int(wrong.argmax()) if wrong.any() else len(wrong)
            if pocket:
                pocket.right += float(before[i + first] - before[i])
            if first == len(wrong):
                i, ahead = some.stop, min(2 * ahead, MAX_AHEAD)
                continue
            block = slice(i + first, min(i + first + BLOCK_ROWS, some.stop))
            z = z[..., first : first + BLOCK_ROWS]
            mistakes += self._correct(block, z, theta, before, pocket)
            i, ahead = block.stop, BLOCK_ROWS
        if pocket and mistakes:  # else all rows are correct
            pocket.offer(theta, self.wrong(theta))
        return mistakes

    def _correct(
        self, block: slice, z: Array, theta: Array, before: Array, pocket: Pocket | None
    ) -> int:
        """Visit the rows of a block in turn, from their scores before the first; the number of corrections."""
        design, codes, counts = self.design, self.y[block], self.counts[block]
        rule = Rule(0.0, lambda squares, share: (np.inf, self.learning_rate * share))
        two, gram = theta.ndim == 1, design.gram_of(block)
        visits: Any = (
            TwoClassesUntilRight(gram, codes > 0, counts, rule)
            if two
            else ManyClassesUntilRight(gram, codes, counts, rule)
        )
        coefficients = visits.correct(z.T, Tally()).T
        missed = np.flatnonzero(coefficients if two else coefficients.any(axis=0))
        left = (counts - visits.made)[missed]
        if pocket:
            for k in pocket.visit(missed, left, before[block.start : block.stop + 1]):
                seen = slice(block.start, block.start + k)
                present = theta + design.pull_of(seen, coefficients[..., :k]) if k else theta
                pocket.offer(present, self.wrong(present))
        theta += design.pull_of(block, coefficients)
        return int(np.ceil(visits.made[missed]).sum())


ORDERS = ("random", "cyclic")


@dataclass
class Passed:
    """The state after some passes."""

    theta: Array
    mistakes: int = 0


@documented
@dataclass(frozen=True)
class PerceptronRule(SolverByPasses):
    """Corrections at misclassified rows.

    Parameters
    ----------
    tol : float, default=1e-6
        Not used: the rule stops after a pass without mistakes.
    learning_rate : float, default=1.0
        Learning rate η, above 0.
    order : {'random', 'cyclic'}, default='random'
        Order of the rows: shuffled for each pass, or as given.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    learning_rate: float = 1.0
    order: str = "random"
    random_state: Seed = None

    needs: ClassVar[str] = "mistake-driven"
    takes: ClassVar[str] = "none"

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        theta, rows = start.copy(), self._rows(objective)
        pocket = Pocket(theta.copy(), rows.wrong(theta))
        in_order = self._orders(rows)
        mistakes = 0
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            made = in_order().one_pass(theta, pocket)
            mistakes += made
            objective.design.passes += 1
            if trace:
                trace(objective.at(theta.copy()))
            if made == 0:
                break
        pocket.offer(theta, rows.wrong(theta))
        return self._solution(objective, pocket.theta, mistakes, n_iter)

    def begin(self, objective: Objective, start: Array) -> Passed:
        return Passed(start.copy())

    def run_through(self, objective: Objective, state: Passed) -> None:
        """Change the state by one pass, without the pocket, which would need all rows."""
        state.mistakes += self._rows(objective).one_pass(state.theta, None)

    def estimate(self, objective: Objective, state: Passed) -> Solution:
        return self._solution(objective, state.theta.copy(), state.mistakes, 1)

    def _solution(self, objective: Objective, theta: Array, mistakes: int, n_iter: int) -> Solution:
        point = objective.at(theta)
        missed = objective.loss.margins(objective.y, point.scores) <= 0
        wrong = float(np.average(missed, weights=objective.counts))
        kind, extra = "training_mistakes", {"n_mistakes_": mistakes}
        return Solution(theta, point.value, wrong, kind, wrong == 0, n_iter, extra=extra)

    def check(self) -> None:
        super().check()
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; use {', '.join(ORDERS)}.")
        require_positive("learning_rate", self.learning_rate)

    def _rows(self, objective: Objective) -> CountedRows:
        P = objective
        return CountedRows(P.design, P.loss, P.y, P.counts, self.learning_rate)

    def _orders(self, rows: CountedRows) -> Callable[[], CountedRows]:
        """The rows in the order of the next pass."""
        if self.order != "random":
            return lambda: rows
        rng = np.random.default_rng(self.random_state)
        keys = rows.design.row_keys(rng) + hashes(rows.y[:, None] + 1, rng)
        return lambda: rows.take(next_order(keys, rng))
