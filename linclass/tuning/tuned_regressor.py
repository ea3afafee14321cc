"""A regressor with the strength of its penalty, and other parameters, chosen from the training rows:

    best                 argmin_λ  (1/F) Σ_f mean squared error on fold f of the fit without it
    one_standard_error   the simplest candidate whose mean error is within one standard error of the least
    aic, bic             argmin_λ  −2 ln L + 2 df,  −2 ln L + ln(n) df   (linclass/tuning/criterion.py)

Then it is fitted to all rows along the path of strengths. Everything that the estimator learns, it learns without the
held-out rows; so do transforms if it is a pipeline. Of equal candidates the simplest is taken, by `simpler` of
its class (linclass/tuning/tuning.py), such as the strongest penalty.
`TunedRegressor(Lasso())` is scikit-learn's LassoCV, and with rule='aic' its LassoLarsIC; `TunedRegressor(Ridge())` is
RidgeCV, with alpha = Σw·strength.

Predicts: a number, as the estimator.
Cost: for m candidates m · (folds + 1) fits of the estimator, along paths; m fits of the estimator along a path for
    AIC and BIC, and O(n p² + p³) for each df of p parameters.
Certificate: that of the estimator, fitted to all rows.
Reference: Hastie, Tibshirani & Friedman (2009), §7.5, §7.7 and §7.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    EstimatorLike,
    FoldsLike,
    MatrixLike,
    Seed,
    StrengthsLike,
)
from linclass.base.meta_estimator import caller_rows
from linclass.base.offsets import offset_for
from linclass.base.regressor import RegressorWithOffset
from linclass.tuning.held_out_score import OF_REGRESSORS, Score
from linclass.tuning.tuned import Tuned


class TunedRegressor(Tuned, RegressorWithOffset):
    """Parameters
    ----------
    estimator : regressor or None, default=None
        Regressor with scikit-learn's interface, from linclass or elsewhere. None is Ridge().
    strengths : int, sequence of float or None, default=31
        Strengths to choose from, or their number: then they are those of the estimator's `strength_path` of the
        training rows, and go on beyond an end at which the best one is. None chooses by `param_grid` alone.
    param_grid : dict or None, default=None
        Values of other parameters to choose from, as lists by name, or 'path' for values from the training rows
        (linclass/tuning/paths.py), such as {'C': 'path'}; all combinations are tried.
    rule : {'best', 'one_standard_error', 'aic', 'bic'}, default='best'
        How to choose. 'aic' and 'bic' need a likelihood and no folds; their n is the sum of the weights, as of
        statsmodels' freq_weights, after weights with a mean below 1 are scaled to a mean of 1.
    cv : int, array of shape (n,), splitter or list of splits, default=5
        Number of inner folds, at least 2. An array is the
        fold of each row, a list has the splits (training rows, held-out rows) as numbers of rows or masks, and a
        splitter of scikit-learn, such as KFold(5), makes them of the rows, their targets and groups.
    scoring : 'squared_error' or callable, default='squared_error'
        Score on held-out rows. A function is called as its parameters say: as a metric of scikit-learn,
        f(y_true, y_pred) such as r2_score (less is better if it is called `…_loss`, `…_error` or `…_deviance`), as a
        scorer, or with the fitted estimator, the rows, their targets and their weights or None, where greater is
        better. If rows have an offset, the estimator predicts them with it.
    noise_variance : float or None, default=None
        Variance σ² of the noise in AIC and BIC. None estimates it by RSS/n for each candidate.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the assignment of rows to inner folds. None draws a new one for each fit.

    Attributes
    ----------
    estimator_ : regressor
        Fitted to all rows with the chosen values.
    best_params_ : dict
        The chosen values.
    strength_ : float, only if a strength was chosen
        The chosen strength.
    candidates_ : list of dict of length m
        What was chosen from.
    best_index_ : int
        The number of the chosen one.
    path_ : RegularizationPath, only if the chosen estimator is penalized
        Fits to all rows along the strengths, with the other parameters as chosen; `path_.coef_` are its weights.
    scores_ : array of shape (folds, m), only with folds
        Score of each candidate on each fold.
    mean_scores_, standard_errors_ : array of shape (m,), only with folds
        Mean of the scores over the folds, and its standard error sd/√folds.
    fold_ : array of shape (n,), only with folds that hold each row out once
        The fold that holds each row out, of the rows whose weight is not 0.
    criterion_, degrees_of_freedom_ : array of shape (m,), only with rule='aic' or 'bic'
        AIC or BIC of each candidate, and its effective degrees of freedom, the intercept included.
    coef_, intercept_
        Those of `estimator_`.
    """

    default: ClassVar[str] = "linclass.linear.ridge.Ridge"
    wanted: ClassVar[str] = "regressor"
    metrics: ClassVar[Mapping[str, Score]] = OF_REGRESSORS

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        strengths: StrengthsLike = 31,
        param_grid: Mapping[str, Sequence[Any]] | None = None,
        rule: str = "best",
        cv: FoldsLike = 5,
        scoring: Any = "squared_error",
        noise_variance: float | None = None,
        random_state: Seed = 0,
    ):
        self.estimator = estimator
        self.strengths = strengths
        self.param_grid = param_grid
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.noise_variance = noise_variance
        self.random_state = random_state

    def check(self) -> None:
        super().check()
        given = self.noise_variance
        if given is not None and not (isinstance(given, Real) and 0 < given < np.inf):
            raise ValueError(f"noise_variance is {given!r}; it must be a number above 0, or None.")

    def fit(  # type: ignore[override]
        self,
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Self:
        """Choose on inner folds, or by AIC or BIC, then fit to all rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers. An estimator of another library gets them as they are: texts, NaN,
            columns by name.
        y : array of shape (n,)
            Target of each row, a finite number.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0, in fits and in scores; rows of weight 0 take no part. None weighs
            all rows equally.
        groups : array of shape (n,) or None, default=None
            Group of each row; rows of a group are held out together. None is no groups.
        offset : array of shape (n,) or None, default=None
            Known part of the prediction, if the estimator's `fit` takes one; in fits and in scores. None is 0.

        Returns
        -------
        self
        """
        folds, given = self._kept(groups, offset, sample_weight, y)
        X, y, weights = self._start_fit(X, y, sample_weight)
        given = given._replace(weights=None if sample_weight is None else weights)
        return self._choose(self._inner(), X, y, given, np.zeros(len(y), int), folds)

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        X, predict = caller_rows(self._check_rows(X)), self.estimator_.predict
        return np.asarray(predict(X, **offset_for(predict, self._offset_inside(offset))))
