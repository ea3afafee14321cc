"""A Gaussian posterior of the weights (Laplace): the minimum of the penalized loss and its inverse Hessian there.

Its integral is the evidence, with A the Hessian of −ln p(θ, data), D weights and M parameters,

    ln p(data | α) ≈ ln p(data | θ) + ½ D ln α − ½ α‖W‖² + ½ (M − D) ln 2π − ½ ln det A.   Bishop (2006), (4.137)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from scipy.optimize import brentq

from linclass.base.arrays import SMALLEST, Array, Matrix, diagonal
from linclass.base.messages import require_memory
from linclass.discriminant.row_spreads import Deviations
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.newton import Newton, inverse_hessian
from linclass.linear.solvers.newton_cg import NewtonCg


class WeightsPosterior:
    """Base class of both forms of the posterior, which set the attributes, `covariance` A⁻¹ and `log_evidence`."""

    objective: Objective
    total: float  # Σω, the number of rows where weights count them
    solution: Solution
    n_effective: float  # γ = Σ_j (1 − α (A⁻¹)_jj) over the weights

    @property
    def alpha(self) -> float:
        return self.objective.strength * self.total

    @property
    def excess(self) -> float:
        """ln γ − ln α‖W‖², which is 0 where the evidence is largest."""
        W = self.objective.weight_part(self.solution.theta)
        size = max(self.alpha * float(np.vdot(W, W)), SMALLEST)
        return float(np.log(self.n_effective / size))


class LaplacePosterior(WeightsPosterior):
    """The posterior from the Hessian itself."""

    def __init__(self, objective: Objective, total: float, solution: Solution):
        self.objective, self.total, self.solution = objective, total, solution
        point = objective.at_with_hessian(solution.theta)
        one = np.eye(objective.n_parameters)
        inverse = inverse_hessian(objective, point.hessian).times(one) / total
        self.covariance = 0.5 * (inverse + inverse.T)
        variances = objective.weight_part(self.covariance.diagonal().reshape(objective.shape))
        self.n_effective = max(float(variances.size - self.alpha * variances.sum()), SMALLEST)

    def log_evidence(self) -> float:
        """Intercepts have the density 1; of K of them their contrasts count, as a shift of all changes no
        probability.
        """
        P, C = self.objective, self.covariance
        weights = P.weight_part(np.arange(P.n_parameters).reshape(P.shape))
        D, free = weights.size, P.n_parameters - weights.size
        log_det = float(np.linalg.slogdet(C)[1])
        if P.loss.shift_invariant and free:
            shift = np.setdiff1d(np.arange(P.n_parameters), weights)
            # 0 by rounding if a class weighs hardly anything
            mean = C[np.ix_(shift, shift)].sum() / free
            log_det -= float(np.log(max(mean, SMALLEST)))
            free -= 1
        log_prior = 0.5 * D * np.log(self.alpha) + 0.5 * free * np.log(2 * np.pi)
        return float(log_prior + 0.5 * log_det - self.total * self.solution.objective)


# The standard deviations of the scores  z_k = x·θ_k  of rows, if the posterior of all θ is N(·, C).
#
# Rows are in units in which no square overflows. Of K > 1 scores these are those relative to their mean, as a shift of
# all of them changes no probability.

MAX_MAGNITUDE = 1e100  # the squares are still finite


def score_deviations(rows: Array, covariance: Array, largest: float) -> Array:
    """√(xᵀ C_kk x) (n, K) of rows (n, p), for the covariance (K p, K p), at most `largest`."""
    unit, (_, p) = row_units(rows), rows.shape
    rows, K = rows / unit, len(covariance) // p
    blocks = covariance.reshape(K, p, K, p)
    if K > 1:
        centring = np.eye(K) - 1 / K
        blocks = np.einsum("ka,aibj,bl->kilj", centring, blocks, centring, optimize=True)
    parts = [((rows @ blocks[k, :, k]) * rows).sum(axis=1) for k in range(K)]
    with np.errstate(over="ignore"):
        return np.minimum(unit * np.sqrt(np.maximum(np.column_stack(parts), 0)), largest)


def row_units(X: Matrix) -> Array:
    """Units of rows (n, 1) in which no square overflows."""
    largest = abs(X).max(axis=1)
    if sparse.issparse(X):
        largest = largest.toarray()
    return np.maximum(largest.reshape(-1, 1) / MAX_MAGNITUDE, 1.0)


# Laplace's posterior of one score for more features than rows, by products of the rows.
#
# With the curvatures D of the rows, K = √D XXᵀ√D + αI (n, n), r = √D 1 and q = K⁻¹r the lemma of Woodbury gives for the
# Hessian A of weights and intercept
#
#     ln det A = (d − n) ln α + ln det K + ln α rᵀq,   γ = n − α tr K⁻¹ − 1 + α qᵀq/rᵀq,
#     xᵀA⁻¹x = (‖x‖² − ‖K^{−½}√D Xx‖²)/α + (1 − qᵀ√D Xx)²/(α rᵀq);
#
# without an intercept the terms with q are left out.

MODE_TOL = 1e-12  # tolerance of the mode: the strength is chosen by the size of its weights


class RowPosterior(WeightsPosterior):
    """The posterior at the minimum of an objective, from the Gram matrix of its rows."""

    def __init__(self, objective: Objective, total: float, solution: Solution, rows: Deviations):
        self.objective, self.total, self.solution, self.rows = objective, total, solution, rows
        point = objective.at(solution.theta)
        self.roots = np.sqrt(total * objective.weights * point.curvatures)
        K = rows.gram * self.roots
        K *= self.roots[:, None]
        diagonal(K)[...] += self.alpha
        self.L, _ = lapack.dpotrf(K.T, lower=1, overwrite_a=1, clean=1)
        self.intercept = objective.design.intercept
        self.q = lapack.dpotrs(self.L, self.roots, lower=1)[0]
        self.schur = float(self.roots @ self.q)  # rᵀq, the Schur complement of the intercept
        inverse, _ = lapack.dtrtri(self.L, lower=1)
        inverse = inverse.T  # contiguous, as vdot takes it without a copy
        gamma = len(self.L) - self.alpha * float(np.vdot(inverse, inverse))
        if self.intercept:
            gamma += self.alpha * float(self.q @ self.q) / self.schur - 1
        self.n_effective = max(gamma, SMALLEST)

    def log_evidence(self) -> float:
        """Intercepts have the density 1."""
        n, free = len(self.L), int(self.intercept)
        log_det = 2 * np.log(self.L.diagonal()).sum() - n * np.log(self.alpha)  # A beside the prior
        if free:
            log_det += np.log(self.alpha * self.schur)
        log_volume = 0.5 * free * np.log(2 * np.pi) - 0.5 * log_det
        return float(log_volume - self.total * self.solution.objective)

    def deviations(self, X: Matrix, largest: float) -> Array:
        """√(xᵀA⁻¹x) (n, 1) of rows about the mean of those of the fit."""
        unit = row_units(X)
        if sparse.issparse(X):
            X = sparse.csr_array(sparse.diags_array(1 / unit[:, 0]) @ X)
            lengths = X.power(2).sum(axis=1)
        else:
            X = X / unit
            lengths = np.einsum("ij,ij->i", X, X)
        U = self.rows.products(X) * self.roots
        V = lapack.dtrtrs(self.L, U.T, lower=1)[0]
        squares = np.maximum(lengths - np.einsum("ij,ij->j", V, V), 0)
        if self.intercept:
            squares += (1 / unit[:, 0] - U @ self.q) ** 2 / self.schur
        return np.minimum(unit * np.sqrt(squares / self.alpha)[:, None], largest)

    @property
    def covariance(self) -> Array:
        d = self.rows.shape[1]
        require_memory(40 * d * d, f"covariance_ is a dense {d} × {d} matrix")
        return LaplacePosterior(self.objective, self.total, self.solution).covariance


Posterior = LaplacePosterior | RowPosterior


def posteriors(
    objective: Objective, total: float, tol: float, max_iter: int | None
) -> Callable[[Objective, Array], Posterior]:
    """(objective of the same rows, start) ↦ the posterior: by products of the rows for one score of fewer rows than
    features, and by the Hessian otherwise.
    """
    if has_fewer_rows(objective):
        X, (n, d) = objective.design.X, objective.design.X.shape
        rest = np.zeros((1, d)) if sparse.issparse(X) else None
        rows = Deviations(X, rest, np.ones(n), np.zeros(n, dtype=int), 1)  # about 0
        solver = NewtonCg(tol=min(tol, MODE_TOL), max_iter=max_iter)
        return lambda P, start: RowPosterior(P, total, solver.solve(P, start), rows)
    size, newton = objective.n_parameters, Newton(tol=tol, max_iter=max_iter)
    require_memory(40 * size * size, f"a Gaussian posterior needs a {size} × {size} covariance")
    return lambda P, start: LaplacePosterior(P, total, newton.solve(P, start))


def has_fewer_rows(objective: Objective) -> bool:
    design = objective.design
    return len(objective.shape) == 1 and design.n_rows < design.n_features


# The strength of largest evidence, with the curvature of the likelihood held fixed:  α‖W‖² = γ.
#
# γ is the number of weights that the data determine.   MacKay (1992), Neural Computation 4

WEAKEST = 1e-8  # least precision α of the prior, relative to the least variance of a feature
STRONGEST = 1e6  # largest strength α/Σw, relative to the largest variance of a feature
NOTHING = "the evidence is largest without any weights: the features carry no information."
UNBOUNDED = "the evidence still rises at the weakest strength that is tried; set strength."
VARIANCE_TOLERANCE = 1e-14  # relative to the mean square of a feature: a variance below it is 0
# first step of ln α: the greater of a number and a multiple of the excess, which is about MacKay's step and falls
# short; a further one: the same multiple of the secant's step, and at most twice the step before
STRIDE, AHEAD = 1.0, 1.5
EVIDENCE_TOL = 1e-7  # excess at which the search ends
BRACKET_TOL = 1e-8  # bracket of ln α at which it ends


def largest_evidence(
    objective: Objective, total: float, posterior_of: Callable[[Objective, Array], Posterior]
) -> tuple[float, str, Posterior, int]:
    """The root of ln γ − ln α‖W‖², which falls with α from +∞; each fit starts from the one before.

    (strength, why it is the last that was tried if the evidence has no maximum, posterior, Newton steps at all
    strengths). `posterior_of` gives the posterior of an objective, with its mode found from a start.
    """
    theta, n_iter = objective.zero(), 0
    latest: Posterior | None = None

    def posterior_at(strength: float) -> Posterior:
        nonlocal theta, n_iter, latest
        if latest is None or latest.objective.strength != strength:
            latest = posterior_of(objective.with_strength(strength), theta)
            theta, n_iter = latest.solution.theta, n_iter + latest.solution.n_iter
        return latest

    excesses: dict[float, float] = {}  # a warm start changes last digits; signs must not change

    def excess(u: float) -> float:
        if u not in excesses:
            value = posterior_at(float(np.exp(u))).excess
            excesses[u] = value if abs(value) > EVIDENCE_TOL else 0.0
        return excesses[u]

    u, reason = _root(excess, objective, total)
    posterior = posterior_at(float(np.exp(u)))
    return posterior.objective.strength, reason, posterior, n_iter


def _root(
    excess: Callable[[float], float], objective: Objective, total: float
) -> tuple[float, str]:
    """(u where the excess is 0, ""), u = ln strength; or (the last u that was tried, why there is no root)."""
    variances = _variances(objective)
    low = float(np.log(WEAKEST * variances.min() / total))
    high = float(np.log(STRONGEST * variances.max()))
    u = float(np.clip(np.log(variances.sum() / total), low, high))  # scores have the variance 1
    value = excess(u)
    up, step = value > 0, max(STRIDE, AHEAD * abs(value))
    while value != 0:
        if u >= high if up else u <= low:
            return u, NOTHING if up else UNBOUNDED
        before, earlier = u, value
        u = float(np.clip(u + step if up else u - step, low, high))
        value = excess(u)
        if (value > 0) != up:
            return float(brentq(excess, before, u, xtol=BRACKET_TOL, rtol=BRACKET_TOL)), ""
        nearer = 1 - value / earlier  # by this step
        step *= min(AHEAD * (1 - nearer) / nearer, 2.0) if nearer > 0 else 2.0
    return u, ""


def _variances(objective: Objective) -> Array:
    """Variances of the features that vary; without an intercept, their mean squares."""
    design, weights = objective.design, objective.weights
    squares = design.column_norms(weights)[: design.n_features] ** 2
    mean = design.centre(weights)
    variances = squares - mean**2
    varies = variances > VARIANCE_TOLERANCE * squares
    return variances[varies] if varies.any() else np.ones(1)
