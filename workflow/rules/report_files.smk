"""Files of figures, tables and the report, and the code that makes them."""

import hashlib
from functools import cache
from pathlib import Path

from linclass_study.project import PACKAGES, ROOT
from linclass_study.report import contents, figure_files, page_tables
from linclass_study.report.figure_files import is_drawn
from linclass_study.analysis import across_tables
from linclass_study.analysis import study_file
from linclass_study.analysis.export import FORMS
from linclass_study.config import code
from linclass_study.textbook import course


def rerun_if_study_differs(wildcards):
    """An input function without files: it forces the job if study.json describes another study."""
    if study_file.is_other(Path(STUDY.results), description_of_study()):
        force(f"{STUDY.results}/{study_file.NAME}")
    return []


def code_of_exhibit(wildcards):
    """All of linclass, which a script of the textbook may use; the script's docstring is its caption."""
    script = course.script(wildcards.exhibit)
    files = [SCRIPTS / "exhibit.py", script, *(PACKAGES / "linclass").rglob("*.py")]
    return code.code_digest(files, [], reads=[script])


@cache
def names_in_mirrors():
    """Digest of the file names in the mirrors: an exhibit is rerun if a missing file may have been added."""
    folders = filter(Path.is_dir, map(Path, STUDY.mirrors))
    names = sorted(str(file) for folder in folders for file in folder.iterdir())
    return hashlib.blake2b("\n".join(names).encode(), digest_size=8).hexdigest()


def draw_again_if_files_are_lost(wildcards):
    """An input function without files: it forces the job if a file of its exhibits was deleted."""
    results, dataset = Path(STUDY.results), wildcards.get("dataset", "")
    if figure_files.lost_files(results, dataset):
        force(str(figure_files.record_of(results, dataset)))
    return []


def draw_again_if_figure_is_lost(wildcards):
    """The same for an exhibit of the textbook."""
    folder = Path(STUDY.results, "textbook", wildcards.exhibit)
    if is_drawn(folder) and not (folder / "figure.svg").is_file():
        force(str(folder / "numbers.json"))
    return []


def rerun_if_tables_are_missing(wildcards):
    """An input function without files: it forces the page if a table of it is missing.

    The tables are not outputs of the rule: Snakemake would store all inputs of the page with each of them.
    """
    folder = Path(STUDY.results, "tables")
    there = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    wanted = {f"{t}.{form}" for t in page_tables.table_files(DATASETS) for form in FORMS}
    page = f"{STUDY.results}/report.html"
    if not wanted <= there and Path(page).exists():
        force(page)
    return []


def code_of_figures(figures):
    return code_of("draw.py", *{contents.FIGURES[name].module: None for name in figures})
