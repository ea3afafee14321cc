"""Files of figures, tables and the report, and the code that makes them."""

import hashlib
from functools import cache
from pathlib import Path

from linclass_study.project import ROOT
from linclass_study.report import exhibits
from linclass_study.report.exhibit import FILES
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


def files_of_figures(pattern, figures):
    return expand(pattern, figure=figures, file=FILES)


def drawn_files(pattern, figures, subcategory=None):
    """The same as outputs; each SVG is included in `snakemake --report` with the caption of its figure."""
    files = []
    for figure in figures:
        svg, *others = expand(pattern, figure=figure, file=FILES)
        files += [reported(svg, figure, exhibits.section_title(figure), subcategory), *others]
    return files


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
