"""A results folder → report.html and the tables that it shows."""

from pathlib import Path

from linclass_study.analysis.outcome import Outcome
from linclass_study.files.resolved_study import read_resolved
from linclass_study.processes.job import begin_job
from linclass_study.report.page import report
from linclass_study.report.page_tables import make_tables, write_tables
from linclass_study.report.provenance import provenance

begin_job(snakemake.log[0])
outcome = Outcome.of(snakemake.params.results)
shown = make_tables(outcome)
write_tables(shown, outcome)
page = report(outcome, shown, provenance(), read_resolved(outcome.results)["files"])
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
