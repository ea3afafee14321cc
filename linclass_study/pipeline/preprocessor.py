"""The features and transforms of a study's method as a scikit-learn transformer, for arrays and data frames.

    Preprocessor(features=["quadratic"], transforms=["impute", "one_hot", "standardize"])

does to rows what `features:` and `transforms:` of an entry do (docs/features.md), as the first step of a Pipeline or
inside a ColumnTransformer. Rows may be frames of pandas or Polars, with columns of text and missing values; columns
keep their names, and `set_output` chooses what comes out.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils import InputTags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from linclass.base import validation
from linclass.base.arrays import ArrayLike, MatrixLike, Tags
from linclass.base.estimator import Estimator, compare_names
from linclass.base.messages import NotApplicable
from linclass.base.parameters import is_list
from linclass.base.tables import Table
from linclass.base.validation import feature_names, is_missing, matrix
from linclass_study.pipeline.transforming import checked_steps, feature_map, fit_transforms


class Preprocessor(TransformerMixin, Estimator):
    """Feature maps of single rows, then transforms that are fitted to the training rows.

    Parameters
    ----------
    features : sequence of str or dict, default=()
        Features in their order, each a name such as 'quadratic', the import path of a function, or
        {name or path: options}.
    transforms : sequence of str or dict, default=()
        Transforms in their order, each a name such as 'standardize', the import path of a class with `fit` and
        `transform`, or {name or path: options}.
    texts : sequence of str, default=()
        Names of the columns of texts, which `count_words` and `hash_words` need. Other columns of text are
        categorical.

    Attributes
    ----------
    n_features_in_ : int
        Number of columns of the training rows.
    feature_names_in_ : array of str, shape (d,), only if X was a data frame
        Their names.
    transforms_ : list
        The fitted transforms.
    """

    def __init__(
        self,
        features: Sequence[str | Mapping[str, Any]] = (),
        transforms: Sequence[str | Mapping[str, Any]] = (),
        texts: Sequence[str] = (),
    ):
        self.features = features
        self.transforms = transforms
        self.texts = texts

    def fit(self, X: MatrixLike, y: ArrayLike | None = None) -> Self:
        """Fit the transforms to training rows.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows.
        y : array of shape (n,) or None, default=None
            For transforms by import path; ours do not use it.

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def transform(self, X: MatrixLike) -> Any:
        """Compute the features of rows and transform them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Rows with the columns of the training rows.

        Returns
        -------
        array, sparse matrix or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        return self._rows_out(self._transformed(self._checked(X)))

    def fit_transform(self, X: MatrixLike, y: ArrayLike | None = None) -> Any:
        """Fit to the rows and return them transformed.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            Training rows.
        y : array of shape (n,) or None, default=None
            For transforms by import path; ours do not use it.

        Returns
        -------
        array, sparse matrix or data frame of shape (n, q)
            A data frame if `set_output` asks for one.
        """
        return self._rows_out(self._fit(X, y))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """Names of the columns that come out.

        Parameters
        ----------
        input_features : sequence of str or None, default=None
            Names of the columns of the training rows, if these had none.

        Returns
        -------
        array of str, shape (q,)
        """
        check_is_fitted(self, "transforms_")
        names = self._one_row.names
        if input_features is not None:
            names = tuple(map(str, _check_feature_names_in(self, input_features)))
        if names == self._one_row.names or self._one_row.levels:
            return np.array(self._names_out, dtype=object)
        as_if = copy.copy(self)  # fitted to columns of these names
        as_if._one_row = replace(self._one_row, names=names)
        as_if._names_between = self._featured(as_if._one_row).names
        return np.array(as_if._transformed(as_if._one_row).names, dtype=object)

    def _fit(self, X: MatrixLike, y: ArrayLike | None) -> Table:
        steps = [*checked_steps("transforms", self.transforms)]
        table = table_of_rows(X, type(self).__name__, self.texts)
        self.n_features_in_ = table.shape[1]
        self._forget("feature_names_in_")
        if (names := validation.feature_names(X)) is not None:
            self.feature_names_in_ = names
        self._one_row = table.rows(np.array([0]))
        featured = self._featured(table)
        self._names_between = featured.names
        y = None if y is None else np.asarray(y)
        self.transforms_, transformed = fit_transforms(steps, featured, y)
        self._names_out = transformed.names
        return transformed

    def _checked(self, X: MatrixLike) -> Table:
        """The rows as a table with the columns of the training rows."""
        check_is_fitted(self, "transforms_")
        names, own_name = validation.feature_names(X), type(self).__name__
        if names is not None and hasattr(self, "feature_names_in_"):
            compare_names(names, self.feature_names_in_)
        levels = self._one_row.levels
        categories = {name: levels[name] for name in levels if name not in self._one_row.texts}
        table = table_of_rows(X, own_name, self._one_row.texts, categories)
        if (d := table.shape[1]) != self.n_features_in_:
            what = f"{own_name} is expecting {self.n_features_in_} features as input."
            raise ValueError(f"X has {d} features, but {what}")
        return replace(table, names=self._one_row.names)

    def _featured(self, table: Table) -> Table:
        for name, options in checked_steps("features", self.features):
            table = feature_map(name)(table, **options)
        return table

    def _transformed(self, table: Table) -> Table:
        """Rows after the features and the fitted transforms."""
        table = self._featured(table)
        if {*table.names} != {*self._names_between}:
            # the words of the training rows; those that do not occur are 0
            place, none = {name: j for j, name in enumerate(table.names)}, table.shape[1]
            X = sparse.hstack([table.X, sparse.csr_array((table.shape[0], 1))], format="csr")
            X = X[:, [place.get(name, none) for name in self._names_between]]
            table = replace(table, X=X, names=tuple(self._names_between))
        for transform in self.transforms_:
            table = transform.transform(table)
        return table

    def _rows_out(self, table: Table) -> Any:
        if not table.levels:
            return table.X
        columns = {}
        for j, name in enumerate(table.names):  # levels instead of their indices
            levels, column = table.levels.get(name), table.column(j)
            columns[name] = column.tolist()
            if levels is not None:
                columns[name] = [None if np.isnan(code) else levels[int(code)] for code in column]
        if _get_output_config("transform", self)["dense"] != "default":
            return columns  # of which scikit-learn makes the data frame
        return np.array([*columns.values()], dtype=object).T

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags = InputTags(sparse=True, allow_nan=True, string=True, categorical=True)
        return tags


# Rows as users have them, an array, a sparse matrix or a data frame of pandas or Polars, as a `Table`.
#
# A column of text, and one of pandas' categories, is categorical: X holds the index of its level. Levels are in the
# order of the categories, else sorted. None, NA and NaN are missing values.

Levels = Mapping[str, Sequence[str]]


def table_of_rows(
    X: MatrixLike, owner: str, texts: Collection[str] = (), known: Levels | None = None
) -> Table:
    """The table of these rows.

    `texts` names the columns of texts. `known` has the levels of the training rows' categorical columns: they keep
    their indices, new levels follow them, and all other columns are numbers.
    """
    is_frame = hasattr(X, "columns") and not sparse.issparse(X)
    rows: Any = X if is_frame or sparse.issparse(X) else np.asarray(X)
    has_columns = is_frame or (rows.dtype.kind in "OUST" and rows.ndim == 2)
    d = len(rows.columns) if is_frame else rows.shape[-1] if rows.ndim else 0
    titles = feature_names(X)
    names = tuple(f"x{j}" for j in range(d)) if titles is None else tuple(map(str, titles))
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns are called {twice!r}; rename one of them.")
    if missing := sorted({*texts} - {*names}):
        raise ValueError(f"texts names {missing[0]!r}, which is not a column; correct the name.")
    if not has_columns:
        return Table(_finite(X, names, owner), names)
    levels: dict[str, tuple[str, ...]] = {}
    numbers = np.empty((len(rows), d))
    columns = [rows[key] for key in rows.columns] if is_frame else rows.T
    for j, (name, column) in enumerate(zip(names, columns, strict=True)):
        categorical = True if name in texts else None if known is None else name in known
        numbers[:, j], levels_here = _coded(column, name, categorical, (known or {}).get(name, ()))
        if levels_here is not None:
            levels[name] = levels_here
    return Table(_finite(numbers, names, owner), names, levels, frozenset(texts))


def _finite(X: Any, names: Sequence[str], owner: str) -> Any:
    """The matrix, which may have missing values."""
    X = matrix(X, owner=owner, gaps=True)
    values = X.data if sparse.issparse(X) else X
    if (infinite := np.isinf(values)).any():
        first = np.flatnonzero(infinite)[0]
        column = X.indices[first] if sparse.issparse(X) else first % X.shape[1]
        raise NotApplicable(
            f"column {names[column]!r} holds {values.flat[first]:g}; clip it, or make it NaN, which is missing."
        )
    return X


def _coded(
    column: Any, name: str, categorical: bool | None, known_levels: Sequence[str]
) -> tuple[np.ndarray, tuple[str, ...] | None]:
    """(numbers, None), or (indices of levels, the levels); `categorical` is None if the entries decide."""
    values = np.asarray(column)
    if values.ndim > 1 or values.dtype.kind == "O":
        nested = (entry for entry in values if is_list(entry) or isinstance(entry, Mapping))
        if (first := next(nested, None)) is not None:
            raise NotApplicable(
                f"column {name!r} holds {first!r:.80}; give each of its entries a column of its own."
            )
    categories = getattr(getattr(column, "cat", None), "categories", None)
    if callable(categories) or categories is None:  # Polars' are texts
        categories = ()
    if values.dtype.kind in "biuf" and not categorical and not len(categories):
        return values.astype(np.float64), None
    if values.dtype.kind not in "biufOUST":
        raise NotApplicable(f"column {name!r} holds {values.dtype}; convert it to numbers or text.")
    entries = [None if is_missing(entry) else entry for entry in values.tolist()]
    present = {entry for entry in entries if entry is not None}
    if (
        not len(categories)
        and not categorical
        and all(isinstance(v, Real | Decimal) for v in present)
    ):
        return np.array([np.nan if v is None else float(v) for v in entries]), None
    if categorical is False:
        raise NotApplicable(f"column {name!r} holds text; in the training rows it held numbers.")
    if categorical is None and not len(categories) and not all(isinstance(v, str) for v in present):
        kinds = " and ".join(sorted({type(v).__name__ for v in present}))
        raise NotApplicable(f"column {name!r} mixes {kinds}; convert it to numbers or text.")
    shown = [*map(str, categories)] or sorted(map(str, present))
    levels = (*known_levels, *(level for level in shown if level not in {*known_levels}))
    index = {level: float(number) for number, level in enumerate(levels)}
    return np.array([np.nan if v is None else index[str(v)] for v in entries]), levels
