"""Loss × penalty × solver of an estimator: the parts that its parameters name, and which of them fit together.

Which solvers minimize which losses and penalties is said by `Solver.needs` of the loss and `Solver.takes` of the
penalty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import NotApplicable, counted
from linclass.base.parameters import defaults_of
from linclass.base.parts import find, module_of, names, no_part
from linclass.linear.losses.base import KINDS, Loss
from linclass.linear.objective.objective import UNPENALIZED, Objective
from linclass.linear.penalties.base import Penalty
from linclass.linear.solvers.base import Solution, Solver, SolverLike

# parameters of the estimator that are passed to parts that have them
SOLVER_OPTIONS = ("learning_rate", "tol", "max_iter", "random_state")
PENALTY_OPTIONS = ("l1_ratio", "factors")
INITIAL = 1e-8  # tolerance of a fit that determines the penalty

# Solver.takes → (whether it handles a penalty, the error message if not)
TAKES: dict[str, tuple[Callable[[Penalty], bool], str]] = {
    "none": (lambda penalty: not penalty.binds, "supports no penalty. Use penalty=None."),
    "smooth": (lambda penalty: not penalty.kinked, "needs a smooth penalty; {} has a kink at 0."),
    "ridge": (
        lambda penalty: penalty.strongly_convex and penalty.uniform and not penalty.kinked,
        "needs penalty='l2' without factors and a strength above 0; {} is another.",
    ),
    "l2": (
        lambda penalty: (
            penalty.strongly_convex
            and (penalty.uniform or penalty.entrywise)
            and not penalty.kinked
        ),
        "needs penalty='l2', its strength and any factors above 0; {} is another.",
    ),
    "bare kink": (
        lambda penalty: penalty.kinked and penalty.uniform and not penalty.strongly_convex,
        "needs l1 alone, without factors, whose path is piecewise linear; {} is another.",
    ),
    "l1 or none": (
        lambda penalty: (
            not penalty.binds
            or (penalty.entrywise and penalty.kinked and not np.any(penalty.curvature))
        ),
        "needs l1 or no penalty; {} is another.",
    ),
    "entrywise": (
        lambda penalty: penalty.entrywise,
        "needs a penalty that is a sum over features; {} is not.",
    ),
    "every feature": (
        lambda penalty: penalty.binds and penalty.entrywise and penalty.unpenalized is None,
        "needs a penalty that is a sum over all features, its strength and factors above 0; {} is not.",
    ),
    "any": (lambda penalty: True, ""),
}


@dataclass(frozen=True)
class Composition:
    """The parts that minimize loss + strength · penalty."""

    loss: Any  # of one score; of K scores, whose number is still to be given, an instance of its class
    penalty: Penalty
    strength: float
    solver: SolverLike  # as the estimator has it: a name, {name: options} or a Solver
    options: Mapping[str, Any]  # SOLVER_OPTIONS of the estimator

    @classmethod
    def of(cls, model: Any) -> Composition:
        """The parts that the parameters of a model name, or ValueError, with one sentence, if one does not exist."""
        options = {name: getattr(model, name, None) for name in SOLVER_OPTIONS}
        return cls(loss_of(model), penalty_of(model), model.strength, model.solver, options)

    def check(self) -> None:
        """Raise ValueError, with one sentence, if parts are incompatible."""
        loss, penalty, strength = self.loss, self.penalty, self.strength
        if loss.kind == "discrete":
            raise ValueError(f"{loss.name} is not convex and has no slope. Try loss='logistic'.")
        if not (isinstance(strength, (int, float, np.number)) and 0 <= strength < np.inf):
            raise ValueError(f"strength is {strength!r}; it must be a number, at least 0.")
        if self.chooses_solver:
            if (rate := self.options["learning_rate"]) is not None:
                raise ValueError(f"learning_rate is {rate!r}; choose a solver that has one.")
            self.named_solver("newton").check()  # of tol and max_iter, which all solvers have
            if penalty.kinked and loss.kind == "convex" and self._able_solver() is None:
                free = (loss.piecewise_linear or loss.simplicial) and penalty.entrywise
                why = "both have a kink, and a factor is 0" if free else "both have a kink"
                raise ValueError(
                    f"no solver minimizes {loss.name} with {penalty.name}, because {why}. "
                    "Try loss='squared_hinge'."
                )
            return
        solver = self.named_solver(self.solver)
        if (complaint := mismatch(solver, loss)) is not None:
            raise ValueError(complaint)
        if not takes_penalty(solver, self.penalty_in_force):
            complaint = TAKES[solver.takes][1].format(self.penalty_in_force.name)
            able = self._able_solver()
            remedy = f" Try solver={able!r}." if able and solver.takes != "none" else ""
            raise ValueError(f"{solver.name} {complaint}{remedy}")
        solver.check()

    @property
    def chooses_solver(self) -> bool:
        """Whether the solver depends on the objective."""
        return isinstance(self.solver, str) and self.solver == "auto"

    @property
    def penalty_in_force(self) -> Penalty:
        """At strength 0 there is none."""
        return self.penalty if self.strength > 0 else UNPENALIZED

    @property
    def is_penalized(self) -> bool:
        return self.penalty_in_force.binds

    def modules(self) -> list[str]:
        """Modules that a fit imports by name; with solver='auto', every solver that may be chosen."""
        others = [name for name in (self.loss.joint, self.loss.binary) if name]
        solvers = (
            solvers_of_table() if self.chooses_solver else [self.named_solver(self.solver).name]
        )
        return [
            type(self.loss).__module__,
            *(module_of("losses", name) for name in others),
            type(self.penalty).__module__,
            *(module_of("solvers", name) for name in solvers),
        ]

    def objective(
        self, design: DesignMatrix, loss: Loss, target: Array, weights: Array, names: Any = None
    ) -> Objective:
        """The objective of this loss on these rows, with the penalty on their features, which have these names."""
        penalty = self.penalty.for_features(names)
        penalty.check_features(design.n_features)
        if penalty.intercept is not None and design.intercept:
            penalty = penalty.with_intercept(design.n_features)
            design = design.with_constant_feature()
        objective = Objective(design, loss, target, weights, penalty, self.strength)
        if penalty.initial is None:
            return objective
        # another fit, such as the initial estimate of the adaptive lasso, determines the penalty
        first = objective.with_penalty(*penalty.initial)
        solver = find("solvers", choose_solver(first))(tol=INITIAL)
        W = first.weight_part(solver.solve(first, first.zero()).theta)
        return objective.with_penalty(penalty.after(W), self.strength)

    def solver_for(self, objective: Objective) -> Solver:
        if self.chooses_solver:
            return self.named_solver(choose_solver(objective))
        solver = self.named_solver(self.solver)
        if solver.needs == "simplicial" and not objective.loss.simplicial:
            raise NotApplicable(
                f"{solver.name} does not minimize {self.loss.binary}, which {self.loss.name} is for two classes. "
                "Try solver='auto'."
            )
        if solver.needs == "piecewise-quadratic" and objective.y.ndim == 2:
            several = f"{self.loss.name} has {len(objective.y)}. Try solver='auto'."
            raise NotApplicable(f"{solver.name} minimizes over one score, and {several}")
        return solver

    def named_solver(self, chosen: Any) -> Solver:
        solver: Solver = part("solvers", Solver, chosen, self.options)
        if self.options["learning_rate"] is not None and not hasattr(solver, "learning_rate"):
            able = [n for n in names("solvers") if hasattr(find("solvers", n), "learning_rate")]
            raise ValueError(
                f"{solver.name} has no learning_rate; leave it out, or use {', '.join(able)}."
            )
        return solver

    def _able_solver(self) -> str | None:
        """The solver that 'auto' takes for a small problem, if it can minimize this loss and penalty."""
        row = DesignMatrix(np.ones((1, 1)))
        small = Objective(row, self.loss, np.ones(1, int), None, self.penalty, self.strength)
        name = choose_solver(small)
        solver = find("solvers", name)()
        takes = takes_penalty(solver, self.penalty_in_force)
        return name if takes and mismatch(solver, self.loss) is None else None

    def outcome(self, solutions: Sequence[Solution], solver: str) -> tuple[str, str]:
        """(status, reason) of one or several minimizations."""
        if unfinished := [s for s in solutions if not s.converged]:
            worst = max(unfinished, key=lambda s: s.certificate)
            stop = (
                f"{solver} stopped after {counted(worst.n_iter, 'iteration')} with {worst.distance}"
            )
            chosen = "newton" if self.chooses_solver else self.solver
            return "max_iter", f"{stop}; tol is {self.named_solver(chosen).tol:g}."
        ranks = [s.rank for s in solutions if s.rank is not None]
        if ranks and not self.is_penalized:
            if self.loss.piecewise_quadratic and not self.loss.quadratic:
                few = f"rows where the loss is curved do not determine all weights (rank {min(ranks)})"
                return "rank_deficient", f"{few}: the optimum need not be unique; add a penalty."
            rank = f"features are linearly dependent (rank {min(ranks)})"
            return "rank_deficient", f"{rank}: of all optimal solutions this has minimum norm."
        return "converged", ""


def measures(solutions: Sequence[Solution]) -> dict[str, Any]:
    """What a fit records of its solutions."""
    return {
        "objective": float(sum([s.objective for s in solutions])),
        "certificate": max([s.certificate for s in solutions]),
        "certificate_kind": solutions[0].certificate_kind,
        "n_iter": max([s.n_iter for s in solutions]),
    }


def require_penalty(model: Any, others: str = "") -> None:
    """Raise ValueError if no strength acts on the fits of a model; `others` have a penalty, if it can have none."""
    if not penalty_of(model).binds:
        remedy = f"Use {others}, which have one" if others else "Set one, say penalty='l2'"
        raise ValueError(f"{model!r} has no penalty, so no path. {remedy}.")


def loss_of(model: Any) -> Any:
    """The loss that a model names."""
    if isinstance(model.loss, str):
        return find("losses", model.loss)()
    loss = part("losses", Loss, model.loss, {})
    loss.check()
    if loss.n_scores != 1 or loss.simplicial:
        raise ValueError(f"loss is {model.loss!r}; a loss of K scores is given by its name alone.")
    return loss


def penalty_of(model: Any) -> Penalty:
    """The penalty that a model names."""
    options = {name: getattr(model, name, None) for name in PENALTY_OPTIONS}
    penalty: Penalty = part(
        "penalties", Penalty, "unpenalized" if model.penalty is None else model.penalty, options
    )
    penalty.check()
    return penalty


def part(package: str, kind: type, chosen: Any, options: Mapping[str, Any]) -> Any:
    """The part for a name or {name: options}, with the options of the estimator as defaults; an instance as it is."""
    if isinstance(chosen, kind):
        return chosen
    single = isinstance(chosen, Mapping) and len(chosen) == 1
    name, own = next(iter(chosen.items())) if single else (chosen, {})
    if not (isinstance(name, str) and isinstance(own, Mapping)):
        raise no_part(package, chosen)
    found = find(package, name)
    if own:
        known = defaults_of(found)
        if unknown := sorted(set(own) - set(known), key=str):
            has = ", ".join(sorted(known)) or "no options"
            raise ValueError(f"{name} has no {unknown[0]!r}; it has {has}.")
    taken = getattr(found, "__dataclass_fields__", ())
    given = {k: v for k, v in options.items() if k in taken and v is not None}
    return found(**given | dict(own))


def mismatch(solver: Solver, loss: Loss | type[Loss]) -> str | None:
    """Why the solver cannot minimize this loss, in one sentence; None if it can."""
    name, needs = solver.name, solver.needs
    if not loss.convex and solver.convex_only:
        return f"{name} needs a convex loss; {loss.name} is not. Try solver='auto'."
    if needs in KINDS:
        able, kind = KINDS.index(loss.kind) >= KINDS.index(needs), f"only {loss.kind}"
    else:
        able = any(getattr(loss, flag.replace("-", "_")) for flag in needs.split(" or "))
        kind = "not"
    if able:
        return None
    return f"{name} needs a {in_words(needs)} loss; {loss.name} is {kind}. Try solver='auto'."


def in_words(needs: str) -> str:
    """`Solver.needs` for users."""
    return (
        needs.replace("-linear", " linear")
        .replace("-quadratic", " quadratic")
        .replace("simplicial", "Crammer–Singer")
    )


def takes_penalty(solver: Solver | type[Solver], penalty: Penalty) -> bool:
    return TAKES[solver.takes][0](penalty)


def idle_parameters(model: Any) -> list[str]:
    """Parameters of a model that its penalty does not use, or has options of its own for."""
    given, parameters = model.penalty, defaults_of(type(model))
    known = [name for name in ("strength", *PENALTY_OPTIONS) if name in parameters]
    kind = find("penalties", given) if isinstance(given, str) else type(penalty_of(model))
    options = next(iter(given.values())) if isinstance(given, Mapping) else ()
    fixed = PENALTY_OPTIONS if isinstance(given, Penalty) else options
    return [name for name in known if not kind.uses(name) or name in fixed]


def why_idle(model: Any, name: str) -> str:
    """The cause and the remedy."""
    if penalty_of(model).uses(name):
        return f"penalty is {model.penalty!r}. Set {name} in one place."
    able = [n for n in names("penalties") if find("penalties", n).uses(name)]
    return f"penalty is {model.penalty!r}. Set penalty={'l2' if 'l2' in able else able[0]!r}."


# solver="auto" is the first row of this table whose condition holds. The conditions depend on loss, penalty and shape
# only, so a study uses the same solvers on every machine.

Row = tuple[str, Callable[[Objective], object], str]

CHOICE: tuple[Row, ...] = (
    (
        "loss not convex, smooth penalty",
        lambda P: not P.loss.convex and not P.kinked,
        "quasi_newton",
    ),
    ("loss not convex", lambda P: not P.loss.convex, "proximal_gradient"),
    (
        "piecewise linear loss, l2 penalty",
        lambda P: P.loss.piecewise_linear and is_ridge(P),
        "semismooth_newton",
    ),
    (
        "K scores whose slopes lie in a simplex, the l2 penalty",
        lambda P: P.loss.simplicial and is_ridge(P),
        "multipliers",
    ),
    (
        "piecewise linear loss of one score, L1 or no penalty",
        lambda P: P.loss.piecewise_linear and len(P.shape) == 1 and is_straight(P),
        "linear_program",
    ),
    (
        "piecewise linear loss of one score, or Crammer and Singer's, another sum over all features",
        lambda P: (
            P.loss.kind == "convex" and has_envelope(P) and P.strength and of_every_feature(P)
        ),
        "augmented_lagrangian",
    ),
    ("the loss has a kink", lambda P: P.loss.kind != "twice-smooth", "subgradient"),
    (
        "kinked penalty that is no sum over features",
        lambda P: P.kinked and not P.entrywise,
        "proximal_gradient",
    ),
    (
        "quadratic loss, kinked penalty",
        lambda P: P.loss.quadratic and P.kinked,
        "quadratic_program",
    ),
    ("kinked penalty", lambda P: P.kinked, "proximal_newton"),
    (
        "quadratic, up to 2000 features",
        lambda P: P.is_quadratic and small(P, 2000),
        "least_squares",
    ),
    (
        "quadratic, no penalty, fewer rows than features, up to 6000 of them",
        lambda P: P.is_quadratic and not P.strength and fewer_rows(P, 6000),
        "least_squares",
    ),
    (
        "piecewise quadratic loss, one score, l2 penalty, up to 1000 features or more than rows",
        lambda P: P.loss.piecewise_quadratic and is_ridge(P) and (small(P, 1000) or wide(P)),
        "finite_newton",
    ),
    ("dense, one score, up to 500 features", lambda P: dense(P) and small(P, 500), "newton"),
    ("dense, K scores, up to 100 parameters", lambda P: dense(P) and few_parameters(P), "newton"),
    ("more parameters, or sparse rows", lambda P: True, "newton_cg"),
)


def is_ridge(objective: Objective) -> bool:
    """The penalty is L2 with a strength, and factors of all features, above 0."""
    is_sum = objective.uniform or objective.entrywise
    return objective.strongly_convex and is_sum and not objective.kinked


def is_straight(objective: Objective) -> bool:
    """The penalty is L1, with any factors, or there is none."""
    return objective.entrywise and not np.any(objective.curvature) if objective.strength else True


def has_envelope(objective: Objective) -> bool:
    """A piecewise linear loss of one score, or of K scores whose slopes lie in a simplex."""
    loss = objective.loss
    return loss.simplicial or (loss.piecewise_linear and len(objective.shape) == 1)


def of_every_feature(objective: Objective) -> bool:
    return objective.entrywise and objective.unpenalized is None


def dense(objective: Objective) -> bool:
    """Dense rows, or few enough sparse ones."""
    design = objective.design
    return not design.is_sparse or design.n_rows * design.width <= 100_000


def small(objective: Objective, features: int) -> bool:
    """One matrix of features × features suffices."""
    one_score = len(objective.shape) == 1 or objective.is_quadratic
    return one_score and objective.design.width <= features


def wide(objective: Objective) -> bool:
    """One score, and no more rows than features."""
    return len(objective.shape) == 1 and objective.design.n_rows <= objective.design.n_features


def fewer_rows(objective: Objective, limit: int) -> bool:
    """Fewer rows than features, and at most `limit`."""
    return objective.design.n_rows < min(objective.design.n_features, limit + 1)


def few_parameters(objective: Objective) -> bool:
    return objective.n_parameters <= 100


def choose_solver(objective: Objective) -> str:
    """The name of the solver for this objective."""
    return next(solver for _, fits, solver in CHOICE if fits(objective))


def solvers_of_table() -> list[str]:
    """All solvers that "auto" may choose."""
    return sorted({solver for *_, solver in CHOICE})
