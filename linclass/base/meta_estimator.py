"""Estimators around another estimator, which may come from any library: what they ask of it, and what they give it."""

from __future__ import annotations

from types import MethodType
from typing import Any, NamedTuple

import numpy as np

from linclass.base.annotations import ArrayLike, EstimatorLike, Index, Matrix, MatrixLike, Tags
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass.base.foreign_estimator import own_copy
from linclass.base.given_rows import GivenRows, as_given, caller_rows
from linclass.base.groups import groups_for
from linclass.base.metadata import takes_metadata, weights_for
from linclass.base.numerics.arrays import Array
from linclass.base.offsets import offset_for
from linclass.base.regressor import Regressor
from linclass.base.tables.table import named
from linclass.base.validation import feature_names

PREDICTS = {  # by the names of scikit-learn
    "classifier": "classes",
    "regressor": "numbers",
    "clusterer": "clusters",
    "outlier_detector": "outliers",
}


class MetaEstimator(Estimator):
    """Mixin; the class defines `_inner`."""

    def _inner(self) -> EstimatorLike:
        """The unfitted estimator inside: the one given, or the default."""
        raise NotImplementedError

    @property
    def passes_rows(self) -> bool:
        """Whether rows reach an estimator of another library, which judges them itself: texts, columns by name, NaN."""
        inner = self._inner()
        if isinstance(inner, MetaEstimator):
            return inner.passes_rows
        return not isinstance(inner, Estimator)

    @property
    def takes_names(self) -> bool:
        """Whether rows should come with the names of their columns, for a penalty of the estimator inside."""
        return bool(getattr(self._inner(), "takes_names", False))

    @property
    def ignores_empty_columns(self) -> bool:
        """Whether columns without nonzero values leave the estimator inside as it is."""
        return bool(getattr(self._inner(), "ignores_empty_columns", False))

    @property
    def _depends_on_count(self) -> bool:
        return self._counts_rows or bool(getattr(self._inner(), "_depends_on_count", False))

    def _rows_to_learn(self, X: MatrixLike) -> Any:
        if not self.passes_rows:
            return super()._rows_to_learn(caller_rows(X))
        names = feature_names(caller_rows(X))
        rows = as_given(X, type(self).__name__)
        for name in ("n_features_in_", "feature_names_in_", "status_"):
            vars(self).pop(name, None)  # of an earlier fit
        if names is not None:
            self.feature_names_in_ = names
        if len(rows.shape) > 1:
            self.n_features_in_ = rows.shape[1]
        return rows

    def _require_fit(self) -> None:
        if not hasattr(self, "status_"):  # a list of texts has no number of features
            super()._require_fit()

    def _check_rows(self, X: MatrixLike, products: bool = False) -> Any:
        if not self.passes_rows:
            return super()._check_rows(caller_rows(X), products)
        self._require_fit()
        rows = as_given(X, type(self).__name__)
        if not isinstance(rows, GivenRows) and hasattr(self, "n_features_in_"):
            self._require_width(rows)
        return rows

    def _rows_inside(self, X: Matrix) -> Matrix:
        """The rows for the estimator inside, with the names of their columns if it takes them."""
        return named(X, getattr(self, "feature_names_in_", None)) if self.takes_names else X

    def _offset_inside(self, offset: ArrayLike | None) -> Any:
        """The offset of rows to predict, unless the estimator inside declined it in its fit."""
        return None if offset is None or not takes_metadata(self._inner(), "offset") else offset

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_inner = getattr(self._inner(), "__sklearn_tags__", None)
        if self.passes_rows and of_inner is not None:
            tags.input_tags = of_inner().input_tags
        return tags


def some_rows(X: Matrix, index: Index) -> Matrix:
    """These rows, with the names that the columns have."""
    return named(X[index], getattr(X, "columns", None) or None)


class Given(NamedTuple):
    """What is given with rows, where it is."""

    weights: Array | None = None
    groups: Array | None = None
    offset: Array | None = None

    def at(self, rows: Index | None) -> Given:
        """That of some rows; None are all."""
        if rows is None:
            return self
        return Given(*(None if values is None else values[rows] for values in self))

    def asked_for(self, model: EstimatorLike) -> Given:
        """Without weights or an offset that the estimator declines, by scikit-learn's routing."""
        weights, groups, offset = self
        if weights is not None and not takes_metadata(model, "sample_weight"):
            weights = None
        if offset is not None and not takes_metadata(model, "offset"):
            offset = None
        return Given(weights, groups, offset)

    def arguments(self, method: MethodType) -> dict[str, Any]:
        """Weights and offset, as arguments of a method that fits."""
        if self.weights is None and self.offset is None:
            return {}
        weights, _, offset = self.asked_for(method.__self__)
        own = {} if weights is None else weights_for(method, weights)
        return own | offset_for(method, offset)


def fit_inside(model: EstimatorLike, X: Matrix, y: Array, given: Given) -> Any:
    """`model`, fitted to a copy of the rows; what is given with them goes where its `fit` takes it."""
    own = given.arguments(model.fit) | groups_for(model, given.groups)
    model.fit(own_copy(X, model), y, **own)  # a foreign `fit` may return None
    return model


def ending_inside(model: EstimatorLike) -> dict[str, Any]:
    """How the fit of an estimator inside ended, as arguments of `_record`; of another library's it is not known."""
    fit = model if isinstance(model, Estimator) else None
    return {
        "status": getattr(fit, "status_", "converged"),
        "reason": getattr(fit, "reason_", ""),
        "objective": getattr(fit, "objective_", None),
        "certificate": getattr(fit, "certificate_", None),
        "certificate_kind": getattr(fit, "certificate_kind_", None),
        "n_iter": int(np.max(getattr(fit, "n_iter_", 0))),
    }


def require_kind(made: EstimatorLike, wanted: str, parameter: str = "estimator") -> None:
    """Raise ValueError for a class in place of an estimator, and for one of another kind than 'classifier' or
    'regressor'; it may have no kind.
    """
    if isinstance(made, type):
        name = made.__name__
        raise ValueError(f"{parameter} is the class {name}; give one that is made, as in {name}().")
    kind = _kind(made)
    if kind not in (None, wanted):
        shown, predicts = " ".join(repr(made).split()), PREDICTS.get(str(kind), f"as a {kind}")
        raise ValueError(f"{parameter} is {shown}, which predicts {predicts}; give a {wanted}.")


def _kind(made: EstimatorLike) -> str | None:
    """Of another library's estimators by their tags, which scikit-learn defines."""
    if isinstance(made, Estimator):
        ours = {"classifier": Classifier, "regressor": Regressor}
        return next((kind for kind, base in ours.items() if isinstance(made, base)), None)
    tags = getattr(made, "__sklearn_tags__", None)
    kind = None if tags is None else tags().estimator_type
    return None if kind is None else str(kind)
