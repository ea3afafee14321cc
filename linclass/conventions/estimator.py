"""scikit-learn's conventions without scikit-learn: parameters, validation, score, tags.

Estimators follow the conventions by duck typing: they pass `check_estimator` and work inside a
Pipeline or GridSearchCV. Fitting and predicting do not import scikit-learn, because its import takes
over a second in each of thousands of jobs. Its tags and exceptions are imported inside the functions
that need them.   scikit-learn developer guide, "Developing scikit-learn estimators"
"""

from __future__ import annotations

import copy
import inspect
import re
import sys
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from linclass import validation
from linclass.conventions.convergence_warning import warn_unless_converged
from linclass.conventions.metadata import RequestsMetadata
from linclass.conventions.parameter_types import checks_of
from linclass.conventions.refused_c import refuse_C
from linclass.conventions.saved import Saved
from linclass.validation import Matrix

MODELS = re.compile(r"linclass\.(classifiers|regressors)\.")


class Estimator(RequestsMetadata, Saved):
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
        One sentence on a status other than 'converged'; the ConvergenceWarning of the fit adds the remedy where it
        has none. Of a converged fit it is empty, but for a note of Bayesian models on the strength or the noise that
        they estimated.
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
    multiplies_features: ClassVar[bool] = True  # False: entries of any finite size will do
    n_features_in_: int
    status_: str
    reason_: str
    objective_: float | None
    certificate_: float | None
    certificate_kind_: str | None
    n_iter_: int

    def __init_subclass__(cls, **options: Any) -> None:
        """Compose the docstring that `help` shows of a model.

        The equation of its file comes first, then its own parameters and attributes, then the
        attributes of every estimator.
        """
        super().__init_subclass__(**options)
        file = sys.modules[cls.__module__]
        if MODELS.match(cls.__module__) and cls.__doc__:
            shared = inspect.cleandoc(Estimator.__doc__ or "").partition("----------\n")[2]
            own = inspect.cleandoc(cls.__doc__)
            cls.__doc__ = f"{file.__doc__ or ''}\n{own}\n{shared}\n"

    def __new__(cls, *args: Any, **given: Any) -> Self:
        if "C" in given:
            refuse_C(cls.__name__, _defaults(cls))
        return super().__new__(cls)

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
                if name == "C":
                    refuse_C(type(self).__name__, _defaults(type(self)))
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
        for name, plain, check in checks_of(type(self).__init__):
            if type(value := getattr(self, name)) not in plain:
                check(name, value)

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
        warn_unless_converged(self)
        return self

    def __repr__(self) -> str:
        changed = (
            f"{name}={getattr(self, name)!r}"
            for name, default in _defaults(type(self)).items()
            if not _same(getattr(self, name), default)
        )
        return f"{type(self).__name__}({', '.join(changed)})"

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

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(sparse=self.takes_sparse),
        )


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
