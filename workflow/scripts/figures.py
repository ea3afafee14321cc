"""Exhibits of a results folder → their figures as PNG and PDF."""

from linclass_study.analysis.outcome import Outcome
from linclass_study.processes.job import begin_job
from linclass_study.report.figure_files import PICTURES, drawn_figures, write_pictures

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.config["results"])
write_pictures(outcome, drawn_figures(outcome), PICTURES)
