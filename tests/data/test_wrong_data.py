"""Errors visible only in the data are reported in one line: name, value and remedy."""

import gzip
from unittest import mock

import numpy as np
from cases import each

from linclass_study.data import source_reader
from linclass_study.data.content_to_table import is_a_number
from linclass_study.data.formats import csv
from linclass_study.data.formats.csv import header_columns

GOOD = "x,t,y\n1,red,no\n2,blue,yes\n3,red,no\n"
CASES = {  # name: (content of a.csv, what the entry adds, words of the reason)
    "no such target": (GOOD, {"target": "Y"}, ["target: there is no column 'Y'", "x, t, y"]),
    "no target": (GOOD, {"target": None}, ["`target:` is missing", "x, t, y"]),
    "one class": ("x,y\n1,no\n2,no\n", {}, ["the target has one class, 'no'", "at least two"]),
    "rows without class": ("x,y\n1,a\n2,b\n3,\n4,NA\n", {}, ["2 rows have no class", "`classes:`"]),
    "a number as target": ("x,y\n" + "".join(f"{i % 7},{i / 8}\n" for i in range(40)), {},
        ["'y' has 40 distinct numbers in 40 rows: a measurement, not a class", "`target:`"]),
    "ages, the oldest once": ("x,age\n" + "".join(f"{i % 7},{20 + i % 50}\n" for i in range(500)) + "1,90\n",
        {"target": "age"}, ["'age' has 51 distinct numbers in 501 rows: a measurement, not a class"]),
    "values and a class in the first line": ("5.1,3.5,setosa\n4.9,3.0,virginica\n", {"target": "species"},
        ["columns are 5.1, 3.5, setosa (if these are values of a row: `csv: {header: false}`)"]),
    "no names in the first line": ("1.5,2\n3,1\n4,2\n", {"target": "2"},
        ["numbers in place of names (1.5, 2)", "`csv: {header: false}`", "`header: true`"]),
    "unknown class": (GOOD, {"classes": ["no", "yess"]}, ["classes: 'yess' is not a class; did you mean 'yes'?"]),
    "unknown merged class": (GOOD, {"classes": {"a": ["no"], "b": ["maybe"]}}, ["'maybe' is not a class"]),
    "one class kept": (GOOD, {"classes": {"a": ["no", "yes"]}}, ["one class, 'a'"]),
    "unknown positive": (GOOD, {"positive": 1}, ["positive: '1' is not a class; there are: no, yes"]),
    "yes without quotes": (GOOD, {"positive": True}, ["'true' is not a class", "put it in quotes"]),
    "costs too small": ("x,y\n1,a\n2,b\n3,c\n", {"costs": [[0, 1], [1, 0]]},
        ["costs: 2 × 2 numbers for 3 classes; give 3 × 3", "order a, b, c"]),
    "costs of an unknown class": (GOOD, {"costs": {"no": {"yes": 1}, "yess": {"no": 5}}},
        ["costs: 'yess' is not a class; did you mean 'yes'?"]),
    "a cost that is missing": (GOOD, {"costs": {"no": {"yes": 1}}},
        ["costs: no cost of predicting 'no' where 'yes' is true; add yes: {no: …}"]),
    "ragged costs": (GOOD, {"costs": [[0, 1], [1]]}, ["costs: 2 × 1/2 numbers for 2 classes"]),
    "drop of no column": (GOOD, {"drop": ["T"]}, ["drop: there is no column 'T'"]),
    "category of no column": (GOOD, {"categorical": ["tt"]}, ["categorical: there is no column 'tt'"]),
    "nothing left": (GOOD, {"drop": ["x", "t"]}, ["no column is left beside the target"]),
    "empty": ("", {}, ["the file is empty"]),
    "blank": ("\n \n", {}, ["the file is empty"]),
    "header only": ("x,y\n", {}, ["it contains no rows"]),
    "short row": ("x,y\n1,a\n\n2\n", {}, ["line 4 has 1 field where 2 are expected"]),
    "long row": ("x,y\n1,a\n2,b,3\n", {}, ["line 3 has 3 fields where 2 are expected"]),
    "open quote": ('x,y\n1,a\n2,"b\n', {}, ["line 3: unexpected end of data; close or double each quote"]),
    "another separator": ("x;y\n1;a\n", {}, ["the only column is 'x;y'", '`csv: {separator: ";"}`']),
    "tabs": ("x\ty\n1\ta\n", {}, ['`csv: {separator: "\\t"}`']),
    "a comment above": ("# by me\nx,y\n1,a\n", {}, ["`csv: {skip: 1}`"]),
    "lines that end with CR": ("x,y\r1,a\r", {}, ["line 1: ", "; end lines with LF or CRLF, not with CR alone"]),
    "a zip archive": (b"PK\x03\x04\x14\0\x90\xff\n", {}, ["it is a zip archive, not text; unpack it"]),
    "column twice": ("x,x,y\n1,2,a\n", {}, ["two columns are called 'x'"]),
    "infinite": ("x,y\n1,a\ninf,b\n", {}, ["column 'x' holds an infinite number"]),
    "overflow": ("x,y\n1,a\n1e999,b\n", {}, ["column 'x' holds an infinite number"]),
    "not UTF-8": (b"x,y\n1,a\n2,caf\xe9\n", {}, ["line 3 is not text in UTF-8"]),
    "UTF-16": ("x,y\n1,a\n".encode("utf-16"), {}, ["line 1 is not text in UTF-8"]),
    "too few names": (GOOD, {"csv": {"names": ["x", "y"]}}, ["line 1 has 3 fields where 2 are expected"]),
    "damaged": (gzip.compress(GOOD.encode() * 99)[:60], {}, ["damaged or cut short"]),
    "not libsvm": (GOOD, {"format": "libsvm"}, ["no line contains index:value"]),
    "text in libsvm": ("1 1:2\n1 1:red\n", {"format": "libsvm"},
        ["line 2: '1:red' is not index:value with an index and a number"]),
    "pairs in pieces": ("1 1:2\n1 1: 2\n", {"format": "libsvm"}, ["line 2: '1:' is not"]),
    "negative index": ("1 -1:2\n", {"format": "libsvm"}, ["line 1: '-1:2' is not"]),
    "infinite in libsvm": ("1 1:inf\n", {"format": "libsvm"}, ["line 1: '1:inf' is not"]),
    "overflow in libsvm": ("1 3:1e999\n-1 1:1\n", {"format": "libsvm"}, ["column '3' holds an infinite number"]),
    "overflowing sum in libsvm": ("1 2:1e308 2:1e308\n-1 1:1\n", {"format": "libsvm"},
        ["column '2' holds an infinite number, or entries whose sum is one"]),
    "huge index": ("1 999999999:2\n-1 2:1\n", {"format": "libsvm"},
        ["the index 999999999 is too large; there may be 10,000,000 columns"]),
    "endless index": (f"1 {'9' * 400}:2\n", {"format": "libsvm"}, ["the index inf is too large"]),
    "labels that floating point merges": ("x,y\n1,9007199254740992\n2,9007199254740993\n", {},
        ["is a number beyond 2^53", "put a letter before such labels"]),
    "such labels in libsvm": ("9007199254740992 1:1\n9007199254740993 1:2\n", {"format": "libsvm"},
        ["is a number beyond 2^53"]),
    "such categories": ("x,y\n9007199254740993,a\n2,b\n", {"categorical": ["x"]},
        ["the label 9007199254740992.0 is a number beyond 2^53"]),
    "empty libsvm": ("# nothing\n", {"format": "libsvm"}, ["the file is empty"]),
    "not ARFF": (GOOD, {"format": "arff"}, ["line 1: 'x,t,y' is not an ARFF declaration"]),
    "ARFF without data": ("@relation a\n@attribute x real\n", {"format": "arff"}, ["has no @data"]),
    "ARFF without attributes": ("@data\n1\n", {"format": "arff"}, ["no @attribute"]),
    "undeclared value": ("@attribute x real\n@attribute y {a,b}\n@data\n1,a\n2,c\n", {"format": "arff"},
        ["column 'y': 'c' is not one of the declared values"]),
    "text in numeric": ("@attribute x real\n@attribute y {a,b}\n@data\n1,a\nred,b\n", {"format": "arff"},
        ["column 'x': 'red' is not a number"]),
    "sparse ARFF": ("@attribute x real\n@attribute y {a,b}\n@data\n{0 1, 1 b}\n", {"format": "arff"},
        ["line 4: sparse rows of ARFF cannot be read; use libsvm"]),
    "strange type": ("@attribute x relational\n@data\n", {"format": "arff"}, ["line 1", "'relational'"]),
    "ragged ARFF": ("@attribute x real\n@attribute y {a,b}\n% c\n@data\n1,a\n1\n", {"format": "arff"},
        ["line 6 has 1 field where 2 are expected"]),
    "not Parquet": (GOOD, {"format": "parquet"}, ["not a Parquet file"]),
    "not an archive": (GOOD, {"format": "bag_of_words"}, ["the archive cannot be read"]),
}  # fmt: skip


@each("case", CASES)
def test_wrong_data_are_reported_in_one_line(case, reason, tmp_path):
    content, extra, words = CASES[case]
    (tmp_path / "a.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    entry = {"format": "csv", "target": "y", "source": {"file": "a.csv"}} | extra
    output = reason({key: value for key, value in entry.items() if value is not None})
    assert output.startswith("a.csv: ")
    for word in words:
        assert word in output


NUMBERS, TEXT = "x,y\n1,no\n2,yes\n", "x,y\n3,no\n,no\nmany,no\n"
TESTS = {  # name: (training set, test set, words of the reason)
    "a column missing": (GOOD, "x,y\n1,no\n", "the test set has no column 't'"),
    "a column more": (GOOD, "x,t,z,y\n1,red,3,no\n", "the training set has no column 'z'"),
    "another name": (GOOD, "x,T,y\n1,red,no\n", "the test set has no column 't'"),
    "a new class": (GOOD, "x,t,y\n1,red,maybe\n", "class 'maybe' has no training row"),
    "text for numbers": (NUMBERS, TEXT, "column 'x' of the test set holds the text 'many' in row 3"),
    "sparse rows": (NUMBERS, "1 1:1\n", "have different columns"),
}  # fmt: skip
ALIKE = {  # training set, test set, what the entry adds, levels, classes
    "columns in another order": (GOOD, "y,t,x\nno,green,7\n", {}, {"t": ("blue", "green", "red")}, ["no", "yes"]),
    "numbers for text": ("x,y\n1,no\nmany,yes\n", "x,y\n1,no\n", {}, {"x": ("1", "many")}, ["no", "yes"]),
    "text in a category": (NUMBERS, TEXT, {"categorical": ["x"]}, {"x": ("1", "2", "3", "many")}, ["no", "yes"]),
    "labels in another form": ("x,y\n1,1.0\n2,A\n", "x,y\n3,1\n",
        {"classes": {"one": ["1", "1.0"], "A": "A"}}, {}, ["one", "A"]),
}  # fmt: skip


def with_test_set(folder, train, test):
    name = "t.svm" if ":" in test else "t.csv"
    (folder / "a.csv").write_text(train)
    (folder / name).write_text(test)
    return {"target": "y", "source": {"file": "a.csv"}, "test": {"file": name}}


@each("case", TESTS)
def test_a_test_set_must_look_like_the_training_set(case, reason, tmp_path):
    *sets, words = TESTS[case]
    assert words in reason(with_test_set(tmp_path, *sets))


@each("case", ALIKE)
def test_a_test_set_may_be_written_in_another_way(case, obtain, tmp_path):
    *sets, keys, levels, classes = ALIKE[case]
    found = obtain(with_test_set(tmp_path, *sets) | keys)
    assert (found.table.levels, found.classes) == (levels, classes)
    if case == "columns in another order":
        assert found.table.X[found.split == 1].tolist() == [[1, 7]]


def test_unforeseen_errors_are_reasons_and_the_next_source_is_tried(
    read, obtain, reason, tmp_path, monkeypatch, capsys
):
    unforeseen = RuntimeError("unforeseen\nin two lines")
    for file in ("a.csv", "b.csv"):
        (tmp_path / file).write_text(GOOD)
    build = mock.Mock(side_effect=[unforeseen, read("a.csv", GOOD, target="y")])
    with monkeypatch.context() as patched:
        patched.setattr(source_reader, "build_dataset", build)
        found = obtain({"target": "y", "source": [{"file": "a.csv"}, {"file": "b.csv"}]})
    assert found.source == "b.csv"
    why = "it cannot be converted to a data set (RuntimeError: unforeseen)"
    assert found.attempts == [{"source": "a.csv", "reason": why}]
    assert "Traceback" in capsys.readouterr().err
    monkeypatch.setattr(csv, "read", mock.Mock(side_effect=unforeseen))
    output = reason({"target": "y", "source": {"file": "a.csv"}})
    assert output == "a.csv: not readable as csv (RuntimeError: unforeseen)"


def test_a_reason_is_never_long(reason, tmp_path):
    (tmp_path / "a.csv").write_text(f"{'x' * 5000},y\n1,a\n2,b\n")
    output = reason({"target": "z", "source": {"file": "a.csv"}})
    assert "there is no column 'z'" in output
    assert len(output) == 2000
    assert output.endswith("…")


def test_names_of_columns_and_numbered_classes_are_told_from_numbers(tmp_path):
    """As of letters, 26 numbers, or of speakers with a few rows each."""
    numbered, years = tmp_path / "numbered.csv", tmp_path / "years.csv"
    for header in ("0,1,2", "1,2,3"):
        numbered.write_text(f"{header}\n5,6,7\n")
        assert header_columns(numbered, {}) == header.split(",")
    years.write_text("2019,2024\n5,6\n")
    assert header_columns(years, {"header": True}) == ["2019", "2024"]
    assert header_columns(years, {"header": False}) == ["x1", "x2"]
    names = [str(k) for k in range(26)]
    assert not is_a_number(names, np.full(26, 40))
    assert not is_a_number(names, np.full(26, 4))
    assert is_a_number(names, np.array([1, *[40] * 25]))
    assert not is_a_number([f"plant {name}" for name in names], np.full(26, 4))


def test_a_source_that_takes_too_much_memory_is_a_reason(reason):
    entry = {"source": {"generate": "gaussians", "means": [[0], [1]], "rows": [10**15, 1]}}
    assert "it needs more memory than is available (" in reason(entry)
