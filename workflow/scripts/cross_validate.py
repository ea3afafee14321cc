"""Features → folds, predictions and fits of each run of a job."""

from pathlib import Path

from linclass_study.execution.compute import compute_bundle
from linclass_study.execution.folds import ensure_folds
from linclass_study.execution.run_files import write_manifest
from linclass_study.files.resolved_study import read_fits
from linclass_study.processes.job import begin_job

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    runs, evaluation, limits = read_fits(results, snakemake.wildcards.bundle)
    for dataset in runs:
        ensure_folds(results, dataset, evaluation)
    made = compute_bundle(results, runs, evaluation, limits)
    write_manifest(Path(snakemake.output[0]), made)
