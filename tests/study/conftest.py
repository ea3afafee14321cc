"""Modules beside a study, and a results folder in which runs are computed."""

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from run_alone import TWICE

from linclass.base.tables import Table
from linclass.evaluation import metrics
from linclass_study.config import code, module_files
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.execution import features
from linclass_study.execution.folds import make_folds, write_folds


@pytest.fixture(autouse=True)
def _estimators_of_this_folder(monkeypatch):
    """Child processes find them."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=os.pathsep)


CACHES = (
    code._read, metrics.imported, module_files.files_of, module_files._is_installed, module_files._is_lazy
)  # fmt: skip


@pytest.fixture
def write_modules(tmp_path, monkeypatch):
    """Writes modules beside the study, in the present folder, and has them imported anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    def write(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
            module = name.removesuffix(".py").replace("/", ".")
            monkeypatch.delitem(sys.modules, module, raising=False)
        for cache in CACHES:
            cache.cache_clear()
        return tmp_path

    return write


@pytest.fixture
def results(tmp_path):
    """A results folder with the data, folds and features of one data set of two features."""
    rng = np.random.default_rng(5)
    y = (np.arange(60) % 2).astype(np.int32)
    table = Table(rng.normal(size=(60, 2)) + 1.5 * y[:, None], ("u", "v"))
    data = Dataset(table, y, np.zeros(60, np.int8), ["a", "b"], digest="d")
    (tmp_path / "data").mkdir()
    save_dataset(data, tmp_path / "data/d.npz", tmp_path / "data/d.json")
    write_folds(*make_folds(data, "d", TWICE), str(tmp_path / "folds/d.parquet"))
    grid = features.grid(table, y)
    features.FeatureFile(table, y, *grid).save(tmp_path / "features/d/as_is.npz")
    return tmp_path
