"""Features and folds → outcomes of some planned fits of a run."""

import json
from pathlib import Path

from linclass_study.job import begin_job
from linclass_study.runs.shards import compute_shard
from linclass_study.runs.shared_inputs import SharedInputs

if __name__ == "__main__":
    begin_job(snakemake.log[0])
    results = Path(snakemake.params.results)
    ((dataset, methods),) = json.loads(snakemake.params.runs).items()
    ((method, spec),) = methods.items()
    compute_shard(
        SharedInputs(results, dataset, json.loads(snakemake.params.evaluation)),
        method,
        spec,
        json.loads(snakemake.params.limits),
        (int(snakemake.wildcards.shard), snakemake.params.shards),
        Path(snakemake.output[0]),
    )
