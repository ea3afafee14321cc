"""The risk matrix of an entry: a row for each action, which is a predicted class, and a column for each true class.

costs: {ill: {well: 5}, well: {ill: 1}}     true class → predicted class → cost; a right prediction costs 0
costs: [[0, 5], [1, 0]]                     the matrix itself, in the order of the classes' codes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linclass_study.data import labels
from linclass_study.data.unavailable import Unavailable


def cost_matrix(entry: Mapping[str, Any], classes: Sequence[str]) -> list[list[float]] | None:
    """The matrix in the order of the classes; None if the entry has no `costs:`."""
    costs = entry.get("costs")
    if costs is None:
        return None
    if isinstance(costs, Mapping):
        return _of_names(costs, classes)
    K = len(classes)
    if len(costs) != K or any(len(row) != K for row in costs):
        shape = f"{len(costs)} × {'/'.join(map(str, sorted({len(row) for row in costs})))}"
        raise Unavailable(
            f"costs: {shape} numbers for {K} classes; give {K} × {K}, a row per predicted class and a column per "
            f"true class in the order {', '.join(classes)}"
        )
    return [[float(value) for value in row] for row in costs]


def _of_names(
    costs: Mapping[Any, Mapping[Any, float]], classes: Sequence[str]
) -> list[list[float]]:
    known = {(true, true): 0.0 for true in classes}
    for name, row in costs.items():
        true = labels.lookup(name, classes, "costs")
        for action, cost in row.items():
            known[true, labels.lookup(action, classes, "costs")] = float(cost)
    for true in classes:
        for action in classes:
            if (true, action) not in known:
                raise Unavailable(
                    f"costs: no cost of predicting '{action}' where '{true}' is true; "
                    f"add {true}: {{{action}: …}}"
                )
    return [[known[true, action] for true in classes] for action in classes]
