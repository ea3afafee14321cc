"""k-means of weighted rows:  min Σ_i w_i min_c ‖y_i − c‖² over k centres, by Lloyd's iteration from k-means++ starts.

Starts are drawn from the distribution of the rows, in an order that depends on their content only. So neither the
order of the rows matters, nor that of columns of different skewness, nor whether a row of weight two is given
twice. Rows may be sparse.
Lloyd (1982), IEEE Trans. Inf. Theory 28; Arthur & Vassilvitskii (2007), SODA
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import Array, Matrix, as_dense, squares_of_rows

MAX_STEPS = 100
DIGITS = 9  # of the skewness that do not depend on the order of the rows
TIE_TOLERANCE = 1e-10  # relative difference of sums of squares up to which they count as equal; the first is taken then


def k_means(Y: Matrix, weights: Array, k: int, n_init: int, seed: int) -> Array:
    """The centre (0, 1, …) of each row, by the best of several starts; fewer than k if fewer rows differ."""
    rng = np.random.default_rng(seed)
    first, second, third = (weights @ Y**power / weights.sum() for power in (1, 2, 3))
    skewness = np.round(third - 3 * first * second + 2 * first**3, DIGITS)
    factors = np.empty(len(skewness))
    factors[np.argsort(skewness, kind="stable")] = rng.standard_normal(len(skewness))
    order = np.argsort(Y @ factors, kind="stable")
    lengths = squares_of_rows(Y)
    best, least = np.zeros(len(weights), dtype=int), np.inf
    for _ in range(n_init if k > 1 else 0):
        nearest, squares = _lloyd(
            Y, lengths, weights, _far_apart(Y, lengths, weights, order, k, rng)
        )
        if squares < least * (1 - TIE_TOLERANCE):
            best, least = nearest, squares
    return np.unique(best, return_inverse=True)[1]


def _far_apart(
    Y: Matrix, lengths: Array, weights: Array, order: Array, k: int, rng: np.random.Generator
) -> Array:
    """k-means++: each centre is a row, drawn by its weight times the squared distance to the centres so far."""
    least = TIE_TOLERANCE * (weights @ lengths)
    chosen: list[int] = []
    near = np.ones(len(order))
    for u in rng.random(k):
        sums = np.cumsum((weights * near)[order])
        if chosen and sums[-1] <= least:
            break
        place = np.searchsorted(sums, u * sums[-1])
        chosen.append(order[min(place, len(order) - 1)])
        distance = _distances(Y, lengths, as_dense(Y[chosen[-1:]]))[:, 0]
        near = np.minimum(near, distance) if len(chosen) > 1 else distance
    return as_dense(Y[chosen])


def _lloyd(Y: Matrix, lengths: Array, weights: Array, centres: Array) -> tuple[Array, float]:
    nearest = np.full(len(weights), -1)
    alike = TIE_TOLERANCE * float(weights @ lengths) / weights.sum()
    for _ in range(MAX_STEPS):
        before = nearest
        squares = _distances(Y, lengths, centres)
        nearest = (squares <= squares.min(axis=1, keepdims=True) + alike).argmax(axis=1)
        if np.array_equal(nearest, before):
            break
        member = weights * (np.arange(len(centres))[:, None] == nearest)
        mass = member.sum(axis=1)
        moved = mass > 0
        centres[moved] = (Y.T @ member[moved].T).T / mass[moved, None]
    else:
        squares = _distances(Y, lengths, centres)
    own = np.take_along_axis(squares, nearest[:, None], axis=1)[:, 0]
    return nearest, float(weights @ own)


def _distances(Y: Matrix, lengths: Array, centres: Array) -> Array:
    """‖y − c‖² of rows and centres."""
    products = Y @ centres.T
    return np.maximum(lengths[:, None] - 2 * products + (centres**2).sum(axis=1), 0)
