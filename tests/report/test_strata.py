"""Strata: every data set that counts is in one of each property; the tests of a stratum are those of its data sets."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from studies import Data, Method, build

from linclass_study.analysis import strata
from linclass_study.analysis.across_datasets import (
    AllScores,
    bootstrap_means,
    scenarios,
    write_comparison,
)
from linclass_study.analysis.aggregate import pairwise_table, ranks_table, write_across
from linclass_study.analysis.strata import ALL, MIN_TESTED, stratum_name
from linclass_study.report.tables import across

METHODS = ["a", "b", "c"]
DECLARED = {"classes": [2], "domain": []}


def comparison(n, seed=0):
    scores = np.random.default_rng(seed).integers(50, 100, size=(n, len(METHODS))) / 100
    return AllScores("accuracy", [f"d{i}" for i in range(n)], METHODS, scores).field


def facts(**given):
    known = {"rows": 60, "design_columns": 6, "features": 4, "categorical": 1, "missing_values": 0}
    return known | {"classes": {"x": 45, "y": 15}} | given


def of_datasets(base, classes, domains, apart=()):
    """The table of the data sets of a comparison, and of some that are apart from it."""
    names = [*base.datasets, *apart]
    shares = [{"classes": dict.fromkeys(range(k), 60 / k)} for k in classes]
    checks = {name: facts(**share) for name, share in zip(names, shares, strict=True)}
    entries = {name: {"domain": domain} for name, domain in zip(names, domains, strict=True)}
    outcome = SimpleNamespace(datasets=entries, checks=checks.get)
    return strata.datasets_table(outcome, DECLARED, base)


@pytest.fixture(scope="module")
def found():
    """24 data sets: 16 with two classes and 8 with three; 12 of medicine, 10 of society, 2 without a domain."""
    base = comparison(24)
    classes = [2] * 16 + [3] * 8 + [2]
    domains = ["medicine", "society"] * 10 + ["medicine"] * 2 + [None] * 2 + ["society"]
    table = of_datasets(base, classes, domains, apart=["left_out"])
    return list(strata.strata(table, DECLARED, base))


def test_a_bound_belongs_to_the_stratum_below_it():
    for bounds, values in (
        ([100, 10], {3: "≤ 10", 10: "≤ 10", 10.5: "> 10 to 100", 100: "> 10 to 100", 101: "> 100"}),
        ([0, 0.5], {0: "0", 0.2: "> 0 to 0.5", 0.9: "> 0.5"}),
        ([], {3.0: "3"}),
    ):
        assert {x: stratum_name(x, bounds) for x in values} == values


def test_properties_are_those_of_the_checked_data_and_without_them_there_is_no_stratum():
    given = facts(missing_values=7)
    assert {name: function(given) for name, function in strata.PROPERTIES.items()} == {
        "rows_per_column": 10, "classes": 2, "category_share": 0.25, "missing_values": 7, "largest_class_share": 0.75,
    }  # fmt: skip
    entries = {"d0": {}, "d1": {"domain": "medicine"}}
    outcome = SimpleNamespace(datasets=entries, checks=lambda name: facts() if name == "d0" else {})
    table = strata.datasets_table(outcome, DECLARED, comparison(2))
    assert table["classes_stratum"].to_list() == ["≤ 2", None]
    assert table["domain_stratum"].to_list() == [None, "medicine"]


def test_each_data_set_that_counts_is_in_one_stratum_of_a_property(found):
    assert {one[:2]: len(one.base.datasets) for one in found} == {
        (ALL, ALL): 24, ("classes", "≤ 2"): 16, ("classes", "> 2"): 8,
        ("domain", "medicine"): 12, ("domain", "society"): 10,
    }  # fmt: skip
    assert all(one.base.methods == METHODS for one in found)
    by_classes = [one.base.datasets for one in found if one.property == "classes"]
    assert by_classes[0] + by_classes[1] == found[0].base.datasets


def test_a_stratum_has_the_numbers_of_its_data_sets_and_a_small_one_is_not_tested(found):
    ranks, pairs = strata.ranks_of_strata(found), strata.pairs_of_strata(found, 0.01)
    for one in found:
        place = {"property": one.property, "stratum": one.name}
        means = ranks.filter(**place).select("method", "mean_score", "mean_rank")
        assert means.equals(ranks_table(one.base).select(means.columns))
        expected = pairwise_table(one.base).drop("rank_biserial")
        if expected["data_sets"][0] < MIN_TESTED:
            expected = expected.drop("p", "p_holm")
        assert pairs.filter(**place).select(expected.columns).equals(expected)
    assert pairs["mean_difference"].is_between(pairs["lower"], pairs["upper"]).all()
    assert ranks["rank_lower"].null_count() == 0
    for table, tested in ((ranks, ("p_best", "friedman_p")), (pairs, ("p", "p_holm", "better"))):
        small = table["data_sets"] < MIN_TESTED
        assert small.any()
        for column in tested:
            assert (table[column].is_null() == small).all(), column


def test_bootstrap_intervals_have_the_spread_of_the_mean_and_mirror_those_of_the_opposite():
    """Resampled data sets are the same for A − B and B − A, and quantiles of −x are those of x from the other end."""
    values = np.random.default_rng(0).normal(size=(400, 3))
    low, high = bootstrap_means(values)
    expected = 2 * 1.96 * values.std(axis=0) / np.sqrt(400)  # of the normal approximation
    assert high - low == pytest.approx(expected, rel=0.1)
    differences = np.random.default_rng(3).exponential(size=(11, 4)) - 0.5
    low, high = bootstrap_means(differences)
    np.testing.assert_allclose(bootstrap_means(-differences), (-high, -low), atol=1e-12)


def test_strata_differ_where_their_intervals_are_disjoint():
    base = comparison(24)
    base.table[:] = 0.5
    base.table[:12, 0] += 0.1  # a is ahead in the first half, b in the second
    base.table[12:, 1] += 0.1
    table = of_datasets(base, [2] * 12 + [3] * 12, ["medicine", "society"] * 12)
    pairs = strata.pairs_of_strata(list(strata.strata(table, DECLARED, base)), 0.01)
    a_b = pairs.filter(method="a", against="b")
    assert dict(a_b.filter(property="classes").select("stratum", "differs_from").iter_rows()) == {
        "≤ 2": "> 2", "> 2": "≤ 2",
    }  # fmt: skip
    assert a_b.filter(property="domain")["differs_from"].to_list() == ["", ""]


@pytest.fixture
def outcome(tmp_path):
    data = {name: Data() for name in ("one", "two", "three", "other")}
    data["gone"] = Data(unavailable="no such file")
    made = build(tmp_path, data, {"a": Method(3.0), "b": Method(1.0)}, folds=3)
    made.evaluation.update(strata={"largest_class_share": [0.9]}, focus=["b"])
    return made


def test_a_study_that_declares_strata_has_their_tables_and_the_page_shows_them(outcome):
    assert across.strata(outcome) is None
    write_across(outcome)
    sets = pl.read_csv(outcome.results / "tables" / "strata_datasets.csv")
    assert sets["largest_class_share_stratum"].to_list() == ["≤ 0.9"] * 4 + [None]
    table = across.strata(outcome)
    assert [row[:4] for row in table.rows] == [
        [ALL, ALL, 4, "a"], ["largest class share", "≤ 0.9", 4, "a"],
    ]  # fmt: skip
    keys = [column.key for column in table.columns]
    (difference,) = {row[keys.index("difference")].value for row in table.rows}
    base = write_comparison(outcome)
    assert difference == pytest.approx(float((base.table[:, 0] - base.table[:, 1]).mean()))
    assert {row[keys.index("ahead")] for row in table.rows} == {"a"}

    del outcome.evaluation["strata"]
    write_across(outcome)
    assert not [*(outcome.results / "tables").glob("strata*")], "of the strata of before"


def test_a_comparison_without_data_sets_of_many_repeated_rows_is_a_variation(outcome):
    base = write_comparison(outcome)
    what = "without data sets with more than 10 % repeated rows"
    assert what not in {one.what for one in scenarios(outcome, base)}
    checks = outcome.results / "checks" / "two.json"
    checks.write_text(checks.read_text().replace('"duplicated_rows": 0', '"duplicated_rows": 13'))
    assert {one.what: one.datasets for one in scenarios(outcome, base)}[what] == 3
