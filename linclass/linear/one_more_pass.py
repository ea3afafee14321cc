"""`partial_fit` of models whose solver makes passes over the rows: one more pass, over the rows of the call.

The objective is that of the rows of the call; the state of the solver (steps taken, means of iterates) is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike
from linclass.base.classifier import Classifier
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
        _one_more_pass: Callable[..., Any]  # with the arguments of partial_fit

    @property
    def partial_fit(self) -> Any:
        """One more pass over more rows, as a method `partial_fit(X, y, classes=None, sample_weight=None, offset=None)`,
        without `classes` for a regressor.

        It exists if the solver is one that can be continued: 'stochastic_gradient', 'pegasos', or the rule
        of a perceptron in the order 'random' or 'cyclic'. The rows are taken in the order given. `classes`
        names all classes in the first call; None takes those of its rows. After `fit` it goes on from the
        fitted coefficients, with the steps of a first pass. Returns the model.
        """
        try:
            solver = self._solver(self.solver)
        except (ValueError, TypeError):  # 'auto', or a name that `check` refuses
            solver = None
        if not getattr(solver, "can_continue", False):
            raise AttributeError(
                f"solver={self.solver!r} has no partial_fit; solver='stochastic_gradient' has."
            )
        return self._one_more_pass

    def _forget_if_fitted(self) -> None:
        """What a call began with, if `fit` came in between."""
        if not hasattr(self, "_states"):
            vars(self).pop("_begun", None)

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

    def _one_more_pass(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        begins = not hasattr(self, "classes_")
        self._forget_if_fitted()
        X, codes, weights = rows_of_call(self, begins, X, y, classes, sample_weight)
        with nothing_if_refused(self, begins):
            known = self._offsets(offset, sample_weight, y)
        return self._pass_over(begins, X, codes, weights, known)


class OneMorePassOfTargets(PartialFit, Regressor):
    """Of regressors."""

    def _one_more_pass(
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        begins = not hasattr(self, "coef_")
        self._forget_if_fitted()
        X, targets, weights = rows_with_targets(self, begins, X, y, sample_weight)
        with nothing_if_refused(self, begins):
            known = self._offsets(offset, sample_weight, y)
        return self._pass_over(begins, X, targets, weights, known)
