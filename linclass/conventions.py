"""scikit-learn's conventions without scikit-learn: parameters, validation, score, tags.

Estimators follow the conventions by duck typing, so they pass `check_estimator` and enter a
Pipeline or GridSearchCV, while fitting and predicting import nothing of scikit-learn (over a
second in each of thousands of jobs). What only scikit-learn can name is imported inside the
function that the suite calls.   scikit-learn developer guide, "Developing scikit-learn estimators"
"""

import copy
import inspect
import sys
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from linclass import log_probability, validation
from linclass.applicability import NotApplicable, require_memory
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
    """Parameters are the arguments of `__init__`, stored as given; what is learned ends in `_`."""

    takes_sparse: ClassVar[bool] = True
    n_features_in_: int
    status_: str  # converged | max_iter | separable | rank_deficient
    reason_: str  # "" when all is well
    objective_: float | None
    certificate_: float | None  # what proves the fit; certificate_kind_ says which proof it is
    certificate_kind_: str | None
    n_iter_: int

    def __init_subclass__(cls, **options: Any) -> None:
        """`help` of a class shows its file's equation, then what it says itself."""
        super().__init_subclass__(**options)
        file = sys.modules[cls.__module__]
        if cls.__module__.startswith("linclass.classifiers."):
            cls.__doc__ = "\n".join(
                filter(None, (file.__doc__, inspect.cleandoc(cls.__doc__ or "")))
            )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        params = {name: getattr(self, name) for name in _defaults(type(self))}
        if deep:
            for name, value in list(params.items()):
                if hasattr(value, "get_params") and not isinstance(value, type):
                    params |= {f"{name}__{k}": v for k, v in value.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
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
        """A copy without anything learned, some parameters set anew."""
        return type(self)(**copy.deepcopy(self.get_params(deep=False) | params))

    def check(self) -> None:
        """Raise ValueError, in one sentence, when the parameters cannot work (together)."""

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
        """Say how the fit ended; returns the estimator, so that `fit` can end with it."""
        self.status_, self.reason_ = status, reason
        self.objective_, self.certificate_ = objective, certificate
        self.certificate_kind_, self.n_iter_ = certificate_kind, n_iter
        return self

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in _defaults(type(self)).items()
            if not _same(getattr(self, name), default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def _matrix_for_fit(self, X: Any) -> Matrix:
        """X as a finite float64 matrix; sets n_features_in_ and, of a frame, feature_names_in_."""
        names = validation.feature_names(X)
        X = validation.matrix(X, sparse=self.takes_sparse, owner=type(self).__name__)
        vars(self).pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        self.n_features_in_ = X.shape[1]
        return X

    def _check_rows(self, X: Any) -> Matrix:
        """X as a finite float64 matrix with the features that were fitted."""
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
    """Predicts the class of the greatest score; two classes share one score: z > 0 is class 1."""

    poor_score: ClassVar[bool] = False  # a baseline, which the suite does not expect to learn
    classes_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_from(self.decision_function(X))

    def classes_from(self, Z: np.ndarray) -> np.ndarray:
        """The class that each row's scores Z, from `decision_function`, stand for."""
        return self.classes_[(Z > 0).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy: the weighted share of the rows whose class is predicted."""
        predicted = self.predict(X)
        weights = validation.row_weights(sample_weight, len(predicted))
        return float(np.average(predicted == np.asarray(y).ravel(), weights=weights))

    def _start_fit(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """Check parameters and data; (X, codes of y in classes_, positive row weights).

        Here alone are class weights folded into row weights. Rows of weight 0 are left out, so a
        weight of 0 means exactly what it says: the row is not there.
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
    """Scores Z = X Wᵀ + b, with W = coef_ (K, d) and b = intercept_; two classes share one row."""

    coef_: np.ndarray
    intercept_: np.ndarray

    def decision_function(self, X: Any) -> np.ndarray:
        X = self._check_rows(X)
        with np.errstate(over="ignore", invalid="ignore"):  # ±∞ far outside the data is an answer
            Z = X @ self.coef_.T + self.intercept_
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def _set_scores(self, W: np.ndarray, b: np.ndarray) -> None:
        """Take one score per class, W (K, d) and b (K,); of two classes the difference."""
        if len(W) == 2:
            W, b = W[1:] - W[:1], b[1:] - b[:1]
        self.coef_, self.intercept_ = W, b


class SoftmaxProbabilities(Classifier):
    """For models whose scores are log-odds (two classes) or log-probabilities up to a constant."""

    def predict_log_proba(self, X: Any) -> np.ndarray:
        return log_probability.from_scores(self.decision_function(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.exp(self.predict_log_proba(X))


class Regressor(Estimator):
    """Predicts a real number; `predict` is the class's own."""

    def predict(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² = 1 − Σ w (y − ŷ)² / Σ w (y − ȳ)²; a constant y scores 1 if met, else 0."""
        predicted = self.predict(X)
        y = validation.targets(y, len(predicted), type(self).__name__)
        weights = validation.row_weights(sample_weight, len(y))
        residual = weights @ (y - predicted) ** 2
        total = weights @ (y - np.average(y, weights=weights)) ** 2
        return float(1 - residual / total) if total > 0 else float(residual == 0)

    def _start_fit(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[Matrix, np.ndarray, np.ndarray]:
        """Check parameters and data; (X, y, positive row weights)."""
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
    """name → default of each argument of __init__."""
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
    for title, strangers in [
        ("Feature names unseen at fit time:", unseen),
        ("Feature names seen at fit time, yet now missing:", missing),
    ]:
        if strangers:
            lines += [title, *(f"- {name}" for name in strangers[:5])]
            lines += ["- ..."] * (len(strangers) > 5)
    if not unseen and not missing:
        lines.append("Feature names must be in the same order as they were in fit.")
    raise ValueError("\n".join(lines) + "\n")
