"""The perceptron rule: a row with margin ≤ 0 pulls  θ ← θ − η ∂ℓ/∂z [x_i 1],  or w ← w + η y x.

Rows come reshuffled for every pass (`random`), in turn (`cyclic`), or the worst of all first
(`largest_violation`). On rows with ‖x‖ ≤ R that some unit vector separates with margin γ it makes
at most R²/γ² mistakes, whatever the order and η.   Novikoff (1962)

Rows that stand class by class make `cyclic` forget one class while it sees the other, and the worst
row of overlapping classes is an outlier, which throws θ about. So the θ with the fewest rows wrong is
kept in a pocket: θ is tried on all rows whenever it had more rows right in turn than any before it, and
after every pass.   Gallant (1990), "Perceptron-based learning algorithms"

Scores are worked out for many rows ahead, since nothing changes until the next mistake.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from linclass.numerics import Array, DesignMatrix
from linclass.objective import Objective
from linclass.solvers.base import Solution, Solver, Trace

ORDERS = ("random", "cyclic", "largest_violation")


@dataclass
class Best:
    """The θ that had the fewest rows wrong: Gallant's pocket, with ratchet."""

    theta: Array | None = None
    wrong: int = -1
    right_in_turn: int = 0  # of any θ so far
    right: int = 0  # of the present one

    def offer(self, theta: Array, wrong: int) -> None:
        if self.theta is None or wrong < self.wrong:
            self.theta, self.wrong = theta.copy(), wrong

    def corrected(self) -> bool:
        """The present θ ends; had it more rows right in turn than any before?"""
        record = self.right > self.right_in_turn
        self.right_in_turn, self.right = max(self.right_in_turn, self.right), 0
        return record


@dataclass(frozen=True)
class PerceptronRule(Solver):
    """Corrections at misclassified rows.

    Parameters
    ----------
    tol : float, default=1e-6
        Not used: the rule stops after a pass without mistakes.
    max_iter : int or None, default=None
        Limit on the number of passes over the rows. None is 100 passes (1000 for 'largest_violation').
    step : float, default=1.0
        Learning rate η, above 0.
    order : {'random', 'cyclic', 'largest_violation'}, default='random'
        Order of the rows: shuffled for each pass, as given, or always the row of smallest margin.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    step: float = 1.0
    order: str = "random"
    random_state: Any = None

    needs: ClassVar[str] = "mistake-driven"
    takes: ClassVar[str] = "none"

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng = np.random.default_rng(self.random_state)
        theta, y, design = start.copy(), objective.y, objective.design
        mistakes, best = 0, Best()
        for n_iter in range(1, self.n_steps + 1):  # noqa: B007
            if self.order == "largest_violation":
                left = self._correct_worst(objective, theta, best)
            elif self.order == "random":
                rows = rng.permutation(design.n_rows)
                shuffled = design.take(rows)
                left = self._correct_in_turn(shuffled, objective.loss, y[rows], theta, best)
            else:
                left = self._correct_in_turn(design, objective.loss, y, theta, best)
            mistakes += left
            design.passes += 1
            if trace:
                trace(objective.at(theta.copy()))
            if left == 0:
                break
        best.offer(theta, self._wrong(design, objective.loss, y, theta))
        assert best.theta is not None
        point = objective.at(best.theta)
        wrong = float(np.mean(objective.loss.margins(y, point.scores) <= 0))
        extra = {"n_mistakes_": mistakes}
        return Solution(
            point.theta, point.value, wrong, "training_mistakes", wrong == 0, n_iter, extra=extra
        )

    @property
    def n_steps(self) -> int:
        """Passes over the data: for the worst row first, each is one correction only."""
        patience = 10 if self.order == "largest_violation" else 1
        return self.limit * patience if self.max_iter is None else self.max_iter

    def check(self) -> None:
        super().check()
        if self.order not in ORDERS:
            raise ValueError(f"order is {self.order!r}; use {', '.join(ORDERS)}.")
        if not (isinstance(self.step, (int, float)) and self.step > 0):
            raise ValueError(f"step is {self.step!r}; the perceptron needs a number above 0.")

    def _wrong(self, design: DesignMatrix, loss: Any, y: Array, theta: Array) -> int:
        return int(np.count_nonzero(loss.margins(y, design.scores(theta)) <= 0))

    def _correct_in_turn(
        self, design: DesignMatrix, loss: Any, y: Array, theta: Array, best: Best
    ) -> int:
        """One pass; the number of mistakes corrected."""
        mistakes, i, ahead = 0, 0, 8
        while i < design.n_rows:
            rows = slice(i, min(i + ahead, design.n_rows))
            z = design.scores_of(rows, theta)
            wrong = loss.margins(y[rows], z) <= 0
            first = int(wrong.argmax())
            if wrong[first]:
                best.right += first
                if best.corrected():
                    best.offer(theta, self._wrong(design, loss, y, theta))
                self._correct(design, loss, y, theta, i + first, z[..., first : first + 1])
                mistakes += 1
                i, ahead = i + first + 1, 8
            else:
                best.right += rows.stop - i
                i, ahead = rows.stop, min(2 * ahead, 4096)
        if mistakes:  # else all rows are right
            best.offer(theta, self._wrong(design, loss, y, theta))
        return mistakes

    def _correct_worst(self, objective: Objective, theta: Array, best: Best) -> int:
        z = objective.design.scores(theta)
        margins = objective.loss.margins(objective.y, z)
        best.offer(theta, int(np.count_nonzero(margins <= 0)))
        i = int(margins.argmin())
        if margins[i] > 0:
            return 0
        own = z[..., i : i + 1]
        self._correct(objective.design, objective.loss, objective.y, theta, i, own)
        return 1

    def _correct(
        self, design: DesignMatrix, loss: Any, y: Array, theta: Array, i: int, z: Array
    ) -> None:
        slope = self.step * loss.slopes(y[i : i + 1], z)[..., 0]
        columns, values = design.row(i)
        if theta.ndim == 1:
            theta[columns] -= slope * values
        else:
            theta[:, columns] -= slope[:, None] * values
