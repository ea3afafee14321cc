"""The Dantzig selector: the least weights whose residual r = y − b − Xw has a small covariance with every feature,

    (w, b) = argmin ‖w‖₁   subject to   |Σ_i ω_i x_ij r_i| ≤ strength · Σ_i ω_i  for all j,   Σ_i ω_i r_i = 0,

with the row weights ω_i. The lasso of the same strength keeps these limits, too: they are its conditions of an optimum
but for the signs. So the selector's weights are no larger in sum; both are 0 from the same strength on, and for
uncorrelated features both are one soft threshold. With G and c the covariances of the features, and of features and y,
the limits are |c − Gw| ≤ strength, and the dual of this linear program is

    max_u  c·u − strength · ‖u‖₁   subject to   |Gu| ≤ 1.

It is solved over the features of the lasso; those whose limit is broken, here or there, join until there are none.

Predicts: a number, linear in x.
Cost: that of the lasso, then a few linear programs of m limits and 3m variables for the m features that join, and
    O(d²) for each, or O(n d) for more than 500 features.
Certificate: duality gap.
Reference: Candès & Tao (2007), Ann. Statist. 35; Hastie, Tibshirani & Friedman (2009), §3.8.3.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from linclass.base.arrays import Array, ArrayLike, Matrix, MatrixLike, PerRow
from linclass.base.design_matrix import DesignMatrix
from linclass.base.linear_scores import LinearGeometry
from linclass.base.parameters import require_nonnegative
from linclass.base.regressor import Regressor
from linclass.linear.linear_model import LinearModel
from linclass.linear.losses.regression import Squared
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import L1
from linclass.linear.solvers.centred_gram import gram_of
from linclass.linear.solvers.homotopy import Homotopy, Walk

TOLERANCE = 1e-6  # certificate up to which the fit has converged
PROGRAM_TOL = 1e-10  # tolerance of a program, the least that HiGHS takes
BROKEN = 1e-9  # in units of deviations: a limit broken by less is rounding
MAX_JOINING_FEATURES = 40  # features that join at once
MIN_LEVEL = 1e-9  # relative to the first level: the lasso is not followed further down


class DantzigSelector(LinearGeometry, Regressor):
    """Parameters
    ----------
    strength : float, default=1e-3
        Largest covariance of the residual and a feature, at least 0; comparable to the lasso's strength. At 0, nearly
        dependent features may leave HiGHS without a solution, and `status_` says so.
    fit_intercept : bool, default=True
        Whether to fit the intercept b. False sets b = 0, and Σ_i w_i r_i has no limit.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Weights w.
    intercept_ : float
        Intercept b.
    dual_variables_ : array of shape (d,)
        Dual variables u of the limits, 0 but for rounding where the covariance is not at its limit.
    """

    paths = LinearModel.paths
    path, strength_path = LinearModel.path, LinearModel.strength_path
    _path_objectives, _path_values = LinearModel._path_objectives, LinearModel._path_values

    def __init__(self, *, strength: float = 1e-3, fit_intercept: bool = True):
        self.strength = strength
        self.fit_intercept = fit_intercept

    def check(self) -> None:
        super().check()
        require_nonnegative("strength", self.strength)

    def _require_penalty(self) -> None:
        """Every strength acts."""

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        objectives = self._objectives(*self._start_fit(X, y, sample_weight))
        return self._learn(Limits(objectives[0]))

    def predict(self, X: MatrixLike) -> Array:
        X = self._check_rows(X)
        return np.asarray(X @ self.coef_ + self.intercept_)

    def _objectives(self, X: Matrix, y: Array, weights: Array) -> list[Objective]:
        """The objective of the lasso, whose range of strengths is the same."""
        design = DesignMatrix(X, self.fit_intercept)
        return [Objective(design, Squared(), y, weights, L1(), self.strength)]

    def _fits_at(
        self, strengths: Sequence[float], X: MatrixLike, y: ArrayLike, sample_weight: PerRow
    ) -> list[Self]:
        """The fits from the strongest to the weakest; each begins with the features of the previous one."""
        first = self._unfitted(strength=max(strengths))
        limits = Limits(first._objectives(*first._start_fit(X, y, sample_weight))[0])
        fits = {}
        for i in sorted(range(len(strengths)), key=lambda i: -strengths[i]):
            fits[i] = copy.copy(first)
            fits[i].strength = strengths[i]
            fits[i]._learn(limits)
        return [fits[i] for i in range(len(strengths))]

    def _learn(self, limits: Limits) -> Self:
        solution = limits.solved(float(self.strength))
        theta, d = limits.gram.theta(solution.w[None])[0], self.n_features_in_
        self.coef_, self.intercept_ = theta[:d], float(theta[d]) if self.fit_intercept else 0.0
        self.dual_variables_ = solution.u
        done = solution.certificate <= TOLERANCE
        gap = f"with a relative duality gap of {solution.certificate:.1e}"
        reason = f"{solution.ending} {gap}; standardize X, or give a larger strength."
        return self._record(
            "converged" if done else "max_iter",
            "" if done else reason,
            objective=float(np.abs(solution.w).sum()),
            certificate=solution.certificate,
            certificate_kind="duality_gap",
            n_iter=solution.steps,
        )


class Found(NamedTuple):
    w: Array
    u: Array
    certificate: float
    steps: int  # of the simplex method
    ending: str


class Limits:
    """|c − Gw| ≤ strength for given rows, at any strengths."""

    def __init__(self, objective: Objective):
        self.gram = gram_of(objective)
        self.c, self.spread = self.gram.covariances(), self.gram.deviations()
        self.size = float(np.sqrt(self.gram.variance[0]))
        self.walk = Walk(self.gram, self.c)  # along the path of the lasso
        self.first = self.walk.level
        self.joined = np.empty(0, dtype=int)

    def solved(self, strength: float) -> Found:
        d, steps, ending = len(self.c), 0, "the linear programs ended"
        w, u = np.zeros(d), np.zeros(d)
        new = self._of_the_lasso(strength)
        while len(new):
            self.joined = J = np.union1d(self.joined, new)
            result = self._program(J, strength)
            steps += int(result.nit)
            if result.x is None:
                ending = f"HiGHS gave up (status {result.status})"
                break
            up, down, _ = np.split(result.x, 3)
            w[J] = (up - down) * self.size / self.spread[J]
            u[J] = result.eqlin.marginals / (self.spread[J] * self._unit(J))
            new = self._broken(w, u, strength)
        return Found(w, *self._gap(w, u, strength), steps, ending)

    def _of_the_lasso(self, strength: float) -> Array:
        if strength >= self.first:
            return np.empty(0, dtype=int)
        end = max(strength, MIN_LEVEL * self.first)
        while self.walk.next_kink() > end and self.walk.kinks < Homotopy.limit:
            self.walk.go()
        return self.walk.support

    def _program(self, J: Array, strength: float) -> Any:
        """The program of some features of deviation 1, over (w⁺, w⁻, c − Gw)."""
        from scipy.optimize import linprog  # slow to import

        spread, size = self.spread[J], self.size
        G = sparse.csc_array(self.gram.among(J) / np.outer(spread, spread))
        cost, limit = self._unit(J) / spread, strength / (spread * size)
        signed = [(0, None)] * (2 * len(J))
        return linprog(
            np.concatenate([cost, cost, np.zeros(len(J))]),
            A_eq=sparse.hstack([G, -G, sparse.eye_array(len(J))], format="csc"),
            b_eq=self.c[J] / (spread * size),
            bounds=[*signed, *zip(-limit, limit, strict=True)],
            method="highs",
            options={
                "primal_feasibility_tolerance": PROGRAM_TOL,
                "dual_feasibility_tolerance": PROGRAM_TOL,
            },
        )

    def _unit(self, J: Array) -> float:
        """A deviation in whose units the costs are near 1."""
        return float(np.exp(np.log(self.spread[J]).mean()))

    def _broken(self, w: Array, u: Array, strength: float) -> Array:
        """The features outside whose limits are broken most, in the program or in its dual."""
        here = (np.abs(self.c - self.gram.times(w)) - strength) / (self.spread * self.size)
        there = np.where(np.isfinite(self.spread), np.abs(self.gram.times(u)) - 1, 0)
        for excess in (here, there):
            excess[self.joined] = 0
        return np.union1d(*map(_largest, (here, there)))

    def _gap(self, w: Array, u: Array, strength: float) -> tuple[Array, float]:
        """(u scaled to its limits, relative gap).

        Where w breaks limits by up to e, the minimum may be lower by about e·‖u‖₁; twice that is added to the gap.
        """
        u = u / max(1.0, float(np.abs(self.gram.times(u)).max(initial=0)))
        excess = float(np.maximum(np.abs(self.c - self.gram.times(w)) - strength, 0).max())
        if not excess and not w.any():
            return u, 0.0
        value, sum_u = float(np.abs(w).sum()), float(np.abs(u).sum())
        gap = max(value - float(self.c @ u) + strength * sum_u, 0.0) + 2 * excess * sum_u
        share = gap / value if value else 0.0
        return u, max(share, excess / self.first)


def _largest(excess: Array) -> Array:
    order = np.argsort(-excess, kind="stable")[:MAX_JOINING_FEATURES]
    return order[excess[order] > BROKEN]
