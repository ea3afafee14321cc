"""Probabilities for a classifier that has none:  P(k | x) = σ(a_k z_k + b_k), normalized for K > 2.

z are the scores of `estimator`, σ(a z + b) is Platt's sigmoid (linclass/estimators/sigmoid.py). It is fitted
to scores of held-out rows (inner cross-validation), since scores of training rows are too extreme. The
estimator that predicts is then fitted to all rows. Two classes share one sigmoid and are predicted by
P > ½, which may differ from the sign of z; K classes have one sigmoid each, against the rest.

The method assumes that fits to most of the rows have scores like those of the fit to all. The scores of the
perceptron on overlapping classes depend on the last mistakes and do not, so its probabilities are poor.
Platt (2000); Zadrozny & Elkan (2002), KDD, on more than two classes
"""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.special import log_expit

from linclass.applicability import NotApplicable
from linclass.classifiers.linear_svm import LinearSVM
from linclass.conventions import Classifier, SoftmaxProbabilities
from linclass.estimators.sigmoid import sigmoid
from linclass.numerics import Array
from linclass.predicted import own_copy, predictions_of
from linclass.resampling import stratified_folds
from linclass.unfinished import silently


class Calibrated(SoftmaxProbabilities):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier with scikit-learn's interface, from linclass or elsewhere. None is LinearSVM().
    folds : int, default=5
        Number of inner folds, at least 2; fewer are used where a class has fewer rows.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the assignment of rows to inner folds. None draws a new one for each fit.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    estimator_ : classifier
        Fitted to all rows, with the classes 0, ..., K − 1.
    slopes_ : array of shape (1,) for two classes, (K,) for more
        Slopes a of the sigmoids.
    offsets_ : array of the same shape
        Offsets b of the sigmoids.
    """

    def __init__(self, estimator: Any = None, *, folds: int = 5, random_state: Any = 0):
        self.estimator = estimator
        self.folds = folds
        self.random_state = random_state

    def check(self) -> None:
        if not (isinstance(self.folds, Integral) and self.folds >= 2):
            raise ValueError(f"folds is {self.folds!r}; it must be a whole number, at least 2.")
        made = self.estimator
        able = all(hasattr(made, name) for name in ("get_params", "fit", "predict"))
        if made is not None and (isinstance(made, type) or not able):
            raise ValueError(
                f"estimator is {made!r}; give a classifier that is made, as in LinearSVM(), with "
                "fit, predict and get_params."
            )

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Fit the sigmoids on held-out rows, then the estimator on all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Class of each row, at least two rows of each class.
        groups : array of shape (n,) or None, default=None
            Group of each row; rows of a group are held out together. None is no groups.

        Returns
        -------
        self
        """
        X, codes, _ = self._start_fit(X, y)
        K = len(self.classes_)
        seed = int(np.random.default_rng(self.random_state).integers(2**32))
        fewest = int(np.bincount(codes).min())
        if fewest < 2:
            raise NotApplicable(
                f"class {self.classes_[np.bincount(codes).argmin()]} has 1 row; Calibrated holds "
                "rows of every class out, and needs 2 of each."
            )
        folds = min(self.folds, fewest)
        if groups is not None:
            folds = min(folds, len(np.unique(groups)))
        fold = stratified_folds(codes, folds, seed, groups)
        Z = np.empty((len(codes), K))
        for k in range(folds):
            out = fold == k
            model = self._fitted(X[~out], codes[~out])
            Z[out] = predictions_of(model, X[out], K)[1]
        pairs = [sigmoid(self._scores(Z)[:, k], codes == c) for k, c in enumerate(self._own(K))]
        self.slopes_ = np.array([found.slope for found in pairs])
        self.offsets_ = np.array([found.offset for found in pairs])
        self.estimator_ = self._fitted(X, codes)
        told = self.estimator_ if isinstance(self.estimator_, Classifier) else None
        status, reason = getattr(told, "status_", "converged"), getattr(told, "reason_", "")
        worst = max(pairs, key=lambda found: (not found.converged, found.certificate))
        if not worst.converged and status == "converged":
            status, reason = (
                "max_iter",
                (
                    f"Newton's method for a sigmoid stopped after {worst.n_iter} steps with a gradient_cosine "
                    f"of {worst.certificate:.1e}; standardize the scores of {self.estimator_!r}."
                ),
            )
        return self._record(
            status,
            reason,
            certificate=getattr(told, "certificate_", None),
            certificate_kind=getattr(told, "certificate_kind_", None),
            n_iter=int(np.max(getattr(told, "n_iter_", 0))),
        )

    def decision_function(self, X: Any) -> Array:
        """Log-odds of two classes, ln P/(1 − P); for more ln σ(a_k z_k + b_k), whose softmax is P.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
        """
        X = self._check_rows(X)
        Z = predictions_of(self.estimator_, X, len(self.classes_))[1]
        logits = self._scores(Z) * self.slopes_ + self.offsets_
        return logits[:, 0] if len(self.slopes_) == 1 else log_expit(logits)

    def _own(self, K: int) -> range:
        """Indices of the classes that have a sigmoid."""
        return range(1, 2) if K == 2 else range(K)

    def _scores(self, Z: Array) -> Array:
        return Z[:, 1:] - Z[:, :1] if Z.shape[1] == 2 else Z

    def _fitted(self, X: Any, codes: Array) -> Any:
        made = self.estimator
        params = {} if made is None else copy.deepcopy(made.get_params(deep=False))
        model = (LinearSVM if made is None else type(made))(**params)
        with silently():
            model.fit(own_copy(X, model), codes)  # a foreign `fit` may return None
        return model
