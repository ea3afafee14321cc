"""The base class of classifiers, and that of classifiers with probabilities."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import MethodType
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin

from linclass.base import validation
from linclass.base.arrays import (
    TINY,
    Array,
    ArrayLike,
    Matrix,
    MatrixLike,
    PerRow,
    Tags,
    log_probabilities,
)
from linclass.base.estimator import Estimator
from linclass.base.messages import NotApplicable
from linclass.base.validation import (
    as_counts,
    class_weights,
    refuse_missing_labels,
    refuse_tiny_classes,
    warn_of_relative_weights,
)


class OnlyIf:
    """A method that exists where the model gives no reason against it, as by scikit-learn's `available_if`."""

    def __init__(self, fn: Callable[..., Any], why_not: Callable[[Any], str]):
        self.fn, self.why_not = fn, why_not
        update_wrapper(self, fn)  # type: ignore[arg-type]

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self.fn
        if why := self.why_not(model):
            raise AttributeError(f"{type(model).__name__} has no {self.fn.__name__}: {why}")
        return MethodType(self.fn, model)


def only_if(why_not: Callable[[Any], str]) -> Callable[[Callable[..., Any]], Any]:
    """Decorator of a method that exists where `why_not(model)` is empty."""
    return lambda fn: OnlyIf(fn, why_not)


def of_scores(predict_log_proba: Any) -> Any:
    """Mark a `predict_log_proba` that is `log_proba_from` of the scores."""
    predict_log_proba.of_scores = True
    return predict_log_proba


class Classifier(ClassifierMixin, Estimator):
    """Predicts the class of the largest score. Two classes share one score z; z > 0 predicts class 1.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes, sorted.
    status_ : str
        Status of the fit: 'converged'; 'max_iter', stopped before the tolerance was reached;
        'separable', maximum likelihood has no finite optimum; 'rank_deficient', the optimum need not be
        unique or a covariance has no inverse.
    certificate_kind_ : str or None
        'duality_gap', an upper bound of (P − min P)/P for the objective P; 'gradient_cosine', the
        largest cosine between the slopes and a feature, which is not a bound; 'gradient_norm', a
        norm of the gradient; 'training_mistakes', the share of misclassified training rows
        (perceptrons); 'gap_to_bound', the share of training errors above a lower bound
        (ZeroOneClassifier); 'evidence_gain', the most by which a change of one precision raises the logarithm of
        the evidence; 'closed_form', a solution without iterations.
    """

    poor_score: ClassVar[bool] = False  # True: scikit-learn's suite expects no good score
    for_more_classes: ClassVar[str] = ""  # of a classifier for two: what to use for more of them
    sums_count_rows: ClassVar[bool] = False  # weights are scaled in sums over rows, not before
    classes_: Array

    def fit(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> Self:
        """Fit the classifier to training rows.

        Parameters
        ----------
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def decision_function(self, X: MatrixLike) -> Array:
        """Scores of rows.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
            One score per class in the order of `classes_`; for two classes the score of
            `classes_[1]`, which is predicted if it is positive.
        """
        raise NotImplementedError

    def predict(self, X: MatrixLike) -> Array:
        """Predicted class of each row.

        Returns
        -------
        array of shape (n,)
        """
        self._require_fit()
        return self.classes_from(self.decision_function(X))

    def classes_from(self, Z: Array) -> Array:
        """Predicted class of each row, from its scores.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n,)
        """
        return self.classes_[(Z > 0).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)]

    def score(self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None) -> float:
        """Accuracy: the share of the rows (of their weight) whose class is predicted.

        Returns
        -------
        float
        """
        return self._accuracy(self.predict(X), y, sample_weight)

    @staticmethod
    def _accuracy(predicted: Array, y: ArrayLike, sample_weight: PerRow) -> float:
        y = validation.labels(np.asarray(y).ravel(), len(predicted))
        refuse_missing_labels(y)
        one, other = y[:1].tolist(), predicted[:1].tolist()
        if isinstance(one[0], str) != isinstance(other[0], str):
            raise ValueError(
                f"y holds {one[0]!r}, but the classifier was fitted on labels such as {other[0]!r}."
            )
        weights = validation.row_weights(sample_weight, len(predicted))
        return float(np.average(predicted == y, weights=weights))

    def _start_fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None
    ) -> tuple[Matrix, Array, Array]:
        """Check parameters and data; returns (X, codes of y in classes_, positive row weights).

        Rows of weight 0 are dropped, so that such a row has no influence at all.
        """
        self.check()
        X = self._rows_to_learn(X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = np.ones(len(y))
        if sample_weight is not None:
            weights = validation.row_weights(sample_weight, len(y))
            X, y, weights = validation.of_positive_weight(X, y, weights)
        self.classes_, codes = validation.encode(y)
        if len(self.classes_) > 2 and self.for_more_classes:
            classes = self.classes_
            self._forget("classes_")
            raise self._too_many_classes(classes)
        if sample_weight is not None and weights.min() < TINY:
            mass = np.bincount(codes, weights)
            refuse_tiny_classes(self.classes_, mass)
            weights = np.maximum(weights, TINY * mass[codes])  # no more in a sum, and 1/w is finite
        if len(self.classes_) < 2:
            raise NotApplicable(
                f"{type(self).__name__} needs rows of at least two classes; "
                f"y has 1 class: {self.classes_.tolist()[0]!r}."
            )
        if sample_weight is not None and self._depends_on_count:
            warn_of_relative_weights(weights, type(self).__name__)
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            mass = np.bincount(codes, weights, len(self.classes_))
            factors = class_weights(class_weight, self.classes_, mass)
            refuse_tiny_classes(self.classes_, factors * mass)
            weights = weights * factors[codes]
        weighted = class_weight is not None or sample_weight is not None
        if weighted and self._counts_rows and not self.sums_count_rows:
            weights = as_counts(weights)
        return X, codes, weights

    def _too_many_classes(self, classes: Array) -> NotApplicable:
        """The exception for more than two classes."""
        return NotApplicable(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"{len(classes)} classes. Use {self.for_more_classes}."
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = not self.for_more_classes
        tags.classifier_tags.poor_score = self.poor_score
        return tags


class SoftmaxProbabilities(Classifier):
    """Base class of models whose scores are log-odds (two classes) or log-probabilities up to a constant."""

    @of_scores
    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        self._require_fit()
        return SoftmaxProbabilities.log_proba_from(self, self.decision_function(X))

    def log_proba_from(self, Z: Array) -> Array:
        """Log-probabilities of rows, from their scores.

        Parameters
        ----------
        Z : array of shape (n,) or (n, K)
            Scores as `decision_function` returns them.

        Returns
        -------
        array of shape (n, K)
        """
        return log_probabilities(Z)

    def predict_proba(self, X: MatrixLike) -> Array:
        """Class probabilities.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X))
