"""What a study prints: plans, progress, errors, and the last line of a job."""

import logging
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest
from snakemake_interface_logger_plugins.common import LogEvent
from snakemake_interface_logger_plugins.registry import LoggerPluginRegistry

from linclass_study.execution import terminal
from linclass_study.execution.terminal import StudyProgress, lasting

# The terminal as a logger plugin of Snakemake: a plan is one table, a run is lines of progress, errors are whole


def made_terminal(**changes):
    """As Snakemake makes it: found by the name of its package, with Snakemake's formatter."""
    quiet = [SimpleNamespace(name="HOST"), SimpleNamespace(name="REASON")]
    settings = {"dryrun": False, "stdout": True, "nocolor": True, "quiet": quiet} | changes
    plugin = LoggerPluginRegistry().get_plugin("linclass")
    handler = plugin.log_handler(SimpleNamespace(**settings), None)
    handler.setFormatter(logging.Formatter())
    return handler


def record(event, message=None, **about):
    return logging.makeLogRecord({"msg": message, "event": event, **about})


@pytest.fixture(autouse=True)
def _nothing_shown(monkeypatch):
    monkeypatch.setattr(terminal, "_progress", [])
    monkeypatch.setattr(terminal, "_runs_to_fit", [])


def said_of_plan(capsys, **settings):
    """A plan of 1000 jobs, in the order of Snakemake's events."""
    handler = made_terminal(dryrun=True, **settings)
    stats = record(LogEvent.RUN_INFO, "job stats", stats={"score": 1000, "total": 1000})
    handler.handle(stats)
    for number in range(1000):
        job = {"rule_name": "score", "wildcards": {"dataset": f"d{number:03}"}}
        handler.handle(record(LogEvent.JOB_INFO, f"job {number}", **job))
    handler.handle(stats)
    return capsys.readouterr().out


def test_a_plan_of_a_thousand_jobs_is_a_table_of_rules(capsys):
    terminal.show_runs_to_fit(lambda planned: [f"{len(planned['score'])} runs to fit"])
    assert said_of_plan(capsys).splitlines() == [
        "job    count", "-----  -----", "score   1000  d000, d001, d002 and 997 others", "total   1000",
        "1000 runs to fit",
    ]  # fmt: skip


def test_every_job_is_listed_if_reasons_are_requested(capsys):
    said = said_of_plan(capsys, quiet=[SimpleNamespace(name="HOST")]).splitlines()
    assert said == ["job stats", *(f"job {number}" for number in range(1000))]


def test_a_run_prints_progress_and_never_holds_an_error_back(capsys):
    terminal.show_progress({1: ("score iris", 1.0)})
    handler = made_terminal()
    handler.handle(record(LogEvent.JOB_INFO, "all about job 1", jobid=1))
    handler.handle(record(None, "Select jobs to execute..."))
    handler.handle(record(LogEvent.JOB_STARTED, "Execute 1 jobs..."))
    handler.handle(record(LogEvent.JOB_ERROR, "Error in rule score", jobid=1))
    first, error = capsys.readouterr().out.splitlines()
    assert first.strip().startswith("0 of 1 jobs")
    assert first.endswith("started: score iris")
    assert error == "Error in rule score"


# Progress is bounded: at most a line in two seconds, the share of the work, and the time that is left


class Clock:
    time = 0.0

    def __call__(self):
        return self.time


def test_progress_is_of_the_work_in_few_lines_and_ends_at_100_percent():
    clock = Clock()
    progress = StudyProgress({n: (f"job {n}", 1.0) for n in range(1000)}, clock)
    lines = []
    for number in range(1000):
        for event in ("job_info", "job_finished"):
            if progress.is_due(event, number):
                lines.append(progress.line(event, number))
        clock.time += 0.01
    assert len(lines) <= 10 / 2 + 2
    assert "1000 of 1000 jobs   100% of the work   nothing left" in lines[-1]


def test_jobs_without_work_count_as_a_second_each():
    """Work is 99 + 1 and 0 + 1: the first job is 100 of 101; 980 s for 100 units leave 9.8 s for one."""
    clock = Clock()
    progress = StudyProgress({1: ("large", 99.0), 2: ("small", 0.0)}, clock)
    clock.time = 980.0
    assert progress.is_due("job_finished", 1)
    line = progress.line("job_finished", 1)
    assert line.endswith(" 99% of the work   nearly done: 1 job left   done: large")


def test_progress_does_not_show_100_percent_before_the_end():
    clock = Clock()
    progress = StudyProgress({0: ("fit", 9999.0)} | dict.fromkeys((1, 2), ("table", 0.0)), clock)
    lines = []
    for number in range(3):
        clock.time += 10.0
        progress.is_due("job_finished", number)
        lines.append(progress.line("job_finished", number))
    assert "99% of the work   nearly done: 2 jobs left" in lines[0]
    assert "99% of the work   nearly done: 1 job left" in lines[1]
    assert "100% of the work   nothing left" in lines[2]


def test_the_time_left_is_that_of_the_work_so_far():
    """After 20 s a fifth of the work is done, 19 + 1 of 100 expected seconds: 80 s are left."""
    clock = Clock()
    progress = StudyProgress({1: ("one", 19.0), 2: ("other", 79.0)}, clock)
    clock.time = 20.0
    progress.is_due("job_finished", 1)
    assert "20% of the work   about 1 min left" in progress.line("job_finished", 1)


def test_times_are_reported_in_one_number():
    said = {0.2: "1 s", 59: "59 s", 90: "2 min", 7200: "2 h", 2e5: "2 d"}
    assert {seconds: lasting(seconds) for seconds in said} == said


# The first step of a job's script

BEGIN = """
import signal, sys
from linclass_study.errors import StudyError
from linclass_study.processes.job import begin_job
begin_job(sys.argv[1])
"""


def ended_job(script, log):
    """The exit code of a job and its log."""
    done = subprocess.run([sys.executable, "-c", BEGIN + script, str(log)], check=False)
    return done.returncode, log.read_text()


def test_a_refusal_is_one_line_in_the_log_and_other_errors_have_a_traceback(tmp_path):
    words = "the thing, its value, the remedy"
    for kind, lines in (("StudyError", 1), ("ValueError", 4)):
        code, log = ended_job(f"raise {kind}({words!r})", tmp_path / f"{kind}.log")
        assert code == 1
        assert len(log.splitlines()) <= lines
        assert log.splitlines()[-1].endswith(words)


def test_ctrl_c_ends_a_job_without_a_traceback_in_its_log(tmp_path):
    script = "print('begun', flush=True)\nsignal.raise_signal(signal.SIGINT)\nprint('not ended')"
    assert ended_job(script, tmp_path / "logs" / "job.log") == (-signal.SIGINT, "begun\n")
