"""Features and folds → predictions and fits of each run of a job."""

import json
from pathlib import Path

from linclass_study.job import begin_job
from linclass_study.runs.bundle import compute_bundle
from linclass_study.runs.manifest import write_manifest

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    bundle = json.loads(snakemake.params.runs)
    runs = compute_bundle(
        results,
        bundle,
        json.loads(snakemake.params.evaluation),
        json.loads(snakemake.params.limits),
    )
    write_manifest(Path(snakemake.output[0]), runs)
