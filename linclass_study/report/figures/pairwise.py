"""The pairwise matrix: mean difference, wins, ties and losses, and the corrected p of each pair of methods."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from linclass.base.messages import counted
from linclass_study.analysis.grid_ends import grid_end_note, marked
from linclass_study.analysis.metric_words import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.exhibit import Exhibit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linclass.evaluation.comparisons.pairwise_matrix import Pairwise
    from linclass_study.analysis.outcome import Outcome

PLACE, SECTION, PER_DATASET = 2, "across", False
SHOWN = 7  # methods: each cell holds three lines
CELL = 0.82  # inches


def draw(outcome: Outcome) -> Exhibit:
    from linclass_study.analysis.across_datasets import ALPHA, comparison_across
    from linclass_study.analysis.conclusion import not_ranked_note
    from linclass_study.analysis.focus import unattainable
    from linclass_study.analysis.too_few import too_few_for_pairs

    base = comparison_across(outcome)
    if not base.enough:
        return Exhibit.nothing(
            "pairs need two methods with scores on all of at least two data sets"
        )
    if few := too_few_for_pairs(base):
        return Exhibit.nothing(few)
    pairs = base.pairs
    order = np.argsort(-base.ratings.theta, kind="stable")[:SHOWN]
    k, n = len(order), len(base.datasets)
    every = len(base.methods) * (len(base.methods) - 1) // 2
    shown = [base.methods[j] for j in order]
    names = [style.wrapped(name, 12, 3) for name in marked(outcome, shown)]
    D, p, side = (
        values[np.ix_(order, order)]
        for values in (pairs.difference, pairs.adjusted, pairs.rank_biserial)
    )
    more = ""
    if len(base.methods) > k:
        more = f" The {k} of {len(base.methods)} methods with the highest ratings; all are in tables/pairwise.csv."
    caption = (
        f"Row against column over {n} independent data sets: mean difference in {metric_words(base.metric)}, data sets "
        "won/tied/lost, and p of Wilcoxon’s signed-rank test (Pratt; exact for up to 100 data sets) with Holm’s "
        f"correction over all {counted(every, 'pair')}. Bold and coloured where that is below {ALPHA} (blue: the row "
        "is better, orange: the column, by the sums of ranks, which count how often more than by how much); "
        "tables/pairwise.csv has these sums (rank_biserial) and p without the correction, too."
        f"{not_ranked_note(base)}{more}{grid_end_note(outcome, shown)}"
    )
    if never := unattainable(n, every, "no pair of methods"):
        caption += f" {never}"
    numbers = {
        "methods": shown,
        "difference": [[None if np.isnan(d) else float(d) for d in row] for row in D],
        "p_holm": [[None if np.isnan(value) else float(value) for value in row] for row in p],
    }
    figure = _matrix(pairs, order, D, np.where(p < ALPHA, np.sign(side), 0), names)
    return Exhibit(figure, "Every method against every other", caption, numbers)


def _matrix(
    pairs: Pairwise, order: np.ndarray, D: np.ndarray, side: np.ndarray, names: list[str]
) -> Figure:
    """The cells of the methods `order`, coloured by the differences D where the test is significant, to its `side`."""
    k, top = len(order), float(np.nanmax(np.abs(D))) or 1.0
    width, height = CELL * k + 1.6, 0.6 * CELL * k + 1.1
    figure = style.canvas(width, height)
    axes = figure.add_axes((1.25 / width, 0.06 / height, CELL * k / width, 0.6 * CELL * k / height))
    for colour, sign in zip(style.COLOURS[:2], (1, -1), strict=True):
        shares = np.where(side == sign, 0.4 + 0.6 * np.abs(D) / top, 0)
        cells = style.tinted(colour, shares)
        axes.imshow(cells, aspect="auto", interpolation="none")
    options: Any = {"ha": "center", "va": "center", "fontsize": 8}
    for (row, i), (column, j) in product(enumerate(order), repeat=2):
        if i != j:
            weight = "bold" if side[row, column] else "normal"
            axes.text(column, row, _cell(pairs, i, j, D[row, column]), weight=weight, **options)
    axes.xaxis.tick_top()
    axes.set_xticks(range(k), names, fontsize=7.5)
    axes.set_yticks(range(k), names, fontsize=7.5)
    axes.tick_params(length=0)
    figure.text(
        0.06 / width,
        1 - 0.06 / height,
        "in each cell, row\nagainst column:\nmean difference\nwon/tied/lost\np, corrected",
        va="top",
        fontsize=7,
        color=style.MUTED,
    )
    for spine in axes.spines.values():
        spine.set_visible(False)
    return figure


def _cell(pairs: Pairwise, i: int, j: int, difference: float) -> str:
    """Three lines: mean difference, wins/ties/losses, corrected p-value."""
    counts = f"{pairs.wins[i, j]}/{pairs.ties[i, j]}/{pairs.losses[i, j]}"
    text = f"{difference:+.3f}\n{counts}\np {pairs.adjusted[i, j]:.3f}".replace("p 0.", "p .")
    return text.replace("-", "−").replace("−0.000", "0.000").replace("+0.000", "0.000")
