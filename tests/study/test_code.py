"""The digest of a job's code covers the code that it runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from linclass.table import Table
from linclass_study.runs.feature_file import FeatureFile
from linclass_study.study import code, module_files
from linclass_study.study.yaml_file import read_yaml

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "workflow" / "scripts" / "cross_validate.py"
METHODS = read_yaml(ROOT / "config" / "methods.yaml")

RUN = """
import json, sys
import numpy as np
from linclass_study.runs.worker import Worker
worker = Worker(sys.argv[1], json.loads(sys.argv[2]), {"n_classes": 2, "positive": 1, "inner_folds": 2})
rows = np.arange(40)
worker((rows[::2], rows[1::2], 1, False))
files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
print(json.dumps([file for file in files if file]))
"""


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    """Two classes in two features, counts as every method takes them, in a file as a run reads it."""
    rng = np.random.default_rng(0)
    y = (np.arange(40) // 2 % 2).astype(np.int32)
    X = rng.poisson(2 + 2 * y[:, None], size=(40, 2)).astype(float)
    nothing = Table(np.empty((0, 0)), ())
    path = tmp_path_factory.mktemp("features") / "as_is.npz"
    FeatureFile(Table(X, ("u", "v")), y, (np.empty(0), np.empty(0)), nothing).save(path)
    return path


@pytest.mark.parametrize("method", METHODS)
def test_every_file_that_a_run_loads_is_counted(features, method):
    entry = METHODS[method]
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(features), json.dumps(entry)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    loaded = {Path(file) for file in json.loads(done.stdout)}
    ours = {
        f
        for f in loaded
        if f.is_relative_to(ROOT / "linclass") or f.is_relative_to(ROOT / "linclass_study")
    }
    counted, libraries = code.closure([SCRIPT], code.modules_of_method(entry, "accuracy"))
    child = {ROOT / "linclass_study/runs/worker.py", ROOT / "linclass_study/guarded_child.py"}
    assert ours | child <= counted, sorted(str(f) for f in (ours | child) - counted)
    top = entry["classifier"].partition(".")[0]
    assert libraries == ({top} - {"linclass"})


def test_our_own_classifiers_load_no_scikit_learn(features):
    for method in ("lda", "logistic", "perceptron"):
        run = RUN + "\nassert 'sklearn' not in sys.modules, 'scikit-learn is loaded'\n"
        arguments = [sys.executable, "-c", run, str(features), json.dumps(METHODS[method])]
        subprocess.run(arguments, capture_output=True, check=True)


def test_a_method_does_not_count_what_it_does_not_use():
    counted, _ = code.closure([], code.modules_of_method(METHODS["nearest_mean"], "accuracy"))
    names = {str(path.relative_to(ROOT)) for path in counted}
    assert "linclass/classifiers/nearest_mean.py" in names
    assert not [name for name in names if "/solvers/" in name or "/losses/" in name]


def test_relative_imports_and_packages_on_the_way_are_followed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "mine" / "inner"
    package.mkdir(parents=True)
    (tmp_path / "mine" / "__init__.py").write_text("")
    (package / "__init__.py").write_text("from . import other\n")
    (package / "other.py").write_text("from ..top import x\nimport numpy\n")
    (tmp_path / "mine" / "top.py").write_text("x = 1\n")
    module_files.files_of.cache_clear()
    found, _ = code.closure([], ["mine.inner"])
    assert {str(path.relative_to(tmp_path)) for path in found} == {
        "mine/__init__.py",
        "mine/inner/__init__.py",
        "mine/inner/other.py",
        "mine/top.py",
    }
