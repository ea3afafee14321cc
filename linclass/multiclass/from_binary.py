"""Several classes by a two-class classifier: what one-versus-rest and one-versus-one share.

Each is a list of two-class problems and a rule that turns their scores into one score per class. The
base classifier is copied for each problem and trained on classes 0 and 1. It may come from any
library: `fit` and `decision_function` or `predict_proba` are enough. Probabilities of separate fits do not
belong to one distribution: OneVsRest divides them by their sum, OneVsOne combines them with `coupling`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from linclass.base.arrays import Array, ArrayLike, ClassWeight, EstimatorLike, MatrixLike, PerRow
from linclass.base.classifier import Classifier
from linclass.base.linear_scores import MAX_SCORE
from linclass.base.messages import counted
from linclass.base.meta_estimator import (
    WORST_LAST,
    Given,
    MetaEstimator,
    caller_rows,
    fit_inside,
    is_pairwise,
    known_status,
    over_fits,
    require_base,
    some_rows,
    with_messages,
)
from linclass.base.predicted import own_copy, predictions_of
from linclass.tuning.candidates import fits_with_messages


class TwoClassProblem(NamedTuple):
    """A two-class problem: name, rows (None: all) and their classes, 0 or 1."""

    name: str
    rows: np.ndarray | None
    target: np.ndarray


class FromBinary(MetaEstimator, Classifier):
    """Base of the reductions: a subclass lists the problems and combines their scores.

    Parameters
    ----------
    estimator : classifier or None, default=None
        Two-class classifier with `fit` and `decision_function` or `predict_proba`, from linclass or
        elsewhere. It is copied for each problem. None is LogisticRegression().
    """

    default: ClassVar[str] = "linclass.linear.logistic_regression.LogisticRegression"
    estimator: EstimatorLike
    estimators_: list[Any]

    def __init__(self, estimator: EstimatorLike = None, class_weight: ClassWeight = None):
        self.estimator = estimator
        self.class_weight = class_weight

    def check(self) -> None:
        super().check()
        inner = self._inner()
        require_base(inner, "classifier", ("fit",), "LinearSVM()")
        _require_scores(inner, type(inner))

    def _problems(self, codes: np.ndarray) -> Iterator[TwoClassProblem]:
        raise NotImplementedError

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> Self:
        """Fit the base classifier to each two-class problem.

        Parameters
        ----------
        y : array of shape (n,)
            Class of each row: integers, booleans or strings, at least two classes.
        """
        X, codes, _, given = self._start_inside(X, y, sample_weight, groups)
        self.estimators_, messages = [], []
        for problem, rows, own in self._each_problem(X, codes, given):
            inner = clone(self._inner(), safe=False)
            fitted, said = with_messages(partial(fit_inside, inner, rows, problem.target, own))
            messages.append(said)
            self.estimators_.append(fitted)
        return self._record_outcomes(codes, messages)

    def _each_problem(
        self, X: Any, codes: np.ndarray, given: Given
    ) -> Iterator[tuple[TwoClassProblem, Any, Given]]:
        """(problem, its rows, what is given with them)"""
        for problem in self._problems(codes):
            rows = X if problem.rows is None else some_rows(X, problem.rows, self._inner())
            yield problem, rows, given.at(problem.rows)

    def _inner_problems(
        self, X: MatrixLike, y: ArrayLike
    ) -> Iterator[tuple[EstimatorLike, Any, Array]]:
        """(base classifier, its rows, its classes) of each problem."""
        first = self._unfitted()
        X, codes, *_ = first._start_inside(X, y)
        for problem, rows, _ in first._each_problem(X, codes, Given()):
            yield self._inner(), caller_rows(rows), problem.target

    def _fits_with(
        self, options: Sequence[dict[str, Any]], X: MatrixLike, y: ArrayLike, given: Given
    ) -> list[Self]:
        """Fitted copies of this classifier, for each setting of the base classifier; along paths where it can."""
        first, inner, solved, messages = self._unfitted(), self._inner(), [], []
        X, codes, _, given = first._start_inside(X, y, *given)
        for problem, rows, own in first._each_problem(X, codes, given):
            asked = own.asked_for(inner)
            fits, said = fits_with_messages(inner, options, rows, problem.target, asked)
            solved.append(fits)
            messages.append(said)
        models = []
        for i, option in enumerate(options):
            model = copy.copy(first)
            if option:
                model.estimator = clone(self._inner(), safe=False).set_params(**option)
            model.estimators_ = [fits[i] for fits in solved]
            models.append(model._record_outcomes(codes, [said[i] for said in messages]))
        return models

    def _inner_scores(self, X: MatrixLike) -> np.ndarray:
        """(problems, n), positive where class 1 is predicted."""
        fits = zip(self.estimators_, self._rows_of_problems(X), strict=True)
        Z = np.array([two_class_score(inner, rows) for inner, rows in fits])
        return np.clip(Z, -MAX_SCORE, MAX_SCORE, out=Z)  # sums of ±∞ would be NaN

    def _rows_of_problems(self, X: Any) -> Iterator[Any]:
        """The rows to predict for each problem; of a precomputed kernel, their values with its training rows."""
        for columns in self._columns_of_problems:
            yield X if columns is None else X[:, columns]

    def _record_outcomes(self, codes: np.ndarray, messages: Sequence[list[str]]) -> Self:
        """Status of the worst fit, and how many ended so; a certificate only if each fit has one."""
        _require_scores(self.estimators_[0])
        problems, pairwise = [*self._problems(codes)], is_pairwise(self._inner())
        self._columns_of_problems = [problem.rows if pairwise else None for problem in problems]
        statuses = [
            known_status(inner, "max_iter" if warned else "converged")
            for inner, warned in zip(self.estimators_, messages, strict=True)
        ]
        worst = max(statuses, key=WORST_LAST.index)
        reason = ""
        if worst != "converged":
            first, many = statuses.index(worst), statuses.count(worst)
            name = problems[first].name
            why = getattr(self.estimators_[first], "reason_", "")
            why = why or next(iter(messages[first]), "it gives no reason")
            reason = f"{many} of {counted(len(statuses), 'fit')}, first {name}: {why}"
        kinds = {getattr(inner, "certificate_kind_", None) for inner in self.estimators_}
        return self._record(
            worst,
            reason,
            objective=over_fits("objective_", self.estimators_, sum),
            certificate=over_fits("certificate_", self.estimators_, max)
            if len(kinds) == 1
            else None,
            certificate_kind=kinds.pop() if len(kinds) == 1 else None,
            n_iter=int(over_fits("n_iter_", self.estimators_, max) or 0),
        )

    def _log_pairs(self, X: MatrixLike) -> list[Array]:
        """Log-probabilities (n, 2) of each problem."""
        found = []
        for inner, rows in zip(self.estimators_, self._rows_of_problems(X), strict=True):
            pair = predictions_of(inner, rows, 2)[2]
            if pair is None:  # its method raised NotImplementedError
                raise ValueError(f"{type(inner).__name__} returned no probabilities.")
            found.append(pair)
        return found


def _require_scores(*known: Any) -> None:
    """Raise ValueError unless one of these has scores. Before its fit a stack has none, but its class."""
    if not any(
        hasattr(one, name) for one in known for name in ("decision_function", "predict_proba")
    ):
        name = type(known[0]).__name__
        raise ValueError(f"{name} has neither decision_function nor predict_proba; it needs one.")


def two_class_score(inner: EstimatorLike, X: MatrixLike) -> np.ndarray:
    """Score of each row; a foreign classifier may return a column for each of the two classes."""
    has_scores = hasattr(inner, "decision_function")
    method = inner.decision_function if has_scores else inner.predict_proba
    Z = np.asarray(method(own_copy(X, inner)), dtype=float)
    if not has_scores:
        return Z[:, 1] - 0.5
    return Z[:, 1] - Z[:, 0] if Z.ndim == 2 and Z.shape[1] == 2 else Z.ravel()
