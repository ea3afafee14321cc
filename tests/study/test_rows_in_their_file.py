"""Rows that stay in their Parquet file: the same predictions, by blocks, and no more memory for more rows."""

import hashlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import each
from run_alone import run_alone

from linclass.base.tables import Table
from linclass.tuning.folds import stratified_folds
from linclass_study.data import blocks
from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import Unavailable
from linclass_study.execution.features import compute_features
from linclass_study.execution.folds import Plan
from linclass_study.pipeline import coefficients
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

pytestmark = pytest.mark.usefixtures("in_process")

LIMITS = {"fit_seconds": 60, "fit_memory_mb": 4000}
TASK = {"n_classes": 3, "positive": 2}
ROWS = blocks.ROWS // 10
N = 2 * ROWS + 1000  # three blocks


@pytest.fixture(scope="module")
def file_of_rows(tmp_path_factory):
    """A file of three blocks, whose row groups end elsewhere."""
    tmp_path, rng = tmp_path_factory.mktemp("rows"), np.random.default_rng(0)
    y = rng.integers(0, 3, N)
    X = rng.normal(size=(N, 4)) @ rng.normal(size=(4, 4)) + y[:, None]
    frame = pl.DataFrame({"b": X[:, 0], "a": X[:, 1], "c": X[:, 2], "hits": rng.poisson(1 + y)})
    frame.with_columns(kind=np.array(["x", "y", "z"])[y]).write_parquet(
        tmp_path / "rows.parquet", row_group_size=3000
    )
    return tmp_path, frame.cast(pl.Float64).to_numpy(), y.astype(np.int32)


@pytest.fixture
def rows(file_of_rows, monkeypatch):
    """The file, read in blocks of ROWS."""
    monkeypatch.setattr(blocks, "tables", partial(blocks.tables, rows=ROWS))
    return file_of_rows


def obtained(folder, **changes):
    entry = {"source": {"file": str(folder / "rows.parquet")}, "format": "parquet_blocks"}
    return obtain_dataset(entry | {"target": "kind"} | changes, SearchFolders())


def ran(folder, data, plan, entry):
    file = folder / "features.npz"
    compute_features(data, entry.get("features", [])).save(file)
    return run_alone(entry, str(file), plan, TASK, LIMITS)


def test_a_numeric_target_read_in_blocks_is_unavailable(rows):
    folder, _, _ = rows
    with pytest.raises(
        Unavailable, match=r"'b' has [\d,]+ distinct numbers in [\d,]+ rows: a measurement"
    ):
        obtained(folder, target="b", drop=["kind"])


def planned(y, repeats):
    partitions = [stratified_folds(y, 3, seed) for seed in range(repeats)]
    return Plan.of({("cv", r): fold for r, fold in enumerate(partitions)})


@each(("name", "params"), [
    ("LinearDiscriminantAnalysis", {}),
    ("QuadraticDiscriminantAnalysis", {}),
    ("GaussianNB", {}),
    ("FisherDiscriminant", {}),
    ("NearestMean", {}),
    ("ExponentialFamilyNB", {"families": {"hits": "poisson"}}),
])  # fmt: skip
@pytest.mark.full
def test_predictions_are_those_of_rows_in_memory(rows, name, params):
    folder, X, y = rows
    data = obtained(folder)
    assert (data.y == y).all()
    steps = ["impute", "one_hot"]
    entry = {"classifier": f"linclass.{name}", "params": params, "transforms": steps}
    plan = planned(y, repeats=2)
    found = ran(folder, data, plan, entry)
    assert {fit["status"] for fit in found.fits} == {"converged"}
    table, task = Table(X, ("b", "a", "c", "hits")), Task(**TASK)
    method = Method.from_entry(entry)
    kept = [columns for _, columns in found.kept("coefficients")]
    made = zip(found.added, plan.fits, strict=True)
    for number, ((_, held_out, part, _), fit) in enumerate(made):
        fitted = fit_method(method, table.rows(fit.train), y[fit.train], task, seed=0)
        y_pred, score, _ = fitted.predict(table.rows(fit.test))
        assert (held_out == fit.test).all()
        assert (part["y_pred"] == y_pred).all()
        np.testing.assert_allclose(part["score"], score, rtol=1e-9, atol=1e-9)
        ready = fitted.ready(table.rows(fit.test))
        known = coefficients.of_fit(fitted.estimator, fitted.transforms, ready, score)
        if known is None:
            assert not kept
            continue
        expected = np.column_stack([known.b, known.W]).ravel()
        np.testing.assert_allclose(kept[number]["value"], expected, rtol=1e-6, atol=1e-9)
        assert kept[number]["feature"] == [None, "b", "a", "c", "hits"] * 3


@each(("name", "params"), [
    ("linclass.Perceptron", {}),
    ("linclass.LogisticRegression", {"solver": "stochastic_gradient", "strength": 1e-3}),
    ("sklearn.linear_model.SGDClassifier", {"loss": "log_loss"}),
])  # fmt: skip
@each("steps", [["impute", "standardize"], ["impute"]], quick=1)
def test_methods_with_partial_fit_make_one_pass_over_the_training_rows(rows, name, params, steps):
    folder, X, y = rows
    entry = {"classifier": name, "params": params, "transforms": steps}
    plan = planned(y, repeats=1)
    found = ran(folder, obtained(folder), plan, entry)
    for (_, _, part, _), fit, made in zip(found.added, plan.fits, found.fits, strict=True):
        training = np.setdiff1d(np.arange(N), fit.test)
        moments = X[training].mean(axis=0), X[training].std(axis=0)
        mean, deviation = moments if "standardize" in steps else (0, 1)
        model = Method.from_entry(entry).estimator(made["seed"])
        for begin in range(0, N, ROWS):
            of_block = training[(training >= begin) & (training < begin + ROWS)]
            model.partial_fit((X[of_block] - mean) / deviation, y[of_block], classes=[0, 1, 2])
        expected = model.predict((X[fit.test] - mean) / deviation)
        assert np.mean(part["y_pred"] == expected) > 0.999  # means have other rounding errors


@each(("entry", "reason"), [
    ({"classifier": "linclass.LogisticRegression"}, "LogisticRegression needs them at once"),
    ({"classifier": "linclass.QuadraticDiscriminantAnalysis", "tune": {"shrinkage": [0, 1]}}, "`tune:`"),
    ({"classifier": "linclass.GaussianNB", "transforms": ["standardize"]}, "(standardize) would change"),
    ({"classifier": "linclass.GaussianNB", "features": ["quadratic"]}, "without `features:`"),
])  # fmt: skip
def test_a_method_that_needs_all_rows_in_memory_is_reported(rows, entry, reason):
    folder, _, y = rows
    found = ran(folder, obtained(folder), planned(y, repeats=1), entry)
    assert {fit["status"] for fit in found.fits} == {"not_applicable"}
    assert all(reason in fit["reason"] for fit in found.fits)


@each(("changes", "reason"), [
    ({"target": "sort"}, "no column 'sort'"),
    ({"target": "hits"}, "column 'kind' of"),
    ({"categorical": ["a"]}, "`categorical:` is not supported"),
    ({"classes": ["x", "y"]}, "must name every class"),
    ({"digest": "sha256:0"}, "its content has the digest"),
])  # fmt: skip
def test_data_that_cannot_be_read_in_blocks_are_unavailable(rows, changes, reason):
    with pytest.raises(Unavailable, match=reason):
        obtained(rows[0], **changes)


def test_the_digest_is_of_all_numbers_in_the_order_of_the_file(rows):
    folder, X, y = rows
    found = obtained(folder, drop=["c"], classes={"most": ["x", "z"], "rest": "y"})
    assert found.table.names == ("b", "a", "hits")
    assert (found.y == (y == 1)).all()
    content = repr(["b", "a", "hits"]).encode() + found.y.tobytes() + X[:, [0, 1, 3]].tobytes()
    assert found.digest == f"sha256:{hashlib.sha256(content).hexdigest()}"


PEAK = """
import sys
import numpy as np
from pathlib import Path
sys.path[:0] = [sys.argv[2], str(Path(sys.argv[2]).parent)]
import test_rows_in_their_file as tests
folder = Path(sys.argv[1])
data = tests.obtained(folder)
entry = {"classifier": "linclass.LinearDiscriminantAnalysis"}
found = tests.ran(folder, data, tests.planned(data.y, repeats=1), entry)
assert {fit["status"] for fit in found.fits} == {"converged"}
peak = next(int(s.split()[1]) for s in open("/proc/self/status") if s.startswith("VmHWM"))
print(peak / 1000, max(fit["peak_rss_mb"] for fit in found.fits))
"""


def _peaks(folder):
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(folder), str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ
        | {"POLARS_MAX_THREADS": "1", "MALLOC_ARENA_MAX": "1"},  # nothing is read ahead, or kept
    )
    return np.array(done.stdout.split()[-2:], float)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are read from /proc")
def test_memory_does_not_grow_with_the_features(tmp_path):
    """Eight times the rows, 400 MB of numbers more: only the results of each row grow."""
    rng = np.random.default_rng(0)
    peaks = []
    for n in (65_536, 8 * 65_536):
        columns = {f"x{j}": rng.integers(0, 9, n).astype(np.int8) for j in range(112)}
        kinds = np.array(["x", "y", "z"])[rng.integers(0, 3, n)]
        pl.DataFrame(columns).with_columns(kind=kinds).write_parquet(
            tmp_path / "rows.parquet", row_group_size=65_536
        )
        measured = [_peaks(tmp_path) for _ in range(3)]  # what other processes delay is held longer
        peaks.append(np.min(measured, axis=0))
    numbers = 7 * 65_536 * 112 * 8 / 1e6
    assert (peaks[1] - peaks[0] < numbers / 2).all(), peaks
