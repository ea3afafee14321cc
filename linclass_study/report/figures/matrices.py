"""Matrices of all pairs of methods, and of all methods on all data sets."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from linclass.base.messages import counted
from linclass.evaluation.comparisons.pairs import Pairwise
from linclass_study.analysis.across_datasets import PAIRED, all_scores, comparison_across
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import not_ranked_note, too_few, unattainable
from linclass_study.analysis.tuned import grid_end_note, marked
from linclass_study.analysis.within_dataset import ALPHA
from linclass_study.analysis.wording import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.figure_files import ReportFigure
from linclass_study.report.method_scores import behind_best

MAX_METHODS = 7  # methods: each cell holds three lines
PAIR_CELL = 0.82  # inches


def pairwise(outcome: Outcome) -> ReportFigure:
    """The pairwise matrix: mean difference, wins, ties and losses, and the corrected p of each pair of methods."""
    base = comparison_across(outcome)
    if not base.enough:
        return ReportFigure.nothing(
            "pairs need two methods with scores on all of at least two data sets"
        )
    if few := too_few(base, "Pairs of methods", PAIRED, "pairwise"):
        return ReportFigure.nothing(few)
    pairs = base.pairs
    order = np.argsort(-base.ratings.theta, kind="stable")[:MAX_METHODS]
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
    numbers = {"methods": shown, "difference": D.tolist(), "p_holm": p.tolist()}
    figure = _pairwise_matrix(pairs, order, D, np.where(p < ALPHA, np.sign(side), 0), names)
    return ReportFigure(figure, "Every method against every other", caption, numbers)


def _pairwise_matrix(
    pairs: Pairwise, order: np.ndarray, D: np.ndarray, side: np.ndarray, names: list[str]
) -> Figure:
    """The cells of the methods `order`, coloured by the differences D where the test is significant, to its `side`."""
    k, top = len(order), float(np.nanmax(np.abs(D))) or 1.0
    width, height = PAIR_CELL * k + 1.6, 0.6 * PAIR_CELL * k + 1.1
    figure = style.canvas(width, height)
    axes = figure.add_axes(
        (1.25 / width, 0.06 / height, PAIR_CELL * k / width, 0.6 * PAIR_CELL * k / height)
    )
    for colour, sign in zip(style.COLOURS[:2], (1, -1), strict=True):
        shares = np.where(side == sign, 0.4 + 0.6 * np.abs(D) / top, 0)
        cells = style.tinted(colour, shares)
        axes.imshow(cells, aspect="auto", interpolation="none")
    options: Any = {"ha": "center", "va": "center", "fontsize": 8}
    for (row, i), (column, j) in product(enumerate(order), repeat=2):
        if i != j:
            weight = "bold" if side[row, column] else "normal"
            axes.text(
                column, row, _pair_text(pairs, i, j, D[row, column]), weight=weight, **options
            )
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


def _pair_text(pairs: Pairwise, i: int, j: int, difference: float) -> str:
    """Three lines: mean difference, wins/ties/losses, corrected p-value."""
    counts = f"{pairs.wins[i, j]}/{pairs.ties[i, j]}/{pairs.losses[i, j]}"
    text = f"{difference:+.3f}\n{counts}\np {pairs.adjusted[i, j]:.3f}".replace("p 0.", "p .")
    return text.replace("-", "−").replace("−0.000", "0.000").replace("+0.000", "0.000")


WIDTH = 7.2  # inches of the figure
CELL, WIDEST = 0.2, 0.9  # inches of a cell's height, and of its width at most
MAX_INCHES = 16.0  # inches; beyond, cells are smaller and only some names are written
NUMBERS = 400  # with more cells, no numbers are written
READABLE = 0.36  # minimal width in inches of a cell with a number


def heat(outcome: Outcome) -> ReportFigure:
    """Heat map of all methods on all data sets: distance to the best score, coloured where it is significant."""
    base = all_scores(outcome, shared=True)
    if min(base.table.shape) < 2:
        return ReportFigure.nothing(
            "this figure compares methods over data sets: it needs at least two of each with scores"
        )
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    order = np.argsort(
        np.nanmean(np.where(np.isnan(behind), np.nanmax(behind), behind), axis=0), kind="stable"
    )
    shown = behind[:, order].T  # methods × data sets
    clear = np.zeros(shown.shape, bool)
    for i, name in enumerate(base.datasets):
        worse = behind_best(outcome.parts()[name], name)
        clear[:, i] = [base.methods[j] in worse and worse[base.methods[j]].clear for j in order]
    top = float(np.nanquantile(shown, 0.9)) or 1.0
    words = metric_words(base.metric)
    names = marked(outcome, [base.methods[j] for j in order])
    names = [style.wrapped(name, 40, 1) for name in names]
    figure = _heat_map(shown, clear, top, names, base.datasets, f"{words}\nbehind the best")
    caption = (
        f"How far each method’s mean {words} is behind the best on each data set. A cell is coloured if the method is "
        "significantly worse than the best of the data set: corrected t test over the folds (Nadeau and Bengio), with "
        f"Holm’s correction over the methods, at α = {ALPHA}. Beyond {top:.3f} there is one colour; grey: no score, "
        "because some planned fit failed. Methods are sorted by the mean, a missing score counting as the worst."
        f"{grid_end_note(outcome, base.methods)}"
    )
    numbers = {
        "datasets": base.datasets,
        "behind": {base.methods[j]: behind[:, j].tolist() for j in order},
        "significant": {base.methods[j]: row.tolist() for j, row in zip(order, clear, strict=True)},
    }
    return ReportFigure(figure, "All methods on all data sets", caption, numbers)


def _heat_map(
    shown: np.ndarray,
    clear: np.ndarray,
    top: float,
    names: list[str],
    datasets: list[str],
    label: str,
) -> Figure:
    """Methods × data sets, cells coloured where they are `clear`, with a colour bar up to `top`."""
    k, n = shown.shape
    left, right = 0.2 + 0.062 * max(map(len, names)), 1.0
    tall = min(CELL * k, MAX_INCHES)
    wide = min(max(CELL * n, min(WIDEST * n, WIDTH - left - right)), MAX_INCHES)
    width, height = max(left + wide + right, WIDTH), tall + 1.2
    figure = style.canvas(width, height)
    axes = figure.add_axes((left / width, 0.15 / height, wide / width, tall / height))
    scale = ScalarMappable(Normalize(0, top), colormaps["viridis_r"].with_extremes(bad="#c9ced6"))
    colours = scale.to_rgba(np.ma.masked_invalid(shown))
    colours[~clear & ~np.isnan(shown), 3] = 0
    axes.imshow(colours, aspect="auto", interpolation="nearest")
    if shown.size <= NUMBERS and wide / n >= READABLE:
        _write_numbers(axes, shown, clear, 0.45 * top)
    every = max(1, int(np.ceil(k * 0.11 / tall)))
    axes.set_yticks(range(0, k, every), names[::every], fontsize=min(7.5, 72 * tall / k * 0.8))
    axes.set_xticks(
        range(n), datasets, rotation=60, ha="left", rotation_mode="anchor", fontsize=7.5
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    bar = figure.add_axes(
        ((left + wide + 0.2) / width, 0.15 / height, 0.12 / width, min(tall, 1.8) / height)
    )
    key = figure.colorbar(scale, cax=bar)
    key.ax.tick_params(labelsize=7)
    key.set_label(label, fontsize=7, y=0, ha="left")
    return figure


def _write_numbers(axes: Axes, values: np.ndarray, clear: np.ndarray, dark: float) -> None:
    """Write each value into its cell, in a light colour on coloured cells above `dark`."""
    for (row, column), value in np.ndenumerate(values):
        coloured = clear[row, column] or np.isnan(value)
        ink = ("#fefefe" if value > dark else "#202020") if coloured else style.INK
        text = "–" if np.isnan(value) else f"{value:.3f}".removeprefix("0")
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=ink)
