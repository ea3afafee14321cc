"""The suite of the reference study: its rules hold for each entry, and its files are those of the manifest."""

import csv
from types import SimpleNamespace

import numpy as np
import pytest

from linclass_study.analysis.strata import datasets_table
from linclass_study.checks.check_dataset import _sizes
from linclass_study.checks.columns import missing_cells
from linclass_study.checks.design_matrix import design
from linclass_study.config.catalogues import suite_entries
from linclass_study.config.schema import schema_problems
from linclass_study.data.local_copies import name_in_mirror
from linclass_study.entries import as_list
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT

SUITE = suite_entries(["reference_2026"])
DOMAINS = {"medicine", "nature", "signals", "technology", "society", "games"}
LEFT_OUT = {"solar_flare", "dmft"}
RAREST = 10  # rows of a class, one for each fold
# where an entry corrects the manifest, for the reason beside it in the suite
CORRECTED = {
    "bank_marketing": {"features": 15},
    "colic": {"features": 20, "n_categorical": 13, "missing_cells": 1923},
    "cylinder_bands": {"n_categorical": 18},
}


def source(entry):
    return as_list(entry["source"])[0]


def test_every_entry_is_pinned_and_says_what_it_is():
    assert not list(schema_problems("datasets", SUITE))
    assert len(SUITE) == 107
    assert list(SUITE) == sorted(SUITE)
    for name, entry in SUITE.items():
        assert {"target", "digest", "size", "domain", "citation"} <= entry.keys(), name
        assert entry["domain"] in DOMAINS, name
        assert {"url", "sha256"} <= source(entry).keys(), name
        assert not {"main", "master"} & {*source(entry)["url"].split("/")}, name
    assert len({entry["digest"] for entry in SUITE.values()}) == len(SUITE)
    apart = [entry["apart"].partition(":")[0] for entry in SUITE.values() if "apart" in entry]
    assert {kind: apart.count(kind) for kind in apart} == {
        "constructed": 7, "simulated": 2, "dependent rows": 7,
    }  # fmt: skip


@pytest.fixture(scope="module")
def manifest(mirrors):
    """File name → row of the manifest."""
    path = next((path for folder in mirrors if (path := folder / "manifest.csv").is_file()), None)
    if path is None:
        pytest.skip("LINCLASS_MIRRORS has no folder with the manifest of the reference data")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


def test_every_data_set_of_the_manifest_is_an_entry_or_left_out(manifest):
    files = {name_in_mirror(source(entry)["url"]): source(entry) for entry in SUITE.values()}
    assert {row["name"] for file, row in manifest.items() if file not in files} == LEFT_OUT
    for file, own in files.items():
        assert (own["url"], own["sha256"]) == (manifest[file]["address"], manifest[file]["sha256"])


@pytest.mark.slow
def test_every_data_set_loads_with_the_counts_of_the_manifest(manifest, mirrors, obtain):
    for name, entry in SUITE.items():
        row = manifest[name_in_mirror(source(entry)["url"])]
        whole = {key: value for key, value in entry.items() if key not in ("digest", "size")}
        rare = not isinstance(entry.get("classes"), dict) and len(entry.get("classes", ()))
        if rare:
            del whole["classes"]
        data = obtain(whole, *mirrors)
        counts = np.bincount(data.y)
        X = data.table.X.toarray() if data.table.is_sparse else data.table.X
        found = {
            "rows": len(data.y),
            "features": data.table.shape[1],
            "n_categorical": len(data.table.levels),
            "classes": len(data.classes),
            "smallest_class": counts.min(),
            "missing_cells": np.isnan(X).sum(),
        }
        if isinstance(entry.get("classes"), dict):  # renamed, and perhaps without rare ones
            counted = ("rows", "classes", "smallest_class", "missing_cells")
            found |= {key: int(row[key]) for key in counted}
        assert found == {key: int(row[key]) for key in found} | CORRECTED.get(row["name"], {}), name


# of the data sets that count, in the plan (docs/reference_study.md)
STRATA = {
    "rows_per_column": {"≤ 10": 18, "> 10 to 100": 47, "> 100": 26},
    "classes": {"≤ 2": 47, "> 2 to 9": 32, "> 9": 12},
    "category_share": {"0": 51, "> 0 to 0.5": 14, "> 0.5": 26},
    "missing_values": {"0": 65, "> 0": 26},
    "largest_class_share": {"≤ 0.8": 77, "> 0.8": 14},
    "domain": {"medicine": 27, "nature": 13, "signals": 17, "technology": 18, "society": 16},
}


@pytest.mark.slow
def test_every_data_set_has_its_digest_no_rare_class_and_the_strata_of_the_plan(
    mirrors, manifest, obtain
):
    sizes, facts = [], {}
    for name, entry in SUITE.items():
        data = obtain(entry, *mirrors)  # with its digest
        assert (len(data.y), data.table.shape[1]) == tuple(entry["size"].values()), name
        assert np.bincount(data.y).min() >= RAREST, name
        assert (data.groups is not None) == ("group" in entry)
        sizes.append(len(data.y))
        columns = {"design_columns": design(data.table).shape[1]}
        facts[name] = _sizes(data) | missing_cells(data.table) | columns
    assert sum(sizes) > 440_000
    counted = [name for name, entry in SUITE.items() if "apart" not in entry]
    declared = read_yaml(ROOT / "config" / "reference.yaml")["evaluation"]["strata"]
    outcome = SimpleNamespace(datasets=SUITE, checks=facts.get)
    table = datasets_table(outcome, declared, SimpleNamespace(datasets=counted)).filter("counts")
    for key in declared:
        assert dict(table[f"{key}_stratum"].value_counts().iter_rows()) == STRATA[key]
    assert declared.keys() == STRATA.keys()
