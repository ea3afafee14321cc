"""Linear discriminant analysis: Gaussian classes with one covariance,  z_k = θ_kᵀx − A(θ_k) + ln π_k.

θ_k = Σ⁻¹(m_k − m), A(θ_k) = ½ θ_kᵀ(m_k − m) about the overall mean m, with the means m_k, and Σ
the scatter within the classes over N − K (covariance='unbiased') or N ('maximum_likelihood').
Nothing is shrunk. Where Σ has no inverse its pseudo-inverse answers, and status_ says so:
directions in which no class has any spread are left out, even one that would separate them.
Weights count rows: a weight of 2 is the row twice.   Hastie, Tibshirani & Friedman (2009), §4.3
"""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.conventions import (
    LinearScores,
    Matrix,
    NotApplicable,
    SoftmaxProbabilities,
    require_memory,
)
from linclass.families.tied_gaussian import TiedGaussian
from linclass.geometry import LinearGeometry
from linclass.moments import residual_rows, within_scatter
from linclass.priors import Priors, check_priors, class_priors, log_priors
from linclass.spread import Spread

LOST = {"unbiased": 1, "maximum_likelihood": 0}  # degrees of freedom that each class mean takes


class LinearDiscriminantAnalysis(LinearScores, SoftmaxProbabilities, LinearGeometry):
    def __init__(self, priors: Priors = None, covariance: str = "unbiased"):
        self.priors = priors
        self.covariance = covariance

    def check(self) -> None:
        check_priors(self.priors)
        if self.covariance not in LOST:
            raise ValueError(
                f"covariance is {self.covariance!r}; it must be 'unbiased' (over N − K) or "
                "'maximum_likelihood' (over N)."
            )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        X, codes, weights = self._start_fit(X, y, sample_weight)
        mass, self.means_, spread = self._spread(X, codes, weights)
        self.priors_ = class_priors(self.priors, mass)
        family = TiedGaussian(spread)
        centre = mass @ self.means_ / mass.sum()
        M = self.means_ - centre
        theta = family.natural(M)
        b = log_priors(self.priors_) - family.log_normalizer(theta) - theta @ centre
        self._set_scores(theta, b)
        self.rank_ = spread.rank
        if self.rank_ == X.shape[1]:
            return self._record(certificate=_residual(spread, theta, M))
        reason = (
            f"the covariance within the classes has rank {self.rank_} of {X.shape[1]}; "
            "directions without spread are left out (pseudo-inverse)"
        )
        return self._record("rank_deficient", reason, certificate=_residual(spread, theta, M))

    def _spread(
        self, X: Matrix, codes: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Spread]:
        """(mass, means, factors of Σ), from whichever is smaller: the rows, or the matrix."""
        (n, d), K = X.shape, len(self.classes_)
        freedom = weights.sum() - LOST[self.covariance] * K
        if freedom <= 0 and n > K:
            raise NotApplicable(
                f"weights sum to {weights.sum():g}, so N − K is not positive; weights count rows "
                "here. Scale them up, or use covariance='maximum_likelihood'."
            )
        freedom = max(freedom, 1)  # one row in each class: no spread, whatever it is divided by
        wide = n - K < d
        if sp.issparse(X) or not wide:
            what = f"{type(self).__name__} needs a dense {d} × {d} covariance"
            require_memory(8 * d * d, what)
            require_memory(4 * 8 * d * d, f"{what} and its factors")
        gather, factors, power = (
            (residual_rows, Spread.of_rows, 0.5)
            if wide
            else (within_scatter, Spread.of_covariance, 1)
        )
        mass, means, spread = gather(X, codes, weights, K)
        rounding = 1e-14 * np.abs(means).max(axis=0)
        return mass, means, factors(spread / freedom**power, rounding)


def _residual(spread: Spread, theta: np.ndarray, M: np.ndarray) -> float:
    """‖Σθ − m‖ / ‖m‖ in whitened coordinates: how well the linear equations are solved."""
    wanted = M @ spread.whitener
    size = np.linalg.norm(wanted)
    missed = np.linalg.norm(spread.times(theta) @ spread.whitener - wanted)
    return float(missed / size) if size > 0 else 0.0
