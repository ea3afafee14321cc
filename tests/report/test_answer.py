"""The terminal's last lines: every problem once, then the best method of each data set, the fits and the report."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest
from cases import each
from studies import Data, Method

from linclass_study.analysis.answer import (
    BEST_LINES,
    LINES,
    answer,
    best_lines,
    counts_line,
    shortened,
)
from linclass_study.analysis.fit_problems import fit_problems
from linclass_study.analysis.verdict import dataset_verdict
from linclass_study.report.contents import TABLES

TEXT = ("not_applicable", "needs numeric columns; 'famhist' is text. Add one_hot.")


def lines(outcome):
    return answer(outcome, "results/report.html").splitlines()


@pytest.mark.parametrize(
    ("metric", "words"), [("auc", "AUC"), ("f1", "F1"), ("log_loss", "log loss")]
)
def test_metrics_have_their_usual_capitals(make, metric, words):
    outcome = make({"d": Data()}, {"a": Method(2.0), "b": Method()}, folds=3)
    outcome.evaluation["tune_metric"] = metric
    assert best_lines(outcome)[0].startswith(f"Best {words} (mean")
    assert ("; less is better):" in best_lines(outcome)[0]) is (metric == "log_loss")
    assert f"the best {words} on d" in lines(outcome)[0]
    table = TABLES["answer"](outcome)
    assert words[0].upper() + words[1:] in [column.title for column in table.columns]


def test_the_answer_on_one_data_set_is_one_line_with_its_confidence(make):
    outcome = make({"d": Data()}, {"bad": Method(0.0), "good": Method(4.0)}, folds=5)
    best, sure, found, fits, report = lines(outcome)
    assert best.startswith("good has the best accuracy on d, 0.9")
    assert sure == "It is clearly the best."
    assert found.startswith("Best accuracy (mean ± sd, 5 folds): d: good 0.9")
    assert (fits, report) == ("10 fits, all of them succeeded", "report: results/report.html")


def test_the_answer_on_several_data_sets_is_a_table_and_ends_with_that_across_them(make):
    data = {f"d{i}": Data(rows=60) for i in range(6)}
    outcome = make(data, {"bad": Method(0.0), "good": Method(4.0)}, folds=3)
    best, sure, title, *_ = lines(outcome)
    assert best.startswith("good ranks first of 2 methods by accuracy over 6 independent data sets")
    assert sure == "It is significantly better than bad; clearly the best on 6 of 6 data sets."
    assert title.startswith("Best accuracy")
    few = make({"d": Data(), "e": Data()}, {"bad": Method(0.0), "good": Method(4.0)}, name="few")
    assert lines(few)[0] == "good is the best by accuracy on 2 of 2 data sets."
    outcome = make({"d": Data(), "longer": Data()}, {"bad": Method(0.0), "good": Method(4.0)})
    title, d, longer = best_lines(outcome)
    assert title == "Best accuracy (mean ± sd, 5 folds):"
    assert re.fullmatch(r"  d       0\.9\d\d ± 0\.\d\d\d  good", d)
    assert re.fullmatch(r"  longer  0\.9\d\d ± 0\.\d\d\d  good", longer)


def test_methods_that_equal_the_best_and_many_data_sets_are_cut_in_the_terminal(make):
    outcome = make({"d": Data()}, {"one": Method(50.0), "low": Method(0.0), "two": Method(50.0)})
    verdict = dataset_verdict(outcome, "d")
    assert (verdict.best, verdict.mean) == (["one", "two"], 1.0)
    assert "d: one (= two) 1.000 ± 0.000" in best_lines(outcome)[0]
    outcome = make({f"d{i}": Data(rows=20) for i in range(26)}, {"m": Method()}, folds=2)
    found = best_lines(outcome)
    assert len(found) == BEST_LINES + 2
    assert found[-1] == "  … and 2 more data sets, all in the report"


def test_problems_come_first_each_in_one_line_with_its_reason(make):
    data = {"here": Data(), "gone": Data(unavailable="a.csv: no such file; give a path")}
    outcome = make(data, {"m": Method(everywhere=("failed", "boom"), only=["here"])})
    first, second, none, _, here, gone, fits, _ = lines(outcome)
    assert first == "unavailable: gone: a.csv: no such file; give a path"
    assert second == "failed: here × m (5 fits): boom"
    assert (here, gone) == ("  here    none", "  gone    none")
    assert none == "No method succeeded on every fold of any data set, so none is best."
    assert fits == "10 of 10 fits failed"
    methods = {name: Method(everywhere=TEXT, only=["heart"]) for name in "abcde"}
    outcome = make({"iris": Data(), "heart": Data()}, methods | {"z": Method()})
    first = lines(outcome)[0]
    assert first == f"not_applicable: heart × a, b, c and 2 more methods (25 fits): {TEXT[1]}"
    outcome = make({"d": Data(), "e": Data(unavailable="needs 3 of 10")}, {"m": Method()})
    other = make({"d": Data(unavailable="needs 4 of 10"), "e": Data()}, {"m": Method()}, name="o")
    assert "needs 3 of 10" in lines(outcome)[0]
    assert "needs 4 of 10" in lines(other)[0]
    reasons = dict.fromkeys(range(5), ("failed", "predict gave 9 values for 10 rows"))
    first = make({"d": Data(), "e": Data()}, {"wrong": Method(endings=reasons), "m": Method()})
    fits = first.fits.with_columns(
        reason=pl.when((pl.col("dataset") == "e") & (pl.col("method") == "wrong"))
        .then(pl.lit("predict gave 19 values for 20 rows"))
        .otherwise(pl.col("reason"))
    )
    (problem,) = fit_problems(fits)
    assert problem.datasets == ("d", "e")
    assert (problem.fits, problem.reason) == (10, f"on d: {reasons[0][1]}")
    other = fits.filter(method="wrong").with_columns(status=pl.lit("not_applicable"))
    assert len(fit_problems(other)) == 2  # numbers of the data matter to what does not apply
    methods = {f"m{i}": Method(everywhere=("failed", f"reason {chr(97 + i)}")) for i in range(26)}
    found = lines(make({"d": Data(rows=20)}, methods, folds=2))
    assert found[LINES] == "… and 2 more problems, all in the report"
    assert found[LINES + 1].startswith("No method succeeded")


@each("length", [301, 1000, 5000])
def test_a_long_reason_keeps_both_ends_in_one_line(length):
    reason = "the thing, " + "its value,\n" * (length // 11) + "the remedy."
    text = shortened(reason)
    assert len(text) <= 300
    assert "\n" not in text
    assert text.startswith("the thing,")
    assert text.endswith("the remedy.")


def test_the_last_line_of_a_traceback_is_reported():
    assert shortened("Traceback (most recent call last):\n  File x\nValueError: no\n") == (
        "ValueError: no"
    )


def test_the_counts_name_the_fits_that_ended_without_a_unique_optimum():
    def counts(*statuses):
        return counts_line(pl.DataFrame({"status": statuses}))

    assert counts("converged", "converged") == "2 fits, all of them succeeded"
    ended = "; ended as 2 max_iter, 1 separable"
    fitted = ["max_iter", "converged", "separable", "max_iter"]
    assert counts(*fitted) == f"4 fits, all of them with predictions{ended}"
    assert counts("converged", "not_applicable") == "1 of 2 fits do not apply to their data"
    both = counts("converged", "failed", "not_applicable")
    assert both == "1 of 3 fits failed, 1 do not apply to their data"
    assert counts(*fitted, "failed") == f"1 of 5 fits failed{ended}"


def test_the_log_with_the_traceback_of_a_failed_fit_is_named(make):
    outcome = make({"d": Data(rows=20)}, {"a": Method(), "b": Method(everywhere=("failed", "no"))})
    usual = "failed: d × b (5 fits): no"
    assert lines(outcome)[0] == usual
    assert [column.key for column in TABLES["failures"](outcome).columns][-1] == "reason"
    log = outcome.results / "logs" / "cross_validate" / "d~1-of-2.log"
    log.parent.mkdir(parents=True)
    log.write_text("== d × a\nTraceback\n== d × b\n   is up to date\n")  # of a later run
    assert lines(outcome)[0] == usual
    log.write_text("== d × b\nTraceback (most recent call last):\nno\n== d × a\n")
    assert lines(outcome)[0] == f"{usual} (traceback: {log})"
    table = TABLES["failures"](outcome)
    assert table.frame()["log"].to_list() == ["logs/cross_validate/d~1-of-2.log"]


def test_mixed_environments_are_one_line_of_the_answer(make):
    outcome = make({"d": Data(rows=20)}, {"a": Method(), "b": Method()})
    for name, version in (("old", "1.26"), ("new", "2.0")):
        path = outcome.results / "environment" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"numpy": version}))
    outcome = replace(outcome)
    outcome.__dict__["fits"] = outcome.fits.with_columns(
        environment=pl.when(pl.col("method") == "a", pl.col("fold") == 0)
        .then(pl.lit("old"))
        .otherwise(pl.lit("new"))
    )
    (line,) = [line for line in lines(outcome) if "environments" in line]
    assert line.startswith("The ranking mixes fits of different environments (numpy ")
    assert "1 run differs from most: d × a. To fit them again" in line
