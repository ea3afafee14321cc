"""The same witnesses from a linear program, the reference:

    max Σ t_i   subject to   Z_i d ≥ t_i,  0 ≤ t_i ≤ 1.

d can be scaled up, so at the optimum t_i is 1 if some d has Z_i d > 0 and Z d ≥ 0, else 0. The dual variables of
the inequalities are a λ ≥ 0 with Zᵀλ = 0, λ_i ≥ 1 where t_i = 0 and λ_i = 0 elsewhere.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from linclass.separation.alternative import polished, row_space
from linclass.separation.proofs.signed_rows import SignedRows
from linclass.separation.proofs.witness import Alternative


def by_linear_program(rows: SignedRows) -> Alternative | None:
    """None if the program was not solved."""
    from scipy.optimize import linprog  # slow to import

    n, p = rows.n_rows, rows.width
    Z = sparse.csr_array(rows.take())
    result = linprog(
        np.r_[np.zeros(p), -np.ones(n)],
        A_ub=sparse.hstack([-Z, sparse.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0, 1)] * n,
        method="highs",
    )
    if result.status != 0:
        return None
    separated = result.x[p:] > 0.5
    multipliers = np.where(separated, 0, np.maximum(-result.ineqlin.marginals, 0))
    direction = result.x[:p] if separated.any() else None
    if multipliers.any():
        multipliers = polished(rows, multipliers)
        if direction is not None:  # exactly orthogonal to the touching rows
            V = row_space(rows.take(np.flatnonzero(multipliers)))
            direction = direction - V @ (V.T @ direction)
    return Alternative(direction, multipliers)
