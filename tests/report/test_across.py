"""Methods across data sets: which take part, the conclusion, its sensitivity, and what takes more data sets."""

import json
import re
from collections import defaultdict
from dataclasses import replace
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import studies
from cases import each
from scipy import stats
from studies import Data, Method, build, copy_method, describe_datasets

from linclass_study.analysis import across_datasets, answer, sentences
from linclass_study.analysis.across_datasets import (
    MIN_DATA_SETS,
    PAIRED,
    RESAMPLED,
    AllScores,
    Scenario,
    all_scores,
    comparison_across,
    scenarios,
    whole_means,
    write_comparison,
)
from linclass_study.analysis.aggregate import ranks_table, sensitivity_table, write_across
from linclass_study.analysis.comparison_with_control import BASELINE
from linclass_study.analysis.headline import headline
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.sentences import too_few, unattainable
from linclass_study.analysis.verdict import dataset_verdict, incomplete_methods, study_verdict
from linclass_study.analysis.within_dataset import same_predictions
from linclass_study.report import page
from linclass_study.report.cells import with_code
from linclass_study.report.contents import FIGURES
from linclass_study.report.drawing import style
from linclass_study.report.figures import cost, matrices, rankings
from linclass_study.report.tables import across
from linclass_study.report.tables.performance import cost as cost_table

NAN = np.nan


def a_table(rows, metric="accuracy"):
    datasets = [f"d{i}" for i in range(len(rows))]
    return AllScores(metric, datasets, [*"abcdefghijk"][: len(rows[0])], np.array(rows)).field


def said_of(rows):
    """The sentences about accuracies, a row for each data set."""
    return " ".join(sentences.sentences(NOTHING, a_table(rows), []))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """a is the best everywhere; b fails a fold on the second data set; three and its twin share rows."""
    data = {name: Data() for name in ("one", "two", "three", "twin")}
    methods = {
        "a": Method(skill=3.0),
        "b": Method(skill=1.0, endings={1: ("failed", "no luck")}, only=["two"]),
        "c": Method(skill=0.3),
    }
    made = build(tmp_path_factory.mktemp("across"), data, methods, folds=3)
    describe_datasets(made, shares_rows_with={"three": "twin", "twin": "three"})
    return made


def test_a_run_with_a_failed_fold_has_no_score_and_others_the_mean_of_the_summary(outcome):
    """So they do not depend on the order in which several threads join rows."""
    summary = pl.read_csv(outcome.results / "tables" / "summary.csv")
    for metric in ("accuracy", "log_loss", "f1"):
        own = summary.filter(metric=metric, protocol="cv").select("dataset", "method", "mean")
        means = {(dataset, method): mean for dataset, method, mean in own.iter_rows()}
        del means["two", "b"]
        assert whole_means(outcome, metric) == means, metric
    assert comparison_across(outcome).datasets == ["one", "two", "three"]
    assert all_scores(outcome, shared=True).datasets == ["one", "two", "three", "twin"]


def test_the_first_scored_data_set_of_those_sharing_rows_is_compared(tmp_path):
    """As a9a with `shares_rows_with: [adult]`, where adult could not be had."""
    data = {"gone": Data(unavailable="nobody has it"), "again": Data(), "other": Data()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(0.5)}, folds=3)
    describe_datasets(made, shares_rows_with={"gone": "again", "again": "gone"})
    base = comparison_across(made)
    assert (base.datasets, base.shared) == (["again", "other"], ())


def test_data_sets_apart_are_fitted_but_not_compared(tmp_path):
    data = {"drawn": Data(), "real": Data(), "other": Data()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(0.5)}, folds=3)
    describe_datasets(made, apart={"drawn": "simulated"})
    base = comparison_across(made)
    assert base.datasets == ["real", "other"]
    found = {one.what: one.datasets for one in scenarios(made, base)}
    assert found["with the data sets apart"] == 3
    assert "data sets that share rows counted each" not in found
    assert all_scores(made, apart=True).datasets == ["drawn", "real", "other"]
    assert "data: drawn not counted across data sets: simulated" in answer.problem_lines(made)


def test_a_data_set_without_the_first_protocol_is_compared_by_its_own(tmp_path):
    data = {"split": Data(official=30), "plain": Data(), "other": Data()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(0.5)}, folds=3)
    made = replace(made, evaluation={**made.evaluation, "protocols": ["official", "cv"]})
    base = comparison_across(made)
    assert base.datasets == ["split", "plain", "other"]
    assert not np.isnan(base.table).any()
    for dataset, protocol in (("split", "official"), ("plain", "cv")):
        own = made.scores.filter(dataset=dataset, method="a", metric="accuracy", protocol=protocol)
        assert whole_means(made, "accuracy")[dataset, "a"] == pytest.approx(own["value"].mean())
    write_across(made)
    for name in ("ranks", "pairwise"):
        assert set(pl.read_csv(tmp_path / "tables" / f"{name}.csv")["data_sets"]) == {3}
    said = "Official test set where there is one, else cross-validation, 3 folds"
    assert page.main_protocol_phrase(made) == said
    title, split, plain, _ = answer.best_lines(made)
    assert title == "Best accuracy (the official test set):"
    assert re.fullmatch(r"  split  [01]\.\d\d\d          a", split)  # one value has no spread
    assert plain.endswith(" a (mean ± sd, 3 folds)")


def test_the_comparison_with_its_bootstrap_is_computed_once_and_read_back_unchanged(
    tmp_path, monkeypatch
):
    """Answer, figures and page, each in a process of its own, read comparison.npz."""
    seeds = {"twin": 77} | {f"d{i}": i for i in range(7)} | {"other": 77}
    data = {name: Data(seed=seed, rows=60) for name, seed in seeds.items()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(1.0), "c": Method(0.5)}, folds=3)
    computed = write_comparison(replace(made))
    assert computed.enough_for_intervals
    over = " over 8 independent data sets (twin and other count as one)."
    assert over in sentences.sentences(made, computed, [])[0]
    for name in ("bradley_terry", "pairwise", "nemenyi", "friedman"):
        monkeypatch.setattr(across_datasets, name, lambda *_: pytest.fail("computed again"))
    found = comparison_across(replace(made))
    for name in ("datasets", "methods", "best", "table"):
        np.testing.assert_array_equal(getattr(found, name), getattr(computed, name))
    for name in across_datasets.TESTS:
        for value, read in zip(getattr(computed, name), getattr(found, name), strict=True):
            np.testing.assert_array_equal(read, value)
    with style.settings():
        for draw in OVER_DATA_SETS:
            assert draw(replace(made)).figure is not None
    assert headline(made, study_verdict(replace(made)), made.labels)
    fewer = replace(made, methods={"b": made.methods["b"]})
    monkeypatch.undo()
    assert comparison_across(fewer).methods == ["b"], "that of another study"


NOTHING = SimpleNamespace(evaluation={}, parts=dict, methods=defaultdict(dict))
CRASHES = Method(9.0, endings={1: ("failed", "no luck")}, only=["d2"])  # it would be the best
OVER_DATA_SETS = (rankings.ranks, rankings.ratings, matrices.pairwise)


@pytest.mark.full
def test_a_method_that_raises_on_one_data_set_changes_nothing_for_the_others(tmp_path):
    """Ranks, pairs, ratings, tests, sentences and figures are those of the study without it, and it is not the best."""
    others = {"a": Method(2.0), "b": Method(1.0), "c": Method(0.5)}
    data = {f"d{i}": Data(seed=i, rows=60) for i in range(7)}
    found = []
    for name, methods in (("without", others), ("with", others | {"crash": CRASHES})):
        made = build(tmp_path / name, data, methods, folds=3)
        write_across(made)
        tables = tmp_path / name / "tables"
        tried = pl.read_csv(tables / "sensitivity.csv", infer_schema=False)
        said = json.loads((tables / "across.json").read_text())
        *conclusions, survives = said["sentences"]
        rank, sure, *_ = headline(made, study_verdict(made), made.labels)
        with style.settings():
            drawn = [draw(made).numbers for draw in OVER_DATA_SETS]
        found.append([
            *((tables / f"{table}.csv").read_text() for table in ("ranks", "pairwise")),
            tried.filter(~pl.col("variation").str.contains("missing|lacks")).rows(),
            str(comparison_across(made).friedman),
            (said["datasets"], said["methods"]),
            [line.replace("other ranked method", "other method") for line in conclusions],
            (rank, sure.partition("; clearly")[0]),
            drawn,
        ])  # fmt: skip
    assert found[0] == found[1]
    assert "crash" not in str(found[1])
    means = whole_means(made, "accuracy")
    assert means["d3", "crash"] > means["d3", "a"]
    assert tried["variation"].to_list()[1:3] == [
        "missing scores counted as worst",
        "without data sets on which a method lacks a score",
    ]
    assert tried["best"].to_list()[2] == "crash"
    assert survives.startswith("Another method is best in")


def test_an_incomplete_method_is_listed_with_its_gaps_and_its_worst_case_rank(tmp_path):
    """Best on five data sets and the worst of three on one, its mean rank is (5·1 + 3)/6."""
    data = {f"d{i}": Data(seed=i, rows=40, features=1) for i in range(6)}
    made = build(tmp_path, data, {"a": Method(1.0), "b": Method(0.5), "crash": CRASHES}, folds=2)
    base = comparison_across(made)
    assert (base.methods, base.every.incomplete) == (["a", "b"], ["crash"])
    (row,) = across.incomplete(made).rows
    assert row == ["crash", ["d2"], "failed", 5, pytest.approx(8 / 6)]
    said = (
        "Not ranked: crash (no score on d2: failed; mean rank 1.33 of 3 if missing scores count as worst). crash would "
        "be first both if missing scores count as worst and without the data sets on which a method lacks "
        "one (tables/sensitivity.csv)."
    )
    assert (
        "ahead of b perhaps only by chance" in headline(made, study_verdict(made), made.labels)[1]
    )
    assert sentences.not_ranked(study_verdict(made)) == said
    assert said in answer.answer(made, "report.html")
    shown = unescape(studies.finish(made))
    assert said in shown
    assert shown.count(across.RANKING_RULE) == 2  # below the table, and where the page explains it
    with style.settings():
        for draw in OVER_DATA_SETS:
            left_out = "Not ranked, as a score is missing on some data set: crash (tables"
            assert left_out in draw(made).caption


def test_few_complete_scores_do_not_exclude_data_sets_or_change_the_metrics_sign():
    """c to f, of another study, have scores on two of six data sets: they do not remove the other four."""
    rows = [[0.9, 0.8, 0.7, 0.7, 0.7, 0.7]] * 2 + [[0.9, 0.8, NAN, NAN, NAN, NAN]] * 4
    base = a_table(rows)
    assert (base.methods, len(base.datasets)) == (["a", "b"], 6)
    assert base.every.incomplete == [*"cdef"]
    assert base.every.gaps_left_out.datasets == base.datasets


@each(("rows", "only", "worst", "without"), [
    ([[0.9, 0.8]] * 5 + [[0.9, NAN]], "Only a has", (6, ("a",)), (5, ("a",))),
    ([[0.7, 0.8]] * 4 + [[NAN, 0.8], [0.9, NAN]], "No method has", (6, ("b",)), (4, ("b",))),
])  # fmt: skip
def test_fewer_than_two_complete_methods_have_no_ranking_but_both_alternatives(
    rows, only, worst, without
):
    base = a_table(rows)
    (said,) = sentences.sentences(NOTHING, base, [])
    assert said == (
        f"{only} a score on every one of 6 independent data sets, so methods are not ranked; tables/sensitivity.csv "
        "has the best ones with missing scores as worst, and without the data sets that lack scores."
    )
    assert [(one.datasets, one.best) for one in scenarios(NOTHING, base)] == [worst, without]


def test_a_method_is_not_ranked_worst_on_data_sets_without_any_score(tmp_path):
    """After a merge of a study of a and b with one of c on other data sets."""
    methods = {"a": Method(3.0), "b": Method(0.3), "c": Method(1.0)}
    made = build(tmp_path, {f"d{i}": Data(seed=i) for i in range(5)}, methods, folds=2)
    missing = (pl.col("method") == "c") & ~pl.col("dataset").is_in(["d0", "d1", "d2"])
    for failed, worst in ((True, ["a", "b", "c"]), (False, ["a", "b"])):
        merged = replace(made)
        merged.__dict__["scores"] = made.scores.filter(~missing)
        merged.__dict__["fits"] = made.fits if failed else made.fits.filter(~missing)
        base = comparison_across(merged)
        assert base.every.missing_worst.methods == worst
        (one,) = incomplete_methods(merged, base)
        assert one.datasets == ["d3", "d4"]
        assert (one.rank is None) == (not failed)
        assert failed or one.reason == "not run"


def test_too_few_data_sets_are_one_sentence_which_says_that_some_count_as_one(outcome):
    base = comparison_across(outcome)
    assert " ".join(sentences.sentences(outcome, base, scenarios(outcome, base))) == (
        "3 independent data sets (three and twin count as one) are too few to rank methods. A conclusion needs at "
        "least 5."
    )


def test_variations_say_what_would_change_the_conclusion(outcome):
    tried = {one.what: one.kept for one in scenarios(outcome, comparison_across(outcome))}
    assert set(tried.values()) == {("a",)}
    assert {"missing scores counted as worst", "data sets that share rows counted each"} <= {*tried}
    flipped = a_table([[0.9, 0.8], [0.9, 0.8], [0.1, 0.9]])
    assert (flipped.best, flipped.without("d0").best) == (["a"], ["a", "b"])


def test_no_method_on_the_front_is_slower_and_worse_than_another():
    seconds = {"fast": 1.0, "middle": 2.0, "slow": 3.0, "waste": 3.5}
    behind = {"fast": 0.3, "middle": 0.1, "slow": 0.2, "waste": 0.4}
    assert cost.pareto(seconds, behind) == ["fast", "middle"]


@each(("metric", "rows", "means"), [
    ("matthews", [[-0.1, -0.3], [-0.3, -0.5]], [-0.2, -0.4]),  # all worse than chance
    ("log_loss", [[0.0, -0.2], [0.0, -0.4]], [0.0, 0.3]),  # a is perfect; less is better: turned
])  # fmt: skip
def test_a_mean_score_is_that_of_the_metric(metric, rows, means):
    table = ranks_table(a_table(rows, metric)).sort("method")
    assert table["mean_score"].to_list() == pytest.approx(means)


@each("ending", [("unavailable", "no network"), ("failed", "x"), ("not_applicable", "y")])
def test_a_study_without_any_score_is_still_written_and_reported(tmp_path, ending):
    methods = {"a": Method(everywhere=ending), "b": Method(everywhere=ending)}
    made = build(tmp_path / ending[0], {"one": Data(), "two": Data()}, methods, folds=2)
    write_across(made)
    assert ending[1] in studies.finish(made)
    assert headline(made, study_verdict(made), made.labels) == [
        "No method succeeded on every fold of any data set, so none is best."
    ]


@each(("best", "others", "column", "output"), [
    (("a", "b"), [("a",), ("b",)], ["one of them"] * 2, "No single method is among the best in all 2"),
    (("a", "b"), [("a", "b"), ("a", "c")], ["yes", "one of them"], "a stays among the best in all 2"),
    (("a", "b"), [("a", "b", "c")] * 2, ["yes"] * 2, "a and b stay among the best in all 2"),
    (("a", "b"), [("a",), ("c",)], ["one of them", "no"], "None of these is among the best in 1 of 2"),
    (("a",), [("a", "b"), ("b",)], ["yes", "no"], "Another method is best in 1 of 2 variations: v1"),
])  # fmt: skip
def test_a_conclusion_is_robust_only_if_the_same_method_stays_best(best, others, column, output):
    changed = [
        Scenario(f"v{i}", 3, names, tuple(name for name in best if name in names))
        for i, names in enumerate(others)
    ]
    tried = [Scenario("base", 3, best, best), *changed]
    (sentence,) = sentences._sensitivity(tried)
    assert sentence.startswith(output)
    assert sensitivity_table(tried)["same_best"].to_list() == ["yes", *column]


def test_a_variation_without_a_score_of_the_best_method_does_not_count_against_it(tmp_path):
    """a is best on every data set and gives no probabilities, so by log loss and Brier score only b and c compete."""
    methods = {"a": Method(9.0, probabilities=False), "b": Method(0.5), "c": Method(0.1)}
    made = build(tmp_path, {f"d{i}": Data(seed=i) for i in range(5)}, methods, folds=2)
    base = comparison_across(made)
    tried = scenarios(made, base)
    assert base.best == ["a"]
    said = dict(sensitivity_table(tried).select("variation", "same_best").iter_rows())
    assert said["by log loss"] == said["by Brier"] == "no score"
    assert set(said.values()) == {"yes", "no score"}
    stays, lacks = sentences.sentences(made, base, tried)[-2:]
    assert stays == f"a stays among the best in all {len(tried) - 3} variations below."
    assert lacks == "Variations in which a has no score: by log loss and by Brier."


CLOSE = [[0.81, 0.8, 0.1]] * 4  # a is a little better than b
OTHER = "Other criteria rank a different method first"


@each(("rows", "words"), [
    ([[0.9, 0.5, 0.1]] * 5, [
        "a has the best mean rank by accuracy", "on 5 data sets and 3 methods; Friedman’s χ²",
        "Nemenyi’s test at α = 0.05", "Bayesian signed-rank test, n = 5",
    ]),
    # a and b are best three times each, so they are undecided against each other; c is always last.
    ([[0.9, 0.8, 0.1], [0.8, 0.9, 0.1]] * 3, [
        "a and b share the best mean rank", "a against the runner-up, c: with probability ",
        " better by more than 0.01, ",
    ]),
    ([[0.9, 0.1], [0.1, 0.9]] * 3, ["All methods share the best mean rank, so there is no runner-up."]),
    ([*CLOSE, [0.5, 0.9, 0.1]], [f". {OTHER}: b by mean accuracy. "]),
    # Nearly all differences are .02, and their mean is negative.
    ([[0.91, 0.89, 0.1]] * 29 + [[0.01, 0.91, 0.1]], [
        "a against the runner-up, b: with probability >0.99 better", f"{OTHER}: b by mean accuracy. ",
        "the typical difference on data sets like these, which is about the median,",
    ]),
    # χ² = 12/(5·3·4)·(6² + 9² + 15²) − 3·5·4 = 8.4, p = e^(−4.2); F = 4·8.4/(5·2 − 8.4) = 21
    ([[0.9, 0.8, 0.7]] * 4 + [[0.8, 0.9, 0.7]], [
        "The methods differ significantly: Iman and Davenport’s F = 21.00",
        "Friedman’s χ² = 8.40, p = .015, is too conservative",
    ]),
])  # fmt: skip
def test_sentences_name_the_tests_the_runner_up_and_orders_that_begin_with_another_method(
    rows, words
):
    said = said_of(rows)
    assert [part for part in words if part not in said] == []


def test_sentences_have_neither_criteria_that_agree_nor_p_values_of_many_digits():
    assert OTHER not in said_of([*CLOSE, [0.91, 0.9, 0.1]])
    a_and_b_are_best = [[0.9, 0.8, 0.1], [0.8, 0.89, 0.1]] * 3
    assert OTHER not in said_of(a_and_b_are_best)
    assert said_of([[0.9, 0.8, 0.7]] * 9 + [[0.8, 0.9, 0.7]]).count("p < .001") == 2


def test_ratings_of_few_data_sets_have_no_intervals(tmp_path):
    for n in (RESAMPLED - 1, RESAMPLED):
        data = {f"d{i}": Data(seed=i) for i in range(n)}
        made = build(tmp_path / str(n), data, {"a": Method(3.0), "b": Method(0.3)}, folds=2)
        is_known = n == RESAMPLED
        table = ranks_table(comparison_across(made))
        assert table["rating_lower"].is_not_null().all() == is_known
        assert table["rating"].is_not_null().all()
        with style.settings():
            exhibit = rankings.ratings(made)
        assert ("There are no intervals" in exhibit.caption) != is_known
        assert (exhibit.numbers["ratings"]["a"]["lower"] is not None) == is_known


def test_the_cost_table_is_of_whole_training_sets_and_says_whose_seconds_are_of_fewer_fits(outcome):
    """Fits of a learning curve that take a thousand times as long change only the caption. lda looks cheapest where
    it does not apply to the largest data set."""

    def table(times):
        return cost_table(SimpleNamespace(times=times, fits=outcome.fits))  # type: ignore[arg-type]

    curve = outcome.times.filter(protocol="cv").with_columns(
        protocol=pl.lit("learning_curve@0.1"), fit_seconds=1000 * pl.col("fit_seconds")
    )
    found, plain = table(pl.concat([outcome.times, curve])), table(outcome.times)
    assert found.rows == plain.rows
    assert "learning curves" in found.caption
    assert "learning curves" not in plain.caption
    assert table(curve) is None
    first = pl.col("dataset") == "one"
    for times, is_said in ((first, False), (~(first & (pl.col("method") == "a")), True)):
        found = table(outcome.times.filter(times))
        assert ("of fewer data sets or folds" in found.caption) == is_said
        assert "folds that were solved together share their seconds equally" in found.caption


@each(("near", "far", "words"), [
    (["a", "b"], [], "no other method"),
    ([], ["a", "b"], "every other method"),
    (["a", "b", "c", "d", "e"], ["poor"], "only poor"),
    (["a"], ["b", "poor"], "all but a"),
])  # fmt: skip
def test_the_fewer_methods_are_named_those_that_a_test_distinguishes_or_the_others(
    near, far, words
):
    assert sentences.distinguished(near, far) == words


@each(("datasets", "shown"), [(2, False), (MIN_DATA_SETS - 1, False), (MIN_DATA_SETS, True)])
def test_robustness_is_not_reported_without_a_conclusion(tmp_path, datasets, shown):
    (tmp_path / "tables").mkdir(exist_ok=True)
    tried = [Scenario(what, datasets, ("a",), ("a",)) for what in ("accuracy", "by F1")]
    sensitivity_table(tried).write_csv(tmp_path / "tables" / "sensitivity.csv")
    assert bool(across.sensitivity(SimpleNamespace(results=tmp_path))) == shown


def test_methods_with_the_same_predictions_are_named_once(tmp_path):
    """b predicts as a does wherever there are two classes, and c with its accuracies, but other rows."""
    two = ("one", "two", "three")
    data = {name: Data(seed=i) for i, name in enumerate(two)} | {"many": Data(("x", "y", "z"))}
    made = build(tmp_path, data, {name: Method(0.5) for name in "abc"}, folds=2)

    def exchanged(predictions):
        """Rows of one fold and class exchange their predictions."""
        key = ["protocol", "repeat", "fold", "y_true"]
        return predictions.sort("row").with_columns(pl.col("y_pred").reverse().over(key))

    made = copy_method(made, "a", "b", two)
    made = copy_method(made, "a", "c", two, exchanged)
    said = (
        "a and b predict the same class in every held-out row of all 3 data sets of two classes on which they have "
        "scores."
    )
    assert same_predictions(made) == [said]
    write_across(made)
    assert said in (tmp_path / "tables" / "across.json").read_text()
    few = replace(made, datasets={name: made.datasets[name] for name in ("one", "many")})
    assert same_predictions(few) == []
    (tmp_path / "runs" / "one" / "a" / "predictions.parquet").unlink()
    assert same_predictions(replace(made)) == []


def base_of(n, k):
    """The first method is always the best, the second the next, …"""
    return a_table(-np.tile(np.arange(1.0 * k), (n, 1)))


def without_files(base, **classifiers):
    """A study of these methods."""
    methods = {m: {"classifier": classifiers.get(m, "linclass.LDA")} for m in base.methods}
    outcome = Outcome(Path(), {}, methods, {"tune_metric": "accuracy"})
    outcome.read.update({"across": base, "grid_ends": {}})
    return outcome


def test_ranks_and_pairs_are_compared_from_the_least_number_on_that_can_be_significant():
    """The least p of Wilcoxon's test is that of n differences of one sign; 2/2⁶ < .05 ≤ 2/2⁶ · 2 and 2/2⁷ · 3 < .05."""
    for n in (2, 3, 4, 5, PAIRED):
        least = stats.wilcoxon(np.arange(1.0, n + 1), method="exact").pvalue
        reason = too_few(base_of(n, 3), "pairs", "Pairs", PAIRED, "pairwise")
        assert bool(reason) == (least > 0.05), n
    for k, n in ((2, PAIRED), (3, MIN_DATA_SETS), (8, MIN_DATA_SETS)):
        base = base_of(n, k)
        assert not too_few(base, "ranks", "Mean ranks", MIN_DATA_SETS, "ranks")
        assert np.ptp(base.nemenyi.ranks) > base.nemenyi.critical_difference, (k, n)
    assert unattainable(6, 1, "no method") == unattainable(7, 3, "no method") == ""
    assert "takes at least 7 independent" in unattainable(6, 2, "no method")
    assert "takes at least 10 independent" in unattainable(3, 22, "no method")


@each(("n", "significant"), [(10, False), (12, True)])
def test_pairs_are_bold_and_coloured_after_the_correction_only(n, significant):
    """A method that wins on all of n data sets has p = 2/2ⁿ, times 55 pairs of 11 methods: .107 for 10, .027 for 12."""
    with style.settings():
        exhibit = matrices.pairwise(without_files(base_of(n, 11)))
        (axes,) = exhibit.figure.axes
    cells = [text for text in axes.texts if "/" in text.get_text()]
    assert all((text.get_weight() == "bold") == significant for text in cells)
    tints = sum(image.get_array()[..., 3] for image in axes.images)
    assert ((tints > 0) == (significant & ~np.eye(7, dtype=bool))).all()
    assert f"p {'.027' if significant else '.107'}" in cells[0].get_text()
    sentence = (
        "On 10 data sets no pair of methods can be significant by Wilcoxon’s test with Holm’s correction over 55 "
        "comparisons; that takes at least 12 independent data sets."
    )
    assert (sentence in exhibit.caption) != significant


@each(("name", "most", "baseline", "rows", "gaps"), [
    ("ranks", 8, "e", "abcdefgh", 0),
    ("ranks", 7, "d", "abcdfgh", 1),  # e differs from no other by 4.29
    ("ranks", 6, "h", "abcfgh", 1),
    ("ranks", 4, "e", "abeh", 2),
    ("ratings", 4, "e", "abeh", 2),
    ("ratings", 5, "h", "abcgh", 1),
])  # fmt: skip
def test_the_middle_of_many_methods_is_left_out_but_never_the_baseline(
    monkeypatch, name, most, baseline, rows, gaps
):
    """Ranks are 1 … 8 on six data sets, where Nemenyi's critical difference is 3.031 · √(8 · 9 / 36) = 4.29."""
    monkeypatch.setattr(rankings, "MAX_METHODS", most)
    with style.settings():
        exhibit = FIGURES[name](without_files(base_of(6, 8), **{baseline: BASELINE}))
        (axes,) = exhibit.figure.axes
        assert "".join(label.get_text() for label in axes.get_yticklabels()) == rows
    assert sum(line.get_linestyle() == ":" for line in axes.lines) == gaps
    assert (f" {most} of 8 methods are shown;" in exhibit.caption) == (most < 8)
    assert len(exhibit.numbers[name]) == 8


LEAST = {"ranks": MIN_DATA_SETS, "pairwise": PAIRED, "ratings": MIN_DATA_SETS}
FEW = [3, *(pytest.param(n, marks=pytest.mark.full) for n in (2, PAIRED, MIN_DATA_SETS))]


@pytest.mark.parametrize("n", FEW)
def test_across_few_data_sets_the_page_has_reasons_in_place_of_figures(tmp_path, n):
    """And the confidence for each data set once. The answer says that they are too few; its lines do not repeat it."""
    data = {f"d{i}": Data() for i in range(n)}
    made = build(tmp_path, data, {"m": Method(2.0), "o": Method(1.0)}, folds=3)
    write_across(made)
    shown = unescape(studies.finish(made, *LEAST, "heat"))
    for name, least in LEAST.items():
        with style.settings():
            exhibit = FIGURES[name](made)
        assert (exhibit.figure is None) == (n < least)
        assert (f'<figure data-name="{name}"' in shown) == (n >= least)
        assert shown.count(f"<p>{exhibit.reason}</p>") == (n < least)
    assert '<figure data-name="heat">' in shown
    assert (f"{n} independent data sets are too few to rank methods" in shown) == (n < 5)
    for name, own in made.parts().items():
        sentence = unescape(str(with_code(sentences.certainty(dataset_verdict(own, name)))))
        assert shown.count(sentence) == 1
