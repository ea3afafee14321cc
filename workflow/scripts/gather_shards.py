"""Outcomes of all fits of a run, shard by shard → its files and their manifest."""

from pathlib import Path

from linclass_study.execution import compute
from linclass_study.execution.compute import SharedInputs
from linclass_study.execution.folds import ensure_folds
from linclass_study.execution.run_files import write_manifest
from linclass_study.files.resolved_study import read_fits
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
results = Path(snakemake.params.results)
runs, evaluation, limits = read_fits(results, snakemake.wildcards.bundle)
((dataset, methods),) = runs.items()
((method, spec),) = methods.items()
ensure_folds(results, dataset, evaluation)
shared = SharedInputs(results, dataset, evaluation)
made = compute.gather(shared, method, spec, limits, map(Path, snakemake.input.shards))
write_manifest(Path(snakemake.output[0]), made)
