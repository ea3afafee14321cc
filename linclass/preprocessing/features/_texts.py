"""Columns of texts are replaced by columns of counts."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from linclass.base.messages import NotApplicable
from linclass.base.tables import Counted, Table, unique


def refuse_no_texts(table: Table, feature: str) -> None:
    if not table.texts:
        raise NotApplicable(
            f"{feature} needs a column of texts, and the data set has none; "
            "`texts:` in its entry names such columns."
        )


def in_place_of_texts(table: Table, feature: str, count: Callable[[list[str]], Counted]) -> Table:
    """The table with the counts of its texts in their place, on the right, all of it sparse."""
    refuse_no_texts(table, feature)
    others = [j for j, name in enumerate(table.names) if name not in table.texts]
    blocks = [sp.csr_array(table.X[:, others])]
    names = [table.names[j] for j in others]
    for j, name in enumerate(table.names):
        if name in table.texts:
            used, row = np.unique(table.column(j).astype(np.int64), return_inverse=True)
            X, words = count([table.levels[name][code] for code in used])
            blocks.append(X[row])
            names += words if len(table.names) == 1 else [f"{name}:{word}" for word in words]
    X = sp.hstack(blocks, format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    levels = {name: values for name, values in table.levels.items() if name not in table.texts}
    return replace(table, X=X, names=unique(names), levels=levels, texts=frozenset())
