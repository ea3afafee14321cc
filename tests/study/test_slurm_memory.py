"""Fits killed for lack of a Slurm job's memory are counted where the kernel reports them."""

from __future__ import annotations

from pathlib import Path

import pytest

from linclass_study.errors import StudyError
from linclass_study.execution import slurm

VERSIONS = {  # of control groups: /proc/self/cgroup, the file that counts, what it holds after two deaths
    "1": ("4:memory:/slurm/job_7\n0::/\n", "memory/slurm/job_7/memory.oom_control", "oom_kill 2"),
    "2": ("0::/slurm/job_7\n", "slurm/job_7/memory.events", "oom 3\noom_kill 2"),
}


@pytest.mark.parametrize("version", VERSIONS)
def test_kills_are_those_of_our_own_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    about, file, content = VERSIONS[version]
    (tmp_path / "cgroup").write_text(about)
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(content + "\n")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert slurm.kills(tmp_path / "cgroup", tmp_path) == 2
    monkeypatch.delenv("SLURM_JOB_ID")
    assert slurm.kills(tmp_path / "cgroup", tmp_path) == 0


def test_what_was_done_meanwhile_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([1, 1, 1, 2])
    monkeypatch.setattr(slurm, "kills", lambda: next(counts))
    with slurm.enough_memory():
        pass
    with pytest.raises(StudyError, match="memory of this Slurm job"), slurm.enough_memory():
        pass


def test_without_counts_of_the_kernel_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    assert slurm.kills(tmp_path / "no_cgroup", tmp_path) == 0
