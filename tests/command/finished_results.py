"""Finished results folders, made up, and ways to read and to change them."""

import json
import zipfile

import polars as pl
import studies
from studies import Data, Method

from linclass_study.analysis import study_file
from linclass_study.analysis.study_file import write_study
from linclass_study.analysis.summary import write_summary
from linclass_study.execution.folds import write_folds
from linclass_study.files.tables import write_table

DATA = {"two": Data(rows=40), "three": Data(("a", "b", "c"), rows=30)}
METHODS = {"good": Method(2.0), "plain": Method(0.5, probabilities=False)}
RUN = "runs/two/good"


def made_up(results, data=None, methods=None, machine="here"):
    """A finished results folder as Snakemake leaves it, but for its figures and page."""
    outcome = studies.build(results, data or DATA, methods or METHODS, 3)
    outcome.evaluation.update(rope=0.01, cv_rows="all")
    for dataset in outcome.datasets:
        rows = pl.int_range(outcome.about(dataset)["rows"], eager=True)
        dealt = {("cv", 0): (rows // 2 % 3).to_numpy()}
        write_folds(dealt, {}, str(results / "folds" / f"{dataset}.parquet"))
    paths = sorted(results.glob("runs/*/*/fits.parquet"))
    for path in paths:
        write_table(pl.read_parquet(path).with_columns(machine=pl.lit(machine)), "fits", path)
    write_summary(results, sorted(results.glob("runs/*/*/scores.parquet")), paths)
    files = {"mystudy.yaml": "datasets: [two, three]\n"}
    write_study(study_file.StudyDescription(outcome, files, [list(files)]))
    reported = {"Machine": machine, "Python": "3.11.7", "Packages": f"numpy 2.4.6, own {machine}"}
    (results / "environment").mkdir(exist_ok=True)
    (results / "environment" / f"{machine}-0.json").write_text(json.dumps(reported))
    return results


def study_of(folder):
    """The content of study.json."""
    return json.loads((folder / "study.json").read_text())


def change(path, **columns):
    """Rewrites a Parquet file with other values."""
    pl.read_parquet(path).with_columns(**columns).write_parquet(path)


def edit(path, **values):
    """Sets keys of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def at(place, value, column):
    """The column with another value in one place."""
    return pl.when(pl.int_range(pl.len()) == place).then(value).otherwise(pl.col(column))


def content(archive):
    """Name below the archive's own folder → content."""
    with zipfile.ZipFile(archive) as box:
        return {name.split("/", 1)[1]: box.read(name) for name in box.namelist()}
