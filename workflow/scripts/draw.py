"""A results folder → every exhibit of one figure."""

from linclass_study import job
from linclass_study.report import exhibits
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
exhibits.draw(Outcome.of(snakemake.params.study), snakemake.params.figure)
