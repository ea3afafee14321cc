"""Learning curves: the score on the same held-out rows against the number of training rows (nested subsets)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from linclass_study.analysis.grid_ends import grid_end_note, marked
from linclass_study.analysis.metric_words import metric_title, metric_words
from linclass_study.pipeline.protocols import CURVE, kind, selected_protocols
from linclass_study.report.drawing import style
from linclass_study.report.drawing.end_labels import end_labels
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit

if TYPE_CHECKING:
    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 4, "cost", True
NAMED = 14  # lines that have a colour and a name; the others are grey


def asked(evaluation: Mapping[str, Any], methods: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(kind(protocol) == CURVE for protocol in selected_protocols(evaluation))


def draw(outcome: Outcome, dataset: str) -> Exhibit:
    from linclass.evaluation import metrics

    curves = of_methods(outcome, dataset)
    if not any(len(curve) > 1 for curve in curves.values()):
        return Exhibit.nothing(
            "no learning curve was requested; evaluation: {protocols: [cv, learning_curve]} fits them"
        )
    greater, (least, most) = (
        metrics.greater_is_better(outcome.metric),
        metrics.bounds(outcome.metric),
    )
    as_error, words = greater and most == 1, metric_words(outcome.metric)
    order = sorted(curves, key=lambda m: (curves[m][-1]["mean"] * (-1 if greater else 1), m))
    figure = style.canvas(7.2, 4.0)
    axes = figure.add_axes((0.09, 0.13, 0.66, 0.84))
    axes.set_xscale("log")
    ends = []
    for method, name in reversed([*zip(order, marked(outcome, order), strict=True)]):
        curve, named = curves[method], method in order[:NAMED]
        colour, marker = method_style(outcome.position(method))
        x = [point["rows"] for point in curve]
        mean = np.array([point["mean"] for point in curve])
        y = 1 - mean if as_error else mean
        if named:
            if method == order[0]:
                error = np.array([point["error"] or 0.0 for point in curve])
                axes.fill_between(x, y - error, y + error, color=colour, alpha=0.12, linewidth=0)
            axes.plot(x, y, color=colour, marker=marker, markersize=4, linewidth=1.2)
            ends.append((float(y[-1]), style.wrapped(name, 26, 1), colour))
        else:
            axes.plot(x, y, color=style.GRID, linewidth=0.9, zorder=1)
    sizes = sorted({round(point["rows"]) for curve in curves.values() for point in curve})
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set(xlabel="training rows", ylabel=f"1 − {words}" if as_error else words)
    if as_error or least == 0:
        axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))
    axes.grid()
    end_labels(axes, ends)
    few = f" Of {len(order)} methods the {NAMED} best at the full size are named."
    more = (few if order[NAMED:] else "") + grid_end_note(outcome, order[:NAMED])
    drawn = "Error" if as_error else metric_title(outcome.metric)
    improves = "rises" if greater and not as_error else "falls"
    caption = (
        f"{drawn} on the held-out rows against the number of training rows. The smaller parts lie within the larger "
        f"ones, and the last point is cross-validation itself. Where a line still {improves}, more rows would help. "
        f"The band is the standard error of {order[0]}, over folds and corrected for overlapping training rows. A size "
        f"at which some fit of a method failed has no point.{more}"
    )
    return Exhibit(figure, f"Learning curves on {dataset}", caption, {"curves": curves})


def of_methods(outcome: Outcome, dataset: str) -> dict[str, list[dict[str, Any]]]:
    """Method → points (rows, mean, standard error) of its curve, for sizes with a value on every fold."""
    from linclass_study.files.tables import FITTED

    same = [pl.col("dataset") == dataset, pl.col("protocol").str.starts_with(f"{CURVE}@")]
    curve, whole = (
        pl.all_horizontal(same),
        (pl.col("dataset") == dataset) & (pl.col("protocol") == "cv"),
    )
    keys = ["method", "protocol"]
    if not outcome.fits.filter(curve).height:
        return {}
    concerned = curve | (whole & (pl.col("repeat") == 0))
    fits = (
        outcome.fits.filter(concerned)
        .group_by(keys)
        .agg(
            rows=pl.col("n_train").mean(), planned=pl.len(),
            fitted=pl.col("status").is_in(FITTED).sum(),
            share=(pl.col("n_test") / pl.col("n_train")).mean(),
        )
    )  # fmt: skip
    points = (
        outcome.scores.filter(concerned, metric=outcome.metric)
        .group_by(keys)
        .agg(mean=pl.col("value").mean(), sd=pl.col("value").std(), n=pl.len())
        .join(fits, on=keys)
        .filter(pl.col("n") == pl.col("planned"), pl.col("fitted") == pl.col("planned"))
        .with_columns(error=pl.col("sd") * (1 / pl.col("n") + pl.col("share")).sqrt())
        .sort("rows")
    )
    return {
        method: points.filter(method=method).select("rows", "mean", "error").to_dicts()
        for method in outcome.methods
        if points.filter(method=method).height
    }
