"""Methods across data sets: which methods take part, the conclusion, and its sensitivity."""

import json
from collections import defaultdict
from dataclasses import replace
from html import unescape
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
import studies
from cases import each
from studies import Data, Method, build

from linclass_study.analysis import across_datasets, answer, sentences
from linclass_study.analysis.across_datasets import (
    MIN_DATA_SETS,
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
from linclass_study.analysis.export import export_table
from linclass_study.analysis.headline import headline
from linclass_study.analysis.verdict import incomplete_methods, study_verdict
from linclass_study.analysis.within_dataset import same_predictions
from linclass_study.analysis.wording import units
from linclass_study.protocols import selected_protocols
from linclass_study.report import page
from linclass_study.report.drawing import style
from linclass_study.report.figures import cost, matrices, rankings
from linclass_study.report.tables import across as incomplete
from linclass_study.report.tables import across as sensitivity
from linclass_study.report.tables import performance as cost_table

NAN = np.nan


def a_table(rows, metric="accuracy"):
    datasets = [f"d{i}" for i in range(len(rows))]
    return AllScores(metric, datasets, [*"abcdef"][: len(rows[0])], np.array(rows)).field


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    """a is the best everywhere; b fails a fold on the second data set; iris and its twin share rows."""
    data = {name: Data() for name in ("one", "two", "three", "twin")}
    methods = {
        "a": Method(skill=3.0),
        "b": Method(skill=1.0, endings={1: ("failed", "no luck")}, only=["two"]),
        "c": Method(skill=0.3),
    }
    folder = tmp_path_factory.mktemp("across")
    made = build(folder, data, methods, folds=3)
    table = pl.read_csv(folder / "tables" / "datasets.csv", infer_schema=False)
    others = {"three": "twin", "twin": "three"}
    twins = pl.col("dataset").replace_strict(others, default=None)
    table.with_columns(shares_rows_with=twins).write_csv(folder / "tables" / "datasets.csv")
    return made


def test_a_run_with_a_failed_fold_has_no_score_and_others_the_mean_of_the_summary(outcome):
    """So they do not depend on the order in which several threads join rows."""
    known = whole_means(outcome, "accuracy")
    assert ("two", "b") not in known
    assert ("one", "b") in known
    own = outcome.scores.filter(dataset="one", method="a", metric="accuracy", protocol="cv")[
        "value"
    ]
    assert known["one", "a"] == pytest.approx(own.mean())
    summary = pl.read_csv(outcome.results / "tables" / "summary.csv")
    for metric in ("accuracy", "log_loss", "f1"):
        own = summary.filter(metric=metric, protocol="cv").select("dataset", "method", "mean")
        means = {(dataset, method): mean for dataset, method, mean in own.iter_rows()}
        known = whole_means(outcome, metric)
        assert known
        assert known.items() <= means.items(), metric
    assert comparison_across(outcome).datasets == ["one", "two", "three"]
    assert all_scores(outcome, shared=True).datasets == ["one", "two", "three", "twin"]


def test_the_first_scored_data_set_of_those_sharing_rows_is_compared(tmp_path):
    """As a9a with `shares_rows_with: [adult]`, where adult could not be had."""
    data = {"gone": Data(unavailable="nobody has it"), "again": Data(), "other": Data()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(0.5)}, folds=3)
    path = tmp_path / "tables" / "datasets.csv"
    table = pl.read_csv(path, infer_schema=False)
    relatives = pl.col("dataset").replace_strict({"gone": "again", "again": "gone"}, default=None)
    table.with_columns(shares_rows_with=relatives).write_csv(path)
    base = comparison_across(made)
    assert base.datasets == ["again", "other"]
    assert base.shared == ()


def test_data_sets_apart_are_fitted_but_not_compared(tmp_path):
    data = {"drawn": Data(), "real": Data(), "other": Data()}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(0.5)}, folds=3)
    path = tmp_path / "tables" / "datasets.csv"
    table = pl.read_csv(path, infer_schema=False)
    reasons = pl.col("dataset").replace_strict({"drawn": "simulated"}, default=None)
    table.with_columns(apart=reasons).write_csv(path)
    base = comparison_across(made)
    assert base.datasets == ["real", "other"]
    words = [one.what for one in scenarios(made, base)]
    assert words[-1] == "with the data sets apart"
    assert all_scores(made, apart=True).datasets == ["drawn", "real", "other"]
    assert "data: drawn not counted across data sets: simulated" in answer.problem_lines(made)
    table.drop("apart").write_csv(path)  # results of an earlier version
    assert comparison_across(replace(made)).datasets == ["drawn", "real", "other"]


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
    tables = {
        name: pl.read_csv(tmp_path / "tables" / f"{name}.csv") for name in ("ranks", "pairwise")
    }
    assert all((table["data_sets"] == 3).all() for table in tables.values())
    assert (
        page.main_protocol_phrase(made)
        == "Official test set where there is one, else cross-validation, 3 folds"
    )


def test_the_comparison_with_its_bootstrap_is_computed_once_and_read_back_unchanged(
    tmp_path, monkeypatch
):
    """Answer, figures and page, each in a process of its own, read comparison.npz."""
    data = {f"d{i}": Data(seed=i, rows=60) for i in range(7)}
    made = build(tmp_path, data, {"a": Method(2.0), "b": Method(1.0), "c": Method(0.5)}, folds=3)
    computed = write_comparison(replace(made))
    assert computed.enough_for_intervals
    calls = []
    for name in ("bradley_terry", "pairwise", "nemenyi", "friedman"):
        monkeypatch.setattr(across_datasets, name, lambda *given: calls.append(given))
    found = comparison_across(replace(made))
    for name in across_datasets.TESTS:
        for value, read in zip(getattr(computed, name), getattr(found, name), strict=True):
            np.testing.assert_array_equal(read, value)
    np.testing.assert_array_equal(found.table, computed.table)
    assert (found.datasets, found.methods, found.best) == (
        computed.datasets,
        computed.methods,
        computed.best,
    )
    with style.settings():
        for draw in (rankings.ranks, rankings.ratings, matrices.pairwise):
            assert draw(replace(made)).figure is not None
    assert headline(made, study_verdict(replace(made)), made.labels)
    assert not calls
    fewer = replace(made, methods={"b": made.methods["b"]})
    monkeypatch.undo()
    assert comparison_across(fewer).methods == ["b"], "that of another study"


NOTHING = SimpleNamespace(evaluation={}, parts=dict, methods=defaultdict(dict))
CRASHES = Method(9.0, endings={1: ("failed", "no luck")}, only=["d2"])  # it would be the best


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
        with style.settings():
            figures = [
                draw(made).numbers for draw in (rankings.ranks, rankings.ratings, matrices.pairwise)
            ]
        tried = pl.read_csv(tables / "sensitivity.csv", infer_schema=False)
        across = json.loads((tables / "across.json").read_text())
        *conclusions, survives = across["sentences"]
        conclusions = [line.replace("other ranked method", "other method") for line in conclusions]
        rank, sure, *_ = headline(made, study_verdict(made), made.labels)
        found.append(
            (
                (tables / "ranks.csv").read_text(),
                (tables / "pairwise.csv").read_text(),
                tried.filter(~pl.col("variation").str.contains("missing|lacks")).rows(),
                str(comparison_across(made).friedman),
                (across["datasets"], across["methods"], conclusions),
                (rank, sure.partition("; clearly")[0]),
                figures,
            )
        )
    assert found[0] == found[1]
    assert "crash" not in str(found[1])
    assert whole_means(made, "accuracy")["d3", "crash"] > whole_means(made, "accuracy")["d3", "a"]
    assert tried["variation"].to_list()[1:3] == [
        "missing scores counted as worst",
        "without data sets on which a method lacks a score",
    ]
    assert tried["best"].to_list()[2] == "crash"
    assert survives.startswith("Another method is best in")


def test_an_incomplete_method_is_listed_with_its_gaps_and_its_worst_case_rank(tmp_path):
    """Best on four data sets and the worst of three on one, its mean rank is (4·1 + 3)/5."""
    data = {f"d{i}": Data(seed=i, rows=40, features=1) for i in range(5)}
    made = build(tmp_path, data, {"a": Method(1.0), "b": Method(0.5), "crash": CRASHES}, folds=2)
    base = comparison_across(made)
    assert (base.methods, base.every.incomplete) == (["a", "b"], ["crash"])
    (row,) = incomplete.incomplete(made).rows
    assert row == ["crash", ["d2"], "failed", 4, pytest.approx(1.4)]
    said = (
        "Not ranked: crash (no score on d2: failed; mean rank 1.40 of 3 if missing scores count as worst). crash would "
        "be first both if missing scores count as worst and without the data sets on which a method lacks "
        "one (tables/sensitivity.csv)."
    )
    assert "not distinguishable from b" in headline(made, study_verdict(made), made.labels)[1]
    assert sentences.not_ranked(study_verdict(made)) == said
    assert said in answer.answer(made, "report.html")
    page = unescape(studies.finish(made))
    assert said in page
    assert (
        page.count(incomplete.RANKING_RULE) == 2
    )  # below the table, and where the page says how to read it


def test_few_complete_scores_do_not_exclude_data_sets_or_change_the_metrics_sign():
    """c to f, of another study, have scores on two of six data sets: they do not remove the other four."""
    rows = [[0.9, 0.8, 0.7, 0.7, 0.7, 0.7]] * 2 + [[0.9, 0.8, NAN, NAN, NAN, NAN]] * 4
    base = a_table(rows)
    assert (base.methods, len(base.datasets)) == (["a", "b"], 6)
    assert base.every.incomplete == [*"cdef"]
    assert (
        base.every.gaps_left_out.datasets == base.datasets
    )  # nor are they left out because of them


@each(("rows", "only"), [
    ([[0.9, 0.8]] * 5 + [[0.9, NAN]], "Only a has"),
    ([[0.7, 0.8]] * 4 + [[NAN, 0.8], [0.9, NAN]], "No method has"),
])  # fmt: skip
def test_fewer_than_two_complete_methods_have_no_ranking_but_both_alternatives(rows, only):
    base = a_table(rows)
    worst, without = ("a", "a") if only == "Only a has" else ("b", "b")
    n = 5 if only == "Only a has" else 4
    (said,) = sentences.sentences(NOTHING, base, [])
    assert said == (
        f"{only} a score on every one of 6 independent data sets, so methods are not ranked; tables/sensitivity.csv "
        "has the best ones with missing scores as worst, and without the data sets that lack scores."
    )
    assert [(one.datasets, one.best) for one in scenarios(NOTHING, base)] == [
        (6, (worst,)),
        (n, (without,)),
    ]


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


def test_sentences_name_the_test_its_n_and_its_correction(outcome):
    base = comparison_across(outcome)
    output = " ".join(sentences.sentences(outcome, base, scenarios(outcome, base)))
    assert output == (
        "3 independent data sets (three and twin count as one) are too few to rank methods. A conclusion needs at "
        "least 5."
    )
    enough = a_table([[0.9, 0.5, 0.1]] * 5)
    output = " ".join(sentences.sentences(NOTHING, enough, []))  # type: ignore[arg-type]
    assert "a has the best mean rank by accuracy" in output
    assert "Friedman’s χ²" in output
    assert "on 5 data sets and 3 methods; Friedman" in output
    assert "Nemenyi’s test at α = 0.05" in output
    assert "Bayesian signed-rank test, n = 5" in output


def test_variations_say_what_would_change_the_conclusion(outcome):
    tried = scenarios(outcome, comparison_across(outcome))
    assert tried[0].best == ("a",)
    assert all(one.kept == ("a",) for one in tried)
    words = [one.what for one in tried]
    assert "missing scores counted as worst" in words
    assert "data sets that share rows counted each" in words
    flipped = a_table([[0.9, 0.8], [0.9, 0.8], [0.1, 0.9]])
    assert flipped.best == ["a"]
    assert flipped.without("d0").best == ["a", "b"]


def test_unusual_letters_are_escaped_in_markdown(tmp_path):
    data = pl.DataFrame({"a_b": ["50 % | <img>", None], "n": [1.5, float("nan")]})
    export_table(data, tmp_path / "odd")
    assert r"50 % \| &lt;img>" in (tmp_path / "odd.md").read_text()
    assert pl.read_csv(tmp_path / "odd.csv").height == 2


def test_no_method_on_the_front_is_slower_and_worse_than_another():
    seconds = {"fast": 1.0, "middle": 2.0, "slow": 3.0, "waste": 3.5}
    behind = {"fast": 0.3, "middle": 0.1, "slow": 0.2, "waste": 0.4}
    assert cost.pareto(seconds, behind) == ["fast", "middle"]


@each(
    ("metric", "rows", "means"),
    [
        ("matthews", [[-0.1, -0.3], [-0.3, -0.5]], [-0.2, -0.4]),  # all worse than chance
        (
            "log_loss",
            [[0.0, -0.2], [0.0, -0.4]],
            [0.0, 0.3],
        ),  # a is perfect; less is better: turned
    ],
)
def test_a_mean_score_is_that_of_the_metric(metric, rows, means):
    table = ranks_table(a_table(rows, metric)).sort("method")
    assert table["mean_score"].to_list() == pytest.approx(means)


@pytest.mark.parametrize(
    "ending", [("unavailable", "no network"), ("failed", "x"), ("not_applicable", "y")]
)
def test_a_study_without_any_score_is_still_written_and_reported(tmp_path, ending):
    methods = {"a": Method(everywhere=ending), "b": Method(everywhere=ending)}
    outcome = build(tmp_path, {"one": Data(), "two": Data()}, methods, folds=2)
    write_across(outcome)
    assert ending[1] in studies.finish(outcome)


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


def test_the_runner_up_and_orders_that_begin_with_another_method_are_named():
    """a and b are best once each, so their probabilities against each other are inconclusive; c is always last. a is a
    little better four times out of five, and far worse once.
    """
    base = a_table([[0.9, 0.8, 0.1], [0.8, 0.9, 0.1]] * 3)
    output = " ".join(sentences.sentences(NOTHING, base, []))  # type: ignore[arg-type]
    assert "a and b share the best mean rank" in output
    assert "a against the runner-up, c: with probability " in output
    assert " better by more than 0.01, " in output
    equal = " ".join(sentences.sentences(NOTHING, a_table([[0.9, 0.1], [0.1, 0.9]] * 3), []))  # type: ignore[arg-type]
    assert "All methods share the best mean rank, so there is no runner-up." in equal
    close = [[0.81, 0.8, 0.1]] * 4
    _, other, *_ = sentences.sentences(NOTHING, a_table([*close, [0.5, 0.9, 0.1]]), [])  # type: ignore[arg-type]
    assert other.startswith("Other criteria rank a different method first: b by mean accuracy. ")
    same = " ".join(sentences.sentences(NOTHING, a_table([*close, [0.91, 0.9, 0.1]]), []))  # type: ignore[arg-type]
    assert "Other criteria" not in same


def test_the_f_decides_where_the_two_disagree():
    """Ranks 1 2 3 four times and 2 1 3 once: χ² = 12/(5·3·4)·(6² + 9² + 15²) − 3·5·4 = 8.4; and
    F = 4·8.4/(5·2 − 8.4) = 21."""
    base = a_table([[0.9, 0.8, 0.7]] * 4 + [[0.8, 0.9, 0.7]])
    output = " ".join(sentences.sentences(NOTHING, base, []))  # type: ignore[arg-type]
    assert "The methods differ significantly: Iman and Davenport’s F = 21.00" in output
    assert "Friedman’s χ² = 8.40, p = .015, is too conservative" in output  # e^(−4.2)
    clear = a_table([[0.9, 0.8, 0.7]] * 9 + [[0.8, 0.9, 0.7]])
    output = " ".join(sentences.sentences(NOTHING, clear, []))  # type: ignore[arg-type]
    assert output.count("p < .001") == 2


def test_ratings_of_few_data_sets_have_no_intervals(tmp_path):
    for n in (RESAMPLED - 1, RESAMPLED):
        data = {f"d{i}": Data(seed=i) for i in range(n)}
        made = build(tmp_path / str(n), data, {"a": Method(3.0), "b": Method(0.3)}, folds=2)
        is_known = n == RESAMPLED
        assert ranks_table(comparison_across(made))["rating_lower"].is_not_null().all() == is_known
        assert ranks_table(comparison_across(made))["rating"].is_not_null().all()
        with style.settings():
            exhibit = rankings.ratings(made)
        assert ("There are no intervals" in exhibit.caption) != is_known
        assert (exhibit.numbers["ratings"]["a"]["lower"] is not None) == is_known


def test_the_cost_of_a_method_is_that_of_whole_training_sets(outcome):
    """Fits of a learning curve that take a thousand times as long change nothing but the caption."""
    curve = outcome.times.filter(protocol="cv").with_columns(
        protocol=pl.lit("learning_curve@0.1"), fit_seconds=1000 * pl.col("fit_seconds")
    )
    both = SimpleNamespace(times=pl.concat([outcome.times, curve]), fits=outcome.fits)
    plain = SimpleNamespace(times=outcome.times, fits=outcome.fits)
    found, expected = (cost_table.cost(one) for one in (both, plain))  # type: ignore[arg-type]
    assert found.rows == expected.rows
    assert "learning curves" in found.caption
    assert "learning curves" not in expected.caption
    only = SimpleNamespace(times=curve, fits=outcome.fits)
    assert cost_table.cost(only) is None  # type: ignore[arg-type]


def test_the_cost_table_says_whose_seconds_are_of_fewer_fits(outcome):
    """lda looks cheapest where it does not apply to the largest data set."""
    first = outcome.times["dataset"] == "one"
    fewer = outcome.times.filter(~(first & (outcome.times["method"] == "a")))
    for times, is_said in ((outcome.times.filter(first), False), (fewer, True)):
        own = SimpleNamespace(times=times, fits=outcome.fits)
        found = cost_table.cost(own)  # type: ignore[arg-type]
        assert ("of fewer data sets or folds" in found.caption) == is_said
        assert "folds that were solved together share their seconds equally" in found.caption


@each(("protocols", "output"), [
    (["cv", "official"], "folds"),
    ([{"hold_out": {"repeats": 4}}], "hold-outs"),
    ([{"hold_out": {"repeats": 4}}, "cv"], "hold-outs or folds"),
])  # fmt: skip
def test_a_spread_is_over_folds_or_hold_outs(protocols, output):
    evaluation = {"protocols": protocols, "folds": 3, "repeats": 1}
    assert units(evaluation, *selected_protocols(evaluation)) == output


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


@pytest.mark.parametrize(
    ("datasets", "shown"), [(2, False), (MIN_DATA_SETS - 1, False), (MIN_DATA_SETS, True)]
)
def test_robustness_is_not_reported_without_a_conclusion(tmp_path, datasets, shown):
    (tmp_path / "tables").mkdir()
    tried = [
        Scenario("accuracy", datasets, ("a",), ("a",)),
        Scenario("by F1", datasets, ("a",), ("a",)),
    ]
    sensitivity_table(tried).write_csv(tmp_path / "tables" / "sensitivity.csv")
    assert bool(sensitivity.sensitivity(SimpleNamespace(results=tmp_path))) == shown


def test_methods_with_the_same_predictions_are_named_once(tmp_path):
    """b predicts as a does wherever there are two classes, and c with its accuracies, but other rows."""
    data = {name: Data(seed=i) for i, name in enumerate(("one", "two", "three"))}
    data["many"] = Data(classes=("x", "y", "z"))
    made = build(tmp_path, data, {name: Method(0.5) for name in "abc"}, folds=2)
    runs = {
        (name, method): tmp_path / "runs" / name / method / "predictions.parquet"
        for name in data
        for method in "abc"
    }
    scores = made.scores
    for name in ("one", "two", "three"):
        for other in "bc":
            taken = pl.read_parquet(runs[name, "a"]).with_columns(method=pl.lit(other))
            if other == "c":  # two rows of one fold and class exchange their predictions
                key = ["protocol", "repeat", "fold", "y_true"]
                taken = taken.sort("row").with_columns(pl.col("y_pred").reverse().over(key))
            taken.write_parquet(runs[name, other])
            own = scores.filter(dataset=name, method="a").with_columns(method=pl.lit(other))
            scores = pl.concat(
                [scores.filter((pl.col("dataset") != name) | (pl.col("method") != other)), own]
            )
    made = replace(made)
    made.__dict__["scores"] = scores
    sets = "all 3 data sets of two classes"
    said = (
        f"a and b predict the same class in every held-out row of {sets} on which they have scores."
    )
    assert same_predictions(made) == [said]
    write_across(made)
    assert said in (tmp_path / "tables" / "across.json").read_text()
    two = replace(made, datasets={name: made.datasets[name] for name in ("one", "many")})
    two.__dict__["scores"] = scores
    assert same_predictions(two) == []
    lost = replace(made)
    lost.__dict__["scores"] = scores
    runs["one", "a"].unlink()
    assert same_predictions(lost) == []
