"""What happens before the first and after the last job: locks, progress, and the last lines in the terminal."""

from __future__ import annotations

import atexit
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from linclass.base.messages import first_names
from linclass_study.analysis import study_file
from linclass_study.data import fetch_inputs
from linclass_study.errors import StudyError, printable
from linclass_study.execution import fit_store, locks, slurm, snakemake_internals, terminal
from linclass_study.execution.job_plan import SECONDS_OF_RULE
from linclass_study.files import resolved_study
from linclass_study.files.reading import require_plain
from linclass_study.files.writing import ENDS, full_disk
from linclass_study.textbook import published
from linclass_study.workflow.rule_inputs import RuleInputs

WRITE_RUNS = ("cross_validate", "gather_shards")  # rules
FIT = ("cross_validate", "cross_validate_shard")


def print_last(text: str) -> None:
    """Print after all messages of Snakemake. What is registered first is printed last."""
    atexit.register(print, text, file=sys.stderr)


class Handlers:
    """Handlers of the main process; `workflow`, `logger` and `rules` are those of a Snakefile."""

    def __init__(self, inputs: RuleInputs, workflow: Any, logger: Any, rules: Any):
        self.inputs, self.study, self.results = inputs, inputs.study, inputs.results
        self._workflow, self._logger, self._rules = workflow, logger, rules
        if workflow.is_main_process:
            terminal.show_runs_to_fit(self._runs_to_fit)
            logger.addFilter(self._print_earlier_answer)
            atexit.register(self._print_what_is_fitted_again)

    def attach_to_importing_workflow(self) -> None:
        """Snakemake calls the handlers of the main Snakefile alone: join them if ours is imported (`module`)."""
        if snakemake_internals.is_imported(self._workflow):
            snakemake_internals.call_too(
                self._workflow,
                onstart=lambda log: self.on_start(),
                onsuccess=lambda log: self.on_success(),
                onerror=self.on_error,
            )

    def on_start(self) -> None:
        try:
            require_plain(self.results, self.study.results)
            locks.reserve(self.results)
            will_change = bool(self._planned_rules() & {*WRITE_RUNS, "aggregate"})
            if will_change and study_file.is_other(self.results, self.inputs.description):
                # it describes the folder no more
                (self.results / study_file.NAME).unlink(missing_ok=True)
            description = self.inputs.description | {"fits": self.inputs.description_of_fits()}
            resolved_study.write_resolved(self.results, description)
            slurm.cancel_abandoned(self.results, self._logger.info)
        except StudyError as error:
            sys.exit(str(error))
        except OSError as error:
            full = full_disk(self.results) if error.strerror in ENDS else ""
            file = error.filename or self.results  # a write to an open file names none
            sys.exit(full or f"{file}: cannot be written ({error.strerror}); check `results:`")
        if name := snakemake_internals.name_of_slurm_jobs(self._workflow):
            slurm.remember(name, self.results)
        planned = snakemake_internals.planned_jobs(self._workflow)
        number = partial(snakemake_internals.number_of_job, self._workflow)
        terminal.show_progress({number(job): self.planned_job(job) for job in planned})

    def on_success(self) -> None:
        self._end()
        results = self.study.results
        found = [n for n in self.study.datasets if fetch_inputs.became_available(results, n)]
        if found:
            names = first_names(found, 5)
            print_last(f"Available now: {names}. Run the same command again to include it.")
        if text := self._answer() or self._textbook():
            print_last(text)
        elif made := snakemake_internals.requested_files(self._workflow):
            print_last(f"Wrote {first_names(made, 5)} (report not requested)")

    def on_error(self, logs: str | Iterable[str]) -> None:
        """Say that the study is not finished. Snakemake's documentation has one log file, its releases a list."""
        self._end()
        files = map(Path, [logs] if isinstance(logs, str) else logs)
        texts = (file.read_text(encoding="utf-8", errors="replace") for file in files)
        if any(snakemake_internals.STOPPED in text for text in texts):
            text = "Interrupted. What was computed is kept; rerun the same command to resume."
        else:
            text = "The study is not finished: the errors above say which jobs failed. "
            text += "What was computed is kept; run again."
        text = self._textbook() or text  # finished, but a number is outside its tolerance
        full = full_disk(self.results)
        print_last(f"{text}\n{full}" if full else text)

    def planned_job(self, job: Any) -> tuple[str, float]:
        rule = self._rule(job)
        name = " ".join([rule, *job.wildcards])
        if rule not in FIT:
            return name, SECONDS_OF_RULE.get(rule, 0.0)
        bundle = self.inputs.bundles[job.wildcards.bundle]
        return name, bundle.work / bundle.shards

    def _rule(self, job: Any) -> str:
        """Our name of the rule of a job, which a workflow that imports ours may call differently."""
        return self._names.get(job.rule.name, job.rule.name)

    @cached_property
    def _names(self) -> dict[str, str]:
        return snakemake_internals.rule_names(self._rules)

    def _planned_rules(self) -> set[str]:
        return {self._rule(job) for job in snakemake_internals.planned_jobs(self._workflow)}

    def _requested_rules(self) -> set[str]:
        return {self._rule(job) for job in snakemake_internals.requested_jobs(self._workflow)}

    def _end(self) -> None:
        """Forget the name of jobs in Slurm, and keep fits of earlier variants within their size bound."""
        if locks.is_reserved():
            slurm.forget(self.results)
            fit_store.prune(self.results, self.study.limits["store_mb"])

    def _answer(self) -> str:
        """The answer, with the report's path if that was requested; nothing if the answer was not."""
        answer = self.results / "answer.txt"
        rules = self._requested_rules()
        if "aggregate" not in rules or not answer.exists():
            return ""
        text = printable(answer.read_text(encoding="utf-8")).rstrip()
        if "report" in rules:
            return text
        return text.rpartition("\nreport: ")[0] + "\n(report not requested)"

    def _textbook(self) -> str:
        """How many published numbers hold, and the page; nothing if `reproduce` was not requested or not reached."""
        if "reproduce" not in self._requested_rules():
            return ""
        folder = self.results / "textbook"
        if self._planned_rules() - {"reproduce"} or not (folder / "published.json").exists():
            return ""
        numbers = published.read_published(folder / "published.json")
        return published.ending(numbers, folder / "textbook.html")

    def _print_earlier_answer(self, record: Any) -> bool:
        """A filter of log records: where nothing is to be done, the answer is printed again."""
        nothing = str(record.msg).startswith(snakemake_internals.NOTHING_TO_DO)
        if nothing and not self._workflow.dryrun and (text := self._answer()):
            print_last(text)
        return True

    def _print_what_is_fitted_again(self) -> None:
        """After a plan: which runs are fitted again, and what has changed."""
        if not self._workflow.dryrun or not snakemake_internals.has_plan(self._workflow):
            return
        jobs = snakemake_internals.planned_jobs(self._workflow, finished=True)
        bundles = [job.wildcards.bundle for job in jobs if self._rule(job) in WRITE_RUNS]
        for line in self.inputs.to_fit.again(sorted(bundles)):
            print(line, file=sys.stderr)

    def _runs_to_fit(self, planned: Mapping[str, list[Mapping[str, str]]]) -> Iterable[str]:
        """Lines about the runs that the planned jobs (rule → their wildcards) will fit."""
        writing = {name for name, ours in self._names.items() if ours in WRITE_RUNS}
        bundles = [job["bundle"] for rule in writing for job in planned.get(rule, [])]
        return self.inputs.to_fit.lines(sorted(bundles))
