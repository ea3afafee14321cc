"""Groups of rows and costs of errors, as entries declare them."""

import numpy as np
import polars as pl
import pytest

from linclass_study.config.schema import schema_problems
from linclass_study.data.dataset import load_dataset, save_dataset
from linclass_study.data.labels import cost_matrix
from linclass_study.errors import Unavailable

ENTRY = {"target": "kind", "group": "patient"}  # the column of groups, which is not a feature


def rows():
    rng = np.random.default_rng(0)
    kinds = ["ill" if i % 3 else "well" for i in range(24)]
    patients = [f"p{i % 6}" for i in range(24)]
    return pl.DataFrame({"dose": rng.normal(size=24).round(3), "patient": patients, "kind": kinds})


def row(dose, patient, kind):
    return pl.DataFrame({"dose": [dose], "patient": [patient], "kind": [kind]})


def test_groups_are_no_feature_and_stay_aligned_with_their_rows(read, tmp_path):
    table = rows()
    data = read("a.csv", table.write_csv(), **ENTRY)
    assert data.table.names == ("dose",)
    of_dose = {dose: (patient, kind) for dose, patient, kind in table.iter_rows()}
    groups = [f"p{group}" for group in data.groups]
    kinds = [data.classes[code] for code in data.y]
    found = zip(groups, kinds, strict=True)
    assert [*found] == [of_dose[dose] for dose in data.table.X[:, 0].tolist()]
    paths = tmp_path / "own.npz", tmp_path / "own.json"
    save_dataset(data, *paths)
    assert np.array_equal(load_dataset(paths[0]).groups, data.groups)
    assert '"groups": 6' in paths[1].read_text()
    ungrouped = read("a.csv", table.write_csv(), target="kind", drop=["patient"])
    assert ungrouped.groups is None
    assert ungrouped.digest != data.digest
    more = pl.concat([table, row(0.5, "p9", "unknown")]).write_csv()
    assert read("a.csv", more, **ENTRY, classes=["ill", "well"]).groups.max() == 5
    table.write_parquet(tmp_path / "a.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    in_file = read("a.parquet", whole, format="parquet_blocks", **ENTRY)
    assert in_file.table.names == ("dose",)
    assert [f"p{group}" for group in in_file.groups] == table["patient"].to_list()


def test_the_order_of_the_file_has_no_effect_on_groups(read):
    """Equal rows of different groups, too: their place is by their group."""
    table = pl.concat([rows(), *(row(1.0, patient, "ill") for patient in ("p4", "p1", "p3"))])
    first, second = (read("a.csv", t.write_csv(), **ENTRY) for t in (table, table.reverse()))
    assert first.digest == second.digest
    assert np.array_equal(first.groups, second.groups)
    other = table.with_columns(pl.col("patient").replace("p1", "p0"))
    assert read("a.csv", other.write_csv(), **ENTRY).digest != first.digest


def test_groups_that_cannot_be_are_reported(read):
    lost = pl.concat([rows(), row(1.0, None, "ill")]).write_csv()
    with pytest.raises(Unavailable, match="1 row has no 'patient'"):
        read("a.csv", lost, **ENTRY)
    with pytest.raises(Unavailable, match="group: there is no column 'pateint', did you mean"):
        read("a.csv", rows().write_csv(), **ENTRY | {"group": "pateint"})


def test_costs_by_names_are_the_matrix_of_actions_and_classes():
    """Duda, Hart & Stork (2001), §2.2: a row per action, a column per class."""
    by_name = {"a": {"b": 1, "c": 2}, "b": {"a": 3, "c": 4}, "c": {"a": 5, "b": 6, "c": 0.5}}
    matrix = cost_matrix({"costs": by_name}, ["c", "a", "b"])
    for true, row in by_name.items():
        for action, cost in row.items():
            assert matrix["cab".index(action)]["cab".index(true)] == cost
    assert [matrix[k][k] for k in (1, 2)] == [0, 0]
    for by_number in ({0: {1: 5}, 1.0: {0: 1}}, {"0": {"1": 5}, "1.0": {"0": 1}}):  # as in JSON
        assert cost_matrix({"costs": by_number}, ["0", "1"]) == [[0, 1], [5, 0]]
    with pytest.raises(Exception, match="YAML reads a bare yes, no, on or off as true or false"):
        cost_matrix({"costs": {"true": {"false": 5}, "false": {"true": 1}}}, ["no", "yes"])


def test_costs_by_names_codes_or_as_a_matrix_fit_the_schema_and_texts_do_not():
    def problems(costs):
        entry = {"source": {"sklearn": "iris"}, "costs": costs}
        return [*schema_problems("datasets", {"d": entry})]

    for costs in (
        [[0, 5], [1, 0]],
        {"ill": {"well": 5}, "well": {"ill": 1}},
        {1: {0: 5}, 0: {1: 1}},
    ):
        assert not problems(costs)
    refused = (["d", "costs", "ill", "well"], "'a lot' is not a number (a cost)")
    assert problems({"ill": {"well": "a lot"}}) == [refused]
