"""A results folder → the exhibits of all data sets together, report.html and the tables that it shows."""

import gc

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.resolved_study import read_resolved
from linclass_study.processes.job import begin_job
from linclass_study.report.figure_files import draw_figures
from linclass_study.report.page import write_page

begin_job(snakemake.log[0])
gc.disable()  # a tenth of the time; the process ends with its few figures
outcome = Outcome.of(snakemake.config["results"])
draw_figures(outcome, snakemake.params.figures)
write_page(outcome, read_resolved(outcome.results)["files"])
