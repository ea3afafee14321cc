"""Files of figures, tables and the report, and the code that makes them."""

import hashlib
from functools import cache
from pathlib import Path

from linclass_study.project import ROOT
from linclass_study.report import exhibits
from linclass_study.report.exhibit import is_drawn
from linclass_study.results import across_tables, study_file
from linclass_study.study import code
from linclass_study.textbook import course


def rerun_if_study_differs(wildcards):
    """An input function without files: it forces the job if study.json describes another study."""
    if study_file.is_other(Path(STUDY.results), study_as_text()):
        force(f"{STUDY.results}/{study_file.NAME}")
    return []


def code_of_exhibit(wildcards):
    """All of linclass, which a script of the textbook may use; the script's docstring is its caption."""
    script = course.script(wildcards.exhibit)
    files = [SCRIPTS / "exhibit.py", script, *(ROOT / "linclass").rglob("*.py")]
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
    if exhibits.lost_files(results, dataset):
        force(str(exhibits.record_of(results, dataset)))
    return []


def draw_again_if_figure_is_lost(wildcards):
    """The same for an exhibit of the textbook."""
    folder = Path(STUDY.results, "textbook", wildcards.exhibit)
    if is_drawn(folder) and not (folder / "figure.svg").is_file():
        force(str(folder / "numbers.json"))
    return []


def page_files():
    """The tables of the page in every format; each CSV is included in `snakemake --report`."""
    files = expand("<results>/tables/{table}.{ending}", table=PAGE_TABLES, ending=["md", "tex"])
    for table in PAGE_TABLES:
        files.append(reported(f"<results>/tables/{table}.csv", table, "Tables"))
    return files


def reported(file, name, category, subcategory=None):
    """Mark a file for `snakemake --report`; its caption is in workflow/report/captions."""
    captions = ROOT / "workflow" / "report" / "captions"
    general = "table" if file.endswith(".csv") else "figure"
    return report(
        file,
        caption=str(captions / f"{name if (captions / f'{name}.rst').is_file() else general}.rst"),
        category=category,
        subcategory=subcategory,
        labels={general: name.replace("_", " ")},
    )


def code_of_figures(figures):
    return code_of("draw.py", *(f"linclass_study.report.figures.{name}" for name in figures))
