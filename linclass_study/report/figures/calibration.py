"""Reliability diagrams of a few methods on one data set: observed frequencies against predicted probabilities.

The bins are those of the metric calibration_error, which is the mean distance from the diagonal.
Murphy & Winkler (1977), Reliability of subjective probability forecasts; DeGroot & Fienberg (1983)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.metrics.calibration_error import BINS
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import TICKS, panels
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.method_selection import selected_methods, selection_note
from linclass_study.results.held_out_predictions import HeldOut, held_out, mean_of
from linclass_study.results.protocol_names import has_spread, units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 5, "dataset", True


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return Exhibit.nothing(f"{dataset} is unavailable")
    able, two = mean_of(outcome, dataset, "log_loss"), len(about["classes"]) == 2
    numbers: dict[str, dict[str, Any]] = {}
    for method in selected_methods(outcome, dataset, able):
        rows = held_out(outcome, dataset, method)
        if rows is not None and rows.log_proba is not None:
            classes = [about["classes"].index(about["positive"])] if two else range(rows.n_classes)
            numbers[method] = reliability(*sums(rows, list(classes)))
    if not numbers:
        return Exhibit.nothing(f"no method gave probabilities on {dataset}, or they are too many")

    titles = {m: f"calibration error {own['calibration_error']:.3f}" for m, own in numbers.items()}
    what = f"probability of “{about['positive']}”" if two else "probability of a class"
    figure, grid = panels(outcome, titles, f"predicted {what}", "share of the rows")
    for axes, (method, own) in zip(grid, numbers.items(), strict=True):
        _draw(axes, own, *method_style(outcome.position(method)))
    each = (
        ""
        if two
        else " The classes, each against the rest, are pooled in a bin; their errors are averaged."
    )
    caption = (
        f"Of the held-out rows in each of {BINS} bins of the predicted {what}, the share "
        "that is of the class, against the mean prediction; on the dashed diagonal both agree. Larger marks stand for "
        f"more rows{_spread_and_error(outcome, dataset)}.{each} "
        f"{selection_note(outcome, list(numbers), len(able), 'with probabilities')}"
    )
    return Exhibit(
        figure,
        f"Calibration on {dataset}",
        caption,
        {"dataset": dataset, "bins": BINS, "methods": numbers},
    )


def _spread_and_error(outcome: Outcome, dataset: str) -> str:
    """What the lines and the number are, of one fit or of several."""
    protocol = outcome.protocol(dataset)
    if not has_spread(outcome.evaluation, protocol):
        return (
            ". The calibration error is the mean distance of the rows from the diagonal; of few rows it is too large, "
            "as each bin’s share is a matter of chance"
        )
    over = units(outcome.evaluation, protocol)
    return (
        f", vertical lines for ± the standard deviation over the {over} that have rows in the bin. The calibration "
        f"error is the mean distance from the diagonal in each of the {over}, averaged over them; of few rows it is "
        "too large, as each bin’s share is a matter of chance"
    )


def sums(rows: HeldOut, classes: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Arrays (fits, classes, BINS) for the bins (0, 1/BINS], …: number of rows, sum of their probabilities, and number
    of rows of the class."""
    assert rows.log_proba is not None
    shape = rows.fits, len(classes), BINS
    p = np.exp(rows.log_proba[:, classes])
    bins = np.clip(np.ceil(p * BINS).astype(np.int64) - 1, 0, BINS - 1)
    cell = ((rows.fit[:, None] * len(classes) + np.arange(len(classes))) * BINS + bins).ravel()
    member = (rows.y_true[:, None] == np.array(classes)).ravel()
    weights = (None, p.ravel(), member)
    counted = (np.bincount(cell, weight, int(np.prod(shape))).reshape(shape) for weight in weights)
    return tuple(counted)  # type: ignore[return-value]


def reliability(n: np.ndarray, predicted: np.ndarray, actual: np.ndarray) -> dict[str, Any]:
    """Content of a panel: one value for each bin that has rows."""
    error = np.abs(predicted - actual).sum(axis=-1) / n.sum(axis=-1)  # (fits, classes)
    n, predicted, actual = (part.sum(axis=1) for part in (n, predicted, actual))  # (fits, BINS)
    there = n.sum(axis=0) > 0
    n, predicted, actual = n[:, there], predicted[:, there], actual[:, there]
    known = n > 0
    share = np.divide(actual, n, out=np.zeros_like(actual), where=known)
    folds = known.sum(axis=0)
    mean = share.sum(axis=0) / folds
    squares = (np.where(known, share - mean, 0) ** 2).sum(axis=0)
    total = n.sum(axis=0)
    return {
        "calibration_error": float(error.mean()),
        "rows": total.astype(int).tolist(),
        "predicted": (predicted.sum(axis=0) / total).tolist(),
        "share": (actual.sum(axis=0) / total).tolist(),
        "sd": np.sqrt(squares / np.maximum(folds - 1, 1)).tolist(),
    }


def _draw(axes: Axes, own: dict[str, Any], colour: str, marker: str) -> None:
    x, y, sd = (np.array(own[name]) for name in ("predicted", "share", "sd"))
    size = 1.5 + 6 * np.sqrt(np.array(own["rows"]) / max(own["rows"]))
    axes.plot((0, 1), (0, 1), color=style.MUTED, linewidth=0.7, linestyle="--")
    low, high = np.clip([y - sd, y + sd], 0, 1)
    gap = np.full_like(x, np.nan)
    ends = np.column_stack([low, high, gap]).ravel()
    axes.plot(np.repeat(x, 3), ends, color=colour, linewidth=1, alpha=0.6)
    axes.plot(x, y, color=colour, linewidth=0.8, alpha=0.5)
    for place, height, wide in zip(x, y, size, strict=True):
        axes.plot(place, height, marker, color=colour, markersize=wide)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
