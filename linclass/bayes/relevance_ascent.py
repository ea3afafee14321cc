"""Moves of single precisions, each the one that raises the evidence most, until none raises it by more than `tol`.

There are several maxima. From no columns, single moves may end far below the highest where columns overlap, as those of
a kernel do; from all columns, whose precisions move together until most are infinite, they mostly end higher. Unless
columns are many, these are tried, too (`beginnings`). Of many columns those that stay and the FEW that gain most take
part in a round of moves, at the cost of their number; then s and q of all tell whom the next round needs. A round ends
where its best move gains less than what one of the others promised. Only the last look at all columns counts as the
certificate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linclass.base.arrays import Array
from linclass.bayes.relevance import ROUNDING, FewColumns, Relevance, ascend_together

ALL = 500  # columns up to which all may stay at first
STRONG, WEAK = 0.1, 1e-5  # their ρ: of priors that halve what columns explain, and of nearly none
ROUGH = 1e-3  # gain of a step then, at which single moves take over
FEW = 400  # columns that enter in a round
AFRESH = 50  # moves until all is computed afresh, or half the columns that stay
MANY = 40  # columns that stay, whose precisions move together rather than one by one
PART = 0.1  # of the largest gain, at which moves end
LESS = 0.5  # of a gain, that is progress
LEAST = 0.01  # of the largest gain, for a column to take part
SHARE = 0.5  # of the largest gain of a column that takes no part, at which a round ends


class Summit(NamedTuple):
    """What a search has reached."""

    height: float
    gain: float
    active: Array
    rho: Array

    @classmethod
    def of(cls, search: Relevance) -> Summit:
        gain = float(search.best()[1].max(initial=0.0))
        return cls(search.log_evidence(), gain, search.active.copy(), search.rho.copy())

    def is_above(self, other: Summit) -> bool:
        """Where rounding errors hide which is higher, the one that leaves less to gain."""
        rounding = ROUNDING * abs(other.height)
        same = self.height >= other.height - rounding and self.gain < LESS * other.gain
        return same or self.height > other.height + rounding


def beginnings(n_columns: int) -> tuple[float | None, ...]:
    """The ρ of all columns at first, in each ascent that is worth its time; None if it begins without columns."""
    return (None, STRONG, WEAK) if n_columns <= ALL else (None,)


def ascend(
    search: Relevance, tol: float, most: int, first: float | None = None
) -> tuple[float, int]:
    """Moves until none gains more than `tol`, or `most`; (the largest gain that is left, moves).

    Where rounding errors exceed the gains, it ends with the highest evidence that was computed afresh. With a first
    ρ all columns stay at first.
    """
    if len(search.s) <= 2 * FEW:
        moves = 0 if first is None else _begin(search, first, most)
        moves += _climb(search, tol, most - moves)
        order = np.argsort(search.active)
        search.stay(search.active[order], search.rho[order])
        return float(search.best()[1].max(initial=0.0)), moves
    moves, known = 0, Summit.of(search)
    while known.gain > tol and moves < most and not search.is_noiseless:
        moves += _round(search, search.best()[1], tol, most - moves)
        if not (found := Summit.of(search)).is_above(known):
            search.stay(known.active, known.rho)
            break
        known = found
    return known.gain, moves


def _begin(search: Relevance, rho: float, most: int) -> int:
    """Let all columns stay that can, if that raises the evidence; the number of changes."""
    chosen = np.flatnonzero(search.s > 0)
    if len(chosen) > most or not search.total > 0:
        return 0
    none = Summit.of(search)
    search.stay(chosen, np.full(len(chosen), rho))
    ascend_together(search, ROUGH)
    _let_leave(search)
    if Summit.of(search).is_above(none):
        return len(chosen)
    search.stay(none.active, none.rho)
    return 0


def _let_leave(search: Relevance) -> None:
    """Without the columns whose best precision is infinite."""
    while len(active := search.active):
        stays = np.isfinite(search.best()[0][active])
        if stays.all():
            return
        search.stay(active[stays], search.rho[stays])


def _round(search: Relevance, gain: Array, tol: float, most: int) -> int:
    """Moves of few columns; their number."""
    rest, largest = gain.copy(), float(gain.max())
    rest[search.active] = 0.0
    order = np.argsort(-rest, kind="stable")
    order = order[rest[order] > LEAST * largest]
    chosen = np.sort(np.append(search.active, order[:FEW]))
    least = max(tol, SHARE * float(rest[order[FEW]]) if len(order) > FEW else LEAST * largest)
    few = Relevance(FewColumns(search.columns, chosen), search.dof)
    order = np.argsort(search.active)
    few.stay(np.searchsorted(chosen, search.active[order]), search.rho[order])
    moves = _climb(few, least, most)
    order = np.argsort(few.active)
    search.stay(chosen[few.active[order]], few.rho[order])
    return moves


def _climb(search: Relevance, tol: float, most: int) -> int:
    """Moves, then steps of all that stay together, which single moves of many would only slowly replace."""
    moves, known = 0, Summit.of(search)
    while known.gain > tol and moves < most and not search.is_noiseless:
        least = tol if len(search.active) < MANY else max(tol, PART * known.gain)
        moves += _moves(search, least, most - moves)
        search.afresh()
        if moves < most:
            ascend_together(search, least)
            _let_leave(search)
        if not (found := Summit.of(search)).is_above(known):
            search.stay(known.active, known.rho)
            break
        known = found
    return moves


def _moves(search: Relevance, least: float, most: int) -> int:
    """Of single columns that gain more than `least`; where many stay, their precisions wait for one another."""
    moves, m = 0, len(search.active)
    most = min(most, max(AFRESH, m // 2) if m < MANY else m // 4)
    while moves < most and not search.is_noiseless:
        rho, gain = search.best()
        if moves and m >= MANY:
            gain[search.active[np.isfinite(rho[search.active])]] = 0.0
        j = int(np.argmax(gain))
        if gain[j] <= least:
            break
        search.move(j, float(rho[j]))
        moves += 1
    return moves
