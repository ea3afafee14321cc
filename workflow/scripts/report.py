"""A results folder → report.html and the tables that it shows."""

from pathlib import Path

from linclass_study import job
from linclass_study.report import page_tables
from linclass_study.report.page import report
from linclass_study.report.provenance import provenance
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
outcome = Outcome.of(snakemake.params.study)
shown = page_tables.make(outcome)
page_tables.write(shown, outcome)
page = report(outcome, shown, provenance(), snakemake.params.files)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
