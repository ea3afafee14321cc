"""`partial_fit` of classifiers whose solver makes passes over the rows: one more pass, over the rows of the call.

The objective is that of the rows of the call; the state of the solver (steps taken, means of iterates) is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from linclass.annotations import ArrayLike, MatrixLike
from linclass.conventions.classifier import Classifier
from linclass.conventions.convergence_warning import silently
from linclass.numerics import Array
from linclass.objective.objective import Objective
from linclass.online.rows_of_call import begin_with, rows_of_call
from linclass.solvers.base import Solution, SolverLike


class OneMorePass(Classifier):
    """Mixin of classifiers that are composed of a loss, a penalty and a solver."""

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

    @property
    def partial_fit(self) -> Any:
        """One more pass over more rows, as a method `partial_fit(X, y, classes=None, sample_weight=None, offset=None)`.

        It exists if the solver is one that can be continued: 'stochastic_gradient', 'pegasos', or the rule
        of a perceptron in the order 'random' or 'cyclic'. The rows are taken in the order given. `classes`
        names all classes in the first call; None takes those of its rows. After `fit` it goes on from the
        fitted coefficients, with the steps of a first pass. Returns the classifier.
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

    def _one_more_pass(
        self,
        X: MatrixLike,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        begins = not hasattr(self, "classes_")
        if not hasattr(self, "_states"):
            vars(self).pop("_begun", None)  # `fit` came in between
        X, codes, weights = rows_of_call(self, begins, X, y, classes, sample_weight)
        try:
            known = self._offsets(offset, sample_weight, y)
        except ValueError:
            if begins:
                vars(self).pop("classes_")  # as if there had been no call
            raise
        solver, objectives = self._solver(self.solver), self._objectives(X, codes, weights, known)
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
