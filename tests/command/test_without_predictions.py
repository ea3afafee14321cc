"""Archives without predictions have the same scores, fits and answer, and are compared and merged by them."""

import shutil
import zipfile
from unittest import mock

import polars as pl
import pytest
from finished_results import RUN, at, change, content, edit, made_up

from linclass_study.command.__main__ import main
from linclass_study.files.tables import FIT
from linclass_study.report.drawing import svg

pytestmark = pytest.mark.xdist_group("archives")  # made once

WITH_ROWS = ("confusion", "per_class", "coefficients")  # tables
DATASETS = ("two", "three")


@pytest.fixture(scope="module", autouse=True)
def blank():
    """Figures without their rendering, which takes most of the time of a merge."""
    empty = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
    with mock.patch.object(svg, "rendered", return_value=empty):
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with the whole study, one for each of its data sets, and archives of all without predictions.

    The method `twin` predicts the same classes as `good`, and a fit of `plain` ran out of time.
    """
    place = tmp_path_factory.mktemp("made")
    raw = made_up(place / "raw")
    for run in sorted(raw.glob("runs/*/good")):
        shutil.copytree(run, run.with_name("twin"))
        for path in run.with_name("twin").glob("*.parquet"):
            change(path, method=pl.lit("twin"))
    fits, predictions = (raw / f"runs/two/plain/{name}.parquet" for name in ("fits", "predictions"))
    late = pl.col("fold") == 1
    change(fits, status=pl.when(late).then(pl.lit("timeout")).otherwise("status"))
    pl.read_parquet(predictions).filter(~late).write_parquet(predictions)
    study = raw / "study.json"
    edit(study, methods={m: {"classifier": f"linclass.{m}"} for m in ("good", "plain", "twin")})
    for name in ("whole", *DATASETS):
        if name != "whole":
            edit(study, datasets={name: {"source": {"file": f"{name}.csv"}}}, whole=list(DATASETS))
        assert main(["merge", str(raw), "--into", str(place / name)]) == 0
        archive = ["--without-predictions", "--into", str(place / f"{name}.zip")]
        assert main(["publish", str(place / name), *archive]) == 0
    return place


@pytest.fixture
def changed(made, tmp_path):
    """changed('two', 'scores', column=…): a copy of a folder with other values in a table of the study or of a run."""

    def call(name, table, **columns):
        copy = shutil.copytree(made / name, tmp_path / name)
        change(copy / f"{table}.parquet", **columns)
        return copy

    return call


@pytest.fixture
def packed(linclass, tmp_path):
    """packed(folder): its archive without predictions."""

    def call(folder, name="x"):
        into = tmp_path / f"{name}.zip"
        assert linclass("publish", folder, "--without-predictions", "--into", into).code == 0
        return into

    return call


def tables(folder):
    """Name → text of all tables, but for those of predictions and coefficients."""
    paths = (folder / "tables").iterdir()
    return {path.name: path.read_text() for path in paths if not path.name.startswith(WITH_ROWS)}


@pytest.mark.slow
def test_what_is_merged_from_an_archive_has_the_tables_of_the_original(
    linclass, merged, packed, made
):
    files, same = content(made / "whole.zip"), content(packed(made / "whole"))
    timed = {"report.html", "sha256sums.txt"}  # the page says when it was written
    assert {name for name in files if files[name] != same.get(name)} <= timed
    assert not [name for name in files if name.startswith(("runs/", "folds/"))]
    c = merged(made / "whole.zip")
    assert tables(c) == tables(made / "whole")
    assert "good and twin predict the same class" in tables(c)["across.json"]
    assert not (c / "exhibits" / "roc-two").exists()
    for table in ("scores.parquet", "fits.parquet"):
        assert pl.read_parquet(c / table).equals(pl.read_parquet(made / "whole" / table))
    assert linclass("publish", c, "--into", c.with_suffix(".zip")).code == 0
    assert linclass("verify", made / "whole.zip", c.with_suffix(".zip")).code == 0


@pytest.mark.slow
def test_archives_of_parts_become_the_archive_of_the_whole(merged, packed, made):
    whole = merged(*(made / f"{name}.zip" for name in reversed(DATASETS)), into="whole")
    one, other = content(made / "whole.zip"), content(packed(whole, "whole"))
    of_place = ("answer.txt", "report.html", "CITATION.cff", "README.md", "sha256sums.txt")
    assert {name for name in one if one[name] != other.get(name)} <= {*of_place}
    assert one.keys() == other.keys()


def test_data_sets_that_share_rows_are_known_without_the_rows(merged, packed, made, tmp_path):
    """An archive has no keys of rows, by which they were found."""
    folder = shutil.copytree(made / "whole", tmp_path / "whole")
    shutil.copy(folder / "checks" / "two.npz", folder / "checks" / "three.npz")
    table = pl.read_csv(merged(packed(folder)) / "tables" / "datasets.csv")
    table = table.select("dataset", "shares_rows_with")
    assert dict(table.iter_rows()) == {"two": "three", "three": "two"}


def test_a_part_agrees_with_the_archive_of_the_whole(linclass, made, tmp_path):
    output = linclass("verify", made / "two", made / "whole.zip")
    assert (output.code, output.errors) == (0, [])
    assert output.lines[0] == (
        "identical: 3 runs with the same fits and scores; "
        "the predictions of 3 runs were not compared: B does not have them"
    )
    assert "A is a part: 3 runs of B alone were not compared" in output.lines
    of_one = shutil.copytree(made / "whole", tmp_path / "one")
    edit(of_one / "study.json", methods={"good": {"classifier": "linclass.good"}})
    assert linclass("verify", of_one, made / "whole.zip").code == 1
    assert linclass("verify", of_one, made / "whole.zip", "--part").code == 0
    assert linclass("verify", made / "whole.zip", made / "two").code == 1  # the whole is no part


@pytest.mark.parametrize(("table", "columns", "words"), [
    ("scores", {"value": at(0, 0.123, "value")}, "(accuracy)"),
    ("scores", {"metric": at(0, pl.lit("brier"), "metric")}, "numbers differ by at most inf"),
    (f"{RUN}/fits", {"status": pl.lit("max_iter")}, "status of 3 of 3 fits differs"),
    (f"{RUN}/fits", {"params": pl.lit('{"C": 1}')}, "params of 3 of 3 fits differs"),
    (f"{RUN}/fits", {"certificate_kind": pl.lit("none")}, "certificate_kind of 3 of 3 fits differs"),
    (f"{RUN}/predictions", {"y_pred": at(3, 1 - pl.col("y_pred"), "y_pred")}, "good: predicted classes differ (cv)"),
    ("folds/two", {"fold": 2 - pl.col("fold")}, "data set two: its rows are assigned to other folds"),
])  # fmt: skip
def test_other_scores_fits_classes_and_folds_differ(linclass, made, changed, table, columns, words):
    part = changed("two", table, **columns)
    output = linclass("verify", part, made / "whole.zip")
    assert output.code == 1
    assert words in output.text


def test_rounding_of_scores_is_allowed_by_a_tolerance(linclass, made, changed):
    part = changed("two", "scores", value=pl.col("value") + 1e-12)
    output = linclass("verify", part, made / "whole.zip")
    assert output.code == 1
    assert output.lines[0].startswith("equal but for rounding: 3 of 3 runs")
    assert linclass("verify", part, made / "whole.zip", "--tolerance", "1e-9").code == 0


@pytest.mark.slow
def test_runs_are_taken_with_predictions_where_there_are_any(
    linclass, merged, made, changed, tmp_path
):
    for order in ((made / "whole.zip", made / "two"), (made / "two", made / "whole.zip")):
        into = merged(*order, into=f"from_{order[0].stem}")
        assert {path.name for path in (into / "runs").iterdir()} == {"two"}
        assert {*pl.read_parquet(into / "digests.parquet")["dataset"]} == {"three"}
        one, other = (pl.read_parquet(x / "scores.parquet") for x in (made / "whole", into))
        assert one.equals(other)
        assert linclass("verify", into, made / "whole").code == 0
        assert (into / "exhibits" / "roc-two" / "figure.svg").exists()
    other = changed("two", "scores", value=at(0, 0.123, "value"))
    output = linclass("merge", made / "whole.zip", other, "--into", tmp_path / "d")
    assert output.code == 1
    assert "two × good: numbers differ by at most" in output.text
    assert not (tmp_path / "d").exists()


@pytest.mark.slow
def test_times_of_other_machines_are_kept(merged, made, changed):
    part = changed("two", f"{RUN}/fits", machine=pl.lit("elsewhere"), fit_seconds=pl.lit(7.0))
    times = pl.read_parquet(merged(made / "whole.zip", part) / "times.parquet")
    assert times.filter(method="good").select(FIT).height == 3


DAMAGES = {  # of the files in an archive: file, what is done to it, words
    "a column lacks": ("digests.parquet", lambda p: pl.read_parquet(p).drop("predicted").write_parquet(p), "predicted"),
    "a name is a path": ("digests.parquet", lambda p: change(p, method=pl.lit("../x")), "not a valid run name"),
    "a digest is a number": ("digests.parquet", lambda p: change(p, predicted=pl.lit([1])), "digests.parquet"),
    "no fits": ("fits.parquet", lambda p: p.unlink(), "fits.parquet"),
    "an unknown status": ("fits.parquet", lambda p: change(p, status=pl.lit("good")), "'good' is not a status"),
    "half of the scores": ("scores.parquet", lambda p: p.write_bytes(p.read_bytes()[:99]), "scores.parquet"),
    "scores are text": ("scores.parquet", lambda p: change(p, value=pl.lit("x")), "scores.parquet"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("command", ["verify", "merge", "publish"])
def test_a_malformed_archive_is_reported_in_one_line(refused, made, tmp_path, command, damage):
    with zipfile.ZipFile(made / "two.zip") as box:
        box.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    (folder / "sha256sums.txt").unlink()
    file, do, words = DAMAGES[damage]
    do(folder / file)
    into = ["--into", tmp_path / "c"]
    more = {"verify": [made / "two"], "merge": into, "publish": ["--without-predictions", *into]}
    assert words in refused(command, folder, *more[command])
    assert not (tmp_path / "c").exists()
