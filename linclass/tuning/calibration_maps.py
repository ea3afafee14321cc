"""Maps from scores to probabilities: Platt's sigmoids, isotonic functions, and a temperature."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, isotonic_regression
from scipy.special import log_expit, softmax

from linclass.base.arrays import Array
from linclass.base.design_matrix import DesignMatrix
from linclass.base.messages import counted
from linclass.linear.losses.margin import Logistic
from linclass.linear.objective.objective import Objective
from linclass.linear.penalties.entrywise import Unpenalized
from linclass.linear.solvers.newton import Newton


def against_the_rest(Z: Array, codes: Array) -> Iterator[tuple[Array, Array]]:
    """(scores of a class, its rows) of each class, or of the second of two."""
    if Z.shape[1] == 2:
        yield Z[:, 1] - Z[:, 0], codes == 1
    else:
        for k, z in enumerate(Z.T):
            yield z, codes == k


# Platt's sigmoid  P(class | z) = σ(a z + b)  for scores z of held-out rows.
#
# (a, b) maximizes the likelihood of the targets (N₊ + 1)/(N₊ + 2) and 1/(N₋ + 2) instead of 1 and 0, the
# posterior means under a uniform prior, with N the weights of the two sides. With them a finite maximum exists for any
# scores. Two classes share one sigmoid; K classes have one each, against the rest, and their probabilities are divided
# by their sum.
# Platt (2000), Advances in Large Margin Classifiers, ch. 5; Lin, Lin & Weng (2007), Machine Learning 68;
# Zadrozny & Elkan (2002), KDD, on more than two classes


class FittedSigmoid(NamedTuple):
    slope: float
    offset: float
    converged: bool = True
    certificate: float = 0.0  # gradient_cosine of the likelihood
    n_iter: int = 0


class PlattSigmoids:
    """One sigmoid for two classes, K for K."""

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        self.sigmoids = [sigmoid(z, own, weights) for z, own in against_the_rest(Z, codes)]
        slopes = np.array([found.slope for found in self.sigmoids])
        offsets = np.array([found.offset for found in self.sigmoids])
        self.fitted = {"slopes_": slopes, "offsets_": offsets}
        self.status, self.reason = "converged", ""
        worst = max(self.sigmoids, key=lambda found: (not found.converged, found.certificate))
        if not worst.converged:
            self.status = "max_iter"
            self.reason = (
                f"Newton's method for a sigmoid stopped after {counted(worst.n_iter, 'step')} with a "
                f"gradient_cosine of {worst.certificate:.1e}; standardize the scores"
            )

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more the logarithms (n, K) of what is divided by its sum."""
        slopes, offsets = self.fitted["slopes_"], self.fitted["offsets_"]
        if len(slopes) == 1:
            return np.asarray((Z[:, 1] - Z[:, 0]) * slopes[0] + offsets[0])
        return np.asarray(log_expit(Z * slopes + offsets))


def sigmoid(z: Array, own: Array, w: Array) -> FittedSigmoid:
    """Each row counts for both classes, by its target: a weighted logistic regression."""
    middle, scale = float(z.mean()), float(z.std()) or 1.0
    n_own, n_other = w[own].sum(), w[~own].sum()
    target = np.where(own, (n_own + 1) / (n_own + 2), 1 / (n_other + 2))
    x = ((z - middle) / scale)[:, None]
    if (x == x[0]).all():  # constant scores: the class frequency
        share = np.average(target, weights=w)
        return FittedSigmoid(0.0, float(np.log(share / (1 - share))))
    signs = np.repeat([1.0, -1.0], len(z))
    both = np.concatenate([w * target, w * (1 - target)])
    P = Objective(DesignMatrix(np.vstack([x, x])), Logistic(), signs, both, Unpenalized())
    found = Newton(tol=1e-8).solve(P, P.zero())
    a, b = found.theta
    slope, offset = float(a / scale), float(b - a * middle / scale)
    return FittedSigmoid(slope, offset, found.converged, found.certificate, found.n_iter)


# Isotonic calibration: the nondecreasing function of the score that is nearest to the classes of held-out rows,
#
#     f = argmin Σ w_i (t_i − f(z_i))²,   z_i ≤ z_j ⇒ f(z_i) ≤ f(z_j),   t = 1 for the class, else 0.
#
# f is the projection of t onto a convex cone, constant on blocks of neighbouring scores, where it is the mean of t.
# Between blocks it is interpolated linearly, and beyond the ends it is constant. Two classes share one function;
# K classes have one each, against the rest, and their probabilities are divided by their sum.
#
# A probability of 0 or 1 would have an infinite score: it is kept ε = 2.2·10⁻¹⁶ away from them.
# Zadrozny & Elkan (2002), KDD; Ayer et al. (1955), Annals of Mathematical Statistics 26, on the algorithm

EPSILON = float(np.finfo(float).eps)


class Increasing(NamedTuple):
    """A nondecreasing function, by the scores at the ends of its blocks and its values there."""

    scores: Array
    values: Array

    def __call__(self, z: Array) -> Array:
        return np.asarray(np.interp(z, self.scores, self.values))


class IsotonicFunctions:
    """One function for two classes, K for K."""

    status, reason = "converged", ""  # in finitely many steps

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        self.functions = [isotonic(z, own, weights) for z, own in against_the_rest(Z, codes)]
        self.fitted = {"functions_": self.functions}

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more the logarithms (n, K) of what is divided by its sum."""
        if len(self.functions) == 1:
            p = np.clip(self.functions[0](Z[:, 1] - Z[:, 0]), EPSILON, 1 - EPSILON)
            return np.asarray(np.log(p) - np.log1p(-p))
        P = np.column_stack([f(z) for f, z in zip(self.functions, Z.T, strict=True)])
        return np.asarray(np.log(np.maximum(P, EPSILON)))


def isotonic(z: Array, t: Array, weights: Array) -> Increasing:
    """The projection; rows of equal score have one value."""
    at, place = np.unique(z, return_inverse=True)
    mass = np.bincount(place, weights)
    fit = isotonic_regression(np.bincount(place, weights * t) / mass, weights=mass)
    ends = np.unique([fit.blocks[:-1], fit.blocks[1:] - 1])
    return Increasing(at[ends], fit.x[ends])


# Temperature scaling:  P(k | x) ∝ exp(z_k/T),  one temperature T > 0 for all classes,
#
# which maximizes the likelihood of held-out rows. With β = 1/T minus its logarithm is convex in β,
#
#     L(β) = Σ w_i (ln Σ_k e^{β z_ik} − β z_i,y_i),   L′(β) = Σ w_i (E_β[z_i] − z_i,y_i),
#
# and the root of L′ is the only optimum. The order of the classes stays as it is, and so does every prediction. L has
# no minimum if every held-out row scores highest for its class (β → ∞), nor one above 0 if the true class has on
# average no higher score than the others: β is sought between 10⁻⁴ and 10⁴, in units of the inverse deviation of the
# scores within a row.
# Guo, Pleiss, Sun & Weinberger (2017), ICML

# β in units of the inverse deviation of scores; its inverse is the smallest
MAX_INVERSE_TEMPERATURE = 1e4


class Temperature:
    """The temperature of given rows."""

    def __init__(self, Z: Array, codes: Array, weights: Array):
        """Z (n, K) scores of held-out rows; −z/2 and z/2 for two classes."""
        self.status, self.reason = "converged", ""
        Z = Z - Z.mean(axis=1, keepdims=True)
        unit = float(np.sqrt(np.average((Z**2).mean(axis=1), weights=weights))) or 1.0
        Z, own = Z / unit, Z[np.arange(len(codes)), codes] / unit

        def slope(log_beta: float) -> float:
            expected = (softmax(np.exp(log_beta) * Z, axis=1) * Z).sum(axis=1)
            return float(weights @ (expected - own))

        low, high = -np.log(MAX_INVERSE_TEMPERATURE), np.log(MAX_INVERSE_TEMPERATURE)
        if slope(low) >= 0:  # the scores say nothing, or the opposite
            log_beta = low
        elif slope(high) <= 0:
            log_beta = high
            self.status = "separable"
            self.reason = (
                "held-out rows score highest for their classes, so the likelihood rises while the "
                "temperature falls to 0; use method='sigmoid', whose targets are smoothed"
            )
        else:
            log_beta = brentq(slope, low, high, xtol=1e-14, rtol=1e-14)
        self.temperature = unit * float(np.exp(-log_beta))
        self.fitted = {"temperature_": self.temperature}

    def decision(self, Z: Array) -> Array:
        """Log-odds (n,) of two classes; for more z/T (n, K), whose softmax are the probabilities."""
        Z = Z / self.temperature
        return Z[:, 1] - Z[:, 0] if Z.shape[1] == 2 else Z
