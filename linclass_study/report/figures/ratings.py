"""Bradley–Terry ratings with their bootstrap intervals over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linclass_study.analysis.grid_ends import grid_end_note, marked
from linclass_study.analysis.metric_words import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.outermost import left_out_note, mark_left_out, outermost
from linclass_study.report.drawing.style import method_style
from linclass_study.report.exhibit import Exhibit
from linclass_study.report.method_selection import baselines

if TYPE_CHECKING:
    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 3, "across", False
SHOWN = 25
ROW = 0.24  # inches


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.analysis.across_datasets import RESAMPLED, comparison_across
    from linclass_study.analysis.conclusion import not_ranked_note
    from linclass_study.analysis.too_few import too_few_for_ratings

    base = comparison_across(outcome)
    if not base.enough:
        return Exhibit.nothing(
            "ratings need two methods with scores on all of at least two data sets"
        )
    if few := too_few_for_ratings(base):
        return Exhibit.nothing(few)
    rated = base.ratings
    ranked = [int(j) for j in np.argsort(-rated.elo, kind="stable")]
    order = outermost(ranked, SHOWN, baselines(outcome, base.methods))
    height = ROW * len(order) + 0.6
    figure = style.canvas(7.2, height)
    longest = max(len(base.methods[j]) for j in order)
    left = min(0.4, 0.04 + 0.0105 * longest)
    axes = figure.add_axes((left, 0.5 / height, 0.97 - left, ROW * len(order) / height))
    for row, j in enumerate(order):
        colour, marker = method_style(outcome.position(base.methods[j]))
        if base.enough_for_intervals:
            axes.plot([rated.lower[j], rated.upper[j]], [row, row], color=colour, linewidth=1.4)
        axes.plot(rated.elo[j], row, marker, color=colour, markersize=6)
    names = marked(outcome, [base.methods[j] for j in order])
    axes.set_yticks(range(len(order)), [style.wrapped(name, 32) for name in names])
    axes.set(ylim=(len(order) - 0.5, -0.5), xlabel="rating (1000 is the mean; +400 wins 10 of 11)")
    axes.grid(axis="x")
    style.quiet(axes)
    mark_left_out(axes, ranked, order)
    more = left_out_note(len(order), len(ranked))
    intervals = (
        ", and 95\u00a0% intervals of a bootstrap over data sets."
        if base.enough_for_intervals
        else f". There are no intervals: a bootstrap of fewer than {RESAMPLED} data sets is not reliable."
    )
    caption = (
        f"Ratings from pairwise wins by {metric_words(base.metric)}, over {len(base.datasets)} independent "
        f"data sets (Bradley and Terry, with a normal prior of sd 2 in log-odds){intervals} A tie counts half."
        f"{not_ranked_note(base)}{more}{grid_end_note(outcome, base.methods)}"
    )
    numbers = {
        base.methods[j]: {
            "rating": float(rated.elo[j]),
            "lower": float(rated.lower[j]) if base.enough_for_intervals else None,
            "upper": float(rated.upper[j]) if base.enough_for_intervals else None,
        }
        for j in ranked
    }
    return Exhibit(figure, "Ratings", caption, {"ratings": numbers})
