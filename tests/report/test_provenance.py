"""The report names the environments of its fits, or states that they are unknown."""

import json
import shutil
import subprocess
from importlib.metadata import version

import pytest

from linclass_study.config.code import libraries_of_methods
from linclass_study.files.environment import NO_COMMIT, PACKAGES, commit, of_machines, record
from linclass_study.report.provenance import commits, environments_of_machines, provenance


def git(folder, *arguments):
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    return subprocess.check_output(["git", *author, *arguments], cwd=folder, text=True).strip()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_changed_file_is_reported_but_not_in_the_repository_of_another_project(
    tmp_path, monkeypatch
):
    (tmp_path / "a.py").write_text("1\n")
    for command in ("init -q", "add a.py", "commit -q -m one"):
        git(tmp_path, *command.split())
    head = git(tmp_path, "rev-parse", "HEAD")[:12]
    assert commit(tmp_path) == head
    (tmp_path / "mystudy.yaml").write_text("results: r\n")  # a user's own file changes no program
    assert commit(tmp_path) == head
    (tmp_path / "a.py").write_text("2\n")
    assert commit(tmp_path) == f"{head}, with uncommitted changes"
    inner = tmp_path / "unpacked"
    inner.mkdir()
    assert commit(inner) == "not a git checkout"
    monkeypatch.setenv("PATH", str(inner))
    assert commit(tmp_path) == "not a git checkout"  # without git


def test_versions_processor_and_linear_algebra_are_reported():
    reported = provenance()
    assert all(f"{name} {version(name)}" in reported["Packages"] for name in PACKAGES)
    assert "core" in reported["Cores"]
    assert "thread" in reported["Linear algebra"]
    assert all(reported.values())


def test_a_page_names_the_commits_of_its_fits_not_its_own(tmp_path):
    folder = tmp_path / "environment"
    folder.mkdir()
    recorded = [("a", "1111"), ("a", "2222, with uncommitted changes"), ("b", NO_COMMIT)]
    for number, (machine, commit_) in enumerate(recorded):
        reported = {"Machine": machine, "Commit": commit_}
        (folder / f"{number}.json").write_text(json.dumps(reported))
    found = environments_of_machines(tmp_path, {"Written": "today", "Commit": "3333"})
    assert [one["Machine"] for one in found] == ["a", "b"]
    assert found[0]["Written"] == "today"
    assert commits(found) == {"1111": False, "2222": True}


def test_packages_of_methods_are_recorded_with_those_that_own_modules_import(tmp_path, monkeypatch):
    (tmp_path / "my_package.py").write_text("import json\nimport statsmodels.api\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    svm = {"classifier": "sklearn.svm.LinearSVC"}
    entries = [
        {"classifier": "linclass.LogisticRegression", "params": {}},
        {"classifier": "my_package.Classifier"},
        {"classifier": "linclass.OneVsRest", "params": {"estimator": svm}},
    ]
    found = libraries_of_methods(entries)
    assert found == {name: version(name) for name in ("scikit-learn", "statsmodels")}
    assert libraries_of_methods(entries[:1]) == {}


def test_packages_of_all_jobs_of_a_machine_add_up(tmp_path):
    record(tmp_path)
    record(tmp_path, {"numpy": "0", "xgboost": "2.1"})
    record(tmp_path, {"xgboost": "2.1", "lightgbm": "4.6"})
    (found,) = of_machines(tmp_path)
    assert found["Packages of methods"] == "lightgbm 4.6, xgboost 2.1"
    assert "numpy 0" not in found["Packages"]
    assert " or " not in found["Packages"]
