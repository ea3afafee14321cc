"""Every metric on every fold, computed from the predictions alone, and the tables of a data set.

runs/{dataset}/{method}/scores.parquet             every metric on every fold of one run
runs/{dataset}/{method}/metric_failures.parquet    folds on which a metric of the study raised an exception (optional)
scores/{dataset}.parquet                           the scores of all runs
fits/{dataset}.parquet                             every planned fit of these runs

The metrics are those of ``linclass.evaluation.metrics``, and those that the study names by import paths. A metric that
is undefined on a fold (log loss without probabilities, AUC of one class) has no row there, and neither has a fit with
invalid predictions: the log names it, and all other fits are scored. Folds of equal size are scored together, as a
stack; if a stack contains invalid predictions, one by one. A run is scored again when its predictions, the positive
class, the cost matrix or a metric have changed; its file of scores records these inputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass.evaluation.metrics.predictions import Predictions, measure
from linclass_study.analysis.fit_problems import FitProblem, fit_problems
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import concatenate_files, pieces
from linclass_study.files.tables import FIT, frame, write_table
from linclass_study.protocols import own_metrics

Values = dict[str, np.ndarray]  # metric → its values on some fits, NaN where undefined


class Classes(NamedTuple):
    """What the scores of a data set depend on besides predictions."""

    number: int  # K, the length of each row's score
    positive: int  # code of the positive class of precision, recall, F1 and AUC for two classes
    costs: list[list[float]] | None = None  # the risk matrix, actions × classes

    @classmethod
    def of(cls, about: Mapping[str, Any]) -> Classes:
        """Classes of results/data/{dataset}.json; an unavailable data set has none."""
        names = about.get("classes") or []
        positive = names.index(about["positive"]) if names else 0
        return cls(len(names), positive, about.get("costs"))


def score(
    predictions: pl.DataFrame, classes: Classes, names: Sequence[str] | None = None
) -> pl.DataFrame:
    """One row for each metric of each fit, sorted by the fit and the metric's name.

    predictions   rows of the table 'predictions', of one data set or several fits of it
    names         the metrics, sorted; by default those of linclass
    """
    ordered = predictions.sort(*FIT, "row")
    fits = ordered.group_by(*FIT, maintain_order=True).agg(n=pl.len())
    names = metrics.names() if names is None else names
    values = np.full((fits.height, len(names)), np.nan)
    for which, of_stack in _stacks(ordered, fits["n"].cast(pl.Int64).to_numpy(), classes, names):
        values[which] = np.stack([of_stack[name] for name in names], axis=-1)
    fit, metric = np.nonzero(~np.isnan(values))  # row by row: sorted
    of = pl.Series(names, dtype=pl.String).gather(metric)
    scored = fits[fit].with_columns(metric=of, value=values[fit, metric])
    return frame("scores", scored.drop("n").to_dict())


def _stacks(
    ordered: pl.DataFrame, sizes: np.ndarray, classes: Classes, names: Sequence[str]
) -> Iterator[tuple[np.ndarray, Values]]:
    """(numbers of fits, their values), for all fits that can be scored."""
    whole, unknown = None, ordered["log_proba"].is_null()
    if unknown.all() or not unknown.any():
        with suppress(ValueError):  # some are invalid, so that they must be checked one by one
            whole = fold_predictions(ordered, classes)
    begins = np.cumsum(sizes) - sizes
    for n in np.unique(sizes):
        which = np.flatnonzero(sizes == n)
        rows = begins[which, None] + np.arange(n)
        if whole is not None:
            stack = whole[rows]
            with suppress(Exception):  # scored one by one below, the invalid fit raises again
                yield which, measure(stack, names)
                continue
        for fit, begin in zip(which, begins[which], strict=True):
            try:
                fold = fold_predictions(ordered[begin : begin + n], classes)
                yield np.array([fit]), measure(fold[None], names)
            except Exception as error:  # predictions of foreign estimators may have any form
                name = " ".join(map(str, ordered.select(FIT).row(begin)))
                print(f"{name}: not scored: {type(error).__name__}: {error}", flush=True)


def fold_predictions(held_out: pl.DataFrame, classes: Classes) -> Predictions:
    """Predictions of one fold, after checking that codes and scores fit the number of classes."""
    K = classes.number
    for column in ("y_true", "y_pred"):
        codes = held_out[column]
        if codes.null_count() or not codes.is_between(0, K - 1).all():
            wrong = held_out.filter(~pl.col(column).is_between(0, K - 1).fill_null(False))
            value, row = wrong.select(column, "row").row(0)
            raise ValueError(f"{column} is {value} in row {row}; codes are 0 … {K - 1}")
    unknown = held_out["log_proba"].null_count() > 0
    return Predictions(
        y_true=held_out["y_true"].to_numpy(),
        y_pred=held_out["y_pred"].to_numpy(),
        score=_matrix(held_out["score"], K),
        log_proba=None if unknown else _matrix(held_out["log_proba"], K),
        positive=classes.positive,
        costs=classes.costs,
    )


def _matrix(lists: pl.Series, width: int) -> np.ndarray:
    widths = lists.list.len().fill_null(0)
    if (widths != width).any():
        odd = widths.filter(widths != width)[0]
        raise ValueError(f"{lists.name} has {odd} entries in a row; there are {width} classes")
    return lists.list.to_array(width).to_numpy()


TABLE = "metric_failures"


def metric_failures(
    predictions: pl.DataFrame, scores: pl.DataFrame, classes: Classes, names: Sequence[str]
) -> pl.DataFrame:
    """A row for each own metric that raised an exception on a fold; `scores` are those of the predictions."""
    rows: list[tuple[object, ...]] = []
    for name in filter(lambda name: "." in name, names):
        scored = scores.filter(metric=name).select(FIT)
        lacking = predictions.join(scored, on=FIT, how="anti").sort(*FIT, "row")
        for fit, held_out in lacking.group_by(*FIT, maintain_order=True):
            try:
                fold = fold_predictions(held_out, classes)
            except ValueError:  # no metric has a value of invalid predictions
                continue
            if reason := metrics.imported(name).failure(fold):
                rows.append((*fit, name, reason))
    return frame(TABLE, rows)


def metric_problems(outcome: Outcome) -> list[FitProblem]:
    """Distinct exceptions of the study's own metrics; `status` is the metric, and `fits` are the folds."""
    metrics_of_study = own_metrics(outcome.evaluation)
    runs = [(dataset, method) for dataset in outcome.datasets for method in outcome.methods]
    tables = [outcome.run_table(TABLE, *run) for run in runs] if metrics_of_study else []
    existing = [table for table in tables if table is not None]
    if not existing:
        return []
    return fit_problems(pl.concat(existing).rename({"metric": "status"}), metrics_of_study)


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
    folder = results / "runs" / dataset
    code += f" {json.dumps(classes)} {' '.join(names)}"
    scores = [
        scores_of_run(folder / method, f"{digest} {code}", classes, names)
        for method, digest in runs.items()
    ]
    concatenate_files(scores, "scores", results / "scores" / f"{dataset}.parquet")
    fits = [folder / method / "fits.parquet" for method in runs]
    concatenate_files(fits, "fits", results / "fits" / f"{dataset}.parquet")


def scores_of_run(folder: Path, key: str, classes: Classes, names: Sequence[str]) -> Path:
    """The file of scores of a run, rewritten if predictions or metrics have changed."""
    path = folder / "scores.parquet"
    with suppress(OSError, pl.exceptions.PolarsError):
        if pl.read_parquet_metadata(path).get(KEY) == key:
            return path
    scored, failures = [], [frame(TABLE)]
    for piece in pieces(folder / "predictions.parquet", FIT):
        scored.append(score(piece, classes, names))
        failures.append(metric_failures(piece, scored[-1], classes, names))
    raised, file = pl.concat(failures), folder / f"{TABLE}.parquet"
    if raised.is_empty():
        file.unlink(missing_ok=True)  # of an earlier version of the metric
    else:
        write_table(raised, TABLE, file)
    write_table(pl.concat([frame("scores"), *scored]), "scores", path, {KEY: key})
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
