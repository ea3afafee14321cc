"""A data set → the features that a method asked for."""

import json

from linclass_study import dataset, features, log

log.to(snakemake.log[0])
raw = dataset.load(snakemake.input.data, snakemake.input.about)
features.compute(raw, json.loads(snakemake.params.steps)).save(snakemake.output[0])
