"""A results folder → the exhibits of one data set, or of all data sets together."""

from linclass_study import job
from linclass_study.report import exhibits
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
outcome = Outcome.of(snakemake.params.study)
for figure in snakemake.params.figures:
    exhibits.draw(outcome, figure)
