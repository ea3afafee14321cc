"""The report's tables as rows of plain values; the template decides how they look."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import polars as pl

from linclass import metrics
from linclass_study.report import numerals
from linclass_study.results.comparison import near_best
from linclass_study.results.outcome import FITTED, STATUSES, Outcome
from linclass_study.results.summary import ranking

#: Shown of every data set; every other metric is in tables/summary.csv.
COLUMNS = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1",
    "auc": "AUC",
    "log_loss": "Log loss",
}

#: A column's width of words for the kinds of certificate; others keep their own.
PROOFS = {"duality_gap": "gap", "gradient_norm": "gradient", "training_mistakes": "mistakes"}


@dataclass
class Cell:
    """A mean with its spread. `best` of its column, or `near`: not told apart from it;
    `partial`: of some folds only, so that it cannot be compared."""

    mean: float | None
    sd: float | None = None
    best: bool = False
    near: bool = False
    partial: bool = False


@dataclass
class Row:
    """One method on one data set; `ended` counts the fits that ended otherwise than converged."""

    method: str
    cells: list[Cell] = field(default_factory=list)
    excess: Cell | None = None
    planned: int = 0
    fitted: int = 0
    seconds: float | None = None
    certificate: str = "–"
    ended: str = ""


def performance(outcome: Outcome, dataset: str, protocol: str = "cv") -> list[Row]:
    """Every method of the study, best first, with the metrics of COLUMNS."""
    order = ranking(outcome, dataset, protocol=protocol)["method"].to_list()
    rows = {method: Row(method) for method in order}
    for metric in COLUMNS:
        for method, cell in column(outcome, dataset, metric, protocol).items():
            rows[method].cells.append(cell)
    for method, cell in excess(outcome, dataset, protocol).items():
        rows[method].excess = cell
    fits = outcome.fits.filter(dataset=dataset, protocol=protocol)
    for (method,), own in fits.group_by(["method"]):
        if method in rows:
            _add_fits(rows[str(method)], own)
    return list(rows.values())


def column(outcome: Outcome, dataset: str, metric: str, protocol: str = "cv") -> dict[str, Cell]:
    """Method → its cell. Only methods whose every planned fit gave a value can be best."""
    if metric not in metrics.names():
        return {method: Cell(None) for method in outcome.methods}
    ranked = ranking(outcome, dataset, metric, protocol)
    cells = {
        row["method"]: Cell(row["mean"], row["sd"], partial=not row["whole"])
        for row in ranked.iter_rows(named=True)
    }
    whole = ranked.filter("whole")
    close = near_best(outcome, dataset, metric, protocol, whole)
    for method, mean in whole.select("method", "mean").iter_rows():
        cells[method].best = abs(mean - whole["mean"][0]) < 1e-12
        cells[method].near = not cells[method].best and method in close
    return cells


def excess(outcome: Outcome, dataset: str, protocol: str = "cv") -> dict[str, Cell]:
    """Method → how far its error is above the Bayes error, ± the standard error of that; none where
    the distribution of the rows is not known."""
    bayes = outcome.about(dataset).get("bayes_error")
    if bayes is None or "accuracy" not in metrics.names():
        return {}
    ranked = ranking(outcome, dataset, "accuracy", protocol)
    return {
        row["method"]: Cell(
            None if row["mean"] is None else 1 - row["mean"] - bayes["value"],
            None if row["error"] is None else math.hypot(row["error"], bayes["within"]),
            partial=not row["whole"],
        )
        for row in ranked.iter_rows(named=True)
    }


def _add_fits(row: Row, fits: pl.DataFrame) -> None:
    done = fits.filter(pl.col("status").is_in(FITTED))
    row.planned, row.fitted = fits.height, done.height
    median = done["fit_seconds"].median()
    row.seconds = float(median) if isinstance(median, (int, float)) else None
    proofs = (
        done.drop_nulls("certificate")
        .group_by(pl.col("certificate_kind").fill_null("unnamed"))
        .agg(pl.col("certificate").max())
        .sort("certificate", descending=True)
    )
    if not proofs.is_empty():
        row.certificate = ", ".join(
            f"{numerals.power(value)} {PROOFS.get(kind, kind.replace('_', ' '))}"
            for kind, value in proofs.iter_rows()
        )
    counts = dict(fits["status"].value_counts().iter_rows())
    odd = [status for status in STATUSES[1:] if status in counts]
    endings = (f"{counts[status]} {status.replace('_', ' ')}" for status in odd)
    row.ended = ", ".join(ending.replace(" ", "\u00a0") for ending in endings)
