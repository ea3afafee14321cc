"""All distinct problems of fits: status, data sets, methods, number and reason."""

from __future__ import annotations

from linclass_study.analysis.fit_log import log_of_problem
from linclass_study.analysis.fit_problems import FitProblem, fit_problems
from linclass_study.analysis.outcome import Outcome
from linclass_study.report.table import Column, ReportTable

PLACE, SECTION, PER_DATASET = 1, "trust", False
COLUMNS = [
    Column("status", "Status", "status"),
    Column("data_sets", "Data set", "dataset"),
    Column("methods", "Method", "method"),
    Column("fits", "Fits", "count"),
    Column("reason", "Reason", "reason"),
]


def make(outcome: Outcome) -> ReportTable | None:
    found = fit_problems(outcome.fits)
    caption = "Every distinct problem. A fit that fails is a row of fits.parquet with its reason."
    if not found:
        return None
    logs = [log_of_problem(outcome.results, problem) for problem in found]
    columns, cells = COLUMNS, rows(found)
    if any(logs):
        columns = [
            *COLUMNS,
            Column(
                "log", "Traceback", about="A file in the folder of the results; archives have none"
            ),
        ]
        cells = [[*row, log] for row, log in zip(cells, logs, strict=True)]
    return ReportTable("What did not succeed", caption, columns, cells)


def rows(found: list[FitProblem]) -> list[list[object]]:
    return [[p.status, list(p.datasets), list(p.methods), p.fits, p.reason] for p in found]
