"""A textbook's table, by the workflow: Hastie, Tibshirani & Friedman (2009), table 4.1, vowel recognition."""

from __future__ import annotations

import polars as pl
import pytest

from linclass_study.config.yaml_file import read_yaml
from linclass_study.data.fetch.obtain_dataset import obtain_dataset
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method

# method of the catalogue: (error on the training speakers, error on the test speakers)
TABLE = {
    "least_squares": (0.48, 0.67),  # "Linear regression"
    "lda": (0.32, 0.56),
    "qda": (0.01, 0.53),
    "logistic_unpenalized": (0.22, 0.51),
}
STUDY = f"""
datasets: [vowel]
methods: {list(TABLE)}
evaluation: {{folds: 2, inner_folds: 2}}
"""


@pytest.mark.slow
def test_errors_on_the_test_speakers_are_those_of_the_table(project):
    project.write("study.yaml", STUDY)
    output = project.snakemake()
    assert output.code == 0, output.text
    assert set(project.fits()["status"]) == {"converged"}
    scores = pl.read_csv(project.folder / "results/scores.csv")
    official = scores.filter(protocol="official", metric="accuracy")
    errors = {row["method"]: 1 - row["value"] for row in official.iter_rows(named=True)}
    assert {name: round(error, 2) for name, error in errors.items()} == {
        name: test for name, (_, test) in TABLE.items()
    }


@pytest.mark.parametrize("method", TABLE)
def test_errors_on_the_training_speakers_are_those_of_the_table(method, tmp_path):
    from linclass_study.project import ROOT

    entry = dict(read_yaml(ROOT / "config" / "datasets.yaml")["vowel"])
    entry |= {part: entry[part][-1] for part in ("source", "test")}  # what comes with the project
    data = obtain_dataset(entry, [], tmp_path, ROOT)
    train = data.split == 0
    table, y = data.table.rows(train), data.y[train]
    own = Method.from_entry(read_yaml(ROOT / "config" / "methods.yaml")[method])
    fitted = fit_method(own, table, y, Task(n_classes=11, positive=0), seed=0)
    assert round(float((fitted.predict(table)[0] != y).mean()), 2) == TABLE[method][0]
