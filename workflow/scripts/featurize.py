"""A data set → the features of a method."""

import json

from linclass_study import job
from linclass_study.data import dataset_file
from linclass_study.runs import features

job.begin(snakemake.log[0])
raw = dataset_file.load(snakemake.input.data, snakemake.input.about)
features.compute(raw, json.loads(snakemake.params.steps)).save(snakemake.output[0])
