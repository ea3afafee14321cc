"""The perceptron rule: a row with margin ≤ 0 changes  θ ← θ − η r_i ∂ℓ/∂z [x_i 1],  or w ← w + η r_i y x.

r_i is the weight of the row, divided by the largest: a stochastic gradient step for Σ w_i max(0, −y_i z_i).
The rows are shuffled for each pass (`random`), taken in order (`cyclic`), or by smallest margin (`largest_violation`).
On rows of equal weight with ‖x‖ ≤ R that some unit vector separates with margin γ it makes at most R²/γ² mistakes, for
any order and η.   Novikoff (1962)

If the rows are sorted by class, `cyclic` forgets one class while it visits the other; the row of smallest margin of
overlapping classes is an outlier, which changes θ much. So, of the θ that are tested on all rows, that whose
misclassified rows weigh least is kept (the pocket with ratchet). Tested are the first θ, the last one of each pass, and
each that had more correct rows in turn than the kept one; with `largest_violation`, every θ.
Gallant (1990), "Perceptron-based learning algorithms"

Scores are computed for many rows ahead, since θ does not change until the next mistake. Where mistakes are frequent,
those of the next rows follow a correction by the products of these rows (linclass/online/correction.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from linclass.annotations import Seed
from linclass.conventions.parameter_types import require_number
from linclass.design.base import Design
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.online.block import ROWS
from linclass.online.correction import ManyClasses, Rule, TwoClasses
from linclass.online.tally import Tally
from linclass.solvers.base import Solution, SolverByPasses, Trace
from linclass.solvers.hinge.pocket import Pocket

FIRST, AHEAD = 8, 4096  # rows whose scores are computed at once: after a mistake, and at most
FEW = 2  # mistakes among ROWS rows up to which the products of these rows would cost more than they save
WIDE, SPARSE = 60, 20  # one more for each WIDE features, of sparse rows up to SPARSE
ORDERS = ("random", "cyclic", "largest_violation")


class Corrected(Protocol):
    """A loss, of which the rule needs where it corrects and by what."""

    def margins(self, y: Array, z: Array) -> Array: ...
    def slopes(self, y: Array, z: Array) -> Array: ...
    def parted(self, y: Array) -> tuple[Array, Array | None]: ...


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
    step : float, default=1.0
        Learning rate η, above 0.
    order : {'random', 'cyclic', 'largest_violation'}, default='random'
        Order of the rows: shuffled for each pass, as given, or always the row of smallest margin.
    random_state : int, numpy.random.Generator or None, default=None
        Seed of the order of rows. None draws a new one for each call.
    """

    step: float = 1.0
    order: str = "random"
    random_state: Seed = None

    needs: ClassVar[str] = "mistake-driven"
    takes: ClassVar[str] = "none"

    def solve(self, objective: Objective, start: Array, trace: Trace | None = None) -> Solution:
        rng = np.random.default_rng(self.random_state)
        theta, y, design = start.copy(), objective.y, objective.design
        weights = objective.weights / objective.weights.max()
        pocket = Pocket(theta.copy(), self._wrong(design, objective.loss, y, weights, theta))
        mistakes = 0
        for n_iter in range(1, self.max_steps + 1):  # noqa: B007
            if self.order == "largest_violation":
                left = self._correct_worst(objective, weights, theta, pocket)
            elif self.order == "random":
                rows = rng.permutation(design.n_rows)
                some = design.take(rows), objective.loss, y[rows], weights[rows]
                left = self._correct_in_turn(*some, theta, pocket)
            else:
                left = self._correct_in_turn(design, objective.loss, y, weights, theta, pocket)
            mistakes += left
            design.passes += 1
            if trace:
                trace(objective.at(theta.copy()))
            if left == 0:
                break
        pocket.offer(theta, self._wrong(design, objective.loss, y, weights, theta))
        return self._solution(objective, pocket.theta, mistakes, n_iter)

    @property
    def can_continue(self) -> bool:
        return self.order != "largest_violation"

    def begin(self, objective: Objective, start: Array) -> Passed:
        return Passed(start.copy())

    def run_through(self, objective: Objective, state: Passed) -> None:
        """Without the pocket, which would need all rows."""
        weights = objective.weights / objective.weights.max()
        rows = objective.design, objective.loss, objective.y, weights
        state.mistakes += self._correct_in_turn(*rows, state.theta, None)

    def estimate(self, objective: Objective, state: Passed) -> Solution:
        return self._solution(objective, state.theta.copy(), state.mistakes, 1)

    def _solution(self, objective: Objective, theta: Array, mistakes: int, n_iter: int) -> Solution:
        point = objective.at(theta)
        missed = objective.loss.margins(objective.y, point.scores) <= 0
        counts = objective.weights / objective.weights.max()  # 1 for equal weights: an exact share
        wrong = float(np.average(missed, weights=counts))
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
        require_number("step", self.step)

    def _wrong(
        self, design: Design, loss: Corrected, y: Array, weights: Array, theta: Array
    ) -> float:
        return float(weights @ (loss.margins(y, design.scores(theta)) <= 0))

    def _correct_in_turn(
        self,
        design: Design,
        loss: Corrected,
        y: Array,
        weights: Array,
        theta: Array,
        pocket: Pocket | None,
    ) -> int:
        """One pass; the number of mistakes corrected."""
        mistakes, i, ahead = 0, 0, FIRST
        few = FEW + min(design.n_features / WIDE, SPARSE if design.is_sparse else np.inf)
        while i < design.n_rows:
            rows = slice(i, min(i + ahead, design.n_rows))
            z = design.scores_of(rows, theta)
            wrong = loss.margins(y[rows], z) <= 0
            first = int(wrong.argmax())
            if not wrong[first]:
                if pocket:
                    pocket.right += rows.stop - i
                i, ahead = rows.stop, min(2 * ahead, AHEAD)
            elif ROWS * mistakes > few * i:
                left = slice(i + first, min(i + first + ROWS, rows.stop))
                if pocket:
                    pocket.right += first
                own = z[..., first : first + ROWS]
                mistakes += self._correct_many(design, loss, y, weights, theta, left, own, pocket)
                i, ahead = left.stop, ROWS
            else:
                if pocket and pocket.asks(after=first):
                    pocket.offer(theta, self._wrong(design, loss, y, weights, theta))
                at, own = i + first, z[..., first : first + 1]
                self._correct(design, loss, y, theta, at, own, float(weights[at]))
                mistakes += 1
                if pocket:
                    pocket.changed()
                i, ahead = at + 1, FIRST
        if pocket and mistakes:  # else all rows are correct
            pocket.offer(theta, self._wrong(design, loss, y, weights, theta))
        return mistakes

    def _correct_worst(
        self, objective: Objective, weights: Array, theta: Array, pocket: Pocket
    ) -> int:
        z = objective.design.scores(theta)
        margins = objective.loss.margins(objective.y, z)
        pocket.offer(theta, float(weights @ (margins <= 0)))
        i = int(margins.argmin())
        if margins[i] > 0:
            return 0
        own = z[..., i : i + 1]
        design, loss, y = objective.design, objective.loss, objective.y
        self._correct(design, loss, y, theta, i, own, float(weights[i]))
        return 1

    def _correct(
        self, design: Design, loss: Corrected, y: Array, theta: Array, i: int, z: Array, w: float
    ) -> None:
        slope = self.step * w * loss.slopes(y[i : i + 1], z)[..., 0]
        columns, values = design.row(i)
        if theta.ndim == 1:
            theta[columns] -= slope * values
        else:
            theta[:, columns] -= slope[:, None] * values

    def _correct_many(
        self,
        design: Design,
        loss: Corrected,
        y: Array,
        weights: Array,
        theta: Array,
        rows: slice,
        z: Array,
        pocket: Pocket | None,
    ) -> int:
        """Visit some rows in turn, from their scores before the first; the number of mistakes."""
        rule = Rule(0.0, lambda squares, share: (np.inf, self.step * share))
        codes, offset = loss.parted(y[rows])
        z = z if offset is None else z + offset
        given = design.gram_of(rows), codes, weights[rows], rule
        if theta.ndim == 1:
            found = TwoClasses(given[0], codes > 0, *given[2:]).correct(z, Tally())
            missed = np.flatnonzero(found)
        else:
            found = ManyClasses(*given).correct(z.T, Tally()).T
            missed = np.flatnonzero(found.any(axis=0))
        for k in pocket.visit(missed, rows.stop - rows.start) if pocket else ():
            before = slice(rows.start, rows.start + k)
            present = theta + design.pull_of(before, found[..., :k]) if k else theta
            pocket.offer(present, self._wrong(design, loss, y, weights, present))  # type: ignore[union-attr]
        theta += design.pull_of(rows, found)
        return len(missed)
