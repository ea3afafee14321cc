"""A fit that fails is a row with its reason; the study continues, ends with exit code 0, and reports the failure."""

import re

import pytest
from cases import each
from projects import copy

pytestmark = [pytest.mark.xdist_group("failures"), pytest.mark.full]  # one study for all of them

ESTIMATORS = '''
"""Estimators that misbehave on rows that are not iris (4 features), or in some folds only."""

import ctypes
import os
import sys
import time

import numpy as np


class Base:
    def __init__(self, only_after=0):
        self.only_after = only_after

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.first_ = self.classes_[0]
        if X.shape[1] == 2:
            self.misbehave()
        return self

    def predict(self, X):
        return np.full(len(X), self.first_)

    def misbehave(self):
        pass


class Raises(Base):
    def misbehave(self):
        raise RuntimeError("no luck with two features")


class Hangs(Base):
    def misbehave(self):
        time.sleep(1000)


class EatsMemory(Base):
    def misbehave(self):
        blocks = []
        while True:
            blocks.append(np.ones(20_000_000))


class Segfaults(Base):
    def misbehave(self):
        ctypes.string_at(0)


class Exits(Base):
    def misbehave(self):
        os._exit(0)


class ExitsPolitely(Base):
    def misbehave(self):
        sys.exit("I am done")


class Kills(Base):
    def misbehave(self):
        os.kill(os.getpid(), 9)
'''

ENDINGS = {
    "Raises": ("failed", "RuntimeError: no luck with two features"),
    "Hangs": ("timeout", "stopped after 3 s"),
    "EatsMemory": ("out_of_memory", "limits.fit_memory_mb = 600"),
    "Segfaults": ("failed", "SIGSEGV"),
    "Exits": ("failed", "ended the Python process itself, with exit code 0"),
    "ExitsPolitely": ("failed", "SystemExit: I am done"),
    "Kills": ("failed", "SIGKILL"),
}


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory):
    project = copy(tmp_path_factory.mktemp("misbehaved") / "project")
    project.write("misbehaving.py", ESTIMATORS)
    entries = "".join(f"    {name}: {{classifier: misbehaving.{name}}}\n" for name in ENDINGS)
    project.write(
        "study.yaml",
        f"datasets: [iris, gaussians]\nmethods: [majority, {', '.join(ENDINGS)}]\n"
        "evaluation: {folds: 2}\nlimits: {fit_seconds: 3, fit_memory_mb: 600}\n"
        f"define:\n  methods:\n{entries}",
    )
    output = project.snakemake()
    assert output.code == 0, output.text
    return project, output


@each("name", ENDINGS)
def test_a_fit_that_fails_is_a_row_with_its_reason_and_others_succeed(misbehaved, name):
    project, _ = misbehaved
    status, reason = ENDINGS[name]
    rows = project.fits("gaussians", name)
    assert rows["status"].to_list() == [status] * 2
    assert all(reason in text for text in rows["reason"]), rows["reason"].to_list()
    assert project.fits("iris", name)["status"].to_list() == ["converged"] * 2


def test_terminal_and_report_show_the_failures_and_how_much_is_done(misbehaved):
    project, output = misbehaved
    total = output.jobs_in_all
    for line in (
        rf"\d+ of {total} jobs +\d+% of the work",
        rf"{total} of {total} jobs +100% of the work +nothing left",
    ):
        assert re.search(rf"^ *{line}", output.text, flags=re.M)
    last = output.text.strip().splitlines()[-15:]
    assert last[-1] == "report: results/report.html"
    assert "fits failed" in last[-2]
    assert any("no luck with two features" in line for line in last)
    report = project.text("results/report.html")
    assert "no luck with two features" in report
    assert "SIGSEGV" in report


@pytest.mark.slow
def test_a_run_continues_in_a_new_process_after_a_fit_killed_its_process(project):
    project.write(
        "fragile.py",
        ESTIMATORS
        + "\n\nclass DiesOnce(Base):\n"
        + "    def misbehave(self):\n"
        + "        flag = 'died'\n"
        + "        if not os.path.exists(flag):\n"
        + "            open(flag, 'w').close()\n"
        + "            ctypes.string_at(0)\n",
    )
    project.write(
        "study.yaml",
        "datasets: [gaussians]\nmethods: [once]\nevaluation: {folds: 3}\n"
        "define: {methods: {once: {classifier: fragile.DiesOnce}}}\n",
    )
    assert project.snakemake().code == 0
    assert project.fits()["status"].to_list() == ["failed", "converged", "converged"]


@pytest.mark.slow
def test_an_unavailable_data_set_is_recorded_retried_and_fitted_once_available(project):
    url = "http://127.0.0.1:9/nowhere.csv"
    project.write(
        "study.yaml",
        "datasets: [iris, remote]\nmethods: [majority]\nevaluation: {folds: 2}\n"
        "define: {datasets: {remote: {source: [{url: '"
        + url
        + "'}, {url: 'http://127.0.0.1:9/b.csv'}], "
        "format: csv, target: y}}}\n",
    )
    output = project.snakemake(http_proxy="", https_proxy="")
    assert output.code == 0, output.text
    assert project.fits("remote")["status"].to_list() == ["unavailable"] * 2
    assert project.fits("iris")["status"].to_list() == ["converged"] * 2
    printed = output.text.splitlines()
    answer = next(i for i, line in enumerate(printed) if line.startswith("Best accuracy"))
    assert printed[answer - 1].startswith("unavailable: remote: ")
    report = project.text("results/report.html")
    assert report.index("unavailable") < report.index("<table")

    assert project.plan().jobs == {"retry": 1, "all": 1}
    again = project.snakemake(http_proxy="", https_proxy="")
    assert again.code == 0, again.text
    assert again.jobs == {"retry": 1, "all": 1}
    assert "Available now" not in again.text

    rows = "".join(f"{i % 5},{i % 3},{'ab'[i % 2]}\n" for i in range(24))
    project.write("downloads/nowhere.csv", "u,v,y\n" + rows)  # as if the server had come back
    told = project.snakemake(http_proxy="", https_proxy="")
    assert told.jobs == {"retry": 1, "all": 1}, told.text
    assert told.own_lines[-1].startswith("Available now: remote. Run the same command again")
    back = project.snakemake(http_proxy="", https_proxy="")
    assert back.code == 0, back.text
    assert project.fits("remote")["status"].to_list() == ["converged"] * 2
    assert back.jobs["fetch"] == 1
    assert project.plan().nothing_to_do


def test_errors_found_in_the_data_are_recorded_with_a_clear_reason(project):
    good = "".join(f"{i % 7},{(3 * i) % 5},{'ab'[i % 2]}\n" for i in range(24))
    project.write("good.csv", "u,v,y\n" + good)
    project.write("one_class.csv", "u,v,y\n" + good.replace("b", "a"))
    project.write(
        "text.csv",
        "u,v,w,y\n" + "".join(f"{i},{i % 3},{'rg'[i % 2]},{'ab'[i % 2]}\n" for i in range(24)),
    )
    project.write("gaps.csv", "u,v,y\n" + good.replace("\n0,", "\n,"))
    project.write("few.csv", "u,v,y\n" + good.replace("b", "a", 10))
    names = dict.fromkeys(("good", "one_class", "text", "gaps", "few"), "target: y")
    names["lost"] = "target: y, classes: [a, z]"
    files = {name: "good" if name == "lost" else name for name in names}
    sources = {name: f"{{file: {file}.csv}}" for name, file in files.items()}
    sources["lost"] = "[{file: good.csv}, {file: absent.csv}]"  # of several none is read beforehand
    entries = "".join(
        f"    {name}: {{source: {sources[name]}, format: csv, {target}}}\n"
        for name, target in names.items()
    )
    project.write(
        "study.yaml",
        f"datasets: [{', '.join(names)}]\nmethods: [bare]\nevaluation: {{folds: 3}}\n"
        f"define:\n  methods: {{bare: {{classifier: linclass.NearestMean}}}}\n  datasets:\n{entries}",
    )
    output = project.snakemake("--", "results/fits.parquet")
    assert output.code == 0, output.text
    endings = {
        name: (set(project.fits(name)["status"]), project.fits(name)["reason"][0]) for name in names
    }
    assert endings["good"][0] == {"converged"}
    for name, status, words in [
        ("one_class", "unavailable", "class"),
        ("lost", "unavailable", "'z'"),
        ("text", "not_applicable", "add one_hot"),
        ("gaps", "not_applicable", "add impute"),
        ("few", "not_applicable", "folds"),
    ]:
        assert endings[name][0] == {status}, (name, endings[name])
        assert words in endings[name][1], (name, endings[name])
