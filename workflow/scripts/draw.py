"""A results folder → every exhibit of one figure."""

from linclass_study import log
from linclass_study.report import exhibits
from linclass_study.results.outcome import Outcome

log.to(snakemake.log[0])
exhibits.draw(Outcome.of(snakemake.params.study), snakemake.params.figure)
