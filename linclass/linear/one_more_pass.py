"""`partial_fit` of models whose solver makes passes over the rows: one more pass, over the rows of the call.

The objective is that of the rows of the call; the state of the solver (steps taken, means of iterates) is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike
from linclass.base.classifier import Classifier, only_if
from linclass.base.estimator import Estimator
from linclass.base.messages import silently
from linclass.base.regressor import Regressor
from linclass.linear.objective.objective import Objective
from linclass.linear.rows_of_call import (
    begin_with,
    nothing_if_refused,
    rows_of_call,
    rows_with_targets,
)
from linclass.linear.solvers.base import Solution, SolverLike


class PartialFit(Estimator):
    """Mixin of models that are composed of a loss, a penalty and a solver."""

    # parameters that cannot change between calls
    begun_with: ClassVar[tuple[str, ...]] = ("fit_intercept", "solver")

    if TYPE_CHECKING:
        solver: SolverLike
        solver_: str
        _states: list[Any]
        _solver: Callable[[Any], Any]
        _objectives: Callable[[Any, Array, Array, Array | None], list[Objective]]
        _offsets: Callable[..., Array | None]
        _start: Callable[[Objective, Array | None, int], Array]
        _old_parameters: Callable[[], Array | None]
        _learn: Callable[[Sequence[Solution]], None]

    def _why_no_partial_fit(self) -> str:
        try:
            solver = self._solver(self.solver)
        except (ValueError, TypeError):  # 'auto', or a name that `check` refuses
            solver = None
        if getattr(solver, "can_continue", False):
            return ""
        return f"solver={self.solver!r} cannot be continued; solver='stochastic_gradient' can"

    def _forget_if_fitted(self) -> None:
        """What a call began with, if `fit` came in between."""
        if not hasattr(self, "_states"):
            self._forget("_begun")

    def _pass_over(
        self, begins: bool, X: Matrix, y: Array, weights: Array, offset: Array | None
    ) -> Self:
        solver, objectives = self._solver(self.solver), self._objectives(X, y, weights, offset)
        if not hasattr(self, "_states"):
            old = None if begins else self._old_parameters()
            starts = [self._start(P, old, number) for number, P in enumerate(objectives)]
            begin_with(self, self.begun_with)
            self._states = [solver.begin(*at) for at in zip(objectives, starts, strict=True)]
        solutions = []
        for objective, state in zip(objectives, self._states, strict=True):
            solver.run_through(objective, state)
            solutions.append(solver.estimate(objective, state))
        self._learn(solutions)
        self.solver_ = solver.name
        with silently():
            return self._record(
                "max_iter",
                "partial_fit makes one pass.",
                objective=float(sum(s.objective for s in solutions)),
                certificate=max(s.certificate for s in solutions),
                certificate_kind=solutions[0].certificate_kind,
                n_iter=1,
            )


class OneMorePass(PartialFit, Classifier):
    """Of classifiers."""

    @only_if(PartialFit._why_no_partial_fit)
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """One more pass over more rows, in the order given.

        It exists if the solver can be continued: 'stochastic_gradient', 'pegasos', or the rule of a perceptron in the
        order 'random' or 'cyclic'. After `fit` it goes on from the fitted coefficients, with the learning rates of a
        first pass.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            New rows.
        y : array of shape (n,)
            Class of each row.
        classes : sequence or None
            All classes, in the first call. None takes the classes of its rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None
            Known part of the scores. None is 0.

        Returns
        -------
        self
        """
        begins = not hasattr(self, "classes_")
        self._forget_if_fitted()
        X, codes, weights = rows_of_call(self, begins, X, y, classes, sample_weight)
        with nothing_if_refused(self, begins):
            known = self._offsets(offset, sample_weight, y)
        return self._pass_over(begins, X, codes, weights, known)


class OneMorePassOfTargets(PartialFit, Regressor):
    """Of regressors."""

    @only_if(PartialFit._why_no_partial_fit)
    def partial_fit(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """One more pass over more rows, in the order given.

        It exists if the solver can be continued: 'stochastic_gradient', 'pegasos', or the rule of a perceptron in the
        order 'random' or 'cyclic'. After `fit` it goes on from the fitted coefficients, with the learning rates of a
        first pass.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            New rows.
        y : array of shape (n,)
            Target of each row.
        offset : array of shape (n,) or None
            Known part of the prediction. None is 0.

        Returns
        -------
        self
        """
        begins = not hasattr(self, "coef_")
        self._forget_if_fitted()
        X, targets, weights = rows_with_targets(self, begins, X, y, sample_weight)
        with nothing_if_refused(self, begins):
            known = self._offsets(offset, sample_weight, y)
        return self._pass_over(begins, X, targets, weights, known)
