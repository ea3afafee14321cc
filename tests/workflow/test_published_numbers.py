"""Published and exact numbers, by the workflow."""

import json
import math
import re

import polars as pl
import pytest
from cases import each

from linclass_study.data.local_copies import SearchFolders
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.files.yaml_file import read_yaml
from linclass_study.pipeline.fitted import Task
from linclass_study.pipeline.fitting import fit_method
from linclass_study.pipeline.method import Method
from linclass_study.project import ROOT

# A textbook's table, by the workflow: Hastie, Tibshirani & Friedman (2009), table 4.1, vowel recognition

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
    output = project.snakemake("--", "results/scores.csv")
    assert output.code == 0, output.text
    assert set(project.fits()["status"]) == {"converged"}
    scores = pl.read_csv(project.folder / "results/scores.csv")
    official = scores.filter(protocol="official", metric="accuracy")
    errors = {
        method: round(1 - v, 2) for method, v in official.select("method", "value").iter_rows()
    }
    assert errors == {name: test for name, (_, test) in TABLE.items()}


@each("method", TABLE)
def test_errors_on_the_training_speakers_are_those_of_the_table(method, tmp_path):
    entry = dict(read_yaml(ROOT / "config" / "datasets.yaml")["vowel"])
    entry |= {part: entry[part][-1] for part in ("source", "test")}  # what comes with the project
    data = obtain_dataset(entry, SearchFolders([], tmp_path))
    train = data.split == 0
    table, y = data.table.rows(train), data.y[train]
    own = Method.from_entry(read_yaml(ROOT / "config" / "methods.yaml")[method])
    fitted = fit_method(own, table, y, Task(n_classes=11, positive=0), seed=0)
    assert round(float((fitted.predict(table)[0] != y).mean()), 2) == TABLE[method][0]


# The report shows the excess over the Bayes error for generated rows, and only for these


@pytest.mark.slow
def test_the_report_gives_each_method_its_excess_over_the_bayes_error(computed):
    results = computed.folder / "results"
    # config/datasets.yaml: means (0, 0) and (2, 2), covariance I, as many rows of each: Φ(−√2)
    bayes = math.erfc(1) / 2
    about = json.loads((results / "data/gaussians.json").read_text())
    assert math.isclose(about["bayes_error"]["value"], bayes, rel_tol=1e-12)
    assert about["bayes_error"]["within"] == 0
    assert json.loads((results / "data/iris.json").read_text())["bayes_error"] is None

    iris, gaussians = computed.text("results/report.html").split('<section class="dataset"')[1:]
    assert "Excess error" not in iris
    assert f"{bayes:.4f}" in gaussians
    scores = pl.read_csv(results / "scores.csv").filter(dataset="gaussians", metric="accuracy")
    sizes = computed.fits("gaussians").select("n_test", "n_train").row(0)
    for (method,), folds in scores.group_by("method"):
        error = 1 - folds["value"]
        deviation = error.std() * math.sqrt(1 / len(error) + sizes[0] / sizes[1])
        row = next(row for row in gaussians.split("<tr>") if method.replace("_", "_<wbr>") in row)
        shown = re.findall(r"<td[^>]*>(?:<b>)?([^<]*)(?:</b>)? <i>± ([^<]*)</i>", row)[-1]
        assert float(shown[0].replace("−", "-")) == round(error.mean() - bayes, 3)
        assert float(shown[1]) == round(deviation, 3)
