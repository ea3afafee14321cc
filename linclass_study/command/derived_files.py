"""Write what is derived from predictions and fits, with the functions of the workflow's jobs: everything, after a
merge, or the figures as PNG and PDF (`linclass figures`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from linclass.base.messages import counted
from linclass_study.analysis.aggregate import aggregate
from linclass_study.analysis.datasets_table import write_datasets_table
from linclass_study.analysis.scoring import Classes, write_scores
from linclass_study.analysis.study_file import StudyDescription
from linclass_study.analysis.tuned_values import write_tuned
from linclass_study.command.results_folder import DIGESTS, RUN, ResultsFolder
from linclass_study.entries import declared_shared_rows
from linclass_study.errors import StudyError, suggest_name
from linclass_study.files import tables as table_files
from linclass_study.files.reading import read_parquet
from linclass_study.files.tables import FIT, write_table
from linclass_study.protocols import metrics_of, require_trusted
from linclass_study.report.figure_files import (
    draw_figures,
    drawn_figures,
    figure_names,
    requested_figures,
    write_pictures,
)
from linclass_study.report.page import write_page


def write_derived(
    study: StudyDescription, place: Path, shared: Iterable[tuple[str, str]] = ()
) -> None:
    """Write scores, tables, answer, figures and page; `place` is the final path of the folder, `shared` are pairs of
    data sets that are known to share rows.

    Rows of runs without predictions stay as they are in the tables of the whole study.
    """
    outcome, folder = study.outcome, study.outcome.results
    bare = _without_predictions(folder)
    names, code = metrics_of(outcome.evaluation), version("linclass")
    for dataset in outcome.datasets:
        runs = sorted((folder / "runs" / dataset).glob("*/predictions.parquet"))
        digests = dict.fromkeys((run.parent.name for run in runs), "merged")
        write_scores(folder, dataset, digests, Classes.of(outcome.about(dataset)), code, names)
        _add(bare, ("scores", "fits"), folder, dataset)
        write_tuned(replace(outcome, part=dataset), dataset)
        _add(bare, ("tuned",), folder, dataset)
    related = [*declared_shared_rows(outcome.datasets), *shared]
    write_datasets_table(outcome.datasets, folder, related)
    aggregate(outcome, study, str(place / "report.html"))
    figures = figure_names(requested_figures(outcome.evaluation, outcome.methods))
    draw_figures(outcome, figures[False])
    for dataset, own in outcome.parts().items():
        draw_figures(own, figures[True], dataset)
    write_page(outcome, *study.studies)


Tables = dict[str, dict[Any, pl.DataFrame]]  # name of a table → (data set,) → rows


def _without_predictions(folder: Path) -> Tables:
    """The rows of runs without predictions in the tables of the whole study."""
    digests, found = folder / DIGESTS, {}
    for name in ("scores", "fits", "tuned"):
        rows = table_files.frame(name)
        if digests.exists():
            listed = read_parquet(digests)
            rows = read_parquet(folder / f"{name}.parquet").join(listed, on=RUN, how="semi")
        found[name] = rows.partition_by("dataset", as_dict=True)
    return found


def _add(bare: Tables, names: Iterable[str], folder: Path, dataset: str) -> None:
    """Add the rows of runs without predictions to tables of a data set."""
    for name in names:
        if (rows := bare[name].get((dataset,))) is not None:
            path = folder / name / f"{dataset}.parquet"
            every = pl.concat([read_parquet(path).join(rows, on=RUN, how="anti"), rows])
            write_table(every.sort(*FIT, maintain_order=True), name, path)


def write_figures(
    results: ResultsFolder,
    names: Sequence[str],
    forms: Sequence[str],
    trusted: Collection[str] = (),
) -> str:
    """Write the files and return what was done; without names, of every exhibit that has a figure.

    A name is that of an exhibit (`roc-iris`) or of a figure (`roc`, on every data set).
    """
    outcome = results.study.outcome
    require_trusted(outcome.evaluation, trusted)
    drawn = drawn_figures(outcome)
    if not drawn:
        raise StudyError(
            f"{results.given} has no figures; run the study to its end, which draws them"
        )
    known = {*drawn, *(figure for figure, _ in drawn.values())}
    for name in names:
        if name not in known:
            raise StudyError(
                f"'{name}' is not a figure of {results.given}; {suggest_name(name, sorted(known))}"
            )
    asked = [name for name in drawn if not names or {name, drawn[name][0]} & {*names}]
    written = write_pictures(outcome, asked, forms)
    there = len(asked) * len(forms) - len(written)
    return f"wrote {counted(len(written), 'file')} in {results.folder / 'exhibits'}" + (
        f"; {counted(there, 'file')} had been written before" * bool(there)
    )
