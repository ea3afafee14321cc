"""A run is computed by one process at a time; if that process dies, another one takes over."""

import subprocess
import sys

HOLD = """
import sys
from pathlib import Path
from linclass_study.execution.compute import run_lock

with run_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def hold(run):
    """A process that claims the run, reports this, and keeps the claim until its input ends."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", HOLD, run], stdin=pipe, stdout=pipe, text=True)


def says(process):
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_process_waits_until_the_first_is_dead(tmp_path):
    run = tmp_path / "iris" / "lda"
    with hold(run) as first, hold(tmp_path / "iris" / "qda") as other:
        assert says(first) == says(other) == "held", "other runs are not in the way"
        with hold(run) as second:
            assert "another process computes this run" in says(second)
            first.kill()
            assert says(second) == "held"
            second.communicate()
        other.communicate()


def test_a_claim_that_ended_is_free(tmp_path):
    run = tmp_path / "iris" / "lda"
    for _ in range(2):
        with hold(run) as process:
            assert says(process) == "held"
            process.communicate()
