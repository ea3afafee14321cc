"""The first sentences of the report: the best method and its certainty, without statistical terms."""

from dataclasses import replace

import pytest
import studies
from studies import Data, Method

from linclass_study.analysis import sentences
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.sentences import excluded_sentence, plain_answer
from linclass_study.analysis.verdict import study_verdict
from linclass_study.report.contents import TABLES
from linclass_study.report.drawing import style
from linclass_study.report.figures import matrices, rankings
from linclass_study.report.page import learning_curve_sizes


@pytest.fixture
def reported(outcome_of):
    """reported({data set: {method: accuracy of each fold}}): the sentences."""
    return lambda values: plain_answer(study_verdict(outcome_of(values)))


@pytest.fixture
def outcome_of(scored):
    return lambda values: scored(values, rows=10)


GOOD, LITTLE_LESS, BAD = [0.9, 0.91, 0.92, 0.9], [0.9, 0.91, 0.91, 0.9], [0.5, 0.51, 0.52, 0.5]


def test_a_data_sets_table_calls_no_tie_clearly_the_best(outcome_of):
    def sure(values):
        table = TABLES["answer"](outcome_of({"d": values}))
        return table.rows[0][[column.key for column in table.columns].index("sure")]

    tied = dict.fromkeys(("a", "b"), GOOD)
    assert sure({"good": GOOD, "bad": BAD}) == "it is clearly the best"
    assert sure(tied | {"bad": BAD}) == "2 share the best mean; bad is clearly worse"
    assert sure(tied | {"bad": BAD, "c": BAD}).endswith("; all 2 others are clearly worse")
    assert sure(tied | {"near": LITTLE_LESS}).endswith("; near is indistinguishable from them")
    assert sure({"good": GOOD, "near": LITTLE_LESS}) == "near is indistinguishable from it"


def test_equals_are_named_together_and_many_are_counted(reported):
    output, *_ = reported({"d": dict.fromkeys(("a", "b"), GOOD) | {"bad": BAD}})
    assert output == "a and b have the best accuracy on d, 0.907; bad is clearly worse."
    tied = dict.fromkeys(("a", "b"), GOOD)
    near = {"near": LITTLE_LESS, "nearer": LITTLE_LESS}
    output, *_ = reported({"d": tied | near})
    assert output.endswith("0.907; all 2 others are indistinguishable from them.")
    output, *_ = reported({"d": tied | near | {"bad": BAD}})
    assert output.endswith(
        "0.907; 2 of the 3 others are indistinguishable from them, 1 is clearly worse."
    )
    # ranks 1.5 and 3.5 of 4: Nemenyi's CD is 2.57 √(4·5/(6n)), 2.10 for n = 5 and 1.92 for 6
    first, *_ = reported({f"d{i}": tied | near for i in range(5)})
    assert (
        "but not significantly better than 2 of the 2 other methods. Mean ranks are compared by Nemenyi’s test"
        in first
    )
    first, *_ = reported({f"d{i}": tied | near for i in range(6)})
    assert first.startswith("a and b share the best mean rank by accuracy over")
    assert first.endswith(
        "significantly better than every other method. Mean ranks are compared by Nemenyi’s test, because Wilcoxon’s "
        "signed-rank test cannot be significant after correction on so few data sets."
    )
    once = {"d6": dict.fromkeys(tied, LITTLE_LESS) | dict.fromkeys(near, GOOD)}
    first, *_ = reported({f"d{i}": tied | near for i in range(6)} | once)
    assert (
        "but not significantly better than 2 of the 2 other methods. Mean ranks are compared by Nemenyi"
        in first
    )
    output, *_ = reported({"d": {f"m{i}": GOOD for i in range(18)}})
    assert output.startswith("m0, m1, m2, m3 and 14 others have the best accuracy")


def test_the_answer_for_two_methods_across_data_sets_follows_the_sign_test(reported):
    """Five wins of five have p = 2/2⁵ = .0625, six of six .031. (Nemenyi's approximation would be 1.96/√n ranks, less
    than their distance from n = 4 on.)"""
    few = {f"d{i}": {"good": GOOD, "bad": BAD} for i in range(3)}
    many = {f"d{i}": {"good": GOOD, "bad": BAD} for i in range(6)}
    assert reported(few) == [
        *(f"good has the best accuracy on d{i}, 0.907; it is clearly the best." for i in range(3)),
        "3 independent data sets are too few to rank methods. A conclusion needs at least 5.",
    ]
    over = "good has the best mean rank by accuracy over"
    assert reported(many) == [
        f"{over} 6 independent data sets, significantly better than bad.",
        "On 6 of the 6 data sets with several scores of several methods one method is clearly the best.",
    ]
    del many["d5"]
    assert reported(many) == [
        f"{over} 5 independent data sets, but not significantly better than bad.",
        "On 5 of the 5 data sets with several scores of several methods one method is clearly the best.",
        (
            "If the observed difference between good and bad, the next by mean rank, is the true one, significance "
            "takes about 6 data sets like these."
        ),
    ]


def test_few_data_sets_are_compared_one_by_one_with_ties_counted(reported):
    """A method that is far behind on every single data set is not called as good as the best."""
    output = reported(
        {key: {"good": GOOD, "near": LITTLE_LESS, "guess": BAD} for key in ("d", "e")}
    )
    near = "1 of the 2 others is indistinguishable from it, 1 is clearly worse."
    assert [output[0], output[1], output[-1]] == [
        f"good has the best accuracy on d, 0.907; {near}",
        f"good has the best accuracy on e, 0.907; {near}",
        "2 independent data sets are too few to rank methods. A conclusion needs at least 5.",
    ]
    close = {"good": GOOD, "near": LITTLE_LESS, "nearer": LITTLE_LESS}
    assert reported({"d": close, "e": close})[1].endswith(
        "all 2 others are indistinguishable from it."
    )
    output, *_ = reported({"d": dict.fromkeys("abc", GOOD)})
    assert output == "a, b and c have the best accuracy on d, 0.907; no method is behind them."
    equals = dict.fromkeys(("a", "b"), GOOD) | {"bad": BAD}
    first, second, *_ = reported({"d": equals, "e": {"a": BAD, "b": LITTLE_LESS, "bad": GOOD}})
    assert first.startswith("a and b have the best accuracy on d, 0.907; ")
    assert second.startswith("bad has the best accuracy on e, 0.907; ")
    lone = {"a": GOOD}
    named = [
        line
        for line in reported({f"d{i}": lone for i in range(7)})
        if "the best" in line and "on d" in line
    ]
    assert named == []  # seven are in the table
    output = reported({f"d{i}": dict.fromkeys("ab", GOOD) for i in range(5)})
    assert output[0] == "All methods share the best mean rank."


def test_data_sets_without_a_result_are_counted_apart(make):
    data = {f"d{i}": Data() for i in range(5)} | {"unread": Data(unavailable="x"), "odd": Data()}
    methods = {name: Method(everywhere=("not_applicable", "y"), only=["odd"]) for name in "ab"}
    output = plain_answer(study_verdict(make(data, methods, folds=2)))
    assert "of the 5 data sets with several scores" in output[1]
    assert output[-1] == "2 of the 7 data sets have no result."
    one = make({name: data[name] for name in ("d0", "unread", "odd")}, methods, 2, "one")
    first, *_, last = plain_answer(study_verdict(one))
    assert "the best accuracy on d0" in first
    assert last == "2 of the 3 data sets have no result."


def test_figures_name_the_methods_that_are_left_out(make):
    lacks = Method(0.0, everywhere=("not_applicable", "y"), only=["d0", "d1"])
    data = {f"d{i}": Data() for i in range(7)} | {"other": Data(("a", "b"), seed=77)}
    twins = {"twin": Data(("a", "b"), seed=77), **data}
    outcome = make(twins, {"good": Method(0.9), "near": Method(1.0), "lacks": lacks}, folds=2)
    over = "over 8 independent data sets (twin and other count as one)"
    assert f" {over}, " in plain_answer(study_verdict(outcome))[0]
    assert f" {over}." in sentences.sentences(outcome, comparison_across(outcome), [])[0]
    with style.settings():
        for draw in (rankings.ranks, rankings.ratings, matrices.pairwise):
            caption = draw(outcome).caption
            assert "Not ranked, as a score is missing on some data set: lacks (tables" in caption


def test_no_clear_winner_is_reported_only_for_data_sets_that_could_show_one(make, reported):
    """A method without others, or with one value each, gets no statement about being clearly the best."""
    alone = make({f"d{i}": Data() for i in range(5)}, {"a": Method()}, folds=2)
    assert all("no other method to compare" in one for one in plain_answer(study_verdict(alone)))
    single = make(
        {f"d{i}": Data(official=20) for i in range(5)},
        {"a": Method(3.0), "b": Method(0.3)},
        folds=2,
    )
    single.evaluation["protocols"] = ["official"]
    assert plain_answer(study_verdict(replace(single)))[1] == (
        "No data set has several scores of several methods, so none is clearly the best."
    )
    five = reported({f"d{i}": {"good": GOOD, "bad": BAD} for i in range(5)})
    assert five[1].startswith(
        "On 5 of the 5 data sets with several scores of several methods one method is"
    )


def test_excluded_methods_are_named_with_the_reason_or_counted(make):
    gone = Method(everywhere=("not_applicable", "needs counts"), only=["d"])
    fails = Method(endings={1: ("failed", "x")})
    methods = {"fine": Method(), "gone": gone, "fails": fails}
    outcome = make({"d": Data(), "e": Data()}, methods)
    assert excluded_sentence(study_verdict(outcome)) == (
        "Excluded: gone on d (not applicable), fails on d and e (failed)."
    )
    table = TABLES["answer"](outcome)
    place = [column.key for column in table.columns].index("absent")
    assert [row[place] for row in table.rows] == [["gone", "fails"], ["fails"]]
    many = make({f"d{i}": Data() for i in range(7)}, {"fine": Method(), "fails": fails}, name="m")
    assert excluded_sentence(study_verdict(many)) == "Excluded: fails on 7 data sets."
    once = Method(endings={1: ("failed", "x")}, only=["d3"])
    twice = Method(endings={1: ("failed", "x")}, only=["d3", "d4"])
    methods |= {"once": once, "twice": twice}
    del methods["gone"]
    several = make({f"d{i}": Data() for i in range(7)}, methods, name="s")
    assert excluded_sentence(study_verdict(several)) == (
        "Excluded: fails on 7 data sets, twice on 2 data sets, once on 1 data set."
    )
    whole = make({"d": Data()}, {"fine": Method()}, name="whole")
    assert excluded_sentence(study_verdict(whole)) == ""


def test_a_best_method_with_unconverged_fits_is_marked_beside_its_name(make):
    methods = {"apart": Method(50.0, everywhere=("separable", "")), "other": Method(0.5)}
    outcome = make({"d": Data()}, methods, folds=3)
    table = TABLES["answer"](outcome)
    row = dict(zip((column.key for column in table.columns), table.rows[0], strict=True))
    assert (row["best"], row["ended"]) == (["apart"], "3 separable of 3")


@pytest.mark.parametrize("official", [0, 20])
def test_an_official_test_set_is_named_only_where_there_is_one(make, official):
    outcome = make({"d": Data(official=official)}, {"m": Method(), "n": Method(2.0)}, folds=2)
    assert (
        "fficial test" in studies.finish(outcome).split("The study’s configuration")[0]
    ) is bool(official)


@pytest.mark.parametrize(("classes", "said"), [("ab", False), ("abc", True)])
def test_an_auc_of_raw_scores_is_explained_for_more_than_two_classes(make, classes, said):
    methods = {"good": Method(), "raw": Method(probabilities=False)}
    outcome = make({"d": Data(classes=tuple(classes))}, methods, folds=2)
    caption = TABLES["performance"](outcome, "d").caption
    assert ("raw scores across rows" in caption) == said
    plain = make({"d": Data(classes=tuple(classes))}, {"good": Method()}, 2, "plain")
    assert "raw scores" not in TABLES["performance"](plain, "d").caption


def test_the_page_names_the_sizes_of_learning_curves(make):
    outcome = make({"d": Data()}, {"good": Method()}, folds=2)
    assert learning_curve_sizes(outcome) == ""
    protocols = ["cv", {"learning_curve": {"sizes": [0.1, 50]}}]
    curved = replace(outcome, evaluation={**outcome.evaluation, "protocols": protocols})
    assert learning_curve_sizes(curved) == "10 %, 50 rows of each training set"


def test_a_study_without_an_answer_says_so(make):
    outcome = make({"gone": Data(unavailable="x")}, {"m": Method()})
    assert plain_answer(study_verdict(outcome)) == [
        "No method succeeded on every fold of any data set, so none is best."
    ]
