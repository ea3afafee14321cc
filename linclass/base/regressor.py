"""The interface of regressors: fit, predict and score."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from linclass.base import validation
from linclass.base.arrays import TINY, Array, ArrayLike, Matrix, MatrixLike, PerRow, Tags
from linclass.base.estimator import Estimator
from linclass.base.validation import as_counts, warn_of_relative_weights


class Regressor(RegressorMixin, Estimator):
    """Predicts a real number for each row.

    Attributes
    ----------
    status_ : str
        Status of the fit: 'converged'; 'max_iter', stopped before the tolerance was reached; 'rank_deficient', the
        optimum need not be unique, or no noise is left that could be estimated.
    certificate_kind_ : str or None
        'duality_gap', an upper bound of (P − min P)/P for the objective P; 'gradient_cosine', the largest cosine
        between the slopes and a feature, which is not a bound; 'gradient_norm', a norm of the gradient;
        'evidence_gain', the most by which a change of one precision raises the logarithm of the evidence;
        'closed_form', a solution without iterations.
    """

    several_targets: ClassVar[bool] = False  # True: y may be a table with a column for each

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit the regressor to training rows.

        Parameters
        ----------
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: MatrixLike) -> Array:
        """Predicted target of each row.

        Returns
        -------
        array of shape (n,)
        """
        raise NotImplementedError

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> float:
        """Coefficient of determination R² = 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)².

        A constant y scores 1 if it is predicted exactly, else 0. Of several targets it is the mean.

        Returns
        -------
        float
        """
        return self._determination(self.predict(X), y, sample_weight)

    def _determination(self, predicted: Array, y: ArrayLike, sample_weight: PerRow) -> float:
        """R² of these predictions; of several targets the mean."""
        y = validation.targets(y, len(predicted), type(self).__name__, np.ndim(predicted) == 2)
        if y.shape != np.shape(predicted):
            wanted = np.shape(predicted)
            raise ValueError(f"y has shape {y.shape}; give the {wanted} that is predicted.")
        weights = validation.row_weights(sample_weight, len(y))
        residual = weights @ (y - predicted) ** 2
        total = weights @ (y - np.average(y, axis=0, weights=weights)) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.mean(np.where(total > 0, 1 - residual / total, residual == 0)))

    def _start_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> tuple[Matrix, Array, Array]:
        """Check parameters and data; returns (X, y, positive row weights)."""
        self.check()
        X = self._rows_to_learn(X)
        shape, me = np.asarray(y).shape, type(self).__name__
        if len(shape) == 2 and shape[1] > 1 and not self.several_targets:
            raise ValueError(
                f"y should be a 1d array, got an array of shape {shape} instead. {me} has one target: fit one for each "
                f"column, as sklearn.multioutput.MultiOutputRegressor({me}()) does; PartialLeastSquares takes several."
            )
        y = validation.targets(y, X.shape[0], type(self).__name__, self.several_targets)
        weights = validation.row_weights(sample_weight, X.shape[0])
        X, y, weights = validation.of_positive_weight(X, y, weights)
        if sample_weight is not None and weights.min() < TINY:
            least = TINY * weights.max()  # no more in a sum, and 1/w is finite
            weights = np.maximum(weights, least)
        if sample_weight is not None and self._depends_on_count:
            warn_of_relative_weights(weights, type(self).__name__)
        return X, y, as_counts(weights) if self._counts_rows else weights

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.several_targets
        return tags
