"""The report's tables as rows of plain values; the template decides how they look."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from string import ascii_uppercase

import polars as pl

from linclass import metrics
from linclass_study.report import numerals
from linclass_study.results.outcome import FIT, FITTED, STATUSES, Outcome
from linclass_study.results.summary import ranking
from linclass_study.results.within import within

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


#: How the tables call the machines of a study that several of them fitted.
LABELS = [*ascii_uppercase, *(f"{a}{b}" for a in ascii_uppercase for b in ascii_uppercase)]


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
    seconds: list[tuple[str, float]] = field(default_factory=list)  # machine, median of its fits
    certificate: str = "–"
    ended: str = ""


def performance(outcome: Outcome, dataset: str, protocol: str) -> list[Row]:
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
    done = fits.filter(pl.col("status").is_in(FITTED))
    times = outcome.times.join(done, on=FIT, how="semi").group_by("method", "machine")
    medians = times.agg(pl.col("fit_seconds").median()).sort("method", "machine")
    for method, machine, seconds in medians.iter_rows():
        if method in rows:
            rows[method].seconds.append((machine, seconds))
    return list(rows.values())


def column(
    outcome: Outcome, dataset: str, metric: str, protocol: str | None = None
) -> dict[str, Cell]:
    """Method → its cell. Only methods whose every planned fit gave a value can be best."""
    protocol = protocol or outcome.protocol(dataset)
    if metric not in metrics.names():
        return {method: Cell(None) for method in outcome.methods}
    ranked = ranking(outcome, dataset, metric, protocol)
    cells = {
        row["method"]: Cell(row["mean"], row["sd"], partial=not row["whole"])
        for row in ranked.iter_rows(named=True)
    }
    whole = ranked.filter("whole")
    close = within(outcome, dataset, metric, protocol, ranked).near
    for method, mean in whole.select("method", "mean").iter_rows():
        cells[method].best = abs(mean - whole["mean"][0]) < 1e-12
        cells[method].near = not cells[method].best and method in close
    return cells


def excess(outcome: Outcome, dataset: str, protocol: str) -> dict[str, Cell]:
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


def spent(times: pl.DataFrame) -> list[tuple[str, float, float | None]]:
    """(machine, seconds of fitting in all, largest memory of a process), never added across machines."""
    by_machine = times.group_by("machine").agg(
        pl.col("fit_seconds").sum(), pl.col("peak_rss_mb").max()
    )
    return list(by_machine.sort("machine").iter_rows())


def _add_fits(row: Row, fits: pl.DataFrame) -> None:
    done = fits.filter(pl.col("status").is_in(FITTED))
    row.planned, row.fitted = fits.height, done.height
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
