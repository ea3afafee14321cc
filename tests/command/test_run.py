"""`linclass init`, `run`, `status`, `report` and `figures`: from an empty folder to a page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cases import each
from jsonschema import Draft202012Validator

from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import PARTS, StudyDescription, read_study, write_study
from linclass_study.command import run
from linclass_study.errors import StudyError
from linclass_study.files.tables import frame, write_table
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.report.figure_files import draw_figures


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def begun(here, linclass):
    """A folder with the files of `linclass init`."""
    assert linclass("init").code == 0
    return here


def test_the_starter_study_has_no_errors_and_no_warnings_and_is_the_study_of_its_folder(
    begun, linclass
):
    assert sorted(path.name for path in begun.iterdir()) == [
        "measurements.csv", "my_estimator.py", "study.schema.json", "study.yaml",
    ]  # fmt: skip
    output = linclass("check", "study.yaml")
    assert (output.code, output.lines[0]) == (0, "study.yaml: no errors")
    assert not [line for line in output.lines if line.startswith("warning")]
    assert output.lines[-1].endswith("linclass run study.yaml")
    assert linclass("check").lines[0] == "study.yaml: no errors"
    output = linclass("status", "study.yaml")
    assert output.code == 1
    assert output.lines[0].startswith("runs     0 of 10 done; to do: measurements/majority")


def test_editors_find_the_schema_of_a_study_which_accepts_all_studies_of_the_project(begun):
    first = (begun / "study.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=study.schema.json"
    schema = json.loads((begun / "study.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    others = {"datasets.yaml", "methods.yaml", "published.yaml"}
    files = [file for file in (ROOT / "config").glob("*.yaml") if file.name not in others]
    assert len(files) >= 5
    for file in [begun / "study.yaml", *files]:
        assert not list(validator.iter_errors(read_yaml(file))), file
    study = read_yaml(begun / "study.yaml")
    for wrong in (
        {"evaluation": {"fold": 5}},
        {"evaluation": {"folds": "five"}},
        {"define": {"methods": {"mine": {"clasifier": "a.B"}}}},
        {"define": {"datasets": {"mine": {"target": "y"}}}},
        {"datasets": 3},
    ):
        assert list(validator.iter_errors(study | wrong)), wrong
    assert '"logistic_l1"' in json.dumps(schema["properties"]["methods"])


def test_init_overwrites_nothing(here, refused):
    (here / "study.yaml").write_text("mine")
    assert "study.yaml exists; give another folder" in refused("init")
    assert [path.name for path in here.iterdir()] == ["study.yaml"]


def test_init_makes_a_study_of_a_csv_file(here, linclass, refused):
    rows = [f"{k},{k * 7 % 5},{'ab'[k % 3 == 0]}" for k in range(30)]
    (here / "My data.csv").write_text("\n".join(["x,y 2,the class", *rows]))
    error = refused("init", "--from-csv", "My data.csv", "--target", "class")
    assert "has no column 'class'; its columns are x, y 2, the class" in error
    assert linclass("init", "--from-csv", "My data.csv", "--target", "the class").code == 0
    define = read_yaml(here / "study.yaml")["define"]
    assert define["datasets"]["my_data"]["target"] == "the class"
    assert linclass("check", "study.yaml").code == 0
    with pytest.raises(StudyError, match=r"no.csv: the file cannot be read"):
        list(run.init(here, here / "no.csv", "y"))


@each(("file", "target"), [
    ("2024.csv", "on"), ("on.csv", 'a "b" c'), ('q"uote.csv', "Null"), ("iris.csv", "7 days"), ("Größe.csv", "ä: b"),
])  # fmt: skip
def test_init_writes_a_study_without_errors_whatever_the_names(tmp_path, file, target):
    lines = [",".join(("x", '"{}"'.format(target.replace('"', '""'))))]
    (tmp_path / file).write_text(
        "\n".join([*lines, *(f"{k},{'ab'[k % 3 == 0]}" for k in range(30))])
    )
    folder = tmp_path / Path(file).stem
    [*run.init(folder, tmp_path / file, target)]
    (dataset,) = run.checked_study([folder / "study.yaml"]).datasets.values()
    assert dataset["target"] == target


def test_init_finds_the_separator_of_a_csv_file(here, linclass, refused):
    rows = [f"{k},5;{k * 7 % 5};{'ab'[k % 3 == 0]}" for k in range(30)]
    text = "\n".join(['"x";y;the class', *rows])
    (here / "it.csv").write_text(text, encoding="utf-8-sig")
    assert "its columns are x, y, the class" in refused(
        "init", "--from-csv", "it.csv", "--target", "z"
    )
    assert linclass("init", "--from-csv", "it.csv", "--target", "the class").code == 0
    assert read_yaml(here / "study.yaml")["define"]["datasets"]["it"]["csv"] == {"separator": ";"}
    assert linclass("check", "study.yaml").code == 0
    (here / "it.csv").write_bytes("Größe;y\n1;2\n".encode("latin-1"))
    assert refused("init", "--from-csv", "it.csv", "--target", "y").endswith(
        "save the file as UTF-8"
    )


def test_run_gives_snakemake_the_study_and_the_options_after_two_dashes(
    begun, linclass, refused, monkeypatch
):
    """In the same process, so that a signal to stop reaches Snakemake, which stops its jobs."""
    started = []
    monkeypatch.setattr(run.os, "execv", lambda path, command: started.append(command))
    linclass("run", "study.yaml", "--", "-n", "--cores", "2")
    (command,) = started
    assert command[:4] == [sys.executable, "-P", "-m", "snakemake"]
    assert command[-5:] == ["--configfile", "study.yaml", "-n", "--cores", "2"]
    assert Path(command[5]).name == "Snakefile"
    (begun / "study.yaml").write_text("methods: [ldda]\n")
    assert refused("run", "study.yaml").startswith("study.yaml, line 1: ")
    assert len(started) == 1


def test_report_needs_a_page(here, refused):
    (here / "results").mkdir()
    refused("report")


def test_a_page_of_an_earlier_version_of_the_study_is_not_the_end(here, linclass):
    study = here / "study.yaml"
    study.write_text("results: r\ndatasets: [iris]\nmethods: [lda]\n")
    checked = run.checked_study([study])
    outcome = Outcome(here / "r", *(getattr(checked, part) for part in PARTS))
    write_study(StudyDescription(outcome, {}, []))
    write_table(frame("fits"), "fits", here / "r/runs/iris/lda/fits.parquet")
    (here / "r/report.html").touch()
    output = linclass("status", "study.yaml")
    assert (output.code, output.lines[-1]) == (0, "page     r/report.html")
    study.write_text(study.read_text() + "evaluation: {seed: 5}\n")
    output, remedy = linclass("status", "study.yaml"), f"is {run.EARLIER}"
    assert (output.code, output.lines[-1]) == (1, f"page     r/report.html {remedy}")
    (here / "r/study.json").unlink()  # as a run of the edited study begins
    assert linclass("status", "study.yaml").code == 1
    assert linclass("report", "r").lines[0] == f"The page {remedy}"


def test_a_shell_completes_commands_and_options(tmp_path):
    answer = tmp_path / "answer"
    command = [sys.executable, "-m", "linclass_study.command"]
    for typed, expected in (("ve", "verify "), ("verify --tol", "--tolerance ")):
        line = f"linclass {typed}"
        asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
        files = {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
        subprocess.run(command, env=os.environ | asked | files, check=True)
        assert answer.read_text() == expected


@pytest.fixture
def drawn(a):
    """A results folder with two figures of a data set, of which one has nothing to draw, and one of all data sets."""
    outcome = read_study(a).outcome
    draw_figures(outcome, ["cost"])
    draw_figures(outcome, ["methods", "paths"], "two")
    return a / "exhibits"


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}


def test_pictures_are_made_on_demand_beside_the_svg_and_go_when_it_is_drawn_again(
    linclass, a, drawn
):
    svg = files(drawn)
    assert svg == {
        "cost/figure.svg", "cost/numbers.json", "methods-two/figure.svg", "methods-two/numbers.json",
    }  # fmt: skip
    output = linclass("figures", a, "methods", "--format", "pdf")
    assert output.lines == [f"wrote 1 file in {drawn}"]
    assert files(drawn) - svg == {"methods-two/figure.pdf"}
    assert (drawn / "methods-two" / "figure.pdf").read_bytes().startswith(b"%PDF")
    output = linclass("figures", a)
    assert output.lines == [f"wrote 3 files in {drawn}; 1 file had been written before"]
    assert (drawn / "cost" / "figure.png").read_bytes().startswith(b"\x89PNG")
    draw_figures(read_study(a).outcome, ["methods"], "two")
    assert files(drawn) - svg == {"cost/figure.png", "cost/figure.pdf"}


def test_figures_that_cannot_be_made_are_one_line(linclass, a, drawn, tmp_path):
    (error,) = linclass("figures", a, "method").errors
    assert "'method' is not a figure of" in error
    assert "did you mean 'methods'?" in error
    (tmp_path / "x.zip").touch()
    (error,) = linclass("figures", tmp_path / "x.zip").errors
    assert "is an archive; unpack it" in error


def test_results_without_figures_name_the_command_that_draws_them(linclass, a):
    (error,) = linclass("figures", a).errors
    assert "has no figures; run the study to its end" in error
