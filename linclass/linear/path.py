"""The strengths of a regularization path: by default in equal ratios, from the strongest that matters.

At W = 0 and the best intercept let L₀ be the mean loss and G its gradient in W, of the loss L of a fit with the penalty
R at strength λ.

nonsmooth    λ_max = max {⟨G, W⟩ : R(W) ≤ 1}, the least strength at which all penalized weights are 0: the largest
             |g_j| for L1, the largest |g_j|/ρ for the elastic net, the largest norm of a group
smooth       λ_max = ‖G‖²/(ε L₀) with ε = 1 %: the fit at λ_max lowers the loss of the intercept by at most 1 %, as

                 −λW ∈ ∂L(W)  ⇒  λ‖W‖² ≤ −⟨G, W⟩  ⇒  ‖W‖ ≤ ‖G‖/λ  ⇒  L₀ − L ≤ −⟨G, W⟩ ≤ ‖G‖²/λ

             for convex L. Both bounds are reached as λ → ∞. With factors, ‖G‖² is 2R*(G) = Σ g_j²/f_j.

A nonsmooth loss has many subgradients G there, each of which bounds λ_max from above; for piecewise linear losses of
one score with L1 or elastic net a linear program gives the smallest. Unpenalized features belong to the
intercept.   Friedman, Hastie & Tibshirani (2010), §2.5
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from linclass.base.arrays import ROUNDED_COSINE, Array, as_dense
from linclass.base.many_fits import COUNT
from linclass.base.parts import find
from linclass.linear.objective.objective import Objective
from linclass.linear.solvers.base import choose_solver
from linclass.linear.solvers.starts import best_intercept, bisected

DECADES = {True: 5.0, False: 7.0}  # that it spans, for nonsmooth penalties and smooth ones
EXPLAINED = 0.01  # share of the loss of the intercept that the strongest fit explains, at most
NOTHING = 1e-12  # loss that is rounding, as of the perceptron, in units of squared slopes
UNPENALIZED_TOL = 1e-12  # tolerance of the fit of unpenalized features
BOUND_MARGIN = 1e-10  # by which the strongest exceeds the bound
OF_PROGRAM = 1e-6  # the same for a fit by a linear program
MAX_PROGRAM_ENTRIES = 1_000_000  # numbers of the program, up to which it does


class InterceptFit(NamedTuple):
    """The best fit without penalized features: its mean loss, and slopes of the rows with Σ w s = 0."""

    loss: float
    slopes: Array


def from_data(
    objectives: Sequence[Objective], count: int = COUNT, decades: float | None = None
) -> Array:
    """`count` strengths, from the strongest, that suit every one of the objectives."""
    kinked = objectives[0].chosen_penalty.kinked
    return downwards(max(map(strongest, objectives)), kinked, count, decades)


def downwards(top: float, kinked: bool, count: int = COUNT, decades: float | None = None) -> Array:
    """Strengths from the top; from 1 if there is nothing to penalize."""
    top = top or 1.0
    return np.geomspace(
        top, top * 10.0 ** -(DECADES[kinked] if decades is None else decades), count
    )


def strongest(objective: Objective) -> float:
    """λ_max; 0 if the features have nothing to explain."""
    penalty, w = objective.chosen_penalty, objective.weights
    fit = intercept_fit(objective)
    if fit.loss <= NOTHING * float((fit.slopes**2 @ w).sum()):
        return 0.0
    if objective.design.is_kernel:
        return explaining(2 * penalty.value(w * fit.slopes), fit.loss)
    G = gradient(objective, fit.slopes)
    if not penalty.kinked:
        return explaining(2 * penalty.conjugate(G), fit.loss)
    linear = objective.loss.piecewise_linear and penalty.entrywise
    small = (
        objective.design.n_rows * max(objective.design.width, objective.design.n_rows)
        <= MAX_PROGRAM_ENTRIES
    )
    if linear and small and penalty.unpenalized is None:
        return least_kink(objective, fit) * (1 + OF_PROGRAM)
    return penalty.dual_norm(G) * (1 + BOUND_MARGIN)


def explaining(square: float, loss: float, share: float = EXPLAINED) -> float:
    """The strength from which on the fit explains at most this share of the loss: ‖G‖²/(ε L₀)."""
    return square / (share * loss)


def gradient(objective: Objective, slopes: Array) -> Array:
    """G of the penalized weights, about the mean of the rows if there is an intercept; rounding errors are 0."""
    design, w, d = objective.design, objective.weights, objective.design.n_features
    g = design.pull(w * slopes)
    G = g[..., :d]
    if design.intercept:
        G = G - g[..., d:] * (design.XT @ w)
    most = design.column_norms(w)[:d] * (slopes**2 @ w).sum() ** 0.5
    G = np.where(np.abs(G) > ROUNDED_COSINE * most, G, 0)
    free = objective.chosen_penalty.unpenalized
    return G if free is None else np.where(free, 0, G)


def intercept_fit(objective: Objective) -> InterceptFit:
    loss, y, w, n = objective.loss, objective.y, objective.weights, objective.design.n_rows
    free = objective.chosen_penalty.unpenalized
    if free is not None:
        few = Objective(objective.design.take_features(np.flatnonzero(free)), loss, y, w)
        solution = find("solvers", choose_solver(few))(tol=UNPENALIZED_TOL).solve(few, few.zero())
        point, slopes = few.at(solution.theta), solution.slopes
        return InterceptFit(point.loss_value, point.slopes if slopes is None else slopes)
    if not objective.design.intercept:
        scores = np.zeros((*objective.shape[:-1], n))
    elif loss.kind == "twice-smooth":
        scores = best_intercept(objective).scores
    elif len(objective.shape) == 1:
        return _fit_of_one_score(objective)
    elif loss.simplicial:
        return _fit_of_simplicial_loss(objective)
    else:  # K scores of a loss that may not be convex, or whose minimum is 0
        from scipy.optimize import minimize  # slow to import

        def at(b: Array) -> tuple[float, Array]:
            Z = np.repeat(b[:, None], n, axis=1)
            return float(w @ loss.values(y, Z)), loss.slopes(y, Z) @ w

        b = minimize(at, np.zeros(objective.shape[0]), jac=True, options={"gtol": 1e-12}).x
        scores = np.repeat(b[:, None], n, axis=1)
    return InterceptFit(float(w @ loss.values(y, scores)), loss.slopes(y, scores))


def _fit_of_one_score(objective: Objective) -> InterceptFit:
    """The fit of one score. Its slopes are the mean of those on both sides of the best intercept with Σ w s = 0."""
    loss, y, w, n = objective.loss, objective.y, objective.weights, objective.design.n_rows

    def slopes(b: float) -> Array:
        return np.asarray(loss.slopes(y, np.full(n, b)))

    low, high = bisected(lambda b: float(w @ slopes(b)), float(np.abs(y).max()) or 1.0)
    below, above = slopes(low), slopes(high)
    fall, rise = -float(w @ below), float(w @ above)
    share = fall / (fall + rise) if fall + rise > 0 else 0.0
    mean = float(w @ loss.values(y, np.full(n, low)))
    return InterceptFit(mean, (1 - share) * below + share * above)


def _fit_of_simplicial_loss(objective: Objective) -> InterceptFit:
    """The fit of K scores with slopes p − e_y, p on the simplex. Each class has one p, and they maximize the dual
    of the fit of the intercepts,  Σ π_k (1 − p_kk)  with  Σ π_k p_k = π.  It is the mean loss.
    """
    from scipy.optimize import linprog  # slow to import

    y, w, K = objective.y, objective.weights, objective.shape[0]
    mass = np.bincount(y, w, K)
    each, eye = np.kron(np.eye(K), np.ones(K)), np.eye(K)
    balance = np.hstack([m * eye for m in mass])
    program = linprog(
        np.diag(mass).ravel(), A_eq=np.vstack([each, balance]), b_eq=np.append(np.ones(K), mass)
    )
    slopes = (program.x.reshape(K, K) - eye)[y].T
    return InterceptFit(float(1 - program.fun), slopes)


def least_kink(objective: Objective, fit: InterceptFit) -> float:
    """The least t with  |Σ_i w_i s_i (x_ij − x̄_j)| ≤ t κ_j  for slopes s = Σ_p μ_p a_p of a dual optimum of the
    intercept fit:  Σ w s = 0  and  Σ_i w_i Σ_p μ_pi c_pi = L₀  over the pieces a_p z + c_p of the loss, Σ_p μ_p ≤ 1.
    """
    from scipy.optimize import linprog  # slow to import

    design, w, n = objective.design, objective.weights, objective.design.n_rows
    slopes, constants = objective.loss.pieces(objective.y)
    X = as_dense(design.X)
    X = X - w @ X if design.intercept else X
    kinks = np.broadcast_to(objective.chosen_penalty.kink, (1, X.shape[1])).T
    pushes = np.hstack([(X * (w * a)[:, None]).T for a in slopes])
    one = np.hstack([np.tile(np.eye(n), len(slopes)), np.zeros((n, 1))])
    at_most_t = np.vstack([np.hstack([pushes, -kinks]), np.hstack([-pushes, -kinks])])
    value = np.append((w * constants).ravel(), 0)
    program = linprog(
        np.append(np.zeros(slopes.size), 1.0),
        A_ub=sparse.csr_array(np.vstack([at_most_t, one])),
        b_ub=np.append(np.zeros(2 * X.shape[1]), np.ones(n)),
        A_eq=np.vstack([np.append((w * slopes).ravel(), 0), value])[not design.intercept :],
        b_eq=np.array([0.0, fit.loss])[not design.intercept :],
    )
    upper = objective.chosen_penalty.dual_norm(gradient(objective, fit.slopes))
    return upper if program.x is None else min(upper, float(program.x[-1]))
