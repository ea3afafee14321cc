"""Validation of user input, in NumPy: arrays, or an error of one sentence.

Data frames are recognized by their attribute `columns`, without importing their library. Messages contain the words
that scikit-learn's estimator suite looks for, followed by the remedy.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from numbers import Real
from reprlib import repr as brief
from typing import Any

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import BLOCK, HUGE, TINY, Array, ArrayLike, Matrix, MatrixLike, PerRow
from linclass.base.messages import NotApplicable, counted, warn_user
from linclass.base.parameters import is_list

INT32_MAX, INT64_MAX = np.iinfo(np.int32).max, np.iinfo(np.int64).max


def feature_names(X: MatrixLike) -> Array | None:
    """Column names of a data frame; None for arrays, and if no name is a string."""
    columns = getattr(X, "columns", None)
    if columns is None or not hasattr(columns, "__iter__"):
        return None
    names = np.asarray(list(columns), dtype=object)
    strings = sum(isinstance(name, str) for name in names)
    if 0 < strings < len(names):
        raise TypeError(
            "Feature names are only supported if all input features have string names; here "
            f"{len(names) - strings} of {len(names)} are none. Rename with X.columns.astype(str)."
        )
    return names if strings else None


def rows_to_learn(model: Any, X: MatrixLike) -> Matrix:
    """X as `matrix`, of which the model learns n_features_in_ and, of a data frame, feature_names_in_."""
    names = None if type(X) is np.ndarray else feature_names(X)
    owner, products = type(model).__name__, model.multiplies_features
    X = matrix(X, sparse=model.takes_sparse, owner=owner, products=products)
    if names is not None:
        model.feature_names_in_ = names
    elif hasattr(model, "feature_names_in_"):  # of an earlier fit
        del model.feature_names_in_
    model.n_features_in_ = X.shape[1]
    return X


def matrix(
    X: MatrixLike,
    *,
    sparse: bool = True,
    owner: str = "A classifier",
    products: bool = False,
    gaps: bool = False,
) -> Matrix:
    """A finite float64 matrix: C-ordered ndarray, or canonical csr_array with int32 indices.

    With `products`, entries whose products over- or underflow are refused, too; with `gaps`, NaN and ∞ are allowed.
    """
    original = X
    X = _sparse_matrix(X, sparse, owner) if sp.issparse(X) else _dense_matrix(X, owner)
    rows, columns = X.shape
    if rows < 1 or columns < 1:
        what = "sample(s)" if rows < 1 else "feature(s)"
        raise ValueError(
            f"Found array with 0 {what} (shape=({rows}, {columns})) while a minimum of 1 is "
            f"required by {owner}."
        )
    if gaps:
        return X
    values = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.vdot(values, values) if products else values.sum()
    if not np.isfinite(total):  # one pass, no allocation
        _refuse_missing(X, values, owner)
    first = values if sp.issparse(X) else X[0]  # which mostly tells that no column is tiny
    if products and not (total <= HUGE**2 and np.abs(first).min(initial=1) >= TINY):
        refuse_extremes(X, feature_names(original))
    return X


def labels(y: ArrayLike, rows: int, owner: str = "A classifier") -> Array:
    """Class labels, one per row: integers, booleans or strings; floats must be whole numbers."""
    y = _column(y, rows, owner)
    floats = y.dtype.kind == "O" and all(isinstance(v, float) and v == v for v in y)
    if y.dtype.kind == "f" or floats:
        y = y.astype(float, copy=False)
        _refuse_not_finite_target(y)
        if np.any(fractional := y != np.floor(y)):
            raise ValueError(
                f"Unknown label type: continuous; y holds {y[fractional][0]:g}. "
                f"{owner} takes class labels: bin the target, or use a regressor."
            )
    return y


def encode(y: Array) -> tuple[Array, Array]:
    """(classes, codes): classes sorted, y = classes[codes]."""
    few = y.dtype.kind in "iu" and len(y) and int(y.max()) - int(y.min()) < len(y)
    if few and int(y.max()) <= INT64_MAX:
        codes = y.astype(np.int64)  # few integers: counting beats sorting
        codes -= (least := int(y.min()))
        present = np.bincount(codes) > 0
        classes = (np.flatnonzero(present) + least).astype(y.dtype)
        return classes, codes if present.all() else (np.cumsum(present) - 1)[codes]
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        refuse_missing_labels(y)
        kinds = " and ".join(sorted({type(label).__name__ for label in y}))
        raise ValueError(f"Unknown label type: y mixes {kinds}. Give labels of one type.") from None
    if classes.dtype.kind in "OmM" and any(map(is_missing, classes)):
        refuse_missing_labels(y)
    return classes, codes


def targets(y: ArrayLike, rows: int, owner: str, several: bool = False) -> Array:
    """Finite float64 targets, one per row; a table of them stays one if there may be `several`."""
    y = _column(y, rows, owner, several)
    try:
        y = y.astype(np.float64)
    except (TypeError, ValueError):
        odd = next((entry for entry in y.ravel().tolist() if is_text(entry)), y.ravel()[0])
        raise ValueError(
            f"y holds {odd!r}; targets of a regression are numbers. For classes use a classifier."
        ) from None
    _refuse_not_finite_target(y)
    refuse_extreme_sizes(y, "y", "scale the target")
    return y


def row_weights(sample_weight: PerRow, rows: int) -> Array:
    """Non-negative float64 weights, one per row and not all zero; ones for None."""
    if sample_weight is None:
        return np.ones(rows)
    try:
        w = np.array(sample_weight, dtype=np.float64)  # a copy: class weights will multiply it
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight is {brief(sample_weight)}; it must be a number per row, or None. "
            "Weights of classes are the parameter class_weight, which takes 'balanced' or a dict."
        ) from None
    if w.ndim == 0:
        w = np.full(rows, w)
    if w.shape != (rows,):
        raise ValueError(f"sample_weight has shape {w.shape}; it must be ({rows},), one per row.")
    if not np.isfinite(w).all() or (w < 0).any():
        bad = w[~(np.isfinite(w) & (w >= 0))][0]
        raise ValueError(f"sample_weight holds {bad:g}; weights must be finite and at least 0.")
    if not w.any():
        raise ValueError("sample_weight is zero for every row; leave it out to weigh rows equally.")
    refuse_extreme_sizes(w, "sample_weight", "divide the weights by their largest")
    return w


def of_positive_weight(X: Any, y: Array, weights: Array) -> tuple[Any, Array, Array]:
    """The rows of positive weight; no copy if all have some."""
    if weights.all():
        return X, y, weights
    kept = weights > 0
    return X[kept], y[kept], weights[kept]


def _dense_matrix(X: MatrixLike, owner: str) -> Array:
    try:
        array = np.asarray(X)
        if array.ndim != 2:
            raise _not_a_table(X, array)
        odd = array.dtype.kind in "mM" or hasattr(X, "dtypes")
        if odd and (dates := dates_in(X, array)):
            raise NotApplicable(
                f"{owner} takes numbers, and {dates}. Convert it to numbers, such as days since a date."
            )
        if array.dtype.kind == "c":
            raise ValueError(f"Complex data not supported: X is {array.dtype}. Pass X.real.")
        array = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if "inhomogeneous" in str(error) and isinstance(X, list | tuple):
            raise ValueError(
                f"the rows of X differ in length: {brief(X)}; give all the same features."
            ) from None
        nested = "setting an array element" in str(error) and hasattr(X, "shape")
        odd_entry = nested or "could not convert" in str(error)
        if odd_entry and (text := text_in(X, array)):
            remedy = (
                "Give each number a column of its own"
                if nested
                else "Convert it to numbers, such as indicators: Preprocessor(transforms=['one_hot'])"
            )
            raise NotApplicable(f"{owner} takes numbers, and {text}. {remedy}.") from None
        if "NAType" in str(error):  # pandas' NA is refused as NaN is, with its row and column
            missing = np.frompyfunc(is_missing, 1, 1)(array).astype(bool)
            return _dense_matrix(np.where(missing, np.nan, array), owner)
        raise
    return array


def _not_a_table(X: MatrixLike, array: Array) -> ValueError:
    if array.ndim == 0:
        return ValueError(
            f"Expected 2D array, but X is {brief(X)}; give a table of rows and features: an array, a sparse "
            "matrix or a data frame."
        )
    got = f"Expected 2D array, got {array.ndim}D array instead"
    if hasattr(X, "to_frame"):  # a series of pandas or Polars
        return ValueError(
            f"{got}: X is the single column {X.name!r}; give a data frame with it, X.to_frame()."
        )
    return ValueError(
        f"{got}: shape {array.shape}. Reshape "
        "your data with X.reshape(-1, 1) if it is one feature, (1, -1) if it is one row."
    )


def _sparse_matrix(X: MatrixLike, accepted: bool, owner: str) -> sp.csr_array:
    if not accepted:
        raise NotApplicable(f"Sparse data was passed, but {owner} needs dense rows: X.toarray().")
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data.")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: X is {X.dtype}. Pass X.real.")
    R = sp.csr_array(X)  # shares the arrays of a csr X
    if not R.has_canonical_format:
        R = R.copy()  # the user's X stays as it is
        R.sum_duplicates()
    if R.indices.dtype != np.int32 and max(R.nnz, *R.shape) <= INT32_MAX:
        parts = R.data, R.indices.astype(np.int32), R.indptr.astype(np.int32)
        R = sp.csr_array(parts, shape=R.shape)
        R.has_canonical_format = True
    return R.astype(np.float64, copy=False)


def _column(y: ArrayLike, rows: int, owner: str, several: bool = False) -> Array:
    if y is None:
        raise ValueError(f"{owner} requires y to be passed, but the target y is None.")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1 and not several:
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Pass y.ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        y = y.ravel()
    if y.ndim != 1 and not (several and y.ndim == 2 and y.shape[1]):
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    if len(y) != rows:
        raise ValueError(
            f"y has length {len(y)}, X has length {rows}; they must have the same number of rows."
        )
    if y.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y is {y.dtype}. Pass y.real.")
    return y


def _refuse_missing(X: Matrix, values: Array, owner: str) -> None:
    missing = np.isnan(values)
    bad = missing if missing.any() else np.isinf(values)
    if not bad.any():
        return
    where = int(np.argmax(bad))  # the first one
    if sp.issparse(X):
        row, column = int(np.searchsorted(X.indptr, where, "right")) - 1, int(X.indices[where])
    else:
        row, column = divmod(where, X.shape[1])
    what, remedy = ("NaN", "impute") if missing.any() else ("infinity", "clip or drop")
    raise NotApplicable(
        f"Input X contains {what}: {int(bad.sum())} value(s), the first in row {row}, column "
        f"{column}. {owner} takes finite numbers: {remedy} them first."
    )


def _refuse_not_finite_target(y: Array) -> None:
    if not np.isfinite(y).all():
        what = "NaN" if np.isnan(y).any() else "infinity"
        raise ValueError(f"Input y contains {what}. Drop the rows without a target.")


# Entries that are not numbers: dates and times, text, and missing values of any library

DATES = re.compile("date|time|duration|period", re.IGNORECASE)  # types of pandas and Polars


def dates_in(X: MatrixLike, array: Array) -> str:
    """'column 'born' holds datetime64[ns]', of X or its array; empty without dates, which NumPy takes for numbers."""
    if array.dtype.kind in "mM":
        return f"X holds {array.dtype}"
    kinds = zip(getattr(X, "columns", ()), getattr(X, "dtypes", ()), strict=False)
    return next((f"column {name!r} holds {k}" for name, k in kinds if DATES.match(str(k))), "")


def text_in(X: MatrixLike, array: Array) -> str:
    """'column 'city' holds text: 'Bern'', the first text of X or its array that is no number, or the first list; empty
    without any.
    """
    names = list(getattr(X, "columns", range(array.shape[1])))
    for name, column in zip(names, array.T, strict=True):
        odd = next((entry for entry in column if is_text(entry) or is_list(entry)), None)
        if odd is not None:
            kind = "a list" if is_list(odd) else "text"
            return f"column {name!r} holds {kind}: {brief(str(odd))}"
    return ""


def is_text(entry: object) -> bool:
    """Whether it is text that no number is read from, as '1.5' is."""
    if not isinstance(entry, str | bytes):
        return False
    try:
        float(entry)
    except ValueError:
        return True
    return False


def is_missing(entry: object) -> bool:
    """Whether it is None, NaN, NaT or pandas' NA."""
    none = entry is None or type(entry).__name__ in ("NAType", "NaTType")
    return none or bool(isinstance(entry, float | np.generic) and entry != entry)


def refuse_missing_labels(y: Array) -> None:
    """Raise ValueError if there are any, with their number."""
    if y.dtype.kind in "OmM" and (missing := sum(map(is_missing, y))):
        raise ValueError(
            f"Input y contains {counted(missing, 'missing label')}. Drop the rows without a target."
        ) from None


# Entries so large or so small that their products overflow or underflow


def refuse_extremes(X: Matrix, names: Array | None) -> None:
    """Raise NotApplicable for a column whose largest entry is above HUGE, or below TINY but not 0."""
    if sp.issparse(X):
        largest = abs(X).max(axis=0).toarray().ravel()
    else:  # block by block, without a copy of the rows
        largest = np.zeros(X.shape[1])
        for start in range(0, len(X), BLOCK):
            np.maximum(largest, np.abs(X[start : start + BLOCK]).max(axis=0), out=largest)
    for happens, bad in (
        ("overflow", largest > HUGE),
        ("underflow", (largest > 0) & (largest < TINY)),
    ):
        if bad.any():
            column = int(bad.argmax())
            name = column if names is None else repr(str(names[column]))
            raise NotApplicable(
                f"X has entries of size {largest[column]:g} in column {name}, whose products "
                f"{happens}; standardize the features."
            )


def refuse_tiny_classes(classes: Array, mass: Array) -> None:
    """Raise NotApplicable for a class whose total weight is so small that dividing by it overflows."""
    if (mass < TINY).any():
        k = int(mass.argmin())
        raise NotApplicable(
            f"the rows of class {classes.tolist()[k]!r} have the total weight {mass[k]:g}, by which sums are divided; "
            "leave the class out, or give it more weight."
        )


def refuse_extreme_sizes(values: Array, what: str, remedy: str) -> None:
    """Raise NotApplicable for targets or weights whose largest is above HUGE, or below TINY but not 0."""
    largest = np.abs(values).max(initial=0)
    if largest > HUGE or 0 < largest < TINY:
        happens = "overflow" if largest > HUGE else "underflow"
        raise NotApplicable(
            f"{what} has sizes up to {largest:g}, whose products {happens}; {remedy}."
        )


# Weights of classes, the parameter `class_weight`


def class_weights(class_weight: str | Mapping[Any, float], classes: Array, mass: Array) -> Array:
    """One weight per class: 'balanced' gives all classes the same total weight, a dict specifies them.

    'balanced': Σmass / (K · mass_k), with mass_k the sum of the row weights of class k.
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        return mass.sum() / (len(classes) * mass)
    if isinstance(class_weight, str) or not hasattr(class_weight, "get"):
        raise ValueError(
            f"class_weight is {class_weight!r}; it must be 'balanced', None, or a dict from class "
            "to weight."
        )
    names = classes.tolist()
    unknown = [key for key in class_weight if key not in names]
    if unknown and any(c not in class_weight for c in names):
        raise ValueError(f"class_weight names {unknown[0]!r}, but the classes are {names}.")
    values = [class_weight.get(c, 1.0) for c in names]
    for c, weight in zip(names, values, strict=True):
        if not isinstance(weight, Real):
            raise ValueError(f"class_weight of {c!r} is {weight!r}; it must be a number above 0.")
    weights = np.array(values, dtype=np.float64)
    if not (np.isfinite(weights) & (weights > 0)).all():
        c = int(np.argmin(np.isfinite(weights) & (weights > 0)))
        raise ValueError(
            f"class_weight of {names[c]!r} is {weights[c]:g}; it must be finite and above 0. "
            "Leave the rows of a class out to ignore it."
        )
    return weights


def weights_of_some(class_weight: str | Mapping[Any, float], classes: Array) -> Array:
    """Class weights for a part of the rows, which may lack classes that a dict names; 'balanced' needs all rows."""
    if isinstance(class_weight, str):
        raise ValueError(
            f"class_weight is {class_weight!r}, which needs all rows at once; give a dict from class to weight."
        )
    if hasattr(class_weight, "get"):
        class_weight = {c: class_weight[c] for c in classes.tolist() if c in class_weight}
    return class_weights(class_weight, classes, np.ones(len(classes)))


# The number of rows that weights represent, on which degrees of freedom, priors and visits depend:
#
#     N = max(Σ w, n),   n the number of rows whose weight is not negligible.
#
# Weights with a mean of at least 1 are frequency weights; weights with a mean below 1 are relative, and are scaled to a
# mean of 1. The two agree where they meet, so a fit is continuous in a constant factor of the weights; integer weights
# are repeated rows, and weights that sum to 1 or to n give the same fit.

NEGLIGIBLE_WEIGHT = 1e-9  # relative to the largest weight: such a row is as good as absent
WEIGHT_SUM_TOLERANCE = 1e-9  # relative to a sum of weights


def count_factor(total: Any, rows: Any) -> Any:
    """N/Σw, the factor by which weights with this sum over this number of rows count rows."""
    return np.maximum(1.0, rows / total)


def have_weight(weights: Array) -> Array:
    """The rows that count towards n, as a mask."""
    return weights > NEGLIGIBLE_WEIGHT * weights.max(initial=0)


def as_counts(weights: Array) -> Array:
    """The weights, multiplied by N/Σw."""
    return weights * count_factor(weights.sum(), have_weight(weights).sum())


def warn_of_relative_weights(weights: Array, owner: str) -> None:
    """Warn of a mean below 1, unless the weights sum to 1, as those that boosting gives."""
    total, n = float(weights.sum()), int(have_weight(weights).sum())
    if total < n * (1 - WEIGHT_SUM_TOLERANCE) and abs(total - 1) > WEIGHT_SUM_TOLERANCE * n:
        warn_user(
            f"sample_weight sums to {total:g} over {n} rows, and {owner} depends on how many rows the weights count; "
            "they are taken as relative and scaled to a mean of 1. Divide relative weights by their mean, and "
            "multiply frequency weights until they sum to the number of observations."
        )
