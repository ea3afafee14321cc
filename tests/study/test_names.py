"""A fit depends on its rows, its entry and its seed, not on the method's name or the methods that run before it."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from linclass.base.tables import Table
from linclass_study.data.dataset import Dataset
from linclass_study.execution.features import compute_features
from linclass_study.execution.fit_run import PlannedRun, SharedChild, fit_and_predict
from linclass_study.execution.folds import Plan
from linclass_study.execution.run_files import RunInputs
from linclass_study.files.yaml_file import parse_numbers, read_yaml

pytestmark = pytest.mark.usefixtures("in_process")

CATALOGUE = parse_numbers(read_yaml(Path(__file__).parents[2] / "config" / "methods.yaml"))
N = 60
LIMITS = {"fit_seconds": 60, "fit_memory_mb": 1000}
TASK = {"n_classes": 2, "classes": ["a", "b"], "positive": 1, "inner_folds": 2}
PLAN = Plan.of({("cv", 0): np.arange(N) // 2 % 2, ("cv", 1): np.arange(N) // 4 % 2})
FOREIGN = {
    "classifier": "sklearn.linear_model.SGDClassifier",  # draws from its random_state
    "tune": {"alpha": [1e-4, 1e-2, 1.0]},
    "transforms": ["standardize"],
}


def rows_for(entry):
    """Overlapping classes, so that other inner folds would tune to other values; texts for methods that count words."""
    y, rng = np.arange(N, dtype=np.int32) % 2, np.random.default_rng(7)
    table = Table(rng.gamma(3, size=(N, 3)) + 0.7 * y[:, None], ("u", "v", "w"))
    if "count_words" in entry.get("features", []):
        posts = [" ".join(rng.choice(["ape", "bee", "cat", "dog"][k:], 9)) for k in y]
        texts, codes = np.unique(posts, return_inverse=True)
        column = codes[:, None].astype(float)
        table = Table(column, ("post",), {"post": tuple(texts.tolist())}, frozenset(["post"]))
    return Dataset(table, y, np.zeros(N, np.int8), ["a", "b"])


def files_of_runs(entries, folder):
    """Method → its tables without the method's name and the times, all from one child process."""
    found = {}
    with SharedChild(LIMITS) as child:
        for name, entry in entries.items():
            features = folder / name / "features.npz"
            features.parent.mkdir(parents=True)
            compute_features(rows_for(entry), entry.get("features", [])).save(features)
            task = TASK | {"tune_metric": "accuracy", "tune_rule": "best"}
            run = PlannedRun("d", name, entry, str(features), PLAN, task, seed=1)
            fit_and_predict(run, child).write(folder / name, RunInputs("entry", "rows"))
            tables = {
                path.name: pl.read_parquet(path) for path in (folder / name).glob("*.parquet")
            }
            varying = ["method", "fit_seconds", "predict_seconds", "peak_rss_mb"]
            found[name] = {
                table: rows.drop(varying, strict=False) for table, rows in tables.items()
            }
    return found


@pytest.mark.slow
def test_every_method_of_the_catalogue_under_another_name_gives_the_same_results(tmp_path):
    entries = {**CATALOGUE, "foreign": FOREIGN}
    renamed = {f"{name}2": entries[name] for name in reversed(entries)}
    first = files_of_runs(entries, tmp_path / "first")
    second = files_of_runs(renamed, tmp_path / "second")
    assert [
        (name, table)
        for name, tables in first.items()
        for table in tables.keys() | second[f"{name}2"].keys()
        if not tables[table].equals(second[f"{name}2"][table])
    ] == []
