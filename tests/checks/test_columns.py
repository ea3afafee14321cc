"""Checks of columns: missing cells, constants, repetitions, dates, identifiers, nearly numeric cells."""

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
from cases import each
from planted import numbers, random_table, values
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.analysis.data_warnings import findings, serious
from linclass_study.checks import columns
from linclass_study.checks.check_dataset import check_dataset
from linclass_study.checks.columns import (
    constant_columns,
    dates,
    identifiers,
    is_date,
    missing_cells,
    nearly_numeric,
)
from linclass_study.data.dataset import Dataset
from linclass_study.report import data_card

# Columns: missing cells, constants and repetitions, against comparing values one by one


@each("is_sparse", [False, True])
@each("seed", range(8))
def test_counts_match_a_cell_by_cell_count(seed, is_sparse):
    table = random_table(seed, is_sparse=is_sparse)
    by_column = dict(zip(table.names, zip(*values(table), strict=True), strict=True))
    gaps = {name: cells.count(None) for name, cells in by_column.items() if None in cells}
    expected = {"missing_values": sum(gaps.values()), "missing_by_column": gaps}
    assert missing_cells(table) == expected
    single = [name for name, cells in by_column.items() if len({*cells} - {None}) <= 1]
    assert constant_columns(table)["constant_column_names"] == single
    repeats = [
        name
        for i, (name, cells) in enumerate(by_column.items())
        if name not in table.levels
        and name not in single
        and any(cells == other for other in list(by_column.values())[:i])
    ]
    assert [*columns.duplicated_columns(table)["duplicated_column_of"]] == repeats


def test_a_repeated_column_is_found_under_other_names_and_levels():
    table = numbers(
        {
            "a": [1, 0, np.nan, 2], "b": [1, -0.0, np.nan, 2], "c": [1, 0, 0, 2],
            "colour": [0, 1, 1, np.nan], "farbe": [1, 0, 0, np.nan], "other": [0, 1, 0, np.nan],
            "number": [0, 1, 1, np.nan],
        },
        {"colour": ("red", "blue"), "farbe": ("blau", "rot"), "other": ("u", "v")},
    )  # fmt: skip
    assert columns.duplicated_columns(table) == {
        "duplicated_columns": 2, "duplicated_column_of": {"b": "a", "farbe": "colour"}
    }  # fmt: skip


def test_long_lists_of_names_are_cut_and_counted():
    table = Table(np.ones((3, 250)), tuple(map(str, range(250))))
    assert constant_columns(table)["constant_columns"] == 250
    assert len(constant_columns(table)["constant_column_names"]) == columns.NAMED
    assert columns.duplicated_columns(table)["duplicated_columns"] == 0, "constants count once"
    twice = columns.duplicated_columns(Table(np.tile(np.arange(3.0)[:, None], 250), table.names))
    assert twice["duplicated_columns"] == 249
    assert len(twice["duplicated_column_of"]) == columns.NAMED


# Columns of dates are found in the forms that people write, and no others

DAYS = [datetime(2023, 1, 28, 9, 5) + timedelta(days=3 * k, minutes=7 * k) for k in range(40)]


def of_levels(levels):
    codes = np.arange(len(levels), dtype=float)[:, None]
    return dates(Table(codes, ("when",), {"when": tuple(levels)}))["date_columns"]


@each("form", [
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%y", "%d %b %Y", "%d-%B-%Y", "%B %d, %Y",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S.123Z", "%Y-%m-%dT%H:%M:%S+02:00", "%m/%d/%y %I:%M %p",
])  # fmt: skip
def test_text_in_the_usual_forms_of_dates_is_found(form):
    levels = [day.strftime(form) for day in DAYS]
    assert of_levels(levels) == {"when": [40, levels[0]]}
    assert of_levels(["unknown", "n/a", *levels]) == {"when": [40, levels[0]]}


def test_integers_that_encode_dates_are_found_and_other_numbers_and_texts_are_not():
    days = np.array([float(day.strftime("%Y%m%d")) for day in DAYS])
    days[3] = np.nan
    table = numbers({"age": np.arange(40.0), "when": days})
    assert dates(table) == {"date_columns": {"when": [39, "20230128"]}}
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
        "2023-13-32", "1.2.3", "10.0.0.12", "may", "12-34", "1999", "12:30", "31.12.", "00/00/2000",
    ]  # fmt: skip
    assert not any(map(is_date, others))
    assert of_levels([f"{text} {k}" for k in range(3) for text in others]) == {}


def test_a_data_set_with_dates_has_one_warning_with_the_remedy():
    levels = tuple(day.strftime("%d.%m.%Y") for day in DAYS)
    X = np.column_stack([np.arange(40.0), np.random.default_rng(0).normal(size=40)])
    table = Table(X, ("visit", "x"), {"visit": levels})
    y, split = np.arange(40, dtype=np.int32) % 2, np.zeros(40, np.int8)
    facts, _ = check_dataset(Dataset(table, y, split, ["a", "b"], digest="sha256:0"))
    assert facts["identifier_columns"] == {"visit": [40, 40]}
    (sentence,) = findings(facts)
    assert "different dates, in 'visit' (40, such as '28.01.2023')" in sentence
    assert "`drop: [visit]`" in sentence
    assert data_card.card(facts)["Columns"] == "dates: visit"
    found = {"visit": [40, "28.01.2023"], "seen": [12, "20230128"]}
    (sentence,) = findings({"date_columns": found, "rows": 40, "sparse": False})
    assert sentence.startswith(
        "different dates, in 'visit' (40, such as '28.01.2023'), 'seen' (12, such as '20230128'), which"
    )
    assert "`drop: [visit, seen]`" in sentence


# Columns that number or name the rows are found; measurements, however fine, are not

N = 400


def drawn():
    return np.random.default_rng(0)


def found(values, levels=None, name="it", split=None):
    n, rng = len(values), drawn()
    columns = {"measured": rng.normal(size=n), name: values, "z": rng.integers(0, 5, n)}
    table = numbers(columns, {name: levels} if levels else None)
    split = np.zeros(n, np.int8) if split is None else split
    return identifiers(table, split)["identifier_columns"]


IDENTIFIERS = {
    "row numbers": np.arange(N),
    "from 1000 on, shuffled": drawn().permutation(N) + 1000,
    "steps of a thousand": 1000 * np.arange(N),
    "a third of the rows of a numbered file": np.sort(drawn().choice(3 * N, N, replace=False)),
    "numbers with a few gaps in them": np.where(np.arange(N) % 50 == 0, np.nan, np.arange(N)),
    "few rows": np.arange(12),
}
MEASUREMENTS = {
    "real": drawn().normal(size=N),
    "rounded to a tenth": np.round(drawn().normal(size=N), 1),
    "drawn from a range as wide as the rows": drawn().integers(0, N, N),
    "from a range ten times as wide": drawn().integers(0, 10 * N, N),
    "amounts of money": np.round(np.exp(drawn().normal(8, 1, N))),
    "ages of few": np.array([34, 51, 47, 62, 29, 58, 44, 66, 38, 55]),
    "constant": np.full(N, 3.0),
    "empty": np.full(N, np.nan),
    "counts": drawn().poisson(3, N),
    "wide and all different": drawn().choice(10**9, N, replace=False),
}


@each("kind", IDENTIFIERS)
def test_distinct_integers_in_a_narrow_range_are_row_numbers(kind):
    values = IDENTIFIERS[kind]
    n = int((~np.isnan(values)).sum())
    assert found(values) == {"it": [n, n]}


@each("kind", MEASUREMENTS)
def test_measurements_are_not_reported_as_identifiers(kind):
    assert found(MEASUREMENTS[kind]) == {}


@each(("name", "is_identifier"), [
    *((name, True) for name in ("id", "ID", "customerId", "patient_id", "Sample.ID", "uuid")),
    *((name, False) for name in ("width", "idle", "solid", "acid", "x1")),
])  # fmt: skip
def test_distinct_integers_in_a_wide_range_are_identifiers_only_by_name(name, is_identifier):
    wide = MEASUREMENTS["wide and all different"]
    assert found(wide, name=name) == ({name: [N, N]} if is_identifier else {})


def test_row_numbers_are_found_in_parts_and_sparse_columns_but_not_repetitions_or_texts():
    """Both parts of the vowel data begin at row 1."""
    assert found(np.repeat(np.arange(N // 2), 2), name="id") == {}
    values = np.append(np.arange(528), np.arange(462))
    assert found(values, split=(np.arange(990) >= 528).astype(np.int8)) == {"it": [528, 528]}
    table = numbers({"post": np.arange(30)}, {"post": tuple(f"text {i}" for i in range(30))})
    table = replace(table, texts=frozenset({"post"}))
    assert identifiers(table, np.zeros(30, np.int8)) == {"identifier_columns": {}}
    table = numbers({"a": np.arange(N) % 3, "it": np.arange(N) + 1, "b": np.arange(N) % 7 == 0})
    table = replace(table, X=sparse.csr_array(table.X))
    assert identifiers(table, np.zeros(N, np.int8))["identifier_columns"] == {"it": [N, N]}


def test_a_category_with_a_level_for_nearly_every_row_is_an_identifier():
    """3,178 names in 3,190 rows: the splice file."""
    codes = np.append(np.arange(3178), np.arange(12))
    levels = tuple(f"ATRINS-DONOR-{code}" for code in range(3178))
    assert found(codes, levels) == {"it": [3178, 3190]}
    few = np.arange(3190) % 2000
    assert found(few, levels[:2000]) == {}


# A few non-numeric cells make a column categorical, and are named


def table(levels):
    codes = np.arange(len(levels), dtype=float)[:, None]
    return Table(codes, ("income",), {"income": levels})


NUMBERS = tuple(str(1000 + 7 * i) for i in range(54))


def test_decimal_commas_are_named_with_the_key_that_reads_them():
    commas = tuple(f"{i},5" for i in range(20))
    for levels in (commas, (*commas, *NUMBERS)):
        facts = nearly_numeric(table(levels))
        assert facts["nearly_numeric_columns"] == {"income": [len(levels) - 20, 20, [*commas[:3]]]}
        (sentence,) = serious(facts | {"identifier_columns": {"income": [20, 20]}})
        assert f"because 20 of its {len(levels)} values have a comma ('0,5', " in sentence
        assert sentence.endswith('add `decimal: ","` under `csv:` of the entry')
    facts = nearly_numeric(table((*commas, "k.A.")))
    assert facts["nearly_numeric_columns"] == {"income": [20, 1, ["k.A."]]}
    facts = nearly_numeric(table((*commas, "1,000,000")))
    assert facts["nearly_numeric_columns"] == {"income": [20, 1, ["1,000,000"]]}
    assert not nearly_numeric(table(commas[:5]))["nearly_numeric_columns"]


FORMS = {
    "1,{:03}": "if it marks thousands",
    "-1.{:03},50": "",
    "1,{:03}.5": "",
    "$ {}": "",
    "{} %": "",
    "−{}": "",
}


@each("form", FORMS)
def test_numbers_with_marks_are_not_taken_for_identifiers(form):
    (sentence,) = serious(
        nearly_numeric(table(tuple(map(form.format, range(30)))))
        | {"identifier_columns": {"income": [30, 30]}}
    )
    assert "categorical because 30 of its 30 values" in sentence
    assert FORMS[form] in sentence


@each("odd", [("12k",), ("about forty", "n/k"), ("inf",), ("nan ",)])
def test_non_numeric_cells_of_a_numeric_column_are_named(odd):
    facts = nearly_numeric(table((*NUMBERS, *odd)))
    assert facts["nearly_numeric_columns"] == {"income": [54, len(odd), list(odd)]}
    (sentence,) = serious(facts | {"identifier_columns": {"income": [55, 55]}})
    assert repr(odd[0]) in sentence
    assert "identifier" not in sentence


@each(
    "levels", [NUMBERS, ("1", "2", "3", "other"), tuple("abcdefghijkl"), (*NUMBERS[:12], "a", "b")]
)
def test_numbers_grades_and_names_are_not_nearly_numeric_columns(levels):
    assert nearly_numeric(table(levels)) == {"nearly_numeric_columns": {}}
