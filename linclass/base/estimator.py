"""The base class of all estimators: scikit-learn's, with checks of parameters and rows, and the status of a fit."""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from linclass.base import validation
from linclass.base.arrays import Matrix, MatrixLike, Tags
from linclass.base.documentation import document_methods, documented
from linclass.base.messages import REMEDY, part_of_another, warn_caller, warn_of_ending
from linclass.base.parameters import checks_of, defaults_of, misspelt, name_here, sentences_on_idle
from linclass.base.public import module_of

VERSION = "_linclass_version"  # in pickles


@cache
def linclass_version() -> str:
    try:
        return version("linclass")
    except PackageNotFoundError:  # a folder that was not installed
        return "of an unknown version"


class SignatureOfInit:
    """The signature of a class is that of its `__init__`, also in Pythons that look for `__new__` first (3.11.2)."""

    def __get__(self, instance: object, cls: type) -> inspect.Signature:
        signature = inspect.signature(cls.__init__)  # type: ignore[misc]
        return signature.replace(parameters=[*signature.parameters.values()][1:])


class Estimator(BaseEstimator):
    """Parameters are the arguments of `__init__`, stored as given; the names of fitted attributes end in `_`.

    Attributes
    ----------
    n_features_in_ : int
        Number of features d of the training rows.
    feature_names_in_ : array of str, shape (d,), only if X was a data frame
        Names of the features.
    reason_ : str
        One sentence on a status other than 'converged'. If it names no remedy, the ConvergenceWarning does. For a
        converged fit it is empty, except for a note of Bayesian models on the strength or noise that they estimated.
    objective_ : float or None
        Value of the objective at the solution; None if the fit has a closed form.
    certificate_ : float or None
        Distance of the solution from the optimum, 0 at an optimum, measured as `certificate_kind_` says.
    n_iter_ : int
        Number of iterations; 0 for a closed form.
    """

    takes_sparse: ClassVar[bool] = True
    # parameter → 1 if greater values make the model simpler, −1 if smaller ones do; tuning prefers the simpler one
    simpler: ClassVar[Mapping[str, int]] = {"strength": 1}
    # parameter → values at which its range ends, so that nothing lies beyond them that a wider grid could find
    limits: ClassVar[Mapping[str, tuple[float, ...]]] = {}
    multiplies_features: ClassVar[bool] = True  # False: entries of any finite size will do
    n_features_in_: int
    status_: str
    reason_: str
    objective_: float | None
    certificate_: float | None
    certificate_kind_: str | None
    n_iter_: int

    def __init_subclass__(cls, **options: Any) -> None:
        """Complete the docstrings. That of a model begins with the equation of its file."""
        super().__init_subclass__(**options)
        if module_of(cls.__name__) == cls.__module__:
            equation, own = sys.modules[cls.__module__].__doc__, cls.__doc__
            cls.__doc__ = "\n".join(map(inspect.cleandoc, filter(None, (equation, own))))
            documented(cls)
        elif cls.__module__.startswith("linclass."):
            document_methods(cls)

    __signature__ = SignatureOfInit()

    def __new__(cls, *args: Any, **given: Any) -> Self:
        for name in given.keys() - defaults_of(cls).keys():
            if renamed := name_here(cls, name) or misspelt(cls, name):
                raise TypeError(renamed)
        return super().__new__(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Names of the parameters in the order of the signature, which is read once."""
        return [*defaults_of(cls)]

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params : dict
            Name and value of each; `estimator__strength` is the parameter `strength` of the base estimator.

        Returns
        -------
        self
        """
        for key in params:
            name, _, inner = key.partition("__")
            if name not in defaults_of(type(self)):
                if meant := name_here(type(self), name) or misspelt(type(self), name):
                    raise ValueError(meant)
            elif inner and not hasattr(
                value := params.get(name, getattr(self, name)), "set_params"
            ):
                raise ValueError(
                    f"{name} is {value!r}, which has no parameter {inner!r}; give {name} an estimator that has it."
                )
        return super().set_params(**params)

    def _unfitted(self, **params: Any) -> Self:
        """An unfitted copy with some parameters changed."""
        return type(self)(**copy.deepcopy(self.get_params(deep=False) | params))

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), VERSION: linclass_version()}

    def __copy__(self) -> Self:
        """A shallow copy, without the check of versions that unpickling needs."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def __setstate__(self, state: dict[str, Any]) -> None:
        written, ours = state.get(VERSION, "before 0.1"), linclass_version()
        if written != ours:
            warnings.warn(
                f"This {type(self).__name__} was saved by linclass {written} and is loaded by linclass {ours}, where "
                "it may fail or give other predictions; load it with that version, or fit it again.",
                UserWarning,
                stacklevel=2,
            )
        super().__setstate__({name: value for name, value in state.items() if name != VERSION})

    def _forget(self, *names: str) -> None:
        """Delete attributes of an earlier fit, if there was one."""
        for name in names:
            self.__dict__.pop(name, None)

    def _adopt(self, attributes: Mapping[str, Any]) -> None:
        """Set these attributes."""
        for name, value in attributes.items():
            setattr(self, name, value)

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
        if not part_of_another.get():
            name = type(self).__name__
            if idle := sentences_on_idle([self]):
                warn_caller(f"{name}: {' '.join(idle)}")
            if status in REMEDY:
                warn_of_ending(f"{name} ended {status}: {reason}", status)
        return self

    @property
    def _counts_rows(self) -> bool:
        """Whether the fit depends on how many rows the weights count."""
        return False

    @property
    def _depends_on_count(self) -> bool:
        """Whether `_counts_rows` holds for any estimator that the fit consists of."""
        return self._counts_rows

    _rows_to_learn = validation.rows_to_learn

    def _require_fit(self) -> None:
        if not hasattr(self, "n_features_in_"):
            me = type(self).__name__
            raise NotFittedError(f"This {me} instance is not fitted yet. Call fit first.")

    def _check_rows(self, X: MatrixLike, products: bool = False) -> Matrix:
        """X as a finite float64 matrix with the features of the training rows; `products` as in `validation.matrix`."""
        self._require_fit()
        me = type(self).__name__
        names = validation.feature_names(X)
        if names is not None and hasattr(self, "feature_names_in_"):
            compare_names(names, self.feature_names_in_)
        X = validation.matrix(X, sparse=self.takes_sparse, owner=me, products=products)
        self._require_width(X)
        return X

    def _require_width(self, X: Matrix) -> None:
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        return tags


def compare_names(names: np.ndarray, fitted: np.ndarray) -> None:
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
