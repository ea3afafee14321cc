"""`linclass_study.load_results`: the files of a results folder as data frames."""

import json

import polars as pl
import pytest

from linclass_study import load_results
from linclass_study.errors import StudyError
from linclass_study.files.tables import FIT, frame, write_table


@pytest.fixture
def folder(tmp_path):
    """Two methods on one data set with a fit and two predictions each; only one has coefficients."""
    keys = ("iris", "cv", 0, 0)
    for name in ("lda", "ridge"):
        run = tmp_path / "runs" / "iris" / name
        run.mkdir(parents=True)
        fit = dict(zip(FIT, ("iris", name, *keys[1:]), strict=True))
        rows = [fit | {"row": row, "y_true": 1, "y_pred": row} for row in (0, 1)]
        write_table(frame("predictions", rows), "predictions", run / "predictions.parquet")
    write_table(
        frame("coefficients", [fit | {"feature": "width", "value": 0.5}]),
        "coefficients",
        run / "coefficients.parquet",
    )
    write_table(frame("fits", [fit | {"status": "failed"}]), "fits", tmp_path / "fits.parquet")
    pl.DataFrame({"metric": ["accuracy"], "value": [0.5]}).write_parquet(
        tmp_path / "scores.parquet"
    )
    (tmp_path / "study.json").write_text(json.dumps({"methods": {"lda": {}, "ridge": {}}}))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "ranks.csv").write_text("method,rank\nlda,1\nridge,2\n")
    return tmp_path


def test_tables_of_all_runs_are_one_frame(folder):
    results = load_results(folder)
    wrong = results.predictions.filter(pl.col("y_true") != pl.col("y_pred")).collect()
    assert wrong["method"].sort().to_list() == ["lda", "ridge"]
    assert results.coefficients.collect()["value"].to_list() == [0.5]
    assert results.tuning.collect().is_empty()
    assert results.fits["status"].to_list() == ["failed"]
    assert results.scores["value"].to_list() == [0.5]
    assert list(results.study["methods"]) == ["lda", "ridge"]
    assert results.tables == ["ranks"]
    assert results.table("ranks")["rank"].to_list() == [1, 2]


def test_files_are_read_when_used_and_errors_name_what_is_missing(folder, tmp_path_factory):
    results = load_results(folder)
    (folder / "fits.parquet").write_bytes(b"no Parquet")
    assert results.scores.height == 1
    with pytest.raises(StudyError, match=r"fits.parquet"):
        results.fits  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'predictions'"):
        results.prediction  # noqa: B018
    with pytest.raises(StudyError, match="did you mean 'ranks'"):
        results.table("rank")
    empty = tmp_path_factory.mktemp("empty")
    with pytest.raises(StudyError, match="not the folder of a finished study"):
        load_results(empty)
