"""Groups of rows and costs of errors, as entries declare them."""

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass_study.config.schema import schema_problems
from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.data.entry_check import entry_problems
from linclass_study.data.labels import cost_matrix
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import Unavailable

# `group:` names the column of the groups: it is not a feature, and it is reordered with the rows

ENTRY = {"source": {"file": "own.csv"}, "format": "csv", "target": "kind", "group": "patient"}


def rows(n=24, seed=0):
    rng = np.random.default_rng(seed)
    return [
        {
            "dose": round(float(rng.normal()), 3),
            "patient": f"p{i % 6}",
            "kind": "ill" if i % 3 else "well",
        }
        for i in range(n)
    ]


def obtained(folder, table, entry=ENTRY):
    pl.DataFrame(table).write_csv(folder / "own.csv")
    return obtain_dataset(entry, [folder], folder, folder)


def test_groups_are_no_feature_and_stay_aligned_with_their_rows(tmp_path):
    table = rows()
    data = obtained(tmp_path, table)
    assert data.table.names == ("dose",)
    of_dose = {row["dose"]: (row["patient"], row["kind"]) for row in table}
    found = [
        (f"p{group}", data.classes[code]) for group, code in zip(data.groups, data.y, strict=True)
    ]
    assert found == [of_dose[dose] for dose in data.table.X[:, 0].tolist()]
    paths = tmp_path / "own.npz", tmp_path / "own.json"
    save_dataset(data, *paths)
    assert np.array_equal(load_dataset(paths[0]).groups, data.groups)
    assert '"groups": 6' in paths[1].read_text()
    entry = {key: value for key, value in ENTRY.items() if key != "group"} | {"drop": ["patient"]}
    data = obtained(tmp_path, rows(), entry)
    assert data.groups is None
    assert data.digest != obtained(tmp_path, rows()).digest
    table = [*rows(), {"dose": 0.5, "patient": "p9", "kind": "unknown"}]
    data = obtained(tmp_path, table, ENTRY | {"classes": ["ill", "well"]})
    assert data.groups.max() == 5


def test_the_order_of_the_file_has_no_effect(tmp_path):
    """Equal rows of different groups, too: their place is by their group."""
    table = rows() + [
        {"dose": 1.0, "patient": patient, "kind": "ill"} for patient in ("p4", "p1", "p3")
    ]
    first, second = obtained(tmp_path, table), obtained(tmp_path, table[::-1])
    assert first.digest == second.digest
    assert np.array_equal(first.groups, second.groups)
    other = [row | {"patient": "p0"} if row["patient"] == "p1" else row for row in table]
    assert obtained(tmp_path, other).digest != first.digest


@pytest.mark.parametrize(("table", "entry", "words"), [
    ([*rows(), {"dose": 1.0, "patient": None, "kind": "ill"}], ENTRY, "1 row has no 'patient'"),
    (rows(), ENTRY | {"group": "pateint"}, "group: there is no column 'pateint', did you mean"),
])  # fmt: skip
def test_unavailable_groups_are_reported(tmp_path, table, entry, words):
    with pytest.raises(Unavailable, match=words):
        obtained(tmp_path, table, entry)


@pytest.mark.parametrize(("entry", "words"), [
    (ENTRY | {"group": "kind"}, "'kind' is also the target"),
    ({"source": {"file": "a"}, "format": "libsvm", "group": "g"}, "is not supported for libsvm"),
])  # fmt: skip
def test_an_entry_that_cannot_work_is_refused(tmp_path, monkeypatch, entry, words):
    monkeypatch.chdir(tmp_path)
    for name in ("own.csv", "a"):
        (tmp_path / name).write_text("")
    assert any(words in text for _, text in entry_problems(entry))


def test_groups_of_rows_that_stay_in_their_file(tmp_path):
    table = pl.DataFrame(rows())
    table.write_parquet(tmp_path / "own.parquet")
    entry = ENTRY | {"source": {"file": "own.parquet"}, "format": "parquet_blocks"}
    data = obtain_dataset(entry, [tmp_path], tmp_path, tmp_path)
    assert data.table.names == ("dose",)
    assert [f"p{group}" for group in data.groups] == table["patient"].to_list()


# The risk matrix by the names of the classes is the matrix in the order of their codes


def test_costs_by_names_are_the_matrix_of_actions_and_classes():
    """Duda, Hart & Stork (2001), §2.2: a row per action, a column per class."""
    by_name = {"a": {"b": 1, "c": 2}, "b": {"a": 3, "c": 4}, "c": {"a": 5, "b": 6, "c": 0.5}}
    matrix = cost_matrix({"costs": by_name}, ["c", "a", "b"])
    for true, row in by_name.items():
        for action, cost in row.items():
            assert matrix["cab".index(action)]["cab".index(true)] == cost
    assert [matrix[k][k] for k in (1, 2)] == [0, 0]
    costs = {"costs": {0: {1: 5}, 1.0: {0: 1}}}
    assert cost_matrix(costs, ["0", "1"]) == [[0, 1], [5, 0]]
    keys_of_json = {"costs": {"0": {"1": 5}, "1.0": {"0": 1}}}
    assert cost_matrix(keys_of_json, ["0", "1"]) == [[0, 1], [5, 0]]
    with pytest.raises(Exception, match="YAML reads a bare yes, no, on or off as true or false"):
        cost_matrix({"costs": {"true": {"false": 5}, "false": {"true": 1}}}, ["no", "yes"])
    entry = {"source": {"sklearn": "iris"}, "costs": {"ill": {"well": "a lot"}}}
    assert [*schema_problems("datasets", {"d": entry})] == [
        (["d", "costs", "ill", "well"], "'a lot' is not a number (a cost)")
    ]


@each("costs", [[[0, 5], [1, 0]], {"ill": {"well": 5}, "well": {"ill": 1}}, {1: {0: 5}, 0: {1: 1}}])
def test_both_forms_fit_the_schema(costs):
    assert not [
        *schema_problems("datasets", {"d": {"source": {"sklearn": "iris"}, "costs": costs}})
    ]
