"""`linclass init`, `run`, `status`, `report` and `figures`: from an empty folder to a page."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from linclass_study.analysis.study_file import read_study
from linclass_study.command import run
from linclass_study.command.__main__ import main
from linclass_study.errors import StudyError
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.report.figure_files import draw_figures

# `linclass init`, `run`, `status` and `report`: from an empty folder to a page


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_starter_study_has_no_errors_and_no_warnings(here, capsys):
    assert main(["init"]) == 0
    assert sorted(path.name for path in here.iterdir()) == [
        "measurements.csv", "my_estimator.py", "study.schema.json", "study.yaml",
    ]  # fmt: skip
    capsys.readouterr()
    assert main(["check", "study.yaml"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "study.yaml: no errors"
    assert not [line for line in lines if line.startswith("warning")]
    assert lines[-1].endswith("linclass run study.yaml")


def test_editors_find_the_schema_of_a_study_which_accepts_all_studies_of_the_project(here):
    main(["init"])
    first = (here / "study.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=study.schema.json"
    schema = json.loads((here / "study.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    others = {"datasets.yaml", "methods.yaml", "published.yaml"}
    files = [file for file in (ROOT / "config").glob("*.yaml") if file.name not in others]
    assert len(files) >= 5
    for file in [here / "study.yaml", *files]:
        assert not list(validator.iter_errors(read_yaml(file))), file
    study = read_yaml(here / "study.yaml")
    for wrong in (
        {"evaluation": {"fold": 5}},
        {"evaluation": {"folds": "five"}},
        {"define": {"methods": {"mine": {"clasifier": "a.B"}}}},
        {"define": {"datasets": {"mine": {"target": "y"}}}},
        {"datasets": 3},
    ):
        assert list(validator.iter_errors(study | wrong)), wrong
    offered = json.dumps(schema["properties"]["methods"])
    assert '"logistic_l1"' in offered


def test_init_overwrites_nothing(here, capsys):
    (here / "study.yaml").write_text("mine")
    assert main(["init"]) == 2
    assert "study.yaml exists; give another folder" in capsys.readouterr().err
    assert [path.name for path in here.iterdir()] == ["study.yaml"]


def test_init_makes_a_study_of_a_csv_file(here, capsys):
    rows = [f"{k},{k * 7 % 5},{'ab'[k % 3 == 0]}" for k in range(30)]
    (here / "My data.csv").write_text("\n".join(["x,y 2,the class", *rows]))
    assert main(["init", "--from-csv", "My data.csv", "--target", "class"]) == 2
    assert "has no column 'class'; its columns are x, y 2, the class" in capsys.readouterr().err
    assert main(["init", "--from-csv", "My data.csv", "--target", "the class"]) == 0
    study = yaml.safe_load((here / "study.yaml").read_text())
    assert study["define"]["datasets"]["my_data"]["target"] == "the class"
    assert main(["check", "study.yaml"]) == 0


def test_status_counts_the_runs_that_are_to_do(here, capsys):
    main(["init"])
    capsys.readouterr()
    assert main(["status", "study.yaml"]) == 1
    assert capsys.readouterr().out.startswith("runs     0 of 10 done; to do: measurements/majority")


def test_run_gives_snakemake_the_study_and_the_options_after_two_dashes(here, monkeypatch):
    main(["init"])
    started = []
    done = subprocess.CompletedProcess([], 3)
    monkeypatch.setattr(run.subprocess, "run", lambda command, **_: started.append(command) or done)
    assert main(["run", "study.yaml", "--", "-n", "--cores", "2"]) == 3
    (command,) = started
    assert command[:3] == [sys.executable, "-m", "snakemake"]
    assert command[-5:] == ["--configfile", "study.yaml", "-n", "--cores", "2"]
    assert Path(command[4]).name == "Snakefile"


def test_a_study_with_errors_is_not_started(here, monkeypatch, capsys):
    (here / "study.yaml").write_text("methods: [ldda]\n")
    monkeypatch.setattr(run.subprocess, "run", lambda *_, **__: pytest.fail("it was started"))
    assert main(["run", "study.yaml"]) == 2
    assert capsys.readouterr().err.startswith("study.yaml, line 1: ")


def test_report_needs_a_page(here):
    (here / "results").mkdir()
    assert main(["report"]) == 2


def test_a_csv_file_that_cannot_be_read_is_named(here):
    with pytest.raises(StudyError, match=r"no.csv: cannot be read"):
        list(run.init(here, here / "no.csv", "y"))


@pytest.mark.parametrize(
    ("typed", "expected"), [("ve", "verify "), ("verify --tol", "--tolerance ")]
)
def test_a_shell_completes_commands_and_options(tmp_path, typed, expected):
    line, answer = f"linclass {typed}", tmp_path / "answer"
    asked = {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}
    command = [sys.executable, "-m", "linclass_study.command"]
    files = {"_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
    subprocess.run(command, env=os.environ | asked | files, check=True)
    assert answer.read_text() == expected


# `linclass figures`: PNG and PDF of the figures of a results folder, on demand


@pytest.fixture
def drawn(a):
    """A results folder with two figures of a data set, of which one has nothing to draw, and one of all data sets."""
    outcome = read_study(a).outcome
    draw_figures(outcome, ["cost"])
    draw_figures(outcome, ["methods", "paths"], "two")
    return a / "exhibits"


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}


def test_pictures_are_made_on_demand_beside_the_svg(linclass, a, drawn):
    svg = {
        f"{name}/{file}"
        for name in ("cost", "methods-two")
        for file in ("figure.svg", "numbers.json")
    }
    assert files(drawn) == svg
    output = linclass("figures", a, "methods", "--format", "pdf")
    assert output.lines == [f"wrote 1 file in {drawn}"]
    assert files(drawn) - svg == {"methods-two/figure.pdf"}
    assert (drawn / "methods-two" / "figure.pdf").read_bytes().startswith(b"%PDF")
    output = linclass("figures", a)
    assert output.lines == [f"wrote 3 files in {drawn}; 1 file had been written before"]
    assert (drawn / "cost" / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_of_an_earlier_drawing_do_not_stay(linclass, a, drawn):
    assert linclass("figures", a).code == 0
    draw_figures(read_study(a).outcome, ["methods"], "two")
    assert sorted(path.name for path in (drawn / "methods-two").iterdir()) == [
        "figure.svg",
        "numbers.json",
    ]


def test_an_unknown_figure_and_an_archive_are_one_line(linclass, a, drawn, tmp_path):
    (error,) = linclass("figures", a, "method").errors
    assert "'method' is not a figure of" in error
    assert "did you mean 'methods'?" in error
    (tmp_path / "x.zip").touch()
    (error,) = linclass("figures", tmp_path / "x.zip").errors
    assert "is an archive; unpack it" in error


def test_results_without_figures_name_the_command_that_draws_them(linclass, a):
    (error,) = linclass("figures", a).errors
    assert "has no figures; run snakemake to its end" in error


def test_without_a_file_the_study_of_the_folder_is_checked(here, capsys):
    assert main(["init"]) == 0
    capsys.readouterr()
    assert main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "study.yaml: no errors"
