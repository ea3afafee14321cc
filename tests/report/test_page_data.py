"""The data of the page's scripts, and the three sentences at its top."""

import json
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import studies
import yaml
from cases import each
from scipy import stats
from studies import Data, Method, numbers_of

from linclass.evaluation.comparisons.friedman_test import ranks
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.fit_problems import planned_words
from linclass_study.analysis.headline import headline
from linclass_study.analysis.verdict import study_verdict
from linclass_study.entries import Labels
from linclass_study.project import ROOT
from linclass_study.report.page_data import (
    SIDE,
    UNIT,
    as_json,
    docstring_parts,
    study_data,
)

SKILLS = {"good": Method(3.0), "fair": Method(1.5), "poor": Method(0.3)}


@pytest.fixture
def six(make):
    return make({f"d{i}": Data(rows=40, features=2) for i in range(6)}, SKILLS)


def test_planned_fits_are_those_of_each_protocol(make):
    data = {"with_test_set": Data(official=30), "without": Data()}
    fits = make(data, {"a": Method(), "b": Method()}, folds=4).fits
    said = "8 in cross-validation (2 data sets), 1 with the official test set (1 data set)"
    assert planned_words(fits) == said
    assert planned_words(fits.filter(dataset="without")) == "4 in cross-validation"


def test_scores_of_the_folds_have_the_means_of_the_summary(six):
    data = study_data(six)
    summary = pl.read_csv(six.results / "tables" / "summary.csv").filter(protocol="cv")
    means = {
        tuple(row[:3]): row[3]
        for row in summary.select("dataset", "method", "metric", "mean").iter_rows()
    }
    names = [one["name"] for one in data["metrics"]]
    assert names[0] == "accuracy"
    assert {"auc", "log_loss", "f1"} <= {*names}
    for metric in names:
        for d, dataset in enumerate(six.datasets):
            for m, method in enumerate(six.methods):
                folds = data["scores"][metric][d][m]
                assert np.mean(folds) * UNIT == pytest.approx(
                    means[dataset, method, metric], abs=UNIT
                )


def test_a_method_that_misses_a_fold_has_no_scores_but_a_partial_mean(make):
    halting = Method(2.0, endings={1: ("failed", "raised")})
    outcome = make({f"d{i}": Data(rows=40) for i in range(5)}, SKILLS | {"halting": halting})
    data = study_data(outcome)
    place = list(outcome.methods).index("halting")
    assert all(row[place] is None for row in data["scores"]["accuracy"])
    assert f"0,{place}" in data["partial"]["accuracy"]
    assert place not in data["across"]["accuracy"]["methods"]
    assert data["fits"][0][place] == {"converged": 4, "failed": 1}


def test_rank_intervals_are_percentiles_of_mean_ranks_of_drawn_data_sets(six):
    across = study_data(six)["across"]["accuracy"]
    table = np.array(ranks(comparison_across(six).table))
    assert across["rank"] == pytest.approx(table.mean(axis=0), rel=1e-3)
    rng = np.random.default_rng(5)
    drawn = np.array([table[rng.integers(6, size=6)].mean(axis=0) for _ in range(20_000)])
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    assert across["low"] == pytest.approx(low, abs=0.17)  # a step of the bootstrap of six data sets
    assert across["high"] == pytest.approx(high, abs=0.17)


def test_bold_and_grey_bars_of_a_chosen_best_method_are_the_same_test_but_not_those_of_a_focus(six):
    """3 pairs on 6 data sets: Wilcoxon's p is at least 3 · 2/2⁶ = .094; of 2 comparisons with a focus .063."""
    across = study_data(six)["across"]["accuracy"]
    assert (across["test"], across["chosen"]) == ("nemenyi", True)
    assert across["words"] == "Nemenyi’s test of all pairs"
    best = across["control"]
    joined = [any({best, m} <= {*group} for group in across["groups"]) for m in across["others"]]
    assert [not side for side in across["verdict"]] == joined
    rank = dict(zip(across["methods"], across["rank"], strict=True))
    apart = np.array([rank[m] - rank[best] for m in across["others"]]) / np.sqrt(3 * 4 / (6 * 6))
    p = stats.studentized_range.sf(apart * np.sqrt(2), 3, np.inf)
    assert across["p"] == pytest.approx(p, rel=1e-3)
    focus = replace(six, evaluation={**six.evaluation, "focus": ["good"]})
    across = study_data(focus)["across"]["accuracy"]
    assert (across["test"], across["chosen"]) == ("ranks", False)
    assert across["words"] == "mean ranks, Holm’s correction"


def test_every_model_of_the_catalogue_has_its_equation_and_reference():
    catalogue = yaml.safe_load((ROOT / "config" / "methods.yaml").read_text(encoding="utf-8"))
    own = {
        entry["classifier"]
        for entry in catalogue.values()
        if entry["classifier"].startswith("linclass.")
    }
    for classifier in own:
        found = docstring_parts(classifier)
        assert found["equation"], classifier
        assert found["reference"], classifier
    assert docstring_parts("sklearn.svm.SVC") == {}
    assert docstring_parts("linclass.NoSuchModel") == {}


def test_json_cannot_end_its_element_of_the_page():
    hostile = {"name": "</script><script>alert(1)</script>\u2028"}
    text = as_json(hostile)
    assert "<" not in text
    assert json.loads(text) == hostile


def test_planes_are_of_data_sets_with_two_features_and_inside_their_square(make):
    outcome = make({"plane": Data(rows=40, features=2), "wide": Data(rows=40, features=4)}, SKILLS)
    (plane,) = study_data(outcome)["planes"]
    assert plane["dataset"] == 0
    assert not plane["cut"]
    assert {*plane["shown"]} == {*plane["panels"]} == {0, 1, 2}
    points = np.array(plane["points"])
    assert ((points[:, :2] >= 0) & (points[:, :2] <= SIDE)).all()
    assert {*points[:, 2]} == {0, 1}
    assert all(len(panel["lines"]) == 5 for panel in plane["panels"].values())


def sentences_of(outcome):
    return headline(outcome, study_verdict(outcome), outcome.labels)


def test_the_headline_has_answer_confidence_and_next_step(scored):
    rng = np.random.default_rng(0)

    def values(level):
        return [level + noise for noise in rng.normal(0, 0.01, size=4)]

    ranked = scored(
        {f"d{i}": {"a": values(0.9), "b": values(0.895), "c": values(0.5)} for i in range(6)}
    )
    answer, sure, more = sentences_of(ranked)
    assert answer.startswith("a ranks first of 3 methods by accuracy over 6 independent data sets")
    assert "significantly better than c only, not distinguishable from b" in sure
    assert re.fullmatch(
        r"Still undecided: a against b, and a against b on d\d\. If the observed differences are the true ones, "
        r"deciding the first takes about \d+ data sets like these, and the second \d+ repeats "
        r"of the folds \(`repeats: \d+`\)\.",
        more,
    )
    focused = replace(ranked, evaluation={**ranked.evaluation, "focus": ["b"]})
    assert (
        "undecided: b against a" in sentences_of(focused)[2]
    )  # also where the best is not the focus


@each(("ratio", "words"), [
    (3.42, "and takes 3.4 times as long to fit"),
    (0.1, "which takes 10 times as long to fit"),
    (1.02, "which takes equally long to fit"),
])  # fmt: skip
def test_the_headline_says_which_of_the_two_best_methods_takes_longer(
    scored, monkeypatch, ratio, words
):
    monkeypatch.setattr("linclass_study.analysis.headline.cost_ratio", lambda *_: ratio)
    outcome = scored({f"d{i}": {"a": [0.9, 0.91], "b": [0.8, 0.82]} for i in range(6)})
    assert sentences_of(outcome)[0].endswith(f", ahead of b, {words}.")


def test_the_headline_of_a_focus_says_its_place_and_who_is_first(scored):
    outcome = scored(
        {f"d{i}": {"a": [0.9, 0.91], "b": [0.8, 0.82], "c": [0.7, 0.71]} for i in range(6)}
    )
    outcome.evaluation["focus"] = ["b"]
    answer, sure, *_ = sentences_of(outcome)
    assert answer.startswith("b ranks 2nd of 3 methods")
    assert answer.endswith("; a ranks first; b and a take equally long to fit.")
    assert sure.startswith("It is ")


def test_the_headline_of_few_data_sets_names_who_is_best_and_why_there_is_no_ranking(scored):
    values = {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.52, 0.5]}
    outcome = scored({"d": values})
    answer, sure, *_ = sentences_of(outcome)
    assert answer == "a has the best accuracy on d, 0.903."
    assert sure == "It is clearly the best."
    outcome.evaluation["focus"] = ["b"]
    assert sentences_of(replace(outcome))[0] == answer
    answer, sure, *_ = sentences_of(scored(dict.fromkeys("de", values)))
    assert answer == "a is the best by accuracy on 2 of 2 data sets."
    assert sure.startswith(
        "One method is clearly the best on 2 of them. 2 independent data sets are too few"
    )


def test_the_headline_of_two_methods_follows_the_sign_test(scored):
    """Five wins of five have p = 2/2⁵ = .0625, six of six .031. (Nemenyi's approximation would be 1.96/√n ranks, less
    than their distance from n = 4 on.)"""
    values = {"good": [0.9, 0.91, 0.92, 0.9], "bad": [0.5, 0.51, 0.52, 0.5]}
    _, sure = sentences_of(scored({f"d{i}": values for i in range(6)}))
    assert sure == "It is significantly better than bad; clearly the best on 6 of 6 data sets."
    _, sure, more = sentences_of(scored({f"d{i}": values for i in range(5)}))
    assert sure == "It is not distinguishable from bad; clearly the best on 5 of 5 data sets."
    assert more == (
        "Still undecided: good against bad. If the observed difference is the true one, deciding it takes about 6 "
        "data sets like these."
    )


def labelled(outcome):
    """A method and a data set have labels."""
    methods = outcome.methods | {"a": outcome.methods["a"] | {"label": "Ours & co"}}
    datasets = outcome.datasets | {"d": outcome.datasets["d"] | {"label": "Diabetes"}}
    made = replace(outcome, methods=methods, datasets=datasets)
    made.__dict__.update({part: getattr(outcome, part) for part in ("scores", "fits")})
    return made


def test_readers_see_labels_in_sentences_tables_and_figures_and_files_have_names(scored):
    outcome = labelled(scored({"d": {"a": [0.9, 0.91, 0.9], "b": [0.5, 0.52, 0.5]}}))
    answer, *_ = sentences_of(outcome)
    assert answer == "Ours & co has the best accuracy on Diabetes, 0.903."
    several = scored({d: {"a": [0.9, 0.91], "b": [0.8, 0.82], "c": [0.7, 0.71]} for d in "defghi"})
    assert sentences_of(labelled(several))[0].startswith("Ours & co ranks first of 3 methods")
    page = studies.finish(outcome, "methods", pictures=True)
    plain = page.partition('<section aria-labelledby="dataset">')[2]
    assert '<h3 id="data-1">Diabetes</h3>' in plain
    assert re.search(r"<th scope=\"row\"><a class=\"name[^>]*>Ours &amp; co</a></th>", plain)
    assert "on Diabetes.</b>" in plain
    drawing = (outcome.results / "exhibits/methods-d/figure.svg").read_text()
    assert ">Ours &amp; co</text>" in drawing
    assert (
        (outcome.results / "tables/performance-d.csv").read_text().splitlines()[1].startswith("a,")
    )
    assert numbers_of(outcome, "methods-d")["methods"][0]["method"] == "a"


def test_a_label_that_two_methods_share_names_neither():
    shown = Labels.of({"a": {"label": "Ours"}, "b": {"label": "Ours"}, "c": {"label": "C"}}, {})
    assert shown.methods == {"a": "a", "b": "b", "c": "C"}


def test_without_any_score_the_headline_says_so(make):
    outcome = make({"d": Data(rows=40)}, {"bad": Method(everywhere=("failed", "raised"))})
    assert sentences_of(outcome) == [
        "No method succeeded on every fold of any data set, so none is best."
    ]
