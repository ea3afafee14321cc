"""The rows of a subset from which a solver starts."""

from __future__ import annotations

import numpy as np
from cases import each

from linclass.linear.solvers.base import spread_rows

N = 40_000


@each("period", [2, 3, 4, 5, 10, 20])
def test_classes_in_turn_are_all_there_in_their_shares(period: int) -> None:
    """Every 20th of rows 0, 1, 0, 1, ... has one class."""
    y = np.arange(N) % period
    counts = np.bincount(y[spread_rows(y, 20)], minlength=period)
    assert counts.min() > 0.7 * counts.mean()


@each("kind", [int, float])
def test_a_rare_class_is_there_wherever_its_rows_are(kind: type) -> None:
    y = np.zeros(N, kind)
    y[12_345], y[-1] = 1, 2
    assert {*y[spread_rows(y, 20)].tolist()} == {0, 1, 2}
    y = np.sort(y)
    rows = spread_rows(y, 20)
    assert {*y[rows].tolist()} == {0, 1, 2}
    assert len({*rows.tolist()}) == len(rows)
