"""Write everything that is derived from predictions and fits, with the functions of the workflow's jobs."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from linclass_study.command.merged_study import Merged
from linclass_study.data.entry.metadata import declared_shared_rows
from linclass_study.gate import datasets_table
from linclass_study.report import exhibits, page_tables
from linclass_study.report.page import report
from linclass_study.report.provenance import provenance
from linclass_study.results import across_tables, answer, scored_runs, study_file, summary, tuned
from linclass_study.results.outcome import Outcome
from linclass_study.results.scoring import Classes


def write(merged: Merged, place: Path) -> None:
    """Write scores, tables, answer, figures and page; `place` is the final path of the folder."""
    study = merged.study
    outcome, folder = study.outcome, study.outcome.results
    for dataset in outcome.datasets:
        _write_scores(outcome, dataset)
    of_datasets = [
        [folder / table / f"{dataset}.parquet" for dataset in outcome.datasets]
        for table in ("scores", "fits")
    ]
    summary.write(folder, *of_datasets)
    tuned.write(outcome)
    related = declared_shared_rows(outcome.datasets)
    datasets_table.write(outcome.datasets, folder, related)
    across_tables.write(outcome)
    study_file.write(study)
    text = answer.answer(outcome, str(place / "report.html"))
    (folder / "answer.txt").write_text(text, encoding="utf-8")
    for figure in exhibits.modules():
        exhibits.draw(outcome, figure)
    shown = page_tables.make(outcome)
    page_tables.write(shown, outcome)
    page = report(outcome, shown, provenance(), *study.studies)
    (folder / "report.html").write_text(page, encoding="utf-8")


def _write_scores(outcome: Outcome, dataset: str) -> None:
    """Write the scores of all runs on the data set, and their fits."""
    runs = sorted((outcome.results / "runs" / dataset).glob("*/predictions.parquet"))
    digests = dict.fromkeys((run.parent.name for run in runs), "merged")
    code = version("linclass")
    classes = Classes.of(outcome.about(dataset))
    scored_runs.write(outcome.results, dataset, digests, classes, code)
