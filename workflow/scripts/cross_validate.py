"""Features and folds → predictions and fits of each run of a job."""

import json
from pathlib import Path

from linclass_study import environment
from linclass_study.job import begin_job
from linclass_study.runs.bundle import compute_bundle
from linclass_study.runs.manifest import write_manifest
from linclass_study.study.code import libraries_of_methods

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    bundle = json.loads(snakemake.params.runs)
    entries = [spec["entry"] for methods in bundle.values() for spec in methods.values()]
    # before the fits, as the job may be killed
    environment.record(results, libraries_of_methods(entries))
    runs = compute_bundle(
        results,
        bundle,
        json.loads(snakemake.params.evaluation),
        json.loads(snakemake.params.limits),
    )
    write_manifest(Path(snakemake.output[0]), runs)
