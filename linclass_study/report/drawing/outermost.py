"""Rows of a figure of many methods: those in the middle are left out, where a dotted line is drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from linclass_study.report.drawing import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def outermost(order: Sequence[int], most: int, *kept: Collection[int]) -> list[int]:
    """At most `most` entries in their order: those `kept`, earlier collections first, then those nearest to an end."""
    last = len(order) - 1

    def urgency(place: int) -> tuple[int, int]:
        tiers = (tier for tier, those in enumerate(kept) if order[place] in those)
        return next(tiers, len(kept)), min(place, last - place)

    return [order[place] for place in sorted(sorted(range(len(order)), key=urgency)[:most])]


def mark_left_out(axes: Axes, order: Sequence[int], shown: Sequence[int]) -> None:
    """A dotted line between neighbouring rows that are not neighbours in the whole order."""
    places = [order.index(j) for j in shown]
    for row, (above, below) in enumerate(pairwise(places)):
        if below - above > 1:
            axes.axhline(row + 0.5, color=style.MUTED, linewidth=0.8, linestyle=":")


def left_out_note(shown: int, total: int) -> str:
    """A sentence for the caption; empty if all are shown."""
    if shown == total:
        return ""
    return f" {shown} of {total} methods are shown; the others belong where a dotted line is."
