"""A few cells that are no numbers make a column categorical, and are named."""

from __future__ import annotations

import numpy as np
from cases import each

from linclass.base.tables import Table
from linclass_study.checks.findings import serious
from linclass_study.checks.nearly_numeric import nearly_numeric


def table(levels: tuple[str, ...]) -> Table:
    codes = np.arange(len(levels), dtype=float)[:, None]
    return Table(codes, ("income",), {"income": levels})


NUMBERS = tuple(str(1000 + 7 * i) for i in range(54))


def test_decimal_commas_are_named_with_the_key_that_reads_them() -> None:
    commas = tuple(f"{i},5" for i in range(20))
    for levels in (commas, (*commas, *NUMBERS)):
        facts = nearly_numeric(table(levels))
        assert facts["nearly_numeric_columns"] == {"income": [len(levels) - 20, 20, [*commas[:3]]]}
        (sentence,) = serious(facts | {"identifier_columns": {"income": [20, 20]}})
        assert f"because 20 of its {len(levels)} values have a comma ('0,5', " in sentence
        assert sentence.endswith('add `csv: {decimal: ","}` to the entry')
    assert not nearly_numeric(table((*commas, "1,000,000")))["nearly_numeric_columns"]
    assert not nearly_numeric(table(commas[:5]))["nearly_numeric_columns"]


@each("odd", [("12k",), ("about forty", "n/k"), ("inf",), ("nan ",)])
def test_the_cells_that_are_no_numbers_are_named(odd: tuple[str, ...]) -> None:
    facts = nearly_numeric(table((*NUMBERS, *odd)))
    assert facts["nearly_numeric_columns"] == {"income": [54, len(odd), list(odd)]}
    (sentence,) = serious(facts | {"identifier_columns": {"income": [55, 55]}})
    assert repr(odd[0]) in sentence
    assert "identifier" not in sentence


@each(
    "levels", [NUMBERS, ("1", "2", "3", "other"), tuple("abcdefghijkl"), (*NUMBERS[:12], "a", "b")]
)
def test_numbers_grades_and_names_are_not(levels: tuple[str, ...]) -> None:
    assert nearly_numeric(table(levels)) == {"nearly_numeric_columns": {}}
