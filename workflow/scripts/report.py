"""A results folder → report.html."""

from pathlib import Path

from linclass_study import job
from linclass_study.report.page import report
from linclass_study.report.provenance import provenance
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
page = report(Outcome.of(snakemake.params.study), provenance(), snakemake.params.files)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
