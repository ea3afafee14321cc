"""Density and size, or the entry, decide if rows are stored as an array or sparse; the file format does not."""

import numpy as np
import pytest
from cases import each
from polars.testing import assert_frame_equal
from run_alone import run_on
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.data import build_dataset
from linclass_study.data.build_dataset import stored
from linclass_study.data.entry_check import entry_problems
from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset

pytestmark = pytest.mark.usefixtures("in_process")

N = 60


def write(folder, X, labels):
    """The rows as CSV and as LIBSVM, with some of their zeros written out."""
    columns = [str(j + 1) for j in range(X.shape[1])]
    csv, libsvm = [",".join([*columns, "class"])], []
    for i, (row, label) in enumerate(zip(X.tolist(), labels, strict=True)):
        csv.append(",".join([*map(repr, row), label]))
        pairs = [
            f"{j}:{value!r}" for j, value in zip(columns, row, strict=True) if value or i % 5 == 0
        ]
        libsvm.append(" ".join([label, *pairs]))
    (folder / "rows.csv").write_text("\n".join(csv) + "\n")
    (folder / "rows.svm").write_text("\n".join(libsvm) + "\n")


def obtained(folder, file, **keys):
    entry = {"source": {"file": file}} | ({"target": "class"} if file.endswith("csv") else {})
    return obtain_dataset(entry | keys, SearchFolders(root=folder))


def example(width, density=0.9):
    rng = np.random.default_rng(width)
    y = np.arange(N) % 2
    X = (rng.gamma(2, 5, (N, width)) + 3 * y[:, None]).round(3)
    return X * (rng.random(X.shape) < density), np.array(["ill", "well"])[y]


METHODS = [
    {"classifier": "linclass.LinearDiscriminantAnalysis"},
    {"classifier": "linclass.GaussianNB", "features": ["quadratic"]},
    {"classifier": "linclass.LogisticRegression", "transforms": ["standardize"], "tune": {"strength": [0.01, 1]}},
    {"classifier": "linclass.LinearSVM", "params": {"strength": 0.1}, "transforms": ["standardize"]},
    {"classifier": "linclass.KernelSVM", "params": {"strength": 0.1}, "transforms": ["standardize"]},
    {"classifier": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"},  # takes arrays only
]  # fmt: skip


@pytest.mark.parametrize("width", [2, 13])
def test_the_same_rows_as_csv_and_as_libsvm_give_the_same_predictions(tmp_path, width):
    write(tmp_path, *example(width))
    csv, libsvm = (obtained(tmp_path, f"rows.{form}") for form in ("csv", "svm"))
    assert csv.digest == libsvm.digest
    assert csv.table.X.tobytes() == libsvm.table.X.tobytes()
    for entry in METHODS:
        one, other = (run_on(data, tmp_path, entry) for data in (csv, libsvm))
        assert {fit["status"] for fit in other.fits} == {"converged"}, other.reasons()
        assert_frame_equal(one.table(), other.table(), check_exact=True)
        grids = [[given["grid"] for _, _, given, _ in found.added] for found in (one, other)]
        assert len(grids[1]) == 3  # boundaries on the plane, of each fold
        assert np.array_equal(*grids)


def test_dense_of_the_entry_decides_for_every_format(tmp_path):
    write(tmp_path, *example(13, density=0.1))
    for dense in (False, True):
        csv, libsvm = (obtained(tmp_path, f"rows.{form}", dense=dense) for form in ("csv", "svm"))
        assert csv.table.is_sparse is libsvm.table.is_sparse is not dense
        assert csv.digest == libsvm.digest
    (tmp_path / "rows.parquet").touch()
    entry = {
        "source": {"file": "rows.parquet"}, "format": "parquet_blocks", "target": "y", "dense": True,
    }  # fmt: skip
    assert [
        (path, text.partition(";")[0])
        for path, text in entry_problems(entry, SearchFolders(root=tmp_path))
    ] == [(["dense"], "is not supported for parquet_blocks, whose rows stay in their file")]


def rows(n, d, density, seed=0):
    X = sparse.random_array((n, d), density=density, format="csr", rng=np.random.default_rng(seed))
    return Table(X, tuple(map(str, range(d))))


def is_dense(table, n_test=0, own=None, words=False, **entry):
    split = (np.arange(table.shape[0]) >= table.shape[0] - n_test).astype(np.int8)
    return not stored(table, split, entry, own or {*table.names}, words).is_sparse


def test_density_and_size_of_training_rows_decide_by_the_documented_rule(monkeypatch):
    """Neither their density nor their additional columns."""
    assert is_dense(rows(10_000, 200, 0.001))  # an array of 16 MB
    assert not is_dense(rows(11_000, 200, 0.14))
    assert is_dense(rows(11_000, 200, 0.16))
    assert not is_dense(rows(500, 200, 0.9), words=True)
    assert not is_dense(rows(10**6, 10**5, 1e-8))  # an array of 800 GB
    monkeypatch.setattr(build_dataset, "LARGE", 17_000_000)
    assert not is_dense(rows(11_000, 200, 0.66))
    assert is_dense(rows(11_000, 200, 0.68))
    assert is_dense(rows(11_000, 200, 0.16), dense=True)
    monkeypatch.setattr(build_dataset, "MAX_FREE_BYTES", 1_000_000)
    few, many = rows(1000, 200, 0.1, 1), rows(1000, 200, 0.9, 2)
    for training, dense in ((few, False), (many, True)):
        for test in (few, many):
            wider = sparse.hstack([test.X, sparse.csr_array(np.eye(1000, 3))])
            X = sparse.csr_array(
                sparse.vstack([sparse.hstack([training.X, np.zeros((1000, 3))]), wider])
            )
            table = Table(X, (*few.names, "u", "v", "w"))
            assert is_dense(table, n_test=1000, own={*few.names}) is dense
    split = np.repeat([0, 1], 1000).astype(np.int8)
    found = stored(table, split, {}, {*few.names}, words=False)
    assert found.names == few.names
    assert np.array_equal(found.X[1000:], many.X.toarray())


def test_large_csv_data_with_few_nonzero_values_are_sparse(tmp_path, monkeypatch):
    """But categories stay codes in an array, and an empty cell stays a missing value."""
    monkeypatch.setattr(build_dataset, "MAX_FREE_BYTES", 1000)
    write(tmp_path, *example(40, density=0.1))
    csv, libsvm = (obtained(tmp_path, f"rows.{form}") for form in ("csv", "svm"))
    assert csv.table.is_sparse
    assert csv.digest == libsvm.digest
    entry = {
        "classifier": "linclass.LogisticRegression",
        "params": {"strength": 0.1},
        "transforms": ["standardize"],
    }
    one, other = (run_on(data, tmp_path, entry) for data in (csv, libsvm))
    assert_frame_equal(one.table(), other.table(), check_exact=True)
    text = (tmp_path / "rows.csv").read_text()
    (tmp_path / "gaps.csv").write_text(text.replace("\n0.0,", "\n,"))
    gaps = obtained(tmp_path, "gaps.csv").table
    assert gaps.is_sparse
    assert np.isnan(gaps.X.data).sum() == text.count("\n0.0,") > 0
    (tmp_path / "names.csv").write_text(text.replace("\n0.0,", "\nnone,"))
    assert not obtained(tmp_path, "names.csv").table.is_sparse


@each("entry", [
    {"classifier": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"},
    {
        "classifier": "linclass.OneVsRest",
        "params": {"estimator": {"classifier": "sklearn.discriminant_analysis.LinearDiscriminantAnalysis"}},
    },
    {"classifier": "linclass.NearestMean", "transforms": ["sklearn.preprocessing.PowerTransformer"]},
    {"classifier": "odd_estimators.Fine"},
], ids=["classifier", "inside", "transform", "prediction"])  # fmt: skip
def test_a_foreign_estimator_that_refuses_sparse_rows_gets_a_remedy(tmp_path, entry):
    write(tmp_path, *example(13))
    remedy = "X is a SciPy csr_array; `dense: true` in the data set's entry gives an array"
    failed = run_on(obtained(tmp_path, "rows.svm", dense=False), tmp_path, entry)
    assert len(failed.reasons()) == 3
    assert all(remedy in reason for reason in failed.reasons())
    assert not run_on(obtained(tmp_path, "rows.svm", dense=True), tmp_path, entry).reasons()


def test_words_of_held_out_rows_are_not_features_of_dense_arrays(tmp_path):
    counts = [f"{i + 1} {1 + i % 2} {1 + i % 3}" for i in range(30)]
    texts = {
        "train.data": "\n".join([*counts, "4 3 9"]),  # z is in the fourth row only
        "train.label": "\n".join("12" * 15),
        "train.map": "a 1\nb 2",
        "vocabulary.txt": "x\ny\nz",
    }
    (tmp_path / "bag").mkdir()
    for name, text in texts.items():
        (tmp_path / "bag" / name).write_text(text + "\n")
    for keys in ({}, {"dense": True}):
        data = obtained(tmp_path, "bag", format="bag_of_words", **keys)
        assert data.table.is_sparse != bool(keys)
        found = run_on(data, tmp_path, {"classifier": "linclass.MultinomialNB"})
        widths = [own["features"][0] for _, own in found.kept("coefficients")]
        assert sorted(widths) == [2, 3, 3]
