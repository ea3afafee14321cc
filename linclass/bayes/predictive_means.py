"""Means of the logistic function and the softmax over Gaussian scores, for probabilities averaged over a posterior."""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, log_ndtr, logsumexp, ndtri

from linclass.base.arrays import Array

# The mean of the logistic function over a normal score,  p = ∫ σ(z) N(z; μ, s²) dz.
#
# By the trapezoidal rule, whose error falls exponentially with the number of nodes: at a distance of ½ in z it is far
# below rounding, for the poles of σ nearest to the real line are ±iπ. Gauss and Hermite's rule converges only slowly
# for s > 5. Beyond s = 100 the logistic distribution counts as a normal one of its variance π²/3, p = Φ(μ/√(s² +
# π²/3)), with an error of order s⁻⁴, below 10⁻⁸.   Trefethen & Weideman (2014), SIAM Review 56

WIDE = 100.0
LOGISTIC_REACH = 9.0  # standard deviations beyond the peaks of φ(u) and of e^z φ(u)
LOGISTIC_DISTANCE = 0.5  # of nodes in z
LOGISTIC_CELLS = 2_000_000  # nodes times rows at a time


def log_mean_of_sigmoid(mean: Array, deviation: Array) -> Array:
    """ln p (n,), accurate for every p ≤ ½, that is for mean ≤ 0."""
    found = log_ndtr(mean / np.hypot(deviation, np.pi / np.sqrt(3)))
    octave = np.ceil(np.log2(np.clip(deviation, 2, 2 * WIDE)))  # rows that share their nodes
    octave[deviation > WIDE] = np.inf
    for k in np.unique(octave[np.isfinite(octave)]):
        rows = np.flatnonzero(octave == k)
        s, m = deviation[rows], mean[rows]
        shift = float(np.where(s * s < -m, s, -m / np.maximum(s, 1e-9)).max())
        u = np.arange(-LOGISTIC_REACH, LOGISTIC_REACH + shift, LOGISTIC_DISTANCE / 2**k)
        log_weights = -0.5 * u * u - logsumexp(-0.5 * u * u)
        for part in np.array_split(np.arange(len(rows)), -(-len(rows) * len(u) // LOGISTIC_CELLS)):
            z = m[part, None] + s[part, None] * u
            found[rows[part]] = logsumexp(log_expit(z) + log_weights, axis=1)
    return np.asarray(found)


# The mean of the softmax over normal scores of K classes,  p_k = ∫ softmax_k(z) N(z; μ, S) dz.
#
# With S = V diag(s²) Vᵀ about the mean of the scores, z = μ + V (s u), of at most K − 1 independent standard normal
# u_j, and z spreads by r_j = s_j (max V_j − min V_j) per unit of u_j. The poles of the softmax nearest to the real u_j
# are at ±iπ/r_j, so the trapezoidal rule in every u_j at a distance of 1/r_j has an error of 10⁻⁸. Rows for which it
# would take more than NODES points have the mean over the points of Sobol's net, whose number is doubled until the
# probabilities change by at most CHANGE, or is MOST: their error is up to 10⁻⁴ where scores have deviations of a few
# units, and 10⁻³ for any. The rules are fixed, and treat all classes alike.
# Trefethen & Weideman (2014), SIAM Review 56; Caflisch (1998), Acta Numerica 7

REACH = 7.5  # standard deviations
CLOSE, DISTANCE = 0.8, 1.0  # of nodes, in u and in z, at most
LEVELS = 2  # of r in an octave: rows of a level share their nodes
NOTHING = 1e-5  # r of a direction that changes no probability
NODES = 2**15
FIRST, MOST, CHANGE = 2**11, 2**16, 5e-5  # points of the net
BITS = 30
CELLS = 1_000_000  # points times classes times rows at a time
LARGEST = 1e300


def log_mean_of_softmax(mean: Array, covariance: Array, unit: Array | float = 1.0) -> Array:
    """ln p (n, K) of scores with these means (n, K) and the covariances (n, K, K) times unit² (n, 1)."""
    A = score_directions(covariance, unit)
    spread = np.ptp(A, axis=1)
    level = np.ceil(LEVELS * np.log2(np.clip(spread, 1, 2 * NODES)))
    level[spread <= NOTHING] = -1
    each = np.where(level < 0, 1, 2 * REACH / _distance(level))
    by_product = np.log2(each).sum(axis=1) <= np.log2(NODES)
    found = np.empty(mean.shape)
    for own in np.unique(level[by_product], axis=0):
        rows = np.flatnonzero(by_product & (level == own).all(axis=1))
        found[rows] = _mean_over(mean[rows], A[rows], *_product(own))
    rows = np.flatnonzero(~by_product)
    found[rows] = _by_net(mean[rows], A[rows])
    return found


def score_directions(covariance: Array, unit: Array | float = 1.0) -> Array:
    """A (n, K, K − 1) with covariance·unit² = A Aᵀ about the mean of the scores, the widest first.

    The sign of a direction does not depend on the order of the classes.
    """
    centred = covariance - covariance.mean(axis=1, keepdims=True)
    centred -= centred.mean(axis=2, keepdims=True)
    values, V = np.linalg.eigh(centred)
    V = V[:, :, :0:-1]
    V = V * np.where((V**3).sum(axis=1, keepdims=True) < 0, -1, 1)
    sizes = np.sqrt(np.maximum(values[:, :0:-1], 0))
    return V * np.minimum(sizes * unit, LARGEST)[:, None]


def _distance(level: Array) -> Array:
    return np.minimum(CLOSE, DISTANCE / 2 ** (level / LEVELS))


def _product(level: Array) -> tuple[Array, Array]:
    """Nodes u (K − 1, N) within the reach of 0, and the logarithms of their weights."""
    sides = []
    for own, h in zip(level, _distance(level), strict=True):
        m = 0 if own < 0 else int(REACH / h)
        sides.append(h * np.arange(-m, m + 1))
    U = np.stack([u.ravel() for u in np.meshgrid(*sides, indexing="ij")])
    squares = (U * U).sum(axis=0)
    U, log_weights = U[:, squares <= REACH**2], -0.5 * squares[squares <= REACH**2]
    return U, log_weights - logsumexp(log_weights)


def net(first: int, last: int, dimensions: int) -> Array:
    """Normal points (dimensions, last − first): those of Sobol, whose digits are shifted by a fixed number each."""
    from scipy.stats import qmc  # slow to import

    sequence = qmc.Sobol(dimensions, scramble=False, bits=BITS)
    if first:
        sequence.fast_forward(first)
    digits = (sequence.random(last - first) * 2**BITS).astype(np.int64)
    golden = (np.arange(1, dimensions + 1) * (0.5 * 5**0.5 - 0.5)) % 1
    return np.asarray(ndtri(((digits ^ (golden * 2**BITS).astype(np.int64)) + 0.5) / 2**BITS).T)


def _by_net(mean: Array, A: Array) -> Array:
    found, todo, points = np.empty(mean.shape), np.arange(len(mean)), FIRST
    if not len(mean):
        return found
    found[:] = _mean_over(mean, A, net(0, points, A.shape[2]))
    while len(todo) and points < MOST:
        U = net(points, 2 * points, A.shape[2])
        more = _mean_over(mean[todo], A[todo], U)
        new = np.logaddexp(found[todo], more) - np.log(2)
        changes = np.abs(np.exp(new) - np.exp(found[todo])).max(axis=1) > CHANGE
        found[todo] = new
        todo, points = todo[changes], 2 * points
    return found


def _mean_over(mean: Array, A: Array, U: Array, log_weights: Array | None = None) -> Array:
    """ln Σ_i e^{log_weights_i} softmax(μ + A u_i), by blocks of rows and of points; without weights their mean."""
    (n, K), N = mean.shape, U.shape[1]
    if log_weights is None:
        log_weights = np.full(N, -np.log(N))
    found = np.full((n, K), -np.inf)
    points = min(N, max(CELLS // K, 1))
    rows = max(CELLS // (K * points), 1)
    for i in range(0, n, rows):
        own = slice(i, i + rows)
        for j in range(0, N, points):
            Z = A[own] @ U[:, j : j + points]
            Z += mean[own, :, None]
            Z -= logsumexp(Z, axis=1, keepdims=True)
            Z += log_weights[j : j + points]
            found[own] = np.logaddexp(found[own], logsumexp(Z, axis=2))
    return found
