"""Code matrices M (K, L): column s is a two-class problem, M_ks = +1 or −1 the side of class k, 0: takes no part.

Problems as a code of K words: if any two words differ in d places or more, ⌊(d − 1)/2⌋ wrong answers of a row's L
two-class problems are corrected. The exhaustive code has every split of the classes into two, 2^{K−1} − 1 columns, and
words that differ in 2^{K−2} places. A random code is the best of a hundred draws of as many different splits; if two
words are equal in all of them, a draw of K different words.
Dietterich & Bakiri (1995), JAIR 2; Allwein, Schapire & Singer (2000), JMLR 1
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from linclass.base.arrays import Array
from linclass.base.messages import NotApplicable, counted

DRAWS = 100
MOST_CLASSES = 11  # of the exhaustive code: 1,023 columns


def one_vs_rest(K: int) -> Array:
    return 2.0 * np.eye(K) - 1


def one_vs_one(K: int) -> Array:
    """A column for each pair k < l, in lexicographic order, with l as +1."""
    pairs = list(combinations(range(K), 2))
    code = np.zeros((K, len(pairs)))
    for s, (k, l) in enumerate(pairs):
        code[k, s], code[l, s] = -1, 1
    return code


def exhaustive(K: int) -> Array:
    if K > MOST_CLASSES:
        raise NotApplicable(
            f"the exhaustive code of {K} classes has {2 ** (K - 1) - 1} columns; use code='random'."
        )
    splits = np.arange(1, 2 ** (K - 1))
    bits = (splits >> np.arange(K - 2, -1, -1)[:, None]) & 1  # class 0 is always −1
    return np.vstack([np.zeros(len(splits)), bits]) * 2.0 - 1


def random(K: int, columns: int | None, rng: np.random.Generator) -> Array:
    """`columns` different splits, ⌈10 log₂ K⌉ for None; of few classes all splits if there are no more."""
    L = int(np.ceil(10 * np.log2(K))) if columns is None else columns
    splits = 2 ** (K - 1) - 1
    if K <= MOST_CLASSES and splits <= L:
        return exhaustive(K)
    if splits < L:
        raise NotApplicable(
            f"columns is {L}, and {K} classes have {splits} splits; give fewer, or None."
        )
    if K > 2**L:
        raise NotApplicable(
            f"columns is {L}, and {2**L} words are too few for {K} classes; give at least "
            f"{(K - 1).bit_length()}, or None."
        )
    best = max((_splits(K, L, rng) for _ in range(DRAWS)), key=least_distance)
    return best if least_distance(best) else _words(K, L, rng)


def given(code: Any, K: int) -> Array:
    """A matrix of the user's, checked."""
    try:
        M = np.asarray(code, dtype=float)
    except (TypeError, ValueError):
        M = np.empty(0)
    if M.ndim != 2 or not np.isin(M, (-1, 0, 1)).all():
        raise ValueError(
            f"code is {code!r}; it must be a matrix of −1, 0 and 1, or the name of one."
        )
    if len(M) != K:
        raise NotApplicable(
            f"code has {counted(len(M), 'row')} for {K} classes; give one for each class."
        )
    if bad := np.flatnonzero((M.min(axis=0) > -1) | (M.max(axis=0) < 1)).tolist():
        raise ValueError(f"column {bad[0]} of code lacks 1 or −1; each needs both.")
    if len(np.unique(M, axis=0)) < K:
        raise ValueError("two rows of code are equal; give every class a word of its own.")
    return M


def least_distance(M: Array) -> float:
    """The fewest places in which two words differ; a 0 on either side counts half."""
    first, second = np.triu_indices(len(M), 1)
    return float(((1 - M[first] * M[second]) / 2).sum(axis=1).min())


def _splits(K: int, L: int, rng: np.random.Generator) -> Array:
    columns = np.empty((0, K))
    while len(columns) < L:
        drawn = rng.integers(0, 2, (L, K)) * 2.0 - 1
        drawn *= -drawn[:, :1]  # a split and its complement are one problem
        drawn = drawn[(drawn > 0).any(axis=1)]
        _, first = np.unique(np.vstack([columns, drawn]), axis=0, return_index=True)
        columns = np.vstack([columns, drawn])[np.sort(first)[:L]]
    return columns.T


def _words(K: int, L: int, rng: np.random.Generator) -> Array:
    """K different words whose columns are different splits."""
    while True:
        words = rng.choice(2**L, K, replace=False)
        words ^= words[0]  # class 0 is always −1
        M = ((words[:, None] >> np.arange(L)) & 1) * 2.0 - 1
        if (M.max(axis=0) > 0).all() and len(np.unique(M, axis=1).T) == L:
            return M
