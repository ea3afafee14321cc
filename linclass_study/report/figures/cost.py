"""Score against cost: seconds of a fit, distance to the best score, and the Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass_study.analysis.grid_ends import grid_end_note, marked
from linclass_study.analysis.metric_words import metric_words
from linclass_study.analysis.times import median_seconds
from linclass_study.report.drawing import style
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 5, "across", False
KEY = 40  # methods in the legend; with more, those on the front are named
COLUMNS = 4


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.analysis.across_datasets import all_scores

    base = all_scores(outcome)
    seconds = typical_seconds(outcome, base.datasets)
    scored = ~np.isnan(base.table).all(axis=0)
    known = [j for j, method in enumerate(base.methods) if method in seconds and scored[j]]
    if min(base.table.shape) < 2 or not known:
        return Exhibit.nothing(
            "this figure compares methods over data sets: it needs at least two of each with scores and times"
        )
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
    style.plain_log(axes.xaxis)
    axes.set(
        xlabel="seconds of a fit, tuning included",
        ylabel=f"{words} behind the best, mean over data sets",
    )
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.1)
    style.mark_symlog(axes.yaxis)
    axes.grid()
    caption = _caption(words, len(base.datasets), front, len(whole) < len(score))
    caption += grid_end_note(outcome, score)
    numbers = {"front": front, "seconds": cost, "behind": score, "everywhere": whole}
    return Exhibit(figure, "Score against cost", caption, numbers)


def _points(
    outcome: Outcome,
    cost: dict[str, float],
    score: dict[str, float],
    whole: list[str],
    front: list[str],
) -> tuple[Figure, Axes]:
    """A mark for each method, hollow unless it has all scores, with a legend if it is readable."""
    lines = -(-len(score) // COLUMNS) if len(score) <= KEY else 0
    height = 4.2 + 0.16 * lines
    figure = style.canvas(7.2, height)
    axes = figure.add_axes((0.1, (0.55 + 0.16 * lines) / height, 0.87, 3.5 / height))
    for method in score:
        colour, marker = method_style(outcome.position(method))
        filled = colour if method in whole else "none"
        options: Any = {"color": colour, "markerfacecolor": filled, "markersize": 6.5}
        (name,) = marked(outcome, [method])
        axes.plot(cost[method], score[method], marker, linestyle="", label=name, **options)
    names = dict(zip(front, marked(outcome, front), strict=True))
    _draw_front(axes, names, cost, score, named=not lines)
    if lines:
        figure.legend(
            loc="lower center",
            ncols=COLUMNS,
            frameon=False,
            fontsize=7 if lines > 1 else 8.5,
            columnspacing=1.2,
            handletextpad=0.2,
        )
    return figure, axes


def _caption(words: str, n_datasets: int, front: list[str], hollow: bool) -> str:
    caption = (
        f"Mean distance to the best {words} of each data set (higher in the figure is better; the axis "
        "is logarithmic beyond the median) against the time of a fit, the geometric mean over data sets of each one’s "
        f"median, on {n_datasets} independent data sets."
    )
    if front:
        line = "The line is the Pareto front: no" if len(front) > 1 else "No"
        caption += f" {line} method is both better and faster than {_listed(front)}."
    if hollow:
        caption += (
            " Hollow marks have no score on some data set, and are not on the front: "
            "their means are of the others."
        )
    return caption


def _draw_front(
    axes: Axes, front: dict[str, str], cost: dict[str, float], score: dict[str, float], named: bool
) -> None:
    """Join the methods of the Pareto front (method → its name), with their names if there is no legend."""
    if len(front) > 1:
        corners = [cost[m] for m in front], [score[m] for m in front]
        axes.step(*corners, where="post", color=style.MUTED, linewidth=1, zorder=1)
    for number, (method, name) in enumerate(front.items() if named else ()):
        axes.annotate(
            name,
            (cost[method], score[method]),
            xytext=(7, -11 if number % 2 else 6),
            textcoords="offset points",
            fontsize=7,
        )


def _listed(front: list[str]) -> str:
    return front[0] if len(front) == 1 else f"one of {', '.join(front)}"


def typical_seconds(outcome: Outcome, datasets: list[str]) -> dict[str, float]:
    """Method → geometric mean over data sets of the median time of a fit, on the machine that made most fits.

    Machines are never pooled, and large data sets have no larger weight.
    """
    logs: dict[str, list[float]] = {}
    on_these = outcome.times.filter(pl.col("dataset").is_in(datasets))
    for (_, method), seconds in sorted(median_seconds(on_these).items()):
        logs.setdefault(method, []).append(float(np.log(seconds)))
    return {method: float(np.exp(np.mean(values))) for method, values in logs.items()}


def pareto(cost: dict[str, float], score: dict[str, float]) -> list[str]:
    """Pareto front: methods that are better than all cheaper ones; less is better in both."""
    front: list[str] = []
    for method in sorted(cost, key=lambda m: (cost[m], score[m])):
        if not front or score[method] < score[front[-1]] - 1e-12:
            front.append(method)
    return front
