"""A results folder → the exhibits of all data sets together."""

import gc

from linclass_study.analysis.outcome import Outcome
from linclass_study.processes.job import begin_job
from linclass_study.report.figure_files import write_exhibits

begin_job(snakemake.log[0])
gc.disable()  # a tenth of the time; the process ends with its few figures
outcome = Outcome.of(snakemake.params.results)
write_exhibits(outcome, snakemake.params.figures)
