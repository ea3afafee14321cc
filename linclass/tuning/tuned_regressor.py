"""A regressor with the strength of its penalty, and other parameters, chosen from the training rows:

    best                 argmin_λ  (1/F) Σ_f mean squared error on fold f of the fit without it
    one_standard_error   the simplest candidate whose mean error is within one standard error of the least
    aic, bic             argmin_λ  −2 ln L + 2 df,  −2 ln L + ln(n) df   (linclass/tuning/criterion.py)

The chosen estimator is fitted to all rows along the path of strengths. Estimators, and the transforms of a pipeline,
learn nothing from held-out rows. Among equal candidates the simplest is chosen, such as the one with the strongest
penalty (linclass/tuning/selection.py).
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
from typing import Any, ClassVar

import numpy as np

from linclass.base.arrays import EstimatorLike, FoldsLike, Seed, StrengthsLike
from linclass.base.regressor import Regressor
from linclass.tuning.held_out_score import OF_REGRESSORS, Score
from linclass.tuning.tuned import Tuned


class TunedRegressor(Tuned, Regressor):
    """Parameters
    ----------
    estimator : regressor or None, default=None
        Regressor with scikit-learn's interface, from linclass or elsewhere. None is Ridge().
    scoring : 'squared_error' or callable, default='squared_error'
        Score on held-out rows: the negative squared error, or a function with the parameters of

        - a metric of scikit-learn, f(y_true, y_pred), such as r2_score; less is better if it is called `…_loss`,
          `…_error` or `…_deviance`
        - a scorer of scikit-learn
        - f(estimator, X, y, sample_weight), where greater is better; `sample_weight` may be None.
    noise_variance : float or None, default=None
        Variance σ² of the noise in AIC and BIC. None estimates it by RSS/n for each candidate.

    Attributes
    ----------
    estimator_ : regressor
        Fitted to all rows with the chosen values.
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
        variance = self.noise_variance
        if variance is not None and not (isinstance(variance, Real) and 0 < variance < np.inf):
            raise ValueError(
                f"noise_variance is {variance!r}; it must be a number above 0, or None."
            )
