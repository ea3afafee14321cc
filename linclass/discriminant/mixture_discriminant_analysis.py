"""Mixture discriminant analysis: each class is a mixture of Gaussian subclasses, all with one covariance,

    z_k = ln π_k + ln Σ_r π_kr exp(θ_krᵀ(x − m) − ½ θ_krᵀΣθ_kr),   θ_kr = Σ⁻¹(μ_kr − m),

with the shares π_kr and means μ_kr of the subclasses, the covariance Σ, and the overall mean m: maximum likelihood by
EM, started from k-means in each class (of features in units of their deviation within the classes). With one subclass
in each class it is linear discriminant analysis with the divisor N, and the same `shrinkage`, (1 − a)Σ + a (tr Σ_w/d) I
with the covariance Σ_w within the classes, which is EM with a prior of Σ. The likelihood has several maxima, and the
certificate says only that the solution is near one of them or a saddle. Which one may depend on the order of the
columns: it changes the rounding of k-means, and steps of EM away from a saddle grow from rounding. Weights are
frequency weights.

Predicts: log-odds, nonlinear in x, and probabilities.
Cost: O(n d min(n, d)), and O(n d R) a step of EM for R subclasses in all.
Certificate: gradient norm of the log-likelihood, in units of the covariance.
Reference: Hastie & Tibshirani (1996), JRSS B 58; Hastie, Tibshirani & Friedman (2009), §12.7.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp

from linclass.base.arrays import Array, ArrayLike, ClassWeight, Matrix, MatrixLike, Seed
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import products
from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.parameters import is_whole, require_positive, require_whole
from linclass.discriminant.class_moments import ClassMoments
from linclass.discriminant.covariance import check_share, missing_rank, tied_form
from linclass.discriminant.from_statistics import Priors, check_priors, class_priors, log_priors
from linclass.discriminant.k_means import k_means
from linclass.discriminant.subclass_mixture import EmStep, SubclassMixture, SubclassRows

COLLAPSE = (
    "the covariance of the subclasses has collapsed, so the likelihood is unbounded; that within the "
    "classes is used instead; use fewer subclasses or shrinkage above 0."
)


class MixtureDiscriminantAnalysis(SoftmaxProbabilities):
    """Parameters
    ----------
    subclasses : int or list of K ints, default=3
        Number of subclasses of each class, at least 1; fewer where a class has fewer different rows.
    shrinkage : float, default=0.0
        a, from 0 (no shrinkage) to 1 (spherical). It depends on the units of the features:
        standardize them.
    n_init : int, default=5
        Number of starts of k-means, of which the best is taken.
    max_iter : int, default=500
        Limit on the number of steps.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the starts of k-means. None draws a new one for each fit.

    Attributes
    ----------
    means_ : array of shape (R, d)
        Means μ_kr of the subclasses of all classes.
    mixing_ : array of shape (R,)
        Their shares π_kr of their class.
    subclass_of_ : array of shape (R,)
        The index of their class in `classes_`.
    priors_
    rank_ : int
        Rank of the covariance.
    objectives_ : array of shape (n_iter_ + 1,)
        The objective before the first and after each step: minus the mean log-density of a row in its
        class, and with `shrinkage` minus the log-density of the prior of the covariance. It decreases.
    """

    simpler: ClassVar[Mapping[str, int]] = {"subclasses": -1, "shrinkage": 1}

    def __init__(
        self,
        subclasses: int | Sequence[int] = 3,
        *,
        priors: Priors = None,
        shrinkage: float = 0.0,
        n_init: int = 5,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: Seed = 0,
    ):
        self.subclasses = subclasses
        self.priors = priors
        self.shrinkage = shrinkage
        self.n_init = n_init
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_share("shrinkage", self.shrinkage)
        counts = self.subclasses if isinstance(self.subclasses, Sequence) else [self.subclasses]
        if isinstance(counts, str) or not counts or not all(is_whole(count, 1) for count in counts):
            raise ValueError(
                f"subclasses is {self.subclasses!r}; it must be a whole number, at least 1, or a list of K of them."
            )
        for name in ("n_init", "max_iter"):
            require_whole(name, getattr(self, name), 1)
        require_positive("tol", self.tol)

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        rows = self._start_fit(X, y, sample_weight)
        return self._learn(SubclassRows(*rows, self._moments(*rows), float(self.shrinkage)))

    def fitter(self, X: MatrixLike, y: ArrayLike) -> Callable[[Mapping[str, Any]], Any]:
        """A function of parameters that fits to these rows, from the same moments and without the objective.

        Returns
        -------
        function of a dict
            The classifier with these parameters, fitted.
        """
        first = self._unfitted()
        rows = first._start_fit(X, y)
        moments = first._moments(*rows)

        @lru_cache(maxsize=1)
        def prepared(shrinkage: float) -> SubclassRows:
            return SubclassRows(*rows, moments, shrinkage)

        def fitted(params: Mapping[str, Any]) -> Any:
            model = copy.copy(first).set_params(**params)
            if model.class_weight != first.class_weight:
                return model.fit(X, y)
            model.check()
            return model._learn(prepared(float(model.shrinkage)), with_objective=False)

        return fitted

    def _moments(self, X: Matrix, codes: Array, weights: Array) -> ClassMoments:
        (n, d), K = X.shape, len(self.classes_)
        form = tied_form(X, K, "full", type(self).__name__)
        require_memory(3 * 8 * n * min(n, d), f"{type(self).__name__} needs dense rows")
        return ClassMoments.of(X, codes, weights, K, form)

    def _learn(self, rows: SubclassRows, with_objective: bool = True) -> Self:
        """Fit; without `with_objective` the objective, whose constant is a determinant of the rows, is NaN."""
        moments, spread, along, a = rows.moments, rows.spread, rows.along, rows.shrinkage
        K, d = moments.mean.shape
        blocks = [*zip(rows.white, rows.weights, strict=True)]
        members = self._members(rows.in_units, rows.weights, self._counts(K))
        sizes = [len(one) for one in members]
        step, values = SubclassMixture(blocks, sizes, a).maximize(members, self.tol, self.max_iter)
        collapsed = step is None
        if step is None:
            fixed = SubclassMixture(blocks, sizes, 1.0)
            step, values = fixed.maximize(members, self.tol, self.max_iter)
        assert step is not None, "a covariance that is fixed does not collapse"
        self.priors_, self.rank_ = class_priors(self.priors, moments.mass), spread.rank
        self.subclass_of_ = np.repeat(np.arange(K), sizes)
        self.mixing_ = np.exp(step.at.log_mixing)
        volume = spread.log_volume + spread.rank - along.rank if with_objective else np.nan
        unit = spread.rank * np.log(2 * np.pi) + volume / (1 - a if a < 1 else 1)
        self.objectives_ = 0.5 * unit - np.array(values)
        own = moments.means[self.subclass_of_]
        self.means_ = own + along.unwhiten(step.at.delta)
        apart = own - moments.centre
        whitened = along.whiten(apart)
        bent = step.precision.times(whitened + step.at.delta)  # Σ_w has become Σ
        self._theta = along.directions(bent)
        if spread is not along:
            self._theta += spread.solve(apart) - along.directions(whitened)
        half = 0.5 * (self._theta * (self.means_ - moments.centre)).sum(axis=1)
        self._constant = step.at.log_mixing - half - self._theta @ moments.centre
        return self._record_ending(step, collapsed, d)

    def decision_function(self, X: MatrixLike) -> Array:
        S = products(self._check_rows(X), self._theta) + self._constant
        logarithms = log_priors(self.priors_)
        Z = np.column_stack(
            [
                logarithms[k] + logsumexp(S[:, self.subclass_of_ == k], axis=1)
                for k in range(len(logarithms))
            ]
        )
        return Z[:, 1] - Z[:, 0] if Z.shape[1] == 2 else Z

    def _counts(self, K: int) -> list[int]:
        if not isinstance(self.subclasses, Sequence):
            return [self.subclasses] * K
        if len(self.subclasses) != K:
            raise NotApplicable(
                f"subclasses has {counted(len(self.subclasses), 'entry')} for {K} classes; give as many, or one number."
            )
        return list(self.subclasses)

    def _members(
        self, rows: Sequence[Matrix], weights: Sequence[Array], counts: Sequence[int]
    ) -> list[Array]:
        """Indicators (R_k, n_k) of the subclasses of the rows of each class."""
        seed = int(np.random.default_rng(self.random_state).integers(2**32))
        each = zip(rows, weights, counts, strict=True)
        nearest = [k_means(Y, w, count, self.n_init, seed) for Y, w, count in each]
        return [np.eye(one.max() + 1)[:, one] for one in nearest]

    def _record_ending(self, step: EmStep, collapsed: bool, d: int) -> Self:
        status, reason, n_iter = "converged", "", len(self.objectives_) - 1
        if step.gradient > self.tol:
            status = "max_iter"
            reason = (
                f"{counted(n_iter, 'step')} left a gradient norm of {step.gradient:.1e}; tol is {self.tol:g}. "
                "Raise max_iter, or use fewer subclasses."
            )
        elif collapsed:
            status, reason = "rank_deficient", COLLAPSE
        elif self.rank_ < d:
            status, reason = "rank_deficient", missing_rank(self.rank_, d)
        return self._record(
            status,
            reason,
            objective=float(self.objectives_[-1]),
            certificate=step.gradient,
            certificate_kind="gradient_norm",
            n_iter=n_iter,
        )
