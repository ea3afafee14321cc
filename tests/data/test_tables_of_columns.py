"""CSV, ARFF and Parquet are read back exactly as written, with the same result from each."""

import bz2
import csv
import gzip
import io
import lzma
from datetime import date, timedelta
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from cases import each
from scipy.io.arff import loadarff

from linclass_study.data.formats import arff
from linclass_study.errors import Unavailable

WORDS = ["plain", "two words", "comma, inside", 'a "quote"', "it's", "naïve", "100 %", "{x}"]


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


def as_csv(columns, **dialect):
    file = io.StringIO(newline="")
    write = csv.writer(file, **dialect)
    write.writerow(columns)
    rows = zip(*columns.values(), strict=True)
    write.writerows(["" if v is None else v for v in row] for row in rows)
    return file.getvalue()


def as_arff(columns, texts):
    def cell(value):
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return "?" if value is None else repr(value)

    lines = ["% a comment", "@RELATION test", ""]
    for name, values in columns.items():
        known = sorted({v for v in values if v is not None}) if name in texts else []
        kind = "{" + ",".join(map(cell, known)) + "}" if name in texts else "Real"
        lines.append(f"@Attribute '{name}' {kind}")
    lines += ["@Data", *(",".join(map(cell, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def as_parquet(columns):
    file = io.BytesIO()
    pl.DataFrame(columns, strict=False).write_parquet(file)
    return file.getvalue()


def rows_of(found):
    """Each row as (class, then its values by name), codes turned back into levels."""
    table, rows = found.table, []
    for values, code in zip(table.X, found.y, strict=True):
        cells = {}
        for name, value in zip(table.names, values, strict=True):
            levels = table.levels.get(name)
            known = levels[int(value)] if levels and not np.isnan(value) else str(float(value))
            cells[name] = "None" if np.isnan(value) else known
        rows.append((found.classes[code], *sorted(cells.items())))
    return sorted(rows)


@each("seed", range(12))
def test_each_format_reads_back_the_same_table(seed, read):
    columns, texts = random_columns(seed)
    found = read("a.csv", as_csv(columns), target="class")
    names = sorted(set(columns) - {"class"})
    assert rows_of(found) == sorted(
        (str(c), *((n, str(columns[n][i])) for n in names)) for i, c in enumerate(columns["class"])
    )
    commas = columns | {  # as Excel writes them where a comma is the decimal mark
        name: [None if v is None else repr(v).replace(".", ",") for v in values]
        for name, values in columns.items() if name not in texts
    }  # fmt: skip
    quoted = as_csv(columns, delimiter=";", quoting=csv.QUOTE_ALL)
    decimal = as_csv(commas, delimiter=";")
    for name, content, keys in (
        ("b.csv", quoted, {"csv": {"separator": ";"}}),
        ("c.csv", decimal, {"csv": {"separator": ";", "decimal": ","}}),
        ("a.arff", as_arff(columns, texts), {}),
        ("a.parquet", as_parquet(columns), {}),
    ):
        assert read(name, content, target="class", **keys).digest == found.digest, name


def test_a_compressed_file_is_the_file(read):
    text = as_csv(random_columns(0)[0])
    plain = read("a.csv", text, target="class")
    for compress in (gzip.compress, bz2.compress, lzma.compress):
        packed = read("b.dat", compress(text.encode()), target="class", format="csv")
        assert packed.digest == plain.digest


def test_numbers_are_read_to_the_last_bit(read):
    bits = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64).view(np.float64)
    numbers = bits[np.isfinite(bits)]
    lines = [f"{v!r},{i % 2}" for i, v in enumerate(numbers.tolist())]
    found = read("a.csv", "\n".join(["x,class", *lines]), target="class")
    np.testing.assert_array_equal(np.sort(found.table.X[:, 0]), np.sort(numbers))


def test_columns_without_a_header_have_numbers_and_categories_may_be_missing(read):
    text = ",".join(map(str, range(12))) + "\n" + ",".join("9" * 12)
    found = read("a.csv", text, target="x12", csv={"header": False})
    assert found.table.names == tuple(f"x{i}" for i in range(1, 12))
    assert found.classes == ["9", "11"]
    text = "x,class\n10,a\n2.0,a\n1,b\n2,b\n,b\n"
    found = read("a.csv", text, target="class", categorical=["x"])
    assert found.table.levels == {"x": ("1", "2", "10")}
    assert sorted(found.table.X[found.y == 0, 0].tolist()) == [1, 2]


@each("missing", ["", "NA", "?", "nan", "NaN", '""', " NA "])
def test_a_missing_cell_is_nan_in_numbers_and_in_text(missing, read):
    found = read("a.csv", f"x,t,class\n{missing},u,a\n3,{missing},a\n5,v,b\n", target="class")
    assert found.table.levels == {"t": ("u", "v")}
    rows = sorted(map(str, found.table.X.tolist()))  # columns t, x
    assert rows == ["[0.0, nan]", "[1.0, 5.0]", "[nan, 3.0]"]


def test_cells_of_arff_are_as_scipy_reads_them(mirrors):
    path = next(folder / "vehicle.arff" for folder in mirrors if (folder / "vehicle.arff").exists())
    theirs, _ = loadarff(path)
    ours = arff.read(path, {}).frame
    assert ours.columns == list(theirs.dtype.names)
    for name in ours.columns[:-1]:
        np.testing.assert_array_equal(ours[name].to_numpy(), theirs[name])
    assert ours["Class"].to_list() == [label.decode() for label in theirs["Class"]]


def test_cells_of_arff_may_be_quoted_and_surrounded_by_blanks(tmp_path):
    header = "@attribute x REAL [0, 9]\n@attribute 'a b' string\n@attribute c {'it\\'s', \"b,c\", d}\n@data\n"
    rows = "1,  'p, \\'q\\'\\\\'  ,d\n 2 , r s ,'it\\'s'\n3,\"t\" , \"b,c\" \n4, '' ,d\n"
    (tmp_path / "a").write_text(header + rows)
    assert arff.read(tmp_path / "a", {}).frame.rows() == [
        (1.0, "p, 'q'\\", "d"), (2.0, "r s", "it's"), (3.0, "t", "b,c"), (4.0, None, "d"),
    ]  # fmt: skip
    for line in (r"1,'it\'s',\"x\"", "1,'open,x", "1,'a'b,x"):
        (tmp_path / "a").write_text(header + line)
        with pytest.raises(Unavailable, match="line 5: a quote is not closed"):
            arff.read(tmp_path / "a", {})
    assert arff._cells("'',x,", SimpleNamespace(line=7)) == ["", "x", ""]


def test_truth_values_in_parquet_are_numbers_or_classes(read):
    content = as_parquet({"x": [True, False, None], "class": [True, False, True]})
    found = read("a.parquet", content, target="class")
    assert found.classes == ["0", "1"]
    np.testing.assert_array_equal(np.sort(found.table.X[:, 0]), [0, 1, np.nan])
    named = read("a.parquet", content, target="class", positive="true", classes=[True, False])
    assert (named.classes, named.positive) == (["1", "0"], 0)


def test_dates_are_refused_until_they_are_dropped_or_categorical(read):
    days = [date(2020, 1, 2), date(2020, 1, 1)]
    content = as_parquet({"when": days, "x": [1, 2], "class": ["a", "b"]})
    with pytest.raises(Unavailable, match="column 'when' holds Date; drop it"):
        read("a.parquet", content, target="class")
    assert read("a.parquet", content, target="class", drop=["when"]).table.names == ("x",)
    found = read("a.parquet", content, target="class", categorical=["when"])
    assert found.table.levels == {"when": ("2020-01-01", "2020-01-02")}


IN_MEMORY_AND_IN_BLOCKS = ("parquet", "parquet_blocks")


@each(("labels", "classes"), [
    ([True, False] * 3, ["0", "1"]),
    ([date(2020, 1, 1), date(2019, 1, 1)] * 3, ["2019-01-01", "2020-01-01"]),
    (pl.Series(["v", "u"] * 3, dtype=pl.Categorical), ["u", "v"]),
    (pl.Series([10, 9] * 3, dtype=pl.UInt8), ["9", "10"]),
])  # fmt: skip
@each("format", IN_MEMORY_AND_IN_BLOCKS)
def test_classes_of_parquet_are_named_alike_in_memory_and_in_blocks(format, labels, classes, read):
    content = as_parquet({"x": [1.0, 2, 3, 4, 5, 6], "class": labels, "day": labels})
    found = read("a.parquet", content, target="class", format=format, group="day")
    assert found.classes == classes
    np.testing.assert_array_equal(found.groups, found.y)


@each(("labels", "words"), [
    ([1.0, float("nan"), 2.0], "1 row has no class"),
    ([[1], [2], [1]], "column 'class' holds List(Int64), which cannot be a label"),
    ([b"a", b"b", b"a"], "column 'class' holds Binary, which cannot be a label"),
    ([timedelta(1), timedelta(2), timedelta(1)], "'class' holds Duration"),
])  # fmt: skip
@each("format", IN_MEMORY_AND_IN_BLOCKS)
def test_invalid_parquet_labels_are_refused(format, labels, words, reason, tmp_path):
    (tmp_path / "a.parquet").write_bytes(as_parquet({"x": [1.0, 2, 3], "class": labels}))
    told = reason({"source": {"file": "a.parquet"}, "target": "class", "format": format})
    assert words in told
    assert "Error" not in told


@each("format", IN_MEMORY_AND_IN_BLOCKS)
def test_an_unnamed_index_is_not_a_feature(format, read):
    """pandas calls it so in the file: its developer documentation, Storing pandas DataFrame objects in Parquet."""
    index = {"__index_level_0__": [0, 2, 3]}
    content = as_parquet({"x": [1.0, 2.0, 3.0], "class": ["a", "b", "a"]} | index)
    for keys in ({}, {"drop": [*index]}):
        found = read("a.parquet", content, target="class", format=format, **keys)
        assert found.table.names == ("x",)


def test_large_files_are_read_by_polars_alone(read, monkeypatch):
    """The strict reader, which makes a Python object of each cell, takes many times as long."""
    monkeypatch.delattr("linclass_study.data.formats.csv.text_columns")
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.standard_normal(30_000).tolist() for j in range(20)}
    columns["class"] = rng.integers(0, 2, 30_000).tolist()
    assert read("a.csv", as_csv(columns), target="class").y.shape == (30_000,)


@each("rows", [9, 3000])
@each("dialect", [{}, {"decimal": ","}])
def test_codes_that_differ_in_leading_zeros_are_classes(read, rows, dialect):
    text = as_csv({"x": range(rows), "class": ["007", "07", "7"] * (rows // 3)})
    found = read("a.csv", text, target="class", csv=dialect, positive="07")
    assert sorted(found.classes) == ["007", "07", "7"]
    assert np.bincount(found.y).tolist() == [rows // 3] * 3
    assert found.classes[found.positive] == "07"


def test_leading_zeros_matter_only_where_they_distinguish(read):
    text = as_csv({"zip": ["010", "10", "010", "10"], "class": list("abab")})
    found = read("a.csv", text, target="class", categorical=["zip"])
    assert found.table.levels == {"zip": ("010", "10")}
    text = as_csv({"x": [1, 2, 3, 4], "class": ["01", "02", "01", "10"]})
    assert read("a.csv", text, target="class").classes == ["1", "2", "10"]
