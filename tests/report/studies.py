"""Synthetic studies: results folders as a run writes them, with failures of each kind on demand."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl

from linclass.base.tables import Table
from linclass_study.analysis import answer, scoring
from linclass_study.analysis.datasets_table import write_datasets_table
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.summary import write_summary
from linclass_study.checks.check_dataset import write_checks
from linclass_study.data.dataset import Dataset, save_dataset, save_unavailable
from linclass_study.execution import features
from linclass_study.files import tables as table_files
from linclass_study.files.tables import write_table
from linclass_study.report import page
from linclass_study.report.drawing import svg
from linclass_study.report.figure_files import draw_figures, figure_names, read_record
from linclass_study.report.table import make_tables
from linclass_study.report.table_files import write_tables
from linclass_study.statuses import FITTED

MACHINE = {"Commit": "0123456789ab", "Python": "3.11", "Processor": "a <fast> & quiet one"}


@dataclass(frozen=True)
class Data:
    """A data set to make up; `unavailable` is the reason why it could not be had."""

    classes: Sequence[str] = ("no", "yes")
    rows: int = 120
    features: int = 3
    official: int = 0  # rows of an official test set
    unavailable: str = ""
    seed: int | None = None  # of the rows; data sets of one seed have the same
    numbered: bool = False  # has a column that numbers the rows


@dataclass(frozen=True)
class Method:
    """A method to make up: how well it separates, and what becomes of its fits."""

    skill: float = 1.0
    probabilities: bool = True
    endings: Mapping[int, tuple[str, str]] = field(default_factory=dict)  # fold → status, reason
    everywhere: tuple[str, str] = ("converged", "")
    only: Sequence[str] = ()  # data sets on which `everywhere` and `endings` hold; else all


COPIES = tempfile.TemporaryDirectory()  # of studies that were made up before


def build(results, data, methods, folds):
    """Runs made up, then scored, summarized and answered by the code under test; equal ones are copied."""
    outcome = Outcome(
        results=results,
        datasets={name: {"source": {"file": f"{name}.csv"}} for name in data},
        methods={name: {"classifier": f"linclass.{name}"} for name in methods},
        evaluation={
            "protocols": ["cv", "official"], "folds": folds, "repeats": 1, "inner_folds": 3,
            "tune_metric": "accuracy", "tune_rule": "best", "seed": 1,
        },
        limits={"fit_seconds": 300, "fit_memory_mb": 4000},
    )  # fmt: skip
    key = repr((results.name, dict(data), dict(methods), folds)).encode()
    copy = Path(COPIES.name) / hashlib.sha256(key).hexdigest()
    if copy.exists():
        shutil.copytree(copy, results, dirs_exist_ok=True)
    else:
        _make_up(outcome, data, methods, folds)
        shutil.copytree(results, copy)
    return outcome


def _make_up(outcome, data, methods, folds):
    results, scores, fits = outcome.results, [], []
    for seed, (dataset_name, content) in enumerate(data.items()):
        generator = np.random.default_rng(seed if content.seed is None else content.seed)
        X, y, split = _rows(content, generator)
        _write_data(results, dataset_name, content, X, y, split)
        for method_name, method in methods.items():
            folder = results / "runs" / dataset_name / method_name
            made = _run(dataset_name, method_name, content, method, y, split, folds, generator)
            for table, rows in zip(("predictions", "fits"), made, strict=True):
                write_table(table_files.frame(table, rows), table, folder / f"{table}.parquet")
            _write_boundary(folder, content, method, X[split == 0], y[split == 0], folds)
            predictions = pl.read_parquet(folder / "predictions.parquet")
            K = len(content.classes)
            scored = scoring.score(predictions, scoring.Classes(K, K - 1))
            write_table(scored, "scores", folder / "scores.parquet")
            scores.append(folder / "scores.parquet")
            fits.append(folder / "fits.parquet")
    write_datasets_table(data, results, [])
    write_summary(results, scores, fits)
    (results / "answer.txt").write_text(
        answer.answer(replace(outcome), f"{results.name}/report.html")
    )


def finish(outcome, *figures, pictures=False):
    """The page with these figures, which have captions and numbers. Their rendering, which takes most of the time, is
    left out unless a test looks at pictures."""
    blank = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'
    with nullcontext() if pictures else mock.patch.object(svg, "rendered", return_value=blank):
        draw_exhibits(outcome, *figures)
    shown = make_tables(outcome)
    write_tables(shown, outcome)
    return page.report(outcome, shown, MACHINE, ["my study.yaml"])


def write_page(outcome, *figures, pictures=False):
    """Its path."""
    path = outcome.results / "report.html"
    path.write_text(finish(outcome, *figures, pictures=pictures), encoding="utf-8")
    return path


def draw_exhibits(outcome, *figures):
    """These figures, of all data sets together and of each one."""
    for dataset in ("", *outcome.datasets):
        names = figure_names()[bool(dataset)]
        draw_figures(outcome, [figure for figure in figures if figure in names], dataset)


def _rows(data, generator):
    if data.unavailable:
        return np.empty((0, 0)), np.empty(0, np.int32), np.empty(0, np.int8)
    y = (np.arange(data.rows + data.official) % len(data.classes)).astype(np.int32)
    X = generator.normal(size=(len(y), data.features)) + 1.5 * y[:, None]
    if data.numbered:
        X[:, -1] = np.arange(len(y))
    return X, y, (np.arange(len(y)) >= data.rows).astype(np.int8)


def _write_data(results, name, data, X, y, split):
    """The data set and its checks."""
    folder = results / "data"
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / f"{name}.npz", folder / f"{name}.json"
    if data.unavailable:
        save_unavailable(data.unavailable, *paths)
    else:
        table = Table(X, tuple(f"feature {j}" for j in range(data.features)))
        classes = list(data.classes)
        about = {"source": f"file {name}.csv", "digest": "sha256:0"}
        save_dataset(Dataset(table, y, split, classes, len(classes) - 1, **about), *paths)
    checks = results / "checks" / name
    write_checks(*paths, {"licence": None, "citation": None}, f"{checks}.json", f"{checks}.npz")


def _run(dataset_name, method_name, data, method, y, split, folds, generator):
    """Its predictions and fits."""
    predictions, fits = [], []
    concerned = not method.only or dataset_name in method.only
    K, block = len(data.classes), np.arange(len(y)) // 2 % folds
    planned = [("cv", fold, np.flatnonzero(block == fold)) for fold in range(folds)]
    if data.official:
        planned.append(("official", 0, np.flatnonzero(split == 1)))
    for protocol, fold, test in planned:
        status, reason = "converged", ""
        if data.unavailable:
            status, reason = "unavailable", data.unavailable
        elif concerned:
            status, reason = method.everywhere
            if protocol == "cv":
                status, reason = method.endings.get(fold, (status, reason))
        key = {
            "dataset": dataset_name, "method": method_name, "protocol": protocol, "repeat": 0, "fold": fold,
        }  # fmt: skip
        fit = {
            "status": status, "reason": reason, "params": "{}", "seed": fold,
            "n_train": len(y) - len(test), "n_test": len(test),
        }  # fmt: skip
        fits.append(key | fit)
        if status not in FITTED:
            continue
        fits[-1] |= {
            "fit_seconds": 0.01 * (fold + 1), "peak_rss_mb": 90.0,
            "certificate": 10.0 ** (fold - 9), "certificate_kind": "gradient_cosine",
        }  # fmt: skip
        z = generator.normal(size=(len(test), K)) + method.skill * np.eye(K)[y[test]]
        log_proba = z - np.logaddexp.reduce(z, axis=1, keepdims=True)
        for i, row in enumerate(test):
            predictions.append(
                key
                | {"row": int(row), "y_true": int(y[row]), "y_pred": int(z[i].argmax())}
                | {"score": z[i].tolist()}
                | {"log_proba": log_proba[i].tolist() if method.probabilities else None}
            )
    return predictions, fits


def _write_boundary(folder, data, method, X, y, folds):
    """Lines that tilt a little from fold to fold, on a grid over the plane of the rows."""
    if data.unavailable:
        return
    axes, _ = features.grid(Table(X, tuple(f"feature {j}" for j in range(data.features))), y)
    right, top = np.meshgrid(*axes)
    labels = []
    for fold in range(folds):
        status, _ = method.endings.get(fold, method.everywhere)
        level = (right * (1 + 0.05 * fold) + top * (1 - 0.05 * fold) - 0.2 * method.skill) / 3
        codes = np.clip(np.floor(level + 0.5), 0, len(data.classes) - 1)
        labels.append(codes if status in FITTED else np.full(codes.shape, -1))
    np.savez(folder / "boundary.npz", x=axes[0], y=axes[1], labels=np.array(labels, np.int8))


def put_fits(outcome, **columns):
    """The outcome with these columns of its fits, written and read anew."""
    write_table(outcome.fits.with_columns(**columns), "fits", outcome.results / "fits.parquet")
    return replace(outcome)


def describe_datasets(outcome, **columns):
    """Write columns of tables/datasets.csv: name={data set: value}."""
    path = outcome.results / "tables" / "datasets.csv"
    table = pl.read_csv(path, infer_schema=False)
    values = {
        name: pl.col("dataset").replace_strict(given, default=None)
        for name, given in columns.items()
    }
    table.with_columns(**values).write_csv(path)


def copy_method(outcome, method, other, datasets, change=lambda predictions: predictions):
    """The outcome in which the other method has the scores of a method on these data sets, and its predictions,
    which may be changed."""
    for name in datasets:
        runs = outcome.results / "runs" / name
        predictions = change(pl.read_parquet(runs / method / "predictions.parquet"))
        predictions.with_columns(method=pl.lit(other)).write_parquet(
            runs / other / "predictions.parquet"
        )
    here = pl.col("dataset").is_in([*datasets])
    copied = outcome.scores.filter(here, method=method).with_columns(method=pl.lit(other))
    others = outcome.scores.filter(~(here & (pl.col("method") == other)))
    write_table(pl.concat([others, copied]), "scores", outcome.results / "scores.parquet")
    return replace(outcome)


def rows_of(path):
    return pl.read_csv(path).to_dicts()


def numbers_of(outcome, exhibit):
    """Its numbers.json; of an exhibit without files, the reason."""
    path = outcome.results / "exhibits" / exhibit / "numbers.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    records = [read_record(outcome.results, dataset) for dataset in ("", *outcome.datasets)]
    (reason,) = (one["not_drawn"][exhibit] for one in records if exhibit in one["not_drawn"])
    return {"drawn": False, "reason": reason}
