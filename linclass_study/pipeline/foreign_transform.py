"""A transform of another library or of the user: a class with scikit-learn's `fit` and `transform`.

It is fitted to the matrix of the training rows and their class codes, or what y a `Preprocessor` gets; categories are
kept beside its output. What `fit_transform` gives, where there is one, are the training rows, as in scikit-learn's
Pipeline: TargetEncoder encodes each of them without its own class.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from linclass.base.arrays import EstimatorLike, MatrixLike
from linclass.base.predicted import noting_sparse_rows
from linclass.base.tables import Table
from linclass_study.pipeline.coefficients import names_after
from linclass_study.pipeline.foreign_columns import beside_the_others
from linclass_study.pipeline.require_numbers import require_values


class ForeignTransform:
    """The interface of linclass's transforms, for a transformer of matrices."""

    def __init__(self, transformer: EstimatorLike):
        self.transformer = transformer
        self.name = type(transformer).__name__

    def fit_transform(self, table: Table, y: np.ndarray | None) -> Table:
        """The training rows after the transform, which is fitted to them."""
        numbers = table.numeric()
        if not numbers.names:
            return table
        require_values(numbers, self.transformer, f" before {self.name}")
        X = numbers.X.copy()  # it may modify it, and y
        if y is not None:
            y = y.astype(np.int64 if y.dtype.kind == "i" else y.dtype)
        with noting_sparse_rows(self.transformer, X):
            if callable(getattr(self.transformer, "fit_transform", None)):
                made = self.transformer.fit_transform(X, y)
            else:
                self.transformer.fit(X, y)
                made = self.transformer.transform(numbers.X.copy())
        return self._beside(table, numbers, made)

    def transform(self, table: Table) -> Table:
        numbers = table.numeric()
        if not numbers.names:
            return table
        with noting_sparse_rows(self.transformer, numbers.X):
            made = self.transformer.transform(numbers.X.copy())
        return self._beside(table, numbers, made)

    def _beside(self, table: Table, numbers: Table, made: MatrixLike) -> Table:
        return beside_the_others(table, made, self._names(numbers.names), self.name)

    def _names(self, before: tuple[str, ...]) -> tuple[str, ...] | None:
        """As the transformer says."""
        with suppress(Exception):  # optional; some need what they were not given
            given = self.transformer.get_feature_names_out(np.array(before, dtype=object))
            return names_after(self.transformer, self.name, before, map(str, given))
        return None
