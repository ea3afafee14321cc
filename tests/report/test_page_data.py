"""The data of the page's scripts."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import yaml
from scipy import stats
from studies import Data, Method

from linclass.evaluation.comparisons.friedman_test import ranks
from linclass_study.analysis.across_datasets import comparison_across
from linclass_study.analysis.fit_problems import planned_words
from linclass_study.analysis.headline import headline
from linclass_study.analysis.verdict import study_verdict
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
    names = [one["name"] for one in data["metrics"]]
    assert names[0] == "accuracy"
    assert {"auc", "log_loss", "f1"} <= {*names}
    summary = pl.read_csv(six.results / "tables" / "summary.csv").filter(protocol="cv")
    summary = summary.filter(pl.col("metric").is_in(names))
    assert summary.height == len(names) * 6 * 3
    for row in summary.iter_rows(named=True):
        d, m = [*six.datasets].index(row["dataset"]), [*six.methods].index(row["method"])
        folds = data["scores"][row["metric"]][d][m]
        assert np.mean(folds) * UNIT == pytest.approx(row["mean"], abs=UNIT)


def test_headlines_by_other_metrics_are_those_of_a_study_that_ranks_by_them(six):
    data = study_data(six)
    for one in data["metrics"][1:]:
        evaluation = {**six.evaluation, "tune_metric": one["name"], "rope": 0}
        ranked = replace(six, evaluation=evaluation)
        assert one["headline"] == headline(ranked, study_verdict(ranked), ranked.labels)
        assert f"by {one['words']} over" in one["headline"][0]
    assert "headline" not in data["metrics"][0]  # which the page has


def test_a_headline_says_that_a_focus_without_probabilities_cannot_be_ranked_by_log_loss(make):
    methods = SKILLS | {"mute": Method(2.0, probabilities=False)}
    outcome = make({f"d{i}": Data(rows=40, features=2) for i in range(6)}, methods)
    focused = replace(outcome, evaluation={**outcome.evaluation, "focus": ["mute"]})
    by_loss = {one["name"]: one for one in study_data(focused)["metrics"]}["log_loss"]
    said = "mute cannot be ranked; good ranks first of 3 methods by log loss"
    assert by_loss["headline"][0].startswith(said)


def test_memory_is_the_most_of_a_process_on_each_data_set(six):
    times = six.times.with_columns(peak_rss_mb=pl.int_range(pl.len()).cast(float))
    six.__dict__["times"] = times  # the cache of cached_property
    memory = study_data(six)["memory"]
    for d, dataset in enumerate(six.datasets):
        for m, method in enumerate(six.methods):
            most = times.filter(dataset=dataset, method=method)["peak_rss_mb"].max()
            assert memory[d][m] == most


def test_a_method_that_misses_a_fold_has_no_scores_but_a_partial_mean(make):
    halting = Method(2.0, endings={1: ("failed", "raised")})
    outcome = make({f"d{i}": Data(rows=40) for i in range(5)}, SKILLS | {"halting": halting})
    data = study_data(outcome)
    place = list(outcome.methods).index("halting")
    assert all(row[place] is None for row in data["scores"]["accuracy"])
    assert f"0,{place}" in data["partial"]["accuracy"]
    assert place not in data["across"]["accuracy"]["methods"]
    assert data["fits"][0][place] == {"converged": 4, "failed": 1}


def test_a_data_set_without_folds_is_valid_json(make):
    """As of a class that is too small for them: its fits have no rows."""
    none = Method(
        everywhere=("not_applicable", "3 folds need 3 rows of every class"), only=["rare"]
    )
    outcome = make({"rare": Data(), "other": Data()}, {"a": none, "b": none})
    size = pl.when(dataset="rare").then(0)
    outcome.__dict__["fits"] = outcome.fits.with_columns(
        size.otherwise("n_train").alias("n_train"), size.otherwise("n_test").alias("n_test")
    )
    rare, _ = json.loads(as_json(study_data(outcome)))["datasets"]
    assert rare["ratio"] == rare["step"] == 0


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
    for classifier in {entry["classifier"] for entry in catalogue.values()}:
        found = docstring_parts(classifier)
        if classifier.startswith("linclass."):
            assert found["equation"], classifier
            assert found["reference"], classifier
        else:
            assert found == {}, classifier
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
