"""A results folder → the exhibits of all data sets together, report.html and the tables that it shows."""

import gc
from pathlib import Path

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.resolved_study import read_resolved
from linclass_study.processes.job import begin_job
from linclass_study.report.figure_files import write_exhibits
from linclass_study.report.page import report
from linclass_study.report.provenance import provenance
from linclass_study.report.table import make_tables, write_tables

begin_job(snakemake.log[0])
gc.disable()  # a tenth of the time; the process ends with its few figures
outcome = Outcome.of(snakemake.params.results)
write_exhibits(outcome, snakemake.params.figures)
shown = make_tables(outcome)
write_tables(shown, outcome)
page = report(outcome, shown, provenance(), read_resolved(outcome.results)["files"])
Path(snakemake.output.page).write_text(page, encoding="utf-8")
