"""CSV, ARFF and Parquet are read back exactly as written, with the same result from each."""

import bz2
import csv
import gzip
import lzma
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest

from linclass_study.data.formats import arff

WORDS = ["plain", "two words", "comma, inside", 'a "quote"', "it's", "naïve", "100 %", "{x}"]
ENTRY = {"target": "class"}


def random_columns(seed):
    """(columns, names of the text columns): numbers of all sizes, text of all kinds, some missing."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    columns = {}
    for j in range(int(rng.integers(1, 6))):
        numbers = rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300, n)
        whole = rng.integers(-5, 5, n).astype(float)
        values = (numbers if rng.random() < 0.5 else whole).tolist()
        columns[f"n{j}"] = [None if rng.random() < 0.1 else v for v in values]
        columns[f"n{j}"][0] = 1.0  # a column without any value has no type
    texts = [f"t{j}" for j in range(int(rng.integers(0, 4)))]
    for name in texts:
        columns[name] = [None if rng.random() < 0.1 else str(rng.choice(WORDS)) for _ in range(n)]
        columns[name][0] = "plain"
    columns["class"] = ["no", "yes", *rng.choice(["no", "yes"], n - 2).tolist()]
    return columns, [*texts, "class"]


def as_csv(columns, path, **dialect):
    with open(path, "w", newline="", encoding="utf-8") as file:
        write = csv.writer(file, **dialect)
        write.writerow(columns)
        write.writerows(
            [["" if v is None else v for v in row] for row in zip(*columns.values(), strict=True)]
        )


def as_arff(columns, texts, path):
    def cell(value):
        if value is None:
            return "?"
        return (
            "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
            if isinstance(value, str)
            else repr(value)
        )

    lines = ["% a comment", "@RELATION test", ""]
    for name, values in columns.items():
        known = sorted({v for v in values if v is not None}) if name in texts else []
        kind = "{" + ",".join(map(cell, known)) + "}" if name in texts else "Real"
        lines.append(f"@Attribute '{name}' {kind}")
    lines += ["@Data", *(",".join(map(cell, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def expected_rows(columns, texts):
    """Each row as (class, then its values by name), computed from the columns alone."""
    names = sorted(set(columns) - {"class"})
    return sorted(
        (str(c), *((n, str(columns[n][i])) for n in names)) for i, c in enumerate(columns["class"])
    )


def rows_of(found):
    """The same from a data set: codes turned back into levels."""
    table, rows = found.table, []
    for i, code in enumerate(found.y):
        cells = []
        for j, name in sorted(enumerate(table.names), key=lambda item: item[1]):
            value = table.X[i, j]
            if np.isnan(value):
                cells.append((name, "None"))
            else:
                levels = table.levels.get(name)
                cells.append((name, levels[int(value)] if levels else str(float(value))))
        rows.append((found.classes[code], *cells))
    return sorted(rows)


@pytest.mark.parametrize("seed", range(12))
def test_each_format_reads_back_the_same_table(seed, obtain, tmp_path):
    columns, texts = random_columns(seed)
    as_csv(columns, tmp_path / "a.csv")
    as_csv(columns, tmp_path / "b.csv", delimiter=";", quoting=csv.QUOTE_ALL)
    as_arff(columns, texts, tmp_path / "a.arff")
    pl.DataFrame(columns, strict=False).write_parquet(tmp_path / "a.parquet")
    found = obtain(ENTRY | {"source": {"file": "a.csv"}})
    assert rows_of(found) == expected_rows(columns, texts)
    others = [
        {"file": "b.csv", "csv": {"separator": ";"}},
        {"file": "a.arff"},
        {"file": "a.parquet"},
    ]
    for source in others:
        assert obtain(ENTRY | {"source": source}).digest == found.digest


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_file_is_the_file(compress, obtain, tmp_path):
    columns, _ = random_columns(0)
    as_csv(columns, tmp_path / "a.csv")
    (tmp_path / "b.dat").write_bytes(compress((tmp_path / "a.csv").read_bytes()))
    plain = obtain(ENTRY | {"source": {"file": "a.csv"}})
    packed = obtain(ENTRY | {"source": {"file": "b.dat", "format": "csv"}})
    assert plain.digest == packed.digest


def test_numbers_are_read_to_the_last_bit(obtain, tmp_path):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    numbers = bits[np.isfinite(bits)]
    lines = [f"{v!r},{i % 2}" for i, v in enumerate(numbers.tolist())]
    (tmp_path / "a.csv").write_text("\n".join(["x,class", *lines]))
    found = obtain(ENTRY | {"source": {"file": "a.csv"}})
    np.testing.assert_array_equal(np.sort(found.table.X[:, 0]), np.sort(numbers))


CSV_FORMS = {
    "byte order mark": ("\ufeffx,class\n1,a\n2,b\n", {}),
    "windows lines": ("x,class\r\n1,a\r\n2,b\r\n", {}),
    "no last line end": ("x,class\n1,a\n2,b", {}),
    "blank lines": ("\nx,class\n\n1,a\n   \n2,b\n\n", {}),
    "blanks around cells": ("x , class\n 1, a \n 2 ,\tb\n", {}),
    "quotes": ('"x","class"\n"1","a"\n"2","b"\n', {}),
    "a quote after a blank": ('x, "class"\n1, "a"\n2, "b"\n', {}),
    "tabs": ("x\tclass\n1\ta\n2\tb\n", {"separator": "\t"}),
    "runs of blanks": ("x    class\n  1 \t a  \n2 b\n", {"separator": " "}),
    "lines to skip": ("from somewhere\nin 1999\nx,class\n1,a\n2,b\n", {"skip": 2}),
    "names given": ("1,a\n2,b\n", {"names": ["x", "class"]}),
    "names instead of the header's": ("X,Y\n1,a\n2,b\n", {"skip": 1, "names": ["x", "class"]}),
    "plus signs and points": ("x,class\n+1.,a\n2.0e0,b\n", {}),
    "columns in another order": ("class,x\nb,2\na,1\n", {}),
}


@pytest.mark.parametrize("form", CSV_FORMS)
def test_a_csv_may_be_written_in_many_ways(form, obtain, tmp_path):
    text, dialect = CSV_FORMS[form]
    (tmp_path / "a.csv").write_bytes(text.encode())
    found = obtain(ENTRY | {"source": {"file": "a.csv"}, "csv": dialect})
    assert found.table.names == ("x",)
    assert found.classes == ["a", "b"]
    assert found.table.X.tolist() == [[1], [2]]


def test_columns_without_a_header_missing_cells_and_categories(obtain, tmp_path):
    (tmp_path / "a.csv").write_text(",".join(map(str, range(12))) + "\n" + ",".join("9" * 12))
    found = obtain({"source": {"file": "a.csv"}, "csv": {"header": False}, "target": "x12"})
    assert found.table.names == tuple(f"x{i}" for i in range(1, 12))
    assert found.classes == ["9", "11"]
    (tmp_path / "a.csv").write_text("x,class\n10,a\n2.0,a\n1,b\n2,b\n,b\n")
    found = obtain(ENTRY | {"source": {"file": "a.csv"}, "categorical": ["x"]})
    assert found.table.levels == {"x": ("1", "2", "10")}
    assert sorted(found.table.X[found.y == 0, 0].tolist()) == [1, 2]


@pytest.mark.parametrize("missing", ["", "NA", "?", "nan", "NaN", '""', " NA "])
def test_a_missing_cell_is_nan_in_numbers_and_in_text(missing, obtain, tmp_path):
    (tmp_path / "a.csv").write_text(f"x,t,class\n{missing},u,a\n3,{missing},a\n5,v,b\n")
    found = obtain(ENTRY | {"source": {"file": "a.csv"}})
    assert found.table.levels == {"t": ("u", "v")}
    rows = sorted(map(str, found.table.X.tolist()))  # columns t, x
    assert rows == ["[0.0, nan]", "[1.0, 5.0]", "[nan, 3.0]"]


def test_cells_of_arff_are_as_scipy_reads_them(mirrors):
    from scipy.io.arff import loadarff

    path = next(folder / "vehicle.arff" for folder in mirrors if (folder / "vehicle.arff").exists())
    theirs, _ = loadarff(path)
    ours = arff.read(path, {}).frame
    assert ours.columns == list(theirs.dtype.names)
    for name in ours.columns[:-1]:
        np.testing.assert_array_equal(ours[name].to_numpy(), theirs[name])
    assert ours["Class"].to_list() == [label.decode() for label in theirs["Class"]]


@pytest.mark.parametrize(("line", "cells"), [
    ("1,2,3", ["1", "2", "3"]),
    ("'a, b' ,\"c\",d", ["a, b", "c", "d"]),
    (r"'it\'s',\"x\"", None),
    (r"'it\'s','\\'", ["it's", "\\"]),
    ("'',x,", ["", "x", ""]),
    ("'open,x", None),
    ("'a'b,x", None),
])  # fmt: skip
def test_a_line_of_arff_falls_into_cells(line, cells, tmp_path):
    class Here:
        line = 7

    if cells is None:
        with pytest.raises(Exception, match="line 7: a quote is not closed"):
            arff._cells(line, Here())
    else:
        assert arff._cells(line, Here()) == cells


def test_truth_values_in_parquet_are_numbers_or_classes(obtain, tmp_path):
    frame = pl.DataFrame({"x": [True, False, None], "class": [True, False, True]})
    frame.write_parquet(tmp_path / "a.parquet")
    found = obtain(ENTRY | {"source": {"file": "a.parquet"}})
    assert found.classes == ["0", "1"]
    np.testing.assert_array_equal(np.sort(found.table.X[:, 0]), [0, 1, np.nan])
    named = ENTRY | {"source": {"file": "a.parquet"}, "positive": "true", "classes": [True, False]}
    assert (obtain(named).classes, obtain(named).positive) == (["1", "0"], 0)


def test_dates_are_refused_until_they_are_dropped_or_categorical(obtain, reason, tmp_path):
    frame = pl.DataFrame({"when": [date(2020, 1, 1)] * 2, "x": [1, 2], "class": ["a", "b"]})
    frame.write_parquet(tmp_path / "a.parquet")
    entry = ENTRY | {"source": {"file": "a.parquet"}}
    assert "column 'when' holds Date; drop it" in reason(entry)
    assert obtain(entry | {"drop": ["when"]}).table.names == ("x",)
    frame = pl.DataFrame({"when": [date(2020, 1, 2), date(2020, 1, 1)], "class": ["a", "b"]})
    frame.write_parquet(tmp_path / "a.parquet")
    found = obtain(ENTRY | {"source": {"file": "a.parquet"}, "categorical": ["when"]})
    assert found.table.levels == {"when": ("2020-01-01", "2020-01-02")}


@pytest.mark.parametrize("format", ["parquet", "parquet_blocks"])
@pytest.mark.parametrize(("labels", "classes"), [
    ([True, False] * 3, ["0", "1"]),
    ([date(2020, 1, 1), date(2019, 1, 1)] * 3, ["2019-01-01", "2020-01-01"]),
    (pl.Series(["v", "u"] * 3, dtype=pl.Categorical), ["u", "v"]),
    (pl.Series([10, 9] * 3, dtype=pl.UInt8), ["9", "10"]),
])  # fmt: skip
def test_classes_of_parquet_are_named_alike_in_memory_and_in_blocks(
    format, labels, classes, obtain, tmp_path
):
    frame = pl.DataFrame({"x": [1.0, 2, 3, 4, 5, 6], "class": labels})
    frame.with_columns(day=pl.col("class")).write_parquet(tmp_path / "a.parquet")
    found = obtain(ENTRY | {"source": {"file": "a.parquet"}, "format": format, "group": "day"})
    assert found.classes == classes
    np.testing.assert_array_equal(found.groups, found.y)


@pytest.mark.parametrize("format", ["parquet", "parquet_blocks"])
@pytest.mark.parametrize(("labels", "words"), [
    ([1.0, float("nan"), 2.0], "1 row has no class"),
    ([[1], [2], [1]], "column 'class' holds List(Int64), which cannot be a label"),
    ([b"a", b"b", b"a"], "column 'class' holds Binary, which cannot be a label"),
    ([timedelta(1), timedelta(2), timedelta(1)], "'class' holds Duration"),
])  # fmt: skip
def test_invalid_parquet_labels_are_refused(format, labels, words, reason, tmp_path):
    pl.DataFrame({"x": [1.0, 2, 3], "class": labels}).write_parquet(tmp_path / "a.parquet")
    told = reason(ENTRY | {"source": {"file": "a.parquet"}, "format": format})
    assert words in told
    assert "Error" not in told


def test_large_files_are_read_by_polars_alone(obtain, tmp_path, monkeypatch):
    """The strict reader, which makes a Python object of each cell, takes many times as long."""
    monkeypatch.delattr("linclass_study.data.formats.csv.text_columns")
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(30_000).tolist() for j in range(20)}
    columns["class"] = rng.integers(0, 2, 30_000).tolist()
    as_csv(columns, tmp_path / "a.csv")
    assert obtain(ENTRY | {"source": {"file": "a.csv"}}).y.shape == (30_000,)


@pytest.mark.parametrize("seed", range(3))
def test_decimal_commas_are_read_as_the_same_numbers(seed, tmp_path, obtain):
    """As Excel writes them where a comma is the decimal mark; texts keep their commas."""
    columns, texts = random_columns(seed)
    as_csv(columns, tmp_path / "points.csv")
    commas = {
        name: values
        if name in texts
        else [v if v is None else repr(v).replace(".", ",") for v in values]
        for name, values in columns.items()
    }
    as_csv(commas, tmp_path / "commas.csv", delimiter=";")
    points = obtain({"source": {"file": "points.csv"}, **ENTRY})
    dialect = {"separator": ";", "decimal": ","}
    read = obtain({"source": {"file": "commas.csv"}, "csv": dialect, **ENTRY})
    assert read.digest == points.digest
    assert read.table.names == points.table.names


@pytest.mark.parametrize("format", ["parquet", "parquet_blocks"])
def test_an_unnamed_index_is_not_a_feature(format, obtain, tmp_path):
    """pandas calls it so in the file: its developer documentation, Storing pandas DataFrame objects in Parquet."""
    rows = {"x": [1.0, 2.0, 3.0], "class": ["a", "b", "a"], "__index_level_0__": [0, 2, 3]}
    pl.DataFrame(rows).write_parquet(tmp_path / "a.parquet")
    entry = ENTRY | {"source": {"file": "a.parquet"}, "format": format}
    assert obtain(entry).table.names == ("x",)
    assert obtain(entry | {"drop": ["__index_level_0__"]}).table.names == ("x",)


@pytest.mark.parametrize("rows", [9, 3000])
@pytest.mark.parametrize("dialect", [{}, {"decimal": ","}])
def test_codes_that_differ_in_leading_zeros_are_classes(obtain, tmp_path, rows, dialect):
    codes = [["007", "07", "7"][i % 3] for i in range(rows)]
    as_csv({"x": list(range(rows)), "class": codes}, tmp_path / "a.csv")
    entry = ENTRY | {"source": {"file": "a.csv"}, "csv": dialect, "positive": "07"}
    found = obtain(entry)
    assert sorted(found.classes) == ["007", "07", "7"]
    assert np.bincount(found.y).tolist() == [rows // 3] * 3
    assert found.classes[found.positive] == "07"


def test_leading_zeros_of_categories_matter(obtain, tmp_path):
    as_csv({"zip": ["010", "10", "010", "10"], "class": list("abab")}, tmp_path / "a.csv")
    entry = ENTRY | {"source": {"file": "a.csv"}, "categorical": ["zip"]}
    assert obtain(entry).table.levels == {"zip": ("010", "10")}
    as_csv({"x": [1, 2, 3, 4], "class": ["01", "02", "01", "10"]}, tmp_path / "a.csv")
    assert obtain(ENTRY | {"source": {"file": "a.csv"}}).classes == ["1", "2", "10"]
