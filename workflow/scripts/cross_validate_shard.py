"""Features and folds → outcomes of some planned fits of a run."""

from pathlib import Path

from linclass_study.execution.fit_jobs import compute_shard, only_run
from linclass_study.processes.job import begin_job

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    part = int(snakemake.wildcards.shard), snakemake.params.shards
    results, out = Path(snakemake.config["results"]), Path(snakemake.output[0])
    compute_shard(*only_run(results, snakemake.wildcards.bundle), part, out)
