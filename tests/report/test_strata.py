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
    checks = {
        name: facts(classes=dict.fromkeys(range(k), 60 / k))
        for name, k in zip(names, classes, strict=True)
    }
    entries = {name: {"domain": domain} for name, domain in zip(names, domains, strict=True)}
    return strata.datasets_table(
        SimpleNamespace(datasets=entries, checks=checks.get), DECLARED, base
    )


@pytest.fixture(scope="module")
def found():
    """24 data sets: 16 with two classes and 8 with three; 12 of medicine, 10 of society, 2 without a domain."""
    base = comparison(24)
    classes, domains = (
        [2] * 16 + [3] * 8 + [2],
        ["medicine", "society"] * 10 + ["medicine"] * 2 + [None] * 2 + ["society"],
    )
    table = of_datasets(base, classes, domains, apart=["left_out"])
    return list(strata.strata(table, DECLARED, base))


def test_a_bound_belongs_to_the_stratum_below_it():
    assert [stratum_name(x, [100, 10]) for x in (3, 10, 10.5, 100, 101)] == [
        "≤ 10", "≤ 10", "> 10 to 100", "> 10 to 100", "> 100",
    ]  # fmt: skip
    assert [stratum_name(x, [0, 0.5]) for x in (0, 0.2, 0.9)] == ["0", "> 0 to 0.5", "> 0.5"]
    assert stratum_name(3.0, []) == "3"


def test_properties_are_those_of_the_checked_data():
    given = facts(rows=60, design_columns=6, features=4, categorical=1, missing_values=7)
    computed = {name: function(given) for name, function in strata.PROPERTIES.items()}
    assert computed == {
        "rows_per_column": 10, "classes": 2, "category_share": 0.25, "missing_values": 7, "largest_class_share": 0.75,
    }  # fmt: skip


def test_a_data_set_that_is_unavailable_or_without_the_property_is_in_no_stratum():
    base = comparison(2)
    entries = {"d0": {}, "d1": {"domain": "medicine"}}
    outcome = SimpleNamespace(datasets=entries, checks=lambda name: facts() if name == "d0" else {})
    table = strata.datasets_table(outcome, DECLARED, base)
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


def test_all_data_sets_have_the_numbers_of_the_whole_comparison(found):
    base = found[0].base
    ranks = strata.ranks_of_strata(found).filter(property=ALL)
    assert ranks.select("method", "mean_score", "mean_rank").equals(
        ranks_table(base).select("method", "mean_score", "mean_rank")
    )
    columns = [name for name in pairwise_table(base).columns if name != "rank_biserial"]
    pairs = strata.pairs_of_strata(found, 0.01).filter(property=ALL)
    assert pairs.select(columns).equals(pairwise_table(base).select(columns))


def test_the_mean_difference_is_that_of_the_strata_by_their_sizes(found):
    pairs = strata.pairs_of_strata(found, 0.01)
    weighted = (
        pairs.filter(property="classes")
        .group_by("method", "against", maintain_order=True)
        .agg(
            (
                (pl.col("mean_difference") * pl.col("data_sets")).sum() / pl.col("data_sets").sum()
            ).alias("mean")
        )
    )
    assert weighted["mean"].to_numpy() == pytest.approx(
        pairs.filter(property=ALL)["mean_difference"].to_numpy()
    )
    assert (pairs["lower"] <= pairs["mean_difference"]).all()
    assert (pairs["mean_difference"] <= pairs["upper"]).all()


def test_the_bootstrap_interval_of_the_opposite_difference_is_its_mirror_image():
    """Resampled data sets are the same for A − B and B − A, and quantiles of −x are those of x from the other end."""
    differences = np.random.default_rng(3).exponential(size=(11, 4)) - 0.5
    low, high = bootstrap_means(differences)
    np.testing.assert_allclose(bootstrap_means(-differences), (-high, -low), atol=1e-12)


def test_a_small_stratum_is_described_and_not_tested(found):
    tables = strata.ranks_of_strata(found), strata.pairs_of_strata(found, 0.01)
    for table, tested in zip(
        tables, (("p_best", "friedman_p"), ("p", "p_holm", "better")), strict=True
    ):
        for column in tested:
            small = table["data_sets"] < MIN_TESTED
            assert (table[column].is_null() == small).all(), column
        assert table["data_sets"].min() == 8
    assert tables[0]["rank_lower"].null_count() == 0


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


def test_bootstrap_intervals_have_the_spread_of_the_mean():
    values = np.random.default_rng(0).normal(size=(400, 3))
    low, high = bootstrap_means(values)
    expected = 2 * 1.96 * values.std(axis=0) / np.sqrt(400)  # of the normal approximation
    assert high - low == pytest.approx(expected, rel=0.1)


@pytest.fixture
def outcome(tmp_path):
    data = {name: Data() for name in ("one", "two", "three", "other")}
    made = build(tmp_path, data, {"a": Method(3.0), "b": Method(1.0)}, folds=3)
    made.evaluation.update(strata={"largest_class_share": [0.9]}, focus=["b"])
    return made


def test_a_study_that_declares_strata_has_their_tables_and_the_page_shows_them(outcome):
    assert across.strata(outcome) is None
    write_across(outcome)
    sets = pl.read_csv(outcome.results / "tables" / "strata_datasets.csv")
    assert sets["largest_class_share_stratum"].to_list() == ["≤ 0.9"] * 4
    table = across.strata(outcome)
    assert [row[:4] for row in table.rows] == [
        [ALL, ALL, 4, "a"], ["largest class share", "≤ 0.9", 4, "a"],
    ]  # fmt: skip
    keys = [column.key for column in table.columns]
    (difference,) = {row[keys.index("difference")].value for row in table.rows}
    base = write_comparison(outcome)
    assert difference == pytest.approx(float((base.table[:, 0] - base.table[:, 1]).mean()))
    assert {row[keys.index("ahead")] for row in table.rows} == {"a"}


def test_repeated_rows_and_data_sets_apart_are_variations(outcome):
    table = pl.read_csv(outcome.results / "tables" / "datasets.csv", infer_schema=False)
    apart = pl.when(pl.col("dataset") == "other").then(pl.lit("simulated"))
    table.with_columns(apart=apart).write_csv(outcome.results / "tables" / "datasets.csv")
    base = write_comparison(outcome)
    assert base.datasets == ["one", "two", "three"]
    found = {one.what: one.datasets for one in scenarios(outcome, base)}
    assert found["with the data sets apart"] == 4
    assert "data sets that share rows counted each" not in found
    what = "without data sets with more than 10 % repeated rows"
    assert what not in found
    checks = outcome.results / "checks" / "two.json"
    checks.write_text(checks.read_text().replace('"duplicated_rows": 0', '"duplicated_rows": 13'))
    found = {one.what: one.datasets for one in scenarios(outcome, base)}
    assert found[what] == 2
