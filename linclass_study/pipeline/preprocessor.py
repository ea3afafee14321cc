"""The features and transforms of a study's method as a scikit-learn transformer, for arrays and data frames.

    Preprocessor(features=["quadratic"], transforms=["impute", "one_hot", "standardize"])

does to rows what `features:` and `transforms:` of an entry do (docs/features.md), as the first step of a Pipeline or
inside a ColumnTransformer. Rows may be frames of pandas or Polars, with columns of text and missing values; columns
keep their names, and `set_output` chooses what comes out.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import InputTags
from sklearn.utils._set_output import _get_output_config

from linclass.base import validation
from linclass.base.arrays import ArrayLike, MatrixLike, Tags
from linclass.base.estimator import Estimator, compare_names
from linclass.base.tables import Table
from linclass_study.pipeline.checked_steps import checked_steps, feature_map
from linclass_study.pipeline.table_of_rows import table_of_rows
from linclass_study.pipeline.transforming import fit_transforms


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
        self._require_fit()
        names = self._one_row.names if input_features is None else tuple(map(str, input_features))
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), "
                f"got {len(names)}."
            )
        if hasattr(self, "feature_names_in_") and names != self._one_row.names:
            raise ValueError("input_features is not equal to feature_names_in_; leave it out.")
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
        self.transforms_, found = fit_transforms(
            steps, featured, None if y is None else np.asarray(y)
        )
        self._names_out = found.names
        return found

    def _checked(self, X: MatrixLike) -> Table:
        """The rows as a table with the columns of the training rows."""
        self._require_fit()
        names, me = validation.feature_names(X), type(self).__name__
        if names is not None and hasattr(self, "feature_names_in_"):
            compare_names(names, self.feature_names_in_)
        known = self._one_row.levels
        categories = {name: known[name] for name in known if name not in self._one_row.texts}
        table = table_of_rows(X, me, self._one_row.texts, categories)
        if table.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {table.shape[1]} features, but {me} is expecting {self.n_features_in_} "
                "features as input."
            )
        return replace(table, names=self._one_row.names)

    def _require_fit(self) -> None:
        if not hasattr(self, "transforms_"):
            me = type(self).__name__
            raise NotFittedError(f"This {me} instance is not fitted yet. Call fit first.")

    def _featured(self, table: Table) -> Table:
        for name, options in checked_steps("features", self.features):
            table = feature_map(name)(table, **options)
        return table

    def _transformed(self, table: Table) -> Table:
        """By the features, and by the transforms as they were fitted."""
        table = self._featured(table)
        if {*table.names} != {*self._names_between}:
            table = _with_words(table, self._names_between)
        for transform in self.transforms_:
            table = transform.transform(table)
        return table

    def _rows_out(self, table: Table) -> Any:
        if not table.levels:
            return table.X
        columns = {name: _labelled(table, j) for j, name in enumerate(table.names)}
        if _get_output_config("transform", self)["dense"] != "default":
            return columns  # of which scikit-learn makes the data frame
        return np.array([*columns.values()], dtype=object).T

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        tags.input_tags = InputTags(sparse=True, allow_nan=True, string=True, categorical=True)
        return tags


def _with_words(table: Table, names: Sequence[str]) -> Table:
    """The columns of these names, which are words of the training rows; a word that does not occur is 0."""
    place = {name: j for j, name in enumerate(table.names)}
    none = table.shape[1]
    X = sparse.hstack([table.X, sparse.csr_array((table.shape[0], 1))], format="csr")
    return replace(table, X=X[:, [place.get(name, none) for name in names]], names=tuple(names))


def _labelled(table: Table, j: int) -> list[Any]:
    """The entries of a column, with the levels instead of their indices."""
    column = table.column(j)
    if table.names[j] not in table.levels:
        return column.tolist()
    levels = table.levels[table.names[j]]
    return [None if np.isnan(code) else levels[int(code)] for code in column]
