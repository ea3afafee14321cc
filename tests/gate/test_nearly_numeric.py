"""A few cells that are no numbers make a column categorical, and are named."""

from __future__ import annotations

import numpy as np
import pytest

from linclass.table import Table
from linclass_study.gate.findings import serious
from linclass_study.gate.nearly_numeric import nearly_numeric


def table(levels: tuple[str, ...]) -> Table:
    codes = np.arange(len(levels), dtype=float)[:, None]
    return Table(codes, ("income",), {"income": levels})


NUMBERS = tuple(str(1000 + 7 * i) for i in range(54))


@pytest.mark.parametrize("odd", [("12k",), ("about forty", "n/k"), ("inf",), ("nan ",)])
def test_the_cells_that_are_no_numbers_are_named(odd: tuple[str, ...]) -> None:
    facts = nearly_numeric(table((*NUMBERS, *odd)))
    assert facts["nearly_numeric_columns"] == {"income": [54, len(odd), list(odd)]}
    (sentence,) = serious(facts | {"identifier_columns": {"income": [55, 55]}})
    assert repr(odd[0]) in sentence
    assert "identifier" not in sentence


@pytest.mark.parametrize(
    "levels", [NUMBERS, ("1", "2", "3", "other"), tuple("abcdefghijkl"), (*NUMBERS[:12], "a", "b")]
)
def test_numbers_grades_and_names_are_not(levels: tuple[str, ...]) -> None:
    assert nearly_numeric(table(levels)) == {"nearly_numeric_columns": {}}
