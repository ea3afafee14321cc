"""`linclass publish` makes one archive: always the same, with nothing private, which verify and merge read."""

import hashlib
import io
import json
import os
import shutil
import tomllib
import zipfile
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote

import polars as pl
import pytest
import yaml
from finished_results import at, change, edit

from linclass_study.execution.run_files import RunInputs, described
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table

ROOT = Path(__file__).parents[2]
REPORT = "<html><body>the report</body></html>"


@pytest.fixture
def finished(a):
    """Results with a page, and with what does not belong into an archive."""
    (a / "report.html").write_text(REPORT)
    os.utime(a / "report.html", (1_000_000_000, 1_000_000_000))  # 2001-09-09T01:46:40Z
    figure = "exhibits/ranks/figure.svg"
    (a / "exhibits.json").write_text(json.dumps({"drawn": {figure[9:]: ""}, "not_drawn": {}}))
    for file in ("answer.txt", "tables/summary.csv", "tables/datasets.csv", figure):
        (a / file).parent.mkdir(parents=True, exist_ok=True)
        (a / file).touch()
    (a / "tables" / "across.json").write_text("{}")
    (a / "logs").mkdir()
    (a / "logs" / "fetch.log").write_text("a log")
    (a / "runs" / "two" / ".claims").write_text("")
    (a / "runs" / "two" / "good" / "fits.parquet.17.partial").write_text("")
    return a


@pytest.fixture
def published(linclass, tmp_path):
    """published(folder, *options) → the archive."""

    def call(folder, *options):
        output = linclass("publish", folder, *options)
        assert (output.code, output.errors) == (0, []), output
        return Path(output.lines[0].removeprefix("published: ").rpartition(" (")[0])

    return call


def content(archive):
    """Name below the archive's own folder → content."""
    with zipfile.ZipFile(archive) as box:
        return {name.split("/", 1)[1]: box.read(name) for name in box.namelist()}


@pytest.mark.slow
def test_an_archive_is_read_like_its_folder(linclass, published, finished, b, tmp_path):
    archive = published(finished, "--author", "Lovelace, Ada")
    assert linclass("verify", archive, b).code == 0
    assert linclass("verify", finished, archive).code == 0
    assert linclass("merge", archive, "--into", tmp_path / "c").code == 0
    assert linclass("verify", tmp_path / "c", archive).code == 0


def test_the_same_results_give_the_same_bytes_and_other_results_another_name(published, finished):
    first = published(finished)
    bytes_ = first.read_bytes()
    first.unlink()
    again = shutil.copytree(finished, finished.parent / "again" / finished.name)
    for path in again.rglob("*.parquet"):
        os.utime(path, (0, 0))
    second = published(again)
    assert (second.name, second.read_bytes()) == (first.name, bytes_)
    change(finished / "scores.parquet", value=pl.col("value") + 1)
    assert published(finished).name != first.name


def test_an_archive_holds_inputs_results_and_environments_and_nothing_else(published, finished):
    files = content(published(finished))
    tops = {name.split("/")[0] for name in files}
    assert tops == {
        "answer.txt", "checks", "CITATION.cff", "configuration", "data", "environment", "exhibits",
        "exhibits.json", "fits.parquet", "folds", "README.md", "report.html", "runs", "scores.csv",
        "scores.parquet", "sha256sums.txt", "study.json", "tables",
    }  # fmt: skip
    assert files["configuration/mystudy.yaml"] == b"datasets: [two, three]\n"
    assert not [name for name in files if name.endswith((".partial", ".claims", ".log"))]
    assert [name for name in files if name.startswith("data/")] == [
        "data/three.json",
        "data/two.json",
    ]
    sums = dict(
        line.split("  ")[::-1] for line in files.pop("sha256sums.txt").decode().splitlines()
    )
    assert sums == {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    assert "| two | 40 | sha256:0 |" in files["README.md"].decode()


def test_own_modules_are_beside_the_configuration_at_their_places(linclass, published, finished):
    study = json.loads((finished / "study.json").read_text())
    more = {"lab/steps.py": "a = 1\n", "../beyond.py": "b = 2\n"}
    more_keys = study["evaluation"] | {"a_key_of_tomorrow": 1}  # which another version wrote
    edit(finished / "study.json", files=study["files"] | more, evaluation=more_keys)
    change(finished / "folds" / "two.parquet", fold=pl.col("fold").cast(pl.Int64))
    archive = published(finished)
    files = content(archive)
    assert files["configuration/lab/steps.py"] == b"a = 1\n"
    assert files["configuration/beyond.py"] == b"b = 2\n"
    assert "`snakemake --configfile mystudy.yaml`" in files["README.md"].decode()
    assert linclass("verify", archive, finished).code == 0


def test_an_archive_does_not_reveal_the_home_folder_of_its_author(published, finished, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    private = {"report.html": REPORT + "/home/ada/my.csv", "answer.txt": "/home/adam /home/ada"}
    for name, text in private.items():
        (finished / name).write_text(text)
    edit(finished / "data" / "two.json", source="file /home/ada/x.csv")
    change(finished / "runs/two/good/fits.parquet", reason=pl.lit("/home/ada/m.py, line 3: no"))
    failed = {"dataset": "two", "method": "good", "failure": "no file /home/ada/model.bin"}
    write_table(
        table_files.frame("tuning", [failed]), "tuning", finished / "runs/two/good/tuning.parquet"
    )
    files = content(published(finished))
    assert json.loads(files["data/two.json"])["source"] == "file ~/x.csv"
    assert files["answer.txt"] == b"/home/adam ~"
    assert not [n for n, text in files.items() if b"/home/ada" in text.replace(b"/home/adam", b"")]
    tuning = pl.read_parquet(io.BytesIO(files["runs/two/good/tuning.parquet"]))
    assert tuning["failure"].to_list() == ["no file ~/model.bin"]
    (finished / "got.parquet").write_bytes(files["runs/two/good/fits.parquet"])
    reasons = pl.read_parquet(finished / "got.parquet")["reason"].unique().to_list()
    assert reasons == ["~/m.py, line 3: no"]


def test_an_archive_that_was_changed_is_refused(refused, published, finished, tmp_path):
    archive = published(finished)
    assert "is an archive already" in refused("publish", archive)
    other = tmp_path / "other.zip"
    for changed in ("scores.csv", "data/two.json"):
        with zipfile.ZipFile(archive) as box, zipfile.ZipFile(other, "w") as copy:
            for name in box.namelist():
                text = box.read(name)
                copy.writestr(name, text + b" " if name.endswith(changed) else text)
        assert f"{changed} differs from what was published" in refused("verify", other, finished)


def test_a_folder_with_several_studies_is_refused_and_the_studies_are_named(refused, tmp_path):
    for study in ("one", "two"):
        (tmp_path / study / "runs").mkdir(parents=True)
    line = refused("publish", tmp_path)
    assert line.endswith(f"it holds those of one, two: give one, as {tmp_path}/one")


def test_an_unfinished_study_is_published_only_on_explicit_request(refused, published, finished):
    shutil.rmtree(finished / "runs" / "three" / "plain")
    (finished / "report.html").unlink()
    line = refused("publish", finished)
    assert "report.html is missing and 1 of 4 runs are missing (first: three × plain)" in line
    assert line.endswith("with --partial")
    assert "scores.csv" in content(published(finished, "--partial"))


FITS, TABLE = "runs/two/good/fits.parquet", "folds/two.parquet"


def damaged(file, content):
    return file, lambda path: path.write_bytes(content), ""


def columns(file, words, *selected, **more):
    def rewrite(path):
        pl.read_parquet(path).select(*selected, **more).write_parquet(path)

    return file, rewrite, f"(ValueError: {words})"


def without_key(file, key):
    def rewrite(path):
        about = json.loads(path.read_text())
        path.write_text(json.dumps({name: about[name] for name in about if name != key}))

    return file, rewrite, f"it has no key '{key}'"


UNREADABLE = [  # file, what is done to it, words of the error
    damaged("report.html", b"\xff"),
    damaged("data/two.json", b"{"),
    damaged(TABLE, b"PAR1"),
    damaged("fits.parquet", b""),
    damaged("scores.parquet", b"PAR1 half of it"),
    damaged(FITS, b""),
    damaged("runs/two/good/predictions.parquet", b"PAR1"),
    *(columns(FITS, f"it has no column '{name}'", pl.all().exclude(name)) for name in ("reason", "params", "status")),
    columns(TABLE, "it has no column 'row'", pl.all().exclude("row")),
    columns(TABLE, "its column 'fold' is of type String, not Int32", pl.all().exclude("fold"), fold=pl.lit("spam")),
    columns(TABLE, "its column 'row' is of type List(Int32), not Int64",
        pl.all().exclude("row"), row=pl.lit([1], pl.List(pl.Int32))),
    without_key("data/two.json", "positive"),
    without_key("data/two.json", "rows"),
    without_key("checks/two.json", "classes"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "damage", "words"), UNREADABLE)
def test_an_unreadable_file_is_neither_published_nor_merged(
    refused, finished, tmp_path, file, damage, words
):
    damage(finished / file)
    lines = [refused("publish", finished, "--partial", "--into", tmp_path / "out")]
    if file.startswith(("data", "folds", "checks")):
        lines.append(refused("merge", finished, "--into", tmp_path / "out"))
    for line in lines:
        assert f"{finished}: {file} cannot be read" in line
        assert words in line
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("protocol", "row", "fold"), [("cv", 5, 0), ("cv", 5, -1), ("leave_one_out", 5, -1)]
)
def test_folds_that_hold_out_other_rows_than_were_predicted_are_not_published(
    linclass, refused, finished, protocol, row, fold
):
    """A byte of a fold may change and leave a whole Parquet file; row 5 was in fold 2."""
    folds = finished / "folds" / "two.parquet"
    if protocol == "leave_one_out":  # one fit, in which each row is a fold
        change(folds, protocol=pl.lit(protocol), fold=pl.col("row").cast(pl.Int32))
        for path in (finished / "runs" / "two").glob("*/*.parquet"):
            if path.stem in ("predictions", "fits"):
                table = pl.read_parquet(path).with_columns(protocol=pl.lit(protocol))
                table.with_columns(fold=pl.lit(0, pl.Int32)).write_parquet(path)
    assert linclass("publish", finished).code == 0
    change(folds, fold=at(row, pl.lit(fold, pl.Int32), "fold"))
    line = refused("publish", finished)
    assert (
        "folds/two.parquet and the predictions of two × good have different held-out rows" in line
    )
    assert f"({protocol}, repeat 0" in line
    assert f"row {row})" in line


def test_a_table_that_its_fits_did_not_give_is_not_published(linclass, refused, finished):
    folder = finished / "runs" / "two" / "good"
    fits = pl.read_parquet(folder / "fits.parquet")
    write_table(fits, "fits", folder / "fits.parquet", described(folder, RunInputs("a", "b")))
    assert linclass("publish", finished).code == 0
    change(folder / "predictions.parquet", y_pred=1 - pl.col("y_pred"))
    words = "runs/two/good/predictions.parquet does not match its checksum"
    assert words in refused("publish", finished)


@pytest.mark.parametrize("command", ["publish", "merge"])
@pytest.mark.parametrize("place", ["file/below", "folder"])
def test_an_unwritable_target_is_reported_in_one_line(refused, finished, tmp_path, command, place):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "full").write_text("")
    line = refused(command, finished, "--into", tmp_path / place)
    assert str(tmp_path / place.split("/")[0]) in line
    assert not [*tmp_path.glob("*.partial")]


@pytest.mark.parametrize("lost", [
    "tables", "exhibits.json", "exhibits/ranks", "answer.txt", "data/two.json", "folds/two.parquet",
])  # fmt: skip
def test_a_study_without_one_of_its_files_is_not_finished(refused, finished, lost):
    shutil.move(finished / lost, finished / "lost")
    line = refused("publish", finished)
    assert lost in line
    assert ("is missing" in line) == (lost != "tables")


def test_many_missing_files_are_counted_in_one_line(refused, finished):
    for file in ("report.html", "answer.txt", "tables/summary.csv"):
        (finished / file).unlink()
    line = refused("publish", finished)
    lacks = "is not finished: 3 files are missing (first: report.html); run snakemake to its end"
    assert lacks in line
    assert "summary" not in line


def test_an_archive_is_cited_as_its_authors_say(published, finished):
    names = ["--author", "Lovelace, Ada, 0000-0002-1825-0097", "--author", "The Analysts"]
    files = content(published(finished, *names, "--title", "Lines", "--license", "CC-BY-4.0"))
    cited = yaml.safe_load(files["CITATION.cff"])
    assert (cited["cff-version"], cited["type"], cited["title"]) == ("1.2.0", "dataset", "Lines")
    assert cited["authors"] == [
        {"family-names": "Lovelace", "given-names": "Ada", "orcid": "https://orcid.org/0000-0002-1825-0097"},
        {"name": "The Analysts"},
    ]  # fmt: skip
    assert (cited["license"], cited["date-released"]) == ("CC-BY-4.0", "2001-09-09")
    assert cited["references"][0]["type"] == "software"
    assert files["README.md"].decode().startswith("# Lines\n")


@pytest.mark.parametrize(("options", "words"), [
    (["--author", "a, b, c"], "invalid author"),
    (["--author", " "], "invalid author"),
    (["--author", "0000-0002-1825-0097"], "invalid author"),
    (["--author", "42"], "'42': invalid author; write --author 'Family, Given'"),
    (["--author", "Lovelace, -"], "invalid author"),
    (["--license", "CC BY 4.0"], "not a valid SPDX expression"),
    (["--license", "foo"], "--license 'foo' is not a valid SPDX expression; Write for example CC-BY-4.0"),
    (["--license", "foo-9"], "--license 'foo-9' is not a valid SPDX expression"),
    (["--license", "cc-by"], "did you mean CC-BY-4.0?"),
    (["--crate"], "--crate requires --license"),
])  # fmt: skip
def test_an_invalid_citation_is_reported_in_one_line(refused, finished, options, words):
    assert words in refused("publish", finished, *options)
    assert not list(finished.parent.glob("*.zip"))


def test_citation_environment_and_container_have_the_version_of_the_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    environment = (ROOT / "workflow" / "envs" / "linclass.yaml").read_text()
    assert f"linclass[study]=={project['version']}\n" in environment
    assert f'/linclass:{project["version"]}"' in (ROOT / "workflow" / "Snakefile").read_text()


def test_a_crate_describes_the_run_as_its_profile_requires(linclass, published, finished, b):
    """Workflow Run Crate 0.5 and the profiles that it extends: their MUST requirements."""
    archive = published(finished, "--crate", "--license", "CC-BY-4.0", "--author", "Lovelace, Ada")
    assert linclass("verify", archive, b).code == 0
    files = content(archive)
    crate = json.loads(files["ro-crate-metadata.json"])
    assert "https://w3id.org/ro/crate/1.1/context" in crate["@context"]
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])

    descriptor, root = entities["ro-crate-metadata.json"], entities["./"]
    assert descriptor["about"] == {"@id": "./"}
    assert {"@id": "https://w3id.org/ro/crate/1.1"} in descriptor["conformsTo"]
    assert {"@id": "https://w3id.org/ro/wfrun/workflow/0.5"} in root["conformsTo"]
    assert all(root[key] for key in ("name", "description", "datePublished", "license"))

    workflow = entities[root["mainEntity"]["@id"]]
    assert set(workflow["@type"]) == {"File", "SoftwareSourceCode", "ComputationalWorkflow"}
    assert entities[workflow["programmingLanguage"]["@id"]]["@type"] == "ComputerLanguage"
    run = entities[root["mentions"]["@id"]]
    assert (run["@type"], run["instrument"]) == ("CreateAction", {"@id": workflow["@id"]})
    assert {"@id": "report.html"} in run["result"]
    assert datetime.fromisoformat(run["endTime"]).timestamp() == 1_000_000_000
    recommended = (
        "name",
        "description",
        "agent",
        "object",
        "actionStatus",
    )  # Process Run Crate 0.5
    assert all(run[key] for key in recommended)
    assert run["actionStatus"] == {"@id": "http://schema.org/CompletedActionStatus"}
    parameters = [e for e in entities.values() if e["@type"] == "FormalParameter"]
    assert {parameter["additionalType"] for parameter in parameters} == {"File"}

    # what is referred to is described, and what is described is there
    outside = ("https://w3id.org/", "https://bio", "http://schema.org/")
    for entity in entities.values():
        for value in entity.values():
            for reference in value if isinstance(value, list) else [value]:
                if isinstance(reference, dict):
                    assert reference["@id"] in entities or reference["@id"].startswith(outside)
        kinds = entity["@type"] if isinstance(entity["@type"], list) else [entity["@type"]]
        if {"File", "Dataset"} & set(kinds) and entity["@id"] != "./":
            assert {"@id": entity["@id"]} in root["hasPart"]
            assert any(name.startswith(unquote(entity["@id"])) for name in files), entity["@id"]


@pytest.mark.parametrize("text", ["{", "[]", '{"files": {}}'])
def test_an_unreadable_study_json_is_reported_in_one_line_with_the_remedy(refused, finished, text):
    (finished / "study.json").write_text(text)
    line = refused("publish", finished)
    assert "is not a valid study.json" in line
    assert line.endswith("run snakemake to its end, which writes it")


SHAPES = {  # keys of a value in study.json, another value, what is said of it
    "no methods": ("methods", {}, "methods: it is empty"),
    "a data set that is a text": ("datasets.two", "x", "datasets.two: 'x' is not a mapping"),
    "a path as a name": ("datasets", {"../two": {}}, "datasets: '../two' is not a valid name"),
    "a file that is a number": ("files", {"mystudy.yaml": 3}, "files.mystudy.yaml: it is not text"),
    "a study without its file": ("studies", [["other.yaml"]], "studies: there is no file 'other.yaml'"),
    "a study that is a list of lists": ("studies", [[["x"]]], "studies: there is no file ['x']"),
    "no protocol": ("evaluation.protocols", [], "evaluation.protocols: [] is too short"),
    "an unknown protocol": ("evaluation.protocols", "cw", "evaluation.protocols: 'cw' is not a list"),
    "a number that is a text": ("evaluation.repeats", "x", "evaluation.repeats: 'x' is not a whole number"),
    "a metric that is a number": ("evaluation.tune_metric", 3, "evaluation.tune_metric: 3 is not text"),
    "an unknown metric": ("evaluation.tune_metric", "acuracy", "did you mean 'accuracy'?"),
    "an empty evaluation": ("evaluation", {}, "evaluation: the key 'protocols' is missing"),
}  # fmt: skip


@pytest.mark.parametrize("command", ["publish", "merge", "verify"])
@pytest.mark.parametrize("case", SHAPES)
def test_a_study_json_with_wrong_types_is_reported_in_one_line(
    refused, finished, tmp_path, command, case
):
    keys, value, words = SHAPES[case]
    study = json.loads((finished / "study.json").read_text())
    part, _, key = keys.partition(".")
    edit(finished / "study.json", **{part: study[part] | {key: value} if key else value})
    more = [finished] if command == "verify" else ["--into", tmp_path / "out"]
    line = refused(command, finished, *more)
    assert f"{finished}/study.json is not a valid study.json (" in line
    assert words in line
    assert not (tmp_path / "out").exists()
