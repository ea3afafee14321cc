"""What keeps an estimator from a table is told at once, with all remedies, and the one that fits its cells."""

from __future__ import annotations

import numpy as np
import pytest

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.pipeline.require_numbers import require_numbers

COMMAS = tuple(f"{k},5" for k in range(12))
MARKED = (*map(str, range(30)), "12k")
CITIES = ("Paris", "Rome")
IS_TEXT = "column 'city' is text"


def refusal(levels: dict[str, tuple[str, ...]], gaps: int = 0) -> str:
    """Of a table of these categories and a column `age` in which values are missing."""
    X = np.zeros((40, len(levels) + 1))
    X[:gaps, -1] = np.nan
    with pytest.raises(NotApplicable) as found:
        require_numbers(Table(X, (*levels, "age"), levels), object())
    return str(found.value)


def test_categories_and_missing_values_have_both_remedies() -> None:
    assert refusal({"city": CITIES}) == f"{IS_TEXT}; add one_hot to the method's transforms"
    assert refusal({}, 2) == (
        "column 'age' has 2 missing values in the training rows; add impute to the method's transforms"
    )
    assert refusal({"city": CITIES}, 2) == (
        f"{IS_TEXT} and column 'age' has 2 missing values in the training rows; "
        "add impute and one_hot to the method's transforms"
    )


def test_a_column_that_should_be_numbers_is_not_to_be_one_hot() -> None:
    assert refusal({"dose": COMMAS}) == (
        "column 'dose' is text because of decimal commas such as '0,5'; "
        'add `csv: {decimal: ","}` to the data set\'s entry'
    )
    assert refusal({"dose": MARKED}) == (
        "column 'dose' is text because of cells such as '12k'; correct or empty these cells in the file"
    )
    assert refusal({"dose": MARKED, "city": CITIES}, 1).endswith(
        "correct or empty these cells in the file, and add impute and one_hot to the method's transforms"
    )
