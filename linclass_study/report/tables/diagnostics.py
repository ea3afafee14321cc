"""Status of the fits, checks of the data, and the tuning budget."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from linclass.base.many_fits import COUNT
from linclass.kernels.functions import WIDTHS
from linclass.tuning import selection
from linclass_study.analysis import tuned_values
from linclass_study.analysis.fit_problems import (
    FitProblem,
    failed_candidates,
    fit_problems,
    log_of_problem,
    planned_sentence,
)
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.scoring import metric_problems
from linclass_study.analysis.wording import status_words
from linclass_study.report.table import Column, ReportTable, format_power, format_tuned
from linclass_study.statuses import FITTED, STATUSES

PROBLEM_COLUMNS = [
    Column("status", "Status", "status"),
    Column("data_sets", "Data set", "dataset"),
    Column("methods", "Method", "method"),
    Column("fits", "Fits", "count"),
    Column("reason", "Reason", "reason"),
]


def failures(outcome: Outcome) -> ReportTable:
    """All distinct problems of fits: status, data sets, methods, number and reason."""
    found = fit_problems(outcome.fits)
    caption = "Every distinct problem. A fit that fails is a row of fits.parquet with its reason."
    logs = [log_of_problem(outcome.results, problem) for problem in found]
    columns, cells = PROBLEM_COLUMNS, problem_rows(found)
    if any(logs):
        about = "A file in the folder of the results; archives have none"
        columns = [*PROBLEM_COLUMNS, Column("log", "Traceback", about=about)]
        cells = [[*row, log] for row, log in zip(cells, logs, strict=True)]
    return ReportTable("Failed fits", caption, columns, cells)


def problem_rows(found: list[FitProblem]) -> list[list[object]]:
    return [[p.status, list(p.datasets), list(p.methods), p.fits, p.reason] for p in found]


def unconverged_fits(outcome: Outcome) -> ReportTable:
    """Fits with predictions that did not converge."""
    caption = (
        "These fits gave predictions, which are compared above, but the iterations ran out, or the optimum does not "
        "exist or is not the only one. Numbers in a reason are those of the first fit."
    )
    rows = problem_rows(fit_problems(outcome.fits, FITTED[1:]))
    return ReportTable("Fits with warnings", caption, PROBLEM_COLUMNS, rows)


def unscored(outcome: Outcome) -> ReportTable:
    """Metrics of the study's own that raised an exception on some folds, which have no score by them."""
    columns = [Column("metric", "Metric"), *PROBLEM_COLUMNS[1:]]
    columns[3] = Column("folds", "Folds", "count")
    rows = problem_rows(metric_problems(outcome))
    caption = "No score for these folds by this metric; its means are over the other folds."
    return ReportTable("Metrics that raised an exception", caption, columns, rows)


def failed_candidates_table(outcome: Outcome) -> ReportTable:
    """Candidates of the tuning that failed, so that the choice was made among the others."""
    _, datasets, _, *others = PROBLEM_COLUMNS
    columns = [Column("method", "Method", "method"), Column("candidates", "Candidates")]
    columns += [datasets, *others]
    rows = [
        [one.methods[0], "; ".join(one.candidates), list(one.datasets), one.fits, one.reason]
        for one in failed_candidates(outcome)
    ]
    caption = (
        "They raised an exception on an inner fold, so the parameters were chosen among the other candidates. "
        "A candidate that fails in some fits only is compared in the others."
    )
    return ReportTable("Candidates of the tuning that failed", caption, columns, rows)


def at_the_edge(outcome: Outcome) -> ReportTable:
    """Tuned parameters for which at least half of the fits on a data set selected an end of the grid."""
    columns = [
        Column("method", "Method", "method"),
        Column("parameter", "Parameter"),
        Column("value", "Value"),
        Column("edge", "End of the grid"),
        Column("data_sets", "Data sets", "dataset"),
    ]
    rows = [
        [one["method"], one["parameter"], format_tuned(one["value"]), one["edge"], one["datasets"]]
        for one in tuned_values.at_the_edge(outcome)
    ]
    caption = (
        "At least half of the fits chose the end of a grid of candidates, or of a path that was extended as far as "
        "it may be; a wider one may have a better value."
    )
    return ReportTable("Grids that may be too narrow", caption, columns, rows)


def statuses(outcome: Outcome) -> ReportTable:
    """Statuses of the fits of every method over all data sets, and how many have a certificate."""
    fits = outcome.fits
    met = [status for status in STATUSES if (fits["status"] == status).any()]
    counted = fits.group_by("method").agg(
        *((pl.col("status") == status).sum().alias(status) for status in met),
        planned=pl.len(),
        fitted=pl.col("status").is_in(FITTED).sum(),
        certified=pl.col("certificate").is_not_null().sum(),
        largest_gap=pl.col("certificate").filter(pl.col("certificate_kind") == "duality_gap").max(),
    )
    columns = [
        Column("method", "Method", "method"),
        Column("planned", "Fits", "count"),
        *(Column(status, status_words(status).capitalize(), "count") for status in met),
        Column("certified", "With certificate", "count"),
        Column("largest_gap", "Largest gap", "power", "The largest relative duality gap of a fit"),
    ]
    of_method = counted.rows_by_key("method", named=True, unique=True, include_key=True)
    known = [of_method[name] for name in outcome.methods if name in of_method]
    rows = [[own[column.key] for column in columns] for own in known]
    caption = (
        f"{planned_sentence(fits)} A certificate states how near a fit is to its optimum, numerically; the gap is how "
        "far from it a fit may be, relative to the objective. Foreign estimators have none, unless they set "
        "certificate_."
    )
    faint = frozenset(i for i, own in enumerate(known) if own["fitted"] < own["planned"])
    caption += " Grey: some fits gave no predictions." if faint else ""
    return ReportTable("Status of all fits", caption, columns, rows, faint)


def fit_status(outcome: Outcome, dataset: str) -> ReportTable:
    """Statuses of the fits of every method on a data set, with the largest certificate."""
    columns = [
        Column("method", "Method", "method"),
        Column("fits", "Fits"),
        Column("ended", "Did not converge"),
        Column("certificate", "Certificate"),
    ]
    counts, known = counts_by_method(outcome.fits), certificates(outcome.fits)
    rows = [
        [name, successes(own), other_statuses(own) or "–", known.get(name, "–")]
        for name in outcome.methods
        if (own := counts.get(name))
    ]
    caption = (
        "The certificate states how near a fit is to its optimum; the table shows the largest of all fits. It is a "
        "relative duality gap (“gap”), which is a bound, where there is one; else the largest cosine between a feature "
        "and the slopes of the loss (“cosine”), which is no bound; the residual of the equations of a solution in "
        "closed form (“closed form”); or another measure, which is named."
    )
    rows.sort(key=lambda row: row[2] == "–")  # methods with unconverged fits first
    faint = frozenset(i for i, row in enumerate(rows) if not {*counts[row[0]]} <= {*FITTED})
    title = f"Status of the fits on {outcome.labels.datasets[dataset]}"
    return ReportTable(title, caption, columns, rows, faint)


def counts_by_method(fits: pl.DataFrame) -> dict[str, dict[str, int]]:
    """How many fits of each method ended with each status."""
    counts: dict[str, dict[str, int]] = {}
    for method, status, count in fits.group_by("method", "status").len().iter_rows():
        counts.setdefault(method, {})[status] = count
    return counts


def successes(counts: Mapping[str, int]) -> str:
    """Successful and planned fits: 9/10."""
    done = sum(count for status, count in counts.items() if status in FITTED)
    return f"{done}/{sum(counts.values())}"


def other_statuses(counts: Mapping[str, int]) -> str:
    """Statuses other than converged: '1 failed, 2 separable'."""
    return ", ".join(f"{counts[s]} {status_words(s)}" for s in STATUSES[1:] if s in counts)


def certificates(fits: pl.DataFrame) -> dict[str, str]:
    """Largest certificate of each kind, of the methods that have any."""
    largest = (
        fits.filter(pl.col("status").is_in(FITTED))
        .drop_nulls("certificate")
        .group_by("method", pl.col("certificate_kind").fill_null("unnamed"))
        .agg(pl.col("certificate").max())
        .sort("certificate", "certificate_kind", descending=[True, False])
    )
    short = {"duality_gap": "gap", "gradient_cosine": "cosine", "training_mistakes": "mistakes"}
    found: dict[str, list[str]] = {}
    for method, kind, value in largest.iter_rows():
        named = short.get(kind, kind.replace("_", " "))
        found.setdefault(method, []).append(f"{format_power(value)} {named}")
    return {method: ", ".join(each) for method, each in found.items()}


def checks(outcome: Outcome) -> ReportTable:
    """Results of the checks of each data set; tables/datasets.csv has all of them."""
    columns = [
        Column("dataset", "Data set", "dataset"),
        Column("rows", "Rows", "count"),
        Column("features", "Features", "count"),
        Column("missing_values", "Missing values", "count"),
        Column("duplicated_rows", "Repeated rows", "count"),
        Column("conflicting_rows", "Conflicting rows", "count", "with the features of a row of another class"),
        Column("rank", "Rank", "count", "of the columns, imputed, one-hot and standardized"),
        Column("separable", "Separable", "text", "by a hyperplane; of classes, which pairs"),
        Column("digest", "Digest of the content", "digest"),
    ]  # fmt: skip
    rows = [
        [dataset, *(facts.get(column.key) for column in columns[1:])]
        for dataset in outcome.datasets
        if (facts := outcome.checks(dataset))
    ]
    caption = "Results of the checks before any fit. Equal digests mean equal content, whatever the source."
    return ReportTable("Checks of the data", caption, columns, rows)


LISTED = 8  # values that are written out


def tuning_budget(outcome: Outcome) -> ReportTable:
    """The tuning budget: what is tuned of each method, over what, and what stays fixed, read from the entries alone."""
    columns = [Column("method", "Method", "method"), Column("tuned", "Tuned over")]
    columns.append(Column("fixed", "Fixed"))
    rows: list[list[Any]] = [
        [name, *budget(entry, outcome.parameters.get(name, {}))]
        for name, entry in outcome.methods.items()
    ]
    inner = outcome.evaluation["inner_folds"]
    caption = (
        f"All combinations are compared on the same {inner} inner folds of each training set. A path has values from "
        "the training rows and goes on beyond an end at which the best one is. Fixed are the parameters that the study "
        "sets, and those that could be tuned, also with the defaults of their class."
    )
    return ReportTable("The tuning budget", caption, columns, rows)


def budget(entry: Mapping[str, Any], facts: Mapping[str, Any]) -> tuple[str, str]:
    """(the tuned parameters with their values, or 'untuned'; the parameters that the entry fixes, and those that could
    be tuned and are not, by the facts of config/estimator_check.py)"""
    by_default = facts.get("by_default", ())
    tuned = [
        f"{name}: {_values(name, spec)}{' (by default)' if name in by_default else ''}"
        for name, spec in (entry.get("tune") or {}).items()
    ]
    tuned += [f"{name}: {how}" for name, how in facts.get("by_fit", {}).items()]
    defaults = {name: _shown(value) for name, value in facts.get("fixed", {}).items()}
    fixed = defaults | dict(_fixed(entry.get("params") or {}))
    chosen = {text.partition(":")[0] for text in tuned}
    shown = [f"{name} {value}" for name, value in fixed.items() if name not in chosen]
    return "; ".join(tuned) or "untuned", ", ".join(shown)


def _values(name: str, spec: Any) -> str:
    if selection.is_path(spec):
        return f"path of {len(WIDTHS) if name.endswith('gamma') else COUNT}"
    values = [_shown(value) for value in selection.listed_values(spec)]
    if len(values) <= LISTED:
        return ", ".join(values)
    return f"{values[0]} to {values[-1]} ({len(values)} values)"


def _fixed(params: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Names and values; of an estimator inside, its class and its parameters."""
    for name, value in params.items():
        if isinstance(value, Mapping) and "classifier" in value:
            yield f"{prefix}{name}", str(value["classifier"]).rpartition(".")[2]
            yield from _fixed(value.get("params") or {}, f"{prefix}{name}__")
        else:
            yield f"{prefix}{name}", _shown(value)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
