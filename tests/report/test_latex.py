"""Tables as LaTeX: digits, marks and widths; and a paper of two pages that is made from the exports of a study."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest
import studies
from cases import each
from studies import Data, Method

from linclass_study.errors import StudyError
from linclass_study.report.figure_files import write_pictures
from linclass_study.report.latex import Labels, latex
from linclass_study.report.table import Column, Number, ReportTable
from linclass_study.report.table_files import printed_table
from linclass_study.report.tables.answer import all_methods_in_print

NO_LABELS = Labels({}, {})


def cells(table, labels=NO_LABELS):
    """Rows of cells of the only tabular environment."""
    body = latex(table, "name", labels).partition(r"\midrule")[2].partition(r"\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.strip().splitlines()]


@each(
    ("numbers", "shown"),
    [
        ([(0.99123, 0.0084), (0.5, 0.0012)], ["0.9912 \\pm 0.0084", "0.5000 \\pm 0.0012"]),
        ([(0.99123, 0.084), (0.5, 0.0012)], ["0.991 \\pm 0.084", "0.500 \\pm 0.001"]),
        ([(0.99123, 0.0999), (0.5, 0.0012)], ["0.99 \\pm 0.10", "0.50 \\pm 0.00"]),
        ([(1234.5, 67.8), (1.0, 0.5)], ["1{,}234 \\pm 68", "1 \\pm 0"]),
        ([(1.0, 0.0), (0.6667, 1e-17)], ["1.000 \\pm 0.000", "0.667 \\pm 0.000"]),
        ([(-0.00001, None), (0.6667, None)], ["0.000", "0.667"]),
        ([(None, None), (1290.71, None)], ["--", "1{,}291"]),
    ],
)
def test_the_largest_spread_of_a_column_has_two_digits_and_all_numbers_its_decimals(numbers, shown):
    rows = [[Number(value, sd)] for value, sd in numbers]
    table = ReportTable("title", "caption.", [Column("x", "X", "number")], rows)
    assert [row[0].replace("$", "") for row in cells(table)] == shown


def test_cells_of_each_kind_are_written_as_in_print():
    columns = [
        Column(kind, kind, kind)
        for kind in ("method", "dataset", "p", "power", "seconds", "count", "yes", "status")
    ]
    row = ["a_b", "d", 0.0004, 3e-9, 0.012, 12345, True, "rank_deficient"]
    table = ReportTable("title", "caption.", columns, [row, [None] * len(row)])
    first, second = cells(table, Labels({"a_b": "Our & method"}, {"d": "Data 50 %"}))
    assert first == [
        r"Our \& method", r"Data 50 \%", "$< 0.001$", r"$3 \times 10^{-9}$", r"$\textrm{12 ms}$",
        "$12{,}345$", "yes", "rank deficient",
    ]  # fmt: skip
    assert second == ["--"] * len(row)


def test_best_bold_and_marks_against_the_focus(make):
    data = {"d": Data(rows=300), "e": Data(rows=300)}
    methods = {"good": Method(3.0), "bad": Method(0.1), "worse": Method(0.0)}
    unfocused = make(data, methods, folds=10)
    outcome = replace(unfocused, evaluation={**unfocused.evaluation, "focus": ["bad"]})
    table = all_methods_in_print(outcome)
    good, bad, _ = (row[1] for row in table.rows)
    assert (good.clear, good.mark) == (True, "+")
    assert (bad.clear, bad.mark) == (False, "")
    assert "+: significantly better than bad" in table.caption
    text = latex(table, "compared", NO_LABELS)
    assert re.search(r"good & \$\\mathbf\{0\.\d+\} \\pm 0\.\d+\$\\rlap\{\$\^\{\+\}\$\} &", text)

    table = all_methods_in_print(unfocused)
    assert [row[1].mark for row in table.rows] == ["", "-", "-"]
    assert "−: significantly worse than the best" in table.caption


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
    many = latex(
        ReportTable("title", "caption.", columns[:2], [r[:2] for r in rows] * 30), "long", NO_LABELS
    )
    assert r"\begin{longtable}" in many
    assert r"\label{tab:long}" in many


def test_a_table_is_printed_with_the_columns_and_rows_that_are_asked_for(make):
    outcome = make(
        {"d": Data(), "e": Data()}, {"m": Method(), "n": Method(), "o": Method()}, folds=2
    )
    text = printed_table(outcome, "compared", "csv", ["e"], ["o", "m"])
    assert [line.split(",")[0] for line in text.splitlines()] == ["method", "o", "m"]
    assert text.startswith("method,e,e_sd")
    for asked, sentence in [
        (("compare", [], []), "'compare' is not a table of this study; did you mean 'compared'?"),
        (("compared", ["f"], []), "'f' is not a column of compared; "),
        (("performance-d", ["accurac"], []), "did you mean 'accuracy'?"),
        (("compared", [], ["p"]), "'p' is not a row of compared; "),
    ]:
        with pytest.raises(StudyError, match=re.escape(sentence)):
            printed_table(outcome, asked[0], "tex", *asked[1:])


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
    outcome = make(
        {"d": Data(), "e": Data(classes=("[no]", "*"))}, {odd: Method(2.0), "m": Method()}
    )
    studies.finish(outcome)
    tables = sorted((outcome.results / "tables").glob("*.tex"))
    assert len(tables) > 20
    body = [rf"\input{{tables/{file.stem}}}\clearpage" for file in tables]
    compiled(outcome.results, "\n".join([PREAMBLE, *body, r"\end{document}"]))
