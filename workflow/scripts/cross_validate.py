"""Features and folds → predictions and fits of each run of a job."""

import json
import sys
from pathlib import Path

from linclass_study import environment
from linclass_study.job import begin_job
from linclass_study.refusal import Refused
from linclass_study.runs.bundle import compute_bundle
from linclass_study.runs.manifest import write_manifest

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    environment.record(results)  # before the fits, as the job may be killed
    try:
        runs = compute_bundle(
            results,
            json.loads(snakemake.params.runs),
            json.loads(snakemake.params.evaluation),
            json.loads(snakemake.params.limits),
        )
    except Refused as refused:
        sys.exit(str(refused))
    write_manifest(Path(snakemake.output[0]), runs)
