"""Features and folds → predictions and fits of each run of a job."""

import json
import sys
from pathlib import Path

from linclass_study import environment, job
from linclass_study.refusal import Refused
from linclass_study.runs import bundle, manifest

if __name__ == "__main__":
    job.begin(snakemake.log[0])
    results = Path(snakemake.params.results)
    try:
        runs = bundle.compute(
            results,
            json.loads(snakemake.params.runs),
            json.loads(snakemake.params.evaluation),
            json.loads(snakemake.params.limits),
        )
    except Refused as refused:
        sys.exit(str(refused))
    environment.record(results)
    manifest.write(Path(snakemake.output[0]), runs)
