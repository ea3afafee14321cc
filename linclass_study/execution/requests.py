"""What a worker is asked beside fits of folds.

A module of its own, so that the process that plans fits does not load the code of fits, and the code that a fit depends
on does not count the code that plans.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass_study.pipeline.protocols import UNUSED


@dataclass(frozen=True)
class LeaveOneOutRequest:
    """A request to a worker: the unit (row or group) of each row, UNUSED for rows that are not used, and the seed of
    all fits."""

    units: np.ndarray
    seed: int

    @property
    def used(self) -> np.ndarray:
        return np.flatnonzero(self.units != UNUSED)


@dataclass(frozen=True)
class FitDetails:
    """A request to a worker for the details of a fit."""

    train: np.ndarray
    test: np.ndarray
    seed: int
    chosen: dict[str, Any]
    tables: tuple[str, ...]  # paths, traces
