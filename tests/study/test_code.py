"""The digest of a job's code covers the code that it runs."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import EXTENTS
from run_alone import rows_file

from linclass.base.tables import Table
from linclass_study.config import code, module_files
from linclass_study.files.yaml_file import read_yaml

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "workflow" / "scripts" / "cross_validate.py"
METHODS = read_yaml(ROOT / "config" / "methods.yaml")
OWN = ("lda", "logistic", "perceptron")

RUN = """
import json, os, sys
import numpy as np
from linclass_study.execution.worker import Worker

def run(entry):
    worker = Worker(sys.argv[1], entry, {"n_classes": 2, "positive": 1, "inner_folds": 2})
    rows = np.arange(40)
    worker.folds((rows, rows[1::2], 1, False))
    files = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return [file for file in files if file]

for name, entry in json.load(sys.stdin).items():
    if (child := os.fork()) == 0:  # has loaded what every run loads, and nothing of another method
        print(json.dumps([name, run(entry)]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    """Two classes in two features, counts as every method takes them, in a file as a run reads it."""
    rng = np.random.default_rng(0)
    y = (np.arange(40) // 2 % 2).astype(np.int32)
    X = rng.poisson(2 + 2 * y[:, None], size=(40, 2)).astype(float)
    return rows_file(tmp_path_factory.mktemp("features"), Table(X, ("u", "v")), y)


@pytest.mark.parametrize("extent", EXTENTS)
def test_every_file_that_a_run_loads_is_counted(features, extent):
    methods = (
        list(METHODS) if extent == "full" else [*OWN, "sklearn_logistic", *list(METHODS)[::15]]
    )
    command = [sys.executable, "-c", RUN, str(features)]
    entries = json.dumps({name: METHODS[name] for name in methods})
    done = subprocess.run(command, input=entries, capture_output=True, text=True, check=True)
    loaded = {
        name: set(map(Path, files)) for name, files in map(json.loads, done.stdout.splitlines())
    }
    assert loaded.keys() == set(methods), done.stderr
    homes = ROOT / "linclass", ROOT / "linclass_study"
    child = {
        ROOT / "linclass_study/execution/worker.py",
        ROOT / "linclass_study/processes/guarded_child.py",
    }
    for method, files in loaded.items():
        ours = child | {f for f in files if any(f.is_relative_to(home) for home in homes)}
        entry = METHODS[method]
        counted, libraries = code.closure([SCRIPT], code.modules_of_method(entry, "accuracy"))
        assert len(ours) > 3
        assert ours <= counted, (method, sorted(str(f) for f in ours - counted))
        assert libraries == ({entry["classifier"].partition(".")[0]} - {"linclass"})


def test_digests_ignore_unused_code_and_the_code_that_plans_or_writes():
    counted, _ = code.closure([], code.modules_of_method(METHODS["nearest_mean"], "accuracy"))
    names = {str(path.relative_to(ROOT)) for path in counted}
    assert "linclass/discriminant/nearest_mean.py" in names
    assert not [name for name in names if "/solvers/" in name or "/losses/" in name]
    counted, _ = code.closure([], code.modules_of_method(METHODS["logistic"], "accuracy"))
    names = {path.stem for path in counted if path.is_relative_to(ROOT / "linclass_study")}
    assert {"worker", "fitting", "feature_file"} <= names
    assert not names & {
        "records", "tables", "run_files", "run_spec", "run", "folds", "jobs", "study",
    }  # fmt: skip


def test_a_new_version_of_a_library_that_an_own_module_imports_is_new_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "with_library.py").write_text("import json\nfrom statsmodels.api import OLS\n")
    before = code.code_digest([], ["with_library"])
    monkeypatch.setattr(code, "_version", lambda name: "99")
    assert code.code_digest([], ["with_library"]) != before


SOURCE = '''"""About it."""

class A:
    """More about it."""

    def f(self, x, y=None):
        """Even more."""
        return {"a": x, **y} if y else x[1:]
'''


@pytest.mark.parametrize(("old", "new", "same"), [
    ("Even more.", "Another sentence.", True),
    ('        """Even more."""\n', "", True),
    ("        return", "        # a comment\n        return", True),
    ("def f(self, x, y=None):", "def f(\n        self, x,\n        y=None,\n    ):", True),
    ('"a"', "'a'", True),
    ('"a"', '"b"', False),
    ("x[1:]", "x[:1]", False),
    ("if y", "if x", False),
    ("**y", "'y': y", False),
    ("y=None", "*, y=None", False),
    ("return", "yield", False),
])  # fmt: skip
def test_comments_docstrings_and_formatting_are_not_code(tmp_path, monkeypatch, old, new, same):
    monkeypatch.chdir(tmp_path)
    digests = []
    for text in (SOURCE, SOURCE.replace(old, new)):
        (tmp_path / "formatted.py").write_text(text)
        module_files.files_of.cache_clear()
        code._read.cache_clear()
        digests.append(code.code_digest([], ["formatted"]))
    assert SOURCE.replace(old, new) != SOURCE
    assert (digests[0] == digests[1]) == same


def test_docstrings_count_in_a_module_that_reads_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    digests = set()
    for words in ("one", "two"):
        (tmp_path / "reads.py").write_text(f'"""{words}"""\nGRAMMAR = __doc__\n')
        module_files.files_of.cache_clear()
        code._read.cache_clear()
        digests.add(code.code_digest([], ["reads"]))
    assert len(digests) == 2
