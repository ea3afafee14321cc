"""Saved data sets equal those loaded, and rows can be read from Parquet block by block."""

import json

import numpy as np
import polars as pl
import pytest

from linclass import GaussianNB
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data import dataset
from linclass_study.data.blocks import read_blocks
from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.errors import StudyError

CSV = "x,t,y\n1,red,no\n2,,yes\n3,blue,no\n"
COSTS = {"positive": "no", "costs": [[0, 5], [1, 0]]}


@pytest.fixture
def paths(tmp_path):
    return tmp_path / "a.npz", tmp_path / "a.json"


@pytest.fixture(params=["dense", "sparse"])
def found(request, read, obtain, tmp_path):
    if request.param == "dense":
        return read("a.csv", CSV, target="y", **COSTS)
    (tmp_path / "a.svm").write_text("a 1:1 3:2\nb 2:1\na 3:0.5\n")
    (tmp_path / "t.svm").write_text("b 1:1\n")
    sources = [{"file": "lost.svm"}, {"file": "a.svm"}]
    return obtain({"source": sources, "test": {"file": "t.svm"}})


def arrays(data):
    X = data.table.X
    values = (X.data, X.indices, X.indptr) if data.table.is_sparse else (X,)
    return [*values, data.y, data.split, data.source_row]


def test_a_loaded_data_set_equals_the_saved_one_and_has_the_same_bytes(found, tmp_path, paths):
    save_dataset(found, tmp_path / "new" / "a.npz", tmp_path / "new" / "a.json")
    again = load_dataset(tmp_path / "new" / "a.npz")
    assert type(again.table.X) is type(found.table.X)
    for ours, theirs in zip(arrays(found), arrays(again), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    for name in ("classes", "positive", "costs", "source", "digest", "attempts", "bayes_error"):
        assert getattr(again, name) == getattr(found, name)
    assert (again.table.names, again.table.levels) == (found.table.names, found.table.levels)
    save_dataset(found, *paths)
    for path in paths:
        assert path.read_bytes() == (tmp_path / "new" / path.name).read_bytes()
    assert (found.y.dtype, found.split.dtype) == (np.int32, np.int8)
    assert found.table.X.dtype == np.float64
    if found.table.is_sparse:
        assert (found.table.X.format, found.table.X.indices.dtype) == ("csr", np.int32)
    else:
        assert found.table.X.flags.c_contiguous
    found.costs = [[0.0, float("nan")], [1.0, 0.0]]
    with pytest.raises(ValueError, match="JSON"):
        save_dataset(found, *paths)


def test_the_json_file_describes_the_data_set(read, paths):
    found = read("a.csv", CSV, target="y", **COSTS)
    save_dataset(found, *paths)
    assert json.loads(paths[1].read_text()) == COSTS | {
        "status": "available", "reason": "", "classes": ["no", "yes"], "class_counts": [2, 1],
        "features": ["t", "x"], "n_features": 2, "rows": 3, "test_rows": 0, "groups": None,
        "sparse": False, "texts": [], "digest": found.digest, "source": "a.csv",
        "attempts": [], "bayes_error": None,
    }  # fmt: skip
    # more features than are listed
    save_dataset(read("a.svm", "a 1:1\nb 1001:1\n"), *paths)
    assert json.loads(paths[1].read_text())["features"] == 1001


def test_an_unavailable_data_set_has_both_files(paths):
    dataset.save_unavailable("no network", *paths)
    about = json.loads(paths[1].read_text())
    assert (about["status"], about["reason"]) == ("unavailable", "no network")
    assert (about["classes"], about["rows"]) == ([], 0)
    assert load_dataset(paths[0]).table.shape == (0, 0)


def test_a_failed_save_leaves_no_partial_file(found, paths):
    paths[0].write_text("before")
    found.classes = {"not": "json"}.keys()
    with pytest.raises(TypeError):
        save_dataset(found, *paths)
    assert paths[0].read_text() == "before"


def test_a_table_refuses_names_that_do_not_fit():
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        Table(np.zeros((1, 3)), ("a", "b"))
    with pytest.raises(ValueError, match="levels of 'c', which is not a column"):
        Table(np.zeros((1, 1)), ("a",), {"c": ("x",)})


def test_a_damaged_file_is_named_with_a_remedy(found, paths):
    save_dataset(found, *paths)
    whole = paths[0].read_bytes()
    remedy = r"a\.npz cannot be read .*: delete it and run the study again"
    for damaged in (b"", whole[: len(whole) // 2], b"text"):
        paths[0].write_bytes(damaged)
        with pytest.raises(StudyError, match=remedy):
            load_dataset(paths[0])


def test_blocks_are_the_rows_of_a_parquet_file_and_refuse_columns_that_are_not_numbers(tmp_path):
    n = np.arange(1000)
    frame = pl.DataFrame({"length": n / 7, "kind": [f"k{i % 3}" for i in n], "flag": n % 2 == 0})
    path = tmp_path / "rows.parquet"
    frame.write_parquet(path, row_group_size=130)
    blocks = [*read_blocks(path, "kind", rows=170)]
    assert max(len(labels) for _, labels in blocks) <= 170
    X, labels = pl.concat(X for X, _ in blocks), np.concatenate([labels for _, labels in blocks])
    assert X.equals(frame.select("length", "flag").cast(pl.Float64))
    assert labels.tolist() == frame["kind"].to_list()
    model = GaussianNB().fit_blocks(read_blocks(path, "kind"))
    assert list(model.feature_names_in_) == ["length", "flag"]
    with pytest.raises(NotApplicable, match=r"column 'kind' of .* is String"):
        next(read_blocks(path, "flag"))
    with pytest.raises(ValueError, match="no column 'species'; it has length"):
        next(read_blocks(path, "species"))
