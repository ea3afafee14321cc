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

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from linclass.base.arrays import Array, Seed, hashes
from linclass.base.parameters import require_positive
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution, SolverByPasses, Trace
from linclass.linear.solvers.hinge.perceptron_pass import CountedRows, PerceptronPass
from linclass.linear.solvers.hinge.pocket import Pocket
from linclass.linear.solvers.online.row_order import next_order

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
        codes, offset = rows.loss.parted(rows.y)
        targets = np.vstack([codes + 1, *([] if offset is None else [offset])]).T
        keys = rows.design.row_keys(rng) + hashes(targets, rng)
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
