"""Labels at the ends of lines, moved apart if they would overlap, each with a thin leader line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 10.5  # points between labels
SIZE = 7.5  # points of their letters


def end_labels(axes: Axes, ends: Sequence[tuple[float, str, str]], right: bool = True) -> None:
    """Label the lines that end at `ends` (y value, name, colour), beside the axes, whose limits must be set."""
    if not ends:
        return
    box = axes.get_position()
    height = box.height * axes.figure.get_figure(root=True).get_size_inches()[1] * 72  # points
    to_share = axes.transData + axes.transAxes.inverted()
    share = np.array([to_share.transform((axes.get_xlim()[0], y))[1] for y, _, _ in ends])
    places = spread(share * height, LINE, height) / height
    edge, out = (1.0, 1.04) if right else (0.0, -0.04)
    for (_, name, colour), own, place in zip(ends, share, places, strict=True):
        axes.plot(
            [edge, out],
            [own, place],
            color=colour,
            linewidth=0.6,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(
            out + (0.01 if right else -0.01),
            place,
            name,
            color=style.INK,
            fontsize=SIZE,
            va="center",
            ha="left" if right else "right",
            transform=axes.transAxes,
        )


def spread(places: np.ndarray, gap: float, room: float) -> np.ndarray:
    """Nearest positions, in the same order, that are at least `gap` apart (isotonic regression), moved into [0, room]
    as far as they fit."""
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    blocks: list[list[float]] = []  # of sorted positions minus their steps: sum, number
    for place in places[order] - steps:
        blocks.append([place, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    apart = np.concatenate([np.full(int(n), total / n) for total, n in blocks])
    apart = np.clip(apart, 0, max(room - steps[-1], 0)) + steps
    found = np.empty(len(places))
    found[order] = apart
    return found
