"""Score against cost: what a better method takes in seconds of fitting, and which are on the Pareto front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from linclass_study.report.exhibit import Exhibit
from linclass_study.report.figures import style

if TYPE_CHECKING:
    from linclass_study.results.outcome import Outcome

PLACE, SECTION, PER_DATASET = 5, "across", False


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.results.across import across

    base = across(outcome)
    seconds = median_seconds(outcome)
    known = [j for j, method in enumerate(base.methods) if method in seconds]
    if not base.enough or not known:
        return Exhibit.nothing("there are no two data sets and two methods with scores and times")
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    score = {base.methods[j]: float(np.nanmean(behind[:, j])) for j in known}
    cost = {method: max(seconds[method], 1e-5) for method in score}
    front = pareto(cost, score)
    figure = style.canvas(7.2, 4.2)
    axes = figure.add_axes((0.1, 0.13, 0.87, 0.83))
    for method in score:
        colour, marker = style.of_method(outcome.position(method))
        axes.plot(cost[method], score[method], marker, color=colour, markersize=6.5)
    axes.step(
        [cost[m] for m in front],
        [score[m] for m in front],
        where="post",
        color=style.MUTED,
        linewidth=1,
    )
    for number, method in enumerate(front):
        low = number % 2
        axes.annotate(
            method,
            (cost[method], score[method]),
            xytext=(5, -11 if low else 6),
            textcoords="offset points",
            fontsize=7,
        )
    positive = [value for value in score.values() if value > 0]
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=float(np.median(positive)) if positive else 1.0)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
        axis.set_minor_formatter(lambda value, _: "")
    words = base.metric.replace("_", " ")
    axes.set(
        xlabel="median seconds of a fit, tuning included",
        ylabel=f"{words} behind the best, mean over data sets",
    )
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.1)
    axes.grid()
    caption = (
        f"Mean distance to the best {words} of each data set (higher in the figure is better; the axis "
        "is logarithmic beyond the median) against the median time of a fit, over "
        f"{len(base.datasets)} independent data sets. The line is the Pareto front, whose methods are "
        "named: no method is both better and faster than one on it. Colours and marks are those of the tables."
    )
    numbers = {"front": front, "seconds": cost, "behind": score}
    return Exhibit(figure, "Score against cost", caption, numbers)


def median_seconds(outcome: Outcome) -> dict[str, float]:
    """Method → median of its fits' seconds on the machine that made most of them: machines are never pooled."""
    whole = ~pl.col("protocol").str.starts_with("learning_curve@")  # whose fits are of fewer rows
    times = outcome.times.filter(pl.col("fit_seconds").is_not_null(), whole)
    if times.is_empty():
        return {}
    fits = times.group_by("machine").len().sort(pl.col("len"), "machine", descending=[True, False])
    own = times.filter(machine=fits["machine"][0])
    return dict(own.group_by("method").agg(pl.col("fit_seconds").median()).iter_rows())


def pareto(cost: dict[str, float], score: dict[str, float]) -> list[str]:
    """From the cheapest on, each that is better than all that are cheaper; less is better in both."""
    front: list[str] = []
    for method in sorted(cost, key=lambda m: (cost[m], score[m])):
        if not front or score[method] < score[front[-1]] - 1e-12:
            front.append(method)
    return front
