"""What a foreign estimator cannot be given: texts, categories, and missing values unless it has the tag `allow_nan`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from linclass.base.arrays import EstimatorLike
from linclass.base.messages import NotApplicable, counted
from linclass.base.tables import Table


def require_numbers(table: Table, estimator: EstimatorLike) -> None:
    """Raise NotApplicable for texts, categories or missing values that the estimator cannot handle."""
    if table.texts:
        raise NotApplicable(
            f"column '{min(table.texts)}' holds texts; add count_words or hash_words to the method's features"
        )
    if table.levels:
        raise NotApplicable(_of_text(table, _missing(table, estimator)))
    require_values(table, estimator)


def require_values(table: Table, estimator: EstimatorLike, before: str = "") -> None:
    """`before` says which step of the transforms cannot handle them: ' before PCA'."""
    if missing := _missing(table, estimator):
        raise NotApplicable(f"{missing}; add impute to the method's transforms{before}")


def _of_text(table: Table, missing: str) -> str:
    """All that keeps the columns from being numbers, `missing` values included, and then all remedies."""
    facts, remedies, steps = [], [], []
    stray = {name: found for name, own in table.levels.items() if (found := stray_levels(own))}
    for name, cells in [*stray.items()][:1]:
        commas = all(map(has_decimal_comma, cells))
        what = "decimal commas" if commas else "cells"
        facts.append(f"column '{name}' is text because of {what} such as '{cells[0]}'")
        remedies.append(
            'add `csv: {decimal: ","}` to the data set\'s entry'
            if commas
            else "correct or empty these cells in the file"
        )
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


# Levels of a column that are numbers but for a few cells, such as '12k', or for decimal commas.

FEWEST = 10  # numbers among the levels; fewer may be names, such as grades
OTHERS = 0.1  # maximal share of the levels that are no numbers


def stray_levels(levels: Sequence[str]) -> list[str]:
    """The levels that alone keep a column from being numbers; none if it is one of names."""
    others = [level for level in levels if not _is_number(level)]
    few = len(levels) - len(others) >= FEWEST and len(others) <= OTHERS * len(levels)
    commas = len(levels) >= FEWEST and all(map(has_decimal_comma, others))
    return others if few or commas else []


def has_decimal_comma(level: str) -> bool:
    """Whether it is a number if its one comma is a decimal mark."""
    return level.count(",") == 1 and _is_number(level.replace(",", "."))


def _is_number(level: str) -> bool:
    try:
        return bool(np.isfinite(float(level)))
    except ValueError:
        return False
