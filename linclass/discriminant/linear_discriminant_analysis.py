"""Linear discriminant analysis: Gaussian classes with one covariance,  z_k = θ_kᵀ(x − m) − A(θ_k) + ln π_k.

θ_k = Σ⁻¹(m_k − m), A(θ_k) = ½ θ_kᵀ(m_k − m), with the class means m_k, the mean m of all rows, and Σ the
scatter within the classes over N − K or N, optionally shrunk to (1 − α)Σ + α (tr Σ/d) I. If Σ is
singular its pseudo-inverse is used, and status_ says so: directions in which no class has any variance
are left out, even one that would separate them. Weights are frequency weights: weight 2 is the same as two rows.
With more features than rows only products of rows are needed; sparse rows stay sparse.

`transform` gives discriminant coordinates Vᵀ(x − c), c = Σ_k π_k m_k, along the directions v_r that maximize
vᵀBv / vᵀΣv with vᵀΣv = 1, B = Σ_k π_k (m_k − c)(m_k − c)ᵀ. The v_r are combinations of the θ_k, so the eigenvectors
of a matrix (K, K) give them.

Predicts: log-odds, linear in x, probabilities and discriminant coordinates.
Cost: O(n d min(n, d)); O(n d) if diagonal or spherical.
Certificate: closed form.
Reference: Hastie, Tibshirani & Friedman (2009), §4.3; Ledoit & Wolf (2004).
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin

from linclass.base.arrays import ArrayLike, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities, only_if
from linclass.base.linear_scores import Coordinates, LinearScores
from linclass.base.messages import NotApplicable
from linclass.base.validation import as_counts
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import (
    TiedCovariances,
    check_ddof,
    check_share,
    missing_rank,
    tied_form,
)
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    log_priors,
)
from linclass.discriminant.ledoit_wolf import optimal_shrinkage

COVARIANCE_TYPES = ("full", "diag", "spherical")
FROM_ROWS = (
    "shrinkage='ledoit_wolf' is estimated from rows, not from sums over them; give all rows to fit, or "
    "shrinkage as a number."
)
NEGLIGIBLE_RATIO = 1e-12  # ratio of variances, relative to the largest


class LinearDiscriminantAnalysis(
    TransformerMixin, FromStatistics, LinearScores, SoftmaxProbabilities
):
    """Parameters
    ----------
    ddof : {0, 1}, default=1
        Degrees of freedom of each class mean: the divisor of the scatter within the classes is N − ddof · K. 1 is
        unbiased, 0 is maximum likelihood.
    covariance_type : {'full', 'diag', 'spherical'}, default='full'
        Form of Σ. 'diag' is naive Bayes with variances shared by all classes; 'spherical' is a
        multiple of I.
    shrinkage : float or 'ledoit_wolf', default=0.0
        α, from 0 (no shrinkage) to 1 (spherical); 'ledoit_wolf' estimates it for a full covariance.

    Attributes
    ----------
    coef_
    intercept_
    means_
    priors_
    rank_ : int
        Rank of Σ.
    shrinkage_ : float
        The shrinkage α that was used.
    scalings_ : array of shape (d, q)
        The directions v_r, as columns, of decreasing ratios; q ≤ min(K − 1, d).
    explained_variance_ratio_ : array of shape (q,)
        Share of each direction in the sum of the ratios vᵀBv / vᵀΣv.
    centre_ : array of shape (d,)
        Mean c of the class means, weighted by the priors: the origin of the coordinates.
    statistics_ : object, only if the fit is a function of sums
        The sums over rows that the fit is a function of; `partial_fit` and `merge` add to them.
    """

    simpler: ClassVar[Mapping[str, int]] = {"shrinkage": 1}

    def __init__(
        self,
        priors: Priors = None,
        ddof: int = 1,
        covariance_type: str = "full",
        shrinkage: float | str = 0.0,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.ddof = ddof
        self.covariance_type = covariance_type
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_ddof(self.ddof)
        if self.covariance_type not in COVARIANCE_TYPES:
            types = ", ".join(map(repr, COVARIANCE_TYPES))
            raise ValueError(
                f"covariance_type is {self.covariance_type!r}; it must be one of {types}."
            )
        if self.shrinkage != "ledoit_wolf":
            check_share("shrinkage", self.shrinkage, ", or 'ledoit_wolf'")
        elif self.covariance_type != "full":
            raise ValueError(
                "shrinkage='ledoit_wolf' is estimated for a full covariance, and covariance_type is "
                f"{self.covariance_type!r}; use covariance_type='full', or give shrinkage as a number."
            )

    @property
    def _counts_rows(self) -> bool:
        return self.ddof > 0 or self.shrinkage == "ledoit_wolf"

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        if not isinstance(self.shrinkage, str):
            return super().fit(X, y, sample_weight)
        X, codes, weights = self._start_fit(X, y, sample_weight)
        self._forget("statistics_")
        weights, K = as_counts(weights), len(self.classes_)
        form = tied_form(X, K, "full", type(self).__name__)
        moments = ClassMoments.of(X, codes, weights, K, form)
        share = optimal_shrinkage(moments, X, codes, weights)
        (estimates,) = self._estimates(moments.stacked(), share)
        return self._set_estimates(*estimates)

    partial_fit = only_if(lambda self: FROM_ROWS if isinstance(self.shrinkage, str) else "")(
        FromStatistics.partial_fit
    )

    def _parameters_of_sums(self) -> object:
        return self.covariance_type == "full", self.shrinkage == "ledoit_wolf"

    def _form(self, X: Matrix, K: int) -> str:
        if isinstance(self.shrinkage, str):
            raise NotApplicable(FROM_ROWS)
        return tied_form(X, K, self.covariance_type, type(self).__name__)

    def _estimates(
        self, stack: ClassMoments, share: float | None = None
    ) -> Iterable[tuple[Any, ...]]:
        """What `_set_estimates` takes, for each fold; `share` replaces the parameter `shrinkage`."""
        share = float(self.shrinkage) if share is None else share
        covariances = TiedCovariances(stack, self.ddof, self.covariance_type, share)
        means, centre = stack.means, stack.centre
        priors = class_priors(self.priors, stack.mass)
        M = means - centre[:, None]
        theta = covariances.solve(M)
        normalizer = 0.5 * (covariances.whiten(M) ** 2).sum(axis=-1)
        b = log_priors(priors, stack.mass) - normalizer
        b -= (theta @ centre[..., None])[..., 0]
        # ‖Σθ − M‖ / ‖M‖ in whitened coordinates: how well the linear equations are solved
        error = (covariances.whiten(covariances.times(theta) - M) ** 2).sum(axis=(1, 2))
        size = 2 * normalizer.sum(axis=1)  # ‖M‖²
        residual = np.sqrt(error / np.where(size > 0, size, 1)).tolist()
        shares = [share] * len(means)
        return zip(means, priors, theta, b, residual, covariances.ranks, shares, strict=True)

    def _set_estimates(self, *estimates: Any) -> Self:
        self.means_, self.priors_, theta, b, residual, self.rank_, self.shrinkage_ = estimates
        self._set_scores(theta, b)
        d = self.means_.shape[1]
        if self.rank_ == d:
            return self._record(certificate=residual)
        return self._record("rank_deficient", missing_rank(self.rank_, d), certificate=residual)

    transform = Coordinates.transform
    fit_transform = Coordinates.fit_transform
    get_feature_names_out = Coordinates.get_feature_names_out
    _basis = Coordinates._basis

    @property
    def scalings_(self) -> np.ndarray:
        """Directions that maximize the variance between the classes relative to that within."""
        return self._directions()[0]

    @property
    def explained_variance_ratio_(self) -> np.ndarray:
        """Share of each direction in the variance between the classes."""
        ratios = self._directions()[1]
        return ratios / ratios.sum()

    @property
    def centre_(self) -> np.ndarray:
        """Mean of the class means, weighted by the priors."""
        return self._weights_of_means() @ self.means_

    def _weights_of_means(self) -> np.ndarray:
        """The priors, 0 for a class without rows, which is never predicted."""
        # b_k = −∞ for such a class; two classes have one b = b₁ − b₀, of which −b stands for b₀
        b = self.intercept_ if len(self.intercept_) > 1 else np.array([-1, 1]) * self.intercept_
        pi = np.where(b > -np.inf, self.priors_, 0.0)
        return np.asarray(pi / pi.sum())

    def _directions(self) -> tuple[np.ndarray, np.ndarray]:
        """(v_r as columns, their ratios):  with M = √π (m_k − c), Θ = MΣ⁻¹ and MΘᵀ = U Λ Uᵀ,  v_r = Θᵀu_r/√λ_r."""
        self._require_fit()
        pi = self._weights_of_means()
        theta = self.coef_
        if len(theta) == 1:  # θ₁ − θ₀ of two classes
            theta = np.vstack([np.zeros_like(theta), theta])
        M, theta = (np.sqrt(pi)[:, None] * (A - pi @ A) for A in (self.means_, theta))
        G = M @ theta.T
        ratios, U = np.linalg.eigh((G + G.T) / 2)
        kept = np.flatnonzero(ratios > NEGLIGIBLE_RATIO * ratios[-1])[::-1]
        V = theta.T @ U[:, kept] / np.sqrt(ratios[kept])
        # signs of eigenvectors are arbitrary: the last class has larger coordinates than the first
        V *= np.where((self.means_[-1] - self.means_[0]) @ V < 0, -1.0, 1.0)
        return V, ratios[kept]
