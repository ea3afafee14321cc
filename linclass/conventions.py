"""scikit-learn's conventions without scikit-learn: parameters, validation, score, tags.

Estimators follow the conventions by duck typing: they pass `check_estimator` and work inside a
Pipeline or GridSearchCV. Fitting and predicting do not import scikit-learn, because its import takes
over a second in each of thousands of jobs. Its tags and exceptions are imported inside the functions
that need them.   scikit-learn developer guide, "Developing scikit-learn estimators"
"""

import copy
import inspect
import sys
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from linclass import log_probability, validation
from linclass.applicability import NotApplicable, require_memory
from linclass.unfinished import warn_of
from linclass.validation import Matrix

__all__ = [
    "Classifier",
    "Estimator",
    "LinearScores",
    "Matrix",
    "NotApplicable",
    "Regressor",
    "SoftmaxProbabilities",
    "require_memory",
]


class Estimator:
    """The parameters are the arguments of `__init__`, stored as given; what is learned ends in `_`.

    Attributes
    ----------
    n_features_in_ : int
        Number of features d of the training rows.
    feature_names_in_ : array of str, shape (d,), only if X was a data frame
        Names of the features.
    status_ : str
        How the fit ended: 'converged'; 'max_iter', stopped before the tolerance was reached;
        'separable', maximum likelihood has no finite optimum; 'rank_deficient', the optimum is not
        unique or a covariance has no inverse.
    reason_ : str
        One sentence on a status other than 'converged', with the remedy; else empty.
    objective_ : float or None
        Value of the objective at the solution; None if the fit has a closed form.
    certificate_ : float or None
        How far the solution is from optimal, 0 at an optimum; `certificate_kind_` says in what terms.
    certificate_kind_ : str or None
        'duality_gap', an upper bound of (P − min P)/P for the objective P; 'gradient_cosine', the
        largest cosine between the slopes and a feature, which is not a bound; 'gradient_norm', a
        norm of the gradient; 'training_mistakes', the share of misclassified training rows
        (perceptrons); 'gap_to_bound', the share of training errors above a lower bound
        (ZeroOneClassifier); 'closed_form', a solution without iterations.
    n_iter_ : int
        Number of iterations; 0 for a closed form.
    """

    takes_sparse: ClassVar[bool] = True
    n_features_in_: int
    status_: str
    reason_: str
    objective_: float | None
    certificate_: float | None
    certificate_kind_: str | None
    n_iter_: int

    def __init_subclass__(cls, **options: Any) -> None:
        """Compose the docstring that `help` shows of a classifier.

        The equation of its file comes first, then its own parameters and attributes, then the
        attributes of every estimator.
        """
        super().__init_subclass__(**options)
        file = sys.modules[cls.__module__]
        if cls.__module__.startswith("linclass.classifiers.") and cls.__doc__:
            shared = inspect.cleandoc(Estimator.__doc__ or "").partition("----------\n")[2]
            own = inspect.cleandoc(cls.__doc__)
            cls.__doc__ = f"{file.__doc__ or ''}\n{own}\n{shared}\n"

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the parameters of estimators among the parameters, as
            `estimator__strength`.

        Returns
        -------
        dict
            Name of each parameter and its value.
        """
        params = {name: getattr(self, name) for name in _defaults(type(self))}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{k}": v for k, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params : dict
            Name and value of each; `estimator__strength` is the parameter `strength` of the
            estimator inside.

        Returns
        -------
        self
        """
        nested: dict[str, dict[str, Any]] = {}
        for key, value in params.items():
            name, inner, rest = key.partition("__")
            if name not in _defaults(type(self)):
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. "
                    f"Valid parameters are: {sorted(_defaults(type(self)))}."
                )
            if inner:
                nested.setdefault(name, {})[rest] = value
            else:
                setattr(self, name, value)
        for name, values in nested.items():
            inner = getattr(self, name)
            if not hasattr(inner, "set_params"):
                raise ValueError(
                    f"{name} is {inner!r}, which has no parameter {min(values)!r}; give {name} an "
                    "estimator that has it."
                )
            inner.set_params(**values)
        return self

    def _unfitted(self, **params: Any) -> Self:
        """An unfitted copy with some parameters changed."""
        return type(self)(**copy.deepcopy(self.get_params(deep=False) | params))

    def check(self) -> None:
        """Raise ValueError, with one sentence, if the parameters are invalid or incompatible."""

    def _record(
        self,
        status: str = "converged",
        reason: str = "",
        *,
        objective: float | None = None,
        certificate: float | None = None,
        certificate_kind: str | None = "closed_form",
        n_iter: int = 0,
    ) -> Self:
        """Set the attributes that describe how the fit ended. Returns the estimator."""
        self.status_, self.reason_ = status, reason
        self.objective_, self.certificate_ = objective, certificate
        self.certificate_kind_, self.n_iter_ = certificate_kind, n_iter
        warn_of(self)
        return self

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in _defaults(type(self)).items()
            if not _same(getattr(self, name), default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def _matrix_for_fit(self, X: Any) -> Matrix:
        """X as a finite float64 matrix. Sets n_features_in_ and, for a data frame, feature_names_in_."""
        names = validation.feature_names(X)
        X = validation.matrix(X, sparse=self.takes_sparse, owner=type(self).__name__)
        vars(self).pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = X.shape[1]
        return X

    def _check_rows(self, X: Any) -> Matrix:
        """X as a finite float64 matrix with the features of the training rows."""
        me = type(self).__name__
        if not hasattr(self, "n_features_in_"):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"This {me} instance is not fitted yet. Call fit first.")
        names = validation.feature_names(X)
        if names is not None and hasattr(self, "feature_names_in_"):
            _compare_names(names, self.feature_names_in_)
        X = validation.matrix(X, sparse=self.takes_sparse, owner=me)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {me} is expecting {self.n_features_in_} "
                "features as input."
            )
        return X

    def __sklearn_tags__(self):
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=self.takes_sparse),
        )


class Classifier(Estimator):
    """Predicts the class of the largest score. Two classes share one score z; z > 0 predicts class 1."""

    poor_score: ClassVar[bool] = False  # True: scikit-learn's suite expects no good score
    classes_: np.ndarray

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
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

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,) for two classes, (n, K) for more
            One score per class in the order of `classes_`; for two classes the score of
            `classes_[1]`, which is predicted if it is positive.
        """
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Predicted class of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,)
        """
        return self.classes_from(self.decision_function(X))

    def classes_from(self, Z: np.ndarray) -> np.ndarray:
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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the share of the rows (of their weight) whose class is predicted.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True class of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        weights = validation.row_weights(sample_weight, len(predicted))
        return float(np.average(predicted == np.asarray(y).ravel(), weights=weights))

    def _start_fit(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """Check parameters and data; returns (X, codes of y in classes_, positive row weights).

        Class weights are multiplied into the row weights here and nowhere else. Rows of weight 0 are
        dropped, so that such a row has no influence at all.
        """
        self.check()
        X = self._matrix_for_fit(X)
        y = validation.labels(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        if not weights.all():
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        self.classes_, codes = validation.encode(y)
        if len(self.classes_) < 2:
            raise NotApplicable(
                f"{type(self).__name__} needs rows of at least two classes; "
                f"y has 1 class: {self.classes_.tolist()[0]!r}."
            )
        class_weight = getattr(self, "class_weight", None)
        if class_weight is not None:
            mass = np.bincount(codes, weights)
            weights *= validation.class_weights(class_weight, self.classes_, mass)[codes]
        return X, codes, weights

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags(poor_score=self.poor_score)
        return tags


class LinearScores(Classifier):
    """Scores Z = X Wᵀ + b, with W = coef_ (K, d) and b = intercept_ (K,); one row for two classes."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        X = self._check_rows(X)
        with np.errstate(over="ignore", invalid="ignore"):  # ±∞ far outside the data is an answer
            Z = X @ self.coef_.T + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _set_scores(self, W: np.ndarray, b: np.ndarray) -> None:
        """Set coef_ and intercept_ from one score per class, W (K, d) and b (K,).

        Two classes keep the difference of their scores.
        """
        if len(W) == 2:
            W, b = W[1:] - W[:1], b[1:] - b[:1]
        self.coef_, self.intercept_ = W, b


class SoftmaxProbabilities(Classifier):
    """For models whose scores are log-odds (two classes) or log-probabilities up to a constant."""

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Natural logarithm of the class probabilities, exact also where a probability underflows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`.
        """
        return log_probability.from_scores(self.decision_function(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n, K)
            One column per class, in the order of `classes_`; each row sums to 1.
        """
        return np.exp(self.predict_log_proba(X))


class Regressor(Estimator):
    """Predicts a real number for each row."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the regressor to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers.
        y : array of shape (n,)
            Target of each row, a finite number.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows
            equally.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Predicted target of each row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the features of the training rows.

        Returns
        -------
        array of shape (n,)
        """
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination R² = 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)².

        A constant y scores 1 if it is predicted exactly, else 0.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Test rows.
        y : array of shape (n,)
            True target of each row.
        sample_weight : array of shape (n,) or None, default=None
            Weight of each row; None weighs all rows equally.

        Returns
        -------
        float
        """
        predicted = self.predict(X)
        y = validation.targets(y, len(predicted), type(self).__name__)
        weights = validation.row_weights(sample_weight, len(y))
        residual = weights @ (y - predicted) ** 2
        total = weights @ (y - np.average(y, weights=weights)) ** 2
        return float(1 - residual / total) if total > 0 else float(residual == 0)

    def _start_fit(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """Check parameters and data; returns (X, y, positive row weights)."""
        self.check()
        X = self._matrix_for_fit(X)
        y = validation.targets(y, X.shape[0], type(self).__name__)
        weights = validation.row_weights(sample_weight, X.shape[0])
        if not weights.all():
            kept = weights > 0
            X, y, weights = X[kept], y[kept], weights[kept]
        return X, y, weights

    def __sklearn_tags__(self):
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        tags.regressor_tags = RegressorTags()
        return tags


def _defaults(estimator: type) -> dict[str, Any]:
    """Default of each argument of __init__, by name."""
    init = estimator.__init__  # type: ignore[misc]
    return {} if init is object.__init__ else _arguments(init)


@cache
def _arguments(init: Any) -> dict[str, Any]:
    arguments = list(inspect.signature(init).parameters.values())[1:]  # without self
    return {a.name: a.default for a in arguments}


def _same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and repr(value) == repr(default))


def _compare_names(names: np.ndarray, fitted: np.ndarray) -> None:
    if np.array_equal(names, fitted):
        return
    lines = ["The feature names should match those that were passed during fit."]
    unseen, missing = sorted(set(names) - set(fitted)), sorted(set(fitted) - set(names))
    for title, different in [
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ]:
        if different:
            lines += [title, *(f"- {name}" for name in different[:5])]
            lines += ["- ..."] * (len(different) > 5)
    if not unseen and not missing:
        lines.append("Feature names must be in the same order as they were in fit.")
    raise ValueError("\n".join(lines) + "\n")
