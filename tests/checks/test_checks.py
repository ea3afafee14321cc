"""Checks of a data set: each finding is a sentence with a remedy."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml
from cases import each
from planted import numbers, random_table
from scipy import sparse

from linclass.base.tables import Table
from linclass_study.analysis.data_warnings import findings, serious
from linclass_study.analysis.datasets_table import write_datasets_table
from linclass_study.checks.check_dataset import check_dataset, write_checks
from linclass_study.data import blocks, dataset
from linclass_study.data.dataset import Dataset, save_dataset
from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.entries import declared_shared_rows
from linclass_study.files.tables import table_schema

# All checks of a data set together: files, warnings, shared rows; no check excludes a data set

ROOT = Path(__file__).parents[2]
CATALOGUE = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))
REPORTED = {"licence": "CC BY 4.0", "citation": None, "domain": "medicine", "apart": None}


def data_set(table, y, split=None, **about):
    y = np.asarray(y, np.int32)
    split = np.zeros(len(y), np.int8) if split is None else np.asarray(split, np.int8)
    return Dataset(table, y, split, list("abc")[: y.max() + 1], digest="sha256:0", **about)


@pytest.fixture
def troubled():
    """Every trouble at once: 60 rows, the last 20 for testing, of which two repeat training rows."""
    generator = np.random.default_rng(0)
    y = np.arange(60) % 2
    measured = np.round(generator.normal(size=60) + y, 2)
    name = np.arange(60.0)
    X = {"measured": measured, "name": name, "copy": y, "one": np.ones(60), "twin": measured}
    table = numbers(X, {"name": tuple(f"row {i}" for i in range(60))})
    table.X[[40, 41]] = table.X[[0, 1]]
    table.X[43] = table.X[42]
    return data_set(table, y, np.arange(60) >= 40)


def written(folder, name, data):
    paths = [str(folder / "data" / f"{name}.{form}") for form in ("npz", "json")]
    if data is None:
        dataset.save_unavailable("nobody has it", *paths)
    else:
        save_dataset(data, *paths)
    made = [str(folder / "checks" / f"{name}.{form}") for form in ("json", "npz")]
    write_checks(*paths, REPORTED, *made)


def catalogued(name, tmp_path):
    return obtain_dataset(CATALOGUE[name], SearchFolders([], tmp_path / "downloads"))


def test_each_finding_is_reported_with_its_remedy(troubled):
    facts, _ = check_dataset(troubled)
    assert facts["unchecked"] == {}
    assert findings(facts) == [
        (
            "column 'name' has 40 levels in 40 training rows; it looks like an identifier: leave it out "
            "with `drop: [name]`"
        ),
        (
            "column 'copy' reveals the class: in at least 99 % of the rows, each class has a value of its own; "
            "if it is known only after the class is, leave it out with `drop: [copy]`; if it names groups of rows, set "
            "`group: copy`"
        ),
        (
            "2 of 60 rows repeat the features and the class of another row, so equal rows are in both "
            "training and test folds"
        ),
        "2 of the 20 official test rows have the features of a training row",
        (
            "2 rows have the features of a row of another class; every classifier misclassifies at least "
            "1.7 % of all rows"
        ),
        "column 'one' has at most one value, so nothing can be learned from it",
        "1 column repeats another one (twin = measured)",
    ]


def test_the_table_has_a_row_for_each_data_set_even_if_unavailable(troubled, tmp_path):
    other = data_set(troubled.table, np.arange(60) % 3)
    for name, data in {"two": troubled, "three": other, "gone": None}.items():
        written(tmp_path, name, data)
    write_datasets_table(["two", "gone", "three"], tmp_path, [])
    table = pl.read_csv(tmp_path / "tables" / "datasets.csv")
    assert table["dataset"].to_list() == ["two", "gone", "three"]
    two, gone, three = table.to_dicts()
    assert (two["shares_rows_with"], two["weight"]) == ("three", 0.5)
    assert (three["shares_rows_with"], three["features_digest"]) == ("two", two["features_digest"])
    assert (gone["status"], gone["reason"], gone["weight"]) == ("unavailable", "nobody has it", 1)
    assert gone["rank"] is None
    assert (two["rows"], two["classes"], two["class_counts"]) == (60, 2, "a 30; b 30")
    assert (two["identifier_columns"], two["target_like_columns"]) == ("name", "copy")
    assert (two["licence"], two["domain"]) == ("CC BY 4.0", "medicine")
    assert two["citation"] is None
    assert len(two["warnings"].split(" | ")) == 7


def test_an_entry_can_declare_relations_that_no_comparison_shows(tmp_path):
    generator = np.random.default_rng(0)
    for name in ("people", "encoded", "others"):
        table = numbers({"x": generator.normal(size=40)})
        written(tmp_path, name, data_set(table, np.arange(40) % 2))
    entries = {"people": {}, "encoded": {"shares_rows_with": ["people", "absent"]}, "others": {}}
    write_datasets_table(entries, tmp_path, declared_shared_rows(entries))
    table = pl.read_csv(tmp_path / "tables" / "datasets.csv")
    assert table["weight"].to_list() == [0.5, 0.5, 1.0]


def test_a_failed_check_gives_its_reason_and_does_not_stop_the_others(troubled, monkeypatch):
    monkeypatch.setattr("linclass_study.checks.columns.missing_cells", lambda table: 1 / 0)
    facts, _ = check_dataset(troubled)
    assert facts["unchecked"] == {"missing values": "ZeroDivisionError: division by zero"}
    assert "missing_values" not in facts
    assert facts["duplicated_rows"] == 2


def test_only_rows_of_another_group_are_held_out_and_trained_on_at_once():
    """Two visits of a patient may be equal: they are on one side."""
    table, y = numbers({"x": np.arange(40) // 2 / 3}), np.arange(40) // 2 % 2
    row, repeat = np.arange(40), "20 of 40 rows repeat the features and the class of "
    for groups, expected in (
        (None, [f"{repeat}another row"]),
        (row % 2, [f"{repeat}a row of another group"]),  # days
        (row // 2, []),  # patients
    ):
        facts, _ = check_dataset(replace(data_set(table, y), groups=groups))
        told = [text for text in findings(facts) if "both training and test folds" in text]
        assert [text.partition(",")[0] for text in told] == expected


def test_facts_are_plain_json_with_proofs_in_separate_files(troubled, tmp_path):
    written(tmp_path, "it", troubled)
    facts = json.loads((tmp_path / "checks" / "it.json").read_text())
    assert facts["classes"] == {"a": 30, "b": 30}
    assert facts["separable"] == "quasi-complete"  # but for the row that has both classes
    proofs = {"hyperplane 0-1", "multipliers 0-1"}
    with np.load(tmp_path / "checks" / "it.npz") as arrays:
        assert {*arrays} == {"rows_by_name", "rows_by_value", "columns_by_name"} | proofs
        assert np.flatnonzero(arrays["multipliers 0-1"]).tolist() == [42, 43]


def test_checks_that_apply_to_texts_run_on_texts():
    levels = tuple(f"post {i}" for i in range(10))
    table = numbers({"post": np.arange(20) // 2}, {"post": levels})
    table = Table(table.X, table.names, table.levels, frozenset({"post"}))
    facts, _ = check_dataset(data_set(table, np.arange(20) // 2 % 2))
    assert (facts["duplicated_rows"], facts["texts"], facts["categorical"]) == (10, 1, 0)
    assert facts["unchecked"] == {"rank and separability": "there are texts only"}
    assert facts["identifier_columns"] == {}


def test_rows_read_in_blocks_have_the_same_facts(tmp_path, monkeypatch):
    """Blocks of seven rows instead of all at once."""
    whole = random_table(0, rows=60)
    X = whole.X[:, [0, 1, -2, -1]]
    names = ("x0", "x1", "always", "again")
    y = np.arange(60) % 2
    path = tmp_path / "rows.parquet"
    pl.DataFrame(X, schema=names).with_columns(kind=y).write_parquet(path)
    tables = blocks.tables
    monkeypatch.setattr(blocks, "tables", lambda path, names: tables(path, names, 7))
    empty = Table(sparse.csr_array((60, 4)), names)
    in_file, keys_in_file = check_dataset(data_set(empty, y, in_file=str(path)))
    in_memory, keys_in_memory = check_dataset(data_set(Table(X, names), y))
    assert in_file.pop("unchecked") == {"all else": "rows stay in their file"}
    assert in_file == {key: in_memory[key] for key in in_file}
    assert {"duplicated_rows", "constant_columns", "duplicated_columns"} <= {*in_file}
    for kind, keys in keys_in_file.items():
        assert np.array_equal(keys, keys_in_memory[kind])


#: Facts that others state: one pair of equal flowers (rows 102 and 143 of Fisher's table, Virginica), three pixels of
#: the corners that no digit reaches (Alpaydin & Kaynak's bitmaps), nothing missing in any of them.
KNOWN = {
    "iris": {"duplicated_rows": 1, "separable_pairs": 2, "pairs": 3, "missing_values": 0},
    "iris_binary": {"separable": "yes"},
    "digits": {"constant_columns": 3, "missing_values": 0},
    "heart": {"categorical": 1, "numeric": 8},
    "german": {"categorical": 13, "numeric": 7, "design_columns": 48},
    "vowel": {"test_rows": 462, "missing_values": 0},
}


@each("name", KNOWN)
def test_facts_about_catalogue_data_sets_match_published_ones_without_false_alarms(name, tmp_path):
    facts, _ = check_dataset(catalogued(name, tmp_path))
    assert {key: facts[key] for key in KNOWN[name]} == KNOWN[name]
    assert facts["identifier_columns"] == facts["target_like_columns"] == {}
    assert facts["unchecked"] == {}


@each(("name", "rows"), [("heart", 462), ("vowel", 528)])
def test_the_row_names_that_the_catalogue_drops_would_be_found(name, rows, tmp_path):
    entry = {k: v for k, v in CATALOGUE[name].items() if k not in ("drop", "digest", "source")}
    entry["source"] = CATALOGUE[name]["source"][-1:]
    entry |= {"test": CATALOGUE[name]["test"][-1:]} if "test" in entry else {}
    data = obtain_dataset(entry, SearchFolders([], tmp_path / "downloads"))
    facts, _ = check_dataset(data)
    assert facts["identifier_columns"] == {"row.names": [rows, rows]}


def test_the_catalogue_relates_only_data_sets_that_it_has():
    named = [n for entry in CATALOGUE.values() for n in entry.get("shares_rows_with", [])]
    assert {*named} <= {*CATALOGUE}


def test_generated_data_sets_of_the_catalogue_share_no_rows(tmp_path):
    drawn = [name for name, entry in CATALOGUE.items() if "generate" in entry["source"]]
    for name in drawn:
        written(tmp_path, name, catalogued(name, tmp_path))
    write_datasets_table(drawn, tmp_path, [])
    table = pl.read_csv(tmp_path / "tables" / "datasets.csv")
    assert table["weight"].to_list() == [1.0] * len(drawn)


def test_the_page_of_checks_describes_every_column_of_the_table_and_no_other():
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    (table,) = re.findall(r"\| column \| what it is \|\n.*\n((?:\|.*\n)+)", page)
    named = [
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
    ]
    assert {*named} == {*table_schema("datasets")} - {"dataset", "status", "reason"}


# Remedies of the checks can be copied into a study, whatever columns and classes are called

NAMES = ["", "age", "row names", "yes", "12", "a, b", "x: y", "größe", "#", "null", 'a "b"', "- c"]


@each("name", NAMES)
def test_the_key_that_drops_a_column_names_it(name):
    for facts in (
        {"identifier_columns": {name: [40, 40]}},
        {"date_columns": {name: [40, "2024-03-01"]}},
        {"one_rule_columns": {name: [1.0, 0.5]}},
        {"target_like_columns": {name: "copy"}},
    ):
        (sentence,) = serious(facts)
        remedies = re.findall("`([^`]*)`", sentence)
        assert yaml.safe_load(remedies[0]) == {"drop": [name]}
        if "group" in sentence:
            assert yaml.safe_load(remedies[1]) == {"group": name}


def test_classes_that_differ_only_by_capitals_or_blanks_are_named_with_the_mapping():
    (sentence,) = serious({"classes": {"No": 5, "Yes": 4, "yes": 3, "yes ": 1}})
    assert sentence.startswith("the classes 'Yes', 'yes', 'yes ' differ only by case or blanks")
    (remedy,) = re.findall("`([^`]*)`", sentence)
    merged = {"No": ["No"], "Yes": ["Yes", "yes", "yes "]}
    assert yaml.safe_load(remedy) == {"classes": merged}
    alone = {"Yes": 4, "yes": 3}
    for classes in (alone, alone | {f"class {k}": 9 for k in range(30)}):  # no mapping for so many
        (sentence,) = serious({"classes": classes})
        assert sentence.endswith("merge them by `classes:`")
    assert not serious({"classes": {"a": 3, "b": 2, "ab": 3, "a-b": 1, "none": 1}})
    assert len(serious({"classes": {"NULL": 3, "N/A": 2, "a": 3}})) == 2
