"""Exhibits of a results folder → their figures as PNG and PDF."""

from linclass_study.job import begin_job
from linclass_study.report.exhibit import PICTURES
from linclass_study.report.exhibits import drawn_exhibits, write_pictures
from linclass_study.results.outcome import Outcome

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.params.results)
write_pictures(outcome, drawn_exhibits(outcome), PICTURES)
