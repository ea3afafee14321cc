"""The fast reader of CSV agrees with the strict one bit by bit, also in the messages of what they refuse."""

import bz2
import gzip

import numpy as np
import pytest

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
        return fast, strict, bool(taken) and taken[0] is not None

    return run


def same(fast, strict):
    if isinstance(fast, str) or isinstance(strict, str):
        return isinstance(fast, str) and fast == strict
    bits = [(c.dtype, c.to_list() if c.dtype != float else c.to_numpy().tobytes()) for c in fast]
    return fast.columns == strict.columns and bits == [
        (c.dtype, c.to_list() if c.dtype != float else c.to_numpy().tobytes()) for c in strict
    ]


# name: (text, dialect, whether Polars must be enough)
FILES = {
    "numbers and text": ("a,b,c\n1,x,2.5\n-3e-7,y,.5\n", {}, True),
    "line ends of Windows": ("a,b,c\r\n1,x,2\r\n3,y,4\r\n", {}, True),
    "blanks around cells": ("a, b ,c\n 1,x , 2\n3 , y,4 \n", {}, True),
    "missing cells in every way": ("a,b,c\n?,NA,1\n,nan,2\nNaN,x,3\n NA ,y,4\n", {}, True),
    "missing cells at the end": ("a,b\n1,\n2,x\n3,NA\n", {}, True),
    "quoted cells": ('a,b,c\n"1","x, y","2"\n"3","z",4\n', {}, True),
    "quoted line ends": ('a,b\n1,"x\ny"\n2,z\n', {}, True),
    "true and false": ("a,b\ntrue,1\nfalse,0\n", {}, True),
    "dates and leading zeros": ("a,b\n2020-01-01,007\n2021-02-03,08\n", {}, True),
    "numbers that end as text": ("a,b\n" + "1,2\n" * 1500 + "x,3\n", {}, True),
    "nothing that ends as a number": ("a,b\n" + ",2\n" * 1500 + "7,3\n", {}, True),
    "great and small": ("a,b\n1e400,0.1\n-0,1e-400\n9007199254740993,123456789012345678901\n", {}, True),
    "other separator": ("a;b\n1;x\n2;y\n", {"separator": ";"}, True),
    "tabs": ("a\tb\n1\t\n2\ty\n", {"separator": "\t"}, True),
    "runs of blanks": ("a  b c\n1 \t 2  x\n  3   4 y  \n", {"separator": " "}, True),
    "lines above": ("made by\nnobody\na,b\n1,x\n", {"skip": 2}, True),
    "names of one's own": ("1,x\n2,y\n", {"names": ["u", "v"]}, True),
    "no header": ("1,x\n2,y\n", {"header": False}, True),
    "a mark of its encoding": ("\ufeffa,b\n1,x\n", {}, True),
    "such a mark before numbers": ("\ufeff1,x\n2,y\n", {"header": False}, True),
    "no last line end": ("a,b\n1,x\n2,y", {}, True),
    "blank lines at the end": ("a,b\n1,x\n2,\n\n\r\n\n", {}, True),
    "blank lines within": ("a,b\n1,x\n\n2,y\n", {}, False),
    "doubled quotes": ('a,b\n1,"x ""y"""\n', {}, False),
    "a blank before a quote": ('a,b\n1, "x, y"\n', {}, False),
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


@pytest.mark.parametrize("name", FILES)
def test_polars_and_the_strict_reader_agree(name, both):
    text, dialect, enough = FILES[name]
    fast, strict, taken = both(text, **dialect)
    assert same(fast, strict), (fast, strict)
    assert taken == enough


@pytest.mark.parametrize("seed", range(40))
def test_fast_and_strict_readers_agree_on_any_file(seed, both):
    """Files of random cells with random accidents: a lost cell, a stray quote, a blank line, …"""
    rng = np.random.default_rng(seed)
    cells = [
        "1", "-2.50", "3e5", " 4", "x", "y z", '"q, r"', "", "?", "NA", " nan", "0x1", "1_0", "+7",
    ]  # fmt: skip
    width, kinds = int(rng.integers(1, 5)), rng.integers(2, 7)
    pools = [list(rng.choice(cells, kinds)) for _ in range(width)]
    lines = [",".join(str(rng.choice(pool)) for pool in pools) for _ in range(30)]
    for _ in range(int(rng.integers(0, 3))):
        i = int(rng.integers(len(lines)))
        lines[i] = rng.choice(
            [lines[i][:-1], lines[i] + ",", lines[i] + '"', "", " ", lines[i] + "\r"]
        )
    text = "\n".join([",".join(f"c{j}" for j in range(width)), *lines]) + rng.choice(
        ["", "\n", "\n\n"]
    )
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


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_compressed_files_use_the_fast_reader(pack, both):
    text = "a,b\n1,x\n2,y\n"
    fast, strict, taken = both(pack(text.encode()))
    assert taken
    assert same(fast, strict)
