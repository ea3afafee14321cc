"""The answer in the terminal and on the page: problems, the headline, the best methods, and what is excluded."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import studies
from cases import each
from studies import Data, Method, put_fits

from linclass_study.analysis.answer import (
    BEST_LINES,
    LINES,
    answer,
    best_lines,
    counts_line,
    shortened,
)
from linclass_study.analysis.fit_problems import fit_problems
from linclass_study.analysis.headline import headline
from linclass_study.analysis.sentences import excluded_sentence
from linclass_study.analysis.verdict import dataset_verdict, study_verdict
from linclass_study.entries import Labels
from linclass_study.report.contents import TABLES
from linclass_study.report.page import learning_curve_sizes

TEXT = ("not_applicable", "needs numeric columns; 'famhist' is text. Add one_hot.")


def lines(outcome):
    return answer(outcome, "results/report.html").splitlines()


def sentences_of(outcome):
    return headline(outcome, study_verdict(outcome), outcome.labels)


def column_of(outcome, key):
    """A column of the table of best methods."""
    table = TABLES["answer"](outcome)
    place = [column.key for column in table.columns].index(key)
    return [row[place] for row in table.rows]


@each(("metric", "words"), [("auc", "AUC"), ("f1", "F1"), ("log_loss", "log loss")])
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
    outcome.evaluation["focus"] = ["bad"]
    assert sentences_of(replace(outcome))[:2] == ["On d bad is worse in 1 comparison.", best]


def test_the_answer_on_several_data_sets_begins_with_that_across_them_and_is_a_table(make):
    data = {name: Data(rows=60) for name in ("d", "longer", "e", "f", "g", "h")}
    outcome = make(data, {"bad": Method(0.0), "good": Method(4.0)}, folds=3)
    best, _, title, d, longer, *_ = lines(outcome)
    assert best.startswith("good ranks first of 2 methods by accuracy over 6 independent data sets")
    assert title == "Best accuracy (mean ± sd, 3 folds):"
    assert re.fullmatch(r"  d       [01]\.\d\d\d ± 0\.\d\d\d  good", d)
    assert re.fullmatch(r"  longer  [01]\.\d\d\d ± 0\.\d\d\d  good", longer)


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
    assert none == "No method succeeded on every fold of any data set, so none is best."
    assert (here, gone) == ("  here    none", "  gone    none")
    assert fits == "10 of 10 fits failed"
    methods = {name: Method(everywhere=TEXT, only=["heart"]) for name in "abcde"}
    outcome = make({"iris": Data(), "heart": Data()}, methods | {"z": Method()})
    first = lines(outcome)[0]
    assert first == f"not_applicable: heart × a, b, c and 2 more methods (25 fits): {TEXT[1]}"
    methods = {f"m{i}": Method(everywhere=("failed", f"reason {chr(97 + i)}")) for i in range(26)}
    found = lines(make({"d": Data(rows=20)}, methods, folds=2))
    assert found[LINES] == "… and 2 more problems, all in the report"
    assert found[LINES + 1].startswith("No method succeeded")


def test_failures_whose_reasons_differ_in_numbers_are_one_problem(make):
    reason = "predict gave 9 values for 10 rows"
    wrong = Method(everywhere=("failed", reason))
    fits = make({"d": Data(), "e": Data()}, {"wrong": wrong, "m": Method()}).fits
    failed = pl.when(dataset="e", method="wrong")
    other = failed.then(pl.lit("predict gave 19 values for 20 rows"))
    fits = fits.with_columns(reason=other.otherwise("reason"))
    (problem,) = fit_problems(fits)
    assert problem.datasets == ("d", "e")
    assert (problem.fits, problem.reason) == (10, f"on d: {reason}")
    other = fits.filter(method="wrong").with_columns(status=pl.lit("not_applicable"))
    assert len(fit_problems(other)) == 2  # numbers of the data matter to what does not apply


def test_a_long_reason_keeps_both_ends_in_one_line_and_a_traceback_its_last_line():
    for length in (301, 1000, 5000):
        text = shortened("the thing, " + "its value,\n" * (length // 11) + "the remedy.")
        assert len(text) <= 300
        assert "\n" not in text
        assert text.startswith("the thing,")
        assert text.endswith("the remedy.")
    traceback = "Traceback (most recent call last):\n  File x\nValueError: no\n"
    assert shortened(traceback) == "ValueError: no"


def test_the_counts_name_the_fits_that_ended_without_a_unique_optimum():
    fitted, ended = "max_iter converged separable max_iter", "; ended as 2 max_iter, 1 separable"
    for statuses, said in (
        ("converged converged", "2 fits, all of them succeeded"),
        (fitted, f"4 fits, all of them with predictions{ended}"),
        ("converged not_applicable", "1 of 2 fits do not apply to their data"),
        ("converged failed not_applicable", "1 of 3 fits failed, 1 do not apply to their data"),
        (f"{fitted} failed", f"1 of 5 fits failed{ended}"),
    ):
        assert counts_line(pl.DataFrame({"status": statuses.split()})) == said


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
    (outcome.results / "environment").mkdir()
    for name, version in (("old", "1.26"), ("new", "2.0")):
        path = outcome.results / "environment" / f"{name}.json"
        path.write_text(json.dumps({"numpy": version}))
    old = pl.when(method="a", fold=0).then(pl.lit("old")).otherwise(pl.lit("new"))
    (line,) = [line for line in lines(put_fits(outcome, environment=old)) if "environments" in line]
    assert line.startswith("The ranking mixes fits of different environments (numpy ")
    assert "1 run differs from most: d × a. To fit them again" in line


GOOD, NEAR, BAD = [0.9, 0.91, 0.92, 0.9], [0.9, 0.91, 0.91, 0.9], [0.5, 0.51, 0.52, 0.5]


def test_a_data_sets_table_calls_no_tie_clearly_the_best(scored):
    tied = dict.fromkeys(("a", "b"), GOOD)
    for values, said in (
        ({"good": GOOD, "bad": BAD}, "it is clearly the best"),
        (tied | {"bad": BAD}, "2 share the best mean; bad is clearly worse"),
        (tied | {"bad": BAD, "c": BAD}, "2 share the best mean; all 2 others are clearly worse"),
        (tied | {"near": NEAR}, "2 share the best mean; near is indistinguishable from them"),
        ({"good": GOOD, "near": NEAR}, "near is indistinguishable from it"),
    ):
        assert column_of(scored({"d": values}, rows=10), "sure") == [said]


def test_methods_that_share_the_best_mean_are_clearly_better_only_if_each_of_them_is(scored):
    steady, wild, third = (
        np.full(4, 0.9),
        0.9 + np.array([0.09, -0.09, 0.05, -0.05]),
        np.full(4, 0.85),
    )
    for values in ({"steady": steady, "wild": wild}, {"wild": wild, "steady": steady}):
        verdict = dataset_verdict(scored({"d": values | {"third": third}}, rows=1000), "d")
        assert verdict.best == [*values]
        assert "third" in verdict.indistinguishable


def test_a_method_with_an_infinite_score_is_excluded_and_not_the_best(scored):
    """A likelihood ratio is infinite on a fold without false positives."""
    values = {"wild": [np.inf, 1, 2, 3], "good": GOOD, "bad": BAD}
    outcome = scored({"d": values})
    verdict = dataset_verdict(outcome, "d")
    assert (verdict.best, verdict.excluded) == (["good"], {"wild": "no finite accuracy"})
    assert sentences_of(outcome)[0] == "good has the best accuracy on d, 0.907."


def test_excluded_methods_are_named_with_the_reason_or_counted(make):
    gone = Method(everywhere=("not_applicable", "needs counts"), only=["d0"])
    fails, once, twice = (
        Method(endings={1: ("failed", "x")}, only=only)
        for only in ([], ["d1"], ["d1", "d2"])
    )  # fmt: skip
    few, many = {"gone": gone, "fails": fails}, {"fails": fails, "once": once, "twice": twice}
    for n, others, said in (
        (7, {"fails": fails}, "Excluded: fails on 7 data sets."),
        (7, many, "Excluded: fails on 7 data sets, twice on 2 data sets, once on 1 data set."),
        (1, {}, ""),
        (2, few, "Excluded: gone on d0 (not applicable), fails on d0 and d1 (failed)."),
    ):
        data = {f"d{i}": Data() for i in range(n)}
        outcome = make(data, {"fine": Method()} | others, name=f"{n} {len(others)}")
        assert excluded_sentence(study_verdict(outcome)) == said
    assert column_of(outcome, "absent") == [["gone", "fails"], ["fails"]]
    outcome = make(
        {"d": Data()}, {"classes": Method(probabilities=False), "m": fails, "p": Method()}
    )
    outcome.evaluation["tune_metric"] = "log_loss"
    assert "Excluded: classes on d (no log loss)." in lines(outcome)


def test_a_best_method_with_unconverged_fits_is_marked_beside_its_name(make):
    methods = {"apart": Method(50.0, everywhere=("separable", "")), "other": Method(0.5)}
    outcome = make({"d": Data()}, methods, folds=3)
    assert column_of(outcome, "best") == [["apart"]]
    assert column_of(outcome, "ended") == ["3 separable of 3"]


@each("official", [0, 20])
def test_an_official_test_set_is_named_only_where_there_is_one(make, official):
    data = {"d": Data(official=official)}
    outcome = make(data, {"m": Method(), "n": Method(2.0)}, 2, str(official))
    said, *_ = studies.finish(outcome).split("The study’s configuration")
    assert ("fficial test" in said) is bool(official)


def test_an_auc_of_raw_scores_is_explained_for_more_than_two_classes(make):
    for classes, probabilities, said in (
        ("ab", False, False),
        ("abc", False, True),
        ("abc", True, False),
    ):
        methods = {"good": Method(), "other": Method(probabilities=probabilities)}
        outcome = make({"d": Data(tuple(classes))}, methods, 2, f"{classes} {probabilities}")
        assert ("raw scores across rows" in TABLES["performance"](outcome, "d").caption) == said


def test_the_page_names_the_sizes_of_learning_curves(make):
    outcome = make({"d": Data()}, {"good": Method()}, folds=2)
    assert learning_curve_sizes(outcome) == ""
    protocols = ["cv", {"learning_curve": {"sizes": [0.1, 50]}}]
    curved = replace(outcome, evaluation={**outcome.evaluation, "protocols": protocols})
    assert learning_curve_sizes(curved) == "10 %, 50 rows of each training set"


def test_the_headline_has_answer_confidence_and_next_step(scored):
    rng = np.random.default_rng(0)
    levels = {"a": 0.9, "b": 0.895, "c": 0.5}
    values = {
        f"d{i}": {name: level + rng.normal(0, 0.01, size=4) for name, level in levels.items()}
        for i in range(6)
    }
    ranked = scored(values)
    best, sure, more = sentences_of(ranked)
    assert best.startswith("a ranks first of 3 methods by accuracy over 6 independent data sets")
    assert "significantly better than c only, ahead of b perhaps only by chance" in sure
    assert re.fullmatch(
        r"Still undecided: a against b, and a against b on d\d\. If the observed differences are the true ones, "
        r"showing that the first pair differs significantly takes about \d+ data sets like these, and that the second "
        r"(is equal within 0\.01|differs by more than 0\.01), \d+ repeats "
        r"of training and testing \(`repeats: \d+`\)\.",
        more,
    )
    focused = replace(ranked, evaluation={**ranked.evaluation, "focus": ["b"]})
    assert "undecided: b against a" in sentences_of(focused)[2]  # where the best is another one


def test_the_headline_says_which_method_takes_longer_and_the_place_of_the_focus(
    scored, monkeypatch
):
    values = {"a": [0.9, 0.91], "b": [0.8, 0.82], "c": [0.7, 0.71]}
    outcome = scored({f"d{i}": values for i in range(6)})
    focus = replace(outcome, evaluation={**outcome.evaluation, "focus": ["b"]})
    best, sure, *_ = sentences_of(focus)
    assert best.startswith("b ranks 2nd of 3 methods")
    assert best.endswith("; a ranks first; b and a take equally long to fit.")
    assert sure.startswith("It is ")
    for ratio, words in (
        (3.42, "and takes 3.4 times as long to fit"),
        (0.1, "which takes 10 times as long to fit"),
        (1.02, "which takes equally long to fit"),
    ):
        monkeypatch.setattr(
            "linclass_study.analysis.headline.cost_ratio", lambda *_, ratio=ratio: ratio
        )
        assert sentences_of(outcome)[0].endswith(f", ahead of b, {words}.")
    equally = "takes equally long to fit"
    about, rows = type(outcome).about, {name: 9 if name == "d3" else 4 for name in outcome.datasets}
    for typical, largest, words in (
        (2.4, 37, "and typically takes 2.4 times as long to fit, 37 times on d3"),
        (0.5, 2, "which typically takes 2 times as long to fit, 0.5 times on d3"),
        (2.4, 370, "and typically takes 2.4 times as long to fit, 370 times on d3"),
        (2.4, 7, "and takes 2.4 times as long to fit"),
        (1.02, 4, f"which typically {equally}, but on d3 a takes 4 times as long to fit as b"),
        (0.98, 4, f"which typically {equally}, but on d3 a takes 4 times as long to fit as b"),
    ):
        monkeypatch.setattr(
            "linclass_study.analysis.headline.cost_ratio",
            lambda _, datasets, *both, typical=typical, largest=largest: (
                largest if datasets == ["d3"] else typical
            ),
        )
        monkeypatch.setattr(
            type(outcome), "about", lambda self, d: about(self, d) | {"rows": rows[d]}
        )
        assert sentences_of(outcome)[0].endswith(f", ahead of b, {words}.")


def test_the_headline_of_few_data_sets_names_who_is_best_and_why_there_is_no_ranking(scored):
    values = {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.52, 0.5]}
    best, sure, *_ = sentences_of(scored(dict.fromkeys("de", values)))
    assert best == "a is the best by accuracy on 2 of 2 data sets."
    assert sure.startswith(
        "A method is clearly the best on 2 of them. 2 independent data sets are too few"
    )


def test_the_headline_of_two_methods_follows_the_sign_test(scored):
    """Five wins of five have p = 2/2⁵ = .0625, six of six .031. (Nemenyi's approximation would be 1.96/√n ranks, less
    than their distance from n = 4 on.)"""
    values = {"good": GOOD, "bad": BAD}
    six = scored({f"d{i}": values for i in range(6)})
    _, sure = sentences_of(six)
    assert sure == "It is significantly better than bad; clearly the best on 6 of 6 data sets."
    focused = replace(six, evaluation={**six.evaluation, "focus": ["bad"]})
    assert sentences_of(focused)[1].startswith("It is significantly worse than good; clearly")
    _, sure, more = sentences_of(scored({f"d{i}": values for i in range(5)}))
    assert (
        sure == "It is ahead of bad perhaps only by chance; clearly the best on 5 of 5 data sets."
    )
    assert more == (
        "Still undecided: good against bad. If the observed difference is the true one, showing that the pair differs "
        "significantly takes about 6 data sets like these."
    )


def labelled(outcome):
    """A method and a data set have labels."""
    methods = outcome.methods | {"a": outcome.methods["a"] | {"label": "Ours & co"}}
    datasets = outcome.datasets | {"d": outcome.datasets["d"] | {"label": "Diabetes"}}
    return replace(outcome, methods=methods, datasets=datasets)


def test_readers_see_labels_in_sentences_tables_and_figures_and_files_have_names(scored):
    several = scored({d: {"a": [0.9, 0.91], "b": [0.8, 0.82], "c": [0.7, 0.71]} for d in "defghi"})
    assert sentences_of(labelled(several))[0].startswith("Ours & co ranks first of 3 methods")
    outcome = labelled(scored({"d": {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.52, 0.5]}}))
    best, *_ = sentences_of(outcome)
    assert best == "Ours & co has the best accuracy on Diabetes, 0.903."
    page = studies.finish(outcome, "methods", pictures=True)
    plain = page.partition('<section aria-labelledby="dataset">')[2]
    assert '<h3 id="data-1">Diabetes</h3>' in plain
    assert re.search(r"<th scope=\"row\"><a class=\"name[^>]*>Ours &amp; co</a></th>", plain)
    assert "on Diabetes.</b>" in plain
    drawing = (outcome.results / "exhibits/methods-d/figure.svg").read_text()
    assert ">Ours &amp; co</text>" in drawing
    table = (outcome.results / "tables/performance-d.csv").read_text()
    assert table.splitlines()[1].startswith("a,")
    assert studies.numbers_of(outcome, "methods-d")["methods"][0]["method"] == "a"
    shown = Labels.of({"a": {"label": "Ours"}, "b": {"label": "Ours"}, "c": {"label": "C"}}, {})
    assert shown.methods == {"a": "a", "b": "b", "c": "C"}  # a label of two names neither
