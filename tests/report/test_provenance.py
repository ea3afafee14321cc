"""The report names the environments of its fits, or states that they are unknown."""

import json
import shutil
import subprocess
from importlib.metadata import version

import pytest
from cases import each

from linclass_study.config.code import libraries_of_methods
from linclass_study.files.environment import NO_COMMIT, PACKAGES, commit, of_machines, record
from linclass_study.report import table
from linclass_study.report.provenance import commits, environments_of_machines, provenance

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments):
    author = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *author, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "a.py").write_text("1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


@needs_git
def test_a_changed_file_is_reported_but_not_in_the_repository_of_another_project(checkout):
    head = git(checkout, "rev-parse", "HEAD")[:12]
    assert commit(checkout) == head
    (checkout / "mystudy.yaml").write_text("results: r\n")  # a user's own file changes no program
    assert commit(checkout) == head
    (checkout / "a.py").write_text("2\n")
    assert commit(checkout) == f"{head}, with uncommitted changes"
    inner = checkout / "unpacked"
    inner.mkdir()
    assert commit(inner) == "not a git checkout"


def test_results_without_git_have_no_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(tmp_path) == "not a git checkout"


def test_versions_processor_and_linear_algebra_are_reported():
    reported = provenance()
    assert all(f"{name} {version(name)}" in reported["Packages"] for name in PACKAGES)
    assert "core" in reported["Cores"]
    assert "thread" in reported["Linear algebra"]
    assert all(reported.values())


@each(("seconds", "text"), [
    (0.0000042, "4.2 µs"),
    (0.0123, "12 ms"),
    (0.9999, "1 s"),
    (59.6, "60 s"),
    (150, "2.5 min"),
    (7300, "2.0 h"),
    (None, "–"),
])  # fmt: skip
def test_times_have_two_digits_and_a_unit(seconds, text):
    assert table.format_seconds(seconds) == text


@each(("value", "text"), [
    (0.98, "0.980"),
    (-0.25, "−0.250"),
    (-0.0001, "0.000"),
    (12345.0, "12,345"),
    (float("inf"), "∞"),
    (None, "–"),
])  # fmt: skip
def test_metrics_have_three_decimals(value, text):
    assert table.format_number(value) == text


def test_a_page_names_the_commits_of_its_fits_not_its_own(tmp_path):
    folder = tmp_path / "environment"
    folder.mkdir()
    for number, (machine, commit_) in enumerate(
        [("a", "1111"), ("a", "2222, with uncommitted changes"), ("b", NO_COMMIT)]
    ):
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
    entries = [
        {"classifier": "linclass.LogisticRegression", "params": {}},
        {"classifier": "my_package.Classifier"},
        {
            "classifier": "linclass.OneVsRest",
            "params": {"estimator": {"classifier": "sklearn.svm.LinearSVC"}},
        },
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
