"""The log with the traceback of a fit that failed."""

from __future__ import annotations

from pathlib import Path

from linclass_study.analysis.fit_problems import FitProblem

FOLDER = Path("logs") / "cross_validate"


def log_of_problem(results: Path, problem: FitProblem) -> str:
    """The log of the first run that failed so, relative to the results; '' if there is none with its traceback.

    A job that runs again overwrites its log and repeats only what has changed; of the other runs it prints again what
    those with failed fits have printed (files/logs.py).
    """
    if problem.status != "failed":
        return ""
    dataset, method = problem.datasets[0], problem.methods[0]
    alone, shared = (
        f"{dataset}@{method}",
        (dataset, f"{dataset}~*", "~*"),
    )  # of execution/jobs.py
    for name in (alone, f"{alone}@*/*", *shared):
        for log in sorted((results / FOLDER).glob(f"{name}.log")):
            text = log.read_text(encoding="utf-8", errors="replace")
            if name in shared:
                own = text.partition(f"== {dataset} × {method}\n")[2]
                text = own.partition("\n== ")[0]
            if "Traceback" in text:
                return str(log.relative_to(results))
    return ""
