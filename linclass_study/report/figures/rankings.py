"""Ranks and ratings of methods over data sets."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from linclass_study.analysis.across_datasets import (
    MIN_DATA_SETS,
    RESAMPLED,
    ComparisonAcross,
    comparison_across,
    independent,
)
from linclass_study.analysis.comparison_with_control import baselines
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import not_ranked_note, rank_test, too_few
from linclass_study.analysis.tuned_values import grid_end_note, marked_labels
from linclass_study.analysis.within_dataset import ALPHA
from linclass_study.analysis.wording import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.drawing.labels import left_out_note, mark_left_out, outermost
from linclass_study.report.drawing.style import INK
from linclass_study.report.figure_files import ReportFigure

MAX_METHODS = 25  # methods; more are unreadable
ROW = 0.24  # inches


def ranks(outcome: Outcome) -> ReportFigure:
    """Critical-difference diagram: mean ranks over data sets, and groups without significant differences."""
    base = comparison_across(outcome)
    if few := too_few(base, "ranks", "Mean ranks", MIN_DATA_SETS, "ranks"):
        return ReportFigure.nothing(few)
    average, _, difference, _, groups = base.nemenyi
    n, k = base.table.shape
    figure = _diagram(outcome, base)
    more = left_out_note(min(MAX_METHODS, k), k)
    caption = (
        f"Mean rank by {metric_words(base.metric)} of {k} methods over {independent(base)}. "
        f"{rank_test(k)} does not distinguish methods that a vertical bar joins, at "
        f"α = {ALPHA} (Demšar, 2006{'; infinite degrees of freedom' * (k > 2)})."
        f"{not_ranked_note(base, outcome.labels.methods)}{more} "
        "Ranks depend on which methods take part; the pairwise matrix does not."
        f"{grid_end_note(outcome, base.methods)}"
    )
    numbers = {
        "datasets": n,
        "critical_difference": difference,
        "ranks": {base.methods[j]: float(average[j]) for j in np.argsort(average, kind="stable")},
        "groups": [[base.methods[j] for j in group] for group in groups],
    }
    return ReportFigure(figure, "Mean ranks over data sets", caption, numbers)


def _diagram(outcome: Outcome, base: ComparisonAcross) -> Figure:
    """A row for each method, a vertical bar for each group, and the critical difference.

    Of many methods the baseline and those that differ significantly from some other one are kept.
    """
    average, _, difference, _, groups = base.nemenyi
    apart = np.maximum(average - average.min(), average.max() - average) > difference
    significant = {int(j) for j in np.flatnonzero(apart)}
    x = "mean rank (1 is best)"
    figure, axes, order = _rows(outcome, base, average, average, x, significant)
    place = {j: row for row, j in enumerate(order)}
    bars = [[j for j in group if j in place] for group in groups]
    span = max(float(np.ptp(average[order])), difference) or 1.0
    for number, bar in enumerate(bar for bar in bars if len(bar) > 1):
        x = max(average[j] for j in bar) + span * (0.03 + 0.025 * (number % 6))
        rows = [place[j] for j in bar]
        axes.plot([x, x], [min(rows) - 0.2, max(rows) + 0.2], color=style.INK, linewidth=2)
    left = average.min()
    axes.plot([left, left + difference], [-1.0, -1.0], color=style.MUTED, linewidth=1.5)
    axes.text(left, -1.25, f"critical difference {difference:.2f}", fontsize=7, va="bottom")
    axes.set(ylim=(len(order) - 0.5, -2.1))
    return figure


def _rows(
    outcome: Outcome,
    base: ComparisonAcross,
    key: np.ndarray,
    values: np.ndarray,
    x: str,
    *kept: set[int],
) -> tuple[Figure, Axes, list[int]]:
    """A figure with a row for each method by its `key`: its name, and its marker at its value. Of many methods the
    outermost ones, the baseline and those `kept`; also returns which these are, in order."""
    ranked = [int(j) for j in np.argsort(key, kind="stable")]
    guesses = {base.methods.index(name) for name in baselines(outcome) if name in base.methods}
    order = outermost(ranked, MAX_METHODS, guesses, *kept)
    width = style.width()
    names = marked_labels(outcome, [base.methods[j] for j in order])
    names = [style.fitted(name, 0.36 * width, style.SMALL) for name in names]
    left = 0.15 + style.widest(names, style.SMALL)
    x = style.broken(x, width - left)
    below = 0.5 + 0.15 * x.count("\n")
    figure, axes = style.framed(left, below, 0.2, 0.1, ROW * len(order))
    for row, j in enumerate(order):
        axes.plot(values[j], row, "o", color=INK, markersize=5)
    mark_left_out(axes, ranked, order)
    axes.set_yticks(range(len(order)), names, fontsize=style.SMALL)
    axes.set_xlabel(x)
    axes.grid(axis="x")
    style.quiet(axes)
    return figure, axes, order


def ratings(outcome: Outcome) -> ReportFigure:
    """Bradley–Terry ratings with their bootstrap intervals over data sets."""
    base = comparison_across(outcome)
    if few := too_few(base, "ratings", "Ratings", MIN_DATA_SETS, "ranks"):
        return ReportFigure.nothing(few)
    rated, has_intervals = base.ratings, base.enough_for_intervals
    x = "rating (1000 is the mean; +400 wins 10 of 11)"
    figure, axes, order = _rows(outcome, base, -rated.elo, rated.elo, x)
    for row, j in enumerate(order if has_intervals else ()):
        axes.plot([rated.lower[j], rated.upper[j]], [row, row], color=INK, linewidth=1.4)
    axes.set(ylim=(len(order) - 0.5, -0.5))
    more = left_out_note(len(order), len(base.methods))
    intervals = (
        ", and 95\u00a0% intervals of a bootstrap over data sets."
        if has_intervals
        else f". There are no intervals: a bootstrap of fewer than {RESAMPLED} data sets is not reliable."
    )
    caption = (
        f"Ratings from pairwise wins by {metric_words(base.metric)}, over {len(base.datasets)} independent "
        f"data sets (Bradley and Terry, with a normal prior of sd 2 in log-odds){intervals} A tie counts half."
        f"{not_ranked_note(base, outcome.labels.methods)}{more}{grid_end_note(outcome, base.methods)}"
    )
    numbers = {
        base.methods[j]: {
            "rating": float(rated.elo[j]),
            "lower": float(rated.lower[j]) if has_intervals else None,
            "upper": float(rated.upper[j]) if has_intervals else None,
        }
        for j in np.argsort(-rated.elo, kind="stable")
    }
    return ReportFigure(figure, "Ratings", caption, {"ratings": numbers})
