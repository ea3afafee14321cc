"""Data sets that share rows are one piece of evidence.

The same flowers under other classes, or a part of the same posts, err together: counted as two data sets they
would halve a variance that they do not halve. So whatever is averaged or counted over data sets gives each of
g that share rows the weight 1/g, which is `weights`.
"""

from __future__ import annotations

import polars as pl

from linclass_study.results.outcome import Outcome

AND = "; "  # between the names in a cell of tables/datasets.csv


def groups(outcome: Outcome) -> list[list[str]]:
    """The data sets of a study, in its order, those together that share rows."""
    path = outcome.results / "tables" / "datasets.csv"
    table = pl.read_csv(path, columns=["dataset", "shares_rows_with"], infer_schema=False)
    relatives = {
        name: {name, *(others or "").split(AND)} for name, others in table.iter_rows()
    }
    found: list[list[str]] = []
    for name in outcome.datasets:
        known = next((own for own in found if name in relatives.get(own[0], ())), None)
        if known is None:
            found.append([name])
        else:
            known.append(name)
    return found


def weights(outcome: Outcome) -> dict[str, float]:
    """Data set → what it counts in an average over data sets; they sum to the number of groups."""
    return {name: 1 / len(group) for group in groups(outcome) for name in group}
