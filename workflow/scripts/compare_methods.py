"""Scores and fits of all data sets → comparisons across data sets: ranks, pairs, ratings, uncertainty."""

from linclass_study import job
from linclass_study.results import across_tables
from linclass_study.results.outcome import Outcome

job.begin(snakemake.log[0])
across_tables.write(Outcome.of(snakemake.params.study))
