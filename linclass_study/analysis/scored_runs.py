"""Scores of each run on a data set, stored beside its predictions, and the tables of the data set.

runs/{dataset}/{method}/scores.parquet    every metric on every fold of one run
scores/{dataset}.parquet                  the same for all runs
fits/{dataset}.parquet                    every planned fit of these runs

A run is scored again when its predictions, the positive class, the cost matrix or a metric have changed; its file of
scores records these inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from linclass_study.analysis import large_tables, scoring
from linclass_study.analysis.large_tables import concatenate_files
from linclass_study.analysis.metric_failures import TABLE, metric_failures, write_metric_failures
from linclass_study.analysis.scoring import Classes
from linclass_study.analysis.summary import known_statuses
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table

KEY = "linclass.scored"  # key in the metadata of scores.parquet: digest of predictions, metrics and Classes


def write_scores(
    results: Path,
    dataset: str,
    runs: Mapping[str, str],
    classes: Classes,
    code: str,
    names: Sequence[str],
) -> None:
    """Write the tables of a data set; `runs` maps methods to digests of their predictions, `names` are the metrics."""
    folders = [results / "runs" / dataset / method for method in runs]
    code += f" {json.dumps(classes)} {' '.join(names)}"
    scores = [
        scores_of_run(folder, f"{digest} {code}", classes, names)
        for folder, digest in zip(folders, runs.values(), strict=True)
    ]
    concatenate_files(scores, "scores", results / "scores" / f"{dataset}.parquet")
    fits = [folder / "fits.parquet" for folder in folders]
    concatenate_files(fits, "fits", results / "fits" / f"{dataset}.parquet", known_statuses)


def scores_of_run(folder: Path, key: str, classes: Classes, names: Sequence[str]) -> Path:
    """The file of scores of a run, rewritten if predictions or metrics have changed."""
    path = folder / "scores.parquet"
    if _key_of(path) != key:
        scored, failures = [], [table_files.frame(TABLE)]
        for piece in large_tables.pieces(folder / "predictions.parquet", table_files.FIT):
            scored.append(scoring.score(piece, classes, names))
            failures.append(metric_failures(piece, scored[-1], classes, names))
        write_metric_failures(pl.concat(failures), folder)
        write_table(pl.concat([table_files.frame("scores"), *scored]), "scores", path, {KEY: key})
    return path


def prediction_digests(
    manifests: Iterable[Mapping[str, Any]], dataset: str, methods: Iterable[str]
) -> dict[str, str]:
    """Method → digest of its predictions, from the manifests of the data set's jobs."""
    records = {run: about for manifest in manifests for run, about in manifest.items()}
    return {
        method: records[f"{dataset}/{method}"]["files"]["predictions.parquet"]["digest"]
        for method in methods
    }


def _key_of(path: Path) -> str | None:
    try:
        return pl.read_parquet_metadata(path).get(KEY)
    except (OSError, pl.exceptions.PolarsError):
        return None
