"""What the page says beside its headline: the table of best methods, excluded methods, official test sets, sizes."""

from dataclasses import replace

import pytest
import studies
from studies import Data, Method

from linclass_study.analysis import sentences
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.sentences import excluded_sentence
from linclass_study.analysis.verdict import study_verdict
from linclass_study.report.contents import TABLES
from linclass_study.report.drawing import style
from linclass_study.report.figures import matrices, rankings
from linclass_study.report.page import learning_curve_sizes

GOOD, LITTLE_LESS, BAD = [0.9, 0.91, 0.92, 0.9], [0.9, 0.91, 0.91, 0.9], [0.5, 0.51, 0.52, 0.5]


def test_a_data_sets_table_calls_no_tie_clearly_the_best(scored):
    def sure(values):
        table = TABLES["answer"](scored({"d": values}, rows=10))
        return table.rows[0][[column.key for column in table.columns].index("sure")]

    tied = dict.fromkeys(("a", "b"), GOOD)
    assert sure({"good": GOOD, "bad": BAD}) == "it is clearly the best"
    assert sure(tied | {"bad": BAD}) == "2 share the best mean; bad is clearly worse"
    assert sure(tied | {"bad": BAD, "c": BAD}).endswith("; all 2 others are clearly worse")
    assert sure(tied | {"near": LITTLE_LESS}).endswith("; near is indistinguishable from them")
    assert sure({"good": GOOD, "near": LITTLE_LESS}) == "near is indistinguishable from it"


def test_figures_name_the_methods_that_are_left_out(make):
    lacks = Method(0.0, everywhere=("not_applicable", "y"), only=["d0", "d1"])
    data = {f"d{i}": Data() for i in range(7)} | {"other": Data(("a", "b"), seed=77)}
    twins = {"twin": Data(("a", "b"), seed=77), **data}
    outcome = make(twins, {"good": Method(0.9), "near": Method(1.0), "lacks": lacks}, folds=2)
    over = "over 8 independent data sets (twin and other count as one)"
    assert f" {over}." in sentences.sentences(outcome, comparison_across(outcome), [])[0]
    with style.settings():
        for draw in (rankings.ranks, rankings.ratings, matrices.pairwise):
            caption = draw(outcome).caption
            assert "Not ranked, as a score is missing on some data set: lacks (tables" in caption


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
