"""Score against cost over data sets, and learning curves of a data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linclass.evaluation import metrics
from linclass_study.analysis.across_datasets import all_scores
from linclass_study.analysis.outcome import Outcome, median_seconds
from linclass_study.analysis.summary import planned_fits
from linclass_study.analysis.tuned_values import grid_end_note, marked_labels
from linclass_study.analysis.wording import metric_title, metric_words
from linclass_study.protocols import CURVE
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import end_labels, key, key_height
from linclass_study.report.drawing.style import method_style
from linclass_study.report.figure_files import ReportFigure

MAX_IN_LEGEND = 39  # methods in the legend; with more, those on the front are named
LEFT = 0.78  # inches of the labels of its vertical axis, in two lines
FILLS = ("full", "left", "top")  # of the markers, for the first methods, the next and the last


def cost_and_score(outcome: Outcome) -> ReportFigure:
    """Score against cost: seconds of a fit, distance to the best score, and the Pareto front."""
    base = all_scores(outcome)
    seconds = typical_seconds(outcome, base.datasets)
    scored = ~np.isnan(base.table).all(axis=0)
    known = [j for j, method in enumerate(base.methods) if method in seconds and scored[j]]
    if min(base.table.shape) < 2 or not known:
        why = "it needs at least two of each with scores and times"
        return ReportFigure.nothing(f"this figure compares methods over data sets: {why}")
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    score = {base.methods[j]: float(np.nanmean(behind[:, j])) for j in known}
    cost = {method: max(seconds[method], 1e-5) for method in score}
    whole = [base.methods[j] for j in known if not np.isnan(behind[:, j]).any()]
    front = pareto({m: cost[m] for m in whole}, {m: score[m] for m in whole})
    words = metric_words(base.metric)
    figure, axes = _points(outcome, cost, score, whole, front)
    positive = [value for value in score.values() if value > 0]
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=float(np.median(positive)) if positive else 1.0)
    y = f"{words} behind the best, mean over data sets"
    axes.set_ylabel(style.broken(y, min(3.4, 0.75 * style.width())))
    axes.set_xlabel("seconds of a fit, tuning included")
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.1)
    style.mark_log(axes.xaxis)
    style.mark_log(axes.yaxis)
    axes.grid()
    shown = [outcome.labels.methods[method] for method in front]
    caption = (
        f"Mean distance to the best {words} of each data set (higher in the figure is better; the axis "
        "is logarithmic beyond the median) against the time of a fit, the geometric mean over data sets of each one’s "
        f"median, on {len(base.datasets)} independent data sets."
    )
    if len(front) > 1:
        caption += " The line is the Pareto front: no method is both better and faster than one of "
        caption += f"{', '.join(shown)}."
    elif front:
        caption += f" No method is both better and faster than {shown[0]}."
    if len(whole) < len(score):
        caption += (
            " Hollow marks have no score on some data set, and are not on the front: "
            "their means are of the others."
        )
    caption += grid_end_note(outcome, score)
    numbers = {"front": front, "seconds": cost, "behind": score, "everywhere": whole}
    return ReportFigure(figure, "Score against cost", caption, numbers)


Values = dict[str, float]  # of methods


def _points(
    outcome: Outcome, cost: Values, score: Values, whole: list[str], front: list[str]
) -> tuple[Figure, Axes]:
    """A mark for each method, hollow unless it has all scores, and the Pareto front; a legend if it is readable, else
    the names of the methods on the front."""
    width, names = style.width(), marked_labels(outcome, score)
    in_legend, room = len(score) <= MAX_IN_LEGEND, width - 0.2
    below = 0.55 + (key_height(names, room) if in_legend else 0)
    figure, axes = style.framed(LEFT, below, 0.15, 0.1, min(3.5, 0.75 * width))
    handles, hollow = [], [method for method in score if method not in whole]
    for method in score:
        place = (whole if method in whole else hollow).index(method)
        colour, marker = method_style(place)
        cycle = FILLS[place // len(style.MARKERS) % len(FILLS)]
        options: Any = {"color": colour, "fillstyle": cycle if method in whole else "none"}
        options |= {"markerfacecoloralt": "white", "markersize": 6.5, "linestyle": ""}
        handles += axes.plot(cost[method], score[method], marker, **options)
    if len(front) > 1:
        corners = [cost[m] for m in front], [score[m] for m in front]
        axes.step(*corners, where="post", color=style.MUTED, linewidth=1, zorder=1)
    if in_legend:
        key(figure, handles, names, 0.1, room, below=True)
        return figure, axes
    for number, (method, name) in enumerate(zip(front, marked_labels(outcome, front), strict=True)):
        where: Any = {"xytext": (7, -11 if number % 2 else 6), "textcoords": "offset points"}
        axes.annotate(name, (cost[method], score[method]), fontsize=7, **where)
    return figure, axes


def typical_seconds(outcome: Outcome, datasets: list[str]) -> Values:
    """Method → geometric mean over data sets of the median time of a fit, on the machine that made most fits.

    Machines are never pooled, and large data sets have no larger weight.
    """
    medians: dict[str, list[float]] = {}
    on_these = outcome.times.filter(pl.col("dataset").is_in(datasets))
    for (_, method), seconds in sorted(median_seconds(on_these).items()):
        medians.setdefault(method, []).append(seconds)
    return {method: float(np.exp(np.mean(np.log(own)))) for method, own in medians.items()}


def pareto(cost: Values, score: Values) -> list[str]:
    """Pareto front: methods that are better than all cheaper ones; less is better in both."""
    front: list[str] = []
    for method in sorted(cost, key=lambda m: (cost[m], score[m])):
        if not front or score[method] < score[front[-1]] - 1e-12:
            front.append(method)
    return front


MAX_NAMED = 13  # lines that have a colour and a name; the others are grey


def learning_curves(outcome: Outcome, dataset: str) -> ReportFigure:
    """Learning curves: the score on the same held-out rows against the number of training rows (nested subsets)."""
    curves = learning_curves_of_methods(outcome, dataset)
    if not any(len(curve) > 1 for curve in curves.values()):
        why = "evaluation: {protocols: [cv, learning_curve]} fits them"
        return ReportFigure.nothing(f"no learning curve was requested; {why}")
    greater = metrics.greater_is_better(outcome.metric)
    least, most = metrics.bounds(outcome.metric)
    as_error, words = greater and most == 1, metric_words(outcome.metric)
    order = sorted(curves, key=lambda m: (curves[m][-1]["mean"] * (-1 if greater else 1), m))
    width = style.width()
    named = {
        method: style.fitted(name, 0.3 * width, style.SMALL)
        for method, name in zip(order, marked_labels(outcome, order), strict=True)
    }
    right = 0.2 + style.widest([*named.values()][:MAX_NAMED], style.SMALL) / 0.95
    tall = max(min(4.0, 0.9 * width), 2.9) - 0.64
    figure, axes = style.framed(0.65, 0.52, right, 0.12, tall)
    axes.set_xscale("log")
    ends = []
    for method, name in reversed(named.items()):
        curve, place = curves[method], order.index(method)
        colour, marker = method_style(place)
        x = [point["rows"] for point in curve]
        mean = np.array([point["mean"] for point in curve])
        y = 1 - mean if as_error else mean
        if place >= MAX_NAMED:
            axes.plot(x, y, color=style.GRID, linewidth=0.9, zorder=1)
            continue
        if place == 0:
            error = np.array([point["error"] or 0.0 for point in curve])
            axes.fill_between(x, y - error, y + error, color=colour, alpha=0.12, linewidth=0)
        axes.plot(x, y, color=colour, marker=marker, markersize=4, linewidth=1.2)
        ends.append((float(y[-1]), name, colour))
    sizes = sorted({round(point["rows"]) for curve in curves.values() for point in curve})
    style.mark(axes.xaxis, reversed(sizes))
    axes.minorticks_off()
    axes.set(xlabel="training rows", ylabel=f"1 − {words}" if as_error else words)
    if as_error or least == 0:
        axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
    axes.grid()
    end_labels(axes, ends)
    few = f" Of {len(order)} methods the {MAX_NAMED} best at the full size are named."
    more = (few if order[MAX_NAMED:] else "") + grid_end_note(outcome, order[:MAX_NAMED])
    best = outcome.labels.methods[order[0]]
    drawn = "Error" if as_error else metric_title(outcome.metric)
    improves = "rises" if greater and not as_error else "falls"
    caption = (
        f"{drawn} on the held-out rows against the number of training rows. The smaller parts lie within the larger "
        f"ones, and the last point is cross-validation itself. Where a line still {improves}, more rows would help. "
        f"The band is the standard error of {best}, over folds and corrected for overlapping training rows. A size "
        f"at which some fit of a method failed has no point.{more}"
    )
    title = f"Learning curves on {outcome.labels.datasets[dataset]}"
    return ReportFigure(figure, title, caption, {"curves": curves})


def learning_curves_of_methods(outcome: Outcome, dataset: str) -> dict[str, list[dict[str, Any]]]:
    """Method → points (rows, mean, standard error) of its curve, for sizes with a value on every fold."""
    protocol, keys = pl.col("protocol"), ["method", "protocol"]
    curve, whole = (
        protocol.str.starts_with(f"{CURVE}@"),
        (protocol == "cv") & (pl.col("repeat") == 0),
    )
    fits = outcome.fits.filter(curve | whole, dataset=dataset)
    if not fits.filter(curve).height:
        return {}
    sizes = fits.group_by(keys).agg(rows=pl.col("n_train").mean())
    points = (
        outcome.scores.filter(curve | whole, dataset=dataset, metric=outcome.metric)
        .group_by(keys)
        .agg(mean=pl.col("value").mean(), sd=pl.col("value").std(), n=pl.len())
        .join(planned_fits(fits, *keys), on=keys)
        .join(sizes, on=keys)
        .filter(pl.col("n") == pl.col("planned"), pl.col("fitted") == pl.col("planned"))
        .with_columns(error=pl.col("sd") * (1 / pl.col("n") + pl.col("share")).sqrt())
        .sort("rows")
    )
    curves = {
        method: points.filter(method=method).select("rows", "mean", "error").to_dicts()
        for method in outcome.methods
    }
    return {method: curve for method, curve in curves.items() if curve}
