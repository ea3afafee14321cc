"""The first step of a job's script."""

from __future__ import annotations

import signal
import subprocess
import sys

SCRIPT = """
import signal, sys
from linclass_study.job import begin_job
begin_job(sys.argv[1])
print("begun", flush=True)
signal.raise_signal(signal.SIGINT)
print("not ended")
"""


def test_ctrl_c_ends_a_job_without_a_traceback_in_its_log(tmp_path):
    log = tmp_path / "logs" / "job.log"
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(log)], check=False)
    assert done.returncode == -signal.SIGINT
    assert log.read_text() == "begun\n"
