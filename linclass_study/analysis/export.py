"""Write a table as CSV and Markdown; report/latex.py writes LaTeX."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.files.tables import write_csv
from linclass_study.files.writing import atomic_write

FORMS = ("csv", "md", "tex")
ACROSS = ("ranks", "pairwise", "sensitivity")  # tables of comparisons across data sets
STRATA = ("strata_datasets", "strata_ranks", "strata_pairs")  # of the strata of a study
DIGITS = 4  # significant digits in Markdown; the CSV has all
MARKDOWN = {"\\": "\\\\", "|": "\\|", "[": "\\[", "`": "\\`", "<": "&lt;"}


def export_table(
    data: pl.DataFrame, stem: Path, shown: pl.DataFrame | None = None, note: str = ""
) -> None:
    """Write stem.csv and stem.md.

    shown   the table of Markdown, if names have marks there
    note    a sentence below it, which explains the marks
    """
    shown = data if shown is None else shown
    write_csv(data, stem.with_name(f"{stem.name}.csv"))
    below = note.strip()
    with atomic_write(stem.with_name(f"{stem.name}.md")) as partial:
        partial.write_text(markdown(shown) + f"\n{below}\n" * bool(below), encoding="utf-8")


def markdown(data: pl.DataFrame) -> str:
    head = list(map(markdown_text, data.columns))
    rule = ["---:" if kind.is_numeric() else "---" for kind in data.dtypes]
    rows = [[markdown_text(_cell(value)) for value in row] for row in data.iter_rows()]
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, rule, *rows))


def markdown_text(text: str) -> str:
    """Text in one line, without a meaning in Markdown's tables, links and HTML."""
    return "".join(MARKDOWN.get(letter, letter) for letter in " ".join(text.split()))


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, float):
        return f"{value:.{DIGITS}g}" if 0 < abs(value) < 1e-3 else f"{value:.{DIGITS}f}"
    return str(value)
