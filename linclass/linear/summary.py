"""Standard errors and deviance of a maximum likelihood fit, and the table that R's glm prints.

With the information I at the maximum, θ̂ has covariance I⁻¹, z = θ̂_j/√(I⁻¹)_jj and p = 2Φ(−|z|). It is observed or
expected over the classes, as in Fisher scoring and R's glm,

    I_obs = Σw · ∇²P,    I_exp = Σ_i w_i Σ_y P(y | x_i) (∂ℓ(y, z_i)/∂z)² x_i x_iᵀ,

which are equal where ∂²ℓ/∂z² does not depend on y, as with logistic regression but not with the probit. The deviance
is 2Σw · P = −2 ln L (a saturated model of single rows has ln L = 0).
McCullagh & Nelder (1989), §2.3 and §4.4
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import entr, ndtr

from linclass.base.arrays import Array
from linclass.base.numerics import Inverse
from linclass.base.validation import as_counts
from linclass.linear.linear_model import is_penalized, loss_of
from linclass.linear.objective.coordinates import centred
from linclass.linear.objective.objective import Objective, Point
from linclass.linear.solvers.base import Solution
from linclass.linear.solvers.starts import best_intercept

LARGEST_SUMMARY = 500  # parameters up to which their covariance is kept
INFLATED = 1e8  # inflation that costs half of the digits of a variance
DIGITS = 4  # significant digits of the smallest number of a column
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."), (1.0, " "))


@dataclass(frozen=True)
class Information:
    """The information matrix and deviance that a fit keeps for its summary."""

    theta: Array
    covariance: dict[str, Array]  # of theta.ravel(), by the expected and the observed information
    deviance: float
    null_deviance: float
    n_rows: int
    intercept: bool
    inflation: float  # largest ratio of a variance to that if the other parameters were known

    @classmethod
    def at(cls, point: Point, codes: Array, weights: Array) -> Information | None:
        """The information at a point; None if features are linearly dependent.

        `weights` are not normalized: two rows of weight 1 carry the same information as one of
        weight 2.
        """
        objective = point.objective
        assert isinstance(objective, Objective)
        total = float(weights.sum())
        theta, H = np.atleast_2d(point.theta), point.hessian
        if 1 < len(theta) == codes.max() + 1:  # K rows of parameters: K − 1 are identified
            theta = theta[:-1] - theta[-1]
            H = H[: theta.size, : theta.size]
        inverse = {"observed": Inverse(total * H)}
        canonical = objective.loss.canonical
        inverse["expected"] = (
            inverse["observed"] if canonical else Inverse(total * expected_hessian(point))
        )
        if any(one.rank is not None for one in inverse.values()):
            return None
        share = np.bincount(codes, weights) / total
        intercept = objective.design.intercept
        null = float(entr(share).sum()) if intercept else np.log(len(share))
        if objective.without_offset is not objective:
            alone = best_intercept(objective) if intercept else objective.at(objective.zero())
            null = alone.loss_value
        covariance = {kind: one.times(np.eye(theta.size)) for kind, one in inverse.items()}
        return cls(
            theta,
            covariance,
            2 * total * point.value,
            2 * total * null,
            len(codes),
            intercept,
            total * float((H.diagonal() * covariance["observed"].diagonal()).max()),
        )

    def uncentred(self, mean: Array) -> Information:
        """The information of the features themselves, from that of centred features: b = u − x̄·w."""
        move = np.eye(len(mean) + 1)
        move[-1, :-1] = -mean
        wide = np.kron(np.eye(len(self.theta)), move)
        covariance = {kind: wide @ C @ wide.T for kind, C in self.covariance.items()}
        return replace(self, theta=self.theta @ move.T, covariance=covariance)

    def against_first_class(self, kind: str) -> tuple[Array, Array]:
        """(estimates, covariance by that information) of the parameters of each class relative to the first.

        The fit sets the last of K classes to zero; for two classes its one row is this contrast
        already. The intercept comes first, as in R.
        """
        K1, width = self.theta.shape
        contrast = np.eye(1)
        if K1 > 1:
            contrast = np.eye(K1, k=1)
            contrast[:, 0] = -1
        order = np.roll(np.eye(width), 1, axis=0) if self.intercept else np.eye(width)
        wide = np.kron(contrast, order)
        return wide @ self.theta.ravel(), wide @ self.covariance[kind] @ wide.T


def expected_hessian(point: Point) -> Array:
    """∇²P with each ∂²ℓ/∂z² replaced by its mean over both classes, Σ_y P(y | x) (∂ℓ/∂z)²."""
    objective, opposite = point.objective, point.objective.y.copy()
    target = opposite["target"] if opposite.dtype.names else opposite  # with or without offsets
    target *= -1
    mean = np.zeros_like(point.scores)
    for y in (objective.y, opposite):
        value, slope, _ = objective.loss.jet(y, point.scores)
        mean += np.exp(-value) * slope**2
    return objective.hessian(mean)


class Summary:
    """Table of coefficients; `print` shows it.

    Attributes
    ----------
    table : record array
        name, estimate, std_error, z and p of each parameter.
    information : str
        'expected' or 'observed', from which the standard errors follow.
    deviance, null_deviance, aic : float
        Deviance of the fit and of the intercept alone; Akaike's criterion.
    df_residual, df_null : int
        Degrees of freedom of the deviances, from the n(K − 1) of the saturated model.
    """

    def __init__(self, information: Information, names: Sequence[str], kind: str, steps: str):
        estimate, covariance = information.against_first_class(kind)
        error = np.sqrt(np.diag(covariance))
        z = estimate / error
        columns = (list(names), estimate, error, z, 2 * ndtr(-np.abs(z)))
        fields = [("name", object), *((f, float) for f in ("estimate", "std_error", "z", "p"))]
        self.table = np.rec.fromarrays(columns, dtype=np.dtype(fields))
        self.deviance, self.null_deviance = information.deviance, information.null_deviance
        free = information.n_rows * len(information.theta)  # parameters of the saturated model
        self.df_null = free - len(information.theta) * information.intercept
        self.df_residual = free - estimate.size
        self.aic = self.deviance + 2 * estimate.size
        self.information, self.steps = kind, steps
        self.family = "binomial" if len(information.theta) == 1 else "multinomial"

    def __str__(self) -> str:
        t = self.table
        numbers = _fixed(np.column_stack([t.estimate, t.std_error]))
        stars = [next(mark for level, mark in STARS if p <= level) for p in t.p]
        columns = [
            ("", list(t.name)),
            ("Estimate", list(numbers[:, 0])),
            ("Std. Error", list(numbers[:, 1])),
            ("z value", [f"{z:.3f}" for z in t.z]),
            ("Pr(>|z|)", _p_values(t.p)),
            ("   ", [f"{mark:<3}" for mark in stars]),
        ]
        widths = [max(map(len, [head, *cells])) for head, cells in columns]
        rows = [[head for head, _ in columns], *zip(*(cells for _, cells in columns), strict=True)]
        lines = [
            " ".join([f"{name:<{widths[0]}}", *map(str.rjust, cells, widths[1:])]).rstrip()
            for name, *cells in rows
        ]
        wide = max(len(f"{d:.2f}") for d in (self.null_deviance, self.deviance))
        of = "degrees of freedom"
        return "\n".join(
            [
                "Coefficients:",
                *lines,
                "---",
                "Signif. codes:  0 '***' 0.001 '**' 0.01 '*' 0.05 '.' 0.1 ' ' 1",
                "",
                f"(Dispersion parameter for {self.family} family taken to be 1)",
                "",
                f"    Null deviance: {self.null_deviance:{wide}.2f}  on {self.df_null}  {of}",
                f"Residual deviance: {self.deviance:{wide}.2f}  on {self.df_residual}  {of}",
                f"AIC: {self.aic:.2f}",
                "",
                f"Standard errors: {self.information} information",
                f"Number of iterations: {self.steps}",
            ]
        )

    __repr__ = __str__


def _fixed(values: Array) -> Array:
    """The values as R prints them, with as many decimals as give the smallest one DIGITS significant digits."""
    size = np.abs(values[np.isfinite(values) & (values != 0)])
    decimals = max(0, DIGITS - 1 - int(np.floor(np.log10(size.min())))) if size.size else 0
    return np.array([[f"{v:.{min(decimals, 10)}f}" for v in row] for row in values])


def _p_values(p: Array) -> list[str]:
    plain = p >= 1e-3
    decimals = 2 - int(np.floor(np.log10(p[plain].min()))) if plain.any() else 3
    return [
        f"{v:.{decimals}f}" if v >= 1e-3 else f"{v:.2e}" if v >= 2.2e-16 else "<2e-16" for v in p
    ]


def information_of(
    objective: Objective, solution: Solution, codes: Array, weights: Array
) -> Information | None:
    """The information at the optimum of an unpenalized fit; None if it does not determine the parameters."""
    regular = solution.converged and solution.rank is None and not objective.strength
    if not regular or objective.n_parameters > LARGEST_SUMMARY:
        return None
    weights = as_counts(weights)
    information = Information.at(solution.point_of(objective), codes, weights)
    if information is not None and information.inflation <= INFLATED:
        return information
    if (near := centred(objective)) is not None:  # the rows are far from 0
        point = near.objective.at(near.units.coordinates(solution.theta))
        information = Information.at(point, codes, weights)
        return information and information.uncentred(near.units.mean)
    return information


def summary_of(model: Any, kind: str) -> Summary:
    """The summary of a fitted classifier, or ValueError, with one sentence, if it has no standard errors."""
    if kind not in ("expected", "observed"):
        raise ValueError(f"information is {kind!r}; use 'expected' or 'observed'.")
    information = getattr(model, "_information", None)
    if information is not None:
        steps = f"{model.n_iter_} ({model.solver_})"
        return Summary(information, _parameter_names(model), kind, steps)
    model._require_fit()
    if is_penalized(model):
        why = f"penalty is {model.penalty!r}, which biases the fit. Use penalty=None."
    elif model.status_ != "converged":
        why = f"status_ is {model.status_!r}: {model.reason_}"
    elif len(model.classes_) > 2 and not loss_of(model).joint:
        why = "one class against the rest has no common likelihood. Use loss='logistic'."
    else:
        why = f"{model.coef_.size} parameters; a covariance is kept up to {LARGEST_SUMMARY}."
    raise ValueError(f"no standard errors: {why}")


def _parameter_names(model: Any) -> list[str]:
    n = model.n_features_in_
    features = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(n)]))
    first = ["(Intercept)", *features] if model.fit_intercept else features
    if len(model.classes_) == 2:
        return first
    return [f"{c}:{name}" for c in model.classes_[1:] for name in first]
