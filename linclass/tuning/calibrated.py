"""Probabilities for a classifier that has none, or whose probabilities are wrong: a map from its scores z,

    P(k | x) = σ(a_k z_k + b_k)     'sigmoid'      Platt's sigmoid
    P(k | x) = f_k(z_k)             'isotonic'     f nondecreasing
    P(k | x) ∝ exp(z_k/T)           'temperature'  one number for all classes

The map is fitted to scores of held-out rows (inner cross-validation), since scores of training rows are too extreme.
The estimator that predicts is then fitted to all rows. Two classes share one function and are predicted by
P > ½, which may differ from the sign of z; K classes have one each, against the rest, and the results are divided by
their sum. A temperature changes no prediction. Sigmoids have two parameters, and suit few rows; isotonic functions
follow any monotone relation, and need about a thousand rows.

The method assumes that fits to most of the rows have scores like those of the fit to all. The scores of the
perceptron on overlapping classes depend on the last mistakes and do not, so its probabilities are poor.

Predicts: log-odds and probabilities.
Cost: folds + 1 fits of the estimator; then O(n) a Newton step for each sigmoid or the temperature, O(n log n) for
    each isotonic function.
Certificate: that of the estimator, fitted to all rows.
Reference: Platt (2000); Zadrozny & Elkan (2002), KDD; Guo et al. (2017), ICML.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from linclass.base.arrays import (
    Array,
    ArrayLike,
    ClassWeight,
    EstimatorLike,
    FoldsLike,
    MatrixLike,
    PerRow,
    Seed,
)
from linclass.base.classifier import SoftmaxProbabilities
from linclass.base.messages import silently
from linclass.base.meta_estimator import (
    Given,
    MetaEstimator,
    caller_rows,
    ending_inside,
    require_base,
    some_rows,
    with_class_order,
)
from linclass.base.predicted import predictions_of
from linclass.base.validation import as_counts
from linclass.tuning.calibration_maps import IsotonicFunctions, PlattSigmoids, Temperature
from linclass.tuning.candidates import fits_of, fits_with_messages
from linclass.tuning.folds import (
    check_folds,
    classes_without_training_rows,
    inner_splits,
    kept_folds,
)

METHODS: dict[str, Callable[[Array, Array, Array], Any]] = {
    "sigmoid": PlattSigmoids,
    "isotonic": IsotonicFunctions,
    "temperature": Temperature,
}


class Calibrated(MetaEstimator, SoftmaxProbabilities):
    """Parameters
    ----------
    estimator : classifier or None, default=None
        Classifier with scikit-learn's interface, from linclass or elsewhere. None is LinearSVM().
    method : {'sigmoid', 'isotonic', 'temperature'}, default='sigmoid'
        Map from scores to probabilities. Platt's targets, for 'sigmoid', depend on how many rows the weights count.
    cv : int, array of shape (n,), splitter or list of splits, default=5
        Number of inner folds, at least 2; fewer are used where a class has fewer rows. An array is the
        fold of each row, a list has the splits (training rows, held-out rows) as numbers of rows or masks, and a
        splitter of scikit-learn, such as StratifiedKFold(5), makes them of the rows, their classes and groups.
    random_state : int, numpy.random.Generator or None, default=0
        Seed of the assignment of rows to inner folds. None draws a new one for each fit.

    Attributes
    ----------
    estimator_ : classifier
        Fitted to all rows, with the classes 0, ..., K − 1.
    slopes_ : array of shape (1,) for two classes, (K,) for more, only with method='sigmoid'
        Slopes a of the sigmoids.
    offsets_ : array of the same shape, only with method='sigmoid'
        Offsets b of the sigmoids.
    functions_ : list of one function for two classes, K for more, only with method='isotonic'
        The functions f, each with the `scores` at the ends of its blocks and its `values` there.
    temperature_ : float, only with method='temperature'
        The temperature T; above 1, the estimator was too sure.
    """

    default: ClassVar[str] = "linclass.linear.linear_svm.LinearSVM"

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        method: str = "sigmoid",
        cv: FoldsLike = 5,
        random_state: Seed = 0,
        class_weight: ClassWeight = None,
    ):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.random_state = random_state
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        if self.method not in METHODS:
            raise ValueError(f"method is {self.method!r}; choose from {', '.join(METHODS)}.")
        check_folds(self.cv)
        require_base(self._inner(), "classifier", ("get_params", "fit", "predict"), "LinearSVM()")

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> Self:
        """Fit the map on held-out rows, then the estimator on all rows.

        Parameters
        ----------
        y : array of shape (n,)
            Class of each row, at least two rows of each class.
        sample_weight : array of shape (n,) or None
            Weight of each row, at least 0, in the estimator and in the map; rows of weight 0 take no
            part. Inner folds balance the numbers of rows, not their weights. None weighs all rows
            equally.
        groups : array of shape (n,) or None
            Group of each row; rows of a group are held out together. None is no groups.
        """
        return self._fit_each([{}], X, y, sample_weight, groups)[0]

    def _inner_problems(
        self, X: MatrixLike, y: ArrayLike
    ) -> Iterator[tuple[EstimatorLike, Any, Array]]:
        """(base classifier, its rows, its classes)"""
        X, codes, *_ = self._unfitted()._start_inside(X, y)
        yield self._inner(), caller_rows(X), codes

    def _fits_with(
        self, options: Sequence[dict[str, Any]], X: MatrixLike, y: ArrayLike, given: Given
    ) -> list[Self]:
        """Fitted copies of this classifier, for each setting of the base classifier; along paths where it can."""
        first = self._unfitted()
        first.estimator = clone(self._inner(), safe=False).set_params(**options[0])
        models = first._fit_each(options, X, y, *given)
        for model, own in zip(models, options, strict=True):
            model.estimator = clone(self._inner(), safe=False).set_params(**own)
        return models

    def _fit_each(
        self,
        options: Sequence[dict[str, Any]],
        X: MatrixLike,
        y: ArrayLike,
        sample_weight: PerRow,
        groups: PerRow,
    ) -> list[Self]:
        """Fits for each setting of the base classifier: this model if it is one, else copies of it."""
        X, codes, weights, given = self._start_inside(X, y, sample_weight, groups)
        cv = kept_folds(self.cv, sample_weight, y)
        given = given.asked_for(self._inner())
        inner = with_class_order(self._inner(), y, self.classes_, codes=True)
        options = [self._of_codes(option, y) for option in options]
        K, labels, owner = len(self.classes_), self.classes_[codes], type(self).__name__
        rows, seed = caller_rows(X), self.random_state
        splits = inner_splits(cv, rows, labels, codes, given.groups, seed, owner)
        names = self.classes_.tolist()
        for number, code in classes_without_training_rows(splits, codes).items():
            raise ValueError(
                f"split {number} of cv has no training rows of class {names[code]!r}; give folds that "
                "leave rows of each class to the training rows."
            )
        held_out = np.concatenate([split.held_out for split in splits])
        for code in np.setdiff1d(codes, codes[held_out]):
            raise ValueError(
                f"cv holds no row of class {names[code]!r} out; give folds that hold rows of each class out."
            )
        Z, start = np.empty((len(options), len(held_out), K)), 0
        with silently():
            for train, out in splits:
                own = some_rows(X, train, inner)
                fits = fits_of(inner, options, own, codes[train], given.at(train))
                own = some_rows(X, out, inner, train)
                for z, fit in zip(Z, fits, strict=True):
                    z[start : start + len(out)] = _finite_scores(fit, own, K)
                start += len(out)
            fits, messages = fits_with_messages(inner, options, X, codes, given)
        order = np.argsort(held_out, kind="stable")
        scored, Z = held_out[order], Z[:, order]
        models = [self] if len(options) == 1 else [copy.copy(self) for _ in options]
        for model, z, fit, said in zip(models, Z, fits, messages, strict=True):
            model._calibrate(z, codes[scored], as_counts(weights)[scored], fit)
            ending = ending_inside(fit, said) | {"objective": None}  # the model has a map, too
            if ending["status"] == "converged":
                ending |= {"status": model._map.status, "reason": model._map.reason}
            model._record(**ending)
        return models

    def _of_codes(self, option: dict[str, Any], y: ArrayLike) -> dict[str, Any]:
        """The setting for a base classifier that sees the classes as 0, 1, …"""
        if not any(isinstance(value, Mapping) for value in option.values()):
            return option
        model = clone(self._inner()).set_params(**option)
        seen = with_class_order(model, y, self.classes_, codes=True).get_params()
        return {name: seen[name] for name in option}

    def _calibrate(self, Z: Array, codes: Array, weights: Array, fit: EstimatorLike) -> None:
        self._map = METHODS[self.method](Z, codes, weights)
        self._forget("slopes_", "offsets_", "functions_", "temperature_")  # of an earlier fit
        self._adopt(self._map.fitted)
        self.estimator_ = fit

    def decision_function(self, X: MatrixLike) -> Array:
        """Log-odds of two classes, ln P/(1 − P); for more scores whose softmax is P.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
        """
        X = self._check_rows(X)
        Z = _finite_scores(self.estimator_, X, len(self.classes_))
        return np.asarray(self._map.decision(Z))

    @property
    def _depends_on_count(self) -> bool:
        return self.method == "sigmoid" or super()._depends_on_count


def _finite_scores(model: EstimatorLike, X: MatrixLike, K: int) -> Array:
    """(n, K); a probability of 0, whose logarithm is the score, counts as the machine epsilon.

    A model that only predicts has the score ½ for the predicted class and −½ for the others.
    """
    floor = np.log(np.finfo(float).eps)
    predicted, score, _ = predictions_of(model, X, K)
    if np.isnan(score).all():
        score = np.eye(K)[predicted] - 0.5
    return np.nan_to_num(score, neginf=floor, posinf=-floor)
