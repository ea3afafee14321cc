"""The article about the reference study says what its archive contains, and submissions to it are checked."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from cases import each

from linclass_study.command.results_folder import open_results
from linclass_study.files.tables import write_table

ROOT = Path(__file__).parent.parent
ARCHIVE = ROOT / "reference" / "2026.1"
pytestmark = pytest.mark.xdist_group("article")  # computed once


def module(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # for its dataclasses
    spec.loader.exec_module(found)
    return found


make_reference = module(ROOT / "docs" / "make_reference.py")
check = module(ROOT / "reference" / "check.py")


@pytest.fixture(scope="module")
def study():
    study = make_reference.Study(ARCHIVE)
    study.text = make_reference.page(study)
    return study


def test_the_article_and_its_findings_are_recomputed_from_the_archive(study):
    run = "run: python docs/make_reference.py"
    assert make_reference.PAGE.read_text(encoding="utf-8") == study.text, run
    found = pl.DataFrame(study.findings, infer_schema_length=None)
    written = pl.read_csv(make_reference.FINDINGS, infer_schema_length=None)
    assert found["finding"].to_list() == written["finding"].to_list(), run
    for column in ("value", "lower", "upper"):
        np.testing.assert_allclose(found[column].to_numpy(), written[column].to_numpy(), rtol=1e-9)


def test_each_number_of_the_article_is_a_finding(study):
    """But for those of the method: the level of intervals, tests and equivalence, folds, penalties, names."""
    text = re.sub("<details>.*</details>", "", study.text, flags=re.DOTALL)  # tested below
    body = "\n".join(line for line in text.splitlines() if not line.startswith(("#", "![", "<!--")))
    for *_, stratum in make_reference.every_stratum(study):
        body = re.sub(rf"{re.escape(stratum)}(?= [|]| than|[;.])", " ", body)
    body = re.sub(r"`[^`]*`|\]\([^)]*\)|95 %|at 0\.05|0\.95|0\.01(?!\d)|F1|version \S+", " ", body)
    numbers = re.findall(r"\d[\d,]*(?:\.\d+)?(?:e[+-]\d+)?", body)
    said = {number.replace(",", "") for number in numbers}
    shown = {str(make_reference.PLANNED)}
    for row in study.findings:
        shown |= forms(row["finding"], row["value"])
        shown |= {form for end in ("lower", "upper") for form in decimals(row.get(end))}
        shown |= {str(row.get("data_sets"))}
    assert not said - shown - {"95"}  # the level of the intervals


def decimals(value):
    """As the article writes a difference or a mean; it has signs of its own."""
    return {f"{abs(value):.{digits}f}" for digits in (1, 2, 3, 4)} if value is not None else set()


def forms(finding, value):
    """As the article writes a number: a count, a percentage, a ratio, a quantile of strengths, or with decimals."""
    if finding.startswith("ratio"):
        return {make_reference.times(value), make_reference.times(1 / value)}
    if ("strength" in finding and "share" not in finding) or "gap" in finding:
        return {f"{value:.1e}", f"{value:.0f}"}
    if finding.startswith("share"):
        return {f"{value:.0f}", f"{value:.1f}"}
    if value and value == round(value):
        return {f"{value:.0f}"}
    return decimals(value) if value else {*decimals(value), "0"}


def mean_accuracies():
    scores = pl.read_parquet(ARCHIVE / "scores.parquet").filter(metric="accuracy")
    return {
        key: float(np.mean(group["value"].to_numpy()))
        for key, group in scores.group_by("dataset", "method")
    }


def test_tables_and_differences_are_those_of_the_scores(study):
    """By a second computation, from all scores: the file, the cells of the page to three digits, and mean gaps."""
    means, written = mean_accuracies(), pl.read_csv(make_reference.ACCURACIES)
    lines = {line.split(" | ")[0]: line for line in study.text.splitlines() if " `" in line}
    for row in written.iter_rows(named=True):
        own = {m: v for (d, m), v in means.items() if d == row["dataset"]}
        found = {m: row[m] for m in own if row[m] is not None}
        np.testing.assert_allclose([*found.values()], [own[m] for m in found], atol=1e-12)
        *_, majority, focus, lda, svm, _ = lines[f"| {row['dataset']}"].split(" | ")[:9]
        cells = zip((majority, focus, lda, svm), make_reference.SHOWN_ACCURACIES, strict=True)
        for cell, method in cells:
            assert float(cell) == pytest.approx(own[method], abs=5e-4)
    strata = pl.read_csv(ARCHIVE / "tables" / "strata_datasets.csv").filter("counts")
    (overall,) = (
        {"mean": row["value"]} | row
        for row in study.findings
        if (row.get("method"), row.get("against"), row.get("among"))
        == ("lda_shrunk", "logistic", "all data sets")
    )
    assert overall["lower"] <= overall["mean"] <= overall["upper"]
    groups = pl.read_csv(make_reference.CONTRASTS)
    few = groups.filter(pl.col("data_sets") < 10)
    assert few["upper"].null_count() == few.height > 0  # described and not tested
    for row in few.iter_rows(named=True):
        pair = f"`{row['method']}` − `{row['against']}`"
        assert f"{pair} is lower for {row['group']}" not in study.text
    groups = groups.filter(property="classes", group="classes ≤ 2")
    assert {*groups["method"]} >= {"logistic", "lda_shrunk", "least_squares_ridge"}
    two = strata.filter(pl.col("classes") <= 2)["dataset"]
    for rows, counted in (([overall], strata["dataset"]), (groups.iter_rows(named=True), two)):
        for row in rows:
            gaps = [means[d, row["method"]] - means[d, row["against"]] for d in counted]
            assert row["data_sets"] == len(counted)
            assert row["mean"] == pytest.approx(np.mean(gaps), abs=1e-12)


def test_nonlinear_methods_are_joined_on_equal_folds_and_not_ranked(tmp_path):
    """With scores of `lda_shrunk` under the name of boosting, on some of the data sets."""
    (tmp_path / "2026.1").symlink_to(ARCHIVE)
    context = tmp_path / "2026.1-context"
    shutil.copytree(ARCHIVE / "data", context / "data")
    means = mean_accuracies()
    names = make_reference.Study(ARCHIVE).datasets["dataset"].to_list()[:15]
    for table in ("scores", "fits"):
        own = pl.read_parquet(ARCHIVE / f"{table}.parquet").filter(
            pl.col("dataset").is_in(names), method="lda_shrunk"
        )
        own.with_columns(method=pl.lit("boosting")).write_parquet(context / f"{table}.parquet")
    study = make_reference.Study(tmp_path / "2026.1")
    gaps = np.array([means[d, "lda_shrunk"] - means[d, "logistic"] for d in names])
    found = study.difference("boosting", "logistic")
    assert found.data_sets == len(names)
    assert found.mean == pytest.approx(gaps.mean(), abs=1e-12)
    said = " ".join(make_reference.context(study))
    wins, losses = ((sign * gaps > 0.01 + 1e-9).sum() for sign in (1, -1))
    assert f"above 0.01 on {wins} of {len(names)} data sets, below −0.01 on {losses}, " in said
    linear, widest = make_reference.complete(study), make_reference.widest(study)
    equal = sum(max(means[d, m] for m in linear) >= means[d, "lda_shrunk"] for d in widest)
    assert f"; on {equal} of these, some linear method" in said
    assert "boosting" not in make_reference.complete(study)
    facts = context / "data" / f"{names[0]}.json"
    digest = study.about(names[0])["folds_digest"]
    facts.write_text(facts.read_text(encoding="utf-8").replace(digest, "0"), encoding="utf-8")
    with pytest.raises(ValueError, match=f"folds_digest of {names[0]}"):
        _ = make_reference.Study(tmp_path / "2026.1").context


@pytest.mark.slow
@pytest.mark.early
def test_a_part_computed_again_gives_the_numbers_of_the_archive(tmp_path):
    mirrors = os.environ.get("LINCLASS_MIRRORS", "").split(os.pathsep)
    if not any((Path(folder) / "manifest.csv").is_file() for folder in mirrors if folder):
        pytest.skip("LINCLASS_MIRRORS has no folder with the manifest of the reference data")
    study = tmp_path / "again.yaml"
    methods = "lda_shrunk, gaussian_nb_tied, least_squares_ridge, perceptron, logistic, logistic_l1, svm_l1"
    study.write_text(f"results: {tmp_path / 'again'}\nmethods: [{methods}]\n", encoding="utf-8")
    studies = ["config/reference.yaml", str(study)]
    only = ("--only", "crabs,iris_uci,lawsuit", "--", "--directory", str(tmp_path))
    linclass = [sys.executable, "-m", "linclass_study.command"]
    subprocess.run([*linclass, "run", *studies, *only], cwd=ROOT, check=True, capture_output=True)
    (part,) = tmp_path.glob("again-only-*")
    verify = [*linclass, "verify", str(part), str(ARCHIVE), "--tolerance", "1e-12"]
    compared = subprocess.run(verify, capture_output=True, text=True, check=False)
    assert not compared.returncode, compared.stdout
    assert "of 21 runs" in compared.stdout
    # these add their sums in another order than when the archive was made
    reordered = {"lda_shrunk", "least_squares_ridge", "logistic_l1"}
    different = re.findall(r" × (\w+): ", compared.stdout)
    assert {*different} <= reordered


def changed(folder, change):
    """A copy of the archive, without its checksums, with other fits."""
    shutil.copytree(ARCHIVE, folder)
    (folder / "sha256sums.txt").unlink()
    path = folder / "fits.parquet"
    write_table(change(pl.read_parquet(path)), "fits", path)
    return str(folder)


LOGISTIC = (pl.col("dataset") == "crabs") & (pl.col("method") == "logistic")
FAULTS = {
    "not a row for each of 10 folds": lambda fits: fits.filter(~(LOGISTIC & (pl.col("fold") == 3))),
    "a duality gap above": lambda fits: fits.with_columns(
        certificate=pl.when(LOGISTIC).then(1e-3).otherwise("certificate")
    ),
}


@pytest.mark.slow
@each("fault", ["", *FAULTS])
def test_the_check_of_submissions_finds_a_lost_fold_and_a_gap_that_is_too_large(tmp_path, fault):
    folder = tmp_path / fault.replace(" ", "_")
    given = changed(folder, FAULTS[fault]) if fault else str(ARCHIVE)
    with open_results(given) as theirs, open_results(str(ARCHIVE)) as reference:
        found = [*check.problems(theirs, reference)]
    assert len(found) == bool(fault)
    assert all(fault in problem and "crabs × logistic" in problem for problem in found)
