"""Regularization paths: coefficients and inner cross-validation score against the strength of the penalty."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass_study.analysis.metric_words import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.end_labels import end_labels
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.figures.coefficients import oriented

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 21, "dataset", True
METHODS = 2  # number of methods, the best ones with a path
PANEL = 3.6  # inches of a method
NAMED = 6  # features of a panel with colour and name


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    from linclass_study.analysis.summary import ranking

    runs = outcome.results / "runs" / dataset
    able = [
        method
        for method in ranking(outcome, dataset)["method"]
        if all((runs / method / f"{table}.parquet").exists() for table in ("paths", "tuning"))
    ]
    if not able:
        return Exhibit.nothing(f"no method on {dataset} is tuned over strengths and has a path")
    found = {method: _kept(outcome, dataset, method) for method in able[:METHODS]}
    about = outcome.about(dataset)
    classes = about["classes"]
    width = len(found) * PANEL
    figure = style.canvas(width, 4.4)
    numbers: dict[str, Any] = {}
    for column, (method, (kept, scores)) in enumerate(found.items()):
        path = oriented(kept, about)
        code = int(path["class"].to_numpy().max())
        left, span = (column * PANEL + 1.2) / width, (PANEL - 1.85) / width
        above = figure.add_axes((left, 0.45, span, 0.48))
        below = figure.add_axes((left, 0.11, span, 0.27), sharex=above)
        numbers[method] = _draw_path(above, path.filter(pl.col("class") == code))
        numbers[method] |= {"class": str(classes[code]), "inner": scores.to_dicts()}
        _draw_scores(below, scores, outcome.position(method))
        above.set_title(method, loc="left", fontsize=8.5)
        above.tick_params(which="both", labelbottom=False)
        below.set_xlabel("strength of the penalty")
        above.text(-0.05, 1.035, "feature", transform=above.transAxes, ha="right")
        above.yaxis.set_label_position("right")
        above.set_ylabel("coefficient")
        if not column:
            below.set_ylabel(metric_words(outcome.metric))
    of_class = f" of the score of {about['positive'] if len(classes) == 2 else classes[-1]}"
    words = metric_words(outcome.metric)
    most = max(len(own["path"]) for own in numbers.values())
    named = f"; the {NAMED} largest are named" if most > NAMED else ""
    caption = (
        f"Above: coefficients{of_class} per standard deviation of the feature against the strength, in "
        f"the first fit{named}. Below: the mean {words} of the inner folds of all fits, with "
        "its standard error; marks are strengths that were chosen, the larger the more often. "
        "Further to the right the penalty is stronger."
    )
    if len(able) > len(found):
        caption += f" The {len(found)} best of {len(able)} methods with a path are shown."
    return Exhibit(figure, f"Paths over strengths on {dataset}", caption, numbers)


def _kept(outcome: Outcome, dataset: str, method: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The path of a method, and what the inner folds of all its fits say of its strengths."""
    path, tuning = (outcome.kept(table, dataset, method) for table in ("paths", "tuning"))
    assert path is not None
    assert tuning is not None
    return path, judged(tuning.filter(protocol=outcome.protocol(dataset)))


def judged(tuning: pl.DataFrame) -> pl.DataFrame:
    """One row per strength, with the best values of the other parameters: mean over fits of the inner mean and of its
    standard error, and number of fits that selected it."""
    strength = pl.col("params").map_elements(
        lambda text: float(json.loads(text)["strength"]), return_dtype=pl.Float64
    )
    return (
        tuning.with_columns(strength=strength)
        .group_by("strength", "params")
        .agg(pl.col("mean").mean(), pl.col("error").mean(), chosen=pl.col("chosen").sum())
        .sort("mean", "params", descending=[True, False], nulls_last=True)
        .group_by("strength", maintain_order=True)
        .agg(pl.col("mean").first(), pl.col("error").first(), pl.col("chosen").sum())
        .filter(pl.col("strength") > 0)
        .sort("strength")
    )


def _draw_path(axes: Axes, path: pl.DataFrame) -> dict[str, Any]:
    effects = path.drop_nulls("feature").with_columns(effect=pl.col("value") * pl.col("scale"))
    lines = {
        str(name): own.sort("strength").select("strength", "effect").to_numpy().T
        for (name,), own in effects.partition_by("feature", as_dict=True).items()
    }
    order = sorted(lines, key=lambda name: (-np.abs(lines[name][1]).max(), name))
    axes.set_xscale("log")
    axes.axhline(0, color=style.MUTED, linewidth=0.6)
    for name in order[NAMED:]:
        axes.plot(*lines[name], color=style.GRID, linewidth=0.9, zorder=1)
    for number, name in enumerate(order[:NAMED]):
        axes.plot(*lines[name], color=style.COLOURS[number], linewidth=1.3)
    strengths = path["strength"].to_numpy()
    axes.set_xlim(float(strengths.min()), float(strengths.max()))
    ends = [
        (float(lines[name][1][0]), style.wrapped(name, 18, 1), style.COLOURS[number])
        for number, name in enumerate(order[:NAMED])
    ]
    axes.margins(y=0.06)
    axes.yaxis.tick_right()
    axes.spines["left"].set_visible(False)
    axes.spines["right"].set_visible(True)
    axes.tick_params(axis="y", labelsize=7.5)
    style.plain_log(axes.xaxis)
    end_labels(axes, ends, right=False)
    return {"path": {name: lines[name].tolist() for name in order}}


def _draw_scores(axes: Axes, scores: pl.DataFrame, position: int) -> None:
    known = scores.drop_nulls("mean")
    colour, marker = method_style(position)
    x, mean, error = (known[name].to_numpy() for name in ("strength", "mean", "error"))
    axes.fill_between(x, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
    axes.plot(x, mean, color=colour, linewidth=1.2)
    chosen = known.filter(pl.col("chosen") > 0)
    share = chosen["chosen"].to_numpy() / max(1, int(chosen["chosen"].sum()))
    for place, value, size in zip(chosen["strength"], chosen["mean"], share, strict=True):
        axes.plot(
            place,
            value,
            marker,
            color=colour,
            markersize=3 + 7 * size**0.5,
            markeredgecolor="white",
            clip_on=False,  # the ends of the grid are the ends of the axis
            zorder=3,
        )
    axes.grid()
