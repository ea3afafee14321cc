"""Logistic regression by Firth's penalized likelihood, which always has a finite optimum:

    θ = argmax  ln L(θ) + ½ ln det I(θ),   I = Σ_i w_i (diag(p_i) − p_i p_iᵀ) ⊗ x_i x_iᵀ,

with the information matrix I, x including a constant 1, and p the probabilities of all classes but the last. The
penalty is the logarithm of Jeffreys' prior; it removes the bias of order 1/n of maximum likelihood. It tends to −∞ as
probabilities tend to 0 and 1, so the estimates are finite also for separable classes: it is a remedy for the status
`separable` without a strength to choose. For two classes the likelihood equations are

    Σ_i w_i (y_i − p_i + h_i (½ − p_i)) x_i = 0,   h_i = p_i (1 − p_i) x_iᵀ I⁻¹ x_i;

for a table of counts it is maximum likelihood with ½ added to each count. For more classes several points can solve
them; the fit is the one that Fisher's scoring reaches from 0. Weights are frequency weights.

Predicts: log-odds, linear in x, and probabilities.
Cost: O(n p² + p³) per step, p = (K − 1)(d + 1); dense rows.
Certificate: gradient norm.
Reference: Firth (1993), Biometrika 80; Heinze & Schemper (2002), Statist. Med. 21; K classes: Bull, Mak & Greenwood
    (2002).
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np
from scipy.linalg import lapack

from linclass.base.arrays import Array, ArrayLike, ClassWeight, MatrixLike, PerRow, as_dense, once
from linclass.base.linear_scores import LinearScores
from linclass.base.messages import counted, require_memory
from linclass.base.numerics import damped_newton
from linclass.base.parameters import require_positive, require_whole
from linclass.linear.losses.multiclass import Softmax
from linclass.linear.objective.coordinates import about_mean
from linclass.linear.offsets import ProbabilitiesWithOffset
from linclass.linear.solvers.quasi_newton import Secants

MAX_STEPS = 200  # steps of Fisher's scoring
NEAR = 1e-2  # residual below which its matrix is corrected by the last MEMORY steps
MEMORY = 10
RANK_TOLERANCE = 1e-12  # a singular value of scaled features, relative to the largest, that is 0


class FirthLogisticRegression(ProbabilitiesWithOffset, LinearScores):
    """Parameters
    ----------
    max_iter : int or None, default=None
        Limit on the number of steps. None is 200.

    Attributes
    ----------
    coef_
    intercept_
    standard_errors_ : array of shape (1, d + 1) for two classes, (K − 1, d + 1) for more
        Square roots of the diagonal of I⁻¹, the intercept last (without one, d columns), of the
        parameters of each class relative to the last; for two classes those of `coef_` and
        `intercept_`.
    """

    _counts_rows = True

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-6,
        max_iter: int | None = None,
        class_weight: ClassWeight = None,
    ):
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        require_positive("tol", self.tol)
        require_whole("max_iter", self.max_iter, 1, or_none=True)

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, offset: PerRow = None
    ) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        (n, d), K = X.shape, len(self.classes_)
        size = (K - 1) * min(n, d + 1)
        what = f"FirthLogisticRegression needs dense rows and a {size} × {size} information"
        require_memory(8 * (3 * n * (d + 1) + 4 * size * size), what)
        rows = as_dense(X)
        if self.fit_intercept:
            rows, mean = about_mean(rows, weights)
            rows = np.column_stack([rows, np.ones(n)])
        offsets = self._offsets(offset, sample_weight, y)
        if offsets is not None:
            offsets = -offsets[:, None] if K == 2 else offsets[:, :-1] - offsets[:, -1:]
        likelihood = Jeffreys(rows, codes, weights, K, offsets)
        start, limit = np.zeros((K - 1, likelihood.rank)), self.max_iter or MAX_STEPS
        phi, point, n_iter = damped_newton(likelihood.at, start, Scoring(), self.tol, limit)
        if self.fit_intercept:  # of the features as they are: b = u − x̄·w
            likelihood.back[d] -= mean @ likelihood.back[:d]
        theta = np.vstack([phi @ likelihood.back.T, np.zeros(rows.shape[1])])
        theta -= theta.mean(axis=0)
        W, b = theta[:, :d], theta[:, d] if self.fit_intercept else np.zeros(K)
        self._set_scores(np.ascontiguousarray(W), b.copy())
        self.standard_errors_ = likelihood.standard_errors(point)
        status, reason = "converged", ""
        if point.residual > self.tol:
            status = "max_iter"
            left = f"a gradient_norm of {point.residual:.1e}"
            reason = f"{counted(n_iter, 'step')} left {left}; tol is {self.tol:g}."
        elif likelihood.rank < rows.shape[1]:
            status = "rank_deficient"
            rank = f"features are linearly dependent (rank {likelihood.rank})"
            reason = f"{rank}: of all optimal solutions this has minimum norm, in scaled features."
        return self._record(
            status,
            reason,
            objective=point.value / weights.sum(),
            certificate=point.residual,
            certificate_kind="gradient_norm",
            n_iter=n_iter,
        )


class Jeffreys:
    """The penalized likelihood in coordinates Q = X·back with QᵀWQ = 1, in which det I has no unit."""

    def __init__(
        self, rows: Array, codes: Array, weights: Array, K: int, offset: Array | None = None
    ):
        """`offset` (n, K − 1) of all classes but the last, relative to it."""
        self.offset = 0.0 if offset is None else offset.T
        self.rows, self.codes, self.weights = rows, codes, weights
        self.loss = Softmax(K, reference=True)
        self.norms = np.sqrt(weights @ rows**2)
        scale = np.where(self.norms > 0, self.norms, 1)
        _, size, V = np.linalg.svd(np.sqrt(weights)[:, None] * rows / scale, full_matrices=False)
        kept = size > RANK_TOLERANCE * max(rows.shape) * size.max()
        self.back = (V[kept].T / size[kept]) / scale[:, None]
        self.Q = rows @ self.back

    @property
    def rank(self) -> int:
        return self.back.shape[1]

    def at(self, phi: Array) -> JeffreysPoint:
        return JeffreysPoint(self, phi)

    def standard_errors(self, point: JeffreysPoint) -> Array:
        m = len(point.gradient)
        blocks = point.inverse.reshape(m, self.rank, m, self.rank)
        variances = [((self.back @ blocks[k, :, k]) * self.back).sum(axis=1) for k in range(m)]
        return np.sqrt(np.array(variances))


class JeffreysPoint:
    """−ln L − ½ ln det I at a point, with I = Σ w M ⊗ q qᵀ and M = diag(p) − p pᵀ."""

    def __init__(self, of: Jeffreys, phi: Array):
        self.of, self.theta, w = of, phi, of.weights
        values, self.slopes, self.P = of.loss.jet(of.codes, phi @ of.Q.T + of.offset)
        self.factor, singular = lapack.dpotrf(of.loss.hessian(of.Q.copy(), w, self.P), lower=1)
        self.value = np.inf  # at probabilities of 0 and 1
        if not singular:
            self.value = float(w @ values) - float(np.log(self.factor.diagonal()).sum())

    @once
    def inverse(self) -> Array:
        """I⁻¹"""
        half = np.tril(lapack.dpotri(self.factor, lower=1)[0])
        return half + np.tril(half, -1).T

    @once
    def bent(self) -> Array:
        """The slopes minus  ∂(½ ln det I)/∂z = ½ M (diag A − 2 A p),  A_kl = qᵀ(I⁻¹)_kl q."""
        Q, m, rank = self.of.Q, len(self.P), self.of.rank
        blocks, A = self.inverse.reshape(m, rank, m, rank), np.empty((m, m, len(Q)))
        for k, l in combinations_with_replacement(range(m), 2):
            A[k, l] = A[l, k] = ((Q @ blocks[k, :, l]) * Q).sum(axis=1)
        towards = 0.5 * np.einsum("kkn->kn", A) - np.einsum("kln,ln->kn", A, self.P)
        return self.slopes - self.of.loss.curve(self.P, towards)

    @once
    def gradient(self) -> Array:
        return (self.of.weights * self.bent) @ self.of.Q

    @once
    def residual(self) -> float:
        """The largest cosine between a feature and the bent slopes."""
        w, norms = self.of.weights, self.of.norms
        sums, scale = np.abs((w * self.bent) @ self.of.rows), np.sqrt((w * self.slopes**2).sum())
        return float(np.divide(sums, scale * norms, out=np.zeros_like(sums), where=norms > 0).max())


class Scoring(Secants):
    """The steps of Fisher's scoring, I⁻¹ times the gradient, which leave out the curvature of the penalty: near the
    optimum, where scoring alone would converge linearly, BFGS corrects I⁻¹ by the changes of the gradient.
    """

    last: Any = None  # JeffreysPoint

    def __init__(self) -> None:
        super().__init__(MEMORY, lambda g: lapack.dpotrs(self.last.factor, g, lower=1)[0])

    def __call__(self, point: Any) -> Array:
        if self.last is not None and self.last.residual <= NEAR:
            self.add(self.last, point)
        self.last = point
        return -self.times(point.gradient)
