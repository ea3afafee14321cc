"""A data set → the features of a method."""

import json

from linclass_study.data.dataset import load_dataset
from linclass_study.execution.features import compute_features
from linclass_study.processes.job import begin_job

begin_job(snakemake.log[0])
raw = load_dataset(snakemake.input.data)
compute_features(raw, json.loads(snakemake.params.steps)).save(snakemake.output[0])
