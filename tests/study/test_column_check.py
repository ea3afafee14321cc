"""Columns and cells are checked before a study starts."""

import gzip

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.config.selected_entries import column_problems, dataset_problems
from linclass_study.data.local_copies import SearchFolders
from linclass_study.pipeline.foreign_steps import require_numbers

# Columns that a local file does not have are refused before anything runs

HEADER = "age,dose,outcome\n"
COLUMNS = "olumns are age, dose, outcome"
ARFF = "% a comment\n@relation r\n@attribute age numeric\n@attribute 'the dose' real\n@attribute y {a,b}\n@data\n"


@pytest.fixture
def problems(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(HEADER + "1,2,well\n2,3,ill\n3,4,ill\n")
    (tmp_path / "semicolons.csv").write_text(HEADER.replace(",", ";"))
    (tmp_path / "twice.csv").write_text("x,x,y\n")
    (tmp_path / "latin.csv").write_bytes("größe,y\n".encode("latin-1"))
    (tmp_path / "bom.csv").write_bytes("\ufeffage,y\n".encode())
    (tmp_path / "no_header.csv").write_text("1,2,3\n4,5,6\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(HEADER.encode()))
    (tmp_path / "c.arff").write_text(ARFF)
    pl.DataFrame({"age": [1.0, 2.0], "y": ["a", "b"]}).write_parquet(tmp_path / "d.parquet")

    def found(file, **entry):
        return [*column_problems({"source": {"file": file}} | entry, SearchFolders())]

    return found


def test_an_unknown_column_is_reported(problems):
    meant = f"there is no column 'outcom', did you mean 'outcome'? C{COLUMNS}"
    for key in ("target", "group"):
        assert problems("a.csv", **{key: "outcom"}) == [([key], meant)]
    for key in ("drop", "categorical", "texts"):
        found = problems("a.csv", target="outcome", **{key: ["age", "zzz"]})
        assert found == [([key, 1], f"there is no column 'zzz'; c{COLUMNS}")]
    assert not problems("a.csv", target="outcome", group="age", drop=["dose"])


@each(("file", "entry", "columns"), [
    ("b.csv.gz", {}, "age, dose, outcome"),
    ("c.arff", {}, "age, the dose, y"),
    ("d.parquet", {}, "age, y"),
    ("d.parquet", {"format": "parquet_blocks"}, "age, y"),
    ("bom.csv", {}, "age, y"),
    ("no_header.csv", {"csv": {"header": False}}, "x1, x2, x3"),
    ("no_header.csv", {"csv": {"names": ["u", "v", "w"]}}, "u, v, w"),
    ("semicolons.csv", {"csv": {"separator": ";"}}, "age, dose, outcome"),
    ("a.csv", {"csv": {"skip": 1}}, "1, 2, well (if these are values of a row: `csv: {header: false}`)"),
])  # fmt: skip
def test_an_unknown_column_is_reported_for_every_format_with_columns(
    problems, file, entry, columns
):
    ((path, sentence),) = problems(file, target="zzz", **entry)
    assert path == ["target"]
    assert sentence.endswith(f"columns are {columns}")
    assert not problems(file, target=columns.split(", ")[0], **entry)


@each(("file", "words"), [
    ("semicolons.csv", 'perhaps set `csv: {separator: ";"}`'),
    ("twice.csv", "'twice.csv': two columns are called 'x'; column names must differ"),
    ("latin.csv", "'latin.csv': line 1 is not text in UTF-8"),
    ("empty.csv", "'empty.csv': the file is empty"),
])  # fmt: skip
def test_an_unreadable_header_is_reported(problems, file, words):
    ((path, sentence),) = problems(file, target="y")
    assert path == ["source"]
    assert words in sentence


def test_a_wrong_separator_is_reported_and_remote_sources_are_left_to_the_fetch(problems):
    ((path, sentence),) = problems("a.csv", target="y", csv={"separator": ";"})
    assert path == ["source"]
    assert 'perhaps set `csv: {separator: ","}`' in sentence
    here, there = {"file": "a.csv"}, {"url": "https://example.org/a.csv"}
    folders = SearchFolders()
    assert not [*column_problems({"source": [here, there], "target": "zzz"}, folders)]
    assert not [*column_problems({"source": there, "target": "zzz"}, folders)]
    assert not [*column_problems({"source": {"file": "none.csv"}, "target": "zzz"}, folders)]
    assert not [*column_problems({"source": {"sklearn": "iris"}, "target": "zzz"}, folders)]
    assert [*column_problems({"source": [here], "target": "zzz"}, folders)]


@each("file", ["classes.csv", "classes.parquet", "classes.arff"])
def test_a_class_missing_from_the_file_is_reported(problems, tmp_path, file):
    frame = pl.DataFrame({"age": [1.0, 2.0], "y": ["ill", "well"]})
    frame.write_csv(tmp_path / "classes.csv")
    frame.write_parquet(tmp_path / "classes.parquet")
    (tmp_path / "classes.arff").write_text(
        "@relation r\n@attribute age real\n@attribute y {ill,well}\n@data\n1,ill\n2,well\n"
    )
    merged = {"bad": ["ill"], "good": ["well"]}
    for entry, sentence in (
        ({"positive": "sick"}, "'sick' is not a class; there are: ill, well"),
        ({"positive": "il"}, "'il' is not a class; did you mean 'ill'?"),
        ({"classes": ["ill", "good"]}, "'good' is not a class; there are: ill, well"),
        ({"positive": "well", "classes": merged}, "not a class"),
        ({"costs": {"sick": {"well": 5}}}, "'sick'"),
    ):
        ((path, told),) = problems(file, target="y", **entry)
        assert path == [next(iter(entry))]
        assert sentence in told
    costs = {"ill": {"well": 5}, "well": {"ill": 1}}
    for entry in ({"positive": "ill"}, {"classes": merged, "positive": "bad"}, {"costs": costs}):
        assert not problems(file, target="y", **entry)


MEASURED = [0.25, None, 1.5, 0.5] * 10  # few of them, and some are missing


@each(("target", "words"), [
    (MEASURED, "'y' holds fractions, such as 0.25, 0.5 and 1 more, and 10 of its 40 cells are empty"),
    (MEASURED, "measurements, not classes; make a column of classes from them"),
    ([*range(50), None], "'y' holds numbers, such as 0, 1 and 48 more, and 1 of its 51 cells is empty"),
    ([i / 8 for i in range(40)], "'y' has 40 distinct numbers in 40 rows: a measurement, not a class"),
])  # fmt: skip
def test_a_target_of_measurements_is_refused(problems, tmp_path, target, words):
    frame = pl.DataFrame({"x": [*range(len(target))], "y": target}, strict=False)
    frame.write_csv(tmp_path / "measured.csv")
    ((path, told),) = problems("measured.csv", target="y")
    assert path == ["target"]
    assert words in told
    kept = [str(label) for label in dict.fromkeys(target) if label is not None][:2]
    assert not problems("measured.csv", target="y", classes=kept)


def test_errors_visible_only_in_the_rows_and_large_files_are_left_to_the_fetch(
    problems, tmp_path, monkeypatch
):
    """So that the other data sets of the study are computed."""
    for target in (["a", "a"], ["a", None, "b"]):
        pl.DataFrame({"x": [*range(len(target))], "y": target}).write_csv(tmp_path / "rows.csv")
        assert not problems("rows.csv", target="y")
    monkeypatch.setattr("linclass_study.config.selected_entries.MAX_CHECKED_BYTES", 3)
    assert not problems("a.csv", target="outcome", positive="sick")


def test_cells_of_a_tsv_file_are_separated_by_tabs(problems, tmp_path):
    (tmp_path / "tabs.tsv").write_text("a b\ty\n1\tu\n2\tv\n")
    assert not problems("tabs.tsv", target="y", drop=["a b"], positive="u")
    (tmp_path / "tabs.tsv").write_text("a;y\n1;u\n2;v\n")
    assert not problems("tabs.tsv", target="y", csv={"separator": ";"})


def test_a_cost_of_an_unknown_class_is_reported_with_the_classes_of_the_file(problems):
    entry = {"source": {"file": "a.csv"}, "target": "outcome"}
    right, unknown = {"ill": {"well": 5}, "well": {"ill": 1}}, {"dead": {"ill": 1}}
    for costs in ({"ill": {"dead": 5}}, right | unknown):
        (problem,) = dataset_problems(entry | {"costs": costs}, SearchFolders())
        assert problem == (["costs"], "'dead' is not a class; there are: ill, well")


# All obstacles between a table and an estimator are reported at once, with all remedies

COMMAS = tuple(f"{k},5" for k in range(12))
MARKED = (*map(str, range(30)), "12k")
CITIES = ("Paris", "Rome")
IS_TEXT = "column 'city' is text"


def refusal(levels, gaps=0):
    """Of a table of these categories and a column `age` in which values are missing."""
    X = np.zeros((40, len(levels) + 1))
    X[:gaps, -1] = np.nan
    with pytest.raises(NotApplicable) as found:
        require_numbers(Table(X, (*levels, "age"), levels), object())
    return str(found.value)


def test_remedies_name_categories_missing_values_and_columns_that_should_be_numbers():
    assert refusal({"city": CITIES}) == f"{IS_TEXT}; add one_hot to the method's transforms"
    assert refusal({}, 2) == (
        "column 'age' has 2 missing values in the training rows; add impute to the method's transforms"
    )
    assert refusal({"city": CITIES}, 2) == (
        f"{IS_TEXT} and column 'age' has 2 missing values in the training rows; "
        "add impute and one_hot to the method's transforms"
    )
    assert refusal({"dose": COMMAS}) == (
        "column 'dose' is text because of decimal commas such as '0,5'; "
        'add `decimal: ","` under `csv:` of the data set\'s entry'
    )
    assert refusal({"dose": MARKED}) == (
        "column 'dose' is text because of cells such as '12k'; correct or empty these cells in the file"
    )
    assert refusal({"dose": MARKED, "city": CITIES}, 1).endswith(
        "correct or empty these cells in the file, and add impute and one_hot to the method's transforms"
    )
