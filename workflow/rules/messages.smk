"""Locks, progress and final messages of a study: what the handlers onstart, onsuccess and onerror call."""

import atexit
import sys
from pathlib import Path

from snakemake.logging import logger

from linclass.base.messages import first_names
from linclass_study.files.writing import full_disk
from linclass_study.execution import slurm
from linclass_study.execution.jobs import SECONDS_OF_RULE
from linclass_study.files import resolved_study
from linclass_study.data.fetch import fetch_attempts
from linclass_study.errors import StudyError, printable
from linclass_study.analysis import study_file
from linclass_study.files.reading import require_plain
from linclass_study.execution import fit_store
from linclass_study.execution import locks
from linclass_study.execution import terminal
from linclass_study.execution import snakemake_internals
from linclass_study.execution import terminal
from linclass_study.textbook import published
from linclass_study.textbook.published import read_published

FITTING = ("cross_validate", "gather_shards")  # rules that write the files of runs


def cancel_abandoned_slurm_jobs():
    """Before the first job: cancel the jobs of a killed Snakemake, and store the name of our own."""
    try:
        slurm.cancel_abandoned(STUDY.results, logger.info)
    except StudyError as refused:
        sys.exit(str(refused))
    if name := snakemake_internals.name_of_slurm_jobs(workflow):
        slurm.remember(name, STUDY.results)


def reserve_results():
    """Lock the results folder for this process, unless a link in it leads elsewhere."""
    try:
        require_plain(Path(STUDY.results), STUDY.results)
        locks.reserve(STUDY.results)
    except StudyError as refused:
        sys.exit(str(refused))


def write_study_for_jobs():
    """Write the resolved study, which jobs read: their parameters are digests of its parts."""
    resolved_study.write_resolved(
        STUDY.results, description_of_study() | {"fits": described_fits()}
    )


def delete_outdated_study_file():
    """Before the first fit: delete the study.json of another study, which no longer describes the folder."""
    rules = {job.rule.name for job in snakemake_internals.planned_jobs(workflow)}
    results = Path(STUDY.results)
    if rules & {"cross_validate", "gather_shards", "aggregate"}:
        if study_file.is_other(results, description_of_study()):
            (results / study_file.NAME).unlink(missing_ok=True)


def show_progress():
    """Show the progress of the jobs that will run."""
    terminal.show_progress(
        {
            snakemake_internals.number_of_job(workflow, job): terminal.PlannedJob(
                name_of(job), work_of(job), kind_of(job)
            )
            for job in snakemake_internals.planned_jobs(workflow)
        }
    )


def name_of(job):
    return " ".join([job.rule.name, *job.wildcards])


def work_of(job):
    """Expected seconds of a job: of fits from their data, of others by their rule."""
    if not does_fit(job):
        return SECONDS_OF_RULE.get(job.rule.name, 0.0)
    bundle = BUNDLES[job.wildcards.bundle]
    return bundle.work / bundle.shards


def kind_of(job):
    """Jobs of one kind are expected to be too long or too short by the same factor: fits on one data set, a rule."""
    return " ".join(
        [job.rule.name, *(BUNDLES[job.wildcards.bundle].datasets if does_fit(job) else [])]
    )


def does_fit(job):
    return job.rule.name in ("cross_validate", "cross_validate_shard")


def prune_store():
    """At the end: keep the fits of earlier variants of the study within their size bound."""
    fit_store.prune(Path(STUDY.results), STUDY.limits["store_mb"])


def print_available_last():
    """Print which data sets have become available; printed after the answer, as handlers of atexit run backwards."""
    names = [name for name in DATASETS if fetch_attempts.became_available(STUDY.results, name)]
    if names:
        text = f"Available now: {first_names(names, 5)}. Run the same command again to include it."
        atexit.register(print, text, file=sys.stderr)


def print_answer_last():
    """Print the answer of the study after all messages of Snakemake; if only a part was requested, its files."""
    if text := answer_as_requested() or textbook_as_compared():
        atexit.register(print, text, file=sys.stderr)
    elif made := snakemake_internals.requested_files(workflow):
        text = f"Wrote {first_names(made, 5)} (report not requested)"
        atexit.register(print, text, file=sys.stderr)


def print_answer_of_before(record):
    """A filter of log records: where nothing is to be done, the answer is printed again."""
    if str(record.msg).startswith(snakemake_internals.NOTHING_TO_DO) and not workflow.dryrun:
        if text := answer_as_requested():
            atexit.register(print, text, file=sys.stderr)
    return True


def answer_as_requested():
    """The answer, with the report's path if that was requested; nothing if the answer was not."""
    answer, rules = Path(STUDY.results, "answer.txt"), snakemake_internals.requested_rules(workflow)
    if "aggregate" not in rules or not answer.exists():
        return ""
    text = printable(answer.read_text(encoding="utf-8")).rstrip()
    if "report" in rules:
        return text
    return text.rpartition("\nreport: ")[0] + "\nthe report was not requested"


def textbook_as_compared():
    """How many published numbers hold, and the page; nothing if `reproduce` was not requested or not reached."""
    if "reproduce" not in snakemake_internals.requested_rules(workflow):
        return ""
    folder = Path(STUDY.results, "textbook")
    lacking = {job.rule.name for job in snakemake_internals.planned_jobs(workflow)}
    lacking -= {"reproduce"}
    if lacking or not (folder / "published.json").exists():
        return ""
    return published.ending(
        read_published(folder / "published.json"), folder / "textbook.html"
    )


def print_what_is_fitted_again():
    """After a plan: which runs are fitted again, and what has changed."""
    if not workflow.dryrun or not snakemake_internals.has_plan(workflow):
        return
    jobs = snakemake_internals.planned_jobs(workflow, finished=True)
    bundles = [job.wildcards.bundle for job in jobs if job.rule.name in FITTING]
    for line in FITS.again(sorted(bundles)):
        print(line, file=sys.stderr)


def runs_to_fit(planned):
    """Lines about the runs that the planned jobs (rule → their wildcards) will fit."""
    bundles = [job["bundle"] for rule in FITTING for job in planned.get(rule, [])]
    return FITS.lines(sorted(bundles))


if workflow.is_main_process:
    terminal.show_runs_to_fit(runs_to_fit)
    logger.addFilter(print_answer_of_before)
    atexit.register(print_what_is_fitted_again)


def print_unfinished_last(logs):
    """Print that the study is not finished, instead of printing the answer of an earlier run.

    logs    Snakemake's log files; its documentation has one, its releases a list
    """
    files = map(Path, [logs] if isinstance(logs, str) else logs)
    if any(
        snakemake_internals.STOPPED in file.read_text(encoding="utf-8", errors="replace")
        for file in files
    ):
        text = "Interrupted. What was computed is kept; rerun the same command to resume."
    else:
        text = "The study is not finished: the errors above say which jobs failed. What was computed is kept; run again."
    text = textbook_as_compared() or text  # finished, but a number is outside its tolerance
    full = full_disk(Path(STUDY.results))
    atexit.register(print, f"{text}\n{full}" if full else text, file=sys.stderr)
