"""Automatic relevance determination: each weight has a prior N(0, 1/α_j), and the evidence chooses every α_j.

For rows with weights ω, a target z and noise of variance 1/β the evidence depends on one precision alone as

    2 ln p = ln α − ln(α + s) + q²/(α + s) + const,   s = φᵀC⁻¹φ,   q = φᵀC⁻¹z,

with C the covariance of z without the column φ. So α = s²/(q² − s) is best if q² > s, and else α = ∞: the column
leaves. Where β is unknown it has its best value for each α, 1/β = E/n′ with E = zᵀC⁻¹z for β = 1; with ρ = α/β

    2 ln p = ln ρ − ln(ρ + s) − n′ ln(E − q²/(ρ + s)) + const,   ρ = s (sE − q²)/(n′q² − sE)   if n′q² > sE.

A move changes one precision; s and q of all M columns cost O(Mm²) for m that stay.

Tipping & Faul (2003), AISTATS; that β follows at once is what the evidence of a given ratio does, MacKay (1992).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve, lapack, solve_triangular

from linclass.base.arrays import Array, Matrix, hashes, squares_of_columns
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import products
from linclass.base.messages import counted, require_memory
from linclass.base.parameters import require_positive, require_whole
from linclass.kernels.functions import KernelLike
from linclass.kernels.kernel_machine import KernelMachine
from linclass.linear.objective.coordinates import about_mean, far_about_mean
from linclass.linear.support_vectors import of_all_rows

RANK_TOLERANCE = 1e-12  # of the square of a column: what columns that stay leave of it is rounding
EPSILON, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)
NOISELESS = 1e-14  # relative to the squares of z: nothing is left as noise


# Columns φ_j of rows with weights ω and a target z, all centred and of norm 1:  Σ_i ω_i φ_ij = 0,  Σ_i ω_i φ_ij² = 1.
# Centring is what a constant column with a flat prior does to all others.

CONSTANT = 1e-14  # relative to the mean square of a column: a variance below it is 0


class WeightedColumns:
    """Products with the columns of a design, which is not copied. Constant columns and those `without` count as 0."""

    def __init__(
        self, design: DesignMatrix, weights: Array, target: Array, without: Array | None = None
    ):
        self.design, self.weights = design, weights
        total = float(weights.sum())
        self.mean = design.XT @ weights / total
        squares = squares_of_columns(design.X, weights)
        centred = squares - total * self.mean**2
        varies = centred > CONSTANT * squares
        self.scale = np.where(varies, 1 / np.sqrt(np.where(varies, centred, 1.0)), 0.0)
        if without is not None:
            self.scale[without] = 0.0
        self.target = target - float(weights @ target) / total

    def some(self, chosen: Array) -> Array:
        """φ_j of some j, (n, m), dense."""
        one = np.ones(self.design.n_rows)
        return self.design.columns(chosen, self.mean, one) * self.scale[chosen]

    def products(self, R: Array) -> Array:
        """Σ_i ω_i φ_ij r_i for r (n,) or (n, m), where Σ ω r = 0."""
        weighted = self.weights * R if R.ndim == 1 else self.weights[:, None] * R
        sums = self.design.XT @ weighted
        return np.asarray(sums.T * self.scale)


class Relevance:
    """Columns that stay, their precisions ρ (with β = 1), and s and q of all of them.

    `dof` is n′, where the noise is unknown; None where its variance is 1.
    """

    mu: Array

    def __init__(self, columns: WeightedColumns, dof: float | None):
        self.columns = columns
        self.dof = None if dof is None else max(dof, EPSILON)
        self.target_products = columns.products(columns.target)
        self.total = float(columns.weights @ columns.target**2)
        self.stay(np.zeros(0, dtype=int), np.zeros(0))

    def stay(self, active: Array, rho: Array) -> None:
        """Let these columns stay, with these precisions."""
        self.active, self.rho = active, rho
        # products of the columns that stay with all (m, M)
        self.gram = self.columns.products(self.columns.some(active))
        self.update()

    def update(self) -> None:
        """Σ, the weights μ, what they leave of z, and s and q of all columns."""
        L = self.posterior()
        self.s = np.where(self.columns.scale > 0, 1.0, 0.0)
        if len(self.active):
            self.s -= (solve_triangular(L, self.gram, lower=True) ** 2).sum(axis=0)
        columns = self.columns.some(self.active)
        for _ in range(2):  # the second time for the digits that products of sums have lost
            residual = self.columns.target - columns @ self.mu
            self.q = self.columns.products(residual)
            self.mu = self.mu + self.sigma @ (self.q[self.active] - self.rho * self.mu)
        self.error = float(self.columns.weights @ residual**2 + self.rho @ self.mu**2)

    def posterior(self) -> Array:
        """Σ, μ and the error from sums over the rows; a factor of Σ⁻¹."""
        G, least = self.gram[:, self.active], RANK_TOLERANCE
        while True:
            try:
                L = np.linalg.cholesky(G + np.diag(self.rho))
                break
            except LinAlgError:  # precisions that rounding errors of dependent columns exceed
                self.rho, least = np.maximum(self.rho, least), 10 * least
        lower = np.tril(lapack.dpotri(L, lower=1)[0]) if len(L) else L
        self.sigma = lower + np.tril(lower, -1).T
        self.mu = self.sigma @ self.target_products[self.active]
        error = self.total - float(self.target_products[self.active] @ self.mu)
        self.error = max(error, EPSILON * self.total)
        return L

    @property
    def is_noiseless(self) -> bool:
        return self.dof is not None and not self.error > NOISELESS * self.total

    def best(self) -> tuple[Array, Array]:
        """(ρ, gain of ln p) of the best change of each precision, ρ = ∞ where the column leaves or stays away."""
        n, active, spread = self.dof, self.active, self.sigma.diagonal()
        s, q, error = self.s.copy(), self.q.copy(), np.full(len(self.s), self.error)
        s[active], q[active] = self._alone(), self.mu / spread
        error[active] += self.mu**2 / spread
        possible = s > RANK_TOLERANCE
        s = np.where(possible, s, 1.0)
        size = q**2 / s  # of z, that the column alone explains
        if n is not None:
            size = n * (size / np.maximum(np.maximum(error, size), TINY))
        stays = possible & (size > 1)
        size = np.where(stays, size, 2.0)
        if n is None:
            rho, gain = s / (size - 1), size - 1 - np.log(size)
        else:
            part = np.minimum(size / n, 1 - NOISELESS)
            left = np.log1p(-part) - np.log1p(-min(1 / n, 1 - EPSILON))  # of the noise, ln
            rho, gain = s * (1 - part) / (size - 1), (1 - n) * left - np.log(size)
        rho, gain = np.where(stays, rho, np.inf), np.where(stays, gain, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain_active = self._gains(rho[active], s[active])
        gain[active] = np.where(np.isfinite(gain_active), gain_active, 0.0)
        return rho, 0.5 * gain

    def _alone(self) -> Array:
        """s of the columns that stay, each without itself; 1/Σ_ii − ρ has no digits where ρ is large."""
        rho, spread, s = self.rho, self.sigma.diagonal(), self.s[self.active]
        far = rho * spread > 0.5
        return np.where(far, rho * s / np.where(far, rho - s, 1.0), 1 / spread - rho)

    def _gains(self, rho: Array, s: Array) -> Array:
        """Gains in 2 ln p by other precisions of the columns that stay, not as differences of such large numbers."""
        n, stays, spread = self.dof, np.isfinite(rho), self.sigma.diagonal()
        to = np.where(stays, rho, 1.0)
        volume = np.where(stays, np.log(to / ((to + s) * spread)), -np.log(spread))
        square = self.mu**2 / spread * np.where(stays, (to - self.rho) / (to + s), 1.0)
        fit = square if n is None else n * np.log1p(square / self.error)
        return np.asarray(volume - np.log(self.rho) - fit)

    def move(self, j: int, rho: float) -> None:
        """Give column j the precision ρ."""
        stay = self.active != j
        if stay.all():
            self.active, self.rho = np.append(self.active, j), np.append(self.rho, rho)
            new = self.columns.products(self.columns.some(np.array([j])))
            self.gram = np.vstack([self.gram, new])
        elif np.isfinite(rho):
            self.rho = np.where(stay, self.rho, rho)
        else:
            self.active, self.rho, self.gram = self.active[stay], self.rho[stay], self.gram[stay]
        self.update()

    def log_evidence(self) -> float:
        """ln p(z) with the noise at its best, for a Gaussian z."""
        if self.is_noiseless:
            return float(np.inf)
        n, error = self.dof, self.error
        fit = -0.5 * error if n is None else -0.5 * n * float(np.log(2 * np.pi * error / n) + 1)
        spread = np.linalg.slogdet(self.sigma)[1] + np.log(self.rho).sum()
        return float(0.5 * spread + fit)


# Newton's method for the precisions of all columns that stay, of which single moves would take thousands where columns
# depend on each other:
#
#     ∂ln p/∂ln ρ_i = ½(1 − ρ_i Σ_ii − γ_i),   γ_i = β ρ_i μ_i².
#
# A step is taken if the evidence rises.   MacKay (1992), Neural Computation 4; Tipping (2001), JMLR 1

TOGETHER = 20  # steps at most
MAX_LOG_STEP = 2.0  # change of ln ρ in a step
DAMPED = (0.0, 0.03, 0.1, 0.3)  # parts of the diagonal
EVIDENCE_TOLERANCE = 1e-14  # relative to the evidence


def ascend_together(search: Relevance, tol: float) -> None:
    """Steps for the ln ρ of the columns that stay, as long as the evidence rises by more than `tol`."""
    best = search.log_evidence()
    for _ in range(TOGETHER if len(search.active) else 0):
        if search.is_noiseless:
            break
        step, rho = joint_step(search), search.rho
        for share in (1.0, 0.25, 0.0625):
            search.rho = rho * np.exp(share * step)
            search.posterior()
            height = -np.inf if search.is_noiseless else search.log_evidence()
            if height > best + max(tol, EVIDENCE_TOLERANCE * abs(best)):
                break
        else:
            search.rho = rho
            break
        best = height
    search.update()


def joint_step(search: Relevance) -> Array:
    """A step of ln ρ, at most MAX_LOG_STEP, shortened by the Hessian's diagonal where the evidence is not concave."""
    sigma, mu, rho, dof = search.sigma, search.mu, search.rho, search.dof
    scale = 1.0 if dof is None else dof / search.error
    determined, explained = rho * sigma.diagonal(), scale * rho * mu**2
    largest = np.diag(determined + explained)
    bend = largest - rho[:, None] * rho * sigma * (sigma + 2 * scale * np.outer(mu, mu))
    if dof is not None:
        bend -= np.outer(explained, explained) / dof
    step = (1 - determined - explained) / (determined + explained)
    for part in DAMPED:
        try:
            step = cho_solve(cho_factor(bend + part * largest), 1 - determined - explained)
            break
        except LinAlgError:
            continue
    return np.asarray(step * (MAX_LOG_STEP / max(MAX_LOG_STEP, float(np.abs(step).max()))))


# Moves of single precisions, each the one that raises the evidence most, until none raises it by more than `tol`.
#
# There are several maxima. From no columns, single moves may end far below the highest where columns overlap, as
# those of a kernel do; from all columns, whose precisions move together until most are infinite, they mostly end
# higher. Unless columns are many, both are tried (`beginnings`).

ALL = 500  # columns up to which all may stay at first
STRONG, WEAK = 0.1, 1e-5  # their ρ: of priors that halve what columns explain, and of nearly none
ROUGH = 1e-3  # gain of a step then, at which single moves take over
AT_A_TIME = 50  # moves, or half the columns that stay, before all precisions move together
MIN_JOINT_COLUMNS = 40  # columns that stay, whose precisions move together rather than one by one
PART = 0.1  # share of the largest gain, at which moves end
LESS = 0.5  # ratio of the gains left, below which a step is progress


class Summit(NamedTuple):
    """The state that a search has reached."""

    height: float
    gain: float
    active: Array
    rho: Array

    @classmethod
    def of(cls, search: Relevance) -> Summit:
        gain = float(search.best()[1].max(initial=0.0))
        return cls(search.log_evidence(), gain, search.active.copy(), search.rho.copy())

    def is_above(self, other: Summit) -> bool:
        """Whether this summit is higher, or, if rounding errors hide that, leaves less to gain."""
        rounding = EVIDENCE_TOLERANCE * abs(other.height)
        same = self.height >= other.height - rounding and self.gain < LESS * other.gain
        return same or self.height > other.height + rounding


def beginnings(n_columns: int) -> tuple[float | None, ...]:
    """The ρ of all columns at first, in each ascent that is worth its time; None if it begins without columns."""
    return (None, STRONG, WEAK) if n_columns <= ALL else (None,)


def ascend(
    search: Relevance, tol: float, most: int, first: float | None = None
) -> tuple[float, int]:
    """Moves until none gains more than `tol`, or `most`; (the largest gain that is left, moves).

    Where rounding errors exceed the gains, it ends with the highest evidence. With a first ρ all columns stay at
    first.
    """
    moves = 0 if first is None else _begin(search, first, most)
    moves += _climb(search, tol, most - moves)
    order = np.argsort(search.active)
    search.stay(search.active[order], search.rho[order])
    return float(search.best()[1].max(initial=0.0)), moves


def _begin(search: Relevance, rho: float, most: int) -> int:
    """Let all columns stay that can, if that raises the evidence; return the number of changes."""
    chosen = np.flatnonzero(search.s > 0)
    if len(chosen) > most or not search.total > 0:
        return 0
    none = Summit.of(search)
    search.stay(chosen, np.full(len(chosen), rho))
    ascend_together(search, ROUGH)
    _let_leave(search)
    if Summit.of(search).is_above(none):
        return len(chosen)
    search.stay(none.active, none.rho)
    return 0


def _let_leave(search: Relevance) -> None:
    """Remove the columns whose best precision is infinite."""
    while len(active := search.active):
        stays = np.isfinite(search.best()[0][active])
        if stays.all():
            return
        search.stay(active[stays], search.rho[stays])


def _climb(search: Relevance, tol: float, most: int) -> int:
    """Change single columns, then all that stay together, which single changes of many would only slowly replace."""
    moves, best = 0, Summit.of(search)
    while best.gain > tol and moves < most and not search.is_noiseless:
        least = tol if len(search.active) < MIN_JOINT_COLUMNS else max(tol, PART * best.gain)
        moves += _moves(search, least, most - moves)
        if moves < most:
            ascend_together(search, least)
            _let_leave(search)
        if not (reached := Summit.of(search)).is_above(best):
            search.stay(best.active, best.rho)
            break
        best = reached
    return moves


def _moves(search: Relevance, least: float, most: int) -> int:
    """Change single columns that gain more than `least`, and count the changes. If many columns stay, after the first
    change columns only join or leave."""
    moves, m = 0, len(search.active)
    most = min(most, max(AT_A_TIME, m // 2) if m < MIN_JOINT_COLUMNS else m // 4)
    while moves < most and not search.is_noiseless:
        rho, gain = search.best()
        if moves and m >= MIN_JOINT_COLUMNS:
            gain[search.active[np.isfinite(rho[search.active])]] = 0.0
        j = int(np.argmax(gain))
        if gain[j] <= least:
            break
        search.move(j, float(rho[j]))
        moves += 1
    return moves


# The base class of relevance vector machines: columns φ_j, of which few stay, with a Gaussian posterior of weights.
#
# The columns are values of a kernel, φ_j(x) = k(x, x_j) with the training rows x_j, or the features themselves. A
# column of a kernel needs no inner product behind it, so the kernel may be any function.

MOST = 10_000  # changes of a precision
NOTHING = "the evidence is largest without any weights: the columns carry no information."


class RelevanceMachine(KernelMachine):
    """Base of relevance vector machines.

    Parameters
    ----------
    kernel : str, callable or None
        'gaussian', 'polynomial', 'sigmoid', 'linear', a function (X, X′) → matrix (n, n′), or
        'precomputed': X is then the matrix of kernel values between rows and training rows. None takes the
        features as the columns, which is automatic relevance determination.
    max_iter : int or None
        Limit on the number of changes of an α_j, from each beginning. None is 10000.

    Attributes
    ----------
    precisions_ : array of shape (d,) with kernel=None, (n,) with a kernel
        The α_j of all columns, infinite for those that have left.
    support_ : array of shape (m,), only with a kernel
        Indices of the relevance vectors.
    covariance_ : array of shape (m + 1, m + 1)
        Posterior covariance of the m weights that stay, and of the intercept, the last.
    n_effective_ : float
        Σ_j (1 − α_j Σ_jj), the number of weights that the data determine.
    """

    kernel: KernelLike | None  # type: ignore[assignment]
    tol: float
    max_iter: int | None
    precisions_: Array
    covariance_: Array

    def check(self) -> None:
        super().check()
        if self.kernel is not None:
            if not (callable(self.kernel) or isinstance(self.kernel, str)):
                raise ValueError(
                    f"kernel is {self.kernel!r}; give its name, a function, or None for the features."
                )
            self._check_kernel()
        require_positive("tol", self.tol)
        require_whole("max_iter", self.max_iter, 1, or_none=True)

    def _columns(self, X: Matrix, kept: Array, weights: Array) -> tuple[Matrix, Array]:
        """(columns, their means), about the means; of sparse features only where they are far from 0."""
        self._forget(  # attributes of an earlier fit
            "coef_", "mean_coef_", "dual_coef_", "support_", "support_vectors_", "_made"
        )
        if self.kernel is None:
            if sparse.issparse(X):
                return far_about_mean(X, weights / weights.sum())
            return about_mean(X, weights)
        n = X.shape[0]
        require_memory(24 * n * n, f"{type(self).__name__} needs {n} × {n} kernel values")
        if self._is_precomputed() and len(kept) == X.shape[1] and not kept.all():
            X = X[:, kept]
        self._made = self._kernel_for(X, weights)
        with np.errstate(over="ignore", invalid="ignore"):
            K = self._made.matrix(X)
        if not np.isfinite(K).all():
            raise self._overflows()
        return about_mean(K, weights)

    def _columns_again(self, X: Matrix, n_columns: int) -> Array:
        """Mask of the kernel columns of repeated rows but the first, whose weight is all that they could share."""
        again = np.zeros(n_columns, bool)
        if self.kernel is not None:
            again[:] = True
            again[np.unique(hashes(X, np.random.default_rng(0)), return_index=True)[1]] = False
        return again

    def _keep(self, X: Matrix, kept: Array, active: Array, alpha: Array, root: Array) -> None:
        """Keep what predictions need of the columns that stay, and their precisions α.

        `root` is an R with RRᵀ the covariance of their weights and the intercept.
        """
        columns = X.shape[1] if self.kernel is None else X.shape[0]
        precisions = np.full(columns, np.inf)
        precisions[active] = alpha
        self._active, self._root = active, root
        if self.kernel is not None:
            precisions = of_all_rows([precisions], kept, np.inf)
            self._keep_support(X, active, kept)
        self.precisions_ = precisions
        self.covariance_ = root @ root.T

    def _combined(self, X: Matrix, W: Array) -> Array:
        """Σ_j φ_j(x) w_kj (n, K) of the columns that stay, for weights (K, m)."""
        if not W.shape[1]:
            return np.zeros((X.shape[0], len(W)))
        if self.kernel is None:
            return products(X[:, self._active], W)
        return self._scores(X, W).T

    def _deviations(self, X: Matrix) -> Array:
        """√(φᵀΣφ) (n,) of the score of each row."""
        parts = self._combined(X, np.ascontiguousarray(self._root[:-1].T)) + self._root[-1]
        return np.asarray(np.hypot.reduce(parts, axis=1))

    def _stopped(self, gain: float, moves: int) -> tuple[str, str]:
        """(status, reason) of a fit that leaves this gain."""
        if gain > self.tol:
            why = (
                "; rounding errors exceed the gain of further changes" if moves < self._most else ""
            )
            return "max_iter", (
                f"after {counted(moves, 'change')} of precisions another one would raise the log evidence by "
                f"{gain:.1e}, more than tol={self.tol:g}{why}."
            )
        return "converged", "" if len(self._active) else NOTHING

    @property
    def _most(self) -> int:
        return MOST if self.max_iter is None else self.max_iter
