"""The article about the reference study says what its archive contains."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

ROOT = Path(__file__).parent.parent
ARCHIVE = ROOT / "reference" / "2026.1"


def generator():
    spec = importlib.util.spec_from_file_location(
        "make_reference", ROOT / "docs" / "make_reference.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # for its dataclasses
    spec.loader.exec_module(module)
    return module


make_reference = generator()


@pytest.fixture(scope="module")
def study():
    study = make_reference.Study(ARCHIVE)
    study.text = make_reference.page(study)
    return study


def test_the_article_and_its_findings_are_recomputed_from_the_archive(study):
    run = "run: python docs/make_reference.py"
    assert make_reference.PAGE.read_text(encoding="utf-8") == study.text, run
    found = pl.DataFrame(study.findings, infer_schema_length=None)
    written = pl.read_csv(ARCHIVE / "findings.csv", infer_schema_length=None)
    assert found["finding"].to_list() == written["finding"].to_list(), run
    for column in ("value", "lower", "upper"):
        np.testing.assert_allclose(found[column].to_numpy(), written[column].to_numpy(), rtol=1e-9)


def test_each_number_of_the_article_is_a_finding(study):
    """But for those of the method: the level of intervals, tests and equivalence, folds, penalties, names."""
    body = "\n".join(
        line for line in study.text.splitlines() if not line.startswith(("#", "![", "<!--"))
    )
    body = re.sub(
        r"`[^`]*`|\]\([^)]*\)|rows per column [^|]*\||95 %|at 0\.05|0\.95|0\.01", " ", body
    )
    said = {
        number.replace(",", "") for number in re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?", body)
    }
    values = [
        abs(x)
        for row in study.findings
        for k in ("value", "lower", "upper")
        if (x := row.get(k)) is not None
    ]
    values += [row["data_sets"] for row in study.findings if row.get("data_sets")]
    values += [1 / x for x in values if x] + [float(make_reference.PLANNED)]
    shown = {f"{x:.{d}f}" for x in values for d in range(5)} | {f"{x:.1e}" for x in values}
    shown |= {f"{x:.2g}" for x in values}
    assert not said - shown - {"95", "0", "10"}


def test_a_mean_difference_is_that_of_the_scores(study):
    """By a second computation: from all scores, without the code of the article."""
    scores = pl.read_parquet(ARCHIVE / "scores.parquet").filter(metric="accuracy")
    counted = pl.read_csv(ARCHIVE / "tables" / "strata_datasets.csv").filter("counts")["dataset"]
    means = {
        key: float(np.mean(group["value"].to_numpy()))
        for key, group in scores.group_by("dataset", "method")
    }
    (row,) = (
        row
        for row in study.findings
        if (row.get("method"), row.get("against"), row.get("among"))
        == ("lda_shrunk", "logistic", "all data sets")
    )
    values = [means[d, "lda_shrunk"] - means[d, "logistic"] for d in counted]
    assert row["data_sets"] == len(values)
    assert row["value"] == pytest.approx(np.mean(values), abs=1e-12)
    assert row["lower"] <= row["value"] <= row["upper"]
