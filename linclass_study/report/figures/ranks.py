"""Critical-difference diagram: mean ranks over data sets, and groups without significant differences."""

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
    from matplotlib.figure import Figure

    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 1, "across", False
SHOWN = 25  # methods; more are unreadable
ROW = 0.24  # inches


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.analysis.across_datasets import ALPHA, comparison_across
    from linclass_study.analysis.conclusion import independent, not_ranked_note, rank_test
    from linclass_study.analysis.too_few import too_few_for_ranks

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
    more = left_out_note(min(SHOWN, k), k)
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
        ranked, SHOWN, baselines(outcome, methods), {int(j) for j in np.flatnonzero(apart)}
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
