"""Columns of dates are found in the forms that people write, and no others."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
from cases import each
from planted import numbers

from linclass.base.tables import Table
from linclass_study.checks.check_dataset import check_dataset
from linclass_study.checks.dates import dates, is_date
from linclass_study.checks.findings import findings
from linclass_study.data.dataset import Dataset
from linclass_study.report import data_card

DAYS = [datetime(2023, 1, 28, 9, 5) + timedelta(days=3 * k, minutes=7 * k) for k in range(40)]
FORMS = [
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%y", "%d %b %Y", "%d-%B-%Y", "%B %d, %Y",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S.123Z", "%Y-%m-%dT%H:%M:%S+02:00", "%m/%d/%y %I:%M %p",
]  # fmt: skip


def of_levels(levels: list[str]) -> dict[str, list[object]]:
    codes = np.arange(len(levels), dtype=float)[:, None]
    return dates(Table(codes, ("when",), {"when": tuple(levels)}))["date_columns"]


@each("form", FORMS)
def test_text_in_the_usual_forms_of_dates_is_found(form: str) -> None:
    levels = [day.strftime(form) for day in DAYS]
    assert of_levels(levels) == {"when": [40, levels[0]]}
    assert of_levels(["unknown", "n/a", *levels]) == {"when": [40, levels[0]]}


def test_whole_numbers_whose_digits_are_days_of_the_calendar_are_found() -> None:
    days = np.array([float(day.strftime("%Y%m%d")) for day in DAYS])
    days[3] = np.nan
    table = numbers({"age": np.arange(40.0), "when": days})
    assert dates(table) == {"date_columns": {"when": [39, "20230128"]}}


def test_other_columns_hold_no_dates() -> None:
    rng = np.random.default_rng(0)
    columns = {
        "year": rng.integers(1900, 2024, 200).astype(float),
        "amount": rng.integers(18_000_101, 21_991_231, 200).astype(float),
        "days": 20_230_101 + rng.uniform(0, 28, 200),
        "empty": np.full(200, np.nan),
    }
    assert dates(numbers(columns)) == {"date_columns": {}}
    assert of_levels([day.strftime("%Y-%m-%d") for day in DAYS[:9]]) == {}  # may be categories
    others = [
        "2023-13-32",
        "1.2.3",
        "10.0.0.12",
        "may",
        "12-34",
        "1999",
        "12:30",
        "31.12.",
        "00/00/2000",
    ]
    assert not any(map(is_date, others))
    assert of_levels([f"{text} {k}" for k in range(3) for text in others]) == {}


def test_a_data_set_with_dates_has_one_warning_with_the_remedy() -> None:
    levels = tuple(day.strftime("%d.%m.%Y") for day in DAYS)
    X = np.column_stack([np.arange(40.0), np.random.default_rng(0).normal(size=40)])
    table = Table(X, ("visit", "x"), {"visit": levels})
    y, split = np.arange(40, dtype=np.int32) % 2, np.zeros(40, np.int8)
    facts, _ = check_dataset(Dataset(table, y, split, ["a", "b"], digest="sha256:0"))
    assert facts["identifier_columns"] == {"visit": [40, 40]}
    (sentence,) = findings(facts)
    assert "column 'visit' holds 40 different dates ('28.01.2023', …)" in sentence
    assert "`drop: [visit]`" in sentence
    card = data_card.card(facts)["Columns"]
    assert card == "dates: visit"


def test_several_columns_of_dates_have_one_warning() -> None:
    found = {"visit": [40, "28.01.2023"], "seen": [12, "20230128"]}
    (sentence,) = findings({"date_columns": found, "rows": 40, "sparse": False})
    assert sentence.startswith(
        "columns hold different dates, 'visit' 40 ('28.01.2023', …), 'seen' 12 ('20230128', …), from which"
    )
    assert "`drop: [visit, seen]`" in sentence
