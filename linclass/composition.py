"""loss × penalty × solver by name: what every estimator that minimizes an objective shares.

The estimator has the parameters penalty, strength, solver, step, tol, max_iter, random_state and
trace; this mixin finds the parts, refuses those that cannot work together, and runs the solver.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from linclass import choice
from linclass.losses.base import KINDS
from linclass.numerics import Array
from linclass.objective import Objective
from linclass.parts import find, names
from linclass.penalties.base import Penalty
from linclass.solvers.base import Solution, Solver, Trace

IS_ONLY = {"discrete": "not even convex", "convex": "only convex", "smooth": "only smooth"}


class Composition:
    loss: Any
    penalty: Any
    strength: Any
    solver: Any
    step: Any = None

    def check(self) -> None:
        """ValueError, in one sentence, for parts that do not exist or do not fit each other."""
        super().check()  # type: ignore[misc]
        loss = find("losses", self.loss)
        if loss.kind == "discrete":
            raise ValueError(f"{self.loss} is not convex and has no slope. Try loss='logistic'.")
        self._penalty()
        if not (isinstance(self.strength, (int, float, np.number)) and 0 <= self.strength < np.inf):
            raise ValueError(f"strength is {self.strength!r}; it must be a number, at least 0.")
        if self.solver != "auto":
            self._check_fit(loss)
            self._solver_named(self.solver).check()
        elif self.step is not None:
            raise ValueError(
                f"step is {self.step!r}, but solver='auto' may pick one without steps. Name it."
            )

    def parts(self) -> list[str]:
        """The modules that a fit composes by name: with `auto`, every solver it may choose."""
        loss = find("losses", self.loss)
        losses = [self.loss, *([loss.joint] if loss.joint else [])]
        solvers = (
            choice.solvers()
            if self.solver == "auto"
            else [_file(type(self._solver_named(self.solver)))]
        )
        found = [f"linclass.losses.{name}" for name in losses]
        found.append(type(self._penalty()).__module__)
        return found + [f"linclass.solvers.{name}" for name in solvers]

    def _minimize(self, objective: Objective, start: Array) -> Solution:
        """Run the solver; says which it was in `solver_` and keeps its trace."""
        name = choice.choose(objective) if self.solver == "auto" else self.solver
        solver = self._solver_named(name)
        self.solver_ = _file(type(solver))
        trace = Trace() if getattr(self, "trace", False) else None
        solution = solver.solve(objective, start, trace)
        if trace:
            self.trace_ = [*getattr(self, "trace_", []), *trace.rows]
        return solution

    def _ending(self, solutions: list[Solution]) -> tuple[str, str]:
        """(status, reason) of one or several minimizations."""
        worst = max(solutions, key=lambda s: (not s.converged, s.certificate))
        if not worst.converged:
            left = f"a {worst.certificate_kind} of {worst.certificate:.1e}"
            stop = f"{self.solver_} stopped after {worst.n_iter} iterations with {left}"
            return "max_iter", f"{stop}; tol is {getattr(self, 'tol', 0):g}."
        ranks = [s.rank for s in solutions if s.rank is not None]
        if ranks and not self._is_penalized():
            rank = f"features are linearly dependent (rank {min(ranks)})"
            return "rank_deficient", f"{rank}: of many equal fits this is the shortest."
        return "converged", ""

    def _proof(self, solutions: list[Solution]) -> dict[str, Any]:
        return {
            "objective": float(sum(s.objective for s in solutions)),
            "certificate": max(s.certificate for s in solutions),
            "certificate_kind": solutions[0].certificate_kind,
            "n_iter": max(s.n_iter for s in solutions),
        }

    def _is_penalized(self) -> bool:
        return self._penalty().binds and self.strength > 0

    def _penalty(self) -> Penalty:
        return find("penalties", "unpenalized" if self.penalty is None else self.penalty)()

    def _solver_named(self, name: Any) -> Solver:
        """A solver with this estimator's options; one that is given ready-made has its own."""
        if isinstance(name, Solver):
            return name
        kind = find("solvers", name)
        known = {field.name for field in dataclasses.fields(kind)}
        options = {"tol": getattr(self, "tol", 1e-6), "max_iter": getattr(self, "max_iter", None)}
        options |= {key: getattr(self, key) for key in ("random_state",) if key in known}
        if self.step is not None:
            if "step" not in known:
                with_steps = [n for n in names("solvers") if "step" in _options(n)]
                raise ValueError(
                    f"{name} has no step; leave step out, or use {', '.join(with_steps)}."
                )
            options["step"] = self.step
        return kind(**options)

    def _check_fit(self, loss: Any) -> None:
        kind = (
            type(self.solver) if isinstance(self.solver, Solver) else find("solvers", self.solver)
        )
        name = _file(kind)
        if kind.needs in KINDS and KINDS.index(loss.kind) < KINDS.index(kind.needs):
            raise ValueError(
                f"{name} needs a {kind.needs} loss; {self.loss} is {IS_ONLY[loss.kind]}. "
                "Try solver='subgradient'."
            )
        if kind.needs not in KINDS and not getattr(loss, kind.needs, False):
            raise ValueError(
                f"{name} needs a {kind.needs} loss; {self.loss} is not. Try solver='auto'."
            )


def _options(solver: str) -> set[str]:
    return {field.name for field in dataclasses.fields(find("solvers", solver))}


def _file(kind: type) -> str:
    return kind.__module__.rpartition(".")[2]
