"""Functions for the scripts of the textbook: load a data set, make a figure in the project's style, save it; run one.

python textbook/perceptron.py     writes results/textbook/perceptron/figure.svg, .png, .pdf and numbers.json

In `snakemake reproduce` they write figure.svg and numbers.json alone, as its page needs no others.
"""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linclass_study.data.local_copies import SearchFolders, mirrors
from linclass_study.data.source_reader import obtain_dataset
from linclass_study.errors import Unavailable
from linclass_study.files.yaml_file import read_yaml
from linclass_study.project import ROOT
from linclass_study.report.drawing import style
from linclass_study.report.figure_files import PICTURES, ReportFigure
from linclass_study.textbook import course
from linclass_study.textbook.course import Caption

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CLASSES = style.COLOURS  # the colour of each class, in code order
METHODS = {  # the colour of each method, in all exhibits
    "logistic": style.COLOURS[2],
    "lda": style.COLOURS[3],
    "least_squares": style.COLOURS[4],
    "svm": style.COLOURS[5],
    "qda": style.COLOURS[6],
    "perceptron": style.COLOURS[7],
    "naive_bayes": style.COLOURS[0],  # these two are never drawn among rows of classes
    "probit": style.COLOURS[1],
}
INK = style.INK  # colour of lines that belong to no class; unlike black it follows the page's theme
FOLDER = "LINCLASS_TEXTBOOK"  # environment variable: where the workflow wants the exhibits


class Rows(NamedTuple):
    """A data set as numbers: categories are one-hot encoded without the first level, texts are omitted.

    X        (n, d) features, dense or CSR
    y        (n,) class codes, indices into `classes`
    names    names of the d features
    classes  labels in code order
    test     (n,) True for rows of the official test set
    texts    the text of each row, if the data set has texts
    """

    X: Any
    y: np.ndarray
    names: tuple[str, ...]
    classes: list[str]
    test: np.ndarray
    texts: list[str] | None

    def columns(self, *names: str) -> np.ndarray:
        """The named features, as columns in this order."""
        return self.X[:, [self.names.index(name) for name in names]]


def data(name: str) -> Rows:
    """Load a data set of config/datasets.yaml or of the reference study from its first usable source."""
    from linclass.preprocessing.transforms.categories import OneHot

    found = obtain_dataset(data_entries()[name], _folders())
    table, texts = found.table, None
    if table.texts:
        column = min(table.texts)
        codes = np.asarray(table.X[:, table.names.index(column)], int)
        texts = [table.levels[column][code] for code in codes]
    else:
        table = OneHot().fit(table).transform(table)
    return Rows(table.X, found.y, table.names, found.classes, found.split == 1, texts)


def data_entries() -> dict[str, Any]:
    """The entries of config/datasets.yaml and of the reference study."""
    suite = read_yaml(ROOT / "config" / "suites" / "reference_2026.yaml")["datasets"]
    return suite | read_yaml(ROOT / "config" / "datasets.yaml")


def file(name: str) -> Path:
    """Path of a file that the reader provides in a folder of LINCLASS_MIRRORS, compressed or not."""
    copies = _folders().mirrored(name)
    if not copies:
        raise Unavailable(f"{name} is in no mirror; put it into a folder of LINCLASS_MIRRORS")
    return copies[0]


def _folders() -> SearchFolders:
    """Mirrors and downloads of the study that runs the script, else of the environment."""
    copies = [Path(folder) for folder in mirrors({"mirrors": []})]
    return SearchFolders(copies, Path(os.environ.get("LINCLASS_DOWNLOADS", "downloads")), ROOT)


def figure(
    rows: int = 1, columns: int = 1, width: float = 7.0, height: float = 3.5, **options: Any
) -> tuple[Figure, Any]:
    """(figure, axes) in inches; options go to `Figure.subplots`."""
    import matplotlib

    matplotlib.rcParams.update(style.SETTINGS | {"text.parse_math": True})
    made = style.canvas(width, height)
    made.set_layout_engine("constrained")
    return made, made.subplots(rows, columns, **options)


def save(drawn: Figure, numbers: dict[str, Any]) -> Figure:
    """Save figure and numbers in the folder of the running script; in a notebook, return the figure."""
    main = getattr(sys.modules["__main__"], "__file__", None)
    if main is not None:
        script = Path(main)
        of_workflow = os.environ.get(FOLDER)
        folder = Path(of_workflow or "results/textbook") / script.stem
        caption = Caption.of(script)
        exhibit = ReportFigure(drawn, caption.title, caption.text, numbers)
        exhibit.save(folder)
        for form in () if of_workflow else PICTURES:
            print(exhibit.save_as(form, folder))
    return drawn


def run_script(
    name: str, folder: Path, mirrors: Sequence[str] = (), downloads: str = "downloads"
) -> None:
    """Write folder/name/figure.svg and numbers.json, with the mirrors and downloads of the study."""
    os.environ[FOLDER] = str(folder)
    os.environ["LINCLASS_MIRRORS"] = os.pathsep.join(mirrors)
    os.environ["LINCLASS_DOWNLOADS"] = downloads
    try:
        runpy.run_path(str(course.script(name)), run_name="__main__")
    except Unavailable as reason:
        ReportFigure.nothing(f"unavailable: {reason}").save(folder / name)
