"""Decision regions on the plane of a data set, and its training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass_study.files.tables import FITTED, STATUSES

if TYPE_CHECKING:
    from linclass_study.analysis.outcome import Outcome
    from linclass_study.analysis.plane_grid import PlaneGrid
    from linclass_study.pipeline.plane import Plane


def boundaries(outcome: Outcome, dataset: str) -> tuple[dict[str, PlaneGrid], dict[str, str]]:
    """(method → what its folds predict, best method first; method → why it is omitted).

    Folds without a prediction for every cell are omitted.
    """
    from linclass_study.analysis.summary import ranking

    fits = outcome.fits.filter(dataset=dataset)
    grids, left_out = {}, {}
    for method in ranking(outcome, dataset)["method"]:
        grid = outcome.boundary(dataset, method)
        if grid is None or (grid.labels < 0).all():
            left_out[method] = _without_boundary(fits.filter(method=method)["status"])
            continue
        given = np.all(grid.labels >= 0, axis=(1, 2))
        if given.any():
            grids[method] = grid.of_fits(given)
        else:
            left_out[method] = "every fit left points of the plane without a class"
    return grids, left_out


def _without_boundary(statuses: Iterable[str]) -> str:
    """Why a run has no grid: how its fits ended, if none of them succeeded."""
    met = {*statuses}
    if not met or met & {*FITTED}:
        return "its fits gave no point of the plane a class"
    return ", ".join(status.replace("_", " ") for status in STATUSES if status in met)


def reasons(left_out: Mapping[str, str]) -> str:
    """a, b (failed); c (not applicable)"""
    methods: dict[str, list[str]] = {}
    for method, reason in left_out.items():
        methods.setdefault(reason, []).append(method)
    return "; ".join(f"{', '.join(names)} ({reason})" for reason, names in methods.items())


def training_rows(
    outcome: Outcome, dataset: str
) -> tuple[np.ndarray, np.ndarray, Plane | None] | str:
    """Coordinates (n, 2), classes and the plane of the training rows, or the reason why there is no plane.

    Published results do not contain the rows, so the coordinates are then empty.
    """
    from linclass_study.data.dataset_file import load_dataset
    from linclass_study.pipeline.plane import plane

    folder = outcome.results / "data"
    if not (folder / f"{dataset}.npz").exists():
        return np.empty((0, 2)), np.empty(0, int), None
    data = load_dataset(folder / f"{dataset}.npz")
    if data.in_file:
        return "its rows stay in their file (parquet_blocks); a plane needs them in memory"
    train = data.split == 0
    table, y = data.table.rows(train), data.y[train]
    found = plane(table, y)
    return found if isinstance(found, str) else (found.coordinates(table.X), y, found)


def points_sentence(about: Mapping[str, Any], X: np.ndarray, *axes: np.ndarray) -> str:
    """A sentence about the rows in the figure, for the caption."""
    if not len(X):
        return "The rows are not with these results."
    low, high = np.array([[axis[0], axis[-1]] for axis in axes]).T
    beyond = (np.clip(X, low, high) != X).any(axis=1).sum()
    more = f", of which {beyond:,} lie beyond the axes" if beyond else ""
    which = f"the {len(X):,} training rows" if about.get("test_rows") else f"all {len(X):,} rows"
    return f"Points: {which}{more}."


def plane_sentence(about: Mapping[str, Any]) -> str:
    """A sentence about the plane of more than two features, for the caption."""
    which = (
        "Fisher’s discriminant direction and, upwards, the leading principal direction within classes"
        if len(about["classes"]) == 2
        else "the two leading discriminant directions (Fisher’s)"
    )
    rows = "training rows" if about.get("test_rows") else "rows"
    return (
        f"The data have {about['n_features']} features; the plane goes through the mean of the {rows} "
        f"along {which}, computed from these rows, in units of the standard deviation within classes. Rows are "
        "projected onto it, fits are cut by it: the figure does not show them off the plane. "
    )


def directions(about: Mapping[str, Any], plane: Plane | None) -> dict[str, list[float]] | None:
    """Feature → its weights in the two coordinates."""
    if plane is None:
        return None
    return dict(zip(about["features"], plane.weights.tolist(), strict=True))


def disputed(labels: np.ndarray) -> float:
    """Share of the grid's cells on which the folds disagree."""
    return float((labels != labels[0]).any(axis=0).mean())
