"""Groups of data sets that share rows, which are not independent.

Results on the same rows with other classes, or on a part of them, are correlated: counted as two data sets, they would
understate the variance of a mean. So one of each group takes part in comparisons across data sets.
"""

from __future__ import annotations

import polars as pl

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.tables import AND


def groups_sharing_rows(outcome: Outcome) -> list[list[str]]:
    """Data sets of a study, in its order, grouped by shared rows."""
    path = outcome.results / "tables" / "datasets.csv"
    table = pl.read_csv(path, columns=["dataset", "shares_rows_with"], infer_schema=False)
    relatives = {name: {name, *(others or "").split(AND)} for name, others in table.iter_rows()}
    found: list[list[str]] = []
    for name in outcome.datasets:
        known = next((own for own in found if name in relatives.get(own[0], ())), None)
        if known is None:
            found.append([name])
        else:
            known.append(name)
    return found
