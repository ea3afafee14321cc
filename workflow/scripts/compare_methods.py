"""Scores and fits of all data sets → comparisons across data sets: ranks, pairs, ratings, uncertainty."""

from linclass_study.job import begin_job
from linclass_study.results.across_tables import write_across
from linclass_study.results.outcome import Outcome

begin_job(snakemake.log[0])
write_across(Outcome.of(snakemake.params.results))
