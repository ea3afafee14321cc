"""Quadratic discriminant analysis: Gaussian classes, each with its own covariance.

    z_k = xᵀA_k x + β_kᵀx + γ_k,   A_k = −½ Σ_k⁻¹,   β_k = Σ_k⁻¹ m_k,
    γ_k = −½ m_kᵀΣ_k⁻¹m_k − ½ ln det Σ_k + ln π_k.

Σ_k is the scatter of class k over n_k − 1 or n_k, the sum of the frequency weights. It is
optionally shrunk to (1 − λ)Σ_k + λΣ, with the pooled Σ of linear discriminant analysis. A class with a
singular Σ_k (too few rows, a constant feature) has no density: the pooled covariance is used instead,
and status_ says so.

Predicts: log-odds, quadratic in x, and probabilities.
Cost: O(n d² + K d³), and O(K d²) a predicted row; with more features than rows O(n² d + n³), and O(n d + n²).
Certificate: closed form.
Reference: Friedman (1989), Regularized discriminant analysis; Hastie, Tibshirani & Friedman (2009), §4.3.1.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, Array, ArrayLike, ClassWeight, Matrix, MatrixLike
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.linear_scores import MAX_SCORE
from linclass.base.messages import counted, require_memory
from linclass.discriminant.class_moments import BY_ROWS, ClassMoments
from linclass.discriminant.covariance import (
    AnySpread,
    Spread,
    check_ddof,
    check_share,
    degrees_of_freedom,
    degrees_of_freedom_by_class,
    is_singular,
    missing_rank,
    mixed_spread,
    tied_spread,
)
from linclass.discriminant.from_statistics import (
    FromStatistics,
    Priors,
    check_priors,
    class_priors,
    difference_of_two,
    log_priors,
)
from linclass.discriminant.row_spreads import OF_ROWS, SpanSpread


class QuadraticDiscriminantAnalysis(FromStatistics, SoftmaxProbabilities):
    """Parameters
    ----------
    ddof : {0, 1}, default=1
        Degrees of freedom of each class mean: the divisor of the scatter of class k is n_k − ddof. 1 is unbiased,
        0 is maximum likelihood.
    shrinkage : float, default=0.0
        λ, from 0 (no shrinkage) to 1 (the pooled covariance).

    Attributes
    ----------
    means_
    priors_
    A_ : array of shape (K, d, d)
        Quadratic coefficients A_k.
    beta_ : array of shape (K, d)
        Linear coefficients β_k.
    gamma_ : array of shape (K,)
        Constants γ_k.
    """

    simpler: ClassVar[Mapping[str, int]] = {"shrinkage": 1}

    def __init__(
        self,
        priors: Priors = None,
        ddof: int = 1,
        shrinkage: float = 0.0,
        class_weight: ClassWeight = None,
    ):
        self.priors = priors
        self.ddof = ddof
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        check_priors(self.priors)
        check_ddof(self.ddof)
        check_share("shrinkage", self.shrinkage)

    @property
    def _counts_rows(self) -> bool:
        return self.ddof > 0

    def _form(self, X: Matrix, K: int) -> str:
        n, d = X.shape
        if n - K < d:
            return "class_rows"
        what = f"{type(self).__name__} needs {K} dense {d} × {d} covariances"
        require_memory(8 * 3 * K * d * d, f"{what} and their factors")
        return "full"

    def fitter(self, X: MatrixLike, y: ArrayLike) -> Callable[[Mapping[str, Any]], Any]:
        """A function of parameters that fits to these rows, from the same sums.

        Returns
        -------
        function of a dict
            The classifier with these parameters, fitted.
        """
        first = self._unfitted()
        first._sum_rows(*first._start_fit(X, y))

        def fitted(params: Mapping[str, Any]) -> Any:
            model = copy.copy(first).set_params(**params)
            if model._shared() != first._shared():
                return model.fit(X, y)
            model.check()
            return model._learn()

        return fitted

    def _estimates(self, stack: ClassMoments) -> Iterable[tuple[Any, ...]]:
        priors = class_priors(self.priors, stack.mass)
        logarithms = log_priors(priors, stack.mass)
        return zip(self._spreads_of(stack), priors, logarithms, strict=True)

    def _spreads_of(self, stack: ClassMoments) -> list[ClassSpreads]:
        """The covariances of each fold, factored at once if they are not shrunk."""
        folds = stack.split()
        if self.shrinkage or stack.form != "full":
            return [ClassSpreads(fold, self.ddof, self.shrinkage) for fold in folds]
        K, d = stack.mean.shape[1:]
        S = stack.scatter / degrees_of_freedom_by_class(stack, self.ddof)[..., None, None]
        negligible = np.repeat(stack.negligible, K, axis=0)
        own = Spread.of_covariances(S.reshape(-1, d, d), negligible)
        return [
            ClassSpreads(fold, self.ddof, own=own[j * K : (j + 1) * K])
            for j, fold in enumerate(folds)
        ]

    def _set_estimates(
        self, spreads: ClassSpreads, priors: np.ndarray, logarithms: np.ndarray
    ) -> Self:
        self.means_, self.priors_ = spreads.moments.means, priors
        self._spreads = [spreads.of(k) for k in range(len(self.means_))]
        self._constant = logarithms - 0.5 * _relative_volumes(self._spreads)
        if not spreads.deficient:
            return self._record()
        return self._record("rank_deficient", self._deficiency(spreads))

    def _deficiency(self, spreads: ClassSpreads) -> str:
        k, singular = spreads.deficient[0]
        d, more = self.means_.shape[1], len(spreads.deficient) - 1
        if self.shrinkage:  # the pooled covariance has that rank, too
            return missing_rank(singular.rank, d)
        if isinstance(singular, SpanSpread):  # its rank would have to be computed
            what = f"is singular, with {len(singular.R)} rows of {d} features"
        else:
            what = f"has rank {singular.rank} of {d}"
        others = f" (and those of {counted(more, 'more class')})" if more else ""
        return (
            f"the covariance of class {self.classes_.tolist()[k]!r} {what}{others}; "
            "the pooled covariance is used instead; shrinkage above 0 mixes the two"
        )

    @property
    def A_(self) -> np.ndarray:
        """Quadratic coefficients A_k, of shape (K, d, d)."""
        K, d = self.means_.shape
        require_memory(8 * (2 * K + 3) * d * d, f"A_ has {K} dense {d} × {d} matrices")
        return np.stack([-0.5 * s.solve(np.eye(self.means_.shape[1])) for s in self._spreads])

    @property
    def beta_(self) -> np.ndarray:
        """Linear coefficients β_k, of shape (K, d)."""
        pairs = zip(self._spreads, self.means_, strict=True)
        return np.stack([spread.solve(m[None])[0] for spread, m in pairs])

    @property
    def gamma_(self) -> np.ndarray:
        """Constants γ_k, of shape (K,)."""
        in_common = self._spreads[0].log_volume - _relative_volumes(self._spreads)[0]
        return self._constant - 0.5 * (in_common + (self.beta_ * self.means_).sum(axis=1))

    def decision_function(self, X: MatrixLike) -> np.ndarray:
        X = self._check_rows(X)
        Z = np.empty((X.shape[0], len(self.means_)))
        with np.errstate(over="ignore", invalid="ignore"):
            for begin in range(0, len(Z), BLOCK):
                rows = X if len(Z) <= BLOCK else X[begin : begin + BLOCK]
                if sp.issparse(rows) and not isinstance(self._spreads[0], OF_ROWS):
                    rows = rows.toarray()
                for k, (m, spread) in enumerate(zip(self.means_, self._spreads, strict=True)):
                    Z[begin : begin + BLOCK, k] = -0.5 * spread.distances(rows, m)
        Z = np.fmax(Z, -MAX_SCORE)  # a distance that is ∞ − ∞ is infinite, too
        Z += self._constant
        return difference_of_two(Z)


class ClassSpreads:
    """Factored covariances of the classes; the pooled one is computed only when needed."""

    def __init__(
        self, moments: ClassMoments, ddof: int, shrinkage: float = 0.0, own: Sequence[Spread] = ()
    ):
        """`own` are the factors of each class, if they are known."""
        self.moments, self.ddof = moments, ddof
        self.shrinkage, self.own = shrinkage, own
        self.deficient: list[tuple[int, AnySpread]] = []  # class, its singular covariance

    @cached_property
    def pooled(self) -> AnySpread:
        return tied_spread(self.moments, self.ddof)

    def of(self, k: int) -> AnySpread:
        d = self.moments.mean.shape[1]
        if self.shrinkage > 0:
            mixed = self.pooled if self.shrinkage == 1 else self._shrunk(k)
            if is_singular(mixed, d):
                self.deficient.append((k, mixed))
            return mixed
        own = self.own[k] if self.own else self._mixed(k, 0.0)
        if not is_singular(own, d):
            return own
        if self.moments.mass[k] > 0:
            self.deficient.append((k, own))
        return self.pooled

    @cached_property
    def freedoms(self) -> Array:
        return degrees_of_freedom_by_class(self.moments, self.ddof)

    def _freedom(self, k: int) -> float:
        return float(self.freedoms[k])

    def _shrunk(self, k: int) -> AnySpread:
        """(1 − λ)Σ_k + λΣ; all shrinkages of matrices share the axes in which S_k and the pooled S are diagonal."""
        if self.moments.form in BY_ROWS:
            return self._mixed(k, self.shrinkage)
        whole, axes = self._relative_axes
        values, V = axes[k]
        f, share = degrees_of_freedom(self.moments, self.ddof), self.shrinkage
        root = np.sqrt((1 - share) * values / self._freedom(k) + share / f)
        return Spread(root[:, None] * (V.T @ whole.root), whole.whitener @ V / root)

    def _mixed(self, k: int, share: float) -> AnySpread:
        factors = np.full(
            len(self.moments.mass), share / degrees_of_freedom(self.moments, self.ddof)
        )
        factors[k] += (1 - share) / self._freedom(k)
        return mixed_spread(self.moments, factors)

    @cached_property
    def _relative_axes(self) -> tuple[Spread, list[tuple[Array, Array]]]:
        """(F of S = FᵀF, ν_k and V_k of S_k = Fᵀ V_k diag(ν_k) V_kᵀ F): simultaneous diagonalization."""
        whole = Spread.of_covariance(self.moments.pooled, self.moments.negligible)
        W = whole.whitener
        pairs = [np.linalg.eigh(W.T @ S @ W) for S in self.moments.scatter]
        return whole, [(np.maximum(values, 0), V) for values, V in pairs]


def _relative_volumes(spreads: Sequence[AnySpread]) -> np.ndarray:
    """ln det Σ_k, less what two classes in the same span have in common: their scores differ without it."""
    in_spans = [spread for spread in spreads if isinstance(spread, SpanSpread)]
    if len(in_spans) == len(spreads) == 2 and in_spans[0].span is in_spans[1].span:
        return np.array([spread.log_volume_in_span for spread in in_spans])
    return np.array([spread.log_volume for spread in spreads])
