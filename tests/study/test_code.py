"""The digest of a job's code covers the code that it runs; own modules are recorded with a study."""

import json
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import numpy as np
import pytest
from cases import EXTENTS, each
from run_alone import rows_file

from linclass.base.tables import Table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import describe_study, read_study, write_study
from linclass_study.config import code
from linclass_study.config.code import own_modules
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT

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
    unused = ("/solvers/", "/losses/", "/metrics/confusion")
    assert not [name for name in names if any(part in name for part in unused)]
    counted, _ = code.closure([], code.modules_of_method(METHODS["logistic"], "accuracy"))
    names = {path.stem for path in counted if path.is_relative_to(ROOT / "linclass_study")}
    assert {"worker", "fitting", "features"} <= names
    unwanted = {
        "fit_run", "fit_jobs", "fit_store", "fit_forecast", "job_plan", "run_files", "tables", "folds", "run", "study",
    }  # fmt: skip
    assert unwanted <= {path.stem for path in (ROOT / "linclass_study").rglob("*.py")}
    assert not names & unwanted


def test_a_new_version_of_a_library_that_an_own_module_imports_is_new_code(
    write_modules, monkeypatch
):
    write_modules({"with_library.py": "import json\nfrom statsmodels.api import OLS\n"})
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


@each(("old", "new", "same"), [
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
def test_comments_docstrings_and_formatting_are_not_code(write_modules, old, new, same):
    digests = []
    for text in (SOURCE, SOURCE.replace(old, new)):
        write_modules({"formatted.py": text})
        digests.append(code.code_digest([], ["formatted"]))
    assert SOURCE.replace(old, new) != SOURCE
    assert (digests[0] == digests[1]) == same


def test_docstrings_count_in_a_module_that_reads_them(write_modules):
    digests = set()
    for words in ("one", "two"):
        write_modules({"reads.py": f'"""{words}"""\nGRAMMAR = __doc__\n'})
        digests.add(code.code_digest([], ["reads"]))
    assert len(digests) == 2


# The files of a study's own modules are recorded with it, so that others can run it again

FILES = {
    "models.py": "import shared\nclass Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): ...\n",
    "shared.py": "x = 1\n", "lab/__init__.py": "",
    "lab/steps.py": "from lab.base import low\nclass Clip:\n    def fit(self, X): ...\n",
    "lab/base.py": "low = 0\n", "lab/unused.py": "", "maps.py": "def double(X): return 2 * X\n",
    "scores.py": "def share(y_true, y_pred): return (y_true == y_pred).mean()\n", "beside.py": "",
}  # fmt: skip
OWN_METHODS = {
    "mine": {"classifier": "models.Mine", "transforms": ["impute", {"lab.steps.Clip": {}}]},
    "mapped": {"classifier": "sklearn.svm.LinearSVC", "features": ["maps.double", "quadratic"]},
    "plain": {"classifier": "linclass.LogisticRegression", "tune": {"strength": [0.1, 1]}},
}
RECORDED = [
    "lab/__init__.py", "lab/base.py", "lab/steps.py", "maps.py", "models.py", "scores.py", "shared.py"
]  # fmt: skip


@pytest.fixture
def study(write_modules, monkeypatch):
    write_modules(FILES)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    evaluation = {
        "tune_metric": "accuracy",
        "metrics": ["scores.share", "sklearn.metrics.f1_score"],
    }
    return SimpleNamespace(methods=OWN_METHODS, evaluation=evaluation)


def test_modules_that_entries_and_metrics_import_are_recorded_with_digests(study, tmp_path):
    before = own_modules(study.methods, study.evaluation)
    assert [name for name, _, _ in before] == RECORDED
    (tmp_path / "shared.py").write_text("x = 2\n")
    now = own_modules(study.methods, study.evaluation)
    assert [a[0] for a, b in zip(before, now, strict=True) if a != b] == ["shared.py"]


def test_a_module_on_the_path_has_its_place_below_the_study(study, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert not own_modules(study.methods, study.evaluation)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert [name for name, _, _ in own_modules(study.methods, study.evaluation)] == RECORDED


def test_study_json_has_the_texts_of_modules_and_renames_yaml_files_of_equal_names(study, tmp_path):
    texts = {"mya.yaml": "methods: [mine]\n", "a.yaml": "# a\n", "other/a.yaml": "# other\n"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    outcome = Outcome(tmp_path, {}, OWN_METHODS, study.evaluation)
    write_study(describe_study(outcome, list(texts), own_modules(study.methods, study.evaluation)))
    found = read_study(tmp_path)
    assert found.studies == [["mya.yaml", "a.yaml", "2-a.yaml"]]
    written = dict(zip(found.studies[0], texts.values(), strict=True))
    assert found.files == written | {name: FILES[name] for name in RECORDED}


# The files behind an import, wherever Python finds it, without importing it

RUINOUS = "raise SystemExit('a file was run')\n"


@pytest.fixture
def found(write_modules, tmp_path, monkeypatch):
    """Writes files below `study` and below `lib`, which is on the path, and gives those that count for a module."""

    def files(module, contents=()):
        write_modules({name: f"{text}\n{RUINOUS}" for name, text in dict(contents).items()})
        counted, _ = code.closure([], [module])
        return {str(path.relative_to(tmp_path)) for path in counted}

    for folder in ("study", "lib"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib"), *sys.path])
    return files


PACKAGE = {
    "lib/package/__init__.py": "from .one import One",
    "lib/package/one.py": "from .inner.two import Two",
    "lib/package/three.py": "",
    "lib/package/inner/two.py": "from ..four import x",  # a folder without __init__.py
    "lib/package/four.py": "import numpy",
}
LAZY = "def __getattr__(name): ..."
ATTACHED = "__getattr__, __dir__, __all__ = attach(__name__)"


@pytest.mark.parametrize(("module", "contents", "others"), [
    ("a", {"lib/a.py": "import near, json, numpy", "lib/near.py": "", "lib/far.py": ""}, {"lib/far.py"}),
    ("a", {"lib/a.py": "", "study/a.py": ""}, {"lib/a.py"}),  # the folder of the study comes first
    ("package", PACKAGE, {"lib/package/three.py"}),
    ("package.three", PACKAGE, {}),
    ("space.a", {"lib/space/a.py": "from .b import B", "lib/space/b.py": ""}, {}),
    *(("late", {"lib/late/__init__.py": lazy, "lib/late/inner/part.py": ""}, {}) for lazy in (LAZY, ATTACHED)),
    ("thing", {"lib/thing.py": "", "lib/thing-2.5.dist-info/METADATA": ""},  # counts by its version
        {"lib/thing.py", "lib/thing-2.5.dist-info/METADATA"}),
    *((name, {}, {}) for name in ("sklearn.linear_model", "json", "sys", "no_such_module")),
])  # fmt: skip
def test_all_files_that_an_import_would_run_count_and_no_others(found, module, contents, others):
    assert found(module, contents) == contents.keys() - {*others}
    assert code.closure([], ["thing"])[1] == {"thing"}


def test_an_editable_install_counts_with_its_files(found, tmp_path, monkeypatch):
    """As setuptools and others do it: a finder that knows where the package's folder is."""
    source = tmp_path / "source" / "edited"
    source.mkdir(parents=True)
    (source / "__init__.py").write_text("from edited.part import Part\n" + RUINOUS)
    (source / "part.py").write_text(RUINOUS)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            here = source / "__init__.py"
            return spec_from_file_location(name, here) if name == "edited" else None

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder])
    assert found("edited") == {"source/edited/__init__.py", "source/edited/part.py"}


def test_compiled_modules_and_archives_count_as_they_are(found, tmp_path, monkeypatch):
    suffix = EXTENSION_SUFFIXES[0]
    (tmp_path / "lib" / f"fast{suffix}").write_bytes(b"\x00")
    assert found("fast") == {f"lib/fast{suffix}"}
    with ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed.py", RUINOUS)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packed.zip"), *sys.path])
    assert found("packed") == {"packed.zip"}
