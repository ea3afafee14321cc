"""A fit that fails is a row with its reason; the study continues, ends with exit code 0, and reports the failure."""

import re

import pytest
from cases import each
from projects import copy

pytestmark = [pytest.mark.xdist_group("failures"), pytest.mark.full]  # one study for all of them

ESTIMATORS = '''
"""Estimators that misbehave; tests/study/test_guard.py has every way in which a fit may end."""

import ctypes
import time
from pathlib import Path

import numpy as np


class Raises:
    def fit(self, X, y):
        self.most_ = y[0]
        self.misbehave()
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)

    def misbehave(self):
        raise RuntimeError("no luck with these rows")


class Hangs(Raises):
    def misbehave(self):
        time.sleep(1000)


class EatsMemory(Raises):
    def misbehave(self):
        blocks = []
        while True:
            blocks.append(np.empty(20_000_000))  # at once, even on a busy machine


class Segfaults(Raises):
    def misbehave(self):
        ctypes.string_at(0)


class DiesOnce(Raises):
    def misbehave(self):
        if not (flag := Path("died")).exists():
            flag.touch()
            ctypes.string_at(0)
'''

ENDINGS = {
    "Raises": (["failed"] * 2, "RuntimeError: no luck with these rows"),
    "Hangs": (["timeout"] * 2, "stopped after 3 s"),
    "EatsMemory": (["out_of_memory"] * 2, "limits.fit_memory_mb = 600"),
    "Segfaults": (["failed"] * 2, "SIGSEGV"),
    "DiesOnce": (["failed", "converged"], "SIGSEGV"),  # in a new process
    "majority": (["converged"] * 2, ""),
}


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory):
    project = copy(tmp_path_factory.mktemp("misbehaved") / "project")
    project.write("misbehaving.py", ESTIMATORS)
    entries = "".join(
        f"    {name}: {{classifier: misbehaving.{name}}}\n" for name in [*ENDINGS][:-1]
    )
    project.write(
        "study.yaml",
        f"datasets: [gaussians]\nmethods: [{', '.join(ENDINGS)}]\n"
        "evaluation: {folds: 2}\nlimits: {fit_seconds: 3, fit_memory_mb: 600}\n"
        f"define:\n  methods:\n{entries}",
    )
    output = project.snakemake()
    assert output.code == 0, output.text
    return project, output


@each("name", ENDINGS)
def test_a_fit_that_fails_is_a_row_with_its_reason_and_others_succeed(misbehaved, name):
    project, _ = misbehaved
    statuses, reason = ENDINGS[name]
    rows = project.fits("gaussians", name).sort("fold")
    assert rows["status"].to_list() == statuses
    assert reason in rows["reason"][0]


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
    assert any("no luck with these rows" in line for line in last)
    report = project.text("results/report.html")
    assert "no luck with these rows" in report
    assert "SIGSEGV" in report


SOURCES = """
datasets: [remote, text]
methods: [bare]
evaluation: {folds: 2}
define:
  methods: {bare: {classifier: linclass.NearestMean}}
  datasets:
    remote:
      source: [{url: "http://127.0.0.1:9/nowhere.csv"}, {url: "http://127.0.0.1:9/b.csv"}]
      format: csv
      target: y
    text: {source: {file: text.csv}, target: y}
"""


@pytest.mark.slow
def test_an_unavailable_data_set_is_recorded_retried_and_fitted_once_available(project):
    project.write("study.yaml", SOURCES)
    rows = "".join(f"{i % 5},{'rgb'[i % 3]},{'ab'[i % 2]}\n" for i in range(24))
    project.write("text.csv", "u,v,y\n" + rows)
    output = project.snakemake(http_proxy="", https_proxy="")
    assert output.code == 0, output.text
    assert project.fits("remote")["status"].to_list() == ["unavailable"] * 2
    assert project.fits("text")["status"].to_list() == ["not_applicable"] * 2
    assert "add one_hot" in project.fits("text")["reason"][0]
    printed = output.text.splitlines()
    answer = next(i for i, line in enumerate(printed) if line.startswith("Best accuracy"))
    assert any(line.startswith("unavailable: remote: ") for line in printed[answer - 6 : answer])
    report = project.text("results/report.html")
    assert report.index("unavailable") < report.index("<table")

    again = project.snakemake(http_proxy="", https_proxy="")
    assert again.code == 0, again.text
    assert again.jobs == {"retry": 1, "all": 1}
    assert "Available now" not in again.text

    numbers = rows.translate(str.maketrans("rg", "12")).replace(",b,", ",3,")
    project.write("downloads/nowhere.csv", "u,v,y\n" + numbers)  # as if the server had come back
    told = project.snakemake(http_proxy="", https_proxy="")
    assert told.jobs == {"retry": 1, "all": 1}, told.text
    assert told.own_lines[-1].startswith("Available now: remote. Run the same command again")
    back = project.snakemake("--", "results/fits.parquet", http_proxy="", https_proxy="")
    assert back.code == 0, back.text
    assert project.fits("remote")["status"].to_list() == ["converged"] * 2
    assert back.jobs["fetch"] == 1
