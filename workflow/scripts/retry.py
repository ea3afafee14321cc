"""Try an unavailable data set again, and count the attempt if it is available now."""

import json
from pathlib import Path

from linclass_study.data import fetch_inputs
from linclass_study.data.fetch_dataset import is_available_now
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
name = snakemake.wildcards.dataset
if is_available_now(name, json.loads(snakemake.params.entry), snakemake.config):
    fetch_inputs.increment(snakemake.config["results"], name)
Path(snakemake.output[0]).touch()
