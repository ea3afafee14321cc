"""Scores and fits of all data sets → one table of each, summaries, the comparison of the methods, the answer."""

from pathlib import Path

from linclass_study.analysis import answer, study_file
from linclass_study.analysis.across_tables import write_across
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import write_study
from linclass_study.analysis.summary import write_summary
from linclass_study.analysis.tuned import write_tuned_table
from linclass_study.files.resolved_study import read_resolved
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.params.results)
write_summary(outcome.results, snakemake.input.scores, snakemake.input.fits)
study = read_resolved(outcome.results)
write_study(study_file.describe_study(outcome, study["files"], study["modules"]))
write_tuned_table(outcome)
write_across(outcome)
report = str(outcome.results / "report.html")
Path(snakemake.output.answer).write_text(answer.answer(outcome, report), encoding="utf-8")
