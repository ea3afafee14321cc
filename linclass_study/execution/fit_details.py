"""Details of one fit of a run: its regularization path and the steps of its solver.

They are computed for the first fit of the first protocol that has folds, in a separate call after the fit, so they do
not count towards its times, and a failure does not affect its row or its predictions.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

GRID = "grid "  # begins the extra of a fit that predicts the points of the plane


@dataclass(frozen=True)
class FitDetails:
    """A request to a worker for the details of a fit."""

    train: np.ndarray
    test: np.ndarray
    seed: int
    chosen: dict[str, Any]
    tables: tuple[str, ...]  # paths, traces


def extras_of(
    entry: Mapping[str, Any], traced: str, on_plane: str, fit: tuple[str, int, int], grid: str
) -> tuple[str, ...]:
    """What is computed beside a fit (protocol, repeat, fold) of the first repeat of the protocol `on_plane`.

    These are predictions on the plane, whose points have the digest `grid` ('' without a plane), and of the first fold
    the details that the method has; only linclass's own classifiers have any. `traced` is the metric of traces; ''
    without traces.
    """
    protocol, repeat, fold = fit
    if repeat or protocol != on_plane:
        return ()
    found = [f"{GRID}{grid}"] if grid else []
    if not fold and entry["classifier"].startswith("linclass."):
        found += ["paths"] if "strength" in (entry.get("tune") or {}) else []
        found += [f"traces {traced}"] if traced else []
    return tuple(found)


def without(
    kept: Mapping[str, Any],
    made: Collection[str],
    needed: Collection[str],
    entry: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Tables of a fit without the details that are not needed; None if they cannot be had from what was made.

    A trace with the metric of the held-out rows has taken the place of one that the method records itself.
    """
    more = {extra.partition(" ")[0] for extra in {*made} - {*needed}}
    if {*needed} - {*made} or ("traces" in more and (entry.get("params") or {}).get("trace")):
        return None
    return {name: columns for name, columns in kept.items() if name not in more}
