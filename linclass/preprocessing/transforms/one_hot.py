"""One-hot: a categorical column becomes a column of zeros and ones for each level but the first.

This is treatment coding: with all levels the columns would add up to the constant, and neither LDA nor an
unpenalized model would have a unique solution (drop='none' keeps all levels, for penalized models). The
levels are those of the training rows; a row with another level is coded as the first one.
Hastie, Tibshirani & Friedman (2009), §2.2
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike, Matrix
from linclass.base.messages import NotApplicable, counted, require_memory
from linclass.base.tables import Table, new_names
from linclass.preprocessing.transforms.base import Transform


class OneHot(Transform):
    """Indicators of the levels of categorical columns.

    Parameters
    ----------
    drop : {'first', 'none'} or None, default='first'
        Whether the first level has no column; 'none' and None keep all levels.

    Attributes
    ----------
    codes_ : dict
        Name of each categorical column → codes of the levels that have a column.
    """

    def __init__(self, drop: str | None = "first"):
        if drop not in ("first", "none", None):
            raise ValueError(f"one_hot: drop is {drop!r}; it must be 'first' or 'none'.")
        self.drop = drop

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        if table.texts:
            raise NotApplicable(
                f"column {min(table.texts)!r} holds texts, not categories; count their words with "
                "the feature count_words or hash_words."
            )
        skipped = 1 if self.drop == "first" else 0
        self.codes_ = {name: np.unique(_codes(table, name))[skipped:] for name in table.levels}
        return self

    def same_for(self, table: Table, folds: Sequence[np.ndarray]) -> bool:
        """Whether the training rows of every fold have the same levels; fits them.

        Parameters
        ----------
        table : Table
            All rows.
        folds : sequence of arrays of int
            Held-out rows of each fold.

        Returns
        -------
        bool
            If True, the transform is fitted for all of them.
        """
        self.fit(table)
        for name in table.levels:
            codes = _codes(table, name)
            counts = np.bincount(codes)
            for held_out in folds:
                own = np.bincount(codes[held_out], minlength=len(counts))
                if ((own == counts) & (counts > 0)).any():
                    return False
        return True

    def transform(self, table: Table) -> Table:
        if not table.levels:
            return table
        n, width = len(table.names), sum(len(codes) for codes in self.codes_.values())
        if not table.is_sparse:
            size = 8 * table.shape[0] * (n + width)
            require_memory(size, f"one_hot makes {width} dense columns")
        pieces: list[Any] = []
        names: list[str] = []
        indicators = _names(table)
        start = 0
        for j, name in enumerate(table.names):
            if name not in table.levels:
                continue
            pieces += [table.X[:, start:j], self._indicators(table, name)]
            names += table.names[start:j]
            names += [indicators[name, int(code)] for code in self.codes_[name]]
            start = j + 1
        pieces.append(table.X[:, start:])
        names += table.names[start:]
        X = sp.hstack(pieces, format="csr") if table.is_sparse else np.hstack(pieces)
        return replace(table, X=X, names=tuple(names), levels={})

    def _indicators(self, table: Table, name: str) -> Matrix:
        equal = (_codes(table, name)[:, None] == self.codes_[name]).astype(np.float64)
        return sp.csr_array(equal) if table.is_sparse else equal


def _names(table: Table) -> dict[tuple[str, int], str]:
    """(column, code) → colour=red, or colour=red (2) where a column is called so; of all levels, so that they are the
    same for all training rows."""
    keys = [(name, code) for name, levels in table.levels.items() for code in range(len(levels))]
    new = [f"{name}={table.levels[name][code]}" for name, code in keys]
    return dict(zip(keys, new_names(table.names, new), strict=True))


def _codes(table: Table, name: str) -> np.ndarray:
    column = table.column(table.names.index(name))
    if missing := int(np.isnan(column).sum()):
        raise NotApplicable(
            f"column {name!r} has {counted(missing, 'missing value')}; put impute before one_hot."
        )
    return column.astype(np.int64)
