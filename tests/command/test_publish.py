"""`linclass publish` makes one archive: always the same, with nothing private, which verify and merge read."""

import hashlib
import io
import itertools
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
from cases import each
from finished_results import RUN, at, change, content, edit, study_of

from linclass_study.execution.run_files import described
from linclass_study.files.tables import frame, write_table

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
    of_data = [name for name in files if name.startswith("data/")]
    assert of_data == ["data/three.json", "data/two.json"]
    lines = files.pop("sha256sums.txt").decode().splitlines()
    sums = dict(line.split("  ")[::-1] for line in lines)
    assert sums == {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    assert "| two | 40 | sha256:0 |" in files["README.md"].decode()


def test_an_archive_has_nothing_of_a_data_set_that_was_removed_from_the_study(published, finished):
    for file in ("tables/performance-two.csv", "exhibits/roc-two/figure.svg"):
        (finished / file).parent.mkdir(exist_ok=True)
        (finished / file).touch()
    study = study_of(finished)
    del study["datasets"]["two"]
    edit(finished / "study.json", **study)
    files = content(published(finished))
    assert [name for name in files if "two" in name] == []
    assert {"data/three.json", "folds/three.parquet", "exhibits/ranks/figure.svg"} <= {*files}


def test_own_modules_are_beside_the_configuration_at_their_places(linclass, published, finished):
    study = study_of(finished)
    study["files"] |= {"lab/steps.py": "a = 1\n", "../beyond.py": "b = 2\n"}
    study["evaluation"] |= {"a_key_of_tomorrow": 1}  # which another version wrote
    edit(finished / "study.json", **study)
    change(finished / "folds" / "two.parquet", fold=pl.col("fold").cast(pl.Int64))
    archive = published(finished)
    files = content(archive)
    assert files["configuration/lab/steps.py"] == b"a = 1\n"
    assert files["configuration/beyond.py"] == b"b = 2\n"
    assert "`snakemake --configfile mystudy.yaml`" in files["README.md"].decode()
    assert linclass("verify", archive, finished).code == 0


def test_an_archive_does_not_reveal_folders_of_its_author(published, finished, monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    private = {"report.html": REPORT + "/home/ada/my.csv", "answer.txt": "/home/adam /home/ada"}
    for name, text in private.items():
        (finished / name).write_text(text)
    edit(finished / "data" / "two.json", source="file /home/ada/x.csv (copy in /data/mirror)")
    change(finished / "runs/two/good/fits.parquet", reason=pl.lit("/home/ada/m.py, line 3: no"))
    failed = {"dataset": "two", "method": "good", "failure": "no file /home/ada/model.bin"}
    write_table(frame("tuning", [failed]), "tuning", finished / RUN / "tuning.parquet")
    files = content(published(finished))
    assert json.loads(files["data/two.json"])["source"] == "file ~/x.csv (copy in a mirror)"
    assert files["answer.txt"] == b"/home/adam ~"
    assert not [n for n, text in files.items() if b"/home/ada" in text.replace(b"/home/adam", b"")]
    for table, column, public in (
        ("tuning", "failure", "no file ~/model.bin"), ("fits", "reason", "~/m.py, line 3: no"),
    ):  # fmt: skip
        found = pl.read_parquet(io.BytesIO(files[f"{RUN}/{table}.parquet"]))
        assert {*found[column]} == {public}


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


def holding(content):
    return lambda path: path.write_bytes(content)


def without(column, **others):
    """A Parquet file without a column, perhaps with others."""
    return lambda path: (
        pl.read_parquet(path).drop(column).with_columns(**others).write_parquet(path)
    )


def without_key(key):
    def rewrite(path):
        about = json.loads(path.read_text())
        path.write_text(json.dumps({name: about[name] for name in about if name != key}))

    return rewrite


FITS, FOLDS = f"{RUN}/fits.parquet", "folds/two.parquet"
UNREADABLE = [  # file, what is done to it, words of the error
    ("report.html", holding(b"\xff"), ""),
    ("data/two.json", holding(b"{"), ""),
    (FOLDS, holding(b"PAR1"), ""),
    ("fits.parquet", holding(b""), ""),
    ("scores.parquet", holding(b"PAR1 half of it"), ""),
    (FITS, holding(b""), ""),
    (f"{RUN}/predictions.parquet", holding(b"PAR1"), ""),
    *((FITS, without(name), f"(ValueError: it has no column '{name}')") for name in ("reason", "params", "status")),
    (FOLDS, without("row"), "(ValueError: it has no column 'row')"),
    (FOLDS, without("fold", fold=pl.lit("spam")), "(ValueError: its column 'fold' is of type String, not Int32)"),
    (FOLDS, without("row", row=pl.lit([1], pl.List(pl.Int32))),
        "(ValueError: its column 'row' is of type List(Int32), not Int64)"),
    ("data/two.json", without_key("positive"), "it has no key 'positive'"),
    ("data/two.json", without_key("rows"), "it has no key 'rows'"),
    ("checks/two.json", without_key("classes"), "it has no key 'classes'"),
]  # fmt: skip


@each(("file", "damage", "words"), UNREADABLE)
def test_an_unreadable_file_is_neither_published_nor_merged(
    refused, finished, tmp_path, file, damage, words
):
    whole = (finished / file).read_bytes()
    damage(finished / file)
    lines = [refused("publish", finished, "--partial", "--into", tmp_path / "out")]
    if file.startswith(("data", "folds", "checks")):
        lines.append(refused("merge", finished, "--into", tmp_path / "out"))
    (finished / file).write_bytes(whole)
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
    different = "and the predictions of two × good have different held-out rows"
    assert f"folds/two.parquet {different}" in line
    assert f"({protocol}, repeat 0" in line
    assert f"row {row})" in line


def test_a_table_that_its_fits_did_not_give_is_not_published(linclass, refused, finished):
    folder = finished / RUN
    fits = pl.read_parquet(folder / "fits.parquet")
    write_table(
        fits, "fits", folder / "fits.parquet", described(folder, {"asked": "a", "rows": "b"})
    )
    assert linclass("publish", finished).code == 0
    change(folder / "predictions.parquet", y_pred=1 - pl.col("y_pred"))
    words = "runs/two/good/predictions.parquet does not match its checksum"
    assert words in refused("publish", finished)


def test_an_unwritable_target_is_reported_in_one_line(refused, finished, tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "full").write_text("")
    for command, place in itertools.product(("publish", "merge"), ("file/below", "folder")):
        line = refused(command, finished, "--into", tmp_path / place)
        assert str(tmp_path / place.split("/")[0]) in line
        assert not [*tmp_path.glob("*.partial")]


def test_a_study_without_one_of_its_files_is_not_finished(refused, finished):
    for lost in (
        "tables", "exhibits.json", "exhibits/ranks", "answer.txt", "data/two.json", "folds/two.parquet",
    ):  # fmt: skip
        shutil.move(finished / lost, finished / "lost")
        line = refused("publish", finished)
        assert lost in line
        assert ("is missing" in line) == (lost != "tables")
        shutil.move(finished / "lost", finished / lost)
    for file in ("report.html", "answer.txt", "tables/summary.csv"):
        (finished / file).unlink()
    line = refused("publish", finished)
    lacks = "is not finished: 3 files are missing (first: report.html); run the study to its end"
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


@each(("options", "words"), [
    (["--author", "a, b, c"], "invalid author"),
    (["--author", " "], "invalid author"),
    (["--author", "0000-0002-1825-0097"], "invalid author"),
    (["--author", "42"], "'42': invalid author; write --author 'Family, Given'"),
    (["--author", "Lovelace, -"], "invalid author"),
    (["--license", "CC BY 4.0"], "not a valid SPDX expression"),
    (["--license", "foo"], "--license 'foo' is not a valid SPDX expression; write for example CC-BY-4.0"),
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
    # recommended by Process Run Crate 0.5
    assert all(run[key] for key in ("name", "description", "agent", "object", "actionStatus"))
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
