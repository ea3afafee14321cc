"""ROC and precision–recall curves: exact areas of many fits at once, and mean curves with bands over folds.

A curve is represented by its means over CELLS equal intervals of the axis, so their mean is the area under it: the AUC
(ties count half, as on the straight line between two thresholds), or the average precision Σ (rₖ − rₖ₋₁) pₖ, whose
curve is a step function. The mean of such curves over folds is the vertical average of Fawcett (2006), §8.1, and its
area is the mean of the folds' areas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import HeldOut, held_out, mean_of
from linclass_study.analysis.tuned_values import grid_end_note
from linclass_study.analysis.wording import rows_held_out, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import (
    MAX_PANELS,
    TICKS,
    most_panels,
    panels,
    selected_methods,
    selection_note,
)
from linclass_study.report.drawing.style import INK
from linclass_study.report.figure_files import ReportFigure

CELLS = 100
MIDDLES = (np.arange(CELLS) + 0.5) / CELLS


def roc_curves(score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int) -> np.ndarray:
    """Mean true positive rate (fits, CELLS) over each interval of the false positive rate; NaN without pairs."""
    of, hits, misses, inside, outside = _thresholds(score, member, fit, fits)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, height = misses / outside[of], hits / inside[of]
    begin = np.concatenate([[0.0], height[:-1]])
    return _means(of, x, begin, height, (inside > 0) & (outside > 0))


def precision_recall_curves(
    score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int
) -> np.ndarray:
    """Mean precision (fits, CELLS) over each interval of the recall; NaN without rows of the class."""
    of, hits, misses, inside, _ = _thresholds(score, member, fit, fits)
    with np.errstate(invalid="ignore", divide="ignore"):
        x, height = hits / inside[of], hits / (hits + misses)
    return _means(of, x, height, height, inside > 0)


def _thresholds(
    score: np.ndarray, member: np.ndarray, fit: np.ndarray, fits: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Points of the curves: (0, 0) for each fit, then one for each distinct score in descending order.

    Returns the fit of each point, the numbers of rows inside and outside the class with at least this score, and the
    totals of both for each fit.
    """
    order = np.lexsort((-score, fit))
    score, member, fit = score[order], member[order].astype(np.int64), fit[order]
    last = np.append((score[1:] != score[:-1]) | (fit[1:] != fit[:-1]), True)
    inside = np.bincount(fit, member, fits).astype(np.int64)
    outside = np.bincount(fit, minlength=fits) - inside
    of = fit[last]
    hits = np.cumsum(member)[last] - (np.cumsum(inside) - inside)[of]
    misses = np.cumsum(1 - member)[last] - (np.cumsum(outside) - outside)[of]
    starts = np.searchsorted(of, np.arange(fits))
    parts = (np.insert(values, starts, 0) for values in (hits, misses))
    return np.insert(of, starts, np.arange(fits)), *parts, inside, outside  # type: ignore[return-value]


def _means(
    of: np.ndarray, x: np.ndarray, begin: np.ndarray, end: np.ndarray, defined: np.ndarray
) -> np.ndarray:
    """Means, over the intervals of the axis, of line segments from (x of the previous point, begin) to (x, end).

    The area up to a position is the area up to the last point before it plus a trapezoid, so differences of areas are
    exact.
    """
    fits, grid = len(defined), np.linspace(0, 1, CELLS + 1)
    width = np.diff(x, prepend=0.0)
    width[np.searchsorted(of, np.arange(fits))] = 0
    width = np.where(defined[of], width, 0)
    piece = np.where(width > 0, width * (begin + end) / 2, 0)
    area = np.cumsum(piece)
    place = 2.0 * of + np.where(defined[of], x, 0)
    positions = (2.0 * np.arange(fits)[:, None] + grid).ravel()
    k = np.searchsorted(place, positions, "right") - 1
    over = np.maximum(positions - place[k], 0)
    after = np.minimum(k + 1, len(x) - 1)
    share = np.divide(over, width[after], out=np.zeros_like(over), where=width[after] > 0)
    inside = (of[after] == of[k]) & (over > 0)
    middle = begin[after] + (end[after] - begin[after]) * np.minimum(share, 1) / 2
    total = area[k] + np.where(inside, over * middle, 0)
    found = np.diff(total.reshape(fits, -1), axis=1) * CELLS
    found[~defined] = np.nan
    return found


Curve = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


@dataclass(frozen=True)
class CurveKind:
    """ROC or precision–recall: labels, curve, and the height of chance given the share of the class."""

    title: str
    area: str
    x: str
    y: str
    curve: Curve
    chance: Callable[[float], tuple[float, float]]
    sentence_on_chance: str


def _mean_curves(outcome: Outcome, dataset: str, kind: CurveKind) -> ReportFigure:
    """Mean curves of one kind for a few methods, one panel each."""
    about = outcome.about(dataset)
    positive, two = about["classes"].index(about["positive"]), len(about["classes"]) == 2
    able = mean_of(outcome, dataset, "auc")
    numbers: dict[str, dict[str, Any]] = {}
    share = 1 / len(about["classes"])
    for method in selected_methods(outcome, dataset, able, most_panels(MAX_PANELS)):
        if (rows := held_out(outcome, dataset, method)) is not None:
            share = float((rows.y_true == positive).mean()) if two else share
            numbers[method] = averaged(curves_of_fits(rows, kind.curve, positive))
    if not numbers:
        why = f"no fit on {dataset} has an AUC, or its predictions are too many"
        return ReportFigure.nothing(why)

    titles = {method: f"{kind.area} {own['area']:.3f}" for method, own in numbers.items()}
    several = any(own["fits"] > 1 for own in numbers.values())
    for method, own in numbers.items() if several else ():
        titles[method] += f"\u00a0±\u00a0{own['sd_of_area']:.3f}"
    figure, grid = panels(outcome, titles, kind.x, kind.y)
    best = next(iter(numbers.values()))
    for axes, own in zip(grid, numbers.values(), strict=True):
        mean, sd = np.array(own["mean"]), np.array(own["sd"])
        axes.plot((0, 1), kind.chance(share), color=style.MUTED, linewidth=0.7, linestyle="--")
        low, high = np.clip([mean - sd, mean + sd], 0, 1)
        edge = [*MIDDLES, *MIDDLES[::-1]], [*low, *high[::-1]]
        axes.fill(*edge, color=INK, alpha=0.25, linewidth=0)
        axes.plot(MIDDLES, best["mean"], color=style.MUTED, linewidth=0.6)
        axes.plot(MIDDLES, mean, color=INK, linewidth=1.4)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.03))
        axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    of = f"averaged over the {len(about['classes'])} classes, each against the rest"
    if two:
        of = f"of the class “{about['positive']}”"
    over = units(outcome.evaluation, outcome.protocol(dataset))
    line = f"the curve of the {rows_held_out(outcome.evaluation, outcome.protocol(dataset))}"
    if several:
        line = (
            f"the mean of the {over}’ curves at each {kind.x} (vertical averaging), band: ± the standard deviation "
            f"over {over}"
        )
    caption = (
        f"Curves {of}. Thick line: {line}; thin line in every panel: the first method’s, to compare with. "
        f"{kind.sentence_on_chance} {selection_note(outcome, list(numbers), len(able), 'with an AUC')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    shown_numbers = {"dataset": dataset, "curves": of, "axis": MIDDLES.tolist(), "methods": numbers}
    return ReportFigure(figure, f"{kind.title} on {dataset}", caption, shown_numbers)


def curves_of_fits(rows: HeldOut, curve: Curve, positive: int) -> np.ndarray:
    """Curves (fits, CELLS) of the positive class; for more than two classes, the mean of one-vs-rest curves.

    Rows are ordered by probability if the method has any, as for the metric AUC.
    """
    if rows.n_classes == 2:
        return curve(rows.score[:, positive], rows.y_true == positive, rows.fit, rows.fits)
    S = rows.score if rows.log_proba is None else rows.log_proba
    total, defined = np.zeros((rows.fits, CELLS)), np.zeros((rows.fits, 1))
    for k in range(rows.n_classes):
        own = curve(S[:, k], rows.y_true == k, rows.fit, rows.fits)
        total += np.nan_to_num(own)
        defined += ~np.isnan(own[:, :1])
    return np.divide(total, defined, out=np.full_like(total, np.nan), where=defined > 0)


def averaged(curves: np.ndarray) -> dict[str, Any]:
    """Mean and standard deviation of the curves, and of their areas, over the fits that have a curve."""
    known = curves[~np.isnan(curves[:, 0])]
    areas = known.mean(axis=1)
    several = len(known) > 1
    return {
        "area": float(areas.mean()),
        "sd_of_area": float(areas.std(ddof=1)) if several else 0.0,
        "fits": len(known),
        "mean": known.mean(axis=0).tolist(),
        "sd": (known.std(axis=0, ddof=1) if several else np.zeros(CELLS)).tolist(),
    }


ROC = CurveKind(
    title="ROC curves",
    area="AUC",
    x="false positive rate",
    y="true positive rate",
    curve=roc_curves,
    chance=lambda share: (0.0, 1.0),
    sentence_on_chance="The dashed line is chance.",
)
PRECISION_RECALL = CurveKind(
    title="Precision–recall curves",
    area="average precision",
    x="recall",
    y="precision",
    curve=precision_recall_curves,
    chance=lambda share: (share, share),
    sentence_on_chance="The dashed line is chance, the share of the class.",
)


def roc(outcome: Outcome, dataset: str) -> ReportFigure:
    """ROC curves of a few methods on one data set: mean and standard deviation over folds."""
    return _mean_curves(outcome, dataset, ROC)


def precision_recall(outcome: Outcome, dataset: str) -> ReportFigure:
    """Precision–recall curves of a few methods on one data set: mean and standard deviation over folds."""
    return _mean_curves(outcome, dataset, PRECISION_RECALL)
