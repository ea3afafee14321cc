"""Ranks and ratings of methods over data sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linclass_study.analysis.tuned import grid_end_note, marked
from linclass_study.analysis.wording import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import left_out_note, mark_left_out, outermost
from linclass_study.report.drawing.panels import baselines
from linclass_study.report.drawing.style import method_style
from linclass_study.report.figure_files import Exhibit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linclass_study.analysis.outcome import Outcome


MAX_METHODS = 25  # methods; more are unreadable
ROW = 0.24  # inches


def ranks(outcome: Outcome) -> Exhibit:
    """Critical-difference diagram: mean ranks over data sets, and groups without significant differences."""
    from linclass_study.analysis.across_datasets import ALPHA, comparison_across
    from linclass_study.analysis.conclusion import (
        independent,
        not_ranked_note,
        rank_test,
        too_few_for_ranks,
    )

    base = comparison_across(outcome)
    if not base.enough:
        return Exhibit.nothing(
            "ranks need two methods with scores on all of at least two data sets"
        )
    if few := too_few_for_ranks(base):
        return Exhibit.nothing(few)
    average, _, difference, _, groups = base.nemenyi
    n, k = base.table.shape
    figure = _diagram(outcome, base.methods, average, difference, groups)
    more = left_out_note(min(MAX_METHODS, k), k)
    caption = (
        f"Mean rank by {metric_words(base.metric)} of {k} methods over {independent(base)}. "
        f"{rank_test(k)} does not distinguish methods that a vertical bar joins, at "
        f"α = {ALPHA} (Demšar, 2006{'; infinite degrees of freedom' * (k > 2)}).{not_ranked_note(base)}{more} "
        "Ranks depend on which methods take part; the pairwise matrix does not."
        f"{grid_end_note(outcome, base.methods)}"
    )
    numbers = {
        "datasets": n,
        "critical_difference": difference,
        "ranks": {base.methods[j]: float(average[j]) for j in np.argsort(average, kind="stable")},
        "groups": [[base.methods[j] for j in group] for group in groups],
    }
    return Exhibit(figure, "Mean ranks over data sets", caption, numbers)


def _diagram(
    outcome: Outcome,
    methods: list[str],
    average: np.ndarray,
    difference: float,
    groups: list[list[int]],
) -> Figure:
    """A row for each method, a vertical bar for each group, and the critical difference.

    Of many methods the baseline and those that differ significantly from some other one are kept.
    """
    ranked = [int(j) for j in np.argsort(average, kind="stable")]
    apart = np.maximum(average - average.min(), average.max() - average) > difference
    order = outermost(
        ranked, MAX_METHODS, baselines(outcome, methods), {int(j) for j in np.flatnonzero(apart)}
    )
    place = {j: row for row, j in enumerate(order)}
    bars = [[j for j in group if j in place] for group in groups]
    bars = [bar for bar in bars if len(bar) > 1]

    height = ROW * len(order) + 0.6
    figure = style.canvas(7.2, height)
    longest = max(len(methods[j]) for j in order)
    left = min(0.4, 0.04 + 0.0105 * longest)
    axes = figure.add_axes((left, 0.5 / height, 0.97 - left, ROW * len(order) / height))
    for j, row in place.items():
        colour, marker = method_style(outcome.position(methods[j]))
        axes.plot(average[j], row, marker, color=colour, markersize=6)
    mark_left_out(axes, ranked, order)
    span = max(float(np.ptp(average[order])), difference) or 1.0
    for number, bar in enumerate(bars):
        x = max(average[j] for j in bar) + span * (0.03 + 0.025 * (number % 6))
        rows = [place[j] for j in bar]
        axes.plot([x, x], [min(rows) - 0.2, max(rows) + 0.2], color=style.INK, linewidth=2)
    axes.plot(
        [average.min(), average.min() + difference], [-1.0, -1.0], color=style.MUTED, linewidth=1.5
    )
    axes.text(
        average.min(), -1.25, f"critical difference {difference:.2f}", fontsize=7, va="bottom"
    )
    names = marked(outcome, [methods[j] for j in order])
    axes.set_yticks(range(len(order)), [style.wrapped(name, 32) for name in names])
    axes.set(ylim=(len(order) - 0.5, -2.1), xlabel="mean rank (1 is best)")
    axes.grid(axis="x")
    style.quiet(axes)
    return figure


MAX_METHODS = 25
ROW = 0.24  # inches


def ratings(outcome: Outcome) -> Exhibit:
    """Bradley–Terry ratings with their bootstrap intervals over data sets."""
    from linclass_study.analysis.across_datasets import RESAMPLED, comparison_across
    from linclass_study.analysis.conclusion import not_ranked_note, too_few_for_ratings

    base = comparison_across(outcome)
    if not base.enough:
        return Exhibit.nothing(
            "ratings need two methods with scores on all of at least two data sets"
        )
    if few := too_few_for_ratings(base):
        return Exhibit.nothing(few)
    rated = base.ratings
    ranked = [int(j) for j in np.argsort(-rated.elo, kind="stable")]
    order = outermost(ranked, MAX_METHODS, baselines(outcome, base.methods))
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
