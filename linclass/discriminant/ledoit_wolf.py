"""The optimal shrinkage of a covariance by Ledoit and Wolf:

    α = β²/δ²,   δ² = ‖S − μI‖²,   β² = min(δ², N⁻² Σ_i w_i ‖r_i r_iᵀ − S‖²),   μ = tr S / d,

with r_i the deviation of row i from the mean of its class and S = Σ w_i r_i r_iᵀ/N. δ² is the distance of S from the
target, β² an estimate of its distance from the truth. All follow from tr S, ‖S‖² and Σ w_i ‖r_i‖⁴, in any unit, so the
sums over rows are moments up to the fourth (`QuarticMoments`).
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import Array, Matrix
from linclass.base.messages import NotApplicable
from linclass.discriminant.class_moments import MIN_REMAINDER, ClassMoments, placed
from linclass.discriminant.fold_sums import StackOfOne
from linclass.discriminant.row_spreads import Deviations

BLOCK = 2048  # rows


def shrinkage_of_moments(statistics: QuarticMoments) -> float:
    N, S = statistics.mass.sum(), statistics.moments.pooled / statistics.unit**2
    return _shrinkage(N, len(S), np.trace(S) / N, (S**2).sum() / N**2, statistics.quartic.sum() / N)


def shrinkage_of_rows(R: Deviations) -> float:
    """From fewer rows than features, without a matrix (d, d)."""
    weights = R.roots**2
    G = R.gram / power_of_two(np.sqrt(R.gram.diagonal().max(initial=0))) ** 2
    N, lengths = weights.sum(), G.diagonal() / weights
    square = (G**2).sum() / N**2
    return _shrinkage(N, R.shape[1], weights @ lengths / N, square, weights @ lengths**2 / N)


def _shrinkage(N: float, d: int, trace: float, square: float, quartic: float) -> float:
    delta = square - trace**2 / d
    beta = min((quartic - square) / N, delta)
    return float(max(beta, 0) / delta) if delta > 0 else 0.0


@dataclass(frozen=True, eq=False)
class QuarticMoments:
    """n_k, m_k, S_k and, with d = x − m_k,  c_k = Σ w ‖d‖² d  and  q_k = Σ w ‖d‖⁴.

    About a centre moved by δ they become
        c − tr S δ − 2 S δ − n ‖δ‖² δ   and   q + 4 δᵀSδ − 4 δᵀc + 2 ‖δ‖² tr S + n ‖δ‖⁴,
    so they can be added and subtracted. They are kept in a unit near the standard deviation, a power of two, because
    fourth powers of small or large numbers underflow or overflow.
    """

    moments: ClassMoments  # in full
    cubic: Array  # (K, d), of d/unit
    quartic: Array  # (K,), of d/unit
    unit: float

    @classmethod
    def of(cls, X: Matrix, codes: Array, weights: Array, K: int) -> QuarticMoments:
        moments = ClassMoments.of(X, codes, weights, K, "full")
        cubic, quartic = np.zeros_like(moments.mean), np.zeros(K)
        unit = power_of_two(np.sqrt(np.trace(moments.pooled) / weights.sum()))
        for begin in range(0, len(codes), BLOCK):
            some = slice(begin, begin + BLOCK)
            D = X[some].toarray() if sp.issparse(X) else X[some]
            D = (D - moments.mean[codes[some]]) / unit
            lengths = np.einsum("ij,ij->i", D, D)
            belongs = np.zeros((K, len(D)))
            belongs[codes[some], np.arange(len(D))] = weights[some]
            cubic += (belongs * lengths) @ D
            quartic += belongs @ lengths**2
        return cls(moments, cubic, quartic, unit)

    def of_part(self, X: Matrix, codes: Array, weights: Array) -> QuarticMoments:
        return self.of(X, codes, weights, len(self.mass))

    def __add__(self, other: QuarticMoments) -> QuarticMoments:
        return self._combined(other, self.moments + other.moments, 1)

    def __sub__(self, part: QuarticMoments) -> QuarticMoments:
        return self._combined(part, self.moments - part.moments, -1)

    def lost(self, before: QuarticMoments) -> bool:
        """Whether too little is left of what was there `before`."""
        left, was = self.quartic.sum() * (self.unit / before.unit) ** 4, before.quartic.sum()
        return bool(left <= MIN_REMAINDER * was or self.moments.lost(before.moments).any())

    def of_classes(self, kept: Array) -> QuarticMoments:
        moments = self.moments.of_classes(kept)
        return QuarticMoments(moments, self.cubic[kept], self.quartic[kept], self.unit)

    def among(self, places: Array, K: int) -> QuarticMoments:
        cubic, quartic = (placed(values, places, K) for values in (self.cubic, self.quartic))
        return QuarticMoments(self.moments.among(places, K), cubic, quartic, self.unit)

    def scaled(self, shift: Array, scale: Array) -> QuarticMoments:
        raise NotApplicable("‖x‖⁴ in other units does not follow from ‖x‖⁴; fit the scaled rows.")

    def times(self, factor: float) -> QuarticMoments:
        moments = self.moments.times(factor)
        return QuarticMoments(moments, self.cubic * factor, self.quartic * factor, self.unit)

    def stacked(self) -> StackOfOne:
        return StackOfOne(self)

    @property
    def mass(self) -> Array:
        return self.moments.mass

    def _combined(self, other: QuarticMoments, result: ClassMoments, sign: int) -> QuarticMoments:
        there, unit = result.mass > 0, max(self.unit, other.unit)
        c1, q1 = self._seen_from(result.mean, unit)
        c2, q2 = other._seen_from(result.mean, unit)
        cubic = np.where(there[:, None], c1 + sign * c2, 0)
        return QuarticMoments(result, cubic, np.where(there, q1 + sign * q2, 0), unit)

    def _seen_from(self, centre: Array, unit: float) -> tuple[Array, Array]:
        n, S, ratio = self.mass, self.moments.scatter / unit**2, self.unit / unit
        step = np.where(n[:, None] > 0, (centre - self.moments.mean) / unit, 0)
        trace, squared = np.trace(S, axis1=1, axis2=2), (step**2).sum(axis=1)
        pulled = (S @ step[..., None])[..., 0]
        own_cubic, own_quartic = self.cubic * ratio**3, self.quartic * ratio**4
        cubic = own_cubic - (trace + n * squared)[:, None] * step - 2 * pulled
        quartic = own_quartic + (4 * step * (pulled - own_cubic)).sum(axis=1)
        return cubic, quartic + (2 * trace + n * squared) * squared


def power_of_two(size: float) -> float:
    """A power of two near this size, which may be 0; dividing by it is exact."""
    return float(2.0 ** np.round(np.log2(size))) if size > 0 else 1.0
