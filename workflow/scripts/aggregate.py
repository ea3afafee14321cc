"""Scores and fits of all data sets → one table of each, summaries, the comparison of the methods, the answer."""

from linclass_study.analysis.aggregate import aggregate
from linclass_study.analysis.outcome import Outcome
from linclass_study.analysis.study_file import describe_study
from linclass_study.files.resolved_study import read_resolved
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.config["results"])
study = read_resolved(outcome.results)
described = describe_study(outcome, study["files"], study["modules"], study.get("whole", ()))
aggregate(outcome, described, str(outcome.results / "report.html"))
