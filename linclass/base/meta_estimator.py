"""Base class of meta-estimators, and what they need to fit a base estimator of any library."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import MethodType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from scipy import sparse
from sklearn import get_config
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object

from linclass.base import validation
from linclass.base.arrays import (
    Array,
    ArrayLike,
    EstimatorLike,
    Index,
    Matrix,
    MatrixLike,
    PerRow,
    Tags,
)
from linclass.base.classifier import Classifier
from linclass.base.estimator import Estimator
from linclass.base.messages import counted, silently, warn_user
from linclass.base.parameters import arguments
from linclass.base.parts import import_object
from linclass.base.predicted import own_copy
from linclass.base.regressor import Regressor
from linclass.base.tables import named
from linclass.base.validation import feature_names, matrix

T = TypeVar("T")

PREDICTS = {  # by the names of scikit-learn
    "classifier": "classes",
    "regressor": "numbers",
    "clusterer": "clusters",
    "outlier_detector": "outliers",
}


class MetaEstimator(MetaEstimatorMixin, Estimator):
    """Mixin; the class names its default base estimator."""

    default: ClassVar[str]  # import path, imported only if it is used
    base_parameter: ClassVar[str] = "estimator"

    def _inner(self) -> EstimatorLike:
        """The unfitted base estimator: the one given, or the default."""
        given = getattr(self, self.base_parameter)
        return asking_for_all(import_object(self.default)()) if given is None else given

    def parts(self) -> list[str]:
        """Modules that a fit imports by name."""
        inner = self._inner()
        of_inner = inner.parts() if isinstance(inner, Estimator) and hasattr(inner, "parts") else []
        own = getattr(self, self.base_parameter) is None
        return [*[self.default.rpartition(".")[0]] * own, *of_inner]

    def fit(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> Self:
        """Fit the base estimator, and what is learned from its fits.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows; finite numbers. An estimator of another library gets them as they are: texts, NaN,
            columns by name.
        sample_weight : array of shape (n,) or None
            Weight of each row, at least 0; rows of weight 0 take no part. None weighs all rows equally.
        groups : array of shape (n,) or None
            Group of each row, for base estimators that hold rows out, such as Calibrated or TunedRegressor: rows of
            a group are held out together. None is no groups.

        Returns
        -------
        self
        """
        raise NotImplementedError

    def _start_inside(
        self, X: MatrixLike, y: ArrayLike, sample_weight: PerRow = None, groups: PerRow = None
    ) -> tuple[Any, Array, Array, Given]:
        """Check parameters and rows; (the rows for base estimators, y as `_start_fit` returns it, all weights, and what
        is given with the rows of positive weight: weights only if rows or classes have any).
        """
        if groups is not None:
            groups, rows = np.asarray(groups), len(np.asarray(y))
            if groups.shape != (rows,):
                raise ValueError(
                    f"groups has shape {groups.shape}; it must be ({rows},), one per row."
                )
            groups = groups[validation.row_weights(sample_weight, rows) > 0]
        X, target, weights = self._start_fit(X, y, sample_weight)
        weighed = sample_weight is not None or getattr(self, "class_weight", None) is not None
        given = Given(weights if weighed else None, groups)
        self._forget("_columns")
        if is_pairwise(self._inner()):
            counts = validation.row_weights(sample_weight, len(np.asarray(y))) > 0
            if X.shape[1] != len(counts):
                raise ValueError(
                    f"Precomputed matrix must be square: {self._inner()!r} takes a column for each training row; X has "
                    f"{counted(len(counts), 'row')} and {counted(X.shape[1], 'column')}."
                )
            if not counts.all():  # rows of weight 0 are dropped, so their columns are too
                self._columns, X = counts, X[:, counts]
        names = getattr(self, "feature_names_in_", None)
        return named(X, names) if self.takes_names else X, target, weights, given

    @property
    def passes_rows(self) -> bool:
        """Whether rows reach an estimator of another library, which judges them itself: texts, columns by name, NaN."""
        inner = self._inner()
        if isinstance(inner, MetaEstimator):
            return inner.passes_rows
        return not isinstance(inner, Estimator) and not is_pairwise(inner)

    @property
    def takes_names(self) -> bool:
        """Whether rows should come with the names of their columns, for a penalty of the base estimator."""
        return bool(getattr(self._inner(), "takes_names", False))

    @property
    def ignores_empty_columns(self) -> bool:
        """Whether columns without nonzero values leave the base estimator as it is."""
        return bool(getattr(self._inner(), "ignores_empty_columns", False))

    @property
    def _depends_on_count(self) -> bool:
        return self._counts_rows or bool(getattr(self._inner(), "_depends_on_count", False))

    def _rows_to_learn(self, X: MatrixLike) -> Any:
        if not self.passes_rows:
            return super()._rows_to_learn(caller_rows(X))
        names = feature_names(caller_rows(X))
        rows = as_given(X, type(self).__name__)
        self._forget("n_features_in_", "feature_names_in_", "status_")  # of an earlier fit
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
            rows = super()._check_rows(caller_rows(X), products)
            return rows[:, self._columns] if hasattr(self, "_columns") else rows
        self._require_fit()
        rows = as_given(X, type(self).__name__)
        if not isinstance(rows, GivenRows) and hasattr(self, "n_features_in_"):
            self._require_width(rows)
        return rows

    def get_metadata_routing(self) -> MetadataRouter:
        """Metadata requests of this estimator and its base estimator.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if (inner := getattr(self, self.base_parameter)) is not None:
            mapping = MethodMapping().add(caller="fit", callee="fit")
            router.add(method_mapping=mapping, **{self.base_parameter: inner})
        return router

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_inner = getattr(self._inner(), "__sklearn_tags__", None)
        if self.passes_rows and of_inner is not None:
            tags.input_tags = of_inner().input_tags
        tags.input_tags.pairwise = is_pairwise(self._inner())
        return tags


def is_pairwise(model: EstimatorLike) -> bool:
    """Whether X has a column for each training row, such as its kernel values, by scikit-learn's tag."""
    tags = getattr(model, "__sklearn_tags__", None)
    return tags is not None and bool(tags().input_tags.pairwise)


def some_rows(X: Matrix, index: Index, model: EstimatorLike, train: Index | None = None) -> Matrix:
    """Some rows for `model`, with the names of the columns.

    They are training rows, or rows to predict if `train` is given: columns of a precomputed kernel are training rows.
    """
    if is_pairwise(model):
        return X[index][:, index if train is None else train]
    return named(X[index], getattr(X, "columns", None) or None)


class Given(NamedTuple):
    """Values that belong to the rows; None if they are not given."""

    weights: Array | None = None
    groups: Array | None = None

    def at(self, rows: Index | None) -> Given:
        """The values of some rows; None selects all."""
        if rows is None:
            return self
        return Given(*(None if values is None else values[rows] for values in self))

    def asked_for(self, model: EstimatorLike) -> Given:
        """The values without weights that the estimator declines by scikit-learn's routing."""
        taken = self.weights is not None and takes_weights(model)
        return self if taken else Given(None, self.groups)

    def arguments(self, method: MethodType) -> dict[str, Any]:
        """Weights, as an argument of a method that fits."""
        model = method.__self__
        weights = self.asked_for(model).weights
        if weights is None:
            return {}
        if "sample_weight" not in arguments(method) and not forwards(model):
            raise ValueError(
                f"{type(model).__name__} takes no sample_weight; leave sample_weight and class_weight out, "
                "or choose another."
            )
        return {"sample_weight": weights}


def fit_inside(model: EstimatorLike, X: Matrix, y: Array, given: Given) -> Any:
    """`model`, fitted to a copy of the rows; what is given with them goes where its `fit` takes it."""
    own = given.arguments(model.fit) | groups_for(model, given.groups)
    model.fit(own_copy(X, model), y, **own)  # a foreign `fit` may return None
    return model


def with_messages(fit: Callable[[], T]) -> tuple[T, list[str]]:
    """The result of `fit`, and its convergence warnings, the only sign of the status in other libraries."""
    with warnings.catch_warnings(record=True) as caught, silently():
        warnings.simplefilter("always")
        found = fit()
    for warning in caught:  # again, for the caller
        warnings.warn(warning.message, warning.category, stacklevel=3)
    said = [w.message for w in caught if "Convergence" in w.category.__name__]
    return found, [str(message).partition("\n")[0] for message in said]


def ending_inside(model: EstimatorLike, messages: Sequence[str] = ()) -> dict[str, Any]:
    """Status of the fit of a base estimator, as arguments of `_record`; in other libraries from its messages."""
    fit = model if isinstance(model, Estimator) else None
    return {
        "status": getattr(fit, "status_", "max_iter" if messages else "converged"),
        "reason": getattr(fit, "reason_", next(iter(messages), "")),
        "objective": getattr(fit, "objective_", None),
        "certificate": getattr(fit, "certificate_", None),
        "certificate_kind": getattr(fit, "certificate_kind_", None),
        "n_iter": int(np.max(getattr(fit, "n_iter_", 0))),
    }


def require_base(
    made: EstimatorLike,
    wanted: str,
    methods: Sequence[str],
    example: str,
    parameter: str = "estimator",
) -> None:
    """Raise ValueError unless it is an instance of the wanted kind, 'classifier' or 'regressor', with these methods; it
    may have no kind. Parameters of one of ours are checked, too.
    """
    require_kind(made, wanted, parameter)
    # a method of a stack or a search of scikit-learn may exist after the fit only
    known = (made,) if _kind(made) is None else (made, type(made))
    if not all(any(hasattr(one, name) for one in known) for name in methods):
        raise ValueError(
            f"{parameter} is {made!r}; pass an instance of a {wanted}, such as {example}, with "
            f"{', '.join(methods)}; in a study {{classifier: …, params: {{…}}}}."
        )
    if isinstance(made, Estimator):  # a foreign `check` may mean anything
        made.check()


def require_kind(made: EstimatorLike, wanted: str, parameter: str = "estimator") -> None:
    """Raise ValueError for a class in place of an estimator, and for one of another kind."""
    if isinstance(made, type):
        name = made.__name__
        raise ValueError(f"{parameter} is the class {name}; pass an instance, as in {name}().")
    kind = _kind(made)
    if kind not in (None, wanted):
        shown, predicts = " ".join(repr(made).split()), PREDICTS.get(str(kind), f"as a {kind}")
        raise ValueError(f"{parameter} is {shown}, which predicts {predicts}; give a {wanted}.")


def _kind(made: EstimatorLike) -> str | None:
    """'classifier', 'regressor' or None; for other libraries by scikit-learn's tags."""
    if isinstance(made, Estimator):
        ours = {"classifier": Classifier, "regressor": Regressor}
        return next((kind for kind, base in ours.items() if isinstance(made, base)), None)
    tags = getattr(made, "__sklearn_tags__", None)
    kind = None if tags is None else tags().estimator_type
    return None if kind is None else str(kind)


# scikit-learn's metadata routing: which of `sample_weight`, `groups`, … a method requests


def is_routing() -> bool:
    """Whether scikit-learn's metadata routing is on."""
    return bool(get_config()["enable_metadata_routing"])


def takes_weights(model: EstimatorLike) -> bool:
    """Whether a meta-estimator passes weights on to `model.fit`; one without the argument will say so."""
    if not is_routing() or "sample_weight" not in arguments(model.fit):
        return True
    routing = get_routing_for_object(model)
    if isinstance(routing, MetadataRouter) or routing.consumes("fit", ["sample_weight"]):
        return True
    if routing.fit.requests.get("sample_weight") is None:
        kind = type(model).__name__
        raise UnsetMetadataPassedError(
            message=f"sample_weight is passed, but {kind} does not say whether it asks for it; call "
            f"{kind}.set_fit_request(sample_weight=True) or set_fit_request(sample_weight=False).",
            unrequested_params={"sample_weight": None},
            routed_params={},
        )
    return False


def forwards(model: EstimatorLike) -> bool:
    """Whether `fit` passes weights on: with routing to who asks for them; without, of a search (it has `refit`), a
    vote or a stack (its `fit` has `fit_params`).
    """
    if is_routing():
        return isinstance(get_routing_for_object(model), MetadataRouter)
    return hasattr(model, "refit") or "fit_params" in arguments(model.fit)


def asks_for(model: EstimatorLike, method: str, name: str) -> bool:
    """Whether an estimator or a splitter asks for metadata, by scikit-learn's routing."""
    ask = getattr(model, "get_metadata_routing", None)
    return ask is not None and bool(ask().consumes(method, [name]))


def asking_for_all(model: EstimatorLike) -> Any:
    """The default estimator of a meta-estimator, with the requests that users cannot set on it."""
    if not is_routing():
        return model
    return model.set_fit_request(**dict.fromkeys({*arguments(model.fit)} - {"X", "y"}, True))


# Groups of rows that are held out together, for estimators that hold rows out in their fits. They may be nested: all
# that is fitted to rows gets their groups, down to the innermost estimator.


def groups_for(model: EstimatorLike, groups: Array | None) -> dict[str, Array]:
    """The argument of `model.fit` with the groups of its rows; none if it has no use for them.

    A pipeline of scikit-learn passes `name__groups` to its last step; a search (it has `refit`) passes `groups` to the
    splitter that makes its folds, as GroupKFold.
    """
    if groups is None:
        return {}
    if "groups" in arguments(getattr(model, "fit", None)):
        return {"groups": groups}
    if is_routing():
        return {"groups": groups} if asks_for(model, "fit", "groups") else {}
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:
        name, last = steps[-1]
        return {f"{name}__{key}": value for key, value in groups_for(last, groups).items()}
    splits = hasattr(model, "refit") and asks_for(getattr(model, "cv", None), "split", "groups")
    return {"groups": groups} if splits else {}


# Raw input for base estimators that take more than tables of finite numbers: data frames, texts, dicts and arrays of
# objects are passed through. Arrays and sparse matrices of numbers are checked as everywhere, except that they may hold
# NaN, which is left to the base estimator.


class GivenRows:
    """Rows that only the base estimator reads, selected like those of an array.

    Parameters
    ----------
    rows : data frame, list or array
        The caller's rows.
    """

    def __init__(self, rows: Any):
        self.rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        """(n, d) of a table, (n,) of texts."""
        return tuple(getattr(self.rows, "shape", (len(self.rows),)))

    def __getitem__(self, index: Index) -> GivenRows:
        numbers = np.arange(self.shape[0])[index]
        if isinstance(self.rows, list | tuple):
            return GivenRows([self.rows[i] for i in numbers])
        return GivenRows(getattr(self.rows, "iloc", self.rows)[numbers])

    def copy(self) -> Any:
        """The caller's rows, copied."""
        return copy.copy(self.rows)


def as_given(X: MatrixLike, owner: str) -> Any:
    """A matrix of numbers, where NaN is allowed, or GivenRows."""
    if isinstance(X, GivenRows):
        return X
    if not _is_numeric(X):
        return GivenRows(X)
    return matrix(X, owner=owner, gaps=True)


def caller_rows(X: Any) -> MatrixLike:
    """The rows for a call of an estimator of any library."""
    return X.rows if isinstance(X, GivenRows) else X


def _is_numeric(X: MatrixLike) -> bool:
    """Whether this is an array, a list of lists or a sparse matrix of numbers, or nothing that has rows."""
    if sparse.issparse(X):
        return True
    if hasattr(X, "columns") and not isinstance(X, np.ndarray):
        return False
    if isinstance(X, list | tuple) and X and isinstance(X[0], str | Mapping):
        return False
    try:
        rows = np.asarray(X)
    except ValueError:  # lists that differ in length
        return False
    return rows.dtype.kind in "biufc" or not rows.ndim or not len(rows)


# The order of the classes, for models of ordered classes: `order`, or that of the type of y, or sorted. An ordered
# categorical of pandas and an Enum of Polars have an order; NumPy's strings have none, so that sorting them is a guess:
# 'high' < 'low' < 'mid'.


def class_order(y: ArrayLike, classes: np.ndarray) -> list[Any]:
    """The classes in the order of the type of y, else sorted; of more than two strings that is a guess, and warns."""
    known = classes.tolist()
    if (levels := _levels(y)) is not None:
        return [level for level in levels if level in known]
    if len(known) > 2 and isinstance(known[0], str | bytes):
        warn_user(
            f"the classes are strings, so their order is alphabetical: {' < '.join(map(repr, known))}. Set "
            "order=[...], or give y as an ordered categorical of pandas or an Enum of Polars."
        )
    return known


def _levels(y: ArrayLike) -> list[Any] | None:
    """All categories in their order, where the type of y has one."""
    columns = getattr(y, "columns", None)
    column: Any = y if columns is None else y[columns[0]]  # type: ignore[index]
    dtype = getattr(column, "dtype", None)
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(dtype.categories.to_list())  # type: ignore[union-attr]
    return None


def with_class_order(
    model: EstimatorLike, y: ArrayLike, classes: np.ndarray, codes: bool = False
) -> EstimatorLike:
    """`model`, where it or a base estimator orders classes, with their order, as it will see y without its type.

    `codes`: it will see the classes as 0, 1, …, so that dicts of class weights name these. Inside one-vs-rest and such
    they name the two sides, and stay as they are.
    """
    if not hasattr(model, "get_params"):
        return model
    inside = {"": model} | {f"{name}__": value for name, value in model.get_params().items()}
    changed: dict[str, Any] = {}
    for name, one in inside.items():
        if getattr(one, "orders_classes", False) and (codes or one.order is None):
            changed[f"{name}order"] = (
                one.order if one.order is not None else class_order(y, classes)
            )
    if codes:
        code = {label: k for k, label in enumerate(classes.tolist())}
        changed = {name: [code.get(c, c) for c in order] for name, order in changed.items()}
        kinds = {path: type(part).__module__ for path, part in inside.items()}
        for name, one in inside.items():
            weight = getattr(one, "class_weight", None)
            above = [k for path, k in kinds.items() if name.startswith(path) and path != name]
            if isinstance(weight, Mapping) and not any("multiclass" in kind for kind in above):
                weights = validation.class_weights(weight, classes, np.ones(len(classes)))
                changed[f"{name}class_weight"] = dict(enumerate(weights.tolist()))
    return clone(model).set_params(**changed) if changed else model


# The status of several fits together

WORST_LAST = ("converged", "rank_deficient", "max_iter", "separable")


def known_status(fit: EstimatorLike, otherwise: str) -> str:
    """The status of a fit if it is one of ours; a foreign attribute may mean anything."""
    status = getattr(fit, "status_", None)
    return status if isinstance(status, str) and status in WORST_LAST else otherwise


def over_fits(name: str, estimators: Sequence[Any], together: Any) -> float | None:
    values: list[Any] = [getattr(estimator, name, None) for estimator in estimators]
    try:
        return float(together([float(np.max(value)) for value in values]))
    except (TypeError, ValueError):  # missing in one, or not a number
        return None
