"""Folds of rows that come block by block: each fold is a shard, and a model learns of all shards but one.

Folds that are disjoint, and the rows that they leave, are a dealing; the sums of each of its shards
are gathered in one pass over the blocks, for all dealings at once, and the training rows of a fold
are the other shards, merged. In memory are one block and the sums.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from linclass.statistics.from_statistics import FromStatistics

Array = np.ndarray
Dealing = tuple[
    list[int], Array
]  # numbers of folds, and the shard of each row (its place, or the rest)


def dealings(folds: Sequence[Array], n: int) -> list[Dealing]:
    """Runs of folds without a row in common."""
    found: list[Dealing] = []
    for number, rows in enumerate(folds):
        if not found or (found[-1][1][rows] >= 0).any():
            found.append(([], np.full(n, -1, np.int32)))
        members, shard = found[-1]
        shard[rows] = len(members)
        members.append(number)
    for members, shard in found:
        shard[shard < 0] = len(members)
    return found


def fit_without_each(
    model: FromStatistics, blocks: Iterable[Any], y: Array, folds: Sequence[Array]
) -> list[Any]:
    """Models, like this unfitted one, of all rows but those of each fold.

    `blocks` are matrices whose rows y names in turn.
    """
    classes = np.unique(y)
    dealt = dealings(folds, len(y))
    shards = [[copy.copy(model) for _ in range(len(members) + 1)] for members, _ in dealt]
    begin = 0
    for X in blocks:
        some = slice(begin, begin + X.shape[0])
        for own, (_, shard) in zip(shards, dealt, strict=True):
            for place in np.unique(shard[some]):
                rows = np.flatnonzero(shard[some] == place)
                own[place].take_in(X[rows], y[some][rows], classes)
        begin += X.shape[0]
    fits: list[Any] = [None] * len(folds)
    for own, (members, _) in zip(shards, dealt, strict=True):
        for place, number in enumerate(members):
            others = [s for k, s in enumerate(own) if k != place and hasattr(s, "statistics_")]
            fits[number] = copy.copy(others[0]).merge_all(others[1:])
    return fits
