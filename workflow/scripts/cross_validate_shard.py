"""Features and folds → outcomes of some planned fits of a run."""

from pathlib import Path

from linclass_study.execution.compute import SharedInputs, compute_shard
from linclass_study.execution.folds import ensure_folds
from linclass_study.files.resolved_study import read_fits
from linclass_study.processes.job import begin_job

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    runs, evaluation, limits = read_fits(results, snakemake.wildcards.bundle)
    ((dataset, methods),) = runs.items()
    ((method, spec),) = methods.items()
    ensure_folds(results, dataset, evaluation)
    compute_shard(
        SharedInputs(results, dataset, evaluation),
        method,
        spec,
        limits,
        (int(snakemake.wildcards.shard), snakemake.params.shards),
        Path(snakemake.output[0]),
    )
