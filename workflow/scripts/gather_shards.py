"""Outcomes of all fits of a run, shard by shard → its files and their manifest."""

import json
from pathlib import Path

from linclass_study.job import begin_job
from linclass_study.runs import shards
from linclass_study.runs.manifest import write_manifest
from linclass_study.runs.shared_inputs import SharedInputs

begin_job(snakemake.log[0])
((dataset, methods),) = json.loads(snakemake.params.runs).items()
((method, spec),) = methods.items()
evaluation = json.loads(snakemake.params.evaluation)
runs = shards.gather(
    SharedInputs(Path(snakemake.params.results), dataset, evaluation),
    method,
    spec,
    json.loads(snakemake.params.limits),
    map(Path, snakemake.input.shards),
)
write_manifest(Path(snakemake.output[0]), runs)
