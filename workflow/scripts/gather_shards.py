"""Outcomes of all fits of a run, shard by shard → its files and their manifest."""

from pathlib import Path

from linclass_study.execution.fit_jobs import gather, only_run
from linclass_study.execution.run_files import write_manifest
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
results, out = Path(snakemake.config["results"]), Path(snakemake.output[0])
run = only_run(results, snakemake.wildcards.bundle)
write_manifest(out, gather(*run, map(Path, snakemake.input.shards)))
