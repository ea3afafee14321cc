"""A results folder → report.html."""

from pathlib import Path

from linclass_study import log
from linclass_study.outcome import Outcome
from linclass_study.provenance import provenance
from linclass_study.report import report

log.to(snakemake.log[0])
page = report(Outcome.of(snakemake.params.study), provenance(), snakemake.params.files)
Path(snakemake.output[0]).write_text(page, encoding="utf-8")
