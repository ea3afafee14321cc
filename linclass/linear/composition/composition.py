"""loss × penalty × solver by name: what every estimator that minimizes an objective shares.

The estimator has the parameters loss, penalty, strength, solver, step, fit_intercept, tol, max_iter, random_state and
trace. This base finds the parts, rejects incompatible ones, and runs the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.base.design_matrix import DesignMatrix
from linclass.base.estimator import Estimator
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import defaults_of
from linclass.base.parts import find, module_of, names, no_part
from linclass.linear.composition.compatibility import TAKES, mismatch, takes_penalty
from linclass.linear.composition.idle_options import PENALTY_OPTIONS, NamesIdleOptions
from linclass.linear.losses.base import Loss, LossLike
from linclass.linear.objective.objective import UNPENALIZED, Objective, Point
from linclass.linear.paths.fits_path import FitsPath
from linclass.linear.penalties.base import Penalty, PenaltyLike
from linclass.linear.solvers import choice
from linclass.linear.solvers.base import LearningRate, Solution, Solver, SolverLike, Trace

# Parameters of the estimator that are passed to solvers that have them.
SOLVER_OPTIONS = ("learning_rate", "tol", "max_iter", "random_state")
INITIAL = 1e-8  # tolerance of a fit that determines the penalty


class Composition(FitsPath, NamesIdleOptions, Estimator):
    """Base of estimators that minimize loss + strength · penalty."""

    loss: LossLike
    penalty: PenaltyLike
    strength: float
    fit_intercept: bool
    solver: SolverLike  # a name, {name: options} or a Solver
    learning_rate: LearningRate = None
    # Defined by the estimator: check the data, set up the objectives, set the attributes.
    _start_fit: Callable[..., tuple[Matrix, Array, Array]]
    _objectives: Callable[..., list[Objective]]
    _finish: Callable[..., Any]

    def check(self) -> None:
        """Raise ValueError, with one sentence, if parts do not exist or are incompatible."""
        super().check()
        loss, penalty = self._loss(), self._penalty()
        if loss.kind == "discrete":
            raise ValueError(f"{loss.name} is not convex and has no slope. Try loss='logistic'.")
        if not (isinstance(self.strength, (int, float, np.number)) and 0 <= self.strength < np.inf):
            raise ValueError(f"strength is {self.strength!r}; it must be a number, at least 0.")
        if self._chooses_solver:
            if self.learning_rate is not None:
                raise ValueError(
                    f"learning_rate is {self.learning_rate!r}; choose a solver that has one."
                )
            self._solver("newton").check()  # of tol and max_iter, which all solvers have
            if penalty.kinked and loss.kind == "convex" and self._able_solver() is None:
                free = (loss.piecewise_linear or loss.simplicial) and penalty.entrywise
                why = "both have a kink, and a factor is 0" if free else "both have a kink"
                raise ValueError(
                    f"no solver minimizes {loss.name} with {penalty.name}, because {why}. "
                    "Try loss='squared_hinge'."
                )
            return
        solver = self._solver(self.solver)
        if (complaint := mismatch(solver, loss)) is not None:
            raise ValueError(complaint)
        if not takes_penalty(solver, self._effective_penalty()):
            complaint = TAKES[solver.takes][1].format(self._effective_penalty().name)
            able = self._able_solver()
            remedy = f" Try solver={able!r}." if able and solver.takes != "none" else ""
            raise ValueError(f"{solver.name} {complaint}{remedy}")
        solver.check()

    @property
    def _chooses_solver(self) -> bool:
        """Whether the solver is chosen by the objective."""
        return isinstance(self.solver, str) and self.solver == "auto"

    def parts(self) -> list[str]:
        """Modules that a fit imports by name; with solver='auto', every solver that may be chosen."""
        loss = self._loss()
        others = [name for name in (loss.joint, loss.binary) if name]
        solvers = choice.solvers() if self._chooses_solver else [self._solver(self.solver).name]
        return [
            type(loss).__module__,
            *(module_of("losses", name) for name in others),
            type(self._penalty()).__module__,
            *(module_of("solvers", name) for name in solvers),
        ]

    def _objective(
        self, design: DesignMatrix, loss: Loss, target: Array, weights: Array
    ) -> Objective:
        """The objective of this loss on these rows, with the penalty on their features."""
        penalty = self._penalty().for_features(getattr(self, "feature_names_in_", None))
        penalty.check_features(design.n_features)
        if penalty.intercept is not None and design.intercept:
            penalty = penalty.with_intercept(design.n_features)
            design = design.with_constant_feature()
        objective = Objective(design, loss, target, weights, penalty, self.strength)
        if penalty.initial is None:
            return objective
        # another fit, such as the initial estimate of the adaptive lasso, determines the penalty
        first = objective.with_penalty(*penalty.initial)
        solver = find("solvers", choice.choose_solver(first))(tol=INITIAL)
        W = first.weight_part(solver.solve(first, first.zero()).theta)
        return objective.with_penalty(penalty.after(W), self.strength)

    def _chosen(self, objective: Objective) -> Solver:
        if self._chooses_solver:
            return self._solver(choice.choose_solver(objective))
        solver = self._solver(self.solver)
        if solver.needs == "simplicial" and not objective.loss.simplicial:
            loss = self._loss()
            raise NotApplicable(
                f"{solver.name} does not minimize {loss.binary}, which {loss.name} is for two classes. "
                "Try solver='auto'."
            )
        if solver.needs == "piecewise-quadratic" and objective.y.ndim == 2:
            several = f"{self._loss().name} has {len(objective.y)}. Try solver='auto'."
            raise NotApplicable(f"{solver.name} minimizes over one score, and {several}")
        return solver

    def _minimize(self, objective: Objective, start: Array) -> Solution:
        """Run the solver; sets `solver_` and, if requested, `trace_`."""
        solver = self._chosen(objective)
        self.solver_ = solver.name
        trace = Trace(self._watch()) if getattr(self, "trace", False) else None
        solution = solver.solve(objective, start, trace)
        if trace:
            self.trace_ = [*getattr(self, "trace_", []), *trace.rows]
        return solution

    def _watch(self) -> Callable[[Point], float | None] | None:
        """Function whose value a trace records after each step; None for no value."""
        return None

    def _ending(self, solutions: Sequence[Solution]) -> tuple[str, str]:
        """(status, reason) of one or several minimizations."""
        if unfinished := [s for s in solutions if not s.converged]:
            worst = max(unfinished, key=lambda s: s.certificate)
            stop = f"{self.solver_} stopped after {counted(worst.n_iter, 'iteration')} with {worst.distance}"
            chosen = "newton" if self._chooses_solver else self.solver
            return "max_iter", f"{stop}; tol is {self._solver(chosen).tol:g}."
        ranks = [s.rank for s in solutions if s.rank is not None]
        if ranks and not self._is_penalized():
            loss = self._loss()
            if loss.piecewise_quadratic and not loss.quadratic:
                few = f"rows where the loss is curved do not determine all weights (rank {min(ranks)})"
                return "rank_deficient", f"{few}: the optimum need not be unique; add a penalty."
            rank = f"features are linearly dependent (rank {min(ranks)})"
            return "rank_deficient", f"{rank}: of all optimal solutions this has minimum norm."
        return "converged", ""

    def _measures(self, solutions: Sequence[Solution]) -> dict[str, Any]:
        return {
            "objective": float(sum([s.objective for s in solutions])),
            "certificate": max([s.certificate for s in solutions]),
            "certificate_kind": solutions[0].certificate_kind,
            "n_iter": max([s.n_iter for s in solutions]),
        }

    def _is_penalized(self) -> bool:
        return self._effective_penalty().binds

    def _effective_penalty(self) -> Penalty:
        """The penalty in force: at strength 0 there is none."""
        return self._penalty() if self.strength > 0 else UNPENALIZED

    def _able_solver(self) -> str | None:
        """The solver that 'auto' takes for a small problem, if it can minimize this loss and penalty."""
        loss, row = self._loss(), DesignMatrix(np.ones((1, 1)))
        small = Objective(row, loss, np.ones(1, int), None, self._penalty(), self.strength)
        name = choice.choose_solver(small)
        solver = find("solvers", name)()
        takes = takes_penalty(solver, self._effective_penalty())
        return name if takes and mismatch(solver, loss) is None else None

    def _loss(self) -> Any:
        """The loss of one score; of one for K scores, their number is still to be given."""
        if isinstance(self.loss, str):
            return find("losses", self.loss)()
        loss = self._part("losses", Loss, self.loss, ())
        loss.check()
        if loss.n_scores != 1 or loss.simplicial:
            raise ValueError(
                f"loss is {self.loss!r}; a loss of K scores is given by its name alone."
            )
        return loss

    def _penalty(self) -> Penalty:
        chosen = "unpenalized" if self.penalty is None else self.penalty
        penalty = self._part("penalties", Penalty, chosen, PENALTY_OPTIONS)
        penalty.check()
        return penalty

    @property
    def takes_names(self) -> bool:
        """Whether rows should come with the names of their columns, because the penalty needs them."""
        return self._penalty().needs_names

    def _solver(self, chosen: Any) -> Solver:
        solver = self._part("solvers", Solver, chosen, SOLVER_OPTIONS)
        if getattr(self, "learning_rate", None) is not None and not hasattr(
            solver, "learning_rate"
        ):
            able = [n for n in names("solvers") if hasattr(find("solvers", n), "learning_rate")]
            raise ValueError(
                f"{solver.name} has no learning_rate; leave it out, or use {', '.join(able)}."
            )
        return solver

    def _part(self, package: str, kind: type, chosen: Any, options: tuple[str, ...]) -> Any:
        """The part for a name or {name: options}, with our parameters as defaults; an instance as it is."""
        if isinstance(chosen, kind):
            return chosen
        single = isinstance(chosen, Mapping) and len(chosen) == 1
        name, own = next(iter(chosen.items())) if single else (chosen, {})
        if not (isinstance(name, str) and isinstance(own, Mapping)):
            raise no_part(package, chosen)
        part = find(package, name)
        if own:
            known = defaults_of(part)
            if unknown := sorted(set(own) - set(known), key=str):
                has = ", ".join(sorted(known)) or "no options"
                raise ValueError(f"{name} has no {unknown[0]!r}; it has {has}.")
        taken = getattr(part, "__dataclass_fields__", ())
        given = dict(own)
        for option in options:
            if option in taken and (value := getattr(self, option, None)) is not None:
                given.setdefault(option, value)
        return part(**given)
