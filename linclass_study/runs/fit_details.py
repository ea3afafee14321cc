"""Details of one fit of a run: its regularization path and the steps of its solver.

They are computed for the first fit of the first protocol that has folds, in a separate call after the fit, so they do
not count towards its times, and a failure does not affect its row or its predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass_study.runs.folds import Plan, Planned


@dataclass(frozen=True)
class FitDetails:
    """A request to a worker for the details of a fit."""

    train: np.ndarray
    test: np.ndarray
    seed: int
    chosen: dict[str, Any]
    tables: tuple[str, ...]  # paths, traces


def details_of(entry: Mapping[str, Any], traces: bool) -> tuple[str, ...]:
    """Details that a method supports: only linclass's own classifiers do."""
    if not entry["classifier"].startswith("linclass."):
        return ()
    return (
        *(("paths",) if "strength" in (entry.get("tune") or {}) else ()),
        *(("traces",) if traces else ()),
    )


def is_detailed(rows: Planned, plan: Plan) -> bool:
    """Whether details are computed for this fit."""
    return rows.protocol == plan.on_plane and (rows.repeat, rows.fold) == (0, 0)
