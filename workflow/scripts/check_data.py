"""A data set → facts about its rows and columns, keys of its rows, proofs of separability."""

import json

from linclass_study.checks.check_dataset import write_checks
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
write_checks(
    snakemake.input.data,
    snakemake.input.about,
    json.loads(snakemake.params.metadata),
    snakemake.output.facts,
    snakemake.output.arrays,
)
