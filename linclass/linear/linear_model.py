"""The base class of linear classifiers and regressors, which minimize a loss and a penalty,

    θ(λ) = argmin (1/Σw_i) Σ w_i loss(y_i, z_i) + λ · penalty(W).

The parameters name the loss, the penalty and the solver. On a path of strengths λ, from the strongest to the weakest,
`Solver.along_path` starts each fit from the last two solutions, extrapolated in ln λ: near strengths have
near solutions, and strong penalties have solutions near zero.
Friedman, Hastie & Tibshirani (2010), Journal of Statistical Software 33(1)
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from linclass.base.arrays import Array, ArrayLike, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.documentation import documented
from linclass.base.linear_scores import LinearGeometry
from linclass.base.many_fits import COUNT, RegularizationPath, check_strengths
from linclass.base.messages import NotApplicable, counted, one_warning
from linclass.base.parameters import (
    defaults_of,
    require_nonnegative,
    require_positive,
    require_whole,
)
from linclass.base.parts import find, module_of, names, no_part
from linclass.linear.losses.base import Loss
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.offsets import given_offset, require_offsets_taken
from linclass.linear.path import from_data
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.base import AUTOMATIC, Solution, Solver, Trace, choose_solver
from linclass.linear.solvers.compatibility import able_solver, require_minimizer

# Parameters of a model that are options of its penalty and of its solver
PENALTY_OPTIONS = ("l1_ratio", "factors")
SOLVER_OPTIONS = ("learning_rate", "tol", "max_iter", "random_state")
INITIAL_TOLERANCE = 1e-8  # tolerance of a fit that determines the penalty

OF_ONE_FIT = (  # attributes that the next fit may not set again
    "_begun",
    "_information",
    "_states",
    "separating_direction_",
    "separating_intercept_",
    "trace_",
)


def part(kind: str, base: type, chosen: Any, model: Any = None) -> Any:
    """The loss, penalty or solver that is chosen by name or {name: options}, with the model's parameters as default
    options; an instance is returned unchanged.
    """
    if isinstance(chosen, base):
        return chosen
    name: Any = chosen
    options: Any = {}
    if not isinstance(chosen, str):
        if isinstance(chosen, Mapping) and len(chosen) == 1:
            ((name, options),) = chosen.items()
        if not (isinstance(name, str) and isinstance(options, Mapping)):
            raise no_part(kind, chosen)
    part_class = find(kind, name)
    allowed = defaults_of(part_class)
    if options and (unknown := sorted(options.keys() - allowed.keys(), key=str)):
        has = ", ".join(sorted(allowed)) or "no options"
        raise ValueError(f"{name} has no {unknown[0]!r}; it has {has}.")
    of_model = {}
    for option in (*PENALTY_OPTIONS, *SOLVER_OPTIONS):
        value = getattr(model, option, None)
        if value is not None and option in allowed:
            of_model[option] = value
    return part_class(**of_model | {**options})


def loss_of(model: Any) -> Any:
    """The loss that a model names."""
    if isinstance(model.loss, str):
        return find("losses", model.loss)()
    loss = part("losses", Loss, model.loss)
    loss.check()
    if loss.n_scores != 1 or loss.simplicial:
        raise ValueError(f"loss is {model.loss!r}; a loss of K scores is given by its name alone.")
    return loss


def penalty_of(model: Any) -> Penalty:
    """The penalty that a model names."""
    chosen = "unpenalized" if model.penalty is None else model.penalty
    penalty: Penalty = part("penalties", Penalty, chosen, model)
    penalty.check()
    return penalty


def is_penalized(model: Any) -> bool:
    """Whether a penalty acts: at strength 0 there is none."""
    return model.strength > 0 and penalty_of(model).binds


def is_used(parameter: str, penalty: Penalty | type[Penalty]) -> bool:
    """Whether a penalty uses a parameter of the estimator: `strength`, unless there is no penalty, or its option."""
    if parameter == "strength":
        return penalty.binds
    return parameter in penalty.__dataclass_fields__


def solver_of(model: Any, objective: Objective | None = None) -> Solver:
    """The solver that a model names; for "auto" the one chosen for the objective, without one Newton's method."""
    if model.solver == "auto":
        name = "newton" if objective is None else choose_solver(objective)
        automatic: Solver = part("solvers", Solver, name, model)
        return automatic
    solver: Solver = part("solvers", Solver, model.solver, model)
    if getattr(model, "learning_rate", None) is not None and not hasattr(solver, "learning_rate"):
        able = [n for n in names("solvers") if hasattr(find("solvers", n), "learning_rate")]
        raise ValueError(
            f"{solver.name} has no learning_rate; leave it out, or use {', '.join(able)}."
        )
    if objective is not None and solver.needs == "simplicial" and not objective.loss.simplicial:
        loss = loss_of(model)
        raise NotApplicable(
            f"{solver.name} does not minimize {loss.binary}, which {loss.name} is for two classes. "
            "Try solver='auto'."
        )
    if objective is not None and solver.needs == "piecewise-quadratic" and objective.y.ndim == 2:
        several = f"{objective.loss.name} has {len(objective.y)}. Try solver='auto'."
        raise NotApplicable(f"{solver.name} minimizes over one score, and {several}")
    return solver


def ending_of(model: Any, solutions: Sequence[Solution]) -> dict[str, Any]:
    """Arguments of `_record` for one or several minimizations: status and reason, objective and certificate."""
    objective, certificate, n_iter = 0.0, 0.0, 0
    worst, rank = None, None
    for solution in solutions:
        objective += float(solution.objective)
        certificate = max(certificate, solution.certificate)
        n_iter = max(n_iter, solution.n_iter)
        if not (solution.converged or (worst and worst.certificate >= solution.certificate)):
            worst = solution
        if solution.rank is not None:
            rank = solution.rank if rank is None else min(rank, solution.rank)
    status, reason = "converged", ""
    if worst is not None:
        status, after = "max_iter", counted(worst.n_iter, "iteration")
        tol = f"{solver_of(model).tol:g}"
        reason = (
            f"the solver {model.solver_} stopped after {after} with {worst.distance}; tol is {tol}."
        )
    elif rank is not None and not is_penalized(model):
        status, loss = "rank_deficient", loss_of(model)
        reason = f"features are linearly dependent (rank {rank}): of all optimal solutions this has minimum norm."
        if loss.piecewise_quadratic and not loss.quadratic:
            few = f"the Hessian is singular (rank {rank})"
            reason = f"{few}: the optimum need not be unique; add a penalty."
    return {
        "status": status,
        "reason": reason,
        "objective": objective,
        "certificate": certificate,
        "certificate_kind": solutions[0].certificate_kind,
        "n_iter": n_iter,
    }


@documented
class LinearModel(LinearGeometry):
    """A subclass is an `Estimator`, and defines `_objectives`, `_offsets`, `_old_parameters` and `_finish`."""

    paths: ClassVar[tuple[str, ...]] = ("strength",)  # parameters with `_path_values`
    begun_with: ClassVar = ("fit_intercept", "solver")  # not to change in partial_fit
    penalized: ClassVar[str] = ""  # similar models with a penalty, named in an error message
    strength: Any
    solver: Any
    penalty: Any
    warm_start: bool
    trace: Any
    fit: Callable[..., Any]
    solver_: str
    trace_: list[dict[str, Any]]
    _start_fit: Callable[..., Any]
    _unfitted: Callable[..., Any]
    _forget: Callable[..., None]
    _objectives: Callable[..., list[Objective]]
    _offsets: Callable[[PerRow, PerRow, ArrayLike], Array | None]
    _old_parameters: Callable[[], Array | None]
    _finish: Callable[..., Any]

    def check(self) -> None:
        super().check()  # type: ignore[misc]
        loss, penalty = loss_of(self), penalty_of(self)
        if loss.kind == "discrete":
            raise ValueError(f"{loss.name} is not convex and has no slope. Try loss='logistic'.")
        require_nonnegative("strength", self.strength)
        solver = solver_of(self)
        solver.check()
        if self.solver != "auto":
            require_minimizer(solver, loss, penalty, self.strength)
            return
        if (rate := getattr(self, "learning_rate", None)) is not None:
            raise ValueError(f"learning_rate is {rate!r}; choose a solver that has one.")
        nonsmooth = penalty.kinked and loss.kind == "convex"
        if nonsmooth and able_solver(loss, penalty, self.strength) is None:
            free = (loss.piecewise_linear or loss.simplicial) and penalty.entrywise
            why = "both have a kink, and a factor is 0" if free else "both have a kink"
            raise ValueError(
                f"no solver minimizes {loss.name} with {penalty.name}, because {why}. "
                "Try loss='squared_hinge'."
            )

    def parts(self) -> list[str]:
        """Modules that a fit imports by name; with solver='auto', every solver that may be chosen."""
        loss = loss_of(self)
        solvers = AUTOMATIC if self.solver == "auto" else [solver_of(self).name]
        return [
            type(loss).__module__,
            *(module_of("losses", name) for name in (loss.joint, loss.binary) if name),
            type(penalty_of(self)).__module__,
            *(module_of("solvers", name) for name in sorted({*solvers})),
        ]

    @property
    def strength_matters(self) -> bool:
        """Whether fits at different strengths differ; without a penalty they are equal."""
        return penalty_of(self).binds

    @property
    def takes_names(self) -> bool:
        """Whether the penalty needs the names of the columns."""
        return penalty_of(self).needs_names

    def _fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow, offset: PerRow) -> Any:
        X, target, weights = self._start_fit(X, y, sample_weight)
        offsets = None if offset is None else self._offsets(offset, sample_weight, y)
        old = self._old_parameters() if self.warm_start else None
        self._forget(*OF_ONE_FIT)
        objectives = self._objectives(X, target, weights, offsets)
        solutions = []
        for number, objective in enumerate(objectives):
            start = objective.zero() if old is None else self._start(objective, old, number)
            solutions.append(self._minimize(objective, start))
        return self._finish(objectives, solutions, target, weights)

    def _start(self, objective: Objective, old: Array, problem: int) -> Array:
        """The old parameters of this problem, or zero if their shape differs."""
        start = objective.zero()
        if old.shape[1] != objective.design.width:
            return start
        last = old[-1] if len(old) == len(start) + 1 else 0.0  # of a reference class
        parameters = old[problem] if start.ndim == 1 else old[: len(start)] - last
        return parameters.copy() if parameters.shape == start.shape else start

    def _objective(
        self, design: DesignMatrix, loss: Loss, target: Array, weights: Array
    ) -> Objective:
        """The objective of this loss on these rows. A penalty that depends on an initial estimate, as that of the
        adaptive lasso does, requires a fit with `penalty.initial` first.
        """
        names = getattr(self, "feature_names_in_", None)
        penalty = penalty_of(self).for_features(design.n_features, names)
        if penalty.intercept is not None and design.intercept:
            penalty = penalty.with_intercept(design.n_features)
            design = design.with_constant_feature()
        objective = Objective(design, loss, target, weights, penalty, self.strength)
        if penalty.initial is None:
            return objective
        first = objective.with_penalty(*penalty.initial)
        solver = find("solvers", choose_solver(first))(tol=INITIAL_TOLERANCE)
        W = first.weight_part(solver.solve(first, first.zero()).theta)
        return objective.with_penalty(penalty.after(W), self.strength)

    def _minimize(self, objective: Objective, start: Array) -> Solution:
        """The solution by the solver; sets `solver_` and, if requested, `trace_`."""
        solver = solver_of(self, objective)
        self.solver_ = solver.name
        trace = Trace(self._watch()) if self.trace else None
        solution = solver.solve(objective, start, trace)
        if trace:
            self.trace_ = [*getattr(self, "trace_", []), *trace.rows]
        return solution

    def _watch(self) -> Callable[[Point], float | None] | None:
        """The function of a point whose value `trace` records, too; None without one."""
        return None

    def _require_penalty(self) -> None:
        """Raise ValueError, with one sentence, if no strength acts on the fit."""
        if not penalty_of(self).binds:
            others = self.penalized
            remedy = f"Use {others}, which have one" if others else "Set one, say penalty='l2'"
            raise ValueError(f"{self!r} has no penalty, so no path. {remedy}.")

    def _idle_parameters(self) -> list[str]:
        """Parameters that the penalty does not use, or has options of its own for."""
        chosen, parameters = self.penalty, defaults_of(type(self))
        kind = find("penalties", chosen) if isinstance(chosen, str) else type(penalty_of(self))
        options = next(iter(chosen.values())) if isinstance(chosen, Mapping) else ()
        fixed = PENALTY_OPTIONS if isinstance(chosen, Penalty) else options
        return [
            name
            for name in ("strength", *PENALTY_OPTIONS)
            if name in parameters and (name in fixed or not is_used(name, kind))
        ]

    def _why_idle(self, name: str) -> str:
        """The reason why a parameter is idle, and the remedy."""
        if is_used(name, penalty_of(self)):
            return f"penalty is {self.penalty!r}. Set {name} in one place."
        able = [n for n in names("penalties") if is_used(name, find("penalties", n))]
        return f"penalty is {self.penalty!r}. Set penalty={'l2' if 'l2' in able else able[0]!r}."

    def _fits_at(
        self,
        strengths: Sequence[float],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: PerRow,
        offset: PerRow = None,
    ) -> list[Any]:
        """Fitted copies of this estimator, in the order of the strengths."""
        first = self._unfitted(strength=max(strengths))
        X, target, weights = first._start_fit(X, y, sample_weight)
        offsets = None if offset is None else first._offsets(offset, sample_weight, y)
        objectives = first._objectives(X, target, weights, **given_offset(offsets))
        solver = solver_of(first, objectives[0])
        first.solver_ = solver.name
        order = sorted(range(len(strengths)), key=lambda i: -strengths[i])
        descending = [strengths[i] for i in order]
        solutions = [solver.path(P, descending, P.zero()) for P in objectives]
        fits: list[Any] = [None] * len(order)
        for i, *at_strength in zip(order, *solutions, strict=True):
            fits[i] = copy.copy(first)
            fits[i].strength = strengths[i]
            of_strength = [P.with_strength(strengths[i]) for P in objectives]
            fits[i]._finish(of_strength, at_strength, target, weights)
        return fits

    def _path_objectives(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow, offset: PerRow = None
    ) -> list[Objective]:
        """The objectives of a fit to these rows, as a path at any strength minimizes them; checks the rows."""
        rows = self._start_fit(X, y, sample_weight)
        offsets = None if offset is None else self._offsets(offset, sample_weight, y)
        return self._objectives(*rows, **given_offset(offsets))

    def strength_path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        n: int = COUNT,
        decades: float | None = None,
        sample_weight: PerRow = None,
        offset: PerRow = None,
    ) -> Array:
        """Strengths in equal ratios, from the strongest that matters for these rows (linclass/linear/path.py).

        Parameters
        ----------
        n : int
            Number of strengths, at least 2.
        decades : float or None
            Powers of ten between the strongest and the weakest. None is 5 for penalties with a kink at 0, whose
            strongest leaves all weights 0, and 7 for others, whose strongest explains at most 1 % of the loss.

        Returns
        -------
        array of shape (n,)
            Strengths, the strongest first, for `path`, TunedClassifier or TunedRegressor.
        """
        require_whole("n", n, 2)
        if decades is not None:
            require_positive("decades", decades)
        if offset is not None:
            require_offsets_taken(self.fit)
        self._require_penalty()
        first = self._unfitted(strength=1.0)
        first.check()
        return from_data(
            first._path_objectives(X, y, sample_weight, **given_offset(offset)), n, decades
        )

    def _path_values(self, parameter: str, X: MatrixLike, y: ArrayLike) -> Array:
        """The values of a parameter that a study tunes over with `path`."""
        return self.strength_path(X, y)

    @one_warning
    def path(
        self,
        X: MatrixLike,
        y: ArrayLike,
        strengths: Sequence[float],
        sample_weight: PerRow = None,
        offset: PerRow = None,
    ) -> RegularizationPath:
        """The fits at several strengths, each started from the solution at the next stronger one; without a trace.

        Parameters
        ----------
        strengths : sequence of float
            Strengths of the penalty, above 0, in any order.

        Returns
        -------
        RegularizationPath
            Fitted copies of this estimator, in the order of `strengths`. The estimator itself is not
            changed.
        """
        if offset is not None:
            require_offsets_taken(self.fit)
        self._require_penalty()
        fits = self._fits_at(
            check_strengths(strengths), X, y, sample_weight, **given_offset(offset)
        )
        return RegularizationPath(fits)
