"""Tables of the report on the page, and as CSV, Markdown and LaTeX of the same numbers; a paper made of the exports."""

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace
from unittest import mock

import polars as pl
import pytest
import studies
from cases import each
from studies import Data, Method

from linclass_study.analysis import outcome as outcome_module
from linclass_study.errors import StudyError
from linclass_study.files.reading import read_about
from linclass_study.report import figures, tables
from linclass_study.report import table as table_module
from linclass_study.report.contents import FIGURES, SCRIPTED, SECTIONS, TABLES, Part
from linclass_study.report.figure_files import figure_names, write_pictures
from linclass_study.report.latex import Labels, latex
from linclass_study.report.table import Column, Number, ReportTable, make_tables, table_files
from linclass_study.report.table_files import printed_table
from linclass_study.report.tables.answer import all_methods_in_print

ADDED = """
from linclass_study.report.drawing import style
from linclass_study.report.figure_files import ReportFigure
from linclass_study.report.table import Column, ReportTable


def sizes(outcome, dataset=""):
    if dataset == "none":
        return None
    columns = [Column("method", "Method", "method"), Column("size", "Size", "count")]
    return ReportTable(f"Sizes {dataset}", "A caption of sizes.", columns, [["m", 12345]])


def bars(outcome):
    figure = style.canvas(3, 2)
    figure.subplots().bar(range(len(outcome.methods)), 1)
    return ReportFigure(figure, "Sizes", "A caption of bars.", {"n": len(outcome.methods)})
"""


def test_adding_one_entry_adds_one_table_to_its_section_or_one_figure(make, tmp_path, monkeypatch):
    (tmp_path / "added.py").write_text(ADDED)
    for package in (tables, figures):
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path)])
    wanted = {
        f"sizes_{section}_{per_dataset}": Part(section, "tables.added.sizes", per_dataset)
        for section in SECTIONS
        if section not in SCRIPTED
        for per_dataset in (True, False)
    }
    for name, part in wanted.items():
        monkeypatch.setitem(TABLES, name, part)
    monkeypatch.setitem(FIGURES, "bars", Part("across", "figures.added.bars"))
    assert figure_names()[False][-1] == "bars"
    outcome = make({"d": Data(), "none": Data()}, {"m": Method(), "other": Method(2.0)}, folds=2)
    page = studies.finish(outcome, "bars")
    assert studies.numbers_of(outcome, "bars")["n"] == 2
    assert "A caption of bars." in page
    folder, files = outcome.results / "tables", table_files(["d", "none"])
    assert all((folder / name).exists() for name in files)
    for name, part in wanted.items():
        own = [f"{name}-d", f"{name}-none"] if part.per_dataset else [name]
        assert [file for file in files if name in file] == [
            f"{table}.{form}" for table in own for form in ("csv", "md", "tex")
        ]
        section = page[page.index(f'<h2 id="{part.section}"') :].split("<h2")[1]
        assert section.count(f'id="table-{own[0]}"') == page.count(f'id="table-{name}') == 1
        assert pl.read_csv(folder / f"{own[0]}.csv").to_dicts() == [{"method": "m", "size": 12345}]
        if part.per_dataset:
            assert pl.read_csv(folder / f"{own[1]}.csv").columns == ["nothing"]


def test_a_file_has_every_number_in_full_with_its_spread_and_interval():
    columns = [
        Column("methods", "Methods", "method"), Column("a", "A", "number"), Column("b", "B", "number"),
        Column("seconds", "Seconds", "seconds"),
    ]  # fmt: skip
    third = 1 / 3
    rows = [
        [["m", "n"], Number(third, sd=2 * third), Number(1.0, interval=(0.5, 2.0)), 1e-5],
        ["o", None, Number(None), None],
    ]
    assert ReportTable("t", "c", columns, rows).frame().to_dicts() == [
        {"methods": "m; n", "a": third, "a_sd": 2 * third, "b": 1.0, "b_low": 0.5, "b_high": 2.0, "seconds": 1e-5},
        {"methods": "o", "a": None, "a_sd": None, "b": None, "b_low": None, "b_high": None, "seconds": None},
    ]  # fmt: skip


def test_a_table_of_a_data_set_is_made_of_its_own_scores_and_fits(make):
    outcome = make({"d": Data(), "e": Data()}, {"m": Method(), "n": Method(2.0)}, folds=3)
    for dataset, own in outcome.parts().items():
        for name in ("scores", "fits", "times"):
            assert getattr(own, name).equals(getattr(outcome, name).filter(dataset=dataset))


def test_tables_of_many_data_sets_read_the_description_of_each_at_most_twice(make):
    """Once of the whole study and once of its part: the work grows with the number of data sets, not its square."""
    outcome = make({f"d{i}": Data() for i in range(4)}, {"m": Method(), "n": Method(2.0)}, folds=3)
    with mock.patch.object(outcome_module, "read_about", wraps=read_about) as reading:
        make_tables(outcome)
    assert max(Counter(call.args[0].name for call in reading.mock_calls).values()) <= 2


def test_a_page_of_too_many_rows_shows_the_first_ones_and_says_so(make, monkeypatch):
    monkeypatch.setattr(table_module, "ROOM", 100)
    monkeypatch.setattr(table_module, "FEWER_ROWS", 3)
    outcome = make({"d": Data()}, {f"m{i}": Method(i / 3) for i in range(7)}, folds=3)
    page = studies.finish(outcome)
    for name, rows in (("metrics", 7), ("differences", 6), ("performance", 7)):
        part = page[page.index(f'id="table-{name}-d"') :].split("</p>")[0]
        assert part.count("<tr") == 1 + 3
        assert f"3 of {rows} rows" in part
        assert pl.read_csv(outcome.results / "tables" / f"{name}-d.csv").height == rows


@each(("kind", "value", "text"), [
    ("seconds", 0.0000042, "4.2 µs"),
    ("seconds", 0.0123, "12 ms"),
    ("seconds", 0.9999, "1 s"),
    ("seconds", 59.6, "60 s"),
    ("seconds", 150, "2.5 min"),
    ("seconds", 7300, "2.0 h"),
    ("seconds", None, "–"),
    ("ratio", 14.443, "14"),
    ("ratio", 9.96, "10"),
    ("ratio", 0.0381, "0.038"),
    ("ratio", 1234.5, "1,200"),
    ("ratio", 0.0000042, "4e−6"),
    ("ratio", None, "–"),
    ("number", 0.98, "0.980"),
    ("number", -0.25, "−0.250"),
    ("number", -0.0001, "0.000"),
    ("number", 12345.0, "12,345"),
    ("number", float("inf"), "∞"),
    ("number", None, "–"),
])  # fmt: skip
def test_times_have_two_digits_and_a_unit_and_metrics_three_decimals(kind, value, text):
    assert getattr(table_module, f"format_{kind}")(value) == text


NO_LABELS = Labels({}, {})


def cells(table, labels=NO_LABELS):
    """Rows of cells of the only tabular environment."""
    body = latex(table, "name", labels).partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.strip().splitlines()]


@each(("numbers", "shown"), [
    ([(0.99123, 0.0084), (0.5, 0.0012)], ["0.9912 \\pm 0.0084", "0.5000 \\pm 0.0012"]),
    ([(0.99123, 0.084), (0.5, 0.0012)], ["0.991 \\pm 0.084", "0.500 \\pm 0.001"]),
    ([(0.99123, 0.0999), (0.5, 0.0012)], ["0.99 \\pm 0.10", "0.50 \\pm 0.00"]),
    ([(1234.5, 67.8), (1.0, 0.5)], ["1{,}234 \\pm 68", "1 \\pm 0"]),
    ([(1.0, 0.0), (0.6667, 1e-17)], ["1.000 \\pm 0.000", "0.667 \\pm 0.000"]),
    ([(-0.00001, None), (0.6667, None)], ["0.000", "0.667"]),
    ([(None, None), (1290.71, None)], ["--", "1{,}291"]),
])  # fmt: skip
def test_the_largest_spread_of_a_column_has_two_digits_and_all_numbers_its_decimals(numbers, shown):
    rows = [[Number(value, sd)] for value, sd in numbers]
    table = ReportTable("title", "caption.", [Column("x", "X", "number")], rows)
    assert [row[0].replace("$", "") for row in cells(table)] == shown


def test_cells_of_each_kind_are_written_as_in_print():
    kinds = {
        "method": ("a_b", r"Our \& method"),
        "dataset": ("d", r"Data 50 \%"),
        "p": (0.0004, "$< 0.001$"),
        "power": (3e-9, r"$3 \times 10^{-9}$"),
        "seconds": (0.012, r"$\textrm{12 ms}$"),
        "ratio": (0.358, r"$\textrm{0.36}$"),
        "count": (12345, "$12{,}345$"),
        "yes": (True, "yes"),
        "status": ("rank_deficient", "rank deficient"),
    }
    columns = [Column(kind, kind, kind) for kind in kinds]
    row, shown = map(list, zip(*kinds.values(), strict=True))
    table = ReportTable("title", "caption.", columns, [row, [None] * len(row)])
    labels = Labels({"a_b": "Our & method"}, {"d": "Data 50 %"})
    assert cells(table, labels) == [shown, ["--"] * len(row)]


def test_best_bold_and_marks_against_the_focus_or_the_best(make):
    data = {"d": Data(rows=300), "e": Data(rows=300)}
    methods = {"good": Method(3.0), "bad": Method(0.1), "worse": Method(0.0)}
    outcome = make(data, methods, folds=10)
    table = all_methods_in_print(outcome)
    assert [row[1].mark for row in table.rows] == ["", "-", "-"]
    assert "−: significantly worse than the best" in table.caption
    focus = replace(outcome, evaluation={**outcome.evaluation, "focus": ["bad"]})
    table = all_methods_in_print(focus)
    (good, bad, _) = (row[1] for row in table.rows)
    assert (good.clear, good.mark) == (True, "+")
    assert (bad.clear, bad.mark) == (False, "")
    assert "+: significantly better than bad" in table.caption
    text = latex(table, "compared", NO_LABELS)
    assert re.search(r"good & \$\\mathbf\{0\.\d+\} \\pm 0\.\d+\$\\rlap\{\$\^\{\+\}\$\} &", text)


def test_more_data_sets_than_methods_are_the_rows(make):
    outcome = make({name: Data() for name in "abc"}, {"m": Method(), "n": Method()}, folds=2)
    table = all_methods_in_print(outcome)
    assert [column.title for column in table.columns] == ["Data set", "m", "n"]
    assert [row[0] for row in table.rows] == ["a", "b", "c"]


def test_a_wide_table_is_broken_into_blocks_and_a_long_one_over_pages():
    columns = [Column("method", "Method", "method")]
    columns += [Column(f"c{i}", f"c{i}", "number") for i in range(20)]
    rows = [[f"m{i}", *[Number(0.5, 0.01)] * 20] for i in range(5)]
    wide = latex(ReportTable("title", "caption.", columns, rows), "wide", NO_LABELS)
    assert wide.count(r"\begin{tabular}") > 1
    assert wide.count("m0 &") == wide.count(r"\begin{tabular}")
    assert wide.count(r"\pm") == 5 * 20
    columns.insert(1, Column("dataset", "On", "dataset"))
    rows = [[f"m{i % 2}", f"d{i // 2}", *row[1:]] for i, row in enumerate(rows)]
    pairs = latex(ReportTable("title", "caption.", columns, rows), "pairs", NO_LABELS)
    assert pairs.count("m0 & d1 &") == pairs.count(r"\begin{tabular}") > 1
    many = ReportTable("title", "caption.", columns[:2], [row[:2] for row in rows] * 30)
    long = latex(many, "long", NO_LABELS)
    assert r"\begin{longtable}" in long
    assert r"\label{tab:long}" in long


def test_a_table_is_printed_with_the_columns_and_rows_that_are_asked_for(make):
    methods = {"m": Method(), "n": Method(), "o": Method()}
    outcome = make({"d": Data(), "e": Data()}, methods, folds=2)
    text = printed_table(outcome, "compared", "csv", ["e"], ["o", "m"])
    assert [line.split(",")[0] for line in text.splitlines()] == ["method", "o", "m"]
    assert text.startswith("method,e,e_sd")
    for name, columns, rows, sentence in [
        ("compare", [], [], "'compare' is not a table of this study; did you mean 'compared'?"),
        ("compared", ["f"], [], "'f' is not a column of compared; "),
        ("performance-d", ["accurac"], [], "did you mean 'accuracy'?"),
        ("compared", [], ["p"], "'p' is not a row of compared; "),
    ]:
        with pytest.raises(StudyError, match=re.escape(sentence)):
            printed_table(outcome, name, "tex", columns, rows)


PREAMBLE = r"""\documentclass{article}
\usepackage{array,booktabs,longtable,graphicx}
\begin{document}
"""
PAPER = rf"""{PREAMBLE}
Table~\ref{{tab:compared}} has all methods, and Figure~\ref{{fig:methods}} one data set.
\input{{tables/compared}}
\begin{{figure}}[tbp]
\centering\includegraphics{{exhibits/methods-one/figure.pdf}}
\caption{{The methods on one data set.}}\label{{fig:methods}}
\end{{figure}}
\clearpage
\input{{tables/performance-one}}
\input{{tables/ranks}}
\end{{document}}
"""
NEEDS_LATEX = pytest.mark.skipif(
    not shutil.which("pdflatex"), reason="pdflatex (texlive-latex-recommended) is not installed"
)


def compiled(folder, text):
    """The log of LaTeX."""
    (folder / "paper.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    for _ in range(2):  # references
        run = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
        assert run.returncode == 0, run.stdout[-2000:].decode(errors="replace")
    return (folder / "paper.log").read_text(errors="replace")


@pytest.mark.slow
@NEEDS_LATEX
def test_a_paper_of_the_exports_compiles_without_overfull_lines(make):
    data = {name: Data() for name in ("one", "two", "three", "four", "five", "six")}
    methods = {"lda": Method(2.0), "weak_method": Method(0.1), "logistic_l1": Method(1.0)}
    outcome = make(data, methods, folds=5)
    outcome = replace(outcome, figure_style={"width": "3.3in", "font": "serif"})
    studies.finish(outcome, "methods", pictures=True)
    write_pictures(outcome, ["methods-one"], ["pdf"])
    log = compiled(outcome.results, PAPER)
    assert "Output written on paper.pdf (2 pages" in log
    assert not re.findall("Overfull.*|undefined.*", log)


@pytest.mark.slow
@NEEDS_LATEX
def test_every_table_compiles_whatever_the_names(make):
    odd = 'odd_<b>&"$x$ {{ 7 }} % \\ ~ ^ # † “é” −'
    data = {"d": Data(), "e": Data(classes=("[no]", "*"))}
    outcome = make(data, {odd: Method(2.0), "m": Method()})
    studies.finish(outcome)
    tables = sorted((outcome.results / "tables").glob("*.tex"))
    assert len(tables) > 20
    body = [rf"\input{{tables/{file.stem}}}\clearpage" for file in tables]
    compiled(outcome.results, "\n".join([PREAMBLE, *body, r"\end{document}"]))
