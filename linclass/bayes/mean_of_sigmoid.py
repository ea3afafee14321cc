"""The mean of the logistic function over a normal score,  p = ∫ σ(z) N(z; μ, s²) dz.

By the trapezoidal rule, whose error falls exponentially with the number of nodes: at a distance of ½ in z it is far
below rounding, for the poles of σ nearest to the real line are ±iπ. Gauss and Hermite's rule converges only slowly for
s > 5. Beyond s = 100 the logistic distribution counts as a normal one of its variance π²/3, p = Φ(μ/√(s² + π²/3)),
with an error of order s⁻⁴, below 10⁻⁸.   Trefethen & Weideman (2014), SIAM Review 56
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit, log_ndtr, logsumexp

from linclass.base.arrays import Array

WIDE = 100.0
REACH = 9.0  # standard deviations beyond the peaks of φ(u) and of e^z φ(u)
DISTANCE = 0.5  # of nodes in z
CELLS = 2_000_000  # nodes times rows at a time


def log_mean_of_sigmoid(mean: Array, deviation: Array) -> Array:
    """ln p (n,), accurate for every p ≤ ½, that is for mean ≤ 0."""
    found = log_ndtr(mean / np.hypot(deviation, np.pi / np.sqrt(3)))
    octave = np.ceil(np.log2(np.clip(deviation, 2, 2 * WIDE)))  # rows that share their nodes
    octave[deviation > WIDE] = np.inf
    for k in np.unique(octave[np.isfinite(octave)]):
        rows = np.flatnonzero(octave == k)
        s, m = deviation[rows], mean[rows]
        shift = float(np.where(s * s < -m, s, -m / np.maximum(s, 1e-9)).max())
        u = np.arange(-REACH, REACH + shift, DISTANCE / 2**k)
        log_weights = -0.5 * u * u - logsumexp(-0.5 * u * u)
        for part in np.array_split(np.arange(len(rows)), -(-len(rows) * len(u) // CELLS)):
            z = m[part, None] + s[part, None] * u
            found[rows[part]] = logsumexp(log_expit(z) + log_weights, axis=1)
    return np.asarray(found)
