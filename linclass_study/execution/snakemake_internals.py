"""Everything of Snakemake that we use beyond its documented interfaces, which any release may change.

tests/workflow/test_snakemake_internals.py tries all of it with the installed release. `workflow` is the object of this
name in a Snakefile.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

# what Snakemake says, and no event, exit code or exception tells
NOTHING_TO_DO = "Nothing to be done"
STOPPED = "Terminating processes on user request"  # after Ctrl-C
READ_ONLY = "Write-protected output files"

METADATA = Path(".snakemake") / "metadata"


def force(workflow: Any, file: str) -> None:
    """Force the job that makes a file, from an input function. Unlike deleting the file it does not harm a dry run."""
    workflow.dag.forcefiles.add(file)


def switch_off_locks() -> None:
    """Let Snakemake make no lock files, which outlive a killed process (locks.py)."""
    from snakemake.persistence import PersistenceBase

    PersistenceBase.lock = PersistenceBase.noop


def has_plan(workflow: Any) -> bool:
    """Whether the jobs are known."""
    return workflow.dag is not None


def planned_jobs(workflow: Any, finished: bool = False) -> list[Any]:
    """The jobs that must run; `finished`: also those that have run."""
    return [*workflow.dag.needrun_jobs(exclude_finished=not finished)]


def number_of_job(workflow: Any, job: Any) -> int:
    """The number that the events of a job have."""
    return int(workflow.dag.jobid(job))


def requested_jobs(workflow: Any) -> list[Any]:
    """All jobs, whether or not they must run."""
    return [*workflow.dag.jobs]


def requested_files(workflow: Any) -> list[str]:
    """The files that were asked for, instead of `all`."""
    return sorted({str(file) for job in workflow.dag.targetjobs for file in job.output})


def rule_names(rules: Any) -> dict[str, str]:
    """The names of our rules in a workflow that imports ours → our own names; `rules` is that of a Snakefile."""
    return {proxy.rule.name: name for name, proxy in rules._rules.items()}


def is_imported(workflow: Any) -> bool:
    """Whether the Snakefile that is read now is a module of another."""
    return not workflow.modifier.is_main_snakefile()


def call_too(workflow: Any, **handlers: Callable[[Any], None]) -> None:
    """Call handlers (onstart, onsuccess, onerror) before those of the main Snakefile."""

    def join(name: str, ours: Callable[[Any], None]) -> None:
        def register(theirs: Callable[[Any], None]) -> None:
            def both(log: Any) -> None:
                ours(log)
                theirs(log)

            setattr(workflow, f"_{name}", both)

        register(getattr(workflow, f"_{name}"))
        setattr(workflow, name, register)  # for those that the main Snakefile defines later

    for name, ours in handlers.items():
        join(name, ours)


def name_of_slurm_jobs(workflow: Any) -> str | None:
    """The common name of all jobs of this Snakemake in Slurm; None for another executor."""
    return getattr(workflow.scheduler._executor, "run_uuid", None)
