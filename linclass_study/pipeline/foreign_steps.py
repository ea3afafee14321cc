"""Transforms and features of other libraries or of the user, which take and return matrices."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from linclass.base.arrays import EstimatorLike, Matrix, MatrixLike
from linclass.base.messages import NotApplicable, counted
from linclass.base.parts import import_object
from linclass.base.predicted import noting_sparse_rows
from linclass.base.tables import Table, unique
from linclass_study.files.cells import has_decimal_comma, may_mark_thousands, stray_levels
from linclass_study.pipeline.coefficients import names_after


def beside_the_others(
    table: Table, made: MatrixLike, names: Sequence[str] | None, what: str
) -> Table:
    """The categorical columns of a table, then the matrix that `what` computed from the numeric ones.

    Its columns have these `names`, or names made of `what` if there are not as many as columns.
    """
    X = _plain_matrix(made, table.shape[0], what)
    width = X.shape[1]
    if names is None or len(names) != width:
        names = [f"{what}.{j}" for j in range(1, width + 1)]
    if not table.levels:
        return Table(X, unique(names))
    left = table.categorical()
    if sparse.issparse(X) or sparse.issparse(left.X):
        X = _csr(sparse.hstack([sparse.csr_array(left.X), sparse.csr_array(X)]))
    else:
        X = np.hstack([left.X, X])
    return replace(left, X=X, names=unique([*left.names, *names]))


def _plain_matrix(made: MatrixLike, rows: int, what: str) -> Any:
    """float64, dense or CSR with 32-bit indices."""
    try:
        X = _csr(made) if sparse.issparse(made) else np.array(made, dtype=np.float64, order="C")
    except (TypeError, ValueError):  # texts, rows of different lengths
        raise ValueError(f"{what} must return a matrix of numbers") from None
    if X.ndim != 2 or X.shape[0] != rows:
        raise ValueError(
            f"{what} returned {' × '.join(map(str, X.shape))} values for {rows} rows; it must return one row for each"
        )
    return X


def _csr(X: Matrix) -> sparse.csr_array:
    X = sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()  # it is theirs
        X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


# A transform of another library or of the user: a class with scikit-learn's `fit` and `transform`.
#
# It is fitted to the matrix of the training rows and their class codes, or what y a `Preprocessor` gets; categories
# are kept beside its output. Training rows are transformed by `fit_transform` if it exists, as in scikit-learn's
# Pipeline: TargetEncoder encodes each of them without its own class.


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
        names = None
        with suppress(Exception):  # optional; some need what they were not given
            before = np.array(numbers.names, dtype=object)
            after = self.transformer.get_feature_names_out(before)
            names = names_after(self.transformer, self.name, before, map(str, after))
        return beside_the_others(table, made, names, self.name)


# A feature map by its import path: a function of the numeric columns, or of the table.
#
#     def log_ratio(X, over=0, under=1)      X: float64, dense or CSR; returns a matrix with as many rows
#     def log_ratio(table, over, under)      a first parameter called `table`: it gets a Table, and returns one
#
# A map of single rows may run before the folds are split, one that looks at other rows would leak held-out rows into
# training. So the features of a part of the rows are computed once more, alone, and must be the same.

ALONE = 100  # rows that are computed once more
FEATURE_TOLERANCE = 1e-9  # products of matrices round differently with the number of rows


def find_feature(path: str) -> Callable[..., Any]:
    """The function at an import path; ValueError if it is not a map of single rows."""
    function = import_object(path)
    if isinstance(function, type) or hasattr(function, "fit"):
        remedy = "list it under `transforms:`, which are fitted inside each fold"
        raise ValueError(f"'{path}' needs a fit; {remedy}")
    if not callable(function):
        raise ValueError(f"'{path}' is not a function; give a function of the matrix X")
    return function


def apply_own_feature(path: str, table: Table, /, **options: Any) -> Table:
    """The features of every row; NotApplicable if they depend on other rows."""
    function = find_feature(path)
    made = _computed(function, path, table, options)
    some = np.arange(0, table.shape[0], max(2, table.shape[0] // ALONE))
    among, alone = made.rows(some), _computed(function, path, table.rows(some), options)
    A, B = (part.X.toarray() if sparse.issparse(part.X) else part.X for part in (among, alone))
    near: dict[str, Any] = {"rtol": FEATURE_TOLERANCE, "atol": FEATURE_TOLERANCE, "equal_nan": True}
    same = among.names == alone.names and A.shape == B.shape
    if not (same and np.allclose(A, B, **near)):
        raise NotApplicable(
            f"'{path}' gives a row different features when other rows change, so held-out rows would leak into "
            "training; make it a map of single rows, or a transform"
        )
    return made


def _computed(
    function: Callable[..., Any], path: str, table: Table, options: Mapping[str, Any]
) -> Table:
    if next(iter(inspect.signature(function).parameters), "") == "table":
        made = function(table, **options)
        if not isinstance(made, Table):
            raise ValueError(f"'{path}' returned {type(made).__name__}; it must return a Table")
        return made
    what = path.rpartition(".")[2]
    return beside_the_others(table, function(table.numeric().X.copy(), **options), None, what)


def require_numbers(table: Table, estimator: EstimatorLike) -> None:
    """Raise NotApplicable for texts, categories, or missing values without the estimator's tag `allow_nan`."""
    if table.texts:
        raise NotApplicable(
            f"column '{min(table.texts)}' holds texts; add count_words or hash_words to the method's features"
        )
    if table.levels:
        raise NotApplicable(_of_text(table, _missing(table, estimator)))
    require_values(table, estimator)


def require_values(table: Table, estimator: EstimatorLike, before: str = "") -> None:
    """Raise NotApplicable for missing values; `before` names the transform that cannot handle them: ' before PCA'."""
    if missing := _missing(table, estimator):
        raise NotApplicable(f"{missing}; add impute to the method's transforms{before}")


def _of_text(table: Table, missing: str) -> str:
    """Why some columns are not numeric, with the `missing` values, and all remedies."""
    facts, remedies, steps = [], [], []
    stray = {name: cells for name in table.levels if (cells := stray_levels(table.levels[name]))}
    for name, cells in [*stray.items()][:1]:
        commas = all(map(has_decimal_comma, cells))
        what = "decimal commas" if commas else "cells"
        facts.append(f"column '{name}' is text because of {what} such as '{cells[0]}'")
        decimal = 'add `decimal: ","` under `csv:` of the data set\'s entry'
        decimal += " (or take marks of thousands out of the file)" * may_mark_thousands(cells)
        remedies.append(decimal if commas else "correct or empty these cells in the file")
    for name in [name for name in table.levels if name not in stray][:1]:
        facts.append(f"column '{name}' is text")
        steps.append("one_hot")
    if missing:
        facts.append(missing)
        steps.insert(0, "impute")
    if steps:
        remedies.append(f"add {' and '.join(steps)} to the method's transforms")
    return f"{' and '.join(facts)}; {', and '.join(remedies)}"


def _missing(table: Table, estimator: EstimatorLike) -> str:
    """'column 'age' has 3 missing values …' of the first column that has some; '' if the estimator can handle them."""
    values = table.X.data if table.is_sparse else table.X
    if not np.isnan(values).any():
        return ""
    with suppress(Exception):  # a foreign estimator without tags
        if estimator.__sklearn_tags__().input_tags.allow_nan:
            return ""
    missing = np.isnan(table.X.toarray() if table.is_sparse else table.X).sum(axis=0)
    column = int(np.argmax(missing > 0))
    number = counted(missing[column], "missing value")
    return f"column '{table.names[column]}' has {number} in the training rows"
