"""A problem solved in other coordinates, such as about the mean of the rows or in other units of the columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from linclass.base.arrays import Array
from linclass.linear.objective.centred_rows import centred
from linclass.linear.objective.objective import Objective
from linclass.linear.objective.point import Point
from linclass.linear.solvers.base import Solution, Trace


class Transformed(Protocol):
    @property
    def objective(self) -> Objective: ...
    def start(self, theta: Array) -> Array: ...
    def end(self, theta: Array) -> Array: ...


def in_other_coordinates(
    other: Transformed,
    solve: Callable[[Objective, Array, Trace | None], Solution],
    objective: Objective,
    start: Array,
    trace: Trace | None,
) -> Solution:
    """The solution of the same problem in other coordinates, in those of the objective."""
    own = trace and trace.of(objective, other.end)
    solution = solve(other.objective, other.start(start), own)
    solution.theta = other.end(solution.theta)
    return solution


def again_about_mean(
    solution: Solution,
    point: Point,
    solve: Callable[[Objective, Array, Trace | None], Solution],
    objective: Objective,
    start: Array,
    trace: Trace | None,
) -> Solution:
    """The solution at a point, unless rounding errors of rows far from 0 ended it: then that about their mean."""
    at_end = solution.converged and solution.rank is None
    if at_end or point.separates or (near := centred(objective)) is None:
        return solution
    return in_other_coordinates(near, solve, objective, start, trace)
