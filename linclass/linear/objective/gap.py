"""The duality gap and what it is relative to, for one problem or for an array of B problems.

By Fenchel duality  P(θ) − min P ≤ P(θ) − D(s),   D(s) = −Σ w_i ℓ*(s_i) − strength·penalty*(U),   U = −Xᵀ(w s)/strength,
for any slopes s with Σ w s x_j = 0 for all columns without a penalty, of which the intercept is one. At the minimum
the slopes of the point are such an s. The same number, without a difference of large ones, is the sum of what is left
of two inequalities of Fenchel and Young, which for the L2 penalty is known from the gradient r that is left:

    P − D = Σ w_i (ℓ(z_i) + ℓ*(s_i) − s_i z_i) + ½ Σ_j r_j²/λ_j,   r = Xᵀ(w s) + λ W.

A gap is relative to P, or, if the fit is perfect up to rounding (P = 0), to the rounding error of P at scores of 0.
Boyd & Vandenberghe (2004), §5.5; Rockafellar (1970), theorem 31.1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linclass.base.arrays import Array

TINY = np.finfo(float).tiny
ROUNDING = np.finfo(float).eps


def gap_of(value: Any, conjugates: Any, penalty_conjugate: Any) -> Any:
    """P − D, from P, Σ w ℓ*(s) and strength·penalty*(U)."""
    return np.maximum(value + conjugates + penalty_conjugate, 0.0)


def gap_of_parts(fenchel_young: Any, penalty_part: Any) -> Any:
    """P − D, from Σ w (ℓ + ℓ* − s z), which is 0 for the slopes of the point, and from the penalty's part."""
    return np.maximum(fenchel_young, 0.0) + penalty_part


def l2_part(left: Array, strengths: Any) -> Any:
    """½ Σ_j r_j²/λ_j over the last axis, for the gradient r that is left."""
    return 0.5 * (left * left / strengths).sum(axis=-1)


def relative(gap: Any, value: Any, value_at_zero: Any) -> Any:
    """A gap as a share of P."""
    return gap / np.maximum(np.maximum(abs(value), ROUNDING * value_at_zero), TINY)
