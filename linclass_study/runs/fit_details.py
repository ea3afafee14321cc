"""Which fit of a run is looked at more closely, and at what: its path over strengths, the steps of its solver.

It is the first fit of the first protocol that has folds. The look is a call of its own, after the fit and outside
its times; whatever goes wrong in it, the fit has its row and its predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass_study.runs.folds import Plan, Planned


@dataclass(frozen=True)
class FitDetails:
    """What a worker is asked for."""

    train: np.ndarray
    test: np.ndarray
    seed: int
    chosen: dict[str, Any]
    looks: tuple[str, ...]  # tables: paths, traces


def details_of(entry: Mapping[str, Any], traces: bool) -> tuple[str, ...]:
    """What there may be to see of a method: only our own classifiers tell."""
    if not entry["classifier"].startswith("linclass."):
        return ()
    return (
        *(("paths",) if "strength" in (entry.get("tune") or {}) else ()),
        *(("traces",) if traces else ()),
    )


def is_detailed(rows: Planned, plan: Plan) -> bool:
    return rows.protocol == plan.on_plane and (rows.repeat, rows.fold) == (0, 0)
