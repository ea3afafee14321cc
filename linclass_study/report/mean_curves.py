"""A figure of mean curves with bands over folds, with one panel per method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass_study.analysis.grid_ends import grid_end_note
from linclass_study.analysis.held_out_predictions import HeldOut, held_out, mean_of
from linclass_study.analysis.protocol_names import rows_held_out, units
from linclass_study.report.drawing import style
from linclass_study.report.drawing.panels import TICKS, band, panels, thinned
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.fold_curves import CELLS, MIDDLES
from linclass_study.report.method_selection import selected_methods, selection_note

if TYPE_CHECKING:
    from linclass_study.analysis.outcome import Outcome

Curve = Callable[[np.ndarray, np.ndarray, np.ndarray, int], np.ndarray]


@dataclass(frozen=True)
class Kind:
    """ROC or precision–recall: labels, curve, and the height of chance given the share of the class."""

    title: str
    area: str
    x: str
    y: str
    curve: Curve
    chance: Callable[[float], tuple[float, float]]
    sentence_on_chance: str


def draw_mean_curves(outcome: Outcome, dataset: str, kind: Kind) -> Exhibit:
    """Mean curves of one kind for a few methods, one panel each."""
    about = outcome.about(dataset)
    if about["status"] == "unavailable":
        return Exhibit.nothing(f"{dataset} is unavailable")
    positive, two = about["classes"].index(about["positive"]), len(about["classes"]) == 2
    able = mean_of(outcome, dataset, "auc")
    numbers: dict[str, dict[str, Any]] = {}
    share = 1 / len(about["classes"])
    for method in selected_methods(outcome, dataset, able):
        if (rows := held_out(outcome, dataset, method)) is not None:
            share = float((rows.y_true == positive).mean()) if two else share
            numbers[method] = averaged(curves_of_fits(rows, kind.curve, positive))
    if not numbers:
        return Exhibit.nothing(f"no fit on {dataset} has an AUC, or its predictions are too many")

    titles = {method: f"{kind.area} {own['area']:.3f}" for method, own in numbers.items()}
    several = any(own["fits"] > 1 for own in numbers.values())
    if several:
        titles = {m: f"{title} ± {numbers[m]['sd_of_area']:.3f}" for m, title in titles.items()}
    figure, grid = panels(outcome, titles, kind.x, kind.y)
    best = next(iter(numbers.values()))
    for axes, (method, own) in zip(grid, numbers.items(), strict=True):
        colour, _ = method_style(outcome.position(method))
        mean, sd = np.array(own["mean"]), np.array(own["sd"])
        axes.plot((0, 1), kind.chance(share), color=style.MUTED, linewidth=0.7, linestyle="--")
        low, high = np.clip([mean - sd, mean + sd], 0, 1)
        band(axes, MIDDLES, low, high, colour)
        axes.plot(*thinned(MIDDLES, np.array(best["mean"])), color=style.INK, linewidth=0.6)
        axes.plot(*thinned(MIDDLES, mean), color=colour, linewidth=1.4)
        axes.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.03))
        axes.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    of = (
        f"of the class “{about['positive']}”"
        if two
        else (f"averaged over the {len(about['classes'])} classes, each against the rest")
    )
    over = units(outcome.evaluation, outcome.protocol(dataset))
    line = f"the curve of the {rows_held_out(outcome.evaluation, outcome.protocol(dataset))}"
    if several:
        line = (
            f"the mean of the {over}’ curves at each {kind.x} (vertical averaging), band: ± the standard deviation "
            f"over {over}"
        )
    caption = (
        f"Curves {of}. Coloured line: {line}; thin line in every panel: the first method’s, to compare with. "
        f"{kind.sentence_on_chance} {selection_note(outcome, list(numbers), len(able), 'with an AUC')}"
        f"{grid_end_note(outcome, numbers)}"
    )
    shown_numbers = {"dataset": dataset, "curves": of, "axis": MIDDLES.tolist(), "methods": numbers}
    return Exhibit(figure, kind.title, caption, shown_numbers)


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
