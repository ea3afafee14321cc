"""An entry of the catalogue → the data set in canonical order and its features, or why it is unavailable."""

import json

from linclass_study.data.fetch_dataset import fetch_dataset
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
fetch_dataset(
    snakemake.wildcards.dataset,
    json.loads(snakemake.params.entry),
    snakemake.config,
    snakemake.output,
)
if snakemake.output.as_is:
    # imported only now: they start threads, and the child that reads the data set is a copy of a process without any
    from linclass_study.data.dataset import load_dataset
    from linclass_study.execution.features import compute_features

    compute_features(load_dataset(snakemake.output.data), []).save(snakemake.output.as_is)
