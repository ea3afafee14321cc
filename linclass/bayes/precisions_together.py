"""Newton's method for the precisions of all columns that stay, of which single moves would take thousands where columns
depend on each other:

    ∂ln p/∂ln ρ_i = ½(1 − ρ_i Σ_ii − γ_i),   γ_i = β ρ_i μ_i².

A step is taken if the evidence rises.   MacKay (1992), Neural Computation 4; Tipping (2001), JMLR 1
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve

from linclass.base.arrays import Array
from linclass.bayes.relevance import NOISELESS, Relevance

TOGETHER = 20  # steps at most
LARGEST = 2.0  # change of ln ρ in a step
DAMPED = (0.0, 0.03, 0.1, 0.3)  # parts of the diagonal
ROUNDING = 1e-14  # of the evidence


def ascend_together(search: Relevance, tol: float) -> None:
    """Steps for the ln ρ of the columns that stay, as long as the evidence rises by more than `tol`."""
    best = search.log_evidence()
    for _ in range(TOGETHER if len(search.active) else 0):
        if search.is_noiseless:
            break
        step = joint_step(search)
        for share in (1.0, 0.25, 0.0625):
            rho = search.rho * np.exp(share * step)
            if (height := _height(search, rho)) > best + max(tol, ROUNDING * abs(best)):
                break
        else:
            break
        search.rho, best = rho, height
        search.posterior()
    search.afresh()


def joint_step(search: Relevance) -> Array:
    """Of ln ρ, at most LARGEST; where the evidence is not concave, shortened by a part of the Hessian's diagonal."""
    sigma, mu, rho, freedom = search.sigma, search.mu, search.rho, search.freedom
    scale = 1.0 if freedom is None else freedom / search.error
    known, told = rho * sigma.diagonal(), scale * rho * mu**2
    largest = np.diag(known + told)
    bend = largest - rho[:, None] * rho * sigma * (sigma + 2 * scale * np.outer(mu, mu))
    if freedom is not None:
        bend -= np.outer(told, told) / freedom
    step = (1 - known - told) / (known + told)
    for part in DAMPED:
        try:
            step = cho_solve(cho_factor(bend + part * largest), 1 - known - told)
            break
        except LinAlgError:
            continue
    return np.asarray(step * (LARGEST / max(LARGEST, float(np.abs(step).max()))))


def _height(search: Relevance, rho: Array) -> float:
    """The log evidence with these precisions of the columns that stay, −∞ where rounding errors exceed it."""
    try:
        factor = cho_factor(search.gram[:, search.active] + np.diag(rho), lower=True)
    except LinAlgError:
        return -np.inf
    pull = search.pull[search.active]
    error = search.total - float(pull @ cho_solve(factor, pull))
    if not error > NOISELESS * search.total:
        return -np.inf
    spread = np.log(rho).sum() - 2 * np.log(factor[0].diagonal()).sum()
    return float(0.5 * spread + search.fit(error))
