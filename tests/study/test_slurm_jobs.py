"""Jobs that a dead Snakemake left to Slurm are cancelled, and nobody else's. Slurm is a folder with a file per job."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from linclass_study.errors import StudyError
from linclass_study.execution import slurm as slurm_jobs

SQUEUE = """#!/bin/sh
# squeue --noheader --name=A,B --format=…: a file {name}/{number} is a job, its content the state
for name in $(echo "${2#--name=}" | tr , ' '); do
  for job in "$SLURM/$name"/*; do [ -e "$job" ] && echo "$(basename "$job") $(cat "$job")"; done
done
exit 0
"""
SCANCEL = """#!/bin/sh
for job in "$@"; do rm -f "$SLURM"/*/"$job"; done
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Commands of Slurm in front of all others; the study's folder is the present one."""
    for name, text in {"squeue": SQUEUE, "scancel": SCANCEL}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("SLURM", str(tmp_path / "jobs"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "jobs"


def submit(slurm: Path, name: str, *numbers: str, state: str = "RUNNING") -> None:
    (slurm / name).mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (slurm / name / number).write_text(state)


def main_process(name: str, results: str) -> subprocess.Popen[str]:
    """A Snakemake that wrote its name down and lives until its input ends."""
    code = f"import sys; from linclass_study.execution import slurm as s; s.remember({name!r}, {results!r}); "
    code += "print('up', flush=True); sys.stdin.read()"
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def numbers(slurm: Path) -> list[str]:
    return sorted(job.name for job in slurm.glob("*/*"))


def test_jobs_of_a_dead_run_of_the_same_study_are_cancelled_and_no_others(slurm: Path) -> None:
    submit(slurm, "dead", "1", "2")
    submit(slurm, "living", "3")
    submit(slurm, "other-study", "4")
    submit(slurm, "somebody", "5")
    output: list[str] = []
    with main_process("dead", "results") as dead, main_process("other-study", "results/b") as other:
        dead.kill()
        other.kill()
    with main_process("living", "results") as living:
        slurm_jobs.cancel_abandoned("results", output.append)
        living.communicate()
    assert numbers(slurm) == ["3", "4", "5"]
    assert output == ["An earlier run of this study left 2 jobs to Slurm; they are cancelled: 1 2"]
    assert not (slurm_jobs.NAMES / "dead").exists(), "what has ended is looked for once"


def test_without_a_run_that_was_killed_slurm_is_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no squeue
    slurm_jobs.cancel_abandoned("results", print)


def test_a_job_that_does_not_end_is_refused_by_its_number(
    slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with main_process("dead", "results") as dead:
        dead.kill()
    submit(slurm, "dead", "17")
    (slurm.parent / "scancel").write_text("#!/bin/sh\n")
    monkeypatch.setattr(slurm_jobs, "PATIENCE", 0)
    with pytest.raises(StudyError, match="17"):
        slurm_jobs.cancel_abandoned("results", print)


def test_a_job_whose_node_is_lost_does_not_hold_the_study_up(
    slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with main_process("dead", "results") as dead:
        dead.kill()
    submit(slurm, "dead", "17", state="COMPLETING")
    (slurm.parent / "scancel").write_text("#!/bin/sh\n")
    monkeypatch.setattr(slurm_jobs, "PATIENCE", 0)
    slurm_jobs.cancel_abandoned("results", print)


def test_a_slurm_that_is_down_is_reported_in_one_line(slurm: Path) -> None:
    with main_process("dead", "results") as dead:
        dead.kill()
    (slurm.parent / "squeue").write_text(
        "#!/bin/sh\necho 'Unable to contact slurm controller' >&2; exit 1\n"
    )
    with pytest.raises(
        StudyError, match=r"squeue: Unable to contact slurm controller; is Slurm up\? \(sinfo\)"
    ):
        slurm_jobs.cancel_abandoned("results", print)
