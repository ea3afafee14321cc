"""Matrices of all pairs of methods, and of all methods on all data sets."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure

from linclass.base.messages import counted
from linclass.evaluation.comparisons.pairs import Pairwise
from linclass_study.analysis.across_datasets import PAIRED, all_scores, comparison_across
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import not_ranked_note, too_few, unattainable
from linclass_study.analysis.tuned_values import grid_end_note, marked_labels
from linclass_study.analysis.within_dataset import ALPHA
from linclass_study.analysis.wording import metric_words
from linclass_study.report.drawing import style
from linclass_study.report.figure_files import ReportFigure
from linclass_study.report.method_scores import behind_best

MAX_METHODS = 7  # methods: each cell holds three lines
# inches: greatest and least width of a cell, and its height
PAIR_CELL, PAIR_WIDTH, PAIR_HEIGHT = 0.82, 0.5, 0.49


def pairwise(outcome: Outcome) -> ReportFigure:
    """The pairwise matrix: mean difference, wins, ties and losses, and the corrected p of each pair of methods."""
    base = comparison_across(outcome)
    if few := too_few(base, "pairs", "Pairs of methods", PAIRED, "pairwise"):
        return ReportFigure.nothing(few)
    pairs = base.pairs
    left = max(0.8, min(1.25, 0.2 * style.width()))  # inches of the names beside the matrix
    most = min(MAX_METHODS, int((style.width() - left) / PAIR_WIDTH))
    order = np.argsort(-base.ratings.theta, kind="stable")[:most]
    k, n = len(order), len(base.datasets)
    every = len(base.methods) * (len(base.methods) - 1) // 2
    shown = [base.methods[j] for j in order]
    names = marked_labels(outcome, shown)
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
        f"correction over all {counted(every, 'pair')}. Bold and coloured where that is below {ALPHA}, with an arrow "
        "to the better one (blue and ←: the row; orange and ↑: the column) by the sums of ranks, which count how "
        "often more than by how much; tables/pairwise.csv has these sums (rank_biserial) and p without the correction."
        f"{not_ranked_note(base, outcome.labels.methods)}{more}{grid_end_note(outcome, shown)}"
    )
    if never := unattainable(n, every, "no pair of methods"):
        caption += f" {never}"
    numbers = {"methods": shown, "difference": D.tolist(), "p_holm": p.tolist()}
    side = np.where(p < ALPHA, np.sign(side), 0)
    figure = _pairwise_matrix(pairs, order, D, side, names, left)
    return ReportFigure(figure, "Every method against every other", caption, numbers)


def _pairwise_matrix(
    pairs: Pairwise,
    order: np.ndarray,
    D: np.ndarray,
    side: np.ndarray,
    names: list[str],
    left: float,
) -> Figure:
    """The cells of the methods `order`, coloured by the differences D where the test is significant, to its `side`."""
    k, top = len(order), float(np.nanmax(np.abs(D))) or 1.0
    cell = min(PAIR_CELL, (style.width() - left - 0.05) / k)
    note = "row against column:\nmean difference\nwon/tied/lost\np, corrected"
    words = [word for name in names for word in re.split("(?<=[_ -])", name)]
    turned = style.widest(words, style.TINY) > cell - 0.06
    lines, room = (1, 1.2) if turned else (3, cell - 0.06)
    above = [style.fitted(name, room, style.TINY, lines) for name in names]
    wide = max(left + cell * k + 0.05, style.text_width(note, style.TINY) + 0.1)
    most = max(name.count("\n") + 1 for name in above)
    tall = style.widest(above, style.TINY) if turned else 0.12 * most
    has_room = style.text_width(note, style.TINY) + 0.12 < left  # beside the names, else above
    head = max(0.6, tall + 0.2) if has_room else tall + 0.66
    height = PAIR_HEIGHT * k + head
    figure = style.canvas(wide, height)
    axes = figure.add_axes((left / wide, 0.06 / height, cell * k / wide, PAIR_HEIGHT * k / height))
    for colour, sign in zip(style.COLOURS[:2], (1, -1), strict=True):
        shares = np.where(side == sign, 0.4 + 0.6 * np.abs(D) / top, 0)
        cells = style.tinted(colour, shares)
        axes.imshow(cells, aspect="auto", interpolation="none")
    size = 8 if cell > 0.65 else style.TINY
    options: Any = {"ha": "center", "va": "center", "fontsize": size, "linespacing": 1.05}
    for (row, i), (column, j) in product(enumerate(order), repeat=2):
        if i != j:
            better = side[row, column]
            text = _pair_text(pairs, i, j) + {1: "\u2009←", -1: "\u2009↑"}.get(better, "")
            axes.text(column, row, text, weight="bold" if better else "normal", **options)
    axes.xaxis.tick_top()
    beside = [style.fitted(name, left - 0.1, style.TINY, 3) for name in names]
    axes.set_xticks(range(k), above, fontsize=style.TINY, rotation=90 * turned)
    axes.set_yticks(range(k), beside, fontsize=style.TINY)
    axes.tick_params(length=0)
    look: Any = {"fontsize": style.TINY, "color": style.MUTED}
    figure.text(0.06 / wide, 1 - 0.06 / height, note, va="top", **look)
    axes.spines[:].set_visible(False)
    return figure


def _pair_text(pairs: Pairwise, i: int, j: int) -> str:
    """Three lines: mean difference, wins/ties/losses, corrected p-value."""
    counts = f"{pairs.wins[i, j]}/{pairs.ties[i, j]}/{pairs.losses[i, j]}"
    text = f"{pairs.difference[i, j]:+.3f}\n{counts}\np {pairs.adjusted[i, j]:.3f}"
    text = text.replace("p 0.", "p .").replace("-", "−")
    return text.replace("−0.000", "0.000").replace("+0.000", "0.000")


ROW, WIDEST = 0.2, 0.9  # inches of a row, and of a cell's width at most
MAX_INCHES = 16.0  # of all rows; of more, only some names are written, as of many columns
LETTERS = 0.13  # inches of a name
NUMBERS = 400  # with more cells, no numbers are written
READABLE = 0.32  # minimal width in inches of a cell with a number


def heat(outcome: Outcome) -> ReportFigure:
    """Heat map of all methods on all data sets: distance to the best score, coloured where it is significant."""
    base = all_scores(outcome, shared=True)
    if min(base.table.shape) < 2:
        why = "it needs at least two of each with scores"
        return ReportFigure.nothing(f"this figure compares methods over data sets: {why}")
    behind = np.nanmax(base.table, axis=1, keepdims=True) - base.table
    filled = np.where(np.isnan(behind), np.nanmax(behind), behind)
    order = np.argsort(filled.mean(axis=0), kind="stable")
    shown = behind[:, order].T  # methods × data sets
    clear = np.zeros(shown.shape, bool)
    for i, name in enumerate(base.datasets):
        worse = behind_best(outcome.parts()[name], name)
        clear[:, i] = [base.methods[j] in worse and worse[base.methods[j]].clear for j in order]
    top = float(np.nanquantile(shown, 0.9)) or 1.0
    words = metric_words(outcome.metric)
    names = marked_labels(outcome, [base.methods[j] for j in order])
    columns = [outcome.labels.datasets[name] for name in base.datasets]
    drawn = (shown, clear, names, columns)
    if len(columns) > len(names):  # the page is higher than wide
        drawn = (shown.T, clear.T, columns, names)
    figure = _heat_map(*drawn, top, f"{words} behind\nthe best, if significant")
    caption = (
        f"How far each method’s mean {words} is behind the best on each data set. A cell is coloured if the method is "
        "significantly worse than the best of the data set: corrected t test over the folds (Nadeau and Bengio), with "
        f"Holm’s correction over the methods, at α = {ALPHA}. Beyond {top:.3f} there is one colour; grey with a cross: "
        "no score, because some planned fit failed. Methods are sorted by the mean, a missing score counting as the "
        f"worst.{grid_end_note(outcome, base.methods)}"
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
    rows: list[str],
    columns: list[str],
    top: float,
    label: str,
) -> Figure:
    """Cells coloured where they are `clear`, with names of rows and columns and a colour bar up to `top`."""
    (k, n), width, right = shown.shape, style.width(), 1.0
    rows = [style.fitted(name, 0.36 * width, style.SMALL) for name in rows]
    columns = [style.fitted(name, 1.3, style.SMALL) for name in columns]
    left = 0.15 + style.widest(rows, style.SMALL)
    tall, wide = min(ROW * k, MAX_INCHES), min(WIDEST * n, width - left - right)
    above = 0.2 + 0.87 * style.widest(columns, style.SMALL)
    height = tall + above + 0.15
    figure = style.canvas(width, height)
    axes = figure.add_axes((left / width, 0.15 / height, wide / width, tall / height))
    colours = ListedColormap(colormaps["viridis_r"](np.linspace(0.15, 1, 256)))
    scale = ScalarMappable(Normalize(0, top), colours.with_extremes(bad="#c9ced6"))
    cells = scale.to_rgba(np.ma.masked_invalid(shown))
    cells[~clear & ~np.isnan(shown), 3] = 0
    axes.imshow(cells, aspect="auto", interpolation="nearest")
    lost = np.argwhere(np.isnan(shown))
    size = min(4.0, 36 * min(wide / n, tall / k))
    axes.plot(*lost.T[::-1], "x", color="#202020", markersize=size, markeredgewidth=0.7)
    if shown.size <= NUMBERS and wide / n >= READABLE:
        _write_numbers(axes, shown, clear, 0.45 * top)
    every = max(1, int(np.ceil(LETTERS * k / tall)))
    axes.set_yticks(range(0, k, every), rows[::every], fontsize=style.SMALL)
    every = max(1, int(np.ceil(LETTERS * n / wide)))
    oblique: Any = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(0, n, every), columns[::every], fontsize=style.SMALL, **oblique)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    start, tall = left + wide + 0.2, min(tall, 1.8)
    bar = figure.add_axes((start / width, 0.15 / height, 0.1 / width, tall / height))
    colour_key = figure.colorbar(scale, cax=bar)
    colour_key.ax.tick_params(labelsize=style.TINY)
    colour_key.set_label(label, fontsize=style.TINY, y=0, ha="left", labelpad=8)
    return figure


def _write_numbers(axes: Axes, values: np.ndarray, clear: np.ndarray, dark: float) -> None:
    """Write each value into its cell, in a light colour on coloured cells above `dark`."""
    for (row, column), value in np.ndenumerate(values):
        ink = ("#fefefe" if value > dark else "#202020") if clear[row, column] else style.INK
        if not np.isnan(value):
            text = f"{value:.3f}".removeprefix("0")
            axes.text(column, row, text, ha="center", va="center", fontsize=style.TINY, color=ink)
