"""A candidate of the tuning that fails is in tuning.parquet with its reason, on the page and in the terminal."""

import json
import re
from dataclasses import replace
from html import unescape

import numpy as np
from studies import Data, Method, finish

from linclass.base.tables import Table
from linclass_study.analysis.answer import answer
from linclass_study.analysis.fit_problems import failed_candidates
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.tuned_values import write_tuned, write_tuned_table
from linclass_study.execution import fit_outcome
from linclass_study.files.tables import frame, write_table
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method as LinclassMethod

WHY = "InvalidParameterError: C must be a float in the range (0, inf)."


def tuned(outcome, dataset, method, failures):
    """tuning.parquet of two folds: candidate C → why it failed in each fold, or None."""
    rows = [
        {
            "dataset": dataset, "method": method, "protocol": "cv", "repeat": 0, "fold": fold,
            "params": json.dumps({"C": C}), "mean": None if why[fold] else 0.8, "n": 5, "chosen": C == 1.0,
            "failure": why[fold],
        }
        for fold in range(2)
        for C, why in failures.items()
    ]  # fmt: skip
    path = outcome.results / "runs" / dataset / method / "tuning.parquet"
    write_table(frame("tuning", rows), "tuning", path)


def test_a_candidate_that_raises_keeps_its_reason():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    table = Table(rng.normal(size=(60, 2)) + y[:, None], ("a", "b"))
    entry = {"classifier": "sklearn.svm.LinearSVC", "tune": {"C": [-1.0, 1.0]}}
    fitted = fit_method(LinclassMethod.from_entry(entry), table, y, Task(2, 1), 0)
    columns = fit_outcome.tuning(fitted.candidates)
    assert columns["chosen"] == [False, True]
    assert columns["mean"][0] is None
    assert columns["failure"][0].startswith("InvalidParameterError: The 'C' parameter of LinearSVC")
    assert columns["failure"][1] is None


def test_failed_candidates_are_on_the_page_and_in_the_terminal(make):
    outcome = make({"d": Data(), "e": Data()}, {"svm": Method(), "lda": Method()}, folds=2)
    both = (WHY, WHY)
    for dataset in ("d", "e"):
        tuned(outcome, dataset, "svm", {-2.0: both, -1.0: both, 1.0: (None, None)})
    (found,) = failed_candidates(outcome)
    assert (found.method, found.candidates) == ("svm", ("C=-2.0", "C=-1.0"))
    assert (found.datasets, found.fits, found.reason) == (("d", "e"), 4, WHY)
    line = f"left out of the tuning: C=-2.0, C=-1.0 of svm on d, e (4 fits): {WHY}"
    assert line in answer(outcome, "report.html").splitlines()
    page = " ".join(unescape(re.sub("<[^>]+>", " ", finish(outcome))).split())
    assert "Candidates of the tuning failed: svm tuned over the remaining candidates." in page
    table = page[page.rindex("Candidates of the tuning that failed") :]
    assert table.index("C=-2.0; C=-1.0") < table.index(WHY)


def test_reasons_that_differ_in_numbers_are_one_and_other_reasons_another(make):
    outcome = make({"d": Data()}, {"svm": Method(), "lda": Method()}, folds=2)
    tuned(outcome, "d", "svm", {1.0: ("5 rows", "6 rows"), 2.0: ("no rows", None)})
    found = {one.reason: one for one in failed_candidates(outcome)}
    assert {reason: one.fits for reason, one in found.items()} == {"5 rows": 2, "no rows": 1}


def test_tuning_of_a_run_is_read_once_for_answer_and_page(make, monkeypatch):
    outcome = make({"d": Data(), "e": Data()}, {"svm": Method(), "lda": Method()}, folds=2)
    for dataset in ("d", "e"):
        tuned(outcome, dataset, "svm", {-1.0: (WHY, WHY), 1.0: (None, None)})
    read = []
    kept = Outcome.run_table
    monkeypatch.setattr(
        Outcome, "run_table", lambda self, *given: read.append(given) or kept(self, *given)
    )
    for dataset in ("d", "e"):
        write_tuned(replace(outcome), dataset)
    write_tuned_table(replace(outcome))
    assert WHY in answer(replace(outcome), "report.html")
    assert WHY in unescape(finish(replace(outcome)))
    tables = [given for given in read if given[0] == "tuning"]
    assert sorted(tables) == [
        ("tuning", dataset, method) for dataset in ("d", "e") for method in ("lda", "svm")
    ]
