"""Findings of the data checks are reported with the results: in the terminal and on the page."""

import html
import re
from dataclasses import replace

import pytest
import studies
from studies import Data, Method

from linclass_study.analysis.across_datasets import groups_sharing_rows
from linclass_study.analysis.answer import DATA_LINES, answer
from linclass_study.report import data_card
from linclass_study.report.data_card import data_warnings

METHODS = {"good": Method(3.0), "plain": Method(0.5)}
NUMBERED = (
    "column 'feature 2' has 120 levels in 120 training rows; it looks like an identifier: "
    "leave it out with `drop: [feature 2]`"
)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    data = {
        "first": Data(seed=1), "numbered": Data(numbered=True), "again": Data(("a", "b"), seed=1),
        "gone": Data(unavailable="nobody has it"),
    }  # fmt: skip
    return studies.build(tmp_path_factory.mktemp("study") / "results", data, METHODS, folds=3)


@pytest.fixture(scope="module")
def words(outcome):
    text = re.sub("<[^>]+>", " ", studies.finish(outcome))
    return html.unescape(" ".join(text.split()))


def test_the_page_and_the_terminal_warn_of_data_before_the_answer(outcome):
    assert groups_sharing_rows(outcome) == [["first", "again"], ["numbered"], ["gone"]]
    lines = answer(outcome, "report.html").splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("good is the best"))
    numbered, shared = lines[first - 2 : first]
    assert numbered == f"data: numbered: {NUMBERED}"
    assert shared == "data: first, again share their rows, so they count once"


def test_many_remarks_are_cut_and_counted(make):
    data = {f"d{i}": Data(numbered=True) for i in range(DATA_LINES + 3)}
    lines = answer(make(data, {"m": Method()}, folds=2), "report.html").splitlines()
    assert lines[DATA_LINES] == "data: 3 more remarks, all in the report"
    assert lines[DATA_LINES + 1].startswith("m is the best by accuracy on 11 of 11 data sets")


def test_warnings_and_cards_of_data_sets_are_on_the_page(words):
    typed = NUMBERED.replace(" `", " ").replace("`", " ")  # is code
    for said, times in (
        ("Data warnings first , again share their rows", 1),
        ("use only the first of them that has a score.", 1),
        (f"numbered : {typed}.", 1),
        ("Features 3 numeric", 3),
        ("Shares rows with again; they count once", 1),
        ("Columns like an identifier: feature 2", 1),
        ("0 repeat another with its class", 3),
    ):
        assert words.count(said) == times, said


def test_a_method_for_ordered_classes_is_reported_on_alphabetical_order(make):
    made = make({"d": Data(classes=("high", "low", "mid"))}, METHODS, folds=2)
    outcome = replace(made, methods={"ordinal": {"classifier": "linclass.OrdinalRegression"}})
    (sentence,) = data_warnings(outcome)["d"]
    assert "ordinal takes the classes in alphabetical order, high < low < mid" in sentence
    listed = {"d": {"classes": ["low", "mid", "high"]}}
    assert not data_warnings(replace(outcome, datasets=listed))


FACTS = {
    "numeric": 2, "categorical": 1, "texts": 0, "unchecked": {}, "digest": "sha256:0",
    "missing_values": 4, "missing_by_column": {"a": 3, "b": 1},
    "constant_columns": 7, "constant_column_names": [f"x{j}" for j in range(7)],
    "duplicated_columns": 1, "duplicated_column_of": {"b": "a"},
    "duplicated_rows": 1, "conflicting_rows": 6, "least_error": 0.0154,
    "test_rows_in_training": 0, "rank": 2, "design_columns": 3, "condition_number": 12.345,
    "separable": "some pairs", "pairs": 3,
    "separability": {"complete": 1, "quasi-complete": 0, "none": 2, "undecided": 0},
}  # fmt: skip


def test_a_data_card_is_in_plain_words_and_omits_unknown_facts():
    assert data_card.card(FACTS) == {
        "Features": "2 numeric, 1 categorical",
        "Missing": "4 values: a (3), b (1)",
        "Columns": "7 constant (x0, x1, x2, x3, x4 and 2 more); 1 repeated (b = a)",
        "Rows": (
            "1 repeats another with its class; 6 have the features of a row of another class, so no "
            "classifier errs on fewer than 1.5\u00a0% of them all; 0 official test rows have the "
            "features of a training row"
        ),
        "Rank": "2 of 3 columns, imputed, one-hot and standardized; condition number 12.3",
        "Separable": "of 3 pairs of classes 1 separable by a hyperplane, 2 not separable",
        "Digest": "sha256:0",
    }
    unread = {"numeric": 2, "categorical": 0, "texts": 0, "unchecked": {"rows": "too far"}}
    assert data_card.card(unread) == {"Features": "2 numeric", "Not checked": "rows: too far"}
    assert data_card.card({}) == {}
