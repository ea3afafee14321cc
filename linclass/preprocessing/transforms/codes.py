"""Codes: a category becomes the index of its level among those of the training rows, 0, 1, 2, …

The index is not a measurement. It is for classifiers of categories (CategoricalNB; ExponentialFamilyNB with
the family `categorical`); other classifiers need `one_hot` instead. A level without training rows gets the
index after the last one, which does not influence the score. If it were numbered among the others, a
held-out row would change the number of levels.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np
import scipy.sparse as sp

from linclass.base.arrays import ArrayLike
from linclass.base.tables import Table
from linclass.preprocessing.transforms.base import Transform


class Codes(Transform):
    """Index of each category's level.

    Attributes
    ----------
    levels_ : dict
        Name of each categorical column → codes of its levels in the training rows.
    """

    def fit(self, table: Table, y: ArrayLike | None = None) -> Self:
        self.levels_ = {name: np.unique(_known(table, name)) for name in _categories(table)}
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
        for name in _categories(table):
            codes = table.column(table.names.index(name))
            for held_out in folds:
                others = np.delete(codes, held_out)
                if len(np.unique(others[~np.isnan(others)])) < len(self.levels_[name]):
                    return False
        return True

    def transform(self, table: Table) -> Table:
        """The table with indices instead of categories; columns of texts are unchanged.

        Parameters
        ----------
        table : Table
            Any rows.

        Returns
        -------
        Table
        """
        changed = {
            name: levels
            for name, levels in self.levels_.items()
            if not np.array_equal(levels, np.arange(len(table.levels[name])))
        }
        X = table.X
        if changed:
            X = X.tolil() if table.is_sparse else X.copy()
            for name, levels in changed.items():
                X[:, table.names.index(name)] = _numbered(
                    table.column(table.names.index(name)), levels
                )
            X = sp.csr_array(X) if table.is_sparse else X
        return replace(table, X=X, levels={name: table.levels[name] for name in table.texts})


def _numbered(codes: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Index of each code in `levels`, len(levels) if it is not there; missing values stay missing."""
    place = np.searchsorted(levels, codes).astype(float)
    known = np.isin(codes, levels)
    return np.where(np.isnan(codes), np.nan, np.where(known, place, len(levels)))


def _categories(table: Table) -> list[str]:
    return [name for name in table.levels if name not in table.texts]


def _known(table: Table, name: str) -> np.ndarray:
    codes = table.column(table.names.index(name))
    return codes[~np.isnan(codes)]
