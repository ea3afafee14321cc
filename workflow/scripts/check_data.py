"""A data set → facts about its rows and columns, keys of its rows, proofs of separability."""

import json

from linclass_study import job
from linclass_study.gate import check_files

job.begin(snakemake.log[0])
check_files.write(
    snakemake.input.data,
    snakemake.input.about,
    json.loads(snakemake.params.told),
    snakemake.output.facts,
    snakemake.output.arrays,
)
