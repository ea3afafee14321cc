"""A classifier with the strength of its penalty, and other parameters, chosen from the training rows:

    best                 argmax_λ  (1/F) Σ_f score of the fit without fold f on fold f
    one_standard_error   the simplest candidate whose mean score is within one standard error of the best
    aic, bic             argmin_λ  −2 ln L + 2 df,  −2 ln L + ln(n) df   (linclass/tuning/criterion.py)

The chosen estimator is fitted to all rows along the path of strengths. Estimators, and the transforms of a pipeline,
learn nothing from held-out rows. Among equal candidates the simplest is chosen, such as the one with the strongest
penalty (linclass/tuning/selection.py).
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
from typing import Any, ClassVar

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
from linclass.base.classifier import Classifier, only_if
from linclass.base.meta_estimator import with_class_order
from linclass.tuning.held_out_score import OF_CLASSIFIERS, Score
from linclass.tuning.tuned import Tuned


class TunedClassifier(Tuned, Classifier):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier with scikit-learn's interface, from linclass or elsewhere. None is LogisticRegression().
    scoring : str or callable, default='accuracy'
        Score on held-out rows: a metric such as 'auc', 'log_loss', 'balanced_accuracy', 'f1_macro' or 'brier', with
        its sign changed if less is better, or a function with the parameters of

        - a metric of scikit-learn, f(y_true, y_pred), such as f1_score; it gets codes of the classes, and less is
          better if it is called `…_loss`, `…_error` or `…_deviance`
        - a scorer of scikit-learn
        - f(estimator, X, y, sample_weight), where greater is better; `sample_weight` may be None

        The second of two classes is the positive one.
    class_weight : 'balanced', dict or None, default=None
        Factor on the weights of the rows of each class, in fits and in scores. 'balanced' gives every class the same
        total weight; a dict maps classes to factors (1 for those it leaves out); None is 1 for all.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows with the chosen values.
    C_ : float, only if a strength was chosen
        scikit-learn's C = 1/(Σw·strength).
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

    def _problem(self, y: ArrayLike, target: Array) -> tuple[EstimatorLike, Array, Array]:
        inner = with_class_order(self._inner(), y, self.classes_)
        return inner, self.classes_[target], target

    @property
    def C_(self) -> float:
        """The chosen strength as scikit-learn's C."""
        return 1 / (self._total_weight * self.strength_)

    @only_if(lambda self: self._why_lacking("decision_function"))
    def decision_function(self, X: MatrixLike) -> Array:
        return self._of_estimator("decision_function", X)

    def _why_lacking(self, method: str) -> str:
        """Reason why there is no such method; empty if the estimator has it."""
        inner = getattr(self, "estimator_", None) or self._inner()
        return "" if hasattr(inner, method) else f"{type(inner).__name__} has none"

    @only_if(lambda self: self._why_lacking("predict_proba"))
    def predict_proba(self, X: MatrixLike) -> Array:
        """Class probabilities, if the estimator has them.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return self._of_estimator("predict_proba", X)

    @only_if(lambda self: self._why_lacking("predict_log_proba"))
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Natural logarithm of the class probabilities, if the estimator has them.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return self._of_estimator("predict_log_proba", X)
