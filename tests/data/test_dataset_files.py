"""Saved data sets equal those loaded, and rows can be read from Parquet block by block."""

import json

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass import ExponentialFamilyNB, GaussianNB, LinearDiscriminantAnalysis
from linclass.base.messages import NotApplicable
from linclass.base.tables import Table
from linclass_study.data import dataset
from linclass_study.data.blocks import read_blocks
from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.errors import StudyError

# A loaded data set equals the saved one; the .json summarizes the .npz

CSV = "x,t,y\n1,red,no\n2,,yes\n3,blue,no\n"
SPARSE = "a 1:1 3:2\nb 2:1\na 3:0.5\n"


@pytest.fixture(params=["dense", "sparse"])
def found(request, obtain, tmp_path):
    if request.param == "dense":
        (tmp_path / "a.csv").write_text(CSV)
        entry = {
            "source": {"file": "a.csv"}, "target": "y", "positive": "no", "costs": [[0, 5], [1, 0]],
        }  # fmt: skip
    else:
        (tmp_path / "a.svm").write_text(SPARSE)
        (tmp_path / "t.svm").write_text("b 1:1\n")
        sources = [{"file": "lost.svm"}, {"file": "a.svm"}]
        entry = {"source": sources, "test": {"file": "t.svm"}}
    return obtain(entry)


def test_a_loaded_data_set_equals_the_saved_one_and_has_the_same_bytes(found, tmp_path):
    save_dataset(found, tmp_path / "new" / "a.npz", tmp_path / "new" / "a.json")
    again = load_dataset(tmp_path / "new" / "a.npz")
    assert type(again.table.X) is type(found.table.X)
    for ours, theirs in zip(arrays(found), arrays(again), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    for name in ("classes", "positive", "costs", "source", "digest", "attempts", "bayes_error"):
        assert getattr(again, name) == getattr(found, name)
    assert (again.table.names, again.table.levels) == (found.table.names, found.table.levels)
    for name in ("one", "two"):
        save_dataset(found, tmp_path / f"{name}.npz", tmp_path / f"{name}.json")
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    assert (found.y.dtype, found.split.dtype) == (np.int32, np.int8)
    if found.table.is_sparse:
        assert found.table.X.format == "csr"
        assert (found.table.X.dtype, found.table.X.indices.dtype) == (np.float64, np.int32)
    else:
        assert found.table.X.dtype == np.float64
        assert found.table.X.flags.c_contiguous
    found.costs = [[0.0, float("nan")], [1.0, 0.0]]
    with pytest.raises(ValueError, match="JSON"):
        save_dataset(found, tmp_path / "a.npz", tmp_path / "a.json")


def arrays(data):
    X = data.table.X
    values = (X.data, X.indices, X.indptr) if data.table.is_sparse else (X,)
    return [*values, data.y, data.split, data.source_row]


def test_the_json_file_describes_the_data_set(obtain, tmp_path):
    (tmp_path / "a.csv").write_text(CSV)
    costs = [[0, 5], [1, 0]]
    found = obtain({"source": {"file": "a.csv"}, "target": "y", "positive": "no", "costs": costs})
    save_dataset(found, tmp_path / "a.npz", tmp_path / "a.json")
    about = json.loads((tmp_path / "a.json").read_text())
    assert about == {
        "status": "available", "reason": "", "classes": ["no", "yes"], "class_counts": [2, 1],
        "features": ["t", "x"], "n_features": 2, "positive": "no", "rows": 3, "test_rows": 0, "groups": None,
        "sparse": False, "texts": [], "costs": costs, "digest": found.digest, "source": "a.csv",
        "attempts": [], "bayes_error": None,
    }  # fmt: skip
    (tmp_path / "a.svm").write_text("a 1:1\nb 1001:1\n")  # more features than are listed
    save_dataset(obtain({"source": {"file": "a.svm"}}), tmp_path / "a.npz", tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["features"] == 1001


def test_an_unavailable_data_set_has_both_files(tmp_path):
    dataset.save_unavailable("no network", tmp_path / "a.npz", tmp_path / "a.json")
    about = json.loads((tmp_path / "a.json").read_text())
    assert (about["status"], about["reason"]) == ("unavailable", "no network")
    assert (about["classes"], about["rows"]) == ([], 0)
    assert load_dataset(tmp_path / "a.npz").table.shape == (0, 0)


def test_a_failed_save_leaves_no_partial_file(found, tmp_path):
    (tmp_path / "a.npz").write_text("before")
    found.classes = {"not": "json"}.keys()
    with pytest.raises(TypeError):
        save_dataset(found, tmp_path / "a.npz", tmp_path / "a.json")
    assert (tmp_path / "a.npz").read_text() == "before"


def test_a_table_refuses_names_that_do_not_fit():
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        Table(np.zeros((1, 3)), ("a", "b"))
    with pytest.raises(ValueError, match="levels of 'c', which is not a column"):
        Table(np.zeros((1, 1)), ("a",), {"c": ("x",)})


@pytest.mark.parametrize("damage", ["emptied", "cut short", "something else"])
def test_a_damaged_file_is_named_with_a_remedy(damage, found, tmp_path):
    path = tmp_path / "a.npz"
    save_dataset(found, path, tmp_path / "a.json")
    whole = path.read_bytes()
    path.write_bytes({"emptied": b"", "cut short": whole[: len(whole) // 2]}.get(damage, b"text"))
    with pytest.raises(
        StudyError, match=r"a\.npz cannot be read .*: delete it and run snakemake again"
    ):
        load_dataset(path)


# Rows from Parquet, block by block: the fit of all of them, with only one block in memory


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 1000)
    frame = pl.DataFrame(
        {
            "length": rng.normal(y, 2), "kind": np.array(["a", "b", "c"])[y], "count": rng.poisson(1 + y),
            "flag": rng.random(1000) < 0.3,
        }
    )  # fmt: skip
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=130)
    return tmp_path / "rows.parquet", frame


@each("model", [
    LinearDiscriminantAnalysis(),
    GaussianNB(),
    ExponentialFamilyNB(families={"count": "poisson", "flag": "bernoulli"}),
])  # fmt: skip
def test_blocks_give_the_fit_of_all_rows(model, table):
    path, frame = table
    X, y = frame.drop("kind").cast(pl.Float64), frame["kind"].to_numpy()
    of_blocks = type(model)(**model.get_params()).fit_blocks(read_blocks(path, "kind", rows=170))
    expected = model.fit(X, y).predict_log_proba(X)
    np.testing.assert_allclose(of_blocks.predict_log_proba(X), expected, atol=1e-9)
    assert list(of_blocks.feature_names_in_) == ["length", "count", "flag"]


def test_non_numeric_columns_are_refused_by_name(table):
    path, _ = table
    with pytest.raises(NotApplicable, match=r"column 'kind' of .* is String"):
        next(read_blocks(path, "count"))
    with pytest.raises(ValueError, match="no column 'species'; it has length"):
        next(read_blocks(path, "species"))
