"""An entry of the catalogue → the data set in canonical order, or the reason why it is unavailable."""

import json

from linclass_study.data.fetch.fetch_dataset import fetch_dataset
from linclass_study.job import begin_job

begin_job(snakemake.log[0])
fetch_dataset(
    snakemake.wildcards.dataset,
    json.loads(snakemake.params.entry),
    snakemake.config,
    snakemake.output,
)
