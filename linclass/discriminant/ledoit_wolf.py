"""The optimal shrinkage of a covariance by Ledoit and Wolf:

    α = β²/δ²,   δ² = ‖S − μI‖²,   β² = min(δ², N⁻² Σ_i w_i ‖r_i r_iᵀ − S‖²),   μ = tr S / d,

with r_i the deviation of row i from the mean of its class and S = Σ w_i r_i r_iᵀ/N. δ² is the distance of S from the
target, β² an estimate of its distance from the truth. All follow from tr S, ‖S‖² and Σ w_i ‖r_i‖⁴, in any unit.
Ledoit & Wolf (2004), A well-conditioned estimator for large-dimensional covariance matrices
"""

from __future__ import annotations

import numpy as np

from linclass.base.arrays import BLOCK, Array, Matrix, as_dense
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments


def optimal_shrinkage(moments: ClassMoments, X: Matrix, codes: Array, weights: Array) -> float:
    """α for these rows, from their moments in the form 'tied', or 'rows' without a matrix (d, d)."""
    d, N, by_rows = X.shape[1], float(moments.total), moments.form in BY_ROWS
    products = moments.scatter.gram if by_rows else moments.pooled  # RRᵀ or RᵀR, of the same norm
    trace = products.trace()
    # near the deviation of a row: fourth powers of small or large numbers underflow or overflow
    unit = float(2.0 ** np.round(np.log2(np.sqrt(trace / N)))) if trace > 0 else 1.0
    products = products / unit**2
    if by_rows:
        quartic = float((products.diagonal() ** 2 / moments.scatter.roots**2).sum())
    else:
        quartic = 0.0
        for begin in range(0, len(codes), BLOCK):
            some = slice(begin, begin + BLOCK)
            R = (as_dense(X[some]) - moments.mean[codes[some]]) / unit
            quartic += float(weights[some] @ np.einsum("ij,ij->i", R, R) ** 2)
    square = float((products**2).sum()) / N**2
    delta = square - (products.trace() / N) ** 2 / d
    beta = min((quartic / N - square) / N, delta)
    return max(beta, 0.0) / delta if delta > 0 else 0.0
