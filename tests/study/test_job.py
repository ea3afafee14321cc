"""The first step of a job's script."""

from __future__ import annotations

import signal
import subprocess
import sys

SCRIPT = """
import signal, sys
from linclass_study.processes.job import begin_job
begin_job(sys.argv[1])
print("begun", flush=True)
signal.raise_signal(signal.SIGINT)
print("not ended")
"""


REFUSING = """
import sys
from linclass_study.processes.job import begin_job
from linclass_study.errors import StudyError
begin_job(sys.argv[1])
raise {}("the thing, its value, the remedy")
"""


def test_a_refusal_is_one_line_of_the_log_and_another_error_has_its_traceback(tmp_path):
    for kind, lines in (("StudyError", 1), ("ValueError", 4)):
        log = tmp_path / f"{kind}.log"
        script = REFUSING.format(kind)
        done = subprocess.run([sys.executable, "-c", script, str(log)], check=False)
        assert done.returncode == 1
        found = log.read_text().splitlines()
        assert len(found) <= lines
        assert found[-1].endswith("the thing, its value, the remedy")


def test_ctrl_c_ends_a_job_without_a_traceback_in_its_log(tmp_path):
    log = tmp_path / "logs" / "job.log"
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(log)], check=False)
    assert done.returncode == -signal.SIGINT
    assert log.read_text() == "begun\n"
