"""Corrections of a linear classifier row by row, in blocks of consecutive rows with their Gram matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.blas import daxpy

from linclass.base.arrays import EPS, Array, Matrix, Seed, hashes, scrambled

# A random order of rows that depends on what the rows contain, not on the order in which they are given.
#
# The rows are sorted by a random hash of their features and class, so equal rows are neighbours. A classifier that
# learns from one row after another then gives the same result for a row of weight two and for the row twice,
# wherever the two stand, and for dense and sparse rows.


def random_order(X: Matrix, codes: Array, seed: Seed) -> Array:
    """Indices of the rows in an order drawn by `seed`."""
    rng = np.random.default_rng(seed)
    keys = hashes(X, rng) + hashes(codes[:, None] + 1.0, rng)
    return np.argsort(keys, kind="stable")


def next_order(keys: Array, rng: np.random.Generator) -> Array:
    """Indices of the rows in another order, from their hashes; rows of one hash are neighbours."""
    salt = rng.integers(1 << 63, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.argsort(scrambled(keys * salt), kind="stable")


# Blocks of consecutive rows [x 1] with their Gram matrix K = X Xᵀ.
#
# The scores of a block are computed once, at its start. When row i is corrected by a_i x_i, the scores of the other
# rows of the block change by a_i K_ij, without a product with the features.

BLOCK_ROWS = 64  # a block costs a few calls of NumPy, and K costs BLOCK_ROWS products for each row
SLAB = 64 * BLOCK_ROWS  # rows that are made dense at a time
STORED_BYTES = 12  # bytes of a stored entry and its column
DENSE_SHARE = 0.05  # share of stored entries from which sparse rows are made dense, block by block


class Block:
    """Dense rows."""

    def __init__(self, rows: Any, first: int):
        self.rows = rows  # (b, width)
        self.slice = slice(first, first + rows.shape[0])  # numbers of its rows
        self.response: Any = None  # computed once for all passes by the classifier

    def gram(self) -> Array:
        """K, which its user keeps in the form that it needs."""
        return np.asarray(self.rows @ self.rows.T)

    def scores(self, theta: Array) -> Array:
        """(b,), or (b, K) for theta (width, K)."""
        return np.asarray(self.rows @ theta)

    def row(self, i: int) -> tuple[Any, Array]:
        """(features, values) of a row; all features if dense."""
        return slice(None), self.rows[i]

    def add(self, theta: Array, coefficients: Array) -> None:
        """θ ← θ + Σ_i a_i x_i."""
        theta += self.rows.T @ coefficients


class SparseBlock(Block):
    """Sparse rows: only the features that occur in them are touched."""

    def gram(self) -> Array:
        columns = self._occurring  # times a dense factor, as two sparse ones take longer
        return np.asarray(columns.T @ columns.toarray())

    @cached_property
    def features(self) -> Array:
        return np.flatnonzero(np.bincount(self.rows.indices, minlength=self.rows.shape[1]) > 0)

    @cached_property
    def _occurring(self) -> Matrix:
        """The features that occur in some row, (c, b)."""
        places = np.empty(self.rows.shape[1], dtype=np.int32)
        places[self.features] = np.arange(len(self.features))
        parts = self.rows.data, places[self.rows.indices], self.rows.indptr
        return sparse.csr_array(parts, shape=(self.rows.shape[0], len(self.features))).T

    def row(self, i: int) -> tuple[Any, Array]:
        stored = slice(self.rows.indptr[i], self.rows.indptr[i + 1])
        return self.rows.indices[stored], self.rows.data[stored]

    def add(self, theta: Array, coefficients: Array) -> None:
        changes = np.count_nonzero(coefficients)
        if theta.ndim == 1 or 2 * changes > len(coefficients):
            sums = self._occurring @ coefficients
            theta[self.features] = sums + theta.take(self.features, axis=0)  # faster than +=
            return
        for i, k in zip(*np.nonzero(coefficients), strict=True):  # two classes of some rows
            features, values = self.row(i)
            theta[features, k] += coefficients[i, k] * values


def stays_sparse(X: Matrix) -> bool:
    return sparse.issparse(X) and X.nnz < DENSE_SHARE * X.shape[0] * X.shape[1]


def bytes_of_blocks(X: Matrix, intercept: bool, kept: bool, grams: bool) -> int:
    """Memory that the blocks of these rows take, all of them if they are `kept` and else those of a slab.

    `grams`: each block keeps its Gram matrix or one of its size.
    """
    n, width = X.shape[0], X.shape[1] + intercept
    rows = n if kept else min(n, SLAB)
    if stays_sparse(X):
        # rows with the constant, the rows of blocks, and, if kept, only the features that occur
        copies = 3 if kept else 2
        size = copies * (STORED_BYTES * X.nnz + (STORED_BYTES + 4) * n)
    elif intercept or sparse.issparse(X):
        size = 8 * width * (rows * kept + 3 * min(n, SLAB))  # a slab, its copy, and the one before
    else:
        size = 0
    return size + grams * 8 * rows * BLOCK_ROWS


def blocks_of_rows(X: Matrix, intercept: bool) -> Iterator[Block]:
    """The rows in the order given."""
    n, is_sparse, stays = X.shape[0], sparse.issparse(X), stays_sparse(X)
    if stays and intercept:
        X = sparse.hstack([X, np.ones((n, 1))], format="csr")
    for start in range(0, n, SLAB):
        slab = X[start : start + SLAB]
        if not stays:
            slab = slab.toarray() if is_sparse else np.ascontiguousarray(slab)
            slab = np.hstack([slab, np.ones((len(slab), 1))]) if intercept else slab
        for first in range(0, slab.shape[0], BLOCK_ROWS):
            rows = slab[first : first + BLOCK_ROWS]
            yield (SparseBlock if stays else Block)(rows, start + first)


# Counts of the visits of a pass, or of several.


@dataclass
class Tally:
    visits: float = 0.0
    mistakes: int = 0  # visits to rows of margin at most 0
    mistaken: float = 0.0  # as `mistakes`, but a part of a visit counts as that part, not as 1
    squared_loss: float = 0.0  # Σ max(0, β − m)² over the visits, before their corrections
    least_margin: float = np.inf
    _margins: list[Array] = field(default_factory=list)
    _shares: list[Array] = field(default_factory=list)

    def meet(self, margins: Array, shares: Array) -> None:
        """Margins at some visits, and the share of a whole visit that each is."""
        self._margins.append(margins)
        self._shares.append(shares)

    def close(self, reach: float) -> None:
        """Sum up the margins met."""
        if not self._margins:
            return
        m, shares = np.concatenate(self._margins), np.concatenate(self._shares)
        wrong = shares[m <= 0]
        self.mistakes += int(np.ceil(wrong).sum())
        self.mistaken += float(wrong.sum())
        self.least_margin = min(self.least_margin, float(m.min()))
        with np.errstate(over="ignore"):  # ∞ is a loss
            self.squared_loss += float(shares @ np.maximum(reach - m, 0) ** 2)
        self._margins, self._shares = [], []

    def add(self, later: Tally) -> None:
        self.visits = later.visits
        self.mistakes += later.mistakes
        self.mistaken += later.mistaken
        self.squared_loss += later.squared_loss
        self.least_margin = min(self.least_margin, later.least_margin)


# Visits to the rows of a block in turn, and corrections of those whose margin m is at most β,
#
#     two classes   m = y z             θ ← θ + τ y x
#     K classes     m = z_y − max z_r   θ_y ← θ_y + τ x,  θ_r ← θ_r − τ x,  r the best of the other classes
#
# by τ = min(cap, slope·(β − m)). The second is the first in the space of Kesler's construction, where the row has
# length √2 ‖x‖, so bounds on mistakes hold for K classes, too. A row of weight w is visited w times in succession,
# the last time by the fraction left; one of length 0 once, which counts as all, because further visits change
# nothing.
#
# Margins are plain numbers and `daxpy` adds to those of later rows: 0.2 µs a correction, where NumPy's calls take 2.
# Duda, Hart & Stork (2001), §5.12; Crammer et al. (2006), JMLR 7, §7

LEAST_MOVE = 4 * EPS

# (row, k, size, earlier visits to the row):  θ_k ← θ_k + size·x
Push = tuple[int, int, float, int]


class Rule(NamedTuple):
    """Rows whose margin is at most `reach` are corrected."""

    reach: float  # β
    line: Callable[[Array, Array], tuple[Any, Any]]  # (‖x‖², shares of a visit) ↦ (slope, cap)


class Corrections:
    """The corrections of the rows of a block, in all passes."""

    kesler = 1.0

    def __init__(self, gram: Array, codes: Array, weights: Array, rule: Rule):
        self.squares = self.kesler * gram.diagonal()
        self.least = LEAST_MOVE * rule.reach  # change of a margin
        self.rule, self.codes, first = rule, codes.data, np.minimum(weights, 1)
        self.slopes, self.caps = self._lines(self.squares, first)
        self.shares = np.where(self.squares > 0, first, weights)
        self.weights = np.where(self.squares > 0, weights, 1).data
        self.before, self.visits = np.cumsum(weights) - weights, float(weights.sum())
        self.again: list[Push] = []  # corrections after the first one of a row, in the last pass

    def _lines(self, squares: Array, shares: Array) -> tuple[memoryview, memoryview]:
        slopes, caps = self.rule.line(squares, shares)
        return (slopes + 0 * shares).data, (caps + 0 * shares).data

    def _size_again(self, i: int, margin: float, left: float, tally: Tally) -> float:
        """τ of a further visit to a row."""
        share = np.array([min(left, 1.0)])
        tally.meet(np.array([margin]), share)
        slope, cap = self.slopes[i], self.caps[i]
        if left < 1:
            slopes, caps = self._lines(self.squares[i : i + 1], share)
            slope, cap = slopes[0], caps[0]
        tau = slope * (self.rule.reach - margin)
        return tau if tau < cap else cap


class TwoClasses(Corrections):
    def __init__(self, gram: Array, codes: Array, weights: Array, rule: Rule):
        super().__init__(gram, codes, weights, rule)
        self.y = np.where(codes, 1.0, -1.0)
        self.changes = np.triu(gram * self.y * self.y[:, None], 1).ravel()  # of later margins

    def correct(self, z: Array, tally: Tally) -> Array:
        """The coefficients of the rows in θ, from their scores before the block."""
        m, sizes, n = self.y * z, np.zeros(len(z)), len(z)
        reach, slopes, caps, changes = self.rule.reach, self.slopes, self.caps, self.changes
        weights, self.again = self.weights, []
        for i, margin in enumerate(m.data):  # up to date when its turn comes
            if margin <= reach:
                tau = slopes[i] * (reach - margin)
                if not tau < caps[i]:  # also where ∞ · 0 is no number
                    tau = caps[i]
                if weights[i] > 1:
                    tau += self._visit_again(i, margin, tau, tally)
                sizes[i] = tau
                daxpy(changes, m, n, tau, i * n)
        tally.meet(m, self.shares)
        tally.visits += self.visits
        return self.y * sizes

    def _visit_again(self, i: int, margin: float, tau: float, tally: Tally) -> float:
        """Σ τ of the visits after the first."""
        total, visits, sign = 0.0, 1, float(self.y[i])
        while visits < self.weights[i]:
            margin += tau * float(self.squares[i])  # as a number of NumPy, ∞ · 0 would warn
            if margin > self.rule.reach:
                break
            tau = self._size_again(i, margin, self.weights[i] - visits, tally)
            if tau * float(self.squares[i]) <= self.least:
                break  # nor would further visits change anything but rounding
            self.again.append((i, 0, tau * sign, visits))
            total, visits = total + tau, visits + 1
        return total


class ManyClasses(Corrections):
    kesler = 2.0

    def __init__(self, gram: Array, codes: Array, weights: Array, rule: Rule):
        super().__init__(gram, codes, weights, rule)
        self.gram, self.own = gram.ravel(), (np.arange(len(codes)), codes)

    def correct(self, z: Array, tally: Tally) -> Array:
        """As `Corrections.correct`, but the margin of a row is computed when its turn comes."""
        self.z, self.coefficients, self.again = np.ascontiguousarray(z), np.zeros(z.shape), []
        reach, others = self.rule.reach, z.copy()
        others[self.own] = -np.inf
        m = z[self.own] - others.max(axis=1)
        low = np.flatnonzero(m <= reach)
        for i in range(low[0], len(m)) if len(low) else ():
            margin, rival = self._margin_and_rival(i)
            m[i] = margin
            if margin <= reach:
                tau = self.slopes[i] * (reach - margin)
                if not tau < self.caps[i]:
                    tau = self.caps[i]
                self._correct(i, rival, tau)
                if self.weights[i] > 1:
                    self._visit_again(i, tally)
        tally.meet(m, self.shares)
        tally.visits += self.visits
        return self.coefficients

    def _margin_and_rival(self, i: int) -> tuple[float, int]:
        """z_y − z_r, and the best other class r."""
        z, true = self.z[i], self.codes[i]
        true_score = z.item(true)
        z[true] = -np.inf
        rival = int(z.argmax())
        z[true] = true_score
        return true_score - z.item(rival), rival

    def _correct(self, i: int, rival: int, tau: float) -> None:
        (n, K), true, z = self.z.shape, self.codes[i], self.z.reshape(-1)
        daxpy(self.gram, z, n, tau, i * n, 1, true, K)
        daxpy(self.gram, z, n, -tau, i * n, 1, rival, K)
        self.coefficients[i, true] += tau
        self.coefficients[i, rival] -= tau

    def _visit_again(self, i: int, tally: Tally) -> None:
        visits = 1
        while visits < self.weights[i]:
            margin, rival = self._margin_and_rival(i)
            if margin > self.rule.reach:
                break
            tau = self._size_again(i, margin, self.weights[i] - visits, tally)
            if tau * float(self.squares[i]) <= self.least:
                break
            self._correct(i, rival, tau)
            self.again += [(i, self.codes[i], tau, visits), (i, rival, -tau, visits)]
            visits += 1


PERCEPTRON = Rule(0.0, lambda squares, share: (np.inf, share))


# Visits by the perceptron rule to a row of weight w, all at once: w in succession, but none after it is right.
#
# Each visit adds a = η‖x‖² to the row's score of its own class, and with K classes takes a from that of the best
# rival, so margins after many visits have closed forms. The last of w visits is the fraction left. A row of length 0
# stays as it is, and all its visits are mistakes.


def visits_of_two(margin: float, move: float, weight: float) -> float:
    """Visits of a wrong row of two classes: the least whole number after which it is right, and at most its weight."""
    if weight <= 1 or -margin >= weight * move:
        return weight
    return min(weight, -margin // move + 1)


def visits_of_many(z: Array, true: int, move: float, weight: float) -> Array:
    """Visits of a row of K scores, as changes of the scores in units of a: of its own class all, of rivals −theirs."""
    taken, others = np.zeros(len(z)), z.copy()
    others[true] = -np.inf
    own, others = z[true] - others.max(), others - others.max()  # so that small moves are not lost
    if move > 0:
        taken = np.ceil(np.maximum(others - _level(own, others, move, weight), 0) / move)
    own, left = own + taken.sum() * move, weight - taken.sum()
    others -= taken * move
    for _ in range(len(z) + 1):  # no more are left but for rounding, and in rows of length 0
        rival = int(others.argmax())
        if left <= 0 or own > others[rival]:
            break
        visit = min(left, 1.0) if move > 0 else left
        own, left = own + visit * move, left - visit
        others[rival] -= visit * move
        taken[rival] += visit
    sizes = -taken
    sizes[true] = taken.sum()
    return sizes


def _level(own: float, others: Array, move: float, weight: float) -> float:
    """A level of scores down to which rivals come before the row is right or its visits are used up, whatever their
    order; from there on each rival has at most two.

    In parts of a visit, the p best rivals come down to the row's own score at a level of (own + Σ s)/(p + 1), and to
    (Σ s − weight·a)/p in all visits; whole visits may end one a above.
    """
    sums = np.cumsum(-np.sort(-others)[:-1])
    p = np.arange(1, len(sums) + 1)
    meet, end = (own + sums) / (p + 1), (sums - weight * move) / p
    return float(max(meet.max(), end.max())) + move


class TwoClassesUntilRight(TwoClasses):
    """Two classes; `made` are the visits of the rows, of those that are corrected."""

    def correct(self, z: Array, tally: Tally) -> Array:
        self.made = self.shares.copy()
        return super().correct(z, tally)

    def _visit_again(self, i: int, margin: float, tau: float, tally: Tally) -> float:
        self.made[i] = visits_of_two(margin, tau * float(self.squares[i]), self.weights[i])
        return tau * (float(self.made[i]) - 1)


class ManyClassesUntilRight(ManyClasses):
    """K classes; the same."""

    def correct(self, z: Array, tally: Tally) -> Array:
        self.made = self.shares.copy()
        return super().correct(z, tally)

    def _visit_again(self, i: int, tally: Tally) -> None:
        true, tau = self.codes[i], self.caps[i]
        move = tau * float(self.squares[i]) / self.kesler
        sizes = visits_of_many(self.z[i], true, move, self.weights[i] - 1)
        self.made[i] += sizes[true]
        self.coefficients[i] += tau * sizes
        n, K = self.z.shape
        for k in np.flatnonzero(sizes).tolist():
            daxpy(self.gram, self.z.reshape(-1), n, tau * float(sizes[k]), i * n, 1, k, K)
