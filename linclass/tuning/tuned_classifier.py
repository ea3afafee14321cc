"""A classifier with the strength of its penalty, and other parameters, chosen from the training rows:

    best                 argmax_λ  (1/F) Σ_f score of the fit without fold f on fold f
    one_standard_error   the simplest candidate whose mean score is within one standard error of the best
    aic, bic             argmin_λ  −2 ln L + 2 df,  −2 ln L + ln(n) df   (linclass/tuning/criterion.py)

Then it is fitted to all rows along the path of strengths. Everything that the estimator learns, it learns without the
held-out rows; so do transforms if it is a pipeline. Of equal candidates the simplest is taken, by `simpler` of
its class (linclass/tuning/tuning.py), such as the strongest penalty.
`TunedClassifier(LogisticRegression())` is what scikit-learn calls LogisticRegressionCV, with one strength for all
folds where C would be one strength for each size of a fold.

Predicts: scores and, where the estimator has them, probabilities.
Cost: for m candidates m · (folds + 1) fits of the estimator, along paths, or in one batch where it has `fit_many`;
    m fits of the estimator along a path for AIC and BIC, and O(n p² + p³) for each df of p parameters.
Certificate: that of the estimator, fitted to all rows.
Reference: Hastie, Tibshirani & Friedman (2009), §7.5, §7.7 and §7.10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    EstimatorLike,
    FoldsLike,
    MatrixLike,
    Seed,
    StrengthsLike,
)
from linclass.base.classifier import TakesOffset, only_if
from linclass.base.meta_estimator import caller_rows, with_class_order
from linclass.base.offsets import offset_for
from linclass.tuning.held_out_score import OF_CLASSIFIERS, Score
from linclass.tuning.tuned import Tuned


class TunedClassifier(Tuned, TakesOffset):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier with scikit-learn's interface, from linclass or elsewhere, with a decision_function. None is
        LogisticRegression().
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
        Number of inner folds, at least 2; fewer are used where a class has fewer rows. An array is the
        fold of each row, a list has the splits (training rows, held-out rows) as numbers of rows or masks, and a
        splitter of scikit-learn, such as KFold(5), makes them of the rows, their classes and groups.
    scoring : str or callable, default='accuracy'
        Score on held-out rows: a metric such as 'auc', 'log_loss', 'balanced_accuracy', 'f1_macro'
        or 'brier'; of those where less is better, the negative. Of two classes the second is the positive one. A
        function is called as its parameters say: as a metric of scikit-learn, f(y_true, y_pred) such as f1_score, with
        codes of the classes (less is better if it is called `…_loss`, `…_error` or `…_deviance`), as a scorer, or
        with the fitted estimator, the rows, their classes and their weights or None, where greater is better. If
        rows have an offset, the estimator predicts them with it.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the assignment of rows to inner folds. None draws a new one for each fit.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class, in fits and in scores. 'balanced' gives every class the same
        total weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows with the chosen values.
    best_params_ : dict
        The chosen values.
    strength_, C_ : float, only if a strength was chosen
        The chosen strength, and scikit-learn's C = 1/(Σw·strength).
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

    default: ClassVar[str] = "linclass.linear.logistic_regression.LogisticRegression"
    wanted: ClassVar[str] = "classifier"
    metrics: ClassVar[Mapping[str, Score]] = OF_CLASSIFIERS

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        strengths: StrengthsLike = 31,
        param_grid: Mapping[str, Sequence[Any]] | None = None,
        rule: str = "best",
        cv: FoldsLike = 5,
        scoring: Any = "accuracy",
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.estimator = estimator
        self.strengths = strengths
        self.param_grid = param_grid
        self.rule = rule
        self.cv = cv
        self.scoring = scoring
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        if not hasattr(self._inner(), "decision_function"):
            name = type(self._inner()).__name__
            raise ValueError(f"{name} has no decision_function; choose a classifier that has one.")

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
            Class of each row, at least two rows of each class.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0, in fits and in scores; rows of weight 0 take no part. None weighs
            all rows equally.
        groups : array of shape (n,) or None, default=None
            Group of each row; rows of a group are held out together. None is no groups.
        offset : array of shape (n,), or (n, K) for more than two classes, or None, default=None
            Known part of the scores of the estimator, in their form, if its `fit` takes one; in fits and in
            scores. None is 0.

        Returns
        -------
        self
        """
        folds, given = self._kept(groups, offset, sample_weight, y)
        X, codes, weights = self._start_fit(X, y, sample_weight)
        self._total_weight = float(weights.sum())
        weighed = sample_weight is not None or self.class_weight is not None
        given = given._replace(weights=weights if weighed else None)
        inner = with_class_order(self._inner(), y, self.classes_)
        return self._choose(inner, X, self.classes_[codes], given, codes, folds)

    @property
    def C_(self) -> float:
        """The chosen strength as scikit-learn's C."""
        return 1 / (self._total_weight * self.strength_)

    def decision_function(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        X, scores = caller_rows(self._check_rows(X)), self.estimator_.decision_function
        return np.asarray(scores(X, **offset_for(scores, self._offset_inside(offset))))

    def predict(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        X, predict = caller_rows(self._check_rows(X)), self.estimator_.predict
        return np.asarray(predict(X, **offset_for(predict, self._offset_inside(offset))))

    def _why_no_probabilities(self) -> str:
        inner = getattr(self, "estimator_", None) or self._inner()
        return "" if hasattr(inner, "predict_proba") else f"{type(inner).__name__} has none"

    def _why_no_log_proba(self) -> str:
        inner = getattr(self, "estimator_", None) or self._inner()
        return "" if hasattr(inner, "predict_log_proba") else f"{type(inner).__name__} has none"

    @only_if(_why_no_probabilities)
    def predict_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Class probabilities, if the estimator has them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None
            Known part of the scores of the estimator. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return self._of_estimator("predict_proba", X, offset)

    @only_if(_why_no_log_proba)
    def predict_log_proba(self, X: MatrixLike, offset: ArrayLike | None = None) -> Array:
        """Natural logarithm of the class probabilities, if the estimator has them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.
        offset : array of shape (n,), or (n, K) for more than two classes, or None
            Known part of the scores of the estimator. None is 0.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return self._of_estimator("predict_log_proba", X, offset)

    def _of_estimator(self, method: str, X: MatrixLike, offset: ArrayLike | None) -> Array:
        X = caller_rows(self._check_rows(X))
        probabilities = getattr(self.estimator_, method)
        return np.asarray(
            probabilities(X, **offset_for(probabilities, self._offset_inside(offset)))
        )
