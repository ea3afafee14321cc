"""The report shows the excess over the Bayes error for generated rows, and only for these."""

from __future__ import annotations

import json
import math
import re

import polars as pl
import pytest


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
