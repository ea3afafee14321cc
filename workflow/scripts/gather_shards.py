"""Outcomes of all fits of a run, shard by shard → its files and their manifest."""

from pathlib import Path

from linclass_study.execution.fit_jobs import gather_shards
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
results, out = Path(snakemake.config["results"]), Path(snakemake.output[0])
gather_shards(results, snakemake.wildcards.bundle, snakemake.input.shards, out)
