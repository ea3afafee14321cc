"""A fit that fails is a row with its reason; the study continues, ends with exit code 0, and reports the failure."""

import re

import pytest

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
        self.blocks = [np.empty(20_000_000) for _ in range(1000)]  # at once, even on a busy machine


class DiesOnce(Raises):
    def misbehave(self):
        if not (flag := Path("died")).exists():
            flag.touch()
            ctypes.string_at(0)
'''
STUDY = """
datasets: [remote, text, gaussians]
methods: [majority, raises, hangs, eats, dies_once]
evaluation: {folds: 2}
limits: {fit_seconds: 3, fit_memory_mb: 600}
define:
  methods:
    raises: {classifier: misbehaving.Raises}
    hangs: {classifier: misbehaving.Hangs}
    eats: {classifier: misbehaving.EatsMemory}
    dies_once: {classifier: misbehaving.DiesOnce}
  datasets:
    remote:
      source: [{url: "http://127.0.0.1:9/nowhere.csv"}, {url: "http://127.0.0.1:9/b.csv"}]
      format: csv
      target: y
    text: {source: {file: text.csv}, target: y}
"""
ENDINGS = {  # of the fits on gaussians
    "raises": (["failed"] * 2, "RuntimeError: no luck with these rows"),
    "hangs": (["timeout"] * 2, "stopped after 3 s"),
    "eats": (["out_of_memory"] * 2, "limits.fit_memory_mb = 600"),
    "dies_once": (["failed", "converged"], "SIGSEGV"),  # in a new process
    "majority": (["converged"] * 2, ""),
}


@pytest.mark.slow
def test_failures_are_rows_with_reasons_and_an_unavailable_data_set_is_retried(project):
    def run(*target):
        output = project.snakemake(*target, http_proxy="", https_proxy="")
        assert output.code == 0, output.text
        return output

    project.write("misbehaving.py", ESTIMATORS)
    project.write("study.yaml", STUDY)
    rows = "".join(f"{i % 5},{'rgb'[i % 3]},{'ab'[i % 2]}\n" for i in range(24))
    project.write("text.csv", "u,v,y\n" + rows)
    output = run()
    for name, (statuses, reason) in ENDINGS.items():
        fits = project.fits("gaussians", name).sort("fold")
        assert fits["status"].to_list() == statuses
        assert reason in fits["reason"][0]
    assert set(project.fits("remote")["status"]) == {"unavailable"}
    assert project.fits("text", "raises")["status"].to_list() == ["not_applicable"] * 2
    assert "add one_hot" in project.fits("text", "raises")["reason"][0]

    total = output.jobs_in_all
    assert re.search(rf"^ *\d+ of {total} jobs +\d+% of the work", output.text, re.M)
    assert re.search(
        rf"^ *{total} of {total} jobs +100% of the work +nothing left", output.text, re.M
    )
    printed = output.text.strip().splitlines()
    answer = next(i for i, line in enumerate(printed) if line.startswith("Best accuracy"))
    before = "\n".join(printed[answer - 12 : answer])
    assert "unavailable: remote: " in before
    assert "no luck with these rows" in before
    assert "fits failed" in printed[-2]
    assert printed[-1] == "report: results/report.html"
    report = project.text("results/report.html")
    assert report.index("unavailable") < report.index("<table")
    assert "no luck with these rows" in report
    assert "SIGSEGV" in report

    again = run()
    assert again.jobs == {"retry": 1, "all": 1}
    assert "Available now" not in again.text
    numbers = rows.translate(str.maketrans("rg", "12")).replace(",b,", ",3,")
    project.write("downloads/nowhere.csv", "u,v,y\n" + numbers)  # as if the server had come back
    told = run()
    assert told.jobs == {"retry": 1, "all": 1}
    assert told.own_lines[-1].startswith("Available now: remote. Run the same command again")
    back = run("--", "results/fits.parquet")
    assert project.fits("remote", "majority")["status"].to_list() == ["converged"] * 2
    assert back.jobs["fetch"] == 1
