"""The files of a study's own modules are recorded with it, so that others can run it again."""

import sys
from types import SimpleNamespace

import pytest

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import describe_study, read_study, write_study
from linclass_study.config import code, module_files
from linclass_study.config.code import own_modules

FILES = {
    "models.py": "import shared\nclass Mine:\n    def fit(self, X, y): ...\n    def predict(self, X): ...\n",
    "shared.py": "x = 1\n",
    "lab/__init__.py": "",
    "lab/steps.py": "from lab.base import low\nclass Clip:\n    def fit(self, X): ...\n",
    "lab/base.py": "low = 0\n",
    "lab/unused.py": "",
    "maps.py": "def double(X): return 2 * X\n",
    "scores.py": "def share(y_true, y_pred): return (y_true == y_pred).mean()\n",
    "beside.py": "",
}
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
