"""The fast reader of CSV agrees with the strict one bit by bit, also in the messages of what they refuse."""

import bz2
import gzip

import numpy as np
import pytest
from cases import each

from linclass_study.data.formats import csv
from linclass_study.errors import Unavailable


def outcome(read, path, options):
    try:
        return read(path, options).frame
    except Unavailable as reason:
        return str(reason)


@pytest.fixture
def both(tmp_path, monkeypatch):
    """both(text, **dialect): (what comes out, what the strict reader makes of it, whether Polars was enough)."""

    def run(text, **dialect):
        path, taken = tmp_path / "a.csv", []
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        whole = csv.plain_cells
        monkeypatch.setattr(csv, "plain_cells", lambda *a: taken.append(whole(*a)) or taken[-1])
        fast = outcome(csv.read, path, {"csv": dialect})
        monkeypatch.setattr(csv, "plain_cells", lambda *_: None)
        strict = outcome(csv.read, path, {"csv": dialect})
        monkeypatch.setattr(csv, "plain_cells", whole)
        monkeypatch.setattr(csv, "TEXT", max(20, len(path.read_bytes()) // 50))
        assert same(outcome(csv.read, path, {"csv": dialect}), strict)
        monkeypatch.undo()
        return fast, strict, bool(taken) and all(cells is not None for cells in taken)

    return run


def bits(frame):
    """Names, types and cells; of numbers each bit."""
    return [
        (c.name, c.dtype, c.to_numpy().tobytes() if c.dtype == float else c.to_list())
        for c in frame
    ]


def same(fast, strict):
    if isinstance(fast, str) or isinstance(strict, str):
        return isinstance(fast, str) and fast == strict
    return bits(fast) == bits(strict)


# name: (text, dialect, whether Polars must be enough); their column x is 1 and 2, their classes are a and b
FORMS = {
    "line ends of Windows": ("x,class\r\n1,a\r\n2,b\r\n", {}, True),
    "no last line end": ("x,class\n1,a\n2,b", {}, True),
    "blank lines": ("\nx,class\n\n1,a\n   \n2,b\n\n", {}, False),
    "blanks around cells": ("x , class\n 1, a \n 2 ,\tb\n", {}, True),
    "quotes": ('"x","class"\n"1","a"\n"2","b"\n', {}, True),
    "a quote after a blank": ('x, "class"\n1, "a"\n2, "b"\n', {}, False),
    "tabs": ("x\tclass\n1\ta\n2\tb\n", {"separator": "\t"}, True),
    "another separator": ("x;class\n1;a\n2;b\n", {"separator": ";"}, True),
    "runs of blanks": ("x    class\n  1 \t a  \n2 b\n", {"separator": " "}, True),
    "lines to skip": ("from somewhere\nin 1999\nx,class\n1,a\n2,b\n", {"skip": 2}, True),
    "names given": ("1,a\n2,b\n", {"names": ["x", "class"]}, True),
    "names instead of the header's": (
        "X,Y\n1,a\n2,b\n",
        {"skip": 1, "names": ["x", "class"]},
        True,
    ),
    "a mark of its encoding": ("\ufeffx,class\n1,a\n2,b\n", {}, True),
    "plus signs and points": ("x,class\n+1.,a\n2.0e0,b\n", {}, True),
    "columns in another order": ("class,x\nb,2\na,1\n", {}, True),
    "blank lines at the end": ("x,class\n1,a\n2,b\n\n\r\n\n", {}, True),
}
FILES = FORMS | {
    "numbers and text": ("a,b,c\n1,x,2.5\n-3e-7,y,.5\n", {}, True),
    "blanks around numbers": ("a, b ,c\n 1,x , 2\n3 , y,4 \n", {}, True),
    "missing cells in every way": ("a,b,c\n?,NA,1\n,nan,2\nNaN,x,3\n NA ,y,4\n", {}, True),
    "missing cells at the end": ("a,b\n1,\n2,x\n3,NA\n", {}, True),
    "missing cells and blank lines at the end": ("a,b\n1,x\n2,\n\n\r\n\n", {}, True),
    "tabs and missing cells": ("a\tb\n1\t\n2\ty\n", {"separator": "\t"}, True),
    "quoted commas": ('a,b,c\n"1","x, y","2"\n"3","z",4\n', {}, True),
    "quoted line ends": ('a,b\n1,"x\ny"\n2,z\n', {}, True),
    "true and false": ("a,b\ntrue,1\nfalse,0\n", {}, True),
    "dates and leading zeros": ("a,b\n2020-01-01,007\n2021-02-03,08\n", {}, True),
    "numbers that end as text": ("a,b\n" + "1,2\n" * 1500 + "x,3\n", {}, True),
    "nothing that ends as a number": ("a,b\n" + ",2\n" * 1500 + "7,3\n", {}, True),
    "great and small": ("a,b\n1e400,0.1\n-0,1e-400\n9007199254740993,123456789012345678901\n", {}, True),
    "no header": ("1,x\n2,y\n", {"header": False}, True),
    "a mark of its encoding before numbers": ("\ufeff1,x\n2,y\n", {"header": False}, True),
    "doubled quotes": ('a,b\n1,"x ""y"""\n', {}, False),
    "quotes within a cell": ('a,b\n1,x"y"z\n', {}, False),
    "few cells": ("a,b,c\n1,x,2\n3,y\n", {}, False),
    "few cells and missing ones": ("a,b,c\n1,x,\n3\n4,z,5\n", {}, False),
    "many cells": ("a,b\n1,x\n3,y,7\n", {}, False),
    "an open quote": ('a,b\n1,"x\n2,y\n', {}, False),
    "text after a quote": ('a,b\n1,"x"y\n', {}, False),
    "not UTF-8": (b"a,b\n1,\xff\n2,y\n", {}, False),
    "no rows": ("a,b\n", {}, False),
    "one column": ("a\n1\n2\n", {}, True),
    "one column and blank lines": ("a\n1\n\n2\n", {}, False),
    "columns of one name": ("a,a\n1,2\n", {}, False),
}  # fmt: skip


@each("name", FILES)
def test_polars_and_the_strict_reader_agree(name, both):
    text, dialect, enough = FILES[name]
    fast, strict, taken = both(text, **dialect)
    assert same(fast, strict), (fast, strict)
    assert taken == enough


@each("form", FORMS)
def test_a_csv_may_be_written_in_many_ways(form, read):
    text, dialect, _ = FORMS[form]
    found = read("a.csv", text, target="class", csv=dialect)
    assert (found.table.names, found.table.X.tolist()) == (("x",), [[1], [2]])
    assert found.classes == ["a", "b"]


@each("seed", range(40))
def test_fast_and_strict_readers_agree_on_any_file(seed, both):
    """Files of random cells with random accidents: a lost cell, a stray quote, a blank line, …"""
    rng = np.random.default_rng(seed)
    cells = [
        "1", "-2.50", "3e5", " 4", "x", "y z", '"q, r"', "", "?", "NA", " nan", "0x1", "1_0", "+7",
    ]  # fmt: skip
    width, kinds = int(rng.integers(1, 5)), rng.integers(2, 7)
    pools = [list(rng.choice(cells, kinds)) for _ in range(width)]
    lines = [",".join(str(rng.choice(pool)) for pool in pools) for _ in range(30)]
    for i in rng.integers(len(lines), size=rng.integers(0, 3)):
        line = lines[i]
        lines[i] = rng.choice([line[:-1], line + ",", line + '"', "", " ", line + "\r"])
    header = ",".join(f"c{j}" for j in range(width))
    text = "\n".join([header, *lines]) + rng.choice(["", "\n", "\n\n"])
    fast, strict, _ = both(text)
    assert same(fast, strict), (text, fast, strict)


def test_the_last_bit_of_a_number_is_the_nearest(both):
    rng = np.random.default_rng(0)
    values = rng.standard_normal(3000) * 10.0 ** rng.integers(-300, 300, 3000)
    texts = [
        *map(repr, values.tolist()), "2.2250738585072011e-308", "5e-324", "1.7976931348623157e308",
    ]  # fmt: skip
    fast, _, taken = both("a,b\n" + "".join(f"{text},0\n" for text in texts))
    assert taken
    assert fast["a"].to_list() == [float(text) for text in texts]


def test_compressed_files_use_the_fast_reader(both):
    for pack in (gzip.compress, bz2.compress):
        fast, strict, taken = both(pack(b"a,b\n1,x\n2,y\n"))
        assert taken
        assert same(fast, strict)
