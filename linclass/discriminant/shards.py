"""Cross-validation of rows that are read block by block: a fold is a shard, and a model is fitted to all other shards.

Disjoint folds and the remaining rows form a partition of the rows. The sums of each of its shards are computed in
one pass over the blocks, for all partitions at once, and the training rows of a fold are the other shards, merged.
Only one block and the sums are in memory.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

import numpy as np

from linclass.base.arrays import Array, Matrix
from linclass.discriminant.from_statistics import Model

# indices of folds, and the shard of each row (its fold's position; the last for the rest)
Partition = tuple[list[int], Array]


def partitions(folds: Sequence[Array], n: int) -> list[Partition]:
    """Successive folds, grouped into partitions without a common row."""
    found: list[Partition] = []
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
    model: Model, blocks: Iterable[Matrix], y: Array, folds: Sequence[Array]
) -> list[Model]:
    """Fitted copies of an unfitted model, one for the training rows of each fold.

    `blocks` are matrices of consecutive rows, with the classes y.
    """
    classes = np.unique(y)
    divided = partitions(folds, len(y))
    shards = [[copy.copy(model) for _ in range(len(members) + 1)] for members, _ in divided]
    begin = 0
    for X in blocks:
        some = slice(begin, begin + X.shape[0])
        for own, (_, shard) in zip(shards, divided, strict=True):
            for place in np.unique(shard[some]):
                rows = np.flatnonzero(shard[some] == place)
                own[place].take_in(X[rows], y[some][rows], classes)
        begin += X.shape[0]
    fits = [model] * len(folds)
    for own, (members, _) in zip(shards, divided, strict=True):
        for place, number in enumerate(members):
            others = [s for k, s in enumerate(own) if k != place and hasattr(s, "statistics_")]
            fits[number] = copy.copy(others[0]).merge_all(others[1:])
    return fits
