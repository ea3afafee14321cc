"""Scoring and aggregation of many prediction rows: how long they take and how much memory they hold.

    python benchmarks/aggregation.py [rows] [folder]        50,000,000 rows by default

Makes up a results folder whose runs are copies of a few drawn ones under other names, then does what the rules
`score` and `aggregate` do, each in a process of its own, and prints processor seconds and peak memory.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from linclass.evaluation import metrics
from linclass_study.analysis.scoring import Classes, write_scores
from linclass_study.analysis.summary import write_summary
from linclass_study.files.digests import digest_of_file
from linclass_study.files.tables import table_schema, write_table

DATASETS, FOLDS, HELD_OUT = 10, 10, 5000  # rows of a fold


def make(results: Path, rows: int) -> dict[str, dict[str, str]]:
    """dataset → method → digest of its predictions; about `rows` predictions in all."""
    repeats = 5
    methods = max(1, rows // (DATASETS * FOLDS * HELD_OUT * repeats))
    predictions, fits = _run(repeats)
    made: dict[str, dict[str, str]] = {}
    for dataset in (f"d{k}" for k in range(DATASETS)):
        for method in (f"m{k:04d}" for k in range(methods)):
            folder = results / "runs" / dataset / method
            own = {"dataset": pl.lit(dataset), "method": pl.lit(method)}
            write_table(
                predictions.with_columns(**own), "predictions", folder / "predictions.parquet"
            )
            write_table(fits.with_columns(**own), "fits", folder / "fits.parquet")
            digest = digest_of_file(folder / "predictions.parquet")
            made.setdefault(dataset, {})[method] = digest
    return made


def _run(repeats: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(0)
    n = repeats * FOLDS * HELD_OUT
    fit = np.arange(n) // HELD_OUT
    z = rng.normal(size=n)
    score = np.stack([-z / 2, z / 2], axis=1)
    log_proba = -np.logaddexp(0, -2 * score)
    fits = pl.DataFrame(
        {"repeat": np.arange(n // HELD_OUT) // FOLDS, "fold": np.arange(n // HELD_OUT) % FOLDS}
    )
    identity = {"dataset": pl.lit(""), "method": pl.lit(""), "protocol": pl.lit("cv")}
    predictions = pl.DataFrame(
        {
            "repeat": fit // FOLDS,
            "fold": fit % FOLDS,
            "row": np.arange(n) % (FOLDS * HELD_OUT),
            "y_true": (z + rng.normal(size=n) > 0).astype(int),
            "y_pred": (z > 0).astype(int),
            "score": pl.Series(score).cast(pl.List(pl.Float64)),
            "log_proba": pl.Series(log_proba).cast(pl.List(pl.Float64)),
        }
    ).with_columns(**identity)
    others: dict[str, Any] = {c: None for c in table_schema("fits") if c not in fits.columns}
    ended = {"status": "converged", "reason": "", "n_train": 9 * HELD_OUT, "n_test": HELD_OUT}
    rest = others | ended | {"fit_seconds": 0.1, "predict_seconds": 0.01, "machine": "made up"}
    fits = fits.with_columns(**{c: pl.lit(v) for c, v in rest.items() if c not in identity})
    return predictions, fits.with_columns(**identity)


def score(results: Path, made: dict[str, dict[str, str]]) -> None:
    for dataset, runs in made.items():
        write_scores(results, dataset, runs, Classes(2, 1), "code", metrics.names())


def aggregate(results: Path, made: dict[str, dict[str, str]]) -> None:
    parts = {name: [results / name / f"{d}.parquet" for d in made] for name in ("scores", "fits")}
    write_summary(results, parts["scores"], parts["fits"])


def measured(step: Callable[..., None], *arguments: Any) -> str:
    """In a process of its own: processor seconds and peak memory."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_measure, args=(theirs, step, arguments))
    process.start()
    seconds, megabytes = ours.recv()
    process.join()
    return (
        f"{step.__name__:<10} {seconds:8.1f} s of processor time   {megabytes:6.0f} MB at its peak"
    )


def _measure(pipe: Any, step: Callable[..., None], arguments: Any) -> None:
    step(*arguments)
    used = resource.getrusage(resource.RUSAGE_SELF)
    pipe.send((used.ru_utime + used.ru_stime, used.ru_maxrss / 1000))


def main(rows: int, folder: str) -> None:
    results = Path(folder)
    made = make(results, rows)
    runs = sum(map(len, made.values()))
    (results / "made.json").write_text(json.dumps(made))
    print(f"{runs} runs, {runs * 5 * FOLDS * HELD_OUT:,} rows of predictions", flush=True)
    print(measured(score, results, made), "  (first time)", flush=True)
    print(measured(score, results, made), "  (nothing new)", flush=True)
    print(measured(aggregate, results, made), flush=True)
    print(
        f"{pl.scan_parquet(results / 'scores.parquet').select(pl.len()).collect().item():,} scores"
    )


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000_000
    if len(sys.argv) > 2:
        main(wanted, sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(wanted, temporary)
