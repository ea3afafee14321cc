"""Features → folds, predictions and fits of each run of a job."""

from pathlib import Path

from linclass_study.execution.fit_jobs import fit_bundle
from linclass_study.processes.job import begin_job

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results, out = Path(snakemake.config["results"]), Path(snakemake.output[0])
    fit_bundle(results, snakemake.wildcards.bundle, out)
