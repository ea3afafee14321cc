"""`linclass figures`: PNG and PDF of the figures of a results folder, on demand."""

import pytest

from linclass_study.analysis.study_file import read_study
from linclass_study.report.figure_files import write_exhibits


@pytest.fixture
def drawn(a):
    """A results folder with two figures of a data set, of which one has nothing to draw, and one of all data sets."""
    outcome = read_study(a).outcome
    write_exhibits(outcome, ["cost"])
    write_exhibits(outcome, ["methods", "paths"], "two")
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
    write_exhibits(read_study(a).outcome, ["methods"], "two")
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
