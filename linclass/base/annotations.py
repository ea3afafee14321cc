"""Types of users' arguments."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

ArrayLike = npt.ArrayLike  # a number or a name for each row: labels, weights, offsets, groups
MatrixLike = Any  # rows: an array, lists, a sparse matrix of SciPy or a data frame of any library
Matrix = Any  # rows that are checked: np.ndarray | sp.csr_array, used through X @ W and X.T @ R
EstimatorLike = Any  # ours or of any library, with scikit-learn's fit and predict
Tags = Any  # sklearn.utils.Tags, which is imported only where scikit-learn asks for it

ClassWeight = Literal["balanced"] | Mapping[Any, float] | None  # the factor of each class
Seed = int | np.random.Generator | None
Index = slice | npt.NDArray[Any]  # some rows, or some columns
FoldsLike = Any  # their number, the fold of each row, splits (training, held-out rows), or scikit-learn's splitter
StrengthsLike = int | Sequence[float] | None  # how many to choose from, or which
