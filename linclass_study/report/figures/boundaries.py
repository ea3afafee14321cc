"""Decision boundaries: one panel per method, one thin line per fold's fit. Where the lines agree the boundary is
certain; where they differ it depends on a few rows.

For two features the plane is that of the features; for more it is a section through the mean of the rows
(linclass_study/data/plane.py). The colour of a point is the mean over the folds of its class's colour. Nothing is
refitted here: the runs have saved the predicted classes of a grid and their margins, whose zeros are the boundaries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from linclass.plotting import BoundaryDisplay
from linclass_study.analysis.outcome import Outcome, PlaneGrid
from linclass_study.analysis.summary import ranking
from linclass_study.analysis.wording import status_words
from linclass_study.data.dataset import load_dataset
from linclass_study.data.plane import Plane, plane
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import class_key, key_height
from linclass_study.report.drawing.panels import (
    LEFT,
    columns_at,
    empty_panels,
    most_panels,
    selected_methods,
    selection_note,
)
from linclass_study.report.figure_files import ReportFigure
from linclass_study.statuses import FITTED, STATUSES


def grids_of_methods(outcome: Outcome, dataset: str) -> tuple[dict[str, PlaneGrid], dict[str, str]]:
    """(method → what its folds predict, best method first; method → why it is omitted).

    Folds without a prediction for every cell are omitted.
    """
    fits = outcome.fits.filter(dataset=dataset)
    grids, left_out = {}, {}
    for method in ranking(outcome, dataset)["method"]:
        grid = outcome.boundary(dataset, method)
        if grid is None or (grid.labels < 0).all():
            met = {*fits.filter(method=method)["status"]}
            ended = ", ".join(status_words(s) for s in STATUSES if s in met)
            fitted = not met or met & {*FITTED}
            left_out[method] = "its fits gave no point of the plane a class" if fitted else ended
            continue
        given = np.all(grid.labels >= 0, axis=(1, 2))
        if given.any():
            grids[method] = grid.select_fits(given)
        else:
            left_out[method] = "every fit left points of the plane without a class"
    return grids, left_out


def methods_by_reason(left_out: Mapping[str, str]) -> str:
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


def disputed(labels: np.ndarray) -> float:
    """Share of the grid's cells on which the folds disagree."""
    return float((labels != labels[0]).any(axis=0).mean())


COLUMNS, MAX_PANELS = 4, 8  # panels in a row, and in all
PANEL = 1.68  # inches of a panel's height
# axis labels if the rows are missing
DIRECTION_NAMES = ("first discriminant direction", "second direction")
MAX_VECTOR_LINES = 200  # lines in a figure, above which they are rasterized


def boundaries(outcome: Outcome, dataset: str) -> ReportFigure:
    about, label = outcome.about(dataset), outcome.labels.methods
    on_plane = training_rows(outcome, dataset)
    if isinstance(on_plane, str):
        return ReportFigure.nothing(f"{dataset}: {on_plane}")
    found, left_out = grids_of_methods(outcome, dataset)
    if not found:
        why = methods_by_reason(left_out)
        return ReportFigure.nothing(f"no fit on {dataset} gave a boundary: {why}")

    most = most_panels(MAX_PANELS, COLUMNS)
    grids = {method: found[method] for method in selected_methods(outcome, dataset, found, most)}
    X, y, plane = on_plane
    is_cut, classes = about["n_features"] != 2, about["classes"]
    names = plane.names if plane else DIRECTION_NAMES if is_cut else about["features"]
    in_a_row = columns_at(style.width(), COLUMNS)
    columns = min(in_a_row, len(grids))
    panel_width = (style.width() - LEFT - 0.1) / in_a_row
    width = LEFT + 0.1 + panel_width * min(max(columns, 2), in_a_row)
    shares = {method: disputed(grid.labels) for method, grid in grids.items()}
    heads = [
        f"{style.fitted(label[name], panel_width - 0.1, 8, 2)}\n{100 * share:.1f} % disputed"
        for name, share in shares.items()
    ]
    above = key_height(classes, width - LEFT - 0.1)
    figure, panels = empty_panels(heads, columns, width, PANEL, names[0], names[1], above)
    class_key(figure, classes, LEFT - 0.05, width - LEFT - 0.1)
    for axes, grid in zip(panels, grids.values(), strict=True):
        fits = len(grid.labels)
        fields = (grid.fields(fit, len(classes)) for fit in range(fits))
        dense = len(grids) * fits * (len(classes) - 1) > MAX_VECTOR_LINES
        look: Any = {"linestyles": "-", "linewidth": 0.6, "alpha": max(0.35, min(0.9, 4 / fits))}
        marks = {"alpha": 0.65, "markeredgewidth": 0, "rasterized": True}
        shown = BoundaryDisplay(grid.x, grid.y, fields, X, y)
        shown.plot(axes, rasterized=dense, marks=marks, **look)

    plane_of = plane_sentence(about) if is_cut else ""
    first_grid = next(iter(grids.values()))
    reading = (
        f"One panel per method. {plane_of}Thin lines: the boundary of each fit. Background: the class of each point of "
        "the plane, mixed where fits disagree; “disputed” is the share of the plane shown on which they do. "
        f"{points_sentence(about, X, first_grid.x, first_grid.y)}"
    )
    some = selection_note(outcome, list(grids), len(found), "with a boundary")
    caption = " ".join(filter(None, [reading, some, *_notes(grids, shares, left_out)]))
    directions = None  # feature → its weights in the two coordinates
    if is_cut and plane is not None:
        directions = dict(zip(about["features"], plane.weights.tolist(), strict=True))
    numbers = {
        "dataset": dataset,
        "features": list(names),
        "directions": directions,
        "classes": classes,
        "disputed": shares,
        "folds": {method: len(grid.labels) for method, grid in grids.items()},
        "left_out": left_out,
        "grids": {method: f"runs/{dataset}/{method}/boundary.npz" for method in grids},
    }
    where = " on two discriminant directions" if is_cut else ""
    return ReportFigure(figure, f"Decision boundaries on {dataset}{where}", caption, numbers)


def _notes(
    grids: dict[str, PlaneGrid], shares: dict[str, float], left_out: dict[str, str]
) -> Iterator[str]:
    """Notes for the caption on methods that predict one class per fold, and on methods without a boundary."""
    of_one_class = [m for m, own in grids.items() if (own.labels == own.labels[:, :1, :1]).all()]
    if varying := [method for method in of_one_class if shares[method]]:
        yield (
            f"{' and '.join(varying)} gave the whole plane one class in each fit, not the same in all: where classes "
            "are of nearly equal size, training sets differ in which is the largest."
        )
    if by_classes := [m for m, grid in grids.items() if grid.from_classes().any()]:
        yield (
            f"Lines of {', '.join(by_classes)} are made from the predicted classes of a grid and exact to one of its "
            "cells, as no scores are known that are equal there."
        )
    if left_out:
        yield f"Not drawn: {methods_by_reason(left_out)}."
