"""The checks of all data sets → one table of them, with those that share rows."""

import json
from pathlib import Path

from linclass_study.analysis.datasets_table import write_datasets_table
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
write_datasets_table(
    snakemake.params.datasets,
    Path(snakemake.config["results"]),
    map(tuple, json.loads(snakemake.params.related)),
)
