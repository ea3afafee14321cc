"""Automatic relevance determination: each weight has a prior N(0, 1/α_j), and the evidence chooses every α_j.

For rows with weights ω, a target z and noise of variance 1/β the evidence depends on one precision alone as

    2 ln p = ln α − ln(α + s) + q²/(α + s) + const,   s = φᵀC⁻¹φ,   q = φᵀC⁻¹z,

with C the covariance of z without the column φ. So α = s²/(q² − s) is best if q² > s, and else α = ∞: the column
leaves. Where β is unknown it has its best value for each α, 1/β = E/n′ with E = zᵀC⁻¹z for β = 1; with ρ = α/β

    2 ln p = ln ρ − ln(ρ + s) − n′ ln(E − q²/(ρ + s)) + const,   ρ = s (sE − q²)/(n′q² − sE)   if n′q² > sE.

Each move changes the precision that raises the evidence most. It changes C by rank one, so that s and q of all M
columns cost O(Mm) for m that stay; now and then all is computed afresh. Then Newton's method moves the precisions of
all m columns together, which single moves of columns that depend on each other would take thousands for,

    ∂ln p/∂ln ρ_i = ½(1 − ρ_i Σ_ii − γ_i),   γ_i = β ρ_i μ_i².

Tipping & Faul (2003), AISTATS; that β follows at once is what the evidence of a given ratio does, MacKay (1992).
"""

from __future__ import annotations

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from linclass.likelihood.weighted_columns import WeightedColumns
from linclass.numerics.arrays import Array

AFRESH = 50  # moves until all is computed afresh, or half the columns that stay
TOGETHER = 20  # steps of Newton's method at most
LARGEST = 2.0  # change of ln ρ in such a step
DEPENDENT = 1e-12  # of the square of a column: what columns that stay leave of it is rounding
ROUNDING = 1e-14  # of the evidence
EPSILON = float(np.finfo(float).eps)
NOISELESS = 1e-14  # of the squares of z: nothing is left as noise


class Relevance:
    """Columns that stay, their precisions ρ (with β = 1), and s and q of all of them.

    `freedom` is n′, where the noise is unknown; None where its variance is 1.
    """

    mu: Array

    def __init__(self, columns: WeightedColumns, freedom: float | None):
        self.columns = columns
        self.freedom = None if freedom is None else max(freedom, EPSILON)
        self.pull = columns.products(columns.target)
        self.total = float(columns.weights @ columns.target**2)
        self.stay(np.zeros(0, dtype=int), np.zeros(0))

    def stay(self, active: Array, rho: Array) -> None:
        """Let these columns stay, with these precisions."""
        self.active, self.rho = active, rho
        self._room = self.columns.products(self.columns.some(active))  # m rows, and more to come
        self.afresh()

    @property
    def gram(self) -> Array:
        """Products of the columns that stay with all (m, M)."""
        return self._room[: len(self.active)]

    def afresh(self) -> None:
        """Σ, the weights μ, what they leave of z, and s and q by their definitions."""
        columns, active = self.columns, self.active
        self.s = np.where(columns.scale > 0, 1.0, 0.0)
        L = self._posterior()
        if len(active):
            self.s -= (solve_triangular(L, self.gram, lower=True) ** 2).sum(axis=0)
        for _ in range(2):  # the second time for the digits that products of sums have lost
            residual = columns.residual(active, self.mu)
            self.q = columns.products(residual)
            self.mu = self.mu + self.sigma @ (self.q[active] - self.rho * self.mu)
        self.error = float(self.columns.weights @ residual**2 + self.rho @ self.mu**2)
        self.since = 0

    def _posterior(self) -> Array:
        """Σ, μ and the error from sums over the rows; a factor of Σ⁻¹."""
        L = np.linalg.cholesky(self.gram[:, self.active] + np.diag(self.rho))
        half = solve_triangular(L, np.eye(len(L)), lower=True)
        self.sigma = half.T @ half
        self.mu = self.sigma @ self.pull[self.active]
        self.error = self.total - float(self.pull[self.active] @ self.mu)
        return L

    @property
    def is_noiseless(self) -> bool:
        return self.freedom is not None and not self.error > NOISELESS * self.total

    def best(self) -> tuple[Array, Array]:
        """(ρ, gain of ln p) of the best change of each precision, ρ = ∞ where the column leaves or stays away."""
        s, q, error = self.s.copy(), self.q.copy(), np.full(len(self.s), self.error)
        spread = self.sigma.diagonal()
        s[self.active], q[self.active] = 1 / spread - self.rho, self.mu / spread
        error[self.active] += self.mu**2 / spread
        np.maximum(error, np.finfo(float).tiny, out=error)
        possible = s > DEPENDENT
        s = np.where(possible, s, 1.0)
        n = self.freedom
        over = q**2 - s if n is None else n * q**2 - s * error
        stays = possible & (over > 0)
        over = np.where(stays, over, 1.0)
        if n is None:
            rho, share = s**2 / over, s / np.maximum(q**2, s)
            gain = np.log(share) + np.maximum(q**2 / s - 1, 0)
        else:
            least = NOISELESS * s * error
            left = np.where(stays, np.maximum(s * error - q**2, least), 1.0)
            rho, share = s * left / over, left / np.where(stays, q**2 * max(n - 1, EPSILON), 1.0)
            error = np.where(stays, error, 1.0)
            ratio = left * n / (s * max(n - 1, EPSILON) * error)  # of the noise, to that without it
            gain = np.log(share) - n * np.log(ratio)
        gain = np.where(stays, gain, 0.0)
        gain[self.active] -= self._now()
        return np.where(stays, rho, np.inf), 0.5 * gain

    def _now(self) -> Array:
        """2 ln p of the columns that stay, relative to their leaving."""
        spread = self.sigma.diagonal()
        volume, square = np.log(self.rho * spread), self.mu**2 / spread
        n = self.freedom
        return np.asarray(volume + (square if n is None else n * np.log1p(square / self.error)))

    def ascend(self, tol: float, most: int) -> tuple[float, int]:
        """Moves until none gains more than `tol`, or `most`; (the largest gain that is left, moves).

        Where rounding errors exceed the gains, it ends with the highest evidence that was computed afresh.
        """
        moves = self._climb(tol, most)
        order = np.argsort(self.active)
        self.stay(self.active[order], self.rho[order])
        return float(self.best()[1].max(initial=0.0)), moves

    def _climb(self, tol: float, most: int) -> int:
        moves = 0
        known = self.log_evidence(), self.active.copy(), self.rho.copy()
        while True:
            rho, gain = self.best()
            j = int(np.argmax(gain))
            ends = gain[j] <= tol or moves >= most or self.is_noiseless
            if ends and not self.since:
                return moves
            if ends or self.since >= max(AFRESH, len(self.active) // 2):
                self.afresh()
                if moves < most:
                    self.ascend_together(tol)
                height, active, rho = self.log_evidence(), self.active.copy(), self.rho.copy()
                if height <= known[0] + ROUNDING * abs(known[0]):
                    self.stay(*known[1:])
                    return moves
                known = height, active, rho
                continue
            self.move(j, float(rho[j]))
            moves += 1

    def ascend_together(self, tol: float) -> None:
        """Newton's steps for the ln ρ of the columns that stay, as long as the evidence rises by more than `tol`."""
        best = self.log_evidence()
        for _ in range(TOGETHER if len(self.active) else 0):
            step = self._newton_step()
            for share in (1.0, 0.25, 0.0625):
                rho = self.rho * np.exp(share * step)
                if (height := self._height(rho)) > best + max(tol, ROUNDING * abs(best)):
                    break
            else:
                break
            self.rho, best = rho, height
            self._posterior()
        self.afresh()

    def _newton_step(self) -> Array:
        """Of ln ρ, at most LARGEST; where the evidence is not concave, of the diagonal of its Hessian."""
        scale = 1.0 if self.freedom is None else self.freedom / self.error
        known, told = self.rho * self.sigma.diagonal(), scale * self.rho * self.mu**2
        outer = self.rho[:, None] * self.rho * self.sigma
        bend = np.diag(known + told) - outer * (self.sigma + 2 * scale * np.outer(self.mu, self.mu))
        bend -= np.outer(told, told) / (self.freedom or np.inf)
        try:
            step = cho_solve(cho_factor(bend), 1 - known - told)
        except LinAlgError:
            step = (1 - known - told) / (known + told)
        return np.asarray(step * (LARGEST / max(LARGEST, float(np.abs(step).max()))))

    def _height(self, rho: Array) -> float:
        """The log evidence with these precisions of the columns that stay, −∞ where rounding errors exceed it."""
        try:
            factor = cho_factor(self.gram[:, self.active] + np.diag(rho), lower=True)
        except LinAlgError:
            return -np.inf
        pull = self.pull[self.active]
        error = self.total - float(pull @ cho_solve(factor, pull))
        if not error > NOISELESS * self.total:
            return -np.inf
        spread = np.log(rho).sum() - 2 * np.log(factor[0].diagonal()).sum()
        return float(0.5 * spread + self._fit(error))

    def move(self, j: int, rho: float) -> None:
        """Give column j the precision ρ."""
        self.since += 1
        if not (self.active == j).any():
            self._enter(j, rho)
            return
        i = int(np.argmax(self.active == j))
        leaves, change, spread = not np.isfinite(rho), rho - self.rho[i], self.sigma[i, i]
        factor = 1 / spread if leaves else change / (1 + change * spread)
        (a, mu), w = (self.sigma[i].copy(), self.mu[i]), self.sigma[i] @ self.gram
        self.sigma -= factor * np.outer(a, a)
        self.s += factor * w**2
        self.q += factor * mu * w
        self.error = max(self.error + factor * mu**2, EPSILON * self.total)
        self.mu = self.mu - factor * mu * a
        self.rho[i] = rho
        if leaves:
            m = len(self.active)
            self._room[i : m - 1] = self._room[i + 1 : m]
            self.active, self.rho, self.mu = (
                np.delete(old, i) for old in (self.active, self.rho, self.mu)
            )
            self.sigma = np.delete(np.delete(self.sigma, i, axis=0), i, axis=1)

    def _enter(self, j: int, rho: float) -> None:
        own = self.columns.products(self.columns.some(np.array([j])))
        v = self.sigma @ own[0, self.active]
        u = own[0] - v @ self.gram
        share, q = 1 / (rho + self.s[j]), self.q[j]
        self.s -= share * u**2
        self.q = self.q - share * q * u
        self.error = max(self.error - share * q**2, EPSILON * self.total)
        self.mu = np.append(self.mu - share * q * v, share * q)
        corner = np.append(-v, 1.0)
        grown = np.zeros((len(corner), len(corner)))
        grown[:-1, :-1] = self.sigma
        self.sigma = grown + share * np.outer(corner, corner)
        m = len(self.active)
        if m == len(self._room):
            self._room = np.concatenate([self._room, np.empty((m + 8, self._room.shape[1]))])
        self._room[m] = own[0]
        self.active, self.rho = np.append(self.active, j), np.append(self.rho, rho)

    def log_evidence(self) -> float:
        """ln p(z) with the noise at its best, for a Gaussian z."""
        spread = np.linalg.slogdet(self.sigma)[1] + np.log(self.rho).sum()
        return float(np.inf) if self.is_noiseless else float(0.5 * spread + self._fit(self.error))

    def _fit(self, error: float) -> float:
        """ln p(z) but for the volume of the posterior."""
        n = self.freedom
        return -0.5 * error if n is None else -0.5 * n * float(np.log(2 * np.pi * error / n) + 1)
