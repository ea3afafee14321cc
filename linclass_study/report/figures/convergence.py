"""Convergence of solvers: objective and held-out metric after each step."""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from linclass.plotting import ConvergenceDisplay
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.wording import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import key, key_height
from linclass_study.report.drawing.style import method_style
from linclass_study.report.figure_files import ReportFigure

METHODS = 12  # methods in the legend
HANDLE = 0.3  # inches of a line in the legend
MIN_DIFFERENCE = 1e-12  # relative to the objective; smaller differences are rounding
MAX_DIFFERENCE = 1e100  # of a diverging solver: axes overflow before numbers do
# Parameters that change how the optimum is found, and not the optimum.
SOLVER_PARAMETERS = {
    "solver",
    "step",
    "tol",
    "max_iter",
    "warm_start",
    "trace",
    "random_state",
    "strength",
}


def convergence(outcome: Outcome, dataset: str) -> ReportFigure:
    traces = {
        method: first_fit(trace)
        for method in outcome.methods
        if (trace := outcome.run_table("traces", dataset, method)) is not None
    }
    if not traces:
        why = "no steps of solvers were kept; evaluation: {traces: true} keeps them"
        return ReportFigure.nothing(why)
    shown = dict(list(traces.items())[:METHODS])
    best = lowest(outcome, dataset, traces)
    names = [outcome.labels.methods[method] for method in shown]
    figure, axes = _four_panels(names)
    numbers: dict[str, Any] = {}
    handles: list[Line2D] = []
    above = False  # whether any step is above the lowest: a logarithmic axis needs a point
    for method, first in shown.items():
        objective = first["objective"].to_numpy()
        objective = np.where(np.isfinite(objective), objective, np.nan)  # of a fit that diverged
        gap = np.maximum(objective - best[method], 0)
        least = MIN_DIFFERENCE * np.maximum(np.abs(best[method]), MIN_DIFFERENCE)
        known = (gap > least) & (gap < MAX_DIFFERENCE)
        above = above or bool(known.any())
        handles.append(_draw_steps(axes, first, gap, known, len(handles)))
        numbers[method] = {
            "passes": first["passes"].to_list(), "seconds": first["seconds"].to_list(),
            "behind": gap.tolist(), "held_out": first["held_out"].to_list(),
        }  # fmt: skip
    several = any(first["part"].max() for first in shown.values())
    words = metric_words(outcome.metric)
    _label_axes(axes, words, logarithmic=above)
    key(figure, handles, names, 0.1, style.width() - 0.2, HANDLE, below=True, markerscale=1.2)
    more = " Who minimizes for one class after another has a line for each." if several else ""
    more += f" {len(traces) - METHODS} more methods are not shown." if len(traces) > METHODS else ""
    caption = (
        "The first fit of each method, step by step. Above: how far its objective is above the lowest that any "
        "method with the same objective reached; lower is nearer to the optimum. Below: the "
        f"{words} on the rows that were held out: where a line is flat, further steps gain nothing. Marks are the "
        f"last steps; tuning is not counted.{more}"
    )
    title = f"Convergence on {outcome.labels.datasets[dataset]}"
    return ReportFigure(figure, title, caption, numbers)


def _four_panels(methods: list[str]) -> tuple[Figure, np.ndarray]:
    """Axes (2, 2): objective and metric, against passes and seconds; below them there is room for the legend."""
    width = style.width()
    below = 0.55 + key_height(methods, width - 0.2, HANDLE)
    height = min(3.8, 0.75 * width) + below
    figure = style.canvas(width, height)
    grid = figure.add_gridspec(
        2, 2, left=0.75 / width, right=1 - 0.1 / width, top=1 - 0.1 / height, bottom=below / height,
        hspace=0.1, wspace=0.08,
    )  # fmt: skip
    return figure, np.asarray(grid.subplots(sharex="col", sharey="row"))


def _draw_steps(
    axes: np.ndarray, steps: pl.DataFrame, gap: np.ndarray, known: np.ndarray, place: int
) -> Line2D:
    """Draw the steps of one fit against passes and seconds; return a line for the legend."""
    colour, marker = method_style(place)
    scored = steps["held_out"].is_finite().fill_null(False).to_numpy()
    options: dict[str, Any] = {"color": colour, "marker": marker, "linewidth": 1.1, "markersize": 4}
    part = steps["part"].to_numpy()
    for (column, x), own in product(enumerate(("passes", "seconds")), np.unique(part)):
        at, score = steps[x].to_numpy(), steps["held_out"].to_numpy()
        for row, some in enumerate((known, scored)):
            places = np.flatnonzero(some & (part == own))
            last: Any = {"markevery": [max(len(places) - 1, 0)]}
            if row == 0 and len(places):
                shown = ConvergenceDisplay({"": (at[places], gap[places])}, 0.0)
                shown.plot(axes[0, column], legend=False, **options, **last)
            elif len(places):
                axes[1, column].plot(at[places], score[places], **options, **last)
    return Line2D([], [], **options)


def _label_axes(axes: np.ndarray, metric: str, logarithmic: bool) -> None:
    for column, name in enumerate(("passes over the rows", "seconds")):
        axes[1, column].set_xlabel(name)
        if logarithmic:
            style.mark_log(axes[1, column].xaxis)
            style.mark_log(axes[0, column].yaxis)
            axes[0, column].set(xlabel="", ylabel="")
        for one in axes[:, column]:
            one.grid()
    axes[0, 0].set_ylabel("objective − the lowest")
    axes[1, 0].set_ylabel(f"{metric}, held out")


def first_fit(trace: pl.DataFrame) -> pl.DataFrame:
    """Steps of the first fit. `part` counts its minimizations, as one versus the rest has one for each class: seconds
    begin anew in each, and so do passes here."""
    first = trace.filter(protocol=trace["protocol"][0], repeat=0, fold=trace["fold"][0])
    part = (pl.col("seconds").diff() < 0).fill_null(False).cum_sum()
    before = pl.col("passes").shift(1, fill_value=0)
    first = first.sort("step").with_columns(part=part, before=before)
    return first.with_columns(pl.col("passes") - pl.col("before").first().over("part"))


Traces = dict[str, pl.DataFrame]  # of methods


def lowest(outcome: Outcome, dataset: str, traces: Traces) -> dict[str, np.ndarray]:
    """Method → at each step, the lowest objective of all methods that minimize the same function on the same rows."""
    functions, found = {}, defaultdict[tuple[str, int], float](lambda: np.inf)
    for method, trace in traces.items():
        same = problem(outcome, dataset, method, trace)
        functions[method] = [(same, part) for part in trace["part"]]
        for function, value in zip(functions[method], trace["objective"], strict=True):
            if value is not None and np.isfinite(value):
                found[function] = min(value, found[function])
    return {method: np.array([found[one] for one in own]) for method, own in functions.items()}


def problem(outcome: Outcome, dataset: str, method: str, trace: pl.DataFrame) -> str:
    """Identifier of the objective: the entry without its solver, and the selected strength."""
    entry = outcome.methods[method]
    fit = outcome.fits.filter(dataset=dataset, method=method).join(
        trace.head(1), on=["protocol", "repeat", "fold"], how="semi"
    )
    given = entry.get("params") or {}
    params = {name: value for name, value in given.items() if name not in SOLVER_PARAMETERS}
    chosen = json.loads(fit["params"][0] or "{}") if fit.height else {}
    steps = entry.get("features"), entry.get("transforms")
    parts = [entry["classifier"], params, chosen.get("strength"), *steps]
    return json.dumps(parts, sort_keys=True, default=str)
