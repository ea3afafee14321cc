"""The terminal as a logger plugin of Snakemake: a plan is one table, a run is lines of progress, errors are whole."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from linclass_study.execution import terminal
from linclass_study.execution.terminal import PlannedJob


def made_terminal(**changes: object) -> terminal.Terminal:
    """As Snakemake makes it: found by the name of its package, with Snakemake's formatter."""
    quiet = [SimpleNamespace(name="HOST"), SimpleNamespace(name="REASON")]
    settings = {"dryrun": False, "stdout": True, "nocolor": True, "quiet": quiet} | changes
    handler = (
        LoggerPluginRegistry().get_plugin("linclass").log_handler(SimpleNamespace(**settings), None)
    )
    handler.setFormatter(logging.Formatter())
    return handler


def record(
    event: LogEvent | None, message: str | None = None, **about: object
) -> logging.LogRecord:
    return logging.makeLogRecord({"msg": message, "event": event, **about})


@pytest.fixture(autouse=True)
def _nothing_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_progress", [])
    monkeypatch.setattr(terminal, "_runs_to_fit", [])


def said_of_plan(capsys: pytest.CaptureFixture[str], **settings: object) -> str:
    """A plan of 1000 jobs, in the order of Snakemake's events."""
    handler = made_terminal(dryrun=True, **settings)
    stats = record(LogEvent.RUN_INFO, "job stats", stats={"score": 1000, "total": 1000})
    handler.handle(stats)
    for number in range(1000):
        wildcards = {"dataset": f"d{number:03}"}
        handler.handle(
            record(LogEvent.JOB_INFO, f"job {number}", rule_name="score", wildcards=wildcards)
        )
    handler.handle(stats)
    return capsys.readouterr().out


def test_a_plan_of_a_thousand_jobs_is_a_table_of_rules(capsys):
    terminal.show_runs_to_fit(lambda planned: [f"{len(planned['score'])} runs to fit"])
    assert said_of_plan(capsys).splitlines() == [
        "job    count",
        "-----  -----",
        "score   1000  d000, d001, d002 and 997 others",
        "total   1000",
        "1000 runs to fit",
    ]


def test_every_job_is_listed_if_reasons_are_requested(capsys):
    said = said_of_plan(capsys, quiet=[SimpleNamespace(name="HOST")]).splitlines()
    assert said == ["job stats", *(f"job {number}" for number in range(1000))]


def test_a_run_prints_progress_and_never_holds_an_error_back(capsys):
    terminal.show_progress({1: PlannedJob("score iris", 1.0, "score")})
    handler = made_terminal()
    handler.handle(record(LogEvent.JOB_INFO, "all about job 1", jobid=1))
    handler.handle(record(None, "Select jobs to execute..."))
    handler.handle(record(LogEvent.JOB_STARTED, "Execute 1 jobs..."))
    handler.handle(record(LogEvent.JOB_ERROR, "Error in rule score", jobid=1))
    first, error = capsys.readouterr().out.splitlines()
    assert first.strip().startswith("0 of 1 jobs")
    assert first.endswith("started: score iris")
    assert error == "Error in rule score"
