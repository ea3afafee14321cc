"""Modules of the user: their place on the path, and the files whose edits are noticed."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import spec_from_file_location
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import describe_study, read_study, write_study
from linclass_study.config import code, module_files
from linclass_study.config.code import own_modules

# The files of a study's own modules are recorded with it, so that others can run it again

FILES = {
    "models.py": "import shared\nclass Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): ...\n",
    "shared.py": "x = 1\n", "lab/__init__.py": "",
    "lab/steps.py": "from lab.base import low\nclass Clip:\n    def fit(self, X): ...\n",
    "lab/base.py": "low = 0\n", "lab/unused.py": "", "maps.py": "def double(X): return 2 * X\n",
    "scores.py": "def share(y_true, y_pred): return (y_true == y_pred).mean()\n", "beside.py": "",
}  # fmt: skip
METHODS = {
    "mine": {"classifier": "models.Mine", "transforms": ["impute", {"lab.steps.Clip": {}}]},
    "mapped": {"classifier": "sklearn.svm.LinearSVC", "features": ["maps.double", "quadratic"]},
    "plain": {"classifier": "linclass.LogisticRegression", "tune": {"strength": [0.1, 1]}},
}
RECORDED = [
    "lab/__init__.py", "lab/base.py", "lab/steps.py", "maps.py", "models.py", "scores.py", "shared.py"
]  # fmt: skip


@pytest.fixture
def study(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        monkeypatch.delitem(sys.modules, name.removesuffix(".py").replace("/", "."), raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    for cached in (module_files.files_of, code._read):
        cached.cache_clear()
    evaluation = {
        "tune_metric": "accuracy",
        "metrics": ["scores.share", "sklearn.metrics.f1_score"],
    }
    return SimpleNamespace(methods=METHODS, evaluation=evaluation)


def test_modules_that_entries_and_metrics_import_are_recorded_with_digests(study, tmp_path):
    assert [name for name, _, _ in own_modules(study.methods, study.evaluation)] == RECORDED
    before = own_modules(study.methods, study.evaluation)
    (tmp_path / "shared.py").write_text("x = 2\n")
    changed = [
        a[0]
        for a, b in zip(before, own_modules(study.methods, study.evaluation), strict=True)
        if a != b
    ]
    assert changed == ["shared.py"]


def test_a_module_on_the_path_has_its_place_below_the_study(study, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert not own_modules(study.methods, study.evaluation)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert [name for name, _, _ in own_modules(study.methods, study.evaluation)] == RECORDED


def test_only_yaml_files_with_equal_names_are_renamed(study, tmp_path):
    files = []
    for name in ("mya.yaml", "a.yaml", "other/a.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("methods: [mine]\n")
        files.append(tmp_path / name)
    outcome = Outcome(tmp_path, {}, METHODS, study.evaluation)
    assert describe_study(outcome, files).studies == [["mya.yaml", "a.yaml", "2-a.yaml"]]


def test_study_json_has_their_text_and_names_the_yaml_files_apart(study, tmp_path):
    (tmp_path / "mine.yaml").write_text("methods: [mine]\n")
    outcome = Outcome(tmp_path, {}, METHODS, study.evaluation)
    write_study(
        describe_study(outcome, ["mine.yaml"], own_modules(study.methods, study.evaluation))
    )
    found = read_study(tmp_path)
    assert found.studies == [["mine.yaml"]]
    assert found.files == {"mine.yaml": "methods: [mine]\n"} | {n: FILES[n] for n in RECORDED}


# The files behind an import, wherever Python finds it, without importing it

RUINOUS = "raise SystemExit('a file was run')\n"


@pytest.fixture
def found(monkeypatch, tmp_path):
    """Writes files, one folder of which is on PYTHONPATH, and gives those that count for a module."""
    (tmp_path / "study").mkdir()
    (tmp_path / "lib").mkdir()
    monkeypatch.chdir(tmp_path / "study")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "lib"), *sys.path])

    def files(module, contents=()):
        for place, text in dict(contents).items():
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).write_text(text + "\n" + RUINOUS)
        for known in (
            module_files.files_of,
            module_files._is_lazy,
            module_files._is_installed,
            code._read,
        ):
            known.cache_clear()
        counted, _ = code.closure([], [module])
        return {str(path.relative_to(tmp_path)) for path in counted}

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
