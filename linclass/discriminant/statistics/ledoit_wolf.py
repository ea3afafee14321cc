"""The optimal shrinkage of a covariance by Ledoit and Wolf:

    α = β²/δ²,   δ² = ‖S − μI‖²,   β² = min(δ², N⁻² Σ_i w_i ‖r_i r_iᵀ − S‖²),   μ = tr S / d,

with r_i the deviation of row i from the mean of its class and S = Σ w_i r_i r_iᵀ/N. δ² is the distance of S from the
target, β² an estimate of its distance from the truth. All follow from tr S, ‖S‖² and Σ w_i ‖r_i‖⁴, in any unit.
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
"""

import numpy as np

from linclass.discriminant.statistics.deviations import Deviations
from linclass.discriminant.statistics.quartic_moments import QuarticMoments, power_of_two


def share_of_moments(statistics: QuarticMoments) -> float:
    N, S = statistics.mass.sum(), statistics.moments.pooled / statistics.unit**2
    return _share(N, len(S), np.trace(S) / N, (S**2).sum() / N**2, statistics.quartic.sum() / N)


def share_of_rows(R: Deviations) -> float:
    """From fewer rows than features, without a matrix (d, d)."""
    weights = R.roots**2
    G = R.gram / power_of_two(np.sqrt(R.gram.diagonal().max(initial=0))) ** 2
    N, lengths = weights.sum(), G.diagonal() / weights
    square = (G**2).sum() / N**2
    return _share(N, R.shape[1], weights @ lengths / N, square, weights @ lengths**2 / N)


def _share(N: float, d: int, trace: float, square: float, quartic: float) -> float:
    delta = square - trace**2 / d
    beta = min((quartic - square) / N, delta)
    return float(max(beta, 0) / delta) if delta > 0 else 0.0
